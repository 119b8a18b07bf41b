# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An error is one line that changes no terminal, whatever the names in it are."""

import pickle

import pytest

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import (
    LONGEST_SENTENCE,
    BipedSlipError,
    InvalidParameter,
    InvalidRecording,
    MissingExtra,
    SimulationDiverged,
    UnknownName,
    WorkerLost,
    reason,
)

HOSTILE = "a\nb\x1b[31m\u202e\u2028c\r"


@pytest.mark.parametrize(
    "error",
    [
        BipedSlipError(HOSTILE),
        InvalidRecording(HOSTILE, HOSTILE),
        UnknownName(HOSTILE, HOSTILE, [HOSTILE]),
        InvalidParameter(HOSTILE, 1, HOSTILE, HOSTILE),
    ],
)
def test_names_of_strangers_are_escaped(error):
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert str(one).isprintable()
        assert "a\\nb\\x1b" in str(one)


@pytest.mark.parametrize(
    "error",
    [
        InvalidParameter("speed", 9.0, "at most 2 [m/s]", "walk slower"),
        UnknownName("robot", "tallos", ["talos", "g1"]),
        MissingExtra("walking", "walk"),
        WorkerLost(6),
        InvalidRecording("plate.csv", "no forces", "export them"),
        SimulationDiverged("speed", 1e9, 1e3, 0.5),
    ],
)
def test_an_error_of_a_worker_arrives_as_it_was_raised(error):
    arrived = pickle.loads(pickle.dumps(error))
    assert (type(arrived), str(arrived), vars(arrived)) == (
        type(error),
        str(error),
        vars(error),
    )


def test_what_is_printable_stays_as_it_is():
    assert str(BipedSlipError("µ is 0.5, not more")) == "µ is 0.5, not more"


@configuration
class Settings(Configuration):
    """One setting."""

    speed: float = parameter(1.0, doc="of the walk")


def many_names():
    Settings.from_mapping({f"wrong{k}": k for k in range(20_000)})


@pytest.mark.parametrize(
    "error",
    [
        BipedSlipError("a" * 10_000),
        InvalidRecording("a" * 10_000, "no forces", "export them"),
        InvalidParameter("speed", "9" * 10_000, "at most 2 [m/s]", "walk slower"),
        UnknownName("robot", "tallos", [f"robot{k}" for k in range(20_000)]),
    ],
)
def test_a_sentence_is_bounded_whatever_the_names_in_it_are(error):
    assert len(str(error)) == LONGEST_SENTENCE
    assert len(reason("trial.c3d", error)) <= LONGEST_SENTENCE
    assert len(reason("trial.c3d", ValueError(str(error.args) * 100))) == (
        LONGEST_SENTENCE
    )


def test_twenty_thousand_wrong_names_are_one_sentence():
    with pytest.raises(BipedSlipError) as refusal:
        many_names()
    assert len(str(refusal.value)) <= LONGEST_SENTENCE
    assert "wrong0" in str(refusal.value)


def test_a_bounded_sentence_keeps_its_begin_and_its_remedy():
    error = InvalidParameter("speed", "9" * 10_000, "at most 2 [m/s]", "walk slower")
    assert str(error).startswith("speed is '999")
    assert str(error).endswith("but must be at most 2 [m/s]; walk slower")


def test_what_is_escaped_is_bounded_all_the_same():
    assert len(str(BipedSlipError("\u202e" * 10_000))) <= LONGEST_SENTENCE

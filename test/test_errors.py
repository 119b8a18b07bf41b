# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An error is one line that changes no terminal, whatever the names in it are."""

import pickle

import pytest

from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    InvalidRecording,
    MissingExtra,
    SimulationDiverged,
    UnknownName,
    WorkerLost,
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

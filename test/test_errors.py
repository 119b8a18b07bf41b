# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An error is one line that changes no terminal, whatever the names in it are."""

import pickle

import pytest

from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording, UnknownName

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
    for one in (error, pickle.loads(pickle.dumps(error)) if type(error) is BipedSlipError else error):
        assert str(one).isprintable()
        assert "a\\nb\\x1b" in str(one)


def test_what_is_printable_stays_as_it_is():
    assert str(BipedSlipError("µ is 0.5, not more")) == "µ is 0.5, not more"

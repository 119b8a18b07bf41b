# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The frame of studies: a program whose lines are read ends with its reader."""

import signal
import sys

import pytest

from studies.frame import child_process

LONG = 60.0  # [s]


def read_and_fail(started):
    with child_process(
        [
            sys.executable,
            "-c",
            f"import time; print('here', flush=True); time.sleep({LONG})",
        ]
    ) as process:
        assert process.stdout.readline() == "here\n"
        started.append(process)
        raise KeyboardInterrupt


def test_a_program_whose_lines_are_read_ends_with_the_reader():
    started = []
    with pytest.raises(KeyboardInterrupt):
        read_and_fail(started)
    assert started.pop().wait(LONG) == -signal.SIGTERM

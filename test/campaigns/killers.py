# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks that kill the worker that walks them; worker processes import them by name."""

import os
import signal
from pathlib import Path


def dies_once(job):
    """Killed at the first job whose seed is a multiple of three, the first time."""
    mark = Path(os.environ["BIPED_SLIP_TEST_MARK"])
    if job.seed % 3 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return job.seed


def always_dies(job):
    """Killed every time."""
    os.kill(os.getpid(), signal.SIGKILL)

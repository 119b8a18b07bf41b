# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Real-time settings of a process, for whoever asks and is allowed to; before DDS starts its threads."""

from __future__ import annotations

import ctypes
import os
from typing import Sequence

OPTION = "--realtime-priority"
_LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE of mlockall(2)
_TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)


def prepare(arguments: Sequence[str]) -> str:
    """Apply ``--realtime-priority N`` if given: FIFO scheduling, locked memory, exact timers.

    Returns:
        One sentence when it was asked for and not allowed; otherwise empty.
    """
    if OPTION not in arguments:
        return ""
    position = list(arguments).index(OPTION) + 1
    try:
        priority = int(arguments[position])
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (IndexError, ValueError):
        return f"{OPTION} needs a whole number; the loop runs without real-time priority"
    except OSError as error:
        return f"no right to real-time priority ({error.strerror}); the loop runs without it"
    libc = ctypes.CDLL(None)
    libc.mlockall(_LOCK_ALL)
    libc.prctl(_TIMER_SLACK, 1)
    return ""

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Real-time settings of a process, for whoever asks and is allowed to; before DDS starts its threads."""

from __future__ import annotations

import ctypes
import os
from typing import Sequence

PRIORITY, CPU = "--realtime-priority", "--cpu"
_LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE of mlockall(2)
_TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)


def prepare(arguments: Sequence[str]) -> str:
    """Apply ``--realtime-priority N`` (FIFO scheduling, locked memory, exact timers) and ``--cpu N`` (one core alone).

    Returns:
        One sentence on what was asked for and can't be had; otherwise empty.
    """
    notes = []
    try:
        cpu, priority = _number(arguments, CPU), _number(arguments, PRIORITY)
    except ValueError as error:
        return f"{error}; the loop runs without real-time settings"
    libc = ctypes.CDLL(None)
    if cpu is not None:
        notes += _tried(f"core {cpu} alone", lambda: os.sched_setaffinity(0, {cpu}))
    if priority is not None:
        scheduling = os.SCHED_FIFO, os.sched_param(priority)
        notes += _tried(f"real-time priority {priority}", lambda: os.sched_setscheduler(0, *scheduling))
        if libc.mlockall(_LOCK_ALL):
            notes.append("locked memory")
        libc.prctl(_TIMER_SLACK, 1)
    return f"no right to {' and '.join(notes)}; the loop runs without" if notes else ""


def _tried(what: str, act: object) -> list[str]:
    try:
        act()  # type: ignore[operator]
    except (OSError, ValueError) as error:
        return [f"{what} ({getattr(error, 'strerror', None) or error})"]
    return []


def _number(arguments: Sequence[str], option: str) -> int | None:
    if option not in arguments:
        return None
    position = list(arguments).index(option) + 1
    if position == len(arguments) or not arguments[position].isdecimal():
        raise ValueError(f"{option} needs a whole number")
    return int(arguments[position])

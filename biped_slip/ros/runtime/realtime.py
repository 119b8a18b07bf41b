# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Real-time settings of a process, for whoever asks and is allowed to.

The priority comes last, when everything is loaded and compiled: Linux lets all real-time threads of a core run for
0.95 s of a second; who has loaded at such a priority until the walk begins is stopped for up to half a second of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import NamedTuple, Sequence

PRIORITY, CPU = "--realtime-priority", "--cpu"
_LOCK_ALL = 3  # MCL_CURRENT | MCL_FUTURE of mlockall(2)
_TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)


class Prepared(NamedTuple):
    """What can be had."""

    note: str  # one sentence on what was asked for and can't be had; otherwise empty
    priority: int | None  # for :func:`hurry`


def prepare(arguments: Sequence[str]) -> Prepared:
    """Apply ``--realtime-priority N`` (locked memory, exact timers; not yet N) and ``--cpu N`` (one core alone)."""
    notes = []
    try:
        cpu, priority = _number(arguments, CPU), _number(arguments, PRIORITY)
    except ValueError as error:
        return Prepared(f"{error}; the loop runs without real-time settings", None)
    libc = ctypes.CDLL(None)
    if cpu is not None:
        notes += _tried(f"core {cpu} alone", lambda: os.sched_setaffinity(0, {cpu}))
    if priority is not None:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        refused = _tried(f"real-time priority {priority}", lambda: _set_priority(0, priority))
        notes += refused
        if refused:
            priority = None
        else:
            os.sched_setscheduler(0, *before)
        if libc.mlockall(_LOCK_ALL):
            notes.append("locked memory")
        libc.prctl(_TIMER_SLACK, 1)
    return Prepared(f"no right to {' and '.join(notes)}; the loop runs without" if notes else "", priority)


def hurry(priority: int | None) -> None:
    """Give every thread of this process its FIFO priority, those of DDS included."""
    if priority is None:
        return
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            _set_priority(int(thread), priority)


def _set_priority(thread: int, priority: int) -> None:
    os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))


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

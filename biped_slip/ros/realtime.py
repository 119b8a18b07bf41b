# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Real-time settings of a process, on request and with permission; pauses of its loop.

The priority comes last, when everything is loaded and compiled: Linux lets all
real-time threads of a core run for 0.95 s of a second; who has loaded at such a
priority until the walk begins is stopped for up to half a second of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from pathlib import Path
from typing import Callable, Collection, NamedTuple, Sequence

PRIORITY = "--realtime-priority"
CPU = "--cpu"
# MCL_CURRENT, FUTURE, ONFAULT of mlockall(2): the first step reserves 32 MB, up to 0.1
# s to fill
_LOCK_ALL = 7
_TIMER_SLACK = 29  # PR_SET_TIMERSLACK of prctl(2)
_HUGE = 2 << 20  # [bytes] of a huge page
_COLLAPSE = 25  # MADV_COLLAPSE of madvise(2), since Linux 6.1


class Prepared(NamedTuple):
    """Real-time settings that were granted."""

    note: str  # one sentence on what was asked for and can't be had; otherwise empty
    priority: int | None  # for :func:`hurry`


def prepare(arguments: Sequence[str]) -> Prepared:
    """Apply ``--realtime-priority N`` and ``--cpu N``.

    The first means locked memory and exact timers, but N is not set yet; the second
    means one core alone.
    """
    notes = []
    try:
        cpu = _number(arguments, CPU)
        priority = _number(arguments, PRIORITY)
    except ValueError as error:
        return Prepared(f"{error}; the loop runs without real-time settings", None)
    libc = ctypes.CDLL(None)
    if cpu is not None:
        notes += _tried(f"core {cpu} alone", lambda: os.sched_setaffinity(0, {cpu}))
    if priority is not None:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        refused = _tried(
            f"real-time priority {priority}", lambda: _set_priority(0, priority)
        )
        notes += refused
        if refused:
            priority = None
        else:
            os.sched_setscheduler(0, *before)
        if libc.mlockall(_LOCK_ALL):
            notes.append("locked memory")
        libc.prctl(_TIMER_SLACK, 1)
    return Prepared(
        f"no right to {' and '.join(notes)}; the loop runs without" if notes else "",
        priority,
    )


def hurry(
    priority: int | None,
    yields: bool = False,
    behind: Collection[int | None] = (),
) -> None:
    """Set the FIFO priority of all threads, DDS included.

    With ``yields`` they get what comes next below any FIFO priority. Threads ``behind``
    (by the system's numbers) get one less where there is one: they hold the interpreter
    at times, and must neither stop the loop nor wait for other processes. Memory is put
    into huge pages.
    """
    if priority is None:
        return
    libc = ctypes.CDLL(None)
    for line in (
        Path("/proc/self/maps")
        .read_text(encoding="utf-8", errors="replace")
        .split("\n")[:-1]
    ):
        place, rights, _, _, file, *_ = line.split()
        begin, end = (int(address, 16) for address in place.split("-"))
        for page in range(-(-begin // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
            if rights == "rw-p" and file == "0":  # memory of its own
                libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(_HUGE), _COLLAPSE)
    for thread in os.listdir("/proc/self/task"):
        own = priority - 1 if int(thread) in behind else priority
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            if yields or own < 1:
                os.setpriority(os.PRIO_PROCESS, int(thread), -20)
            else:
                _set_priority(int(thread), own)


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


REST = 0.2  # share of the time that is left to others (choice)
PAUSE = 1e-3  # [s] of a rest (choice)
LOOK_PERIOD = 4e-3  # [s] between two looks at the share (choice)


class Rest:
    """Pauses of a loop that is never in time.

    Linux stops for 50 ms who takes more than 0.95 of a core.
    """

    def __init__(self) -> None:
        self._seen = 0.0
        self._busy = 0.0
        self._owed = 0.0

    def due(self, now: float, clock: Callable[[], float] = time.thread_time) -> float:
        """Return the pause [s] that is due now [s].

        The clock shows the processor time of the loop's thread [s].
        """
        if now - self._seen < LOOK_PERIOD and self._owed <= PAUSE:
            return 0.0
        busy = clock()
        seen = now - self._seen
        idle = (now - self._seen) - (busy - self._busy)
        self._seen = now
        self._busy = busy
        self._owed = min(max(self._owed + REST * seen - idle, 0.0), 2.0 * PAUSE)
        return PAUSE if self._owed > PAUSE else 0.0

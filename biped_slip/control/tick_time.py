# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A tick's time: which one it stands for, what the process lost, how long it takes.

Stamps come from outside: a jump of theirs must not let torques build up at once. The
steady clock of the process goes on while the process stands still: a stall must not
either. So torques build up over the smaller of both times, and never over more than two
control periods a tick (:func:`tick_time`). In lockstep, and where a simulator gives the
time, the stamps are the only time. Time in which the loop should have looked at its
inputs and has not is counted apart (:class:`OwnStall`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.readings import Problem

# How long a loop has stood still by itself: time in which it should have looked at its
# inputs and has not.


class OwnStall:
    """Accounting of a loop's stalls.

    It knows when the loop began to wait, for how long at most, and when it looked.

    What it spends otherwise, if that is more than it may take to work, is lost: the
    process was stopped or starved. An input can't be called silent for that time.
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = (
            tolerance  # [s] between a look and the next wait, and of waking up
        )
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first answer, until which nothing is lost."""
        self._due: float | None = None
        self.lost = 0.0  # [s] in all since the last answer
        self.longest = 0.0  # [s] at once

    def waits(self, now: float, most: float) -> None:
        """Record that the loop begins to wait at a steady time [s].

        It waits for at most a time [s].
        """
        self._lose(now)
        self._due = None if self._due is None else now + most

    def looks(self, now: float) -> None:
        """Record that the loop looks at its inputs at a steady time [s]."""
        self._lose(now)
        self._due = None if self._due is None else now

    def answers(self, now: float) -> None:
        """Record that the loop answers an input at a steady time [s].

        The counts are reset.
        """
        self._due = now
        self.lost = 0.0
        self.longest = 0.0

    def _lose(self, now: float) -> None:
        if self._due is not None and now - self._due > self.tolerance:
            self.lost += now - self._due
            self.longest = max(self.longest, now - self._due)


RATE_WINDOW = 0.5  # [s] over which both clocks are compared (choice)
# of building up in one tick: a late tick may catch up with one that was missed (choice)
MOST_PERIODS = 2.0


class Steady(NamedTuple):
    """Reading of the steady clock."""

    now: float  # [s]
    # [s] longest time since the last reading in which the process did not look for
    # input
    stall: float


class TimeState(NamedTuple):
    """Memory of the last reading."""

    stamp_ns: int | None = None
    now: float | None = None  # [s] steady clock
    unused: float = 0.0  # [s] of steady time in which torques did not build up
    stamped: float = (
        0.0  # [s] that the stamps have gone on since the clocks were last compared
    )
    lived: float = 0.0  # [s] that the steady clock has
    wrong_rate: Problem | None = None  # that the last comparison found


class TickTime(NamedTuple):
    """Time step of a tick, and its problem."""

    control: float  # [s] between the stamps; the period where they don't say
    build_up: float  # [s] over which torques may build up
    problem: Problem | None  # with the time


def tick_time(
    state: TimeState,
    stamp_ns: int,
    steady: Steady | None,
    period: float,
    longest: float,
    config: SupervisorConfig,
) -> tuple[TimeState, TickTime]:
    """Compute the time step of one reading.

    Args:
        state: after the reading before.
        stamp_ns: of the reading [ns].
        steady: steady clock; None: the stamps are the only time.
        period: of control [s].
        longest: time between readings of one walk [s]; the stamps of a longer one say
            nothing.
        config: bounds of stalls and of gaps between stamps.
    """
    between = period if state.stamp_ns is None else 1e-9 * (stamp_ns - state.stamp_ns)
    control = between if 0.0 < between < longest else period
    most = MOST_PERIODS * period
    if steady is None:
        ahead = control - period
        return TimeState(stamp_ns), TickTime(
            control, min(control, most), _time_problem(ahead, 0.0, config)
        )
    elapsed = period if state.now is None else max(0.0, steady.now - state.now)
    allowance = min(state.unused + elapsed, most)
    build_up = min(control, allowance)
    ahead = control - elapsed
    stall = 0.0 if state.now is None else steady.stall
    stamped = state.stamped + control
    lived = state.lived + elapsed
    wrong = state.wrong_rate
    if lived >= RATE_WINDOW:
        wrong = _wrong_rate(stamped / lived, config)
        stamped = 0.0
        lived = 0.0
    after = TimeState(
        stamp_ns=stamp_ns,
        now=steady.now,
        unused=allowance - build_up,
        stamped=stamped,
        lived=lived,
        wrong_rate=wrong,
    )
    return after, TickTime(
        control, build_up, _time_problem(ahead, stall, config) or wrong
    )


def _wrong_rate(rate: float, config: SupervisorConfig) -> Problem | None:
    """Report stamps whose rate differs from the steady clock's."""
    if abs(rate - 1.0) <= config.clock_rate:
        return None
    return Problem(
        "clock rate",
        f"the stamps run {rate:.2g} times as fast as the clock",
        severe=True,
    )


def _time_problem(
    ahead: float, stall: float, config: SupervisorConfig
) -> Problem | None:
    """Report a stall of this process [s], or stamps that ran ahead [s]."""
    if stall > config.ridden_stall:
        what = f"the process did not look at its inputs for {1e3 * stall:.0f} ms"
        return Problem("own stall", what, severe=stall >= config.longest_stall)
    if ahead > config.ridden_stall:
        what = f"the stamps ran ahead of the clock by {1e3 * ahead:.0f} ms"
        return Problem("stamp gap", what, severe=ahead >= config.longest_stall)
    return None


# Which control period a computer keeps up with: of what a tick took, from the instant
# at which it was due.

# [s] that every robot can be controlled at, the shortest first
PERIODS = (
    1e-3,
    2e-3,
    4e-3,
)
ON_TIME_SHARE = 0.999  # of the ticks that must end within their period


class PeriodCheck(NamedTuple):
    """Measured computing time of a loop on this computer.

    The shortest period for the loop is kept with it.
    """

    what: str  # was measured
    usual: float  # [s] median of the ticks
    spent: float  # [s] quantile of the ticks
    possible: float | None  # [s] shortest period that is possible; None: none is

    def allows(self, period: float) -> bool:
        """Return whether a period [s] is long enough."""
        return self.spent <= period

    def __str__(self) -> str:
        spent = (
            f"{self.what} takes up to {1e3 * self.spent:.2f} ms (p99.9) on this "
            "computer"
        )
        if self.possible is None:
            return f"{spent}: no period up to {1e3 * PERIODS[-1]:g} ms is possible"
        return f"{spent}: a period of {1e3 * self.possible:g} ms is possible"


def period_check(what: str, spent: Array) -> PeriodCheck:
    """Choose the shortest possible period for ticks that took times (k,) [s]."""
    most = float(np.quantile(spent, ON_TIME_SHARE, method="lower"))
    usual = float(np.median(spent))
    return PeriodCheck(
        what, usual, most, next((period for period in PERIODS if most <= period), None)
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ticks of a robot's counter: times of its messages, and messages that are missing.

A message has no time, only a tick. The robot's clock is another one than ours, and the
way over the network delays each message by something else. So a tick becomes a time of
our clock by the shortest way seen::

    time(tick) = origin + unit tick,    origin <= arrival - unit tick of every message

The unit is found from the first messages; those that waited while a program began come
too fast, so an unknown unit is taken only after it was seen often. The origin falls at
once to an earlier arrival, and rises by a small share of what a message comes later: so
a clock that runs slower than ours is followed.

A simulated robot may run slower or faster than our clock. Where its unit is given the
first arrival alone is taken from the clock, and all else from the ticks.
"""

from __future__ import annotations

import math
from typing import NamedTuple

LEARNT = 100  # messages before the unit is known, 0.2 s at 500 Hz (choice)
#: Units that counters of the vendor's robots and simulators are known to have [ns].
TICK_UNITS = (1_000_000, 2_000_000)
UNIT_TOLERANCE = 0.02  # of the unit as 0.2 s show it: a few ms of delay (choice)
#: Share of a message's lateness by which the origin rises: a clock that is slower by
#: 1 % lags by one period (choice).
FOLLOWED = 0.01
WINDOWS = 10  # of messages without a known unit, before their mean is it (choice)
WRAP = 1 << 32  # of the counter
JUMP_NS = 500_000_000  # an origin that is off by more begins a new time (choice)

STALE = "stale tick"
LOST_MESSAGE = "lost message"
RESTARTED = "restarted robot"


class TickClock(NamedTuple):
    """What is known of a counter.

    Attributes:
        messages: that were counted; none: nothing is known.
        tick: of the last message, without wraps.
        first_tick: of the first message.
        first_ns: arrival of the first message [ns].
        windows: of messages that have shown no known unit.
        unit_ns: of a tick [ns]; 0 as long as it is not known.
        usual: ticks between two messages.
        origin_ns: time of tick 0 [ns].
        stamp_ns: of the last message [ns].
        lost: messages that are missing so far.
        given_ns: of a tick, where it is given [ns]; 0: it is found.
    """

    messages: int = 0
    tick: int = 0
    first_tick: int = 0
    first_ns: int = 0
    windows: int = 0
    unit_ns: int = 0
    usual: int = 0
    origin_ns: int = 0
    stamp_ns: int = 0
    lost: int = 0
    given_ns: int = 0


class Ticked(NamedTuple):
    """Time of one message.

    Attributes:
        stamp_ns: of our clock [ns]; None: it is no new state, or its time is not known
            yet.
        fault: name of what is wrong with it, or empty.
        detail: of the fault, in words.
    """

    stamp_ns: int | None
    fault: str = ""
    detail: str = ""


UNKNOWN_TICKS = TickClock()


def ticked(clock: TickClock, tick: int, arrival_ns: int) -> tuple[TickClock, Ticked]:
    """Take one message with its tick and its arrival by our clock [ns].

    Stamps rise.
    """
    if clock.messages == 0:
        return _begun(clock, tick, arrival_ns), Ticked(None)
    passed = (tick - clock.tick) % WRAP
    if passed == 0:
        if clock.given_ns:  # a simulation that stands still meanwhile
            return clock, Ticked(None)
        return clock, Ticked(None, STALE, "rt/lowstate: its tick did not rise")
    if passed >= WRAP // 2:
        return _begun(clock, tick, arrival_ns), Ticked(
            None, RESTARTED, "rt/lowstate: its ticks begin anew"
        )
    clock = clock._replace(messages=clock.messages + 1, tick=clock.tick + passed)
    if clock.unit_ns == 0:
        return _learning(clock, arrival_ns), Ticked(None)
    # jitter of the counter is less than half a step
    missing = max(math.ceil(passed / clock.usual - 0.5), 1) - 1
    clock = _timed(clock, arrival_ns)
    if clock.messages == 1:
        return clock, Ticked(None, RESTARTED, "the clocks of robot and computer differ")
    if missing == 0:
        return clock, Ticked(clock.stamp_ns)
    clock = clock._replace(lost=clock.lost + missing)
    return clock, Ticked(clock.stamp_ns, LOST_MESSAGE, "rt/lowstate: ticks are missing")


def _begun(clock: TickClock, tick: int, arrival_ns: int) -> TickClock:
    """Begin to learn at a message."""
    return TickClock(
        messages=1,
        tick=tick,
        first_tick=tick,
        first_ns=arrival_ns,
        stamp_ns=clock.stamp_ns,
        lost=clock.lost,
        given_ns=clock.given_ns,
    )


def _learning(clock: TickClock, arrival_ns: int) -> TickClock:
    """Find the unit and the usual step once there are enough messages."""
    if clock.messages < LEARNT:
        return clock
    ticks = clock.tick - clock.first_tick
    unit = clock.given_ns
    if unit == 0:
        mean = (arrival_ns - clock.first_ns) / ticks
        near = [one for one in TICK_UNITS if abs(mean / one - 1.0) < UNIT_TOLERANCE]
        if not near and clock.windows < WINDOWS:
            anew = _begun(clock, clock.tick % WRAP, arrival_ns)
            return anew._replace(windows=clock.windows + 1)
        unit = near[0] if near else max(round(mean), 1)
    return clock._replace(
        unit_ns=unit,
        usual=max(round(ticks / (clock.messages - 1)), 1),
        origin_ns=arrival_ns - unit * clock.tick,
    )


def _timed(clock: TickClock, arrival_ns: int) -> TickClock:
    """Move the origin by a message's arrival, and stamp the message."""
    origin = arrival_ns - clock.unit_ns * clock.tick
    late = 0 if clock.given_ns else origin - clock.origin_ns
    if abs(late) > JUMP_NS:
        return _begun(clock, clock.tick % WRAP, arrival_ns)
    kept = clock.origin_ns + (late if late < 0 else round(FOLLOWED * late))
    stamp = max(kept + clock.unit_ns * clock.tick, clock.stamp_ns + 1)
    return clock._replace(origin_ns=kept, stamp_ns=stamp)

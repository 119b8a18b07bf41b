# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which numbers can be the time of a sample, and which times are one instant.

Signed 32-bit seconds and a whole rest below one, as in a ROS message. Messages of one control cycle need not have equal
stamps: broadcasters read the clock one after the other, some microseconds apart. What differs by less than half a
period is one instant.
"""

from __future__ import annotations

SECOND = 1_000_000_000  # [ns]
FIRST_STAMP = -(1 << 31) * SECOND  # [ns]
LAST_STAMP = (1 << 31) * SECOND - 1  # [ns] 19 digits


def legal_time(seconds: int, nanoseconds: int) -> bool:
    """Whether the two numbers of a message's time say a time."""
    return -(1 << 31) <= seconds < 1 << 31 and 0 <= nanoseconds < SECOND


def half_period(period: float) -> int:
    """Stamps that differ by less [ns] are one instant of a loop with a period [s]."""
    return max(round(0.5 * SECOND * period), 1)


def one_instant(first_ns: int, second_ns: int, half_ns: int) -> bool:
    """Whether two stamps [ns] are the same instant of a loop."""
    return abs(first_ns - second_ns) < half_ns


def nearest_legal_stamp(stamp_ns: int, first_ns: int = FIRST_STAMP) -> int:
    """The time [ns] itself, or the end of the legal range that is nearer."""
    return min(max(stamp_ns, first_ns), LAST_STAMP)

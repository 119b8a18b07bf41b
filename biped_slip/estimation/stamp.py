# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which numbers can be the time of a sample: signed 32-bit seconds and a whole rest below one, as in a ROS message."""

from __future__ import annotations

SECOND = 1_000_000_000  # [ns]
FIRST_STAMP = -(1 << 31) * SECOND  # [ns]
LAST_STAMP = (1 << 31) * SECOND - 1  # [ns] 19 digits


def legal_time(seconds: int, nanoseconds: int) -> bool:
    """Whether the two numbers of a message's time say a time."""
    return -(1 << 31) <= seconds < 1 << 31 and 0 <= nanoseconds < SECOND


def nearest_legal_stamp(stamp_ns: int, first_ns: int = FIRST_STAMP) -> int:
    """The time [ns] itself, or the end of the legal range that is nearer."""
    return min(max(stamp_ns, first_ns), LAST_STAMP)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps and frames of messages: which are possible, and which follow on each other.

A ROS message says a time as signed 32-bit seconds and a whole rest below one.
"""

from __future__ import annotations

from biped_slip.estimation.readings import SECOND, Problem

FIRST_STAMP = -(1 << 31) * SECOND  # [ns]
LAST_STAMP = (1 << 31) * SECOND - 1  # [ns] 19 digits
JUMP = 500_000_000  # [ns] stamps that run back by more begin a new time
FIXED_FRAMES = ("", "world", "map", "odom")  # of REP 105, and none


def legal_time(seconds: int, nanoseconds: int) -> bool:
    """Return whether the two numbers of a message's time form a time."""
    return -(1 << 31) <= seconds < 1 << 31 and 0 <= nanoseconds < SECOND


def nearest_legal_stamp(stamp_ns: int, first_ns: int = FIRST_STAMP) -> int:
    """Clip a time [ns] to the legal range."""
    return min(max(stamp_ns, first_ns), LAST_STAMP)


class Sender:
    """Sender of stamped messages.

    Its stamps rise, its frame is a body's and stays the same.

    Args:
        name: of the topic.
        frame: in which its numbers must be; empty: that of the first message.
        fixed: whether that may be a frame that moves with no body, as some recordings
            have.
    """

    def __init__(self, name: str, frame: str = "", fixed: bool = False) -> None:
        self.name = name
        self.stamp_ns = -JUMP
        self._frame: str | None = frame or None
        self._fixed = fixed

    def problem(self, stamp_ns: int, frame: str) -> Problem | None:
        """Name the problem of a message's header; remember one without."""
        expected = frame if self._frame is None else self._frame
        if frame != expected or (not self._fixed and frame.strip("/") in FIXED_FRAMES):
            what = (
                f"must be {expected!r}"
                if frame != expected
                else "must be that of a body which moves with the foot"
            )
            return Problem("wrong frame", f"{self.name}: frame {frame!r}, but {what}")
        if -JUMP < stamp_ns - self.stamp_ns <= 0:
            return Problem(
                f"{'duplicated' if stamp_ns == self.stamp_ns else 'reordered'} stamp",
                self.name,
            )
        self._frame = expected
        self.stamp_ns = stamp_ns
        return None

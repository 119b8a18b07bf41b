# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stamps and frames of messages: which are possible, and which follow on each other.

A ROS message says a time as signed 32-bit seconds and a whole rest below one.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import Any, Iterable, NamedTuple

from biped_slip.estimation.readings import SECOND, Problem

FIRST_STAMP = -(1 << 31) * SECOND  # [ns]
LAST_STAMP = (1 << 31) * SECOND - 1  # [ns] 19 digits
JUMP = 500_000_000  # [ns] stamps that run back by more begin a new time
CLOCK_TOLERANCE = 0.5  # [s] by which stamps may differ from a node's clock (choice)
FIXED_FRAMES = ("", "world", "map", "odom")  # of REP 105, and none


def legal_time(seconds: int, nanoseconds: int) -> bool:
    """Return whether the two numbers of a message's time form a time."""
    return -(1 << 31) <= seconds < 1 << 31 and 0 <= nanoseconds < SECOND


def nearest_legal_stamp(stamp_ns: int, first_ns: int = FIRST_STAMP) -> int:
    """Clip a time [ns] to the legal range."""
    return min(max(stamp_ns, first_ns), LAST_STAMP)


#: Steps over which a period is found by stamps, and the share by which it may differ.
PERIOD_STEPS = 200
PERIOD_MARGIN = 0.25


class StampedPeriod:
    """Comparison of a loop's period with the stamps that it answers, once a start.

    Args:
        period: of the loop [s].
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._stamps: list[int] = []

    def problem(self, topic: str, stamp_ns: int) -> Problem | None:
        """Take a stamp; say once whether stamps have another period than the loop."""
        if len(self._stamps) > PERIOD_STEPS:
            return None
        self._stamps.append(stamp_ns)
        if len(self._stamps) <= PERIOD_STEPS:
            return None
        steps = sorted(b - a for a, b in pairwise(self._stamps))
        found = steps[len(steps) // 2] / SECOND
        if abs(found - self._period) <= PERIOD_MARGIN * self._period:
            return None
        return Problem(
            "other period",
            f"{topic} comes every {1e3 * found:.3g} ms by its stamps, but the period "
            f"here is {1e3 * self._period:.3g} ms: give both the same",
        )


WINDOW = 20  # messages of which most say a sender's frame (choice)


class FrameVote:
    """The frame of a sender: a given one, or what most of its last messages say.

    One first message from elsewhere decides nothing for good.

    Args:
        given: frame; empty: that of most messages.
    """

    def __init__(self, given: str = "") -> None:
        self._given = given
        self._heard: deque[str] = deque(maxlen=WINDOW)
        self.frame = given

    def agree(self, messages: int) -> None:
        """Count messages that said the frame in force, and were not looked at."""
        if self._heard:  # before the first one no frame is in force
            self._heard.extend([self.frame] * min(messages, WINDOW))

    def expected(self, frame: str) -> str:
        """Count the frame of one more message; return which it must have."""
        if self._given:
            return self._given
        self._heard.append(frame)
        # the only one whose share can have become the larger half
        if 2 * self._heard.count(frame) > len(self._heard):
            self.frame = frame
        return self.frame


class ClockRange(NamedTuple):
    """Times that a listener takes for the present."""

    now_ns: int  # of its clock
    tolerance: float  # [s] by which a stamp may differ from it

    def beyond(self, stamp_ns: int) -> str:
        """Say how far a stamp [ns] is off, with the remedy; empty: it is present."""
        late = (self.now_ns - stamp_ns) / SECOND
        if abs(late) <= self.tolerance:
            return ""
        word = "behind" if late > 0.0 else "ahead of"
        return (
            f"its stamp is {abs(late):.1f} s {word} this node's clock, at most "
            f"{self.tolerance:g} s are accepted; set use_sim_time in a simulation, or "
            "clock_tolerance to 0 for stamps of another clock"
        )


def clock_range(clock: Any, tolerance: float) -> ClockRange:
    """Return what a node's clock takes for the present; a tolerance of 0: any time."""
    return ClockRange(clock.now().nanoseconds, tolerance or math.inf)


def stamp_of(message: Any) -> int:
    """Return the stamp of a message with a header [ns]."""
    stamp = message.header.stamp
    return SECOND * int(stamp.sec) + int(stamp.nanosec)


class Present:
    """Newest messages of several topics, as far as they are of one time.

    A picture is drawn from several topics. A message counts as none where its stamp
    differs by more than a jump from that of the leading topic: its sender has fallen
    silent, or is of another time. One that comes late, behind a newer one of its topic,
    is not taken.

    Args:
        leading: topic whose stamps are the present.
    """

    def __init__(self, leading: str) -> None:
        self._leading = leading
        self._newest: dict[str, Any] = {}

    def take(self, topic: str, messages: Iterable[Any]) -> bool:
        """Take messages of a topic in the order of their arrival.

        Return whether one of them is newer than what was there.
        """
        taken = False
        for message in messages:
            before = self._newest.get(topic)
            if before is None or not (
                -JUMP < stamp_of(message) - stamp_of(before) <= 0
            ):
                self._newest[topic] = message
                taken = True
        return taken

    def get(self, topic: str) -> Any:
        """Return the newest message of a topic; None: there is none of this time."""
        message = self._newest.get(topic)
        leading = self._newest.get(self._leading)
        if message is None or leading is None:
            return None
        if abs(stamp_of(message) - stamp_of(leading)) > JUMP:
            return None
        return message


NO_CLOCK = ClockRange(now_ns=0, tolerance=math.inf)


class Sender:
    """Sender of stamped messages: the one rule for the headers of a topic.

    Its stamps rise and are of the listener's clock, its frame is a body's and stays the
    same.

    Args:
        name: of the topic.
        frame: in which its numbers must be; empty: that of most messages.
        fixed: whether that may be a frame that moves with no body, as some recordings
            have.
        commands: whether it commands; who does may give neither a frame's name nor a
            stamp, and the same stamp twice.
    """

    def __init__(
        self, name: str, frame: str = "", fixed: bool = False, commands: bool = False
    ) -> None:
        self.name = name
        self.stamp_ns = -JUMP
        self.frame = FrameVote(frame)
        self._barred = set() if fixed else set(FIXED_FRAMES)
        self._commands = commands
        if commands:
            self._barred.discard("")

    def problem(
        self, stamp_ns: int, frame: str, clock: ClockRange = NO_CLOCK
    ) -> Problem | None:
        """Name the problem of a message's header; remember one without.

        Args:
            stamp_ns: its stamp [ns].
            frame: its frame.
            clock: that its stamp is compared with.
        """
        if frame.strip("/") in self._barred:  # it has no vote
            what = f"{self.name}: frame {frame!r}, but must be that of a body"
            return Problem("wrong frame", f"{what} which moves with the robot")
        expected = self.frame.expected(frame)
        if frame != expected:
            what = f"{self.name}: frame {frame!r}, but must be {expected!r}"
            return Problem("wrong frame", what)
        if self._commands and stamp_ns == 0:
            return None
        if late := clock.beyond(stamp_ns):
            return Problem("stale stamp", f"{self.name}: {late}")
        if -JUMP < stamp_ns - self.stamp_ns <= 0 and not self._commands:
            return Problem(
                f"{'duplicated' if stamp_ns == self.stamp_ns else 'reordered'} stamp",
                self.name,
            )
        self.stamp_ns = stamp_ns
        return None

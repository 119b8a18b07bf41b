# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steering: velocity commands from outside, as far as a robot obeys them.

A command is a twist in the robot's frame (REP 103: forward, left, turn to the left) and
holds until the next one comes. One that is no number is refused, as if it had not come.
What is beyond the robot's limits is clipped, each part by itself. When the last command
is older than a while the robot is commanded to stand; how it slows is the gait's.

Time is that of the sensors: a simulation that stands still loses no command.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

from biped_slip.control.friction_governor import COMMAND_JUDGE, STILL_TWIST, Twist
from biped_slip.estimation.readings import Problem

SILENCE = 0.5  # [s] after which a command is no longer obeyed (choice)


class TwistLimits(NamedTuple):
    """What a robot walks at most; 0 where it can't."""

    forward: float  # [m/s]
    backward: float  # [m/s]
    aside: float  # [m/s] to either side
    turn: float  # [rad/s] either way

    def clipped(self, twist: Twist) -> Twist:
        """Clip each part of a command by itself."""
        return Twist(
            forward=min(max(twist.forward, -self.backward), self.forward),
            left=min(max(twist.left, -self.aside), self.aside),
            turn=min(max(twist.turn, -self.turn), self.turn),
        )

    def __str__(self) -> str:
        """Describe the limits in a few words."""
        if self.aside == self.turn == 0.0:
            return f"{-self.backward:.2f} to {self.forward:.2f} m/s forward alone"
        return (
            f"{-self.backward:.2f} to {self.forward:.2f} m/s forward, {self.aside:.2f} "
            f"m/s aside, {self.turn:.2f} rad/s"
        )


@runtime_checkable
class Steerable(Protocol):
    """Controller that obeys commands from outside.

    Attributes:
        twist: that it is commanded, inside its limits; None: the speed of its walk.
    """

    twist: Twist | None

    @property
    def twist_limits(self) -> TwistLimits:
        """Return the fastest commands that it follows [m/s, rad/s]."""


class Steering:
    """Commands of one robot, from the first on.

    Args:
        limits: of the robot.
        silence: after which a command is no longer obeyed [s].
        from_start: whether the robot stands until the first command; else it walks as
            it does by itself.

    Attributes:
        problem: of the last command; None: it is obeyed as it is.
    """

    def __init__(
        self, limits: TwistLimits, silence: float = SILENCE, from_start: bool = False
    ) -> None:
        self.limits = limits
        self._silence = silence
        self._from_start = from_start
        self.problem: Problem | None = None
        self._twist: Twist | None = STILL_TWIST if from_start else None
        self._came_ns = -math.inf

    def take(self, twist: Twist, stamp_ns: int) -> None:
        """Take a command that came by an instant of the sensors [ns]."""
        refused = COMMAND_JUDGE.problem(twist)
        if refused is not None:
            self.problem = refused
            return
        before = self.twist(stamp_ns), self._twist
        self._twist = self.limits.clipped(twist)
        self._came_ns = stamp_ns
        self.problem = None
        if before == (STILL_TWIST, self._twist) and self._twist != STILL_TWIST:
            self.problem = Problem(
                "commands too seldom",
                f"the same command came again after it had run out: it holds for "
                f"{self._silence:g} s, then the robot stands; send it more often, or "
                "raise velocity_timeout",
            )
        elif self._twist != twist:
            self.problem = Problem(
                "command clipped",
                f"this robot walks {self.limits}; the rest is left out",
            )

    def twist(self, stamp_ns: int) -> Twist | None:
        """Return what is commanded at an instant [ns]; None: nothing yet."""
        if self._twist is None or self._twist == STILL_TWIST:
            return self._twist
        # a clock that has jumped back makes it old, too
        fresh = abs(stamp_ns - self._came_ns) <= 1e9 * self._silence
        return self._twist if fresh else STILL_TWIST

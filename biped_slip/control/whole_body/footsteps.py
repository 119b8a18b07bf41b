# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the next feet go: footsteps from a velocity command, inside limits of the leg."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter


@configuration
class FootstepConfig(Configuration):
    """Bounds and timing of a step; lengths fit a robot of adult size and are set per robot."""

    length: float = parameter(0.7, unit="m", above=0.0, high=1.5, doc="longest step, foot to foot along the heading")
    outward: float = parameter(0.2, unit="m", low=0.0, high=1.0, doc="how much wider than ``width`` a step may be")
    inward: float = parameter(0.03, unit="m", low=0.0, high=0.5, doc="how much narrower: feet must not touch")
    turn: float = parameter(0.4, unit="rad", low=0.0, high=1.5, doc="largest turn of one step")
    width: float = parameter(0.17, unit="m", low=0.0, high=1.0, doc="between the feet when walking straight")
    single_support: float = parameter(0.6, unit="s", above=0.05, high=3.0, doc="planned time on one foot")
    double_support: float = parameter(0.15, unit="s", low=0.0, high=3.0, doc="planned time of the transfer")


class Command(NamedTuple):
    """Commanded velocity of the body in its own heading frame, and its pose while it stands."""

    forward: float = 0.0  # [m/s]
    left: float = 0.0  # [m/s]
    turn: float = 0.0  # [rad/s]
    shift: float = 0.0  # [m] of the weight to the left, while standing
    lean: float = 0.0  # [rad] of the base forward, while standing


class Foothold(NamedTuple):
    """Pose of a sole on the floor."""

    x: float  # [m], world
    y: float  # [m]
    yaw: float  # [rad]


@kernel
def is_still(command: Command) -> bool:
    """Whether no step is asked for."""
    return command.forward == 0.0 and command.left == 0.0 and command.turn == 0.0


@kernel
def _clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@kernel
def next_foothold(stance: Foothold, side: float, forward: float, left: float, turn: float, width: float,
                  limits: FootstepConfig) -> Foothold:  # fmt: skip
    """The swing foot's foothold beside and ahead of the stance foot.

    Args:
        stance: foot that stays.
        side: +1 where the swing foot is the left one, -1 where it is the right one.
        forward: how far the body shall move in this step [m]; likewise ``left`` [m] and ``turn`` [rad].
        width: between the feet [m].
        limits: packed FootstepConfig.
    """
    turn = _clamp(turn, -limits.turn, limits.turn)
    left = side * _clamp(side * left, -limits.inward, limits.outward)
    half = 0.5 * side * width  # from a foot to the body's middle
    ahead = _clamp(forward, -limits.length, limits.length) - half * math.sin(turn)
    aside = half + left + half * math.cos(turn)
    c, s = math.cos(stance.yaw), math.sin(stance.yaw)
    return Foothold(stance.x + c * ahead - s * aside, stance.y + s * ahead + c * aside, stance.yaw + turn)


@kernel
def within_reach(wanted: Foothold, stance: Foothold, side: float, width: float, limits: FootstepConfig) -> Foothold:
    """A foothold moved into the rectangle that the leg can reach beside the stance foot."""
    c, s = math.cos(stance.yaw), math.sin(stance.yaw)
    dx, dy = wanted.x - stance.x, wanted.y - stance.y
    ahead = _clamp(c * dx + s * dy, -limits.length, limits.length)
    aside = side * _clamp(side * (c * dy - s * dx), width - limits.inward, width + limits.outward)
    return Foothold(stance.x + c * ahead - s * aside, stance.y + s * ahead + c * aside, wanted.yaw)

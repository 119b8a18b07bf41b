# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' planar point-foot biped (A.6) and the kinematics of its legs.

Its torso keeps upright or pitches.

Angles as in A.6: the thigh's absolute angle turns from x (forward) towards z (up), the
knee is relative to it and bends with positive angles.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.errors import InvalidParameter
from biped_slip.robots.robot import SOLES, Robot, Root, load_robot
from biped_slip.shared_files import shared_file

_LEAST_BEND = 0.1  # sine of the knee angle below which its rate is no longer resolved


class LegLengths(NamedTuple):
    """Lengths of one leg."""

    thigh: float  # [m]
    shank: float  # [m]


@kernel
def leg_angles(
    x: float, z: float, reach: float, legs: LegLengths
) -> tuple[float, float]:
    """Solve thigh and knee angle [rad] for the foot at (x, z) [m] from the hip.

    The foot is kept within a share of the leg.

    Args:
        x: forward [m].
        z: upward [m].
        reach: largest share of the straight leg.
        legs: their lengths.
    """
    a = legs.thigh
    b = legs.shank
    length = min(max(math.hypot(x, z), abs(a - b) + 1e-3), reach * (a + b))
    knee = math.acos(
        min(1.0, max(-1.0, (length * length - a * a - b * b) / (2.0 * a * b)))
    )
    return math.atan2(z, x) - math.atan2(
        b * math.sin(knee), a + b * math.cos(knee)
    ), knee


@kernel
def leg_rates(
    thigh: float, knee: float, vx: float, vz: float, legs: LegLengths
) -> tuple[float, float]:
    """Solve rates [rad/s] of thigh and knee for a foot velocity (vx, vz) [m/s].

    The velocity is relative to the hip.

    Args:
        thigh: angle [rad].
        knee: angle [rad].
        vx: forward [m/s].
        vz: upward [m/s].
        legs: their lengths.
    """
    a = legs.thigh
    b = legs.shank
    ex = math.cos(thigh + knee)
    ez = math.sin(thigh + knee)
    x = a * math.cos(thigh) + b * ex
    z = a * math.sin(thigh) + b * ez
    knee_rate = -(x * vx + z * vz) / (a * b * max(math.sin(knee), _LEAST_BEND))
    thigh_rate = (x * vz - z * vx - knee_rate * b * (x * ex + z * ez)) / (x * x + z * z)
    return thigh_rate, knee_rate


def leg_lengths(robot: Robot) -> LegLengths:
    """Read the lengths of a planar robot's legs from its model (both legs alike)."""
    model: Any = robot.model
    knee = model.jointPlacements[model.getJointId(robot.joints[1])].translation
    sole = model.frames[model.getFrameId(robot.soles[0])].placement.translation
    return LegLengths(float(np.linalg.norm(knee)), float(np.linalg.norm(sole)))


JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
ROOTS = {"thesis": Root.SAGITTAL, "torso": Root.SAGITTAL_PITCH}


@lru_cache(maxsize=4)
def planar_biped(variant: str = "thesis") -> Robot:
    """Load the planar biped.

    Args:
        variant: ``thesis`` (torso without orientation) or ``torso`` (torso that
            pitches).
    """
    if variant not in ROOTS:
        raise InvalidParameter("variant", variant, f"one of {', '.join(ROOTS)}")
    return load_robot(
        shared_file("urdf/planar_biped.urdf"), ROOTS[variant], JOINTS, SOLES
    )


def standing_coordinates(
    robot: Robot,
    hip: tuple[float, float],
    feet: tuple[tuple[float, float], tuple[float, float]],
) -> Array:
    """Solve coordinates with the hip and both soles at world points (x, z) [m].

    The torso is upright.

    Args:
        robot: a planar biped.
        hip: its place.
        feet: places of the left and the right sole.

    Raises:
        InvalidParameter: a foot is out of reach.
    """
    lengths = leg_lengths(robot)
    angles: list[float] = []
    for x, z in feet:
        distance = math.hypot(x - hip[0], z - hip[1])
        if distance >= sum(lengths):
            raise InvalidParameter(
                "distance from hip to foot",
                distance,
                f"below the leg's {sum(lengths)} m",
                "lower the hip",
            )
        angles += leg_angles(x - hip[0], z - hip[1], 1.0, lengths)
    return np.array([hip[0], hip[1], *[0.0] * (robot.root_size - 2), *angles])

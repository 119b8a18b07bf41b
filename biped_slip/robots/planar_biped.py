# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' planar point-foot biped (A.6) in two variants: a torso that keeps upright, and one that pitches."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.robots.robot import Robot, Root, load_robot
from biped_slip.robots.two_link_leg import leg_angles, leg_lengths
from biped_slip.shared_files import shared_file

JOINTS = ("l_hip", "l_knee", "r_hip", "r_knee")
SOLES = ("l_sole", "r_sole")
ROOTS = {"thesis": Root.SAGITTAL, "torso": Root.SAGITTAL_PITCH}


@lru_cache(maxsize=4)
def planar_biped(variant: str = "thesis") -> Robot:
    """The robot; variant ``thesis`` (torso without orientation) or ``torso`` (torso that pitches)."""
    if variant not in ROOTS:
        raise InvalidParameter("variant", variant, f"one of {', '.join(ROOTS)}")
    return load_robot(shared_file("urdf/planar_biped.urdf"), ROOTS[variant], JOINTS, SOLES)


def standing_coordinates(
    robot: Robot, hip: tuple[float, float], feet: tuple[tuple[float, float], tuple[float, float]]
) -> Array:
    """Coordinates with the hip and both soles at world points (x, z) [m] and an upright torso.

    Raises:
        InvalidParameter: a foot is out of reach.
    """
    lengths = leg_lengths(robot)
    angles: list[float] = []
    for x, z in feet:
        distance = math.hypot(x - hip[0], z - hip[1])
        if distance >= sum(lengths):
            raise InvalidParameter(
                "distance from hip to foot", distance, f"below the leg's {sum(lengths)} m", "lower the hip"
            )
        angles += leg_angles(x - hip[0], z - hip[1], 1.0, lengths)
    return np.array([hip[0], hip[1], *[0.0] * (robot.root_size - 2), *angles])

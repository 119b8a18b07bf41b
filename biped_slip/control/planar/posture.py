# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Posture of the planar biped: hip and feet in axes along the floor.

``s`` goes uphill along the floor, ``n`` along its normal; on a level floor they are x
and z.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel


class Posture(NamedTuple):
    """Hip and feet in the floor frame (s along the floor uphill, n its normal).

    The order of feet is left, right.
    """

    slope: float  # of the floor [rad]
    hip_s: float  # [m]
    hip_n: float  # height over the floor [m]
    hip_velocity_s: float  # [m/s]
    hip_velocity_n: float  # [m/s]
    # of the torso from the vertical, turning x towards z [rad]; 0 where it can't pitch
    lean: float
    lean_rate: float  # [rad/s]
    foot_s: tuple[float, float]  # [m]
    foot_n: tuple[float, float]  # [m]
    foot_velocity_s: tuple[float, float]  # [m/s]
    foot_velocity_n: tuple[float, float]  # [m/s]
    knee: tuple[float, float]  # bend [rad], 0 straight


@kernel
def posture_in_floor_frame(
    q: Array, v: Array, position: Array, velocity: Array, slope: float
) -> Posture:
    """Compute the posture from coordinates and sole motion.

    Their shapes are (nv,), (nv,), (2, 3), (2, 6).
    """
    c = math.cos(slope)
    s = math.sin(slope)
    root = q.shape[0] - 4
    pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
    return Posture(
        slope=slope,
        hip_s=q[0] * c + q[1] * s,
        hip_n=q[1] * c - q[0] * s,
        hip_velocity_s=v[0] * c + v[1] * s,
        hip_velocity_n=v[1] * c - v[0] * s,
        lean=-pitch,
        lean_rate=-pitch_rate,
        foot_s=(
            position[0, 0] * c + position[0, 2] * s,
            position[1, 0] * c + position[1, 2] * s,
        ),
        foot_n=(
            position[0, 2] * c - position[0, 0] * s,
            position[1, 2] * c - position[1, 0] * s,
        ),
        foot_velocity_s=(
            velocity[0, 0] * c + velocity[0, 2] * s,
            velocity[1, 0] * c + velocity[1, 2] * s,
        ),
        foot_velocity_n=(
            velocity[0, 2] * c - velocity[0, 0] * s,
            velocity[1, 2] * c - velocity[1, 0] * s,
        ),
        knee=(q[root + 1], q[root + 3]),
    )


@kernel
def balance_point(posture: Posture) -> float:
    """Find where the vertical through the hip meets the floor: s [m].

    Over it the hip would stay.
    """
    return posture.hip_s - posture.hip_n * math.tan(posture.slope)

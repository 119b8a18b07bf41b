# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the gait looks at: hip and feet in the floor frame (s along the floor uphill, n its normal)."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel


class Posture(NamedTuple):
    """Hip and feet in the floor frame; feet left, right."""

    slope: float  # of the floor [rad]
    hip_s: float  # [m]
    hip_n: float  # height over the floor [m]
    hip_velocity_s: float  # [m/s]
    hip_velocity_n: float  # [m/s]
    lean: float  # of the torso from the vertical, turning x towards z [rad]; 0 where it can't pitch
    lean_rate: float  # [rad/s]
    foot_s: tuple[float, float]  # [m]
    foot_n: tuple[float, float]  # [m]
    foot_velocity_s: tuple[float, float]  # [m/s]
    foot_velocity_n: tuple[float, float]  # [m/s]
    knee: tuple[float, float]  # bend [rad], 0 straight


@kernel
def posture_in_floor_frame(q: Array, v: Array, position: Array, velocity: Array, slope: float) -> Posture:
    """Posture from coordinates and sole motion, shapes (nv,), (nv,), (2, 3), (2, 6)."""
    c, s = math.cos(slope), math.sin(slope)
    root = q.shape[0] - 4
    pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
    return Posture(
        slope,
        q[0] * c + q[1] * s,
        q[1] * c - q[0] * s,
        v[0] * c + v[1] * s,
        v[1] * c - v[0] * s,
        -pitch,
        -pitch_rate,
        (position[0, 0] * c + position[0, 2] * s, position[1, 0] * c + position[1, 2] * s),
        (position[0, 2] * c - position[0, 0] * s, position[1, 2] * c - position[1, 0] * s),
        (velocity[0, 0] * c + velocity[0, 2] * s, velocity[1, 0] * c + velocity[1, 2] * s),
        (velocity[0, 2] * c - velocity[0, 0] * s, velocity[1, 2] * c - velocity[1, 0] * s),
        (q[root + 1], q[root + 3]),
    )


@kernel
def balance_point(posture: Posture) -> float:
    """Where the vertical through the hip meets the floor: s [m]; over it the hip would stay."""
    return posture.hip_s - posture.hip_n * math.tan(posture.slope)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Path and torques of the swing leg (A.8; height, time and gains are choices there)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.planar.gait import Gait, GaitState
from biped_slip.control.planar.posture import Posture
from biped_slip.robots.two_link_leg import LegLengths, leg_angles, leg_rates


@configuration
class SwingConfig(Configuration):
    """Tracking of the swing path."""

    stiffness: float = parameter(400.0, unit="1/s^2", low=0.0, high=1e5, source="A.8: choice", doc="position gain")
    damping: float = parameter(40.0, unit="1/s", low=0.0, high=1e4, source="A.8: choice", doc="velocity gain")
    descent_speed: float = parameter(
        0.25, unit="m/s", above=0.0, high=2.0, source="choice", doc="the foot extends down at this speed until contact"
    )
    reach: float = parameter(
        0.98, above=0.1, high=1.0, source="choice", doc="share of the leg's length that the swing foot may use"
    )


class Swing(NamedTuple):
    """The packed configuration, for type hints."""

    stiffness: float
    damping: float
    descent_speed: float
    reach: float


class PathPoint(NamedTuple):
    """Wanted motion of the swing foot in the floor frame."""

    s: float
    n: float
    velocity_s: float
    velocity_n: float


class Pitch(NamedTuple):
    """Of the torso, about +y."""

    angle: float  # [rad]
    rate: float  # [rad/s]


@kernel
def swing_path(state: GaitState, gait: Gait, swing: Swing) -> PathPoint:
    """Sinusoidal path from lift-off to target; afterwards straight down until the foot meets the floor."""
    period, length = state.swing_time, state.target_s - state.lift_s
    if state.time >= period:
        below = swing.descent_speed * (state.time - period)
        return PathPoint(state.target_s, -below, 0.0, -swing.descent_speed)
    angle, rate = math.pi * state.time / period, math.pi / period
    share = 0.5 * (1.0 - math.cos(angle))
    start = state.lift_n
    return PathPoint(
        state.lift_s + length * share,
        start * (1.0 - share) + gait.swing_height * math.sin(angle),
        0.5 * length * rate * math.sin(angle),
        -0.5 * start * rate * math.sin(angle) + gait.swing_height * rate * math.cos(angle),
    )


@kernel
def joint_acceleration_towards(
    point: PathPoint,
    posture: Posture,
    pitch: Pitch,
    angles: tuple[float, float],
    rates: tuple[float, float],
    swing: Swing,
    legs: LegLengths,
) -> tuple[float, float]:
    """Wanted accelerations [rad/s^2] of hip and knee; working in joint angles keeps the knee bending forward.

    The path point is kept within reach of the leg.
    """
    c, s = math.cos(posture.slope), math.sin(posture.slope)
    ds, dn = point.s - posture.hip_s, point.n - posture.hip_n
    vs, vn = point.velocity_s - posture.hip_velocity_s, point.velocity_n - posture.hip_velocity_n
    thigh, knee = leg_angles(ds * c - dn * s, ds * s + dn * c, swing.reach, legs)
    thigh_rate, knee_rate = leg_rates(thigh, knee, vs * c - vn * s, vs * s + vn * c, legs)
    return (
        swing.stiffness * (thigh + pitch.angle - angles[0]) + swing.damping * (thigh_rate + pitch.rate - rates[0]),
        swing.stiffness * (knee - angles[1]) + swing.damping * (knee_rate - rates[1]),
    )


@kernel
def solve_positive(matrix: Array, right: Array) -> None:
    """Solve a symmetric positive definite system in place by Cholesky's factors; right (n, m) becomes the solution.

    For the few coordinates of a planar robot this is several times faster than a library call.
    """
    n, columns = right.shape
    for j in range(n):
        for i in range(j, n):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(total) if i == j else total / matrix[j, j]
    for column in range(columns):
        for i in range(n):
            for k in range(i):
                right[i, column] -= matrix[i, k] * right[k, column]
            right[i, column] /= matrix[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                right[i, column] -= matrix[k, i] * right[k, column]
            right[i, column] /= matrix[i, i]


@kernel
def swing_torques(mass_matrix: Array, load: Array, wanted: tuple[float, float], first: int) -> tuple[float, float]:
    """Hip and knee torque that give both joints their wanted accelerations while the other leg pushes as planned.

    Solves the two rows of M⁻¹ (S tau + load) = wanted.

    Args:
        mass_matrix: M, shape (nv, nv).
        load: generalized forces of everything else, S_stance tau − h + Jᵀ F, shape (nv,).
        wanted: accelerations of hip and knee [rad/s^2].
        first: index of the swing hip in the coordinates.
    """
    solved = np.zeros((mass_matrix.shape[0], 3))
    solved[first, 0] = solved[first + 1, 1] = 1.0
    copy_vector(load, solved[:, 2], 0)
    solve_positive(mass_matrix.copy(), solved)
    a, b, c, d = solved[first, 0], solved[first, 1], solved[first + 1, 0], solved[first + 1, 1]
    e0, e1 = wanted[0] - solved[first, 2], wanted[1] - solved[first + 1, 2]
    determinant = a * d - b * c  # of a block of the inverse mass matrix: positive
    return (d * e0 - b * e1) / determinant, (a * e1 - c * e0) / determinant

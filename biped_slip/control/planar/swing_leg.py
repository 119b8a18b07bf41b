# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Swing leg of the planar biped: the path of its foot, and the torques that follow it.

The path is a sine from lift-off to target (choice), then straight down, or down
and backward where the foot lands sliding. It is tracked in joint angles by computed
torque while the other leg pushes as planned.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.control.planar.gait import LEFT_SWING, GaitConfig, GaitState
from biped_slip.control.planar.posture import Posture
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig
from biped_slip.robots.planar_biped import LegLengths, leg_angles, leg_rates


def planar_touchdown() -> SlidingTouchdownConfig:
    """Slide each landing foot.

    It moves so slowly downward that its impact is below a quarter of the weight.
    """
    return SlidingTouchdownConfig(
        lead=0.1, speed=0.4, descent=0.05, height=0.004, time=0.01
    )


@configuration
class SwingConfig(Configuration):
    """Tracking of the swing path, packed for kernels."""

    stiffness: float = parameter(
        400.0,
        unit="1/s^2",
        low=0.0,
        high=1e5,
        source="A.8: choice",
        doc="position gain",
    )
    damping: float = parameter(
        40.0, unit="1/s", low=0.0, high=1e4, source="A.8: choice", doc="velocity gain"
    )
    landing_damping: float = parameter(
        100.0,
        unit="1/s",
        low=0.0,
        high=1e3,
        source="choice",
        doc="velocity gain of a foot that lands sliding",
    )
    descent_speed: float = parameter(
        0.25,
        unit="m/s",
        above=0.0,
        high=2.0,
        doc="the foot extends down at this speed until contact",
    )
    reach: float = parameter(
        0.98,
        above=0.1,
        high=1.0,
        doc="share of the leg's length that the swing foot may use",
    )
    touchdown: SlidingTouchdownConfig = section(planar_touchdown)  # type: ignore[arg-type]


class PathPoint(NamedTuple):
    """Desired motion of the swing foot in the floor frame."""

    s: float
    n: float
    velocity_s: float
    velocity_n: float


class Pitch(NamedTuple):
    """Pitch of the torso about +y."""

    angle: float  # [rad]
    rate: float  # [rad/s]


@kernel
def swing_path(state: GaitState, gait: GaitConfig, swing: SwingConfig) -> PathPoint:
    """Compute a sinusoidal path from lift-off to target.

    Afterwards it goes straight down until the foot meets the floor.

    The path of a foot that lands sliding ends early, low and level; from there it moves
    down and backward: friction holds it back by mu times its load before it carries
    weight.
    """
    landing = swing.touchdown
    length = state.target_s - state.lift_s
    slides = landing.lead > 0.0
    period = state.swing_time - landing.lead
    height = landing.height if slides else 0.0
    after = state.time - period
    if after >= 0.0:
        back, down = (
            (landing.speed, landing.descent) if slides else (0.0, swing.descent_speed)
        )
        return PathPoint(
            state.target_s - back * after, height - down * after, -back, -down
        )
    angle = math.pi * state.time / period
    rate = math.pi / period
    share = 0.5 * (1.0 - math.cos(angle))
    arch = math.sin(angle)
    rise = height - state.lift_n
    bow, slope = (
        (arch * arch, 2.0 * arch * math.cos(angle))
        if slides
        else (arch, math.cos(angle))
    )
    return PathPoint(
        state.lift_s + length * share,
        state.lift_n + rise * share + gait.swing_height * bow,
        0.5 * length * rate * arch,
        0.5 * rise * rate * arch + gait.swing_height * rate * slope,
    )


@kernel
def lands(
    state: GaitState, height: float, gait: GaitConfig, landing: SlidingTouchdownConfig
) -> bool:
    """Return whether a foot at a height [m] over the floor is to land.

    From then on its speed is held, not its path.
    """
    late = landing.lead > 0.0 and state.time > gait.landing_after * state.swing_time
    return late and (state.slid > 0.0 or height < landing.height)


@kernel(inline="code")
def swing_target(
    state: GaitState, posture: Posture, gait: GaitConfig, swing: SwingConfig
) -> tuple[PathPoint, float]:
    """Return where the swing foot shall be, and the damping of its joints [1/s].

    A foot that is to land sliding goes on from where it is, at its landing speed.
    """
    foot = state.phase - LEFT_SWING
    landing = swing.touchdown
    if lands(state, posture.foot_n[foot], gait, landing):
        point = PathPoint(
            posture.foot_s[foot],
            posture.foot_n[foot],
            -landing.speed,
            -landing.descent,
        )
        return point, swing.landing_damping
    return swing_path(state, gait, swing), swing.damping


@kernel
def joint_acceleration_towards(
    point: PathPoint,
    posture: Posture,
    pitch: Pitch,
    angles: tuple[float, float],
    rates: tuple[float, float],
    swing: SwingConfig,
    damping: float,
    legs: LegLengths,
) -> tuple[float, float]:
    """Compute target accelerations [rad/s^2] of hip and knee.

    Working in joint angles keeps the knee bending forward.

    The path point is kept within reach of the leg.
    """
    c = math.cos(posture.slope)
    s = math.sin(posture.slope)
    ds = point.s - posture.hip_s
    dn = point.n - posture.hip_n
    vs = point.velocity_s - posture.hip_velocity_s
    vn = point.velocity_n - posture.hip_velocity_n
    thigh, knee = leg_angles(ds * c - dn * s, ds * s + dn * c, swing.reach, legs)
    thigh_rate, knee_rate = leg_rates(
        thigh, knee, vs * c - vn * s, vs * s + vn * c, legs
    )
    return (
        swing.stiffness * (thigh + pitch.angle - angles[0])
        + damping * (thigh_rate + pitch.rate - rates[0]),
        swing.stiffness * (knee - angles[1]) + damping * (knee_rate - rates[1]),
    )


@kernel
def solve_positive(matrix: Array, right: Array) -> None:
    """Solve a symmetric positive definite system in place by Cholesky's factors.

    ``right`` (n, m) becomes the solution.

    For the few coordinates of a planar robot this is several times faster than a
    library call.
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
def swing_torques(
    mass_matrix: Array, load: Array, wanted: tuple[float, float], first: int
) -> tuple[float, float]:
    """Compute hip and knee torques for both joints' target accelerations.

    Meanwhile the other leg pushes as planned.

    Solves the two rows of M⁻¹ (S tau + load) = wanted.

    Args:
        mass_matrix: M, shape (nv, nv).
        load: generalized forces of everything else, S_stance tau − h + Jᵀ F, shape
            (nv,).
        wanted: accelerations of hip and knee [rad/s^2].
        first: index of the swing hip in the coordinates.
    """
    solved = np.zeros((mass_matrix.shape[0], 3))
    solved[first, 0] = solved[first + 1, 1] = 1.0
    copy_vector(load, solved[:, 2], 0)
    solve_positive(mass_matrix.copy(), solved)
    a = solved[first, 0]
    b = solved[first, 1]
    c = solved[first + 1, 0]
    d = solved[first + 1, 1]
    e0 = wanted[0] - solved[first, 2]
    e1 = wanted[1] - solved[first + 1, 2]
    determinant = a * d - b * c  # of a block of the inverse mass matrix: positive
    return (d * e0 - b * e1) / determinant, (a * e1 - c * e0) / determinant

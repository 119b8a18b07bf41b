# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Path and torques of the swing leg (A.8; height, time and gains are choices there)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.gait import Gait, GaitState
from biped_slip.kernels import kernel
from biped_slip.robots.model_functions import Array


@configuration
class SwingConfig(Configuration):
    """Tracking of the swing path, on the foot's acceleration."""

    stiffness: float = parameter(400.0, unit="1/s^2", low=0.0, high=1e5, source="choice (A.8)", doc="position gain")
    damping: float = parameter(40.0, unit="1/s", low=0.0, high=1e4, source="choice (A.8)", doc="velocity gain")
    descent_speed: float = parameter(
        0.25, unit="m/s", above=0.0, high=2.0, source="choice", doc="the foot extends down at this speed until contact"
    )


class Swing(NamedTuple):
    """The packed configuration, for type hints."""

    stiffness: float
    damping: float
    descent_speed: float


class PathPoint(NamedTuple):
    """Wanted motion of the swing foot in the floor frame."""

    s: float
    n: float
    velocity_s: float
    velocity_n: float
    acceleration_s: float
    acceleration_n: float


@kernel
def swing_path(state: GaitState, gait: Gait, swing: Swing) -> PathPoint:
    """Sinusoidal path from lift-off to target; afterwards straight down until the foot meets the floor."""
    period, length = gait.swing_time, state.target_s - state.lift_s
    if state.time >= period:
        below = swing.descent_speed * (state.time - period)
        return PathPoint(state.target_s, -below, 0.0, -swing.descent_speed, 0.0, 0.0)
    angle, rate = math.pi * state.time / period, math.pi / period
    share = 0.5 * (1.0 - math.cos(angle))
    start = state.lift_n
    return PathPoint(
        state.lift_s + length * share,
        start * (1.0 - share) + gait.swing_height * math.sin(angle),
        0.5 * length * rate * math.sin(angle),
        -0.5 * start * rate * math.sin(angle) + gait.swing_height * rate * math.cos(angle),
        0.5 * length * rate * rate * math.cos(angle),
        -gait.swing_height * rate * rate * math.sin(angle),
    )


@kernel
def swing_torques(
    mass_matrix: Array, load: Array, jacobian: Array, bias: Array, acceleration: Array, first: int
) -> Array:
    """Hip and knee torque (2,) that give the swing foot an acceleration (2,) [m/s^2] along world x and z.

    Solves J M⁻¹ (S tau + load) + bias = acceleration for the two torques, with the legs on the ground pushing as
    wanted; a nearly straight leg is regularised.

    Args:
        mass_matrix: M, shape (nv, nv).
        load: generalized forces of everything else, S_stance tau − h + Jᵀ F, shape (nv,).
        jacobian: rows x and z of the swing sole, shape (2, nv).
        bias: acceleration of the sole at zero joint acceleration, shape (2,).
        acceleration: wanted, shape (2,).
        first: index of the swing hip in the coordinates.
    """
    nv = mass_matrix.shape[0]
    right = np.zeros((nv, 3))
    right[first, 0] = right[first + 1, 1] = 1.0
    right[:, 2] = load
    solved = np.linalg.solve(mass_matrix, right)
    response = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            for k in range(nv):
                response[i, j] += jacobian[i, k] * solved[k, j]
    e0 = acceleration[0] - bias[0] - response[0, 2]
    e1 = acceleration[1] - bias[1] - response[1, 2]
    a, b, c, d = response[0, 0], response[0, 1], response[1, 0], response[1, 1]
    # damped least squares: A^T (A A^T + lambda I)^-1 e
    damping = 1e-3 * (a * a + b * b + c * c + d * d)
    g00, g01, g11 = a * a + b * b + damping, a * c + b * d, c * c + d * d + damping
    determinant = g00 * g11 - g01 * g01
    y0, y1 = (g11 * e0 - g01 * e1) / determinant, (g00 * e1 - g01 * e0) / determinant
    torques = np.empty(2)
    torques[0], torques[1] = a * y0 + c * y1, b * y0 + d * y1
    return torques

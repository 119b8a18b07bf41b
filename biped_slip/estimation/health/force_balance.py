# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the forces that the feet report are those that move the body: wrenches against IMU and encoders.

The ground alone pushes a walking robot, so the sum of its forces F is the mass times what the centre of mass feels:
F = m (f + d(u)/dt), with the specific force f at the IMU and the velocity u of the centre of mass relative to it.
A wrench that drifts, comes late or is stuck breaks that sum. Both sides are low-passed twice, so that u need not be
differenced: d(u)/dt, low-passed once, is (u - u low-passed) / time constant. No attitude is needed: along the mean
specific force stands the weight, which no push from the side changes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel

SMOOTHED = 0.025  # [s] time constant of each of two low passes: a landing's bounce is over, a step is not (choice)
UPRIGHT = 0.5  # [s] over which the direction of the weight is averaged: longer than a push (choice)


class BalanceState(NamedTuple):
    """What is remembered, in the axes of the base; the kernel fills it in place."""

    known: Array  # (1,) 0 before the first reading
    speed: Array  # (3,) low-passed [m/s]
    excess: Array  # (2, 3) of the force, low-passed once and twice [N]
    felt: Array  # (3,) mean specific force [m/s^2]
    sideways: Array  # (1,) for how long the excess across the weight has been large [s]


def fresh_balance() -> BalanceState:
    """Before the first reading."""
    return BalanceState(np.zeros(1), np.zeros(3), np.zeros((2, 3)), np.zeros(3), np.zeros(1))


@kernel
def force_excess(
    state: BalanceState, force: Array, felt: Array, speed: Array, mass: float, dt: float
) -> tuple[float, float]:
    """Force that the motion does not explain, along the weight and across it [N]; fills the memory.

    Args:
        state: of this watch.
        force: sum of the ground's forces (3,) [N].
        felt: specific force at a point of the base (3,) [m/s^2].
        speed: of the centre of mass relative to that point, in axes that do not turn (3,) [m/s].
        mass: that the forces carry [kg].
        dt: time since the last reading [s].
    """
    if state.known[0] == 0.0:
        state.known[0] = 1.0
        copy_vector(speed, state.speed, 0)
        copy_vector(felt, state.felt, 0)
        return 0.0, 0.0
    new, lasting = dt / (SMOOTHED + dt), dt / (UPRIGHT + dt)
    along = square = whole = 0.0
    for i in range(3):
        state.speed[i] += new * (speed[i] - state.speed[i])
        state.felt[i] += lasting * (felt[i] - state.felt[i])
        once = new * (force[i] - mass * felt[i]) + (1.0 - new) * state.excess[0, i]
        state.excess[0, i] = once
        state.excess[1, i] += new * (once - mass * (speed[i] - state.speed[i]) / SMOOTHED - state.excess[1, i])
        along += state.excess[1, i] * state.felt[i]
        square += state.felt[i] * state.felt[i]
        whole += state.excess[1, i] * state.excess[1, i]
    along /= max(math.sqrt(square), 1e-9)
    return along, math.sqrt(max(whole - along * along, 0.0))

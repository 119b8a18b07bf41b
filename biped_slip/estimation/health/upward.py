# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where up is for a robot that nobody tells its attitude: turned on by the gyroscope, pulled to what the IMU feels.

Humanoids roll with every step; taken for upright, a foot in the air may look lower than the one that carries.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY

PULLED = 1.0  # [s] over which accelerations of walking cancel and a gyroscope's bias of 1 deg/s makes 1 deg (choice)
FASTEST = 20.0  # [rad/s] faster turns are not believed (choice)
LIGHTEST = 0.5 * GRAVITY  # [m/s^2] less says nothing about the weight (choice)


@kernel
def upward(before: Array, turning: Array, felt: Array, dt: float) -> Array:
    """Unit vector against gravity (3,), a reading after ``before``; what can't be believed changes nothing.

    Args:
        before: unit vector at the last reading (3,).
        turning: angular velocity of the axes that all are given in (3,) [rad/s].
        felt: specific force (3,) [m/s^2].
        dt: time since the last reading [s].
    """
    rate = math.sqrt(turning[0] ** 2 + turning[1] ** 2 + turning[2] ** 2)
    pull = math.sqrt(felt[0] ** 2 + felt[1] ** 2 + felt[2] ** 2)
    if not (rate <= FASTEST and pull < math.inf):
        return before
    x = before[0] - (turning[1] * before[2] - turning[2] * before[1]) * dt
    y = before[1] - (turning[2] * before[0] - turning[0] * before[2]) * dt
    z = before[2] - (turning[0] * before[1] - turning[1] * before[0]) * dt
    if pull > LIGHTEST:
        new = dt / (PULLED + dt)
        x += new * (felt[0] / pull - x)
        y += new * (felt[1] / pull - y)
        z += new * (felt[2] / pull - z)
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        return before
    return np.array([x / length, y / length, z / length])

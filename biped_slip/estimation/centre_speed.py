# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Change of the centre of mass's velocity over a step, by the body's IMU alone.

What an estimate of the base takes from feet on the floor is wrong while a foot lands:
it slides by a metre per second where it should stand. From one touchdown to the next
the IMU needs no feet,

.. math:: v_c(t) - v_c(0) = \int_0^t (R f + g)\,dt + \bigl[v_c - v_i\bigr]_0^t,

with its specific force f turned to the world by R, and with the velocity of the centre
of mass against the IMU's place, :math:`v_c - v_i`, which the joints and the body's rate
of turn tell. A tilt of R of 4 mrad adds :math:`0.04\ \mathrm{m/s^2}`: the same share of
the weight as it makes of a normal force resolved with that R.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.invariant_filter import rotation_of, turned
from biped_slip.estimation.readings import RobotState


@kernel
def advance(
    passed: Array, orientation: Array, specific_force: Array, dt: float
) -> None:
    """Add the acceleration of one sample to its integral (3,) [m/s], in place.

    Args:
        passed: integral in the world; is overwritten.
        orientation: quaternion of the base in the world.
        specific_force: of the IMU, in the base's axes [m/s^2].
        dt: since the sample before [s].
    """
    felt = turned(rotation_of(orientation), specific_force)
    for axis in range(3):
        passed[axis] += dt * felt[axis]
    passed[2] -= dt * GRAVITY


class CentreSpeed:
    """Velocity of the centre of mass, up to what is constant over a step.

    Args:
        model: of the robot, with a floating base.
        imu: name of the IMU's frame.

    Attributes:
        passed: (3,) integral of the IMU's acceleration in the world [m/s].
    """

    def __init__(self, model: Any, imu: str) -> None:
        self._model = model
        self._data = model.createData()
        self._imu = model.getFrameId(imu)
        self.passed = np.zeros(3)
        self._advance = OfOneType(advance)

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self.passed[:] = 0.0

    def step(self, orientation: Array, specific_force: Array, dt: float) -> None:
        """Update by one sample; see :func:`advance`."""
        self._advance(self.passed, orientation, specific_force, dt)

    def velocity(self, state: RobotState) -> Array:
        """Compute the velocity (3,) in the world [m/s]; its changes alone count.

        Args:
            state: of the robot; its base's linear velocity cancels.
        """
        model = self._model
        data = self._data
        pin.centerOfMass(model, data, state.q, state.v)
        pin.updateFramePlacement(model, data, self._imu)
        aligned = pin.LOCAL_WORLD_ALIGNED
        imu = pin.getFrameVelocity(model, data, self._imu, aligned).linear
        moved: Array = self.passed + data.vcom[0] - imu
        return moved

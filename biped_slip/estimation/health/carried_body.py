# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid without what hangs below its force sensors: where its soles are, what the sensors carry, its motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import FORCE_SENSORS, IMU, SOLES


class Carried(NamedTuple):
    """Forces and motion of what the force sensors carry, in the axes of the base."""

    force: Array  # (3,) sum [N]
    felt: Array  # (3,) specific force at the IMU [m/s^2]
    speed: Array  # (3,) of its centre of mass relative to the IMU [m/s]
    mass: float  # [kg]
    turning: Array  # (3,) angular velocity of the base [rad/s]


class CarriedBody:
    """Kinematics of one humanoid whose base stands still at the origin; ``place`` first."""

    def __init__(self, humanoid: Humanoid) -> None:
        self._model = humanoid.model.copy()
        self._sensors = [self._model.getFrameId(name) for name in FORCE_SENSORS]
        for sensor in self._sensors:  # the foot's link is what hangs below, as for the observer
            self._model.inertias[self._model.frames[sensor].parentJoint] = pin.Inertia.Zero()
        self._data, self._imu = self._model.createData(), self._model.getFrameId(IMU)
        self._soles = [self._model.getFrameId(name) for name in SOLES]
        self._q, self._v = pin.neutral(self._model), np.zeros(self._model.nv)
        self._mass = float(pin.computeTotalMass(self._model))

    def place(self, position: Array, velocity: Array) -> None:
        """Move the joints (n,) [rad, rad/s]."""
        self._q[7:], self._v[6:] = position, velocity
        pin.centerOfMass(self._model, self._data, self._q, self._v)

    def heights(self, up: Array) -> tuple[float, float]:
        """Of the soles over the base's origin [m], along a unit vector (3,)."""
        left, right = (up @ self._frame(sole).translation for sole in self._soles)
        return float(left), float(right)

    def carried(self, imu: Array, force_torque: Array) -> Carried:
        """What the sensors carry; the IMU says turn rate and specific force (6,), the force sensors wrenches (2, 6)."""
        place = self._frame(self._imu)
        moving = pin.getFrameVelocity(self._model, self._data, self._imu, pin.LOCAL_WORLD_ALIGNED)
        turning = place.rotation @ imu[:3] - moving.angular  # of the base
        speed = self._data.vcom[0] - moving.linear + np.cross(turning, self._data.com[0] - place.translation)
        left, right = (self._frame(sensor).rotation @ force_torque[i, :3] for i, sensor in enumerate(self._sensors))
        return Carried(left + right, place.rotation @ imu[3:], speed, self._mass, turning)

    def _frame(self, frame: int) -> pin.SE3:
        return pin.updateFramePlacement(self._model, self._data, frame)

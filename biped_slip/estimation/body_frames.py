# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's raw sensors brought into base and soles: the IMU turned, the ankle sensors to the ground's wrench."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.estimation.foot_wrench import FootBody, FootMotion, ground_wrench_in_sole
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import Array


class InBody(NamedTuple):
    """What the inertial and force sensors say, in the robot's own frames."""

    angular_velocity: Array  # (3,) of the base [rad/s]
    specific_force: Array  # (3,) at the IMU, in base axes [m/s^2]
    wrench_ground_on_foot_in_sole: Array  # (2, 6)
    foot_specific_force_in_sole: Array  # (2, 3) at the sole's origin [m/s^2]
    foot_angular_velocity_in_sole: Array  # (2, 3) [rad/s]


class BodyFrames:
    """Knows where each sensor sits and what hangs below it; everything is fixed on its link.

    Args:
        model: Pinocchio model with a free-flyer at its root.
        soles, force_sensors, foot_imus: names of frames, left and right.
        imu: name of the IMU's frame, on the base.
    """

    def __init__(
        self,
        model: Any,
        soles: tuple[str, str],
        force_sensors: tuple[str, str],
        foot_imus: tuple[str, str],
        imu: str,
    ) -> None:
        self.imu_in_base: Any = _placement(model, imu)
        self._feet = [_foot_body(model, *names) for names in zip(soles, force_sensors, strict=True)]
        self._foot_imus = [
            _placement(model, sole).inverse() * _placement(model, name)
            for sole, name in zip(soles, foot_imus, strict=True)
        ]

    def read(self, raw: RawReadings) -> InBody:
        """One sample; the feet's angular acceleration is taken as zero: differenced gyros are noisier than it is."""
        turn = self.imu_in_base.rotation
        wrenches, felt, turning = np.empty((2, 6)), np.empty((2, 3)), np.empty((2, 3))
        still = np.zeros(3)
        for foot, (body, imu) in enumerate(zip(self._feet, self._foot_imus, strict=True)):
            turning[foot] = imu.rotation @ raw.foot_imus[foot, :3]
            whirl = np.cross(turning[foot], np.cross(turning[foot], imu.translation))
            felt[foot] = imu.rotation @ raw.foot_imus[foot, 3:] - whirl
            motion = FootMotion(felt[foot], turning[foot], still)
            wrenches[foot] = ground_wrench_in_sole(raw.force_torque[foot], body, motion)
        return InBody(turn @ raw.imu[:3], turn @ raw.imu[3:], wrenches, felt, turning)


def _placement(model: Any, name: str) -> Any:
    """Of a frame in its joint."""
    return model.frames[model.getFrameId(name)].placement


def _foot_body(model: Any, sole: str, sensor: str) -> FootBody:
    """The foot's link as what hangs below the sensor, in the sole frame."""
    frame = model.frames[model.getFrameId(sole)]
    inertia = frame.placement.actInv(model.inertias[frame.parentJoint])
    place = frame.placement.inverse() * _placement(model, sensor)
    return FootBody(
        float(inertia.mass),
        np.array(inertia.lever),
        np.array(inertia.inertia),
        np.array(place.rotation),
        np.array(place.translation),
    )

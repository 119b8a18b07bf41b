# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's raw sensors brought into base and soles: the IMU turned, the ankle sensors to the ground's wrench."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.estimation.foot_wrench import FootBody, FootMotion, ground_wrench_in_sole
from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import Array
from biped_slip.kernels import kernel, without_dispatch


class InBody(NamedTuple):
    """What the inertial and force sensors say, in the robot's own frames."""

    angular_velocity: Array  # (3,) of the IMU's link, in its axes [rad/s]
    specific_force: Array  # (3,) at the IMU, in its link's axes [m/s^2]
    wrench_ground_on_foot_in_sole: Array  # (2, 6)
    foot_specific_force_in_sole: Array  # (2, 3) at the sole's origin [m/s^2]
    foot_angular_velocity_in_sole: Array  # (2, 3) [rad/s]


class Mount(NamedTuple):
    """Where an IMU sits in a sole."""

    rotation: Array  # (3, 3) to the sole
    position: Array  # (3,) of its origin [m]


class BodyFrames:
    """Knows where each sensor sits and what hangs below it; everything is fixed on its link.

    Args:
        model: Pinocchio model with a free-flyer at its root.
        soles, force_sensors, foot_imus: names of frames, left and right.
        imu: name of the IMU's frame.
    """

    def __init__(
        self,
        model: Any,
        soles: tuple[str, str],
        force_sensors: tuple[str, str],
        foot_imus: tuple[str, str],
        imu: str,
    ) -> None:
        self.imu = imu
        self._imu_turn = np.array(_placement(model, imu).rotation)
        self._feet = _foot_body(model, soles[0], force_sensors[0]), _foot_body(model, soles[1], force_sensors[1])
        self._quick: Any = None  # compiled at the first sample
        self._foot_imus = _mount(model, soles[0], foot_imus[0]), _mount(model, soles[1], foot_imus[1])

    def read(self, raw: RawReadings) -> InBody:
        """One sample; the feet's angular acceleration is taken as zero: differenced gyros are noisier than it is."""
        sensed = [np.ascontiguousarray(one, dtype=float) for one in (raw.imu, raw.foot_imus, raw.force_torque)]
        inputs = (*sensed, self._imu_turn, self._feet, self._foot_imus)
        if self._quick is None:
            self._quick = without_dispatch(in_body, *inputs)
        found: InBody = self._quick(*inputs)
        return found


@kernel
def in_body(imu: Array, foot_imus: Array, force_torque: Array, imu_turn: Array, feet: tuple[FootBody, FootBody],
            imus: tuple[Mount, Mount]) -> InBody:  # fmt: skip
    """Readings of the sensors, as of ``RawReadings``, in base and soles."""
    wrenches, felt, turning = np.empty((2, 6)), np.empty((2, 3)), np.empty((2, 3))
    for foot in range(2):
        mount = imus[foot]
        turning[foot] = np.dot(mount.rotation, foot_imus[foot, :3])
        whirl = np.cross(turning[foot], np.cross(turning[foot], mount.position))
        felt[foot] = np.dot(mount.rotation, foot_imus[foot, 3:]) - whirl
        motion = FootMotion(felt[foot], turning[foot], np.zeros(3))
        wrenches[foot] = ground_wrench_in_sole(force_torque[foot], feet[foot], motion)
    return InBody(np.dot(imu_turn, imu[:3]), np.dot(imu_turn, imu[3:]), wrenches, felt, turning)


def _placement(model: Any, name: str) -> Any:
    """Of a frame in its joint."""
    return model.frames[model.getFrameId(name)].placement


def _mount(model: Any, sole: str, imu: str) -> Mount:
    place = _placement(model, sole).inverse() * _placement(model, imu)
    return Mount(np.array(place.rotation), np.array(place.translation))


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

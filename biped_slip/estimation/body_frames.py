# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's raw sensors brought into base and soles: the IMU turned, the ankle sensors to the ground's wrench."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.floating_base.lie import cross, turned
from biped_slip.estimation.foot_wrench import FootBody, FootMotion, ground_wrench_in_sole


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


class SensorFrames(NamedTuple):
    """Where every sensor sits and what hangs below it, for kernels; feet left, right."""

    imu_turn: Array  # (3, 3) from the IMU to its link
    feet: tuple[FootBody, FootBody]
    foot_imus: tuple[Mount, Mount]


class BodyFrames:
    """Knows where each sensor sits and what hangs below it; everything is fixed on its link.

    Attributes:
        frames: the same for kernels.

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
        self.frames = SensorFrames(
            np.array(_placement(model, imu).rotation),
            (_foot_body(model, soles[0], force_sensors[0]), _foot_body(model, soles[1], force_sensors[1])),
            (_mount(model, soles[0], foot_imus[0]), _mount(model, soles[1], foot_imus[1])),
        )


@kernel
def in_body(imu: Array, foot_imus: Array, force_torque: Array, frames: SensorFrames, body: InBody) -> None:
    """Readings of the sensors, as of ``RawReadings``, into base and soles.

    The feet's angular acceleration is taken as zero: differenced gyros are noisier than it is.
    """
    copy_vector(turned(frames.imu_turn, imu[:3]), body.angular_velocity, 0)
    copy_vector(turned(frames.imu_turn, imu[3:]), body.specific_force, 0)
    for foot in range(2):
        mount = frames.foot_imus[foot]
        turning = turned(mount.rotation, foot_imus[foot, :3])
        felt = turned(mount.rotation, foot_imus[foot, 3:]) - cross(turning, cross(turning, mount.position))
        motion = FootMotion(felt, turning, np.zeros(3))
        wrench = ground_wrench_in_sole(force_torque[foot], frames.feet[foot], motion)
        copy_vector(turning, body.foot_angular_velocity_in_sole[foot], 0)
        copy_vector(felt, body.foot_specific_force_in_sole[foot], 0)
        copy_vector(wrench, body.wrench_ground_on_foot_in_sole[foot], 0)


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

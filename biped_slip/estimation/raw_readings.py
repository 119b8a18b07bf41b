# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's real sensors say at one instant, each in its own frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import NO_FOOT_SENSOR, SensorReadings


class RawReadings(NamedTuple):
    """One sample of every sensor; feet left, right; joints in the robot's order."""

    stamp_ns: int
    joint_position: Array  # (n,) [rad]
    joint_velocity: Array  # (n,) [rad/s]
    imu: Array  # (6,) angular velocity [rad/s], specific force [m/s^2] in the IMU; +g up at rest
    foot_imus: Array  # (2, 6) the same of the feet's IMUs
    force_torque: Array  # (2, 6) force [N], moment [N m] of ground and weight on what hangs below each sensor
    foot_position: Array = NO_FOOT_SENSOR  # (2, 3) of the soles' origins, from outside the robot [m]


class BaseMotion(NamedTuple):
    """How the base moves, from somebody who knows it; fields as in :class:`SensorReadings`."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    angular_velocity_in_base: Array  # (3,) [rad/s]
    position_base_in_odom: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]


def base_motion(readings: SensorReadings) -> BaseMotion:
    """The base's part of readings; the arrays are the caller's."""
    return BaseMotion(*(np.array(getattr(readings, name), dtype=float) for name in BaseMotion._fields))


class HumanoidReadings(NamedTuple):
    """What arrives at one instant: every sensor, and how the base moves where somebody knows that better."""

    raw: RawReadings
    base: BaseMotion | None = None

    @property
    def stamp_ns(self) -> int:
        """Of the sensors [ns]."""
        return self.raw.stamp_ns

    @property
    def joint_position(self) -> Array:
        """(n,) [rad]."""
        return self.raw.joint_position

    @property
    def joint_velocity(self) -> Array:
        """(n,) [rad/s]."""
        return self.raw.joint_velocity

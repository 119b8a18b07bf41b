# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's real sensors say at one instant, each in its own frame."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.estimation.readings import NO_FOOT_SENSOR, Array, SensorReadings


class RawReadings(NamedTuple):
    """One sample of every sensor; feet left, right; joints in the robot's order."""

    stamp_ns: int
    joint_position: Array  # (n,) [rad]
    joint_velocity: Array  # (n,) [rad/s]
    imu: Array  # (6,) angular velocity [rad/s], specific force [m/s^2] in the IMU; +g up at rest
    foot_imus: Array  # (2, 6) the same of the feet's IMUs
    force_torque: Array  # (2, 6) force [N], moment [N m] of ground and weight on what hangs below each sensor
    foot_position: Array = NO_FOOT_SENSOR  # (2, 3) of the soles' origins, from outside the robot [m]


class HumanoidReadings(NamedTuple):
    """What arrives at one instant: every sensor, and how the base moves where somebody knows that better."""

    raw: RawReadings
    base: SensorReadings | None = None  # of which only the base is looked at

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

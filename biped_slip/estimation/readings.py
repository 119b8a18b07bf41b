# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the robot's sensors say at one instant: the content of its ROS messages as arrays."""

from __future__ import annotations

from typing import Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array

NO_FOOT_SENSOR: Array = np.full((2, 3), np.nan)  # of a robot without it
NO_FOOT_SENSOR.flags.writeable = False


class SensorReadings(NamedTuple):
    """One sample of every sensor; feet left, right; joints in the robot's order.

    What comes after the wrenches not every robot has; NaN says that it is not there.
    """

    stamp_ns: int
    joint_position: Array  # (n,) [rad]
    joint_velocity: Array  # (n,) [rad/s]
    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    angular_velocity_in_base: Array  # (3,) [rad/s]
    specific_force_in_base: Array  # (3,) [m/s^2]; +g up at rest
    position_base_in_odom: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]
    wrench_ground_on_foot_in_sole: Array  # (2, 6) force [N], moment [N m] about the sole's origin
    foot_specific_force_in_sole: Array = NO_FOOT_SENSOR  # (2, 3) IMU at the sole's origin [m/s^2]
    foot_angular_velocity_in_sole: Array = NO_FOOT_SENSOR  # (2, 3) [rad/s]
    foot_position_in_world: Array = NO_FOOT_SENSOR  # (2, 3) of the sole's origin, from outside the robot [m]

    def is_finite(self) -> bool:
        """Whether every number of the sensors that all robots have is finite."""
        return all(bool(np.isfinite(part).all()) for part in self[1:REQUIRED])


def own(readings: SensorReadings) -> SensorReadings:
    """A copy of readings from anywhere, its arrays all of one kind, so that no kernel is compiled twice for them."""
    return SensorReadings(readings[0], *(np.array(part, dtype=float, order="C") for part in readings[1:]))


REQUIRED = SensorReadings._fields.index("wrench_ground_on_foot_in_sole") + 1  # fields that every robot fills


def trial_readings(joints: int, period_ns: int = 1_000_000) -> Iterator[SensorReadings]:
    """A few plausible samples of a robot with so many joints, loaded either way: to try a chain before it is needed."""
    for tick, force in enumerate((100.0, 100.0, 100.0, -100.0, -100.0, -100.0)):
        yield SensorReadings(
            tick * period_ns,
            np.full(joints, 0.1),
            np.full(joints, 0.01),
            np.array([0.0, 0.0, 0.0, 1.0]),
            np.zeros(3),
            np.array([0.0, 0.0, 9.81]),
            np.zeros(3),
            np.zeros(3),
            np.array([[0.1 * force, 0.0, force, 0.0, 0.0, 0.0]] * 2),
            np.array([[0.0, 0.0, 9.81]] * 2),
            np.zeros((2, 3)),
            np.zeros((2, 3)),
        )

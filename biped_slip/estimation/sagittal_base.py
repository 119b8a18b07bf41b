# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the base of a sagittal robot is, for robots that have no odometry: IMU, leg kinematics and contact.

The filter of humanoids [Hartley2020], with the legs of the planar model. It believes a loaded foot to creep like a
random walk, so its odometry carries little of what a foot does before it slips: let friction be estimated from
``base_imu``, not from this.
"""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.floating_base import FloatingBase, FloatingBaseConfig, FloatingBaseEstimator, Legs
from biped_slip.estimation.floating_base.lie import rotation_of
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot


class SagittalBase:
    """One ``step`` per reading; the world begins under the base, on the floor that the lower sole stands on.

    Args:
        robot: sagittal; its IMU sits in the base and gives the orientation.
        config: noise of IMU, legs and contacts.
    """

    def __init__(self, robot: Robot, config: FloatingBaseConfig | None = None) -> None:
        config = config or FloatingBaseConfig()
        self._root, self._functions = robot.root_size, model_functions(robot)
        self._filter = FloatingBaseEstimator(robot.mass * GRAVITY, config)
        self._spreads = np.tile(config.kinematics**2 * np.eye(3), (2, 1, 1))

    def reset(self) -> None:
        """As before the first reading."""
        self._filter.reset()

    def step(
        self, readings: SensorReadings, friction: tuple[FrictionEstimate, FrictionEstimate] = (NO_ESTIMATE, NO_ESTIMATE)
    ) -> FloatingBase:
        """One reading later; what it says of the base's place is not looked at.

        Args:
            readings: joints, IMU and wrenches.
            friction: the last estimates under both feet: a slipping foot is believed less.
        """
        still = np.zeros(self._root)
        q, v = (np.concatenate((still, joints)) for joints in (readings.joint_position, readings.joint_velocity))
        places, motion = self._functions.sole_motion(q, v)  # in the base, which stands at the origin of q
        turn, soles = rotation_of(readings.orientation_base_in_world), self._functions.sole_rotations(q)
        if self._filter.state is None:
            return self._filter.begin(self._standing(readings, turn, places, motion[:, :3]))
        wrench = readings.wrench_ground_on_foot_in_sole
        loads = np.array([turn[2] @ (soles[3 * foot : 3 * foot + 3] @ wrench[foot, :3]) for foot in range(2)])
        return self._filter.step(readings, Legs(places, self._spreads), loads, friction)

    def _standing(self, readings: SensorReadings, turn: Array, places: Array, speeds: Array) -> SensorReadings:
        """The first reading with the base over its lower sole, which does not move."""
        heights = places @ turn[2]
        lower = int(np.argmin(heights))
        speed = -speeds[lower] - np.cross(readings.angular_velocity_in_base, places[lower])
        place = np.array([0.0, 0.0, -heights[lower]])
        return readings._replace(position_base_in_odom=place, linear_velocity_in_base=speed)

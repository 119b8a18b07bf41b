# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One foot against the other, by the joints between them: no base, no drift, but the creep of both feet in one."""

from __future__ import annotations

import math

from biped_slip.estimation.foot_measurement import FloorConfig, OdometryMotion
from biped_slip.estimation.motion.stance import Stance
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import NAN, FootMeasurement
from biped_slip.robots.robot import Robot


class BothFeetMotion:
    """In double support each foot's motion against the other; in single support motion is not measured.

    On one floor under both feet the sum of their creeps has the shape of each, with about twice its s_p. On two
    different floors the foot on the better one takes the other's creep for its own.
    """

    def __init__(self, robot: Robot, floor: FloorConfig) -> None:
        self._robot = robot
        self._odometry = OdometryMotion(robot, floor)
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._stances = (Stance(self._robot), Stance(self._robot))
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot; the base's pose cancels."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        left, right = self._odometry.measure(state, readings)
        ages = [one.step(foot.force_normal, dt) for one, foot in zip(self._stances, (left, right), strict=True)]
        apart, speed = left.displacement_x - right.displacement_x, left.velocity_x - right.velocity_x
        if min(ages) < 0.0 or not math.isfinite(apart):
            apart = speed = NAN
        return (
            left._replace(displacement_x=apart, velocity_x=speed),
            right._replace(displacement_x=-apart, velocity_x=-speed),
        )

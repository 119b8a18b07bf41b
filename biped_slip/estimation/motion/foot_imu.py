# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An IMU in each foot: its acceleration integrated twice within a stance, from the moment at which ringing is over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import FloorConfig, OdometryMotion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import Stance
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import NAN, FootMeasurement
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot


class FootImuMotion:
    """Zero speed is assumed at one instant, when touchdown has rung off; what the foot crept then stays as an error.

    Its attitude comes from the base's and the joints. After ``horizon`` seconds motion is not measured any more: drift
    would hide a slip.
    """

    def __init__(self, robot: Robot, floor: FloorConfig, config: MotionConfig) -> None:
        self._robot, self._settling, self._horizon = robot, config.settling_time, config.horizon
        self._odometry = OdometryMotion(robot, floor)
        self._rotations: Any = model_functions(robot).sole_rotations
        self._along = np.array([math.cos(floor.slope), 0.0, math.sin(floor.slope)])
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._stances = (Stance(self._robot), Stance(self._robot))
        self._position, self._velocity = [NAN, NAN], [0.0, 0.0]
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot; in the air and late in a stance it is not measured."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        measured = list(self._odometry.measure(state, readings))
        rotations = self._rotations(state.q)
        for foot, one in enumerate(measured):
            age = self._stances[foot].step(one.force_normal, dt)
            if age < 0.0 or age > self._settling + self._horizon:
                measured[foot] = one._replace(displacement_x=NAN, velocity_x=NAN)
                continue
            felt = rotations[3 * foot : 3 * foot + 3] @ readings.foot_specific_force_in_sole[foot]
            acceleration = float(self._along @ felt) - GRAVITY * float(self._along[2])
            if age <= self._settling:  # the origin is odometry's, so that the foot stays on the map
                self._position[foot], self._velocity[foot] = one.displacement_x, 0.0
            else:
                self._position[foot] += dt * (self._velocity[foot] + 0.5 * dt * acceleration)
                self._velocity[foot] += dt * acceleration
            measured[foot] = one._replace(displacement_x=self._position[foot], velocity_x=self._velocity[foot])
        return measured[0], measured[1]

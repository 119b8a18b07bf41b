# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each foot measures of its floor: force and motion in the floor frame under it.

The motion of the foot comes from odometry, joints and the robot model, never from "the stance foot is still": that
would make every displacement zero by construction, and friction is visible only through displacement (study 4).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement
from biped_slip.robots.model_functions import model_functions, sole_motion, sole_rotations
from biped_slip.robots.robot import Robot


@configuration
class FloorConfig(Configuration):
    """What is known of the floor's shape."""

    slope: float = parameter(
        0.0, unit="rad", low=-0.5, high=0.5, source="choice", doc="incline of the floor along x, positive uphill"
    )


class FootMotion(NamedTuple):
    """Kernel result per foot, each (2,)."""

    tangential: Array
    normal: Array
    displacement: Array
    velocity: Array
    moment_normal: Array


def foot_motion(q: Array, v: Array, wrenches: Array, slope: float) -> FootMotion:
    """Sole wrenches (2, 6) and sole motion turned into the floor frame; ratio and u are about its normal."""
    position, velocity = sole_motion(q, v)
    rotations = sole_rotations(q)
    c, s = math.cos(slope), math.sin(slope)
    result = np.empty((5, 2))
    for foot in range(2):
        world = rotations[3 * foot : 3 * foot + 3]
        fx = fz = mx = mz = 0.0
        for k in range(3):
            fx += world[0, k] * wrenches[foot, k]
            fz += world[2, k] * wrenches[foot, k]
            mx += world[0, k] * wrenches[foot, 3 + k]
            mz += world[2, k] * wrenches[foot, 3 + k]
        result[0, foot] = fx * c + fz * s
        result[1, foot] = fz * c - fx * s
        result[2, foot] = position[foot, 0] * c + position[foot, 2] * s
        result[3, foot] = velocity[foot, 0] * c + velocity[foot, 2] * s
        result[4, foot] = mz * c - mx * s
    return FootMotion(result[0], result[1], result[2], result[3], result[4])


class MotionSource(Protocol):
    """Where the motion of the feet over the ground comes from."""

    def reset(self) -> None:
        """As before the first reading."""
        ...

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        ...


class OdometryMotion:
    """Foot measurements of a sagittal robot with point feet from odometry, IMU, joints and wrenches."""

    def __init__(self, robot: Robot, floor: FloorConfig | None = None) -> None:
        self._floor = floor or FloorConfig()
        self._kernel: Any = model_functions(robot).bind(foot_motion)

    def reset(self) -> None:
        """Nothing to forget."""

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        motion = self._kernel(state.q, state.v, readings.wrench_ground_on_foot_in_sole, self._floor.slope)
        left, right = (
            FootMeasurement(
                readings.stamp_ns,
                float(motion.tangential[foot]),
                0.0,
                float(motion.normal[foot]),
                float(motion.displacement[foot]),
                0.0,
                float(motion.velocity[foot]),
                0.0,
                float(motion.moment_normal[foot]),
                0.0,
                0.0,
                0.0,  # a point foot pivots with its shank: no heel or toe to roll over
            )
            for foot in (0, 1)
        )
        return left, right

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State of a floating-base robot and what its soles measure of the floor, from odometry, joints and wrenches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement
from biped_slip.robots.robot import Robot

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
LEAST_LOAD = 1.0  # [N] below it a centre of pressure means nothing


def floating_state(readings: SensorReadings) -> RobotState:
    """Q (position, quaternion x y z w, joints) and v (twist in the base, joints), as for Pinocchio's free-flyer."""
    q = np.concatenate((readings.position_base_in_odom, readings.orientation_base_in_world, readings.joint_position))
    v = np.concatenate((readings.linear_velocity_in_base, readings.angular_velocity_in_base, readings.joint_velocity))
    return RobotState(q, v)


class SoleMotion:
    """Foot measurements of a floating-base robot on a level floor.

    Tangential forces and motion are along the world's axes, which do not turn during a contact; the centre of pressure
    is in the sole. The motion is that of the sole's material at the centre of pressure, not at its origin: a sole that
    twists under a yaw moment would otherwise seem to slide by lever times twist.
    """

    def __init__(self, robot: Robot) -> None:
        self._model: Any = robot.model
        self._data = self._model.createData()
        self._soles = tuple(self._model.getFrameId(sole) for sole in robot.soles)

        self.reset()

    def reset(self) -> None:
        """Forget how far the soles have twisted."""
        self._heading: list[float] = [math.nan, math.nan]
        self._twist = np.zeros((2, 2))  # motion of the material at the centre of pressure against the origin [m]

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        pin.forwardKinematics(self._model, self._data, state.q, state.v)
        wrenches = readings.wrench_ground_on_foot_in_sole
        left, right = (self._foot(readings.stamp_ns, i, wrenches[i]) for i in (0, 1))
        return left, right

    def _foot(self, stamp_ns: int, foot: int, wrench: Array) -> FootMeasurement:
        sole = self._soles[foot]
        place = pin.updateFramePlacement(self._model, self._data, sole)
        velocity = pin.getFrameVelocity(self._model, self._data, sole, AXES).vector
        rotation, position = place.rotation, place.translation
        force = rotation @ wrench[:3]
        loaded = wrench[2] > LEAST_LOAD
        pressure_x = float(-wrench[4] / wrench[2]) if loaded else 0.0
        pressure_y = float(wrench[3] / wrench[2]) if loaded else 0.0
        moment = float(wrench[5] - pressure_x * wrench[1] + pressure_y * wrench[0])
        heading = math.atan2(rotation[1, 0], rotation[0, 0])
        lever_x = rotation[0, 0] * pressure_x + rotation[0, 1] * pressure_y
        lever_y = rotation[1, 0] * pressure_x + rotation[1, 1] * pressure_y
        turned = math.remainder(heading - self._heading[foot], math.tau)
        self._heading[foot] = heading
        if loaded and math.isfinite(turned):
            self._twist[foot] += -turned * lever_y, turned * lever_x
        return FootMeasurement(
            stamp_ns,
            float(force[0]),
            float(force[1]),
            float(force[2]),
            float(position[0] + self._twist[foot, 0]),
            float(position[1] + self._twist[foot, 1]),
            float(velocity[0] - velocity[5] * lever_y),
            float(velocity[1] + velocity[5] * lever_x),
            moment,
            pressure_x,
            pressure_y,
            math.hypot(float(velocity[3]), float(velocity[4])),
        )

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
from biped_slip.kernels import kernel
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
    twists under a yaw moment would otherwise seem to slide by lever times twist. A sensor of the soles' place goes
    before kinematics, whose base may be estimated on the assumption that feet don't move.
    """

    def __init__(self, robot: Robot) -> None:
        self._model: Any = robot.model
        self._data = self._model.createData()
        self._soles = tuple(self._model.getFrameId(sole) for sole in robot.soles)

        self.reset()

    def reset(self) -> None:
        """Forget how far the soles have twisted."""
        self._turned = np.full(2, math.nan)  # heading of each sole a reading before [rad]
        self._twist = np.zeros((2, 2))  # motion of the material at the centre of pressure against the origin [m]

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        pin.forwardKinematics(self._model, self._data, state.q, state.v)
        return self._foot(0, readings), self._foot(1, readings)

    def _foot(self, foot: int, readings: SensorReadings) -> FootMeasurement:
        sole = self._soles[foot]
        place = pin.updateFramePlacement(self._model, self._data, sole)
        velocity = pin.getFrameVelocity(self._model, self._data, sole, AXES).vector
        seen = readings.foot_position_in_world[foot]
        position = place.translation if math.isnan(seen[0]) else seen
        return sole_measurement(
            readings.stamp_ns, readings.wrench_ground_on_foot_in_sole[foot], place.rotation, position, velocity,
            self._turned[foot : foot + 1], self._twist[foot],
        )  # fmt: skip


@kernel
def sole_measurement(stamp_ns: int, wrench: Array, rotation: Array, position: Array, velocity: Array, turned: Array,
                     twist: Array) -> FootMeasurement:  # fmt: skip
    """Measurement of one foot.

    Args:
        wrench: (6,) of the ground, in the sole [N, N m].
        rotation: (3, 3) sole to world.
        position: (3,) of the sole [m].
        velocity: (6,) linear, angular, world axes [m/s, rad/s].
        turned: (1,) heading at the reading before [rad]; overwritten.
        twist: (2,) of the material at the centre of pressure against the origin [m]; overwritten.
    """
    force = np.empty(3)
    for k in range(3):
        force[k] = rotation[k, 0] * wrench[0] + rotation[k, 1] * wrench[1] + rotation[k, 2] * wrench[2]
    loaded = wrench[2] > LEAST_LOAD
    pressure_x = -wrench[4] / wrench[2] if loaded else 0.0
    pressure_y = wrench[3] / wrench[2] if loaded else 0.0
    moment = wrench[5] - pressure_x * wrench[1] + pressure_y * wrench[0]
    heading = math.atan2(rotation[1, 0], rotation[0, 0])
    lever_x = rotation[0, 0] * pressure_x + rotation[0, 1] * pressure_y
    lever_y = rotation[1, 0] * pressure_x + rotation[1, 1] * pressure_y
    change = heading - turned[0]
    change -= math.tau * math.floor(change / math.tau + 0.5)
    turned[0] = heading
    if loaded and math.isfinite(change):
        twist[0] -= change * lever_y
        twist[1] += change * lever_x
    return FootMeasurement(
        stamp_ns,
        force[0],
        force[1],
        force[2],
        position[0] + twist[0],
        position[1] + twist[1],
        velocity[0] - velocity[5] * lever_y,
        velocity[1] + velocity[5] * lever_x,
        moment,
        pressure_x,
        pressure_y,
        math.hypot(velocity[3], velocity[4]),
    )

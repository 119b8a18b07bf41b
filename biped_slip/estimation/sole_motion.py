# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State of a floating-base robot and what its soles measure of the floor, from odometry, joints and wrenches."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.robot import Robot

LEAST_LOAD = 1.0  # [N] below it a centre of pressure means nothing
LEVEL_FLOOR = np.zeros((2, 2))
LEVEL = 0.06  # rise of a sole that counts as level: it rolls and sinks by as much (choice)
COS_LEVEL = math.cos(LEVEL)


def floating_state(readings: SensorReadings) -> RobotState:
    """Q (position, quaternion x y z w, joints) and v (twist in the base, joints), as for Pinocchio's free-flyer."""
    joints = readings.joint_position.shape[0]
    state = RobotState(np.empty(7 + joints), np.empty(6 + joints))
    floating_coordinates(
        readings.position_base_in_odom, readings.orientation_base_in_world, readings.joint_position,
        readings.linear_velocity_in_base, readings.angular_velocity_in_base, readings.joint_velocity, *state,
    )  # fmt: skip
    return state


@kernel
def floating_coordinates(position: Array, orientation: Array, joint_position: Array, velocity: Array, rate: Array,
                         joint_velocity: Array, q: Array, v: Array) -> None:  # fmt: skip
    """Fill q (7 + n,) and v (6 + n,)."""
    copy_vector(position, q, 0)
    copy_vector(orientation, q, 3)
    copy_vector(joint_position, q, 7)
    copy_vector(velocity, v, 0)
    copy_vector(rate, v, 3)
    copy_vector(joint_velocity, v, 6)


class SoleFrames(NamedTuple):
    """Where both soles are and how they move, in the world, and how far they have twisted."""

    position: Array  # (2, 3) [m]
    rotation: Array  # (2, 3, 3)
    velocity: Array  # (2, 6) linear [m/s], angular [rad/s]
    turned: Array  # (2,) heading of each sole a reading before [rad]
    twist: Array  # (2, 2) motion of the material at the centre of pressure against the origin [m]
    reach: Array  # (2, 2) of length and width of each sole seen from above at the reading before; 1: (nearly) level


class SoleMotion:
    """Foot measurements of a floating-base robot.

    Tangential forces are along the world's axes as they lie on the floor, which do not turn during a contact, motion is
    horizontal; the centre of pressure is in the sole. The motion is that of the sole's material at the centre of
    pressure, not at its origin: a sole that twists under a yaw moment would otherwise seem to slide by lever times
    twist. A sensor of the soles' place goes before kinematics, whose base may be estimated on the assumption that feet
    don't move.
    """

    def __init__(self, robot: Robot) -> None:
        functions = floating_functions(robot)
        self._robot: Any = functions.generated
        self._soles = SoleFrames(
            np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 6)), np.zeros(2), np.zeros((2, 2)), np.ones((2, 2))
        )  # fmt: skip
        example = self._robot, np.zeros(robot.model.nq), np.zeros(robot.model.nv), *self._soles[:3]
        self._kinematics: Any = without_dispatch(functions.sole_kinematics, *example)
        self._measured: Any = without_dispatch(
            sole_measurements, 0, np.zeros((2, 6)), np.zeros((2, 3)), True, LEVEL_FLOOR, self._soles
        )  # fmt: skip
        self.reset()

    @property
    def soles(self) -> SoleFrames:
        """Of the last measurement."""
        return self._soles

    def reset(self) -> None:
        """Forget how far the soles have twisted."""
        self._soles.turned[:], self._soles.twist[:], self._soles.reach[:] = math.nan, 0.0, 1.0

    def measure(
        self, state: RobotState, readings: SensorReadings, told: bool = True, rise: Array = LEVEL_FLOOR
    ) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot.

        Args:
            state: of base and joints.
            readings: wrenches in the soles, and where sensors see the soles.
            told: whether the base's motion is measured. An estimate of it believes that loaded feet stay: then the
                motion of a sole that no sensor sees is not measured, NaN.
            rise: (2, 2) of the floor under each foot, along x and y.
        """
        self._kinematics(self._robot, state.q, state.v, *self._soles[:3])
        wrenches = np.ascontiguousarray(readings.wrench_ground_on_foot_in_sole, dtype=float)
        seen = np.ascontiguousarray(readings.foot_position_in_world, dtype=float)
        found: tuple[FootMeasurement, FootMeasurement] = self._measured(
            readings.stamp_ns, wrenches, seen, told, rise, self._soles
        )
        return found

    def felt(self, specific_force: Array) -> Array:
        """Accelerations (2, 3) of the soles in the world at the last measurement, from their IMUs (2, 3) [m/s^2]."""
        return np.matmul(self._soles.rotation, specific_force[:, :, None])[:, :, 0] - (0.0, 0.0, GRAVITY)


@kernel
def sole_measurements(
    stamp_ns: int, wrenches: Array, seen: Array, told: bool, rise: Array, soles: SoleFrames
) -> tuple[FootMeasurement, FootMeasurement]:
    """Measurements of both feet; ``seen`` (2, 3) are the soles' places by a sensor, NaN without one."""
    unseen = math.isnan(seen[0, 0]), math.isnan(seen[1, 0])
    left = soles.position[0] if told and unseen[0] else seen[0]
    right = soles.position[1] if told and unseen[1] else seen[1]
    speed = soles.velocity.copy()
    if not told:
        for foot in range(2):
            if unseen[foot]:
                speed[foot, :3] = math.nan
    return (
        _measured_of(0, stamp_ns, wrenches, left, speed, rise, soles),
        _measured_of(1, stamp_ns, wrenches, right, speed, rise, soles),
    )


@kernel
def _measured_of(foot: int, stamp_ns: int, wrenches: Array, place: Array, speed: Array, rise: Array,
                 soles: SoleFrames) -> FootMeasurement:  # fmt: skip
    """One foot's rows of what both feet have."""
    return sole_measurement(stamp_ns, wrenches[foot], soles.rotation[foot], place, speed[foot], rise[foot],
                            soles.turned[foot:foot + 1], soles.twist[foot], soles.reach[foot])  # fmt: skip


@kernel
def tip_over(rotation: Array, x: float, y: float, twist: Array, reach: Array) -> None:
    """A sole that lands on its toe and tips onto a ramp of 10 degrees moves its middle by 1.5 mm, and does not slide.

    Args:
        rotation: (3, 3) sole to world.
        x, y: centre of pressure in the sole [m]; 0 in the air.
        twist, reach: as of ``sole_measurement``; both are overwritten.
    """
    place = (x, y)
    for k in range(2):
        length = math.hypot(rotation[0, k], rotation[1, k])
        seen = min(1.0, length / COS_LEVEL)
        change = (seen - reach[k]) * COS_LEVEL * place[k] / max(length, 0.5)
        reach[k] = seen
        twist[0] += change * rotation[0, k]
        twist[1] += change * rotation[1, k]


@kernel
def along_floor(force: Array, rise: Array) -> Array:
    """A force (3,) along x and y as they lie on a floor that rises (2,), and along its normal."""
    along, normal = math.sqrt(1.0 + rise[0] ** 2), math.sqrt(1.0 + rise[0] ** 2 + rise[1] ** 2)
    x = (force[0] + rise[0] * force[2]) / along
    z = (force[2] - rise[0] * force[0] - rise[1] * force[1]) / normal
    left = along * along * force[1] - rise[0] * rise[1] * force[0] + rise[1] * force[2]
    return np.array([x, left / (along * normal), z])


@kernel
def sole_measurement(stamp_ns: int, wrench: Array, rotation: Array, position: Array, velocity: Array, rise: Array,
                     turned: Array, twist: Array, reach: Array) -> FootMeasurement:  # fmt: skip
    """Measurement of one foot.

    Args:
        wrench: (6,) of the ground, in the sole [N, N m].
        rotation: (3, 3) sole to world.
        position: (3,) of the sole [m].
        velocity: (6,) linear, angular, world axes [m/s, rad/s].
        rise: (2,) of the floor along x and y.
        turned: (1,) heading at the reading before [rad]; overwritten.
        twist: (2,) of the material at the centre of pressure against the origin [m]; overwritten.
        reach: (2,) of length and width seen from above at the reading before; overwritten.
    """
    force = np.empty(3)
    for k in range(3):
        force[k] = rotation[k, 0] * wrench[0] + rotation[k, 1] * wrench[1] + rotation[k, 2] * wrench[2]
    if rise[0] != 0.0 or rise[1] != 0.0:
        force = along_floor(force, rise)
    loaded = wrench[2] > LEAST_LOAD
    pressure_x = -wrench[4] / wrench[2] if loaded else 0.0
    pressure_y = wrench[3] / wrench[2] if loaded else 0.0
    moment = wrench[5] - pressure_x * wrench[1] + pressure_y * wrench[0]
    heading = math.atan2(rotation[1, 0], rotation[0, 0])
    lever_x = rotation[0, 0] * pressure_x + rotation[0, 1] * pressure_y
    lever_y = rotation[1, 0] * pressure_x + rotation[1, 1] * pressure_y
    change = heading - turned[0]
    turned[0] = heading
    if loaded and math.isfinite(change):
        change -= math.tau * math.floor(change / math.tau + 0.5)
        twist[0] -= change * lever_y
        twist[1] += change * lever_x
    tip_over(rotation, pressure_x, pressure_y, twist, reach)
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

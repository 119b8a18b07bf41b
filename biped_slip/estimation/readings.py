# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings of one instant, the robot's state from them, and their problems."""

from __future__ import annotations

import math
from collections import Counter
from typing import Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel


class Problem(NamedTuple):
    """Problem with a name for programs and a sentence for people."""

    name: str  # a few fixed words, the same for every occurrence
    detail: str  # which sensor or joint, value and limit
    severe: bool = False  # no waiting for it to pass

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}"


MOST_OF_A_NAME = 16  # sentences (choice)
MOST_IN_ALL = 128
LONGEST = 300  # characters


class NamedCounter(Counter[str]):
    """Counter of sentences ``name: detail``; beyond a number of details the rest of a name is counted together.

    A hostile sender must not grow them.
    """

    def __setitem__(self, sentence: str, count: int) -> None:
        super().__setitem__(self._bounded(sentence), count)

    def __getitem__(self, sentence: str) -> int:
        return super().__getitem__(self._bounded(sentence))

    def _bounded(self, sentence: str) -> str:
        sentence = sentence[:LONGEST]
        if sentence in self:
            return sentence
        name = sentence.partition(":")[0]
        of_name = sum(known.partition(":")[0] == name for known in self)
        if len(self) >= MOST_IN_ALL:
            return "others: of further names"
        return f"{name}: others" if of_name >= MOST_OF_A_NAME else sentence


# signed 32-bit seconds and a whole rest below one, as in a ROS message
SECOND = 1_000_000_000  # [ns]
FIRST_STAMP = -(1 << 31) * SECOND  # [ns]
LAST_STAMP = (1 << 31) * SECOND - 1  # [ns] 19 digits


def legal_time(seconds: int, nanoseconds: int) -> bool:
    """Return whether the two numbers of a message's time form a time."""
    return -(1 << 31) <= seconds < 1 << 31 and 0 <= nanoseconds < SECOND


def half_period(period: float) -> int:
    """Return half of a period [s] in [ns]: stamps that differ by less are one instant.

    Messages of one control cycle need not have equal stamps: broadcasters read the clock one after the other, some
    microseconds apart.
    """
    return max(round(0.5 * SECOND * period), 1)


def one_instant(first_ns: int, second_ns: int, half_ns: int) -> bool:
    """Return whether two stamps [ns] are the same instant of a loop."""
    return abs(first_ns - second_ns) < half_ns


def nearest_legal_stamp(stamp_ns: int, first_ns: int = FIRST_STAMP) -> int:
    """Clip a time [ns] to the legal range."""
    return min(max(stamp_ns, first_ns), LAST_STAMP)


NO_FOOT_SENSOR: Array = np.full((2, 3), np.nan)  # of a robot without it
NO_FOOT_SENSOR.flags.writeable = False


class SensorReadings(NamedTuple):
    """One sample of every sensor, the content of a robot's ROS messages; feet left, right; joints in its order.

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


def own(readings: SensorReadings) -> SensorReadings:
    """Copy readings into contiguous arrays, so that no kernel is compiled twice."""
    return SensorReadings(readings[0], *(np.array(part, dtype=float, order="C") for part in readings[1:]))


REQUIRED = SensorReadings._fields.index("wrench_ground_on_foot_in_sole") + 1  # fields that every robot fills


def trial_readings(joints: int, period_ns: int = 1_000_000) -> Iterator[SensorReadings]:
    """Yield a few plausible readings, each foot loaded in turn, to warm up a loop."""
    for tick, force in enumerate((100.0, 100.0, 100.0, -100.0, -100.0, -100.0)):
        upright, up = np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 9.81])
        base = BaseMotion(upright, np.zeros(3), np.zeros(3), np.zeros(3))
        wrenches = np.array([[0.1 * force, 0.0, force, 0.0, 0.0, 0.0]] * 2)
        foot = np.array([up] * 2), np.zeros((2, 3)), np.zeros((2, 3))
        yield SensorReadings(
            tick * period_ns, np.full(joints, 0.1), np.full(joints, 0.01), *base[:2], up, *base[2:], wrenches, *foot
        )


class RobotState(NamedTuple):
    """Generalized coordinates and velocities of the robot model."""

    q: Array  # (nv,)
    v: Array  # (nv,)


@kernel
def pitch_of(quaternion: Array) -> float:
    """Compute the rotation about +y [rad] of a quaternion (x, y, z, w) that turns about y alone."""
    return 2.0 * math.atan2(quaternion[1], quaternion[3])


@kernel
def sagittal_state(
    root: int, joint_position: Array, joint_velocity: Array, quaternion: Array, angular_velocity: Array,
    position: Array, linear_velocity: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Build q and v, shapes (root + n,), from base pose, twist in base_link and joints; root is 2 or 3 (with pitch)."""
    n = joint_position.shape[0]
    q, v = np.empty(root + n), np.empty(root + n)
    pitch = pitch_of(quaternion)
    c, s = math.cos(pitch), math.sin(pitch)
    q[0], q[1] = position[0], position[2]
    v[0] = c * linear_velocity[0] + s * linear_velocity[2]
    v[1] = -s * linear_velocity[0] + c * linear_velocity[2]
    if root == 3:
        q[2], v[2] = pitch, angular_velocity[1]
    copy_vector(joint_position, q, root)
    copy_vector(joint_velocity, v, root)
    return q, v


@kernel
def robot_state(readings: SensorReadings, root: int) -> RobotState:
    """Build the state of a sagittal robot whose base has ``root`` coordinates."""
    q, v = sagittal_state(
        root, readings.joint_position, readings.joint_velocity, readings.orientation_base_in_world,
        readings.angular_velocity_in_base, readings.position_base_in_odom, readings.linear_velocity_in_base,
    )  # fmt: skip
    return RobotState(q, v)


class RawReadings(NamedTuple):
    """One sample of a humanoid's sensors, each in its own frame; feet left, right; joints in the robot's order."""

    stamp_ns: int
    joint_position: Array  # (n,) [rad]
    joint_velocity: Array  # (n,) [rad/s]
    imu: Array  # (6,) angular velocity [rad/s], specific force [m/s^2] in the IMU; +g up at rest
    foot_imus: Array  # (2, 6) the same of the feet's IMUs
    force_torque: Array  # (2, 6) force [N], moment [N m] of ground and weight on what hangs below each sensor
    foot_position: Array = NO_FOOT_SENSOR  # (2, 3) of the soles' origins, from outside the robot [m]


class BaseMotion(NamedTuple):
    """External motion of the base, with the fields of :class:`SensorReadings`."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    angular_velocity_in_base: Array  # (3,) [rad/s]
    position_base_in_odom: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]


def base_motion(readings: SensorReadings) -> BaseMotion:
    """Return the base's motion of readings, in new arrays."""
    return BaseMotion(*(np.array(getattr(readings, name), dtype=float) for name in BaseMotion._fields))


class HumanoidReadings(NamedTuple):
    """Readings at one instant: every sensor, and the motion of the base where it is measured otherwise."""

    raw: RawReadings
    base: BaseMotion | None = None

    @property
    def stamp_ns(self) -> int:
        """Return the stamp of the sensors [ns]."""
        return self.raw.stamp_ns

    @property
    def joint_position(self) -> Array:
        """Return the joint positions (n,) [rad]."""
        return self.raw.joint_position

    @property
    def joint_velocity(self) -> Array:
        """Return the joint velocities (n,) [rad/s]."""
        return self.raw.joint_velocity

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Watches whether sensors can be believed and whether the robot still stands; every finding has a name.

Each check looks for something that a working sensor does not do: a number that stands still while the joints move, a
floor that pulls, a load on the foot that is in the air. ``health_checks`` has the kernels; here they get words.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import without_dispatch
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.health_checks import (
    CONSTANT_ENCODER,
    CONSTANT_IMU,
    CONSTANT_ODOMETRY,
    CONSTANT_WRENCH,
    FALL,
    IMPLAUSIBLE,
    JOINT_LIMIT,
    JOINT_SPEED,
    NOT_FINITE,
    ODOMETRY_JUMP,
    SATURATED_IMU,
    SATURATED_WRENCH,
    SENSORS,
    SWAPPED_FEET,
    UNBALANCED,
    WELL,
    WRONG_SIGN,
    WRONG_VELOCITY,
    ZERO_WRENCH,
    Frame,
    fresh_memory,
    health_check,
)
from biped_slip.estimation.readings import Problem, SensorReadings, sagittal_state
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot


class FrozenInputs:
    """Finds sensors of which no number changes: mock hardware, or a driver that sends its last values for ever.

    A robot that stands still does not do that: its sensors have noise, and its forces tremble in the last digit.

    Args:
        limit: for how long every number may stand still [s].
    """

    def __init__(self, limit: float = 0.1) -> None:
        self._limit = limit
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._last: Array | None = None
        self._still = 0.0  # [s]

    def step(self, readings: SensorReadings, dt: float) -> Problem | None:
        """What is wrong with a reading, dt [s] after the last one."""
        numbers = np.concatenate(
            (
                readings.joint_position,
                readings.joint_velocity,
                readings.specific_force_in_base,
                readings.angular_velocity_in_base,
                readings.wrench_ground_on_foot_in_sole.ravel(),
            )
        )
        same = self._last is not None and np.array_equal(numbers, self._last)
        self._still, self._last = self._still + dt if same else 0.0, numbers
        if self._still <= self._limit:
            return None
        return Problem("frozen input", f"no number of joints, IMU and wrenches has changed for {self._limit:g} s")


FEET = ("left", "right")
UNIT = 0.01  # by which the norm of a quaternion may differ from 1
_WORDS: dict[int, tuple[str, str, bool]] = {  # name, detail, severe
    NOT_FINITE: ("input not finite", "a number of {sensor}", False),
    IMPLAUSIBLE: ("implausible input", "{sensor} is beyond anything a robot does", False),
    JOINT_LIMIT: ("joint limit", "{joint} is past the end of its range", True),
    JOINT_SPEED: ("joint speed", "{joint} is faster than its limit", True),
    FALL: ("fall", "the base has come too close to the floor", True),
    CONSTANT_WRENCH: ("constant wrench", "the {foot} foot's stands still while the joints move", False),
    SATURATED_WRENCH: ("saturated sensor", "an axis of the {foot} foot's wrench stays at one large value", False),
    CONSTANT_IMU: ("constant IMU", "stands still while the joints move", False),
    SATURATED_IMU: ("saturated sensor", "an axis of the IMU stays at one large value", False),
    CONSTANT_ENCODER: ("constant encoder", "{joint} stands still, says its position, and moves, says its speed", False),
    WRONG_VELOCITY: ("wrong velocity", "{joint} moves otherwise than its velocity says", False),
    WRONG_SIGN: ("wrong sign", "the floor pulls at the {foot} foot", False),
    SWAPPED_FEET: ("swapped feet", "the wrenches fit each other's foot; the {foot} one is higher", False),
    CONSTANT_ODOMETRY: ("constant odometry", "stands still while the joints move", False),
    ODOMETRY_JUMP: ("odometry jump", "the base is somewhere else all of a sudden", True),
    UNBALANCED: ("unbalanced forces", "the wrenches are not what moves the body, say IMU and encoders", False),
    ZERO_WRENCH: ("zero wrench", "no foot carries a load, yet the robot is held up", False),
}


@configuration
class HealthConfig(Configuration):
    """When a sensor is not believed."""

    stuck_time: float = parameter(
        0.004, unit="s", low=0.0, high=10.0, doc="a number that stands still for longer is stuck",
        safe_direction="lower",
    )  # fmt: skip
    contradiction_time: float = parameter(
        0.004, unit="s", low=0.0, high=10.0, doc="wrong sign and swapped feet must last longer", safe_direction="lower"
    )
    unloaded_time: float = parameter(
        0.02, unit="s", low=0.0, high=10.0, doc="no load at all must last longer", safe_direction="lower"
    )
    stuck_travel: float = parameter(
        0.02, unit="rad", above=0.0, high=1.0, doc="what a joint turns before its encoder is stuck"
    )
    clearance: float = parameter(
        0.03, unit="m", low=0.0, high=1.0, doc="a foot that is higher than the other is in the air"
    )
    light: float = parameter(0.05, above=0.0, high=1.0, doc="share of the body weight that counts as no load")
    heavy: float = parameter(0.3, above=0.0, high=1.0, doc="share that counts as a load")
    largest_force: float = parameter(
        50.0, above=0.0, high=1e6, doc="body weights; a larger force is implausible", safe_direction="lower"
    )
    joint_margin: float = parameter(
        0.2, unit="rad", low=0.0, high=10.0, doc="past the description's range before it is a fault",
        safe_direction="lower",
    )  # fmt: skip
    fall_height: float = parameter(
        0.55, low=0.0, high=1.0, doc="share of the height over straight legs; lower is a fall", safe_direction="higher"
    )
    disagreement: float = parameter(
        0.01, unit="rad", above=0.0, high=1.0, safe_direction="lower",
        doc="by which a joint's position may move otherwise than its velocity says within 50 ms",
    )  # fmt: skip
    disagreeing_share: float = parameter(
        0.25, low=0.0, high=1.0, doc="of the way that the velocity says, on top: velocities may lag",
        safe_direction="lower",
    )  # fmt: skip
    imbalance: float = parameter(
        0.08, above=0.0, high=100.0, safe_direction="lower",
        doc="body weights along the weight by which the wrenches may differ from what moves the body",
    )  # fmt: skip
    sideways: float = parameter(
        0.15, above=0.0, high=100.0, doc="the same across the weight, for longer than a push", safe_direction="lower"
    )
    push_time: float = parameter(
        0.5, unit="s", above=0.0, high=10.0, doc="a longer push from the side is none",
        safe_direction="lower",
    )  # fmt: skip


class HealthWatch:
    """Watches the readings of one robot.

    Args:
        robot: whose sensors.
        config: thresholds.
        height: of the base over the soles with straight legs [m]; 0: falls are not watched for.
        slope: of the floor [rad].
    """

    def __init__(self, robot: Robot, config: HealthConfig, height: float, slope: float = 0.0) -> None:
        lower, upper = robot.position_limits
        weight = robot.mass * GRAVITY
        self._frame = Frame(robot.root_size, lower, upper, robot.velocity_limits, weight, height, slope)
        self._joints, self._config = robot.joints, config.packed
        self._imu, self._odometry, self._wrench = np.zeros(6), np.zeros(6), np.zeros((2, 6))
        self.reset()
        coordinates = np.zeros(robot.root_size + len(robot.joints))
        told = (self._wrench, self._imu, self._odometry)
        example = (self._memory, coordinates, coordinates, *told, self._frame, self._config, 0.0)
        self._kernel: Any = without_dispatch(health_check(model_functions(robot)), *example)

    def retune(self, config: HealthConfig) -> None:
        """Set other thresholds from now on."""
        self._config = config.packed

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._memory = fresh_memory(len(self._joints))

    def step(self, readings: SensorReadings, dt: float) -> Problem | None:
        """What is wrong with a reading, dt [s] after the last one."""
        if (turned := wrong_attitude(readings.orientation_base_in_world)) != WELL:
            return health_problem(turned, 1, self._joints)
        self._imu[:3] = readings.specific_force_in_base
        self._imu[3:] = readings.angular_velocity_in_base
        q, v = sagittal_state(
            self._frame.root, readings.joint_position, readings.joint_velocity, readings.orientation_base_in_world,
            readings.angular_velocity_in_base, readings.position_base_in_odom, readings.linear_velocity_in_base,
        )  # fmt: skip
        self._wrench[:] = readings.wrench_ground_on_foot_in_sole
        self._odometry[:3], self._odometry[3:] = readings.position_base_in_odom, readings.linear_velocity_in_base
        told = (self._wrench, self._imu, self._odometry)
        code, which = self._kernel(self._memory, q, v, *told, self._frame, self._config, dt)
        return None if code == WELL else health_problem(code, which, self._joints)


def wrong_attitude(quaternion: Array) -> int:
    """A finding where a quaternion (4,) is none."""
    square = float(quaternion @ quaternion)
    if not math.isfinite(square):
        return NOT_FINITE
    return WELL if abs(square - 1.0) <= 2.0 * UNIT else IMPLAUSIBLE


def health_problem(code: int, which: int, joints: Sequence[str]) -> Problem:
    """A finding of the kernels in words."""
    name, detail, severe = _WORDS[code]
    joint, foot = joints[which % len(joints)], FEET[which % 2]
    return Problem(name, detail.format(joint=joint, foot=foot, sensor=SENSORS[which % 4]), severe)

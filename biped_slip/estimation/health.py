# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Findings about a robot's health: what may be wrong, in which words, and from when on.

A finding is a code, as kernels answer it, and a sentence for people. What looks for it
stands elsewhere: the judge of every number in ``readings.py`` and the residuals in
``residuals.py``, which hold sensors against each other. :class:`FrozenInputs` below
finds the inputs of a machine that is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import FEET, GRAVITY
from biped_slip.estimation.readings import Problem, ReadingsJudge, SensorReadings
from biped_slip.robots.robot import Robot

#: A finding, and which foot or joint it is about; as kernels answer it.
Found = tuple[int, int]

#: Findings, by code.
WELL, JOINT_LIMIT, JOINT_SPEED, FALL = range(4)
CONSTANT_WRENCH, SATURATED_WRENCH, CONSTANT_IMU, SATURATED_IMU, CONSTANT_ODOMETRY = (
    range(4, 9)
)
(
    WRONG_SIGN,
    SWAPPED_FEET,
    ZERO_WRENCH,
    UNBALANCED,
    WRONG_VELOCITY,
    WRONG_TWIST,
    WRONG_LEG,
    UNANSWERED,
) = range(9, 17)

MOTION_WINDOW = 0.1  # [s] over which two accounts of one motion are compared (choice)


class Sentence(NamedTuple):
    """A finding in words."""

    name: str  # a few fixed words for programs
    detail: str  # for people; {joint} and {foot} stand for what it is about
    severe: bool = False  # no waiting for it to pass


SENTENCES: dict[int, Sentence] = {
    JOINT_LIMIT: Sentence(
        "joint limit", "{joint} is past the end of its range", severe=True
    ),
    JOINT_SPEED: Sentence(
        "joint speed", "{joint} is faster than its limit", severe=True
    ),
    FALL: Sentence("fall", "the base has come too close to the floor", severe=True),
    CONSTANT_WRENCH: Sentence(
        "constant wrench", "the {foot} foot's stands still while the joints move"
    ),
    SATURATED_WRENCH: Sentence(
        "saturated sensor",
        "an axis of the {foot} foot's wrench stays at one large value",
    ),
    CONSTANT_IMU: Sentence(
        "constant IMU", "it, or an axis of it, stands still while the joints move"
    ),
    SATURATED_IMU: Sentence(
        "saturated sensor", "an axis of the IMU stays at one large value"
    ),
    CONSTANT_ODOMETRY: Sentence(
        "constant odometry", "stands still while the joints move"
    ),
    WRONG_SIGN: Sentence("wrong sign", "the floor pulls at the {foot} foot"),
    SWAPPED_FEET: Sentence(
        "swapped feet", "the wrenches fit each other's foot; the {foot} one is higher"
    ),
    ZERO_WRENCH: Sentence(
        "zero wrench", "no foot carries a load, yet the robot is held up"
    ),
    UNBALANCED: Sentence(
        "unbalanced forces",
        "the wrenches are not what moves the body, say IMU and encoders",
    ),
    WRONG_VELOCITY: Sentence(
        "wrong velocity", "{joint} moves otherwise than its velocity says"
    ),
    WRONG_TWIST: Sentence(
        "wrong twist",
        "the base moves otherwise than twist, gyroscope or accelerometers say",
    ),
    WRONG_LEG: Sentence(
        "wrong leg",
        "load or gyroscope of the {foot} foot, its encoders and the base do not agree",
    ),
    UNANSWERED: Sentence(
        "unanswered torque",
        "{joint} moves otherwise than its torque and the ground's forces ask",
    ),
}


def health_problem(found: Found, joints: Sequence[str]) -> Problem | None:
    """Describe a finding of the kernels."""
    code, which = found
    if code == WELL:
        return None
    sentence = SENTENCES[code]
    joint = joints[which % len(joints)]
    foot = FEET[which % 2]
    detail = sentence.detail.format(joint=joint, foot=foot)
    return Problem(sentence.name, detail, sentence.severe)


_LOWER: Any = {"safe_direction": "lower"}
_TIME: Any = {"unit": "s", "low": 0.0, "high": 10.0, **_LOWER}
_SHARE: Any = {"above": 0.0, "high": 100.0, **_LOWER}


@configuration
class HealthConfig(Configuration):
    """Thresholds of the health checks."""

    stuck_time: float = parameter(
        0.004, doc="a number that stands still for longer is stuck", **_TIME
    )
    contradiction_time: float = parameter(
        0.004, doc="wrong sign and swapped feet must last longer", **_TIME
    )
    unloaded_time: float = parameter(
        0.02, doc="no load at all must last longer", **_TIME
    )
    clearance: float = parameter(
        0.03,
        unit="m",
        low=0.0,
        high=1.0,
        doc="a foot so much higher than the other is in air",
    )
    light: float = parameter(
        0.05, above=0.0, high=1.0, doc="share of the body weight that counts as no load"
    )
    heavy: float = parameter(
        0.3, above=0.0, high=1.0, doc="share that counts as a load"
    )
    largest_force: float = parameter(
        50.0, above=0.0, high=1e6, doc="body weights; more is implausible", **_LOWER
    )
    joint_margin: float = parameter(
        0.2, unit="rad", low=0.0, high=10.0, doc="past the range is a fault", **_LOWER
    )
    fall_height: float = parameter(
        0.55,
        low=0.0,
        high=1.0,
        doc="share of the height over straight legs; lower is a fall",
        safe_direction="higher",
    )
    disagreement: float = parameter(
        0.005,
        unit="rad",
        above=0.0,
        high=1.0,
        **_LOWER,
        doc="or m, by which a joint, the base or a foot may move otherwise within 0.1 "
        "s than another sensor says",
    )
    disagreeing_gain: float = parameter(
        0.05, low=0.0, high=1.0, doc="share of what the other says, on top", **_LOWER
    )
    disagreeing_lag: float = parameter(
        0.005, unit="s", low=0.0, high=0.1, doc="by which one may be late", **_LOWER
    )
    leg_give: float = parameter(
        0.012,
        unit="rad",
        low=0.0,
        high=1.0,
        **_LOWER,
        doc="by which the joints of a leg may move otherwise than their velocities say "
        "for each body weight that has come onto it along the floor within 0.1 s; a "
        "leg of 0.8 m and 10^5 N/m bends by so much under 930 N",
    )
    unanswered: float = parameter(
        0.03,
        doc="of a joint's torque limit by which its torque may differ from what moves "
        "it over 50 ms",
        **_SHARE,
    )
    imbalance: float = parameter(
        0.015,
        doc="body weights by which wrenches may differ from what moves the body along "
        "the weight",
        **_SHARE,
    )
    turning: float = parameter(
        0.05,
        doc="body weights times height by which their moments may, likewise",
        **_SHARE,
    )
    sideways: float = parameter(
        0.1, doc="body weights across the weight, for longer than a push", **_SHARE
    )
    push_time: float = parameter(
        0.5, unit="s", above=0.0, high=10.0, doc="a longer push is none", **_LOWER
    )


def judge_of(
    robot: Robot,
    config: HealthConfig | None = None,
    absent: frozenset[str] = frozenset(),
    needed: Sequence[int] = (),
) -> ReadingsJudge:
    """Make the plausibility check of all readings of a robot's sensors.

    Args:
        robot: whose sensors.
        config: with the largest plausible force.
        absent: fields of sensors that the robot has not.
        needed: places of the joints whose torques are needed.
    """
    return ReadingsJudge(
        speeds=robot.velocity_limits,
        weight=robot.mass * GRAVITY,
        most=(config or HealthConfig()).largest_force,
        absent=absent,
        needed={robot.joints[place]: place for place in needed},
    )


class FrozenInputs:
    """Detector of numbers that never change, as of mock hardware.

    Those of a robot that stands still have noise.
    """

    _last: Array | None = None
    _still = 0.0  # [s]

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._last = None
        self._still = 0.0

    def step(self, readings: SensorReadings, dt: float) -> Problem | None:
        """Check a reading, dt [s] after the last one."""
        numbers = np.concatenate(
            (
                readings.joint_position,
                readings.joint_velocity,
                readings.specific_force_in_base,
                readings.angular_velocity_in_base,
                readings.wrench_ground_on_foot_in_sole.ravel(),
            )
        )
        return self.look(numbers, dt, "joints, IMU and wrenches")

    def look(self, numbers: Array, dt: float, of: str) -> Problem | None:
        """Check numbers (m,) of any sensors, dt [s] after the last ones.

        Args:
            numbers: of the sensors, whatever their units.
            dt: time since the last ones [s].
            of: the sensors in words.
        """
        same = self._last is not None and np.array_equal(numbers, self._last)
        self._still = self._still + dt if same else 0.0
        self._last = numbers
        if self._still <= MOTION_WINDOW:
            return None
        return Problem(
            "frozen input",
            f"no number of {of} has changed for {MOTION_WINDOW:g} s",
        )

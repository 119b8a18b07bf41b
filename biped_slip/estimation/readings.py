# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings of one instant, and the robot's state from them.

Beside them are their problems, and the plausibility of every number.

Readings, friction estimates, commands and samples of recordings pass the judge below
once, on every node; what has passed is :class:`Judged`, and the loop takes nothing
else.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import (
    Any,
    Callable,
    Generic,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
    TypeVar,
)

import numpy as np

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType, kernel, unrolled
from biped_slip.estimation.magnitudes import (
    IMPLAUSIBLE_ACCELERATION,
    IMPLAUSIBLE_PLACE,
    IMPLAUSIBLE_SPEED,
    IMPLAUSIBLE_SPIN,
    IMPLAUSIBLE_TORQUE,
    IMPLAUSIBLE_TURN,
)
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate


class Problem(NamedTuple):
    """Problem with a name for programs and a sentence for people."""

    name: str  # a few fixed words, the same for every occurrence
    detail: str  # which sensor or joint, value and limit
    severe: bool = False  # no waiting for it to pass

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}"


MOST_OF_A_NAME = 16  # sentences (choice)
MOST_IN_ALL = 128
LONGEST_SENTENCE = 300  # characters


class NamedCounter(Counter[str]):
    """Counter of sentences ``name: detail``.

    Beyond a number of details the rest of a name is counted together.

    A hostile sender must not grow them.
    """

    def __setitem__(self, sentence: str, count: int) -> None:
        super().__setitem__(self._bounded(sentence), count)

    def __getitem__(self, sentence: str) -> int:
        return super().__getitem__(self._bounded(sentence))

    def _bounded(self, sentence: str) -> str:
        sentence = sentence[:LONGEST_SENTENCE]
        if sentence in self:
            return sentence
        name = sentence.partition(":")[0]
        of_name = sum(known.partition(":")[0] == name for known in self)
        if len(self) >= MOST_IN_ALL:
            return "others: of further names"
        return f"{name}: others" if of_name >= MOST_OF_A_NAME else sentence


SECOND = 1_000_000_000  # [ns]


def half_period(period: float) -> int:
    """Return half of a period [s] in [ns]: stamps that differ by less are one instant.

    Messages of one control cycle need not have equal stamps: broadcasters read the
    clock one after the other, some microseconds apart.
    """
    return max(round(0.5 * SECOND * period), 1)


# of a control period, by which a time may exceed a whole number of them (choice)
PERIOD_JITTER = 0.05


def whole_periods(time: float, period: float) -> int:
    """Count whole control periods (each ``period`` [s]) in a time [s], rounded up."""
    return math.ceil(time / period - PERIOD_JITTER)


def one_instant(first_ns: int, second_ns: int, half_ns: int) -> bool:
    """Return whether two stamps [ns] are the same instant of a loop."""
    return abs(first_ns - second_ns) < half_ns


NO_FOOT_SENSOR: Array = np.full((2, 3), np.nan)  # of a robot without it


# of a robot whose motors do not say their currents; the judge makes NaN (n,) of it
NO_JOINT_TORQUE: Array = np.empty(0)


class SensorReadings(NamedTuple):
    """One sample of every sensor, the content of a robot's ROS messages.

    The feet are left, right; the joints are in the robot's order.

    What comes after the wrenches not every robot has; NaN says that it is not there.

    Attributes:
        stamp_ns: time of the sample [ns].
        joint_position: (n,) angles of the joints [rad].
        joint_velocity: (n,) of the joints [rad/s].
        orientation_base_in_world: (4,) quaternion x, y, z, w.
        angular_velocity_in_base: (3,) [rad/s].
        specific_force_in_base: (3,) [m/s^2]; +g up at rest.
        position_base_in_odom: (3,) [m].
        linear_velocity_in_base: (3,) [m/s].
        wrench_ground_on_foot_in_sole: (2, 6) force [N], moment [N m] about the sole's
            origin.
        foot_specific_force_in_sole: (2, 3) IMU at the sole's origin [m/s^2].
        foot_angular_velocity_in_sole: (2, 3) [rad/s].
        foot_position_in_world: (2, 3) of the sole's origin, from outside the robot [m].
    """

    stamp_ns: int
    joint_position: Array
    joint_velocity: Array
    orientation_base_in_world: Array
    angular_velocity_in_base: Array
    specific_force_in_base: Array
    position_base_in_odom: Array
    linear_velocity_in_base: Array
    wrench_ground_on_foot_in_sole: Array
    foot_specific_force_in_sole: Array = NO_FOOT_SENSOR
    foot_angular_velocity_in_sole: Array = NO_FOOT_SENSOR
    foot_position_in_world: Array = NO_FOOT_SENSOR


class OwnReadings(SensorReadings):
    """Sensor readings of whole shapes in contiguous doubles.

    Kernels are compiled for these: others would be misread.
    """

    __slots__ = ()

    def _replace(self, **changes: Any) -> SensorReadings:  # type: ignore[override]
        return SensorReadings._make(self)._replace(**changes)

    __replace__ = _replace  # copy.replace, since Python 3.13


def own(readings: Any) -> Any:
    """Make contiguous arrays of doubles of any readings."""
    if type(readings) is OwnReadings:
        return readings
    whole = int, np.integer  # stamps
    parts = [
        part if isinstance(part, whole) else np.ascontiguousarray(part, float)
        for part in readings
    ]
    if type(readings) is not SensorReadings:
        return readings._make(parts)
    first, second, *rest = (np.shape(part) for part in parts[1:])
    whole_shapes = len(first) == 1 and first == second and rest == REST_SHAPES
    return (OwnReadings if whole_shapes else SensorReadings)._make(parts)


REST_SHAPES = [
    (4,),
    (3,),
    (3,),
    (3,),
    (3,),
    (2, 6),
    (2, 3),
    (2, 3),
    (2, 3),
]  # of sensor readings, after the joints
# fields that every robot fills
WRENCH_FIELD = SensorReadings._fields.index("wrench_ground_on_foot_in_sole") + 1


def trial_readings(joints: int, period_ns: int = 1_000_000) -> Iterator[SensorReadings]:
    """Yield a few plausible readings, each foot loaded in turn, to warm up a loop."""
    for tick, force in enumerate((100.0, 100.0, 100.0, -100.0, -100.0, -100.0)):
        up = np.array([0.0, 0.0, 9.81])
        wrenches = np.array([[0.1 * force, 0.0, force, 0.0, 0.0, 0.0]] * 2)
        yield SensorReadings(
            stamp_ns=tick * period_ns,
            joint_position=np.full(joints, 0.1),
            joint_velocity=np.full(joints, 0.01),
            orientation_base_in_world=np.array([0.0, 0.0, 0.0, 1.0]),
            angular_velocity_in_base=np.zeros(3),
            specific_force_in_base=up,
            position_base_in_odom=np.zeros(3),
            linear_velocity_in_base=np.zeros(3),
            wrench_ground_on_foot_in_sole=wrenches,
            foot_specific_force_in_sole=np.array([up] * 2),
            foot_angular_velocity_in_sole=np.zeros((2, 3)),
            foot_position_in_world=np.zeros((2, 3)),
        )


class RobotState(NamedTuple):
    """Generalized coordinates and velocities of the robot model."""

    q: Array  # (nv,)
    v: Array  # (nv,)


@kernel
def pitch_of(quaternion: Array) -> float:
    """Compute the rotation about +y, at most pi [rad], of a quaternion.

    The quaternion (x, y, z, w) is about y alone, of either sign.
    """
    return 2.0 * math.atan2(
        math.copysign(1.0, quaternion[3]) * quaternion[1], abs(quaternion[3])
    )


@kernel
def sagittal_state(
    root: int,
    joint_position: Array,
    joint_velocity: Array,
    quaternion: Array,
    angular_velocity: Array,
    position: Array,
    linear_velocity: Array,
) -> tuple[Array, Array]:
    """Build q and v, shapes (root + n,).

    They are from base pose, twist in base_link and joints; root is 2 or 3 (with pitch).
    """
    n = joint_position.shape[0]
    q = np.empty(root + n)
    v = np.empty(root + n)
    pitch = pitch_of(quaternion)
    c = math.cos(pitch)
    s = math.sin(pitch)
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
        root,
        readings.joint_position,
        readings.joint_velocity,
        readings.orientation_base_in_world,
        readings.angular_velocity_in_base,
        readings.position_base_in_odom,
        readings.linear_velocity_in_base,
    )
    return RobotState(q, v)


class RawReadings(NamedTuple):
    """One sample of a humanoid's sensors, each in its own frame.

    The feet are left, right; the joints are in the robot's order.

    Attributes:
        stamp_ns: time of the sample [ns].
        joint_position: (n,) angles of the joints [rad].
        joint_velocity: (n,) of the joints [rad/s].
        imu: (6,) angular velocity [rad/s], specific force [m/s^2] in the IMU; +g up at
            rest.
        foot_imus: (2, 6) the same of the feet's IMUs.
        force_torque: (2, 6) force [N], moment [N m] of ground and weight on what hangs
            below each sensor.
        foot_position: (2, 3) of the soles' origins, from outside the robot [m].
        joint_torque: (n,) [N m] at the joints as the motors' currents say it, the
            friction of motor and gear included; NaN where none.
    """

    stamp_ns: int
    joint_position: Array
    joint_velocity: Array
    imu: Array
    foot_imus: Array
    force_torque: Array
    foot_position: Array = NO_FOOT_SENSOR
    joint_torque: Array = NO_JOINT_TORQUE


class BaseMotion(NamedTuple):
    """External motion of the base, with the fields of :class:`SensorReadings`."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    angular_velocity_in_base: Array  # (3,) [rad/s]
    position_base_in_odom: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]


def base_motion(readings: SensorReadings) -> BaseMotion:
    """Return the base's motion of readings, in new arrays."""
    return BaseMotion(
        *(np.array(getattr(readings, name), dtype=float) for name in BaseMotion._fields)
    )


class HumanoidReadings(NamedTuple):
    """Readings of every sensor at one instant.

    With them is the motion of the base where it is measured otherwise.

    Attributes:
        raw: of the sensors, each in its own frame.
        base: pose and velocity of the base, where they are measured otherwise; None: to
            be estimated.
    """

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


Record = TypeVar("Record")


class Range(NamedTuple):
    """Range of numbers, inclusive; arrays where each number has its own."""

    low: Any
    high: Any
    unknown: bool = False  # NaN says that there is no such quantity
    turn: bool = False  # the numbers are a unit quaternion


def within(most: Any, unknown: bool = False) -> Range:
    """Make the symmetric range up to a magnitude."""
    return Range(-np.asarray(most), np.asarray(most), unknown)


UNIT = 0.01  # by which the norm of a quaternion may differ from 1
# instead of the place of a wrong number
NONE_WRONG = -1
NO_TURN = -2
LANDED = 1e4  # [m/s^2] at a foot that lands: a policy's says 1200
WRENCHES = "wrench_ground_on_foot_in_sole", "force_torque"
#: What each field of readings may say, all but wrenches and the joints' velocities,
#: which depend on the robot.
RANGES: Mapping[str, Range] = {
    "joint_position": within(IMPLAUSIBLE_TURN),
    "orientation_base_in_world": within(1.0 + UNIT)._replace(turn=True),
    "angular_velocity_in_base": within(IMPLAUSIBLE_SPIN),
    "specific_force_in_base": within(IMPLAUSIBLE_ACCELERATION),
    "position_base_in_odom": within(IMPLAUSIBLE_PLACE),
    "linear_velocity_in_base": within(IMPLAUSIBLE_SPEED),
    "foot_specific_force_in_sole": within(LANDED, unknown=True),
    "foot_angular_velocity_in_sole": within(IMPLAUSIBLE_SPIN, unknown=True),
    "foot_position_in_world": within(IMPLAUSIBLE_PLACE, unknown=True),
    "imu": within(np.repeat([IMPLAUSIBLE_SPIN, IMPLAUSIBLE_ACCELERATION], 3)),
    "foot_imus": within(np.repeat([IMPLAUSIBLE_SPIN, LANDED], 3)),
    "foot_position": within(IMPLAUSIBLE_PLACE, unknown=True),
    "joint_torque": within(IMPLAUSIBLE_TORQUE, unknown=True),
}


@kernel
def first_wrong(
    parts: tuple[Array, ...], low: Array, high: Array, unknown: Array, turn: Array
) -> int:
    """Find the first number out of its range, or NONE_WRONG.

    It is NO_TURN if the numbers where ``turn`` is 1 are no unit quaternion.
    """
    at = 0
    found = NONE_WRONG
    beyond = 0.0
    for part in unrolled(parts):
        for value in part.flat:
            if (
                found < 0
                and not low[at] <= value <= high[at]
                and not (unknown[at] == 1.0 and np.isnan(value))
            ):
                found = at
            # of four numbers
            beyond += value * value - 0.25 if turn[at] == 1.0 else 0.0
            at += 1
    return NO_TURN if found < 0 and not abs(beyond) <= 2.0 * UNIT else found


@dataclass(frozen=True)
class Judged(Generic[Record]):
    """Record with plausible numbers, made by a :class:`Judge` alone."""

    record: Record


class Judge:
    """Plausibility check of all numbers of one kind of record.

    Args:
        ranges: by field; all that the records hold but their stamps.
        name: of the sender, for sentences; empty: the field's.
        shapes: of the fields; without them each is a number.
    """

    def __init__(
        self,
        ranges: Mapping[str, Range],
        name: str = "",
        shapes: Mapping[str, Any] | None = None,
    ) -> None:
        self._ranges, self.name, self._fields = ranges, name, attrgetter(*ranges)
        self._shapes = [shapes[field] for field in ranges] if shapes else []
        spread = [
            [
                np.broadcast_to(end, shapes[field] if shapes else ()).ravel()
                for end in limits
            ]
            for field, limits in ranges.items()
        ]
        self.limits = tuple(
            np.concatenate(each).astype(float) for each in zip(*spread, strict=True)
        )
        self._first_wrong: Callable[..., int] = (
            OfOneType(first_wrong) if shapes else first_wrong
        )
        # compiled
        self._first_wrong(
            tuple(np.zeros(shape) for shape in self._shapes or [len(ranges)]),
            *self.limits,
        )

    def problem(self, record: Any) -> Problem | None:
        """Name the implausible number of a record, if there is one.

        The record's arrays are ``own`` ones.
        """
        values = self._fields(record)
        parts = values if self._shapes else (np.array(values, float),)
        if self._shapes and (found := [part.shape for part in parts]) != self._shapes:
            rows = zip(self._ranges, found, self._shapes, strict=True)
            wrong = [
                f"{name} has the shape {has}, but must have {must}"
                for name, has, must in rows
                if has != must
            ]
            return Problem("wrong size", ", ".join(wrong).replace("_", " "))
        return self.described(record, self._first_wrong(parts, *self.limits))

    def described(self, record: Any, at: int) -> Problem | None:
        """Describe what ``first_wrong`` has found."""
        if at < 0:
            what = "the attitude is a quaternion whose norm is not 1"
            return Problem("implausible input", what) if at == NO_TURN else None
        fields = zip(self._ranges, self._fields(record), strict=True)
        owners = [(name, number) for name, of in fields for number in np.ravel(of)]
        name = owners[at][0]
        number = float(owners[at][1])
        what = f"{self.name}: {name}" if self.name else name.replace("_", " ")
        if not math.isfinite(number):
            return Problem("input not finite", f"a number of {what}")
        return Problem("implausible input", f"{what} of {number:g}")


NO_EFFORT_NEEDED: Mapping[str, int] = {}


def missing_efforts(torque: Array, joints: Sequence[str]) -> str:
    """Say which torques of the legs' motors are missing; empty: none.

    Args:
        torque: (n,) of the legs [N m]; NaN where none.
        joints: their names.
    """
    known = np.isfinite(torque)
    if known.all():
        return ""
    if not known.any():
        return "joint states have no effort: publish the motors' torques [N m] in it"
    silent = [name for name, there in zip(joints, known, strict=True) if not there]
    return f"the effort of {', '.join(silent)} is not a number"


def no_effort(what: str) -> Problem:
    """Name the problem of a robot whose forces come from torques that are not there."""
    return Problem("no effort", f"{what}; without it nothing tells the forces")


class ReadingsJudge:
    """Plausibility check of all numbers of one robot's sensors.

    Args:
        speeds: largest of the joints (n,) [rad/s];
            IMPLAUSIBLE_TURN times as much is believed.
        weight: of the robot [N].
        most: largest force and moment of a foot, in weights.
        absent: fields of sensors that the robot has not; they are NaN.
        needed: places, by their names, of the joints whose torques are needed.
    """

    def __init__(
        self,
        speeds: Array,
        weight: float,
        most: float,
        absent: frozenset[str] = frozenset(),
        needed: Mapping[str, int] = NO_EFFORT_NEEDED,
    ) -> None:
        self._speeds = speeds
        self._absent = absent
        self._needed = needed
        self._weight = weight
        self.retune(most)

    def retune(self, most: float) -> None:
        """Set the largest plausible force, in body weights."""
        force = within(most * self._weight)
        own = {
            "joint_velocity": within(IMPLAUSIBLE_TURN * self._speeds),
            **dict.fromkeys(WRENCHES, force),
        }
        every = {**RANGES, **own}
        for field in self._absent:
            every[field] = every[field]._replace(unknown=True)
        joints = self._speeds.shape
        shapes: dict[str, Any] = dict(
            zip(SensorReadings._fields[1:], (joints, joints, *REST_SHAPES), strict=True)
        )
        shapes |= {
            "imu": (6,),
            **dict.fromkeys(("foot_imus", "force_torque"), (2, 6)),
            "foot_position": (2, 3),
            "joint_torque": joints,
        }
        self.judge_of: Any = cache(
            lambda kind: Judge(
                {f: every[f] for f in kind._fields if f in every}, shapes=shapes
            )
        )

    def judge(self, readings: Record) -> Judged[Record] | Problem:
        """Return the readings of a robot as judged, or their problem.

        Judged readings have ``own`` arrays.
        """
        if not isinstance(readings, HumanoidReadings):
            record = own(readings)
            return self.judge_of(type(record)).problem(record) or Judged(record)
        raw = readings.raw
        if len(raw.joint_torque) == 0:
            raw = raw._replace(joint_torque=np.full(self._speeds.shape, np.nan))
        given = (raw, readings.base)
        parts = [own(part) for part in given if part is not None]
        problems = (self.judge_of(type(part)).problem(part) for part in parts)
        return (
            next(filter(None, problems), None)
            or self._without_effort(raw.joint_torque)
            or Judged(HumanoidReadings(*parts))
        )

    def _without_effort(self, torque: Array) -> Problem | None:
        """Name needed ones that are missing among the torques (n,) of all joints."""
        if not self._needed:
            return None
        legs = torque[list(self._needed.values())]
        what = missing_efforts(legs, tuple(self._needed))
        return no_effort(what) if what else None


# of forces: no floor and no glue holds more (choice)
RATIO_RANGE = Range(0.0, 10.0, unknown=True)
#: What an estimate of friction from elsewhere may say.
ESTIMATE: Mapping[str, Range] = {
    **dict.fromkeys(("mu", "mu_low", "mu_q05", "mu_median"), RATIO_RANGE),
    "mu_high": Range(0.0, np.inf, unknown=True),
    **dict.fromkeys(("usable", "flag", "slipping"), Range(0.0, 1.0)),
    "mu_demonstrated": RATIO_RANGE,
    "s_p": Range(0.0, 1.0, unknown=True),
    "force_ratio": Range(0.0, np.inf, unknown=True),
    **dict.fromkeys(
        ("known_after", "test_travel", "test_speed", "test_load"),
        within(IMPLAUSIBLE_PLACE, unknown=True),
    ),
    "state_code": Range(min(EstimateState), max(EstimateState)),
}
# [m/s, rad/s] nothing walks so
COMMAND: Mapping[str, Range] = dict.fromkeys(("forward", "left", "turn"), within(10.0))


def estimate_problem(judge: Judge, estimate: FrictionEstimate) -> Problem | None:
    """Name the problem of an external estimate."""
    if estimate.state_code not in KNOWN_STATES:
        return Problem(
            "unknown state",
            f"{judge.name}: state_code of {float(estimate.state_code):g}",
        )
    return judge.problem(estimate)


KNOWN_STATES = frozenset(map(int, EstimateState))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Plausibility of every number from outside, checked once: finite, and within the range of sensor or sender.

Readings, friction estimates, commands and samples of recordings pass here, on every node; what has passed is
:class:`Judged`, and the loop takes nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, Mapping, NamedTuple, TypeVar

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, Problem, RawReadings, SensorReadings
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate

Record = TypeVar("Record")


class Range(NamedTuple):
    """Range of numbers, inclusive; arrays where each number has its own."""

    low: Any
    high: Any
    unknown: bool = False  # NaN says that there is no such quantity


def within(most: Any, unknown: bool = False) -> Range:
    """Make the symmetric range up to a magnitude."""
    return Range(-np.asarray(most), np.asarray(most), unknown)


FAR, FAST, HARD, SPIN, TURNS = 1e6, 100.0, 1000.0, 200.0, 100.0  # [m] [m/s] [m/s^2] [rad/s] [rad] no robot does more
UNIT = 0.01  # by which the norm of a quaternion may differ from 1
LANDED = 1e4  # [m/s^2] at a foot that lands: a policy's says 1200
WRENCHES = "wrench_ground_on_foot_in_sole", "force_torque"
#: What each field of readings may say, all but wrenches and the joints' velocities, which depend on the robot.
RANGES: Mapping[str, Range] = {
    "joint_position": within(TURNS), "orientation_base_in_world": within(1.0 + UNIT),
    "angular_velocity_in_base": within(SPIN), "specific_force_in_base": within(HARD),
    "position_base_in_odom": within(FAR), "linear_velocity_in_base": within(FAST),
    "foot_specific_force_in_sole": within(LANDED, unknown=True),
    "foot_angular_velocity_in_sole": within(SPIN, unknown=True), "foot_position_in_world": within(FAR, unknown=True),
    "imu": within(np.repeat([SPIN, HARD], 3)), "foot_imus": within(np.repeat([SPIN, LANDED], 3)),
    "foot_position": within(FAR, unknown=True),
}  # fmt: skip


@kernel
def first_wrong(values: Array, low: Array, high: Array, unknown: Array) -> int:
    """Find the first number (n,) out of its range; NaN is in it where ``unknown`` is 1; −1: none."""
    for i in range(values.shape[0]):
        if not low[i] <= values[i] <= high[i] and not (unknown[i] == 1.0 and np.isnan(values[i])):
            return i
    return -1


@dataclass(frozen=True)
class Judged(Generic[Record]):
    """Record with plausible numbers, made by a :class:`Judge` alone."""

    record: Record


class Judge:
    """Plausibility check of all numbers of one kind of record.

    Args:
        ranges: by field; all that the records hold but their stamps.
        name: of the sender, for sentences; empty: the field's.
    """

    def __init__(self, ranges: Mapping[str, Range], name: str = "") -> None:
        self._ranges, self.name = ranges, name
        self._fields = attrgetter(*ranges)
        self._limits: tuple[Array, Array, Array] | None = None  # flat, once the shapes are known

    def problem(self, record: Any) -> Problem | None:
        """Name the implausible number of a record, if there is one."""
        values = self._fields(record)
        flat = np.concatenate(values, axis=None) if isinstance(values[0], np.ndarray) else np.array(values, float)
        if self._limits is None or len(self._limits[0]) != len(flat):
            spread = [[np.broadcast_to(end, np.shape(of)).ravel() for end in limits]
                      for limits, of in zip(self._ranges.values(), values, strict=True)]  # fmt: skip
            low, high, unknown = (np.concatenate(each).astype(float) for each in zip(*spread, strict=True))
            self._limits = low, high, unknown
        at = first_wrong(flat, *self._limits)
        if at < 0:
            return None
        owners = [name for name, of in zip(self._ranges, values, strict=True) for _ in range(np.size(of))]
        what = f"{self.name}: {owners[at]}" if self.name else owners[at].replace("_", " ")
        if not math.isfinite(flat[at]):
            return Problem("input not finite", f"a number of {what}")
        return Problem("implausible input", f"{what} of {flat[at]:g}")


class ReadingsJudge:
    """Plausibility check of all numbers of one robot's sensors.

    Args:
        speeds: largest of the joints (n,) [rad/s]; TURNS times as much is believed.
        weight: of the robot [N].
        most: largest force and moment of a foot, in weights.
    """

    def __init__(self, speeds: Array, weight: float, most: float) -> None:
        self._speeds, self._weight = speeds, weight
        self.retune(most)

    def retune(self, most: float) -> None:
        """Set the largest plausible force, in body weights."""
        force = within(most * self._weight)
        own = {"joint_velocity": within(TURNS * self._speeds), **dict.fromkeys(WRENCHES, force)}
        every = {**RANGES, **own}
        self._judges = {kind: Judge({field: every[field] for field in kind._fields if field in every})
                        for kind in (SensorReadings, RawReadings, BaseMotion)}  # fmt: skip

    def judge(self, readings: Record) -> Judged[Record] | Problem:
        """Return the readings of a robot as judged, or their problem."""
        records: tuple[Any, ...] = readings if isinstance(readings, HumanoidReadings) else (readings,)
        for record in records:
            if record is not None and (problem := self._judges[type(record)].problem(record)):
                return problem
            turn = getattr(record, "orientation_base_in_world", None)
            if turn is not None and not abs(float(turn @ turn) - 1.0) <= 2.0 * UNIT:
                return Problem("implausible input", "the attitude is a quaternion whose norm is not 1")
        return Judged(readings)


RATIO = Range(0.0, 10.0, unknown=True)  # of forces: no floor and no glue holds more (choice)
#: What an estimate of friction from elsewhere may say.
ESTIMATE: Mapping[str, Range] = {
    **dict.fromkeys(("mu", "mu_low", "mu_q05", "mu_median"), RATIO),
    "mu_high": Range(0.0, np.inf, unknown=True),
    **dict.fromkeys(("usable", "flag", "slipping"), Range(0.0, 1.0)),
    "mu_demonstrated": RATIO,
    "s_p": Range(0.0, 1.0, unknown=True),
    "force_ratio": Range(0.0, np.inf, unknown=True),
    **dict.fromkeys(("known_after", "test_travel", "test_speed", "test_load"), within(FAR, unknown=True)),
    "state_code": Range(min(EstimateState), max(EstimateState)),
}
COMMAND: Mapping[str, Range] = dict.fromkeys(("forward", "left", "turn"), within(10.0))  # [m/s, rad/s] nothing walks so


def estimate_problem(judge: Judge, estimate: FrictionEstimate) -> Problem | None:
    """Name the problem of an external estimate."""
    if estimate.state_code not in KNOWN_STATES:
        return Problem("unknown state", f"{judge.name}: state_code of {float(estimate.state_code):g}")
    return judge.problem(estimate)


KNOWN_STATES = frozenset(map(int, EstimateState))
JUMP = 500_000_000  # [ns] stamps that run back by more begin a new time


class Sender:
    """Sender of stamped messages: its stamps rise, its frame is a body's and stays the same.

    Args:
        name: of the topic.
        frame: in which its numbers must be; empty: that of the first message.
        fixed: whether that may be a frame that moves with no body, as some recordings have.
    """

    def __init__(self, name: str, frame: str = "", fixed: bool = False) -> None:
        self.name, self.stamp_ns = name, -JUMP
        self._frame: str | None = frame or None
        self._fixed = fixed

    def problem(self, stamp_ns: int, frame: str) -> Problem | None:
        """Name the problem of a message's header; remember one without."""
        expected = frame if self._frame is None else self._frame
        if frame != expected or (not self._fixed and frame.strip("/") in FIXED_FRAMES):
            what = f"must be {expected!r}" if frame != expected else "must be that of a body which moves with the foot"
            return Problem("wrong frame", f"{self.name}: frame {frame!r}, but {what}")
        if -JUMP < stamp_ns - self.stamp_ns <= 0:
            return Problem(f"{'duplicated' if stamp_ns == self.stamp_ns else 'reordered'} stamp", self.name)
        self._frame, self.stamp_ns = expected, stamp_ns
        return None


FIXED_FRAMES = ("", "world", "map", "odom")  # of REP 105, and none

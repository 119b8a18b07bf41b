# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Of a hundred injections of a kind, how many are named in time.

Sensors of recorded walks are spoilt at a random moment.

The walk is recorded once, without a fault; watch and supervisor see it again with one.
Robots that react would only show more. What belongs to messages and nodes is in the
campaign of faults.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import median
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.random import Generator

from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.control.tick_time import Steady
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE
from studies.drawn_faults import (
    ALL,
    HISTORY,
    ONE,
    ROW,
    WAYS,
    Part,
    parts_of,
    raw_of,
    scales,
    spoilt,
)
from studies.faults.snapshot import snapshot
from studies.frame import declare, report, table_of
from synthetic.guarded_walk import sensed, walked, walker, watcher

ROBOTS = ("thesis_sensors", "talos")
# of each kind; share that is to be named in time
INJECTIONS = 100
REQUIRED = 0.95
# recorded; the fault begins between the last two, while the robot walks
TICKS = 9000
FIRST = 2500
LAST = 6500
# ticks of sound readings before the fault: whatever is averaged has settled
BEFORE = (
    1000,
    1500,
)


class Spoilt(NamedTuple):
    """One tick as the controller gets it."""

    readings: Any
    steady: Steady


#: (recorded readings, tick of the record, tick since the fault began, magnitude,
#: random) -> what arrives
Spoil = Callable[[Sequence[Any], int, int, float, Generator], Spoilt]


class Seen(NamedTuple):
    """A kind that shows in the readings of a walk."""

    kind: str
    spoil: Spoil
    magnitudes: tuple[float, ...]  # as in the study, and twice it
    unit: str
    names: tuple[str, ...]  # under which it may be found
    within: float  # [s] documented


def forces(readings: Any) -> Array:
    """Wrenches of both feet (2, 6)."""
    if isinstance(readings, HumanoidReadings):
        return readings.raw.force_torque
    return readings.wrench_ground_on_foot_in_sole


def with_forces(readings: Any, wrenches: Array) -> Any:
    """Replace the wrenches of readings."""
    if isinstance(readings, HumanoidReadings):
        return readings._replace(raw=readings.raw._replace(force_torque=wrenches))
    return readings._replace(wrench_ground_on_foot_in_sole=wrenches)


def at(tick: int) -> Steady:
    """Return the time of a sound process's steady clock [s]."""
    return Steady(1e-3 * tick, 0.0)


def drift(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Let a force rise by so many newtons a second."""
    wrenches = forces(record[tick]).copy()
    wrenches[0, 2] += magnitude * 1e-3 * since
    return Spoilt(with_forces(record[tick], wrenches), at(tick))


def late(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Delay a wrench by so many seconds under fresh stamps."""
    wrenches = forces(record[tick]).copy()
    wrenches[0] = forces(record[tick - round(1e3 * magnitude)])[0]
    return Spoilt(with_forces(record[tick], wrenches), at(tick))


def stuck(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Freeze a wrench under noise of so many newtons."""
    wrenches = forces(record[tick]).copy()
    wrenches[0] = forces(record[tick - since])[0] + magnitude * rng.standard_normal(6)
    return Spoilt(with_forces(record[tick], wrenches), at(tick))


def clock(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Stamps run so many times as fast as the steady clock."""
    return Spoilt(record[tick], Steady(1e-3 * (tick - since + since / magnitude), 0.0))


def still(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Odometry stands still."""
    readings = record[tick]
    held = record[tick - since]
    if isinstance(readings, HumanoidReadings):
        return Spoilt(readings._replace(base=held.base), at(tick))
    place = held.position_base_in_odom
    speed = held.linear_velocity_in_base
    return Spoilt(
        readings._replace(position_base_in_odom=place, linear_velocity_in_base=speed),
        at(tick),
    )


def wrong_speeds(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Joint velocities times a factor."""
    readings = record[tick]
    if isinstance(readings, HumanoidReadings):
        raw = readings.raw._replace(
            joint_velocity=magnitude * readings.raw.joint_velocity
        )
        return Spoilt(readings._replace(raw=raw), at(tick))
    return Spoilt(
        readings._replace(joint_velocity=magnitude * readings.joint_velocity), at(tick)
    )


def stall(
    record: Sequence[Any], tick: int, since: int, magnitude: float, rng: Generator
) -> Spoilt:
    """Stall the process once for so many seconds."""
    return Spoilt(
        record[tick], Steady(1e-3 * tick + magnitude, magnitude if since == 0 else 0.0)
    )


BALANCE = (
    "unbalanced forces",
    "swapped feet",
    "wrong sign",
    "wrong leg",
    "unanswered torque",
)
KINDS = (
    Seen(
        kind="drift of a force",
        spoil=drift,
        magnitudes=(100.0, 200.0),
        unit="N/s",
        names=BALANCE,
        within=1.0,
    ),
    Seen(
        kind="one wrench late",
        spoil=late,
        magnitudes=(0.02, 0.04),
        unit="s",
        names=BALANCE,
        within=2.0,
    ),
    Seen(
        kind="one wrench very late",
        spoil=late,
        magnitudes=(0.1, 0.2),
        unit="s",
        names=BALANCE,
        within=2.0,
    ),
    Seen(
        kind="stuck under noise",
        spoil=stuck,
        magnitudes=(1e-3, 2e-3),
        unit="N",
        names=BALANCE,
        within=2.0,
    ),
    Seen(
        kind="clock too slow",
        spoil=clock,
        magnitudes=(0.1, 0.05),
        unit="times",
        names=("clock rate",),
        within=1.1,
    ),
    Seen(
        kind="clock too fast",
        spoil=clock,
        magnitudes=(2.0, 4.0),
        unit="times",
        names=("clock rate",),
        within=1.1,
    ),
    Seen(
        kind="odometry stands still",
        spoil=still,
        magnitudes=(1.0, 1.0),
        unit="",
        names=("constant odometry", "wrong twist", "wrong leg"),
        within=0.01,
    ),
    Seen(
        kind="velocities negated",
        spoil=wrong_speeds,
        magnitudes=(-1.0, -2.0),
        unit="times",
        names=("wrong velocity", "joint speed", *BALANCE),
        within=0.5,
    ),
    Seen(
        kind="own stall",
        spoil=stall,
        magnitudes=(0.05, 0.1),
        unit="s",
        names=("own stall",),
        within=0.001,
    ),
)


@dataclass(frozen=True)
class Detection:
    """How a kind of one magnitude was seen on one robot."""

    robot: str
    kind: str
    magnitude: float
    unit: str
    within: float  # [s] documented
    latencies: tuple[float, ...]  # [s] of those that were named at all
    injections: int

    @property
    def in_time(self) -> int:
        """Injections that were named within the documented latency."""
        return sum(latency <= self.within + 1e-9 for latency in self.latencies)


class Recorded:
    """Controller that gives the torques (n,) that were recorded, by stamp [ns].

    The recorded robot walks by itself.
    """

    speed_scale = 1.0
    moving = True
    reserve = None

    def __init__(self, torques: dict[int, Array]) -> None:
        self._torques = torques

    def reset(self) -> None:
        """Nothing to forget."""

    def step(self, readings: Any, estimates: Any = None) -> Any:
        """Repeat the recorded torques."""
        return Again(self._torques[readings.stamp_ns], (NO_ESTIMATE, NO_ESTIMATE))


class Again(NamedTuple):
    """What a recorded controller does."""

    torques: Array
    estimates: tuple[Any, Any]


# [s] in which any sensor that is wrong in one of these ways is to be named, under
# whatever name
LATENCY = 0.1
WRONG_WAYS = ("stuck under noise", "unfilled", "negated", "halved", "20 ms late")
# of the spread of a sensor's number (a joint's: of that of the joint that moves most):
# a fault begins once
SHOWS = 0.3
# one of its numbers is wrong by more (choice)
UNSEEN = 1000  # ticks without that: the sensor's quantity does not move
SCOPES = {
    "wrenches": ROW,
    "feet's IMUs": ROW,
    "joint positions": ONE,
    "joint velocities": ONE,
    "encoders": ONE,
}


class Sensor(NamedTuple):
    """A sensor that is wrong: a part of the readings.

    All its numbers are wrong, or one row (a foot's) or one (a joint's).
    """

    part: Part
    scope: str
    way: str

    @property
    def kind(self) -> str:
        """What it is called in the table."""
        return (
            f"{self.part.name} "
            f"{self.way}{'' if self.scope == ALL else f', {self.scope}'}"
        )

    def numbers(self, readings: Any, rng: Generator) -> list[int]:
        """Which numbers of the part are wrong."""
        shape = getattr(raw_of(readings), self.part.fields[0]).shape
        count = int(np.prod(shape))
        if self.scope == ALL:
            return list(range(count))
        row = count // shape[0] if self.scope == ROW else 1
        first = row * int(rng.integers(count // row))
        return list(range(first, first + row))


def sensors_of(readings: Any) -> tuple[Sensor, ...]:
    """Every sensor of a robot, wrong in five ways."""
    return tuple(
        Sensor(part, scope, way)
        for part in parts_of(readings)
        for scope in (ALL, *([SCOPES[part.name]] if part.name in SCOPES else []))
        for way in WRONG_WAYS
    )


def sensor_detections(
    count: int, robots: Sequence[str] = ROBOTS, seed: int = 0
) -> Iterator[Detection]:
    """Every sensor in five ways, from so many moments of one walk."""
    for robot in robots:
        record, torques = recorded(robot, seed)
        guarded = watcher(robot, Recorded(torques))
        rng = np.random.default_rng(seed)
        scale = scales(record)
        sensors = sensors_of(record[0])
        found: dict[Sensor, list[float | None]] = {sensor: [] for sensor in sensors}
        tick = 0
        guarded.start()
        for begin in sorted(rng.integers(FIRST, LAST, count).tolist()):
            for readings in record[tick:begin]:
                guarded.step(readings, steady=at(readings.stamp_ns // 1_000_000))
            tick = begin
            if guarded.problem is not None:
                raise AssertionError(f"the record itself is accused: {guarded.problem}")
            restore = snapshot(guarded)
            for sensor in sensors:
                found[sensor] += sensor_latency(
                    guarded, record, begin, sensor, scale, rng
                )
                restore()
        for sensor, latencies in found.items():
            named = tuple(one for one in latencies if one is not None)
            yield Detection(
                robot=robot,
                kind=sensor.kind,
                magnitude=1.0,
                unit="",
                within=LATENCY,
                latencies=named,
                injections=len(latencies),
            )


def sensor_latency(
    guarded: Any,
    record: Sequence[Any],
    begin: int,
    sensor: Sensor,
    scale: dict[str, Array],
    rng: Generator,
) -> list[float | None]:
    """Time from the first wrong number to the stop [s].

    None stands for later than asked for; the list is empty where no number gets wrong.
    """
    which = sensor.numbers(record[0], rng)
    wrong = -1
    for tick in range(begin, begin + UNSEEN):
        seen = record[tick - HISTORY + 1 : tick + 1]
        readings = spoilt(
            seen, record[begin], sensor.part, which, WAYS[sensor.way], scale, rng
        )
        if wrong < 0 and any(
            np.any(
                np.abs(
                    getattr(raw_of(readings), field)
                    - getattr(raw_of(record[tick]), field)
                ).ravel()[which]
                > SHOWS
                * (
                    scale[field].max()
                    if field.startswith("joint")
                    else scale[field][which]
                )
                + TINY
            )
            for field in sensor.part.fields
        ):
            wrong = tick
        guarded.step(readings, steady=at(readings.stamp_ns // 1_000_000))
        if guarded.problem is not None and guarded.mode in (Mode.SAFE_STOP, Mode.FAULT):
            return [1e-3 * max(tick - wrong, 0) if wrong >= 0 else 0.0]
        if 0 <= wrong <= tick - 1e3 * LATENCY:
            return [None]
    return []


TINY = 1e-3  # [rad, m/s, N, ...] less is no motion


def recorded(robot: str, seed: int = 0) -> tuple[list[Any], dict[int, Array]]:
    """Record the readings of a sound walk, and its torques by stamp.

    The readings are as the robot itself has them.
    """
    record = list[Any]()
    torques = dict[int, Array]()
    for _, (readings, walking) in zip(
        range(TICKS), walked(walker(robot, seed)), strict=False
    ):
        record.append(sensed(readings))
        torques[readings.stamp_ns] = walking.torques
    return record, torques


def detections(
    count: int,
    robots: Sequence[str] = ROBOTS,
    seed: int = 0,
    kinds: Sequence[Seen] = KINDS,
) -> Iterator[Detection]:
    """Every kind, at both magnitudes, on every robot."""
    for robot in robots:
        record, torques = recorded(robot, seed)
        guarded = watcher(robot, Recorded(torques))
        for seen in kinds:
            for magnitude in seen.magnitudes:
                rng = np.random.default_rng(seed)
                begins = rng.integers(FIRST, LAST, count)
                found = [
                    latency(guarded, record, int(begin), seen, magnitude, rng)
                    for begin in begins
                ]
                named = tuple(one for one in found if one is not None)
                yield Detection(
                    robot=robot,
                    kind=seen.kind,
                    magnitude=magnitude,
                    unit=seen.unit,
                    within=seen.within,
                    latencies=named,
                    injections=count,
                )


def latency(
    guarded: Any,
    record: Sequence[Any],
    begin: int,
    seen: Seen,
    magnitude: float,
    rng: Generator,
) -> float | None:
    """Time from the fault to the stop under a right name [s].

    None means that it is not within the record.
    """
    guarded.start()
    for tick in range(begin - int(rng.integers(*BEFORE)), len(record)):
        since = tick - begin
        spoilt = (
            Spoilt(record[tick], at(tick))
            if since < 0
            else seen.spoil(record, tick, since, magnitude, rng)
        )
        guarded.step(spoilt.readings, steady=spoilt.steady)
        problem = guarded.problem
        if problem is not None and since < 0:
            raise AssertionError(f"the record itself is accused: {problem}")
        if problem is not None and guarded.mode in (Mode.SAFE_STOP, Mode.FAULT):
            named = problem.name in seen.names
            return (
                (
                    spoilt.steady.now - 1e-3 * begin
                    if seen.spoil is clock
                    else 1e-3 * since
                )
                if named
                else None
            )
    return None


COLUMNS = {
    "robot": lambda one: one.robot,
    "kind": lambda one: one.kind,
    "magnitude": lambda one: f"{one.magnitude:g} {one.unit}".strip(),
    "named in time": lambda one: (
        f"{one.in_time} of {one.injections}" if one.injections else "never wrong"
    ),
    "within [s]": lambda one: f"{one.within:g}",
    "median [s]": lambda one: f"{median(one.latencies):.3f}" if one.latencies else "-",
    "longest [s]": lambda one: f"{max(one.latencies):.3f}" if one.latencies else "-",
}


def show(found: Sequence[Detection], console: Screen) -> bool:
    """Print a row a robot, kind and magnitude.

    Return False when one is named in time in less than 95 %.
    """
    good = sum(one.in_time >= REQUIRED * one.injections for one in found)
    console.print(table_of(COLUMNS, found))
    console.print(f"{len(found)} rows, {good} named in time in at least {REQUIRED:.0%}")
    return good == len(found)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot")
    parser.add_argument(
        "--every-sensor",
        action="store_true",
        help="every sensor, all numbers wrong in five ways",
    )
    parser.add_argument(
        "--injections",
        type=int,
        default=INJECTIONS,
        help=f"of each kind ({INJECTIONS})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Inject every kind.

    The exit code is 1 when one is named in time in less than 95 % of the injections.
    """
    found: list[Detection] = []
    inject = sensor_detections if arguments.every_sensor else detections
    for one in inject(
        arguments.injections, arguments.robot or ROBOTS, arguments.first_seed
    ):
        found.append(one)
        words = ", ".join(
            str(COLUMNS[name](one)) for name in ("robot", "kind", "magnitude")
        )
        Screen(stderr=True).print(f"{words}: {COLUMNS['named in time'](one)}")
    return report(arguments, found, show)

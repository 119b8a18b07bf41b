# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Faults drawn at random, at any moment of a walk: named, or harmless.

They are of every sensor's every number, in every way.

A walk is walked once and put back at the moment of each fault. No list of kinds is
looked at: a fault is a part of the readings, which of its numbers, a way to spoil them,
a moment and a duration. Under every other one the commanded speed changes, under every
other one the floor. Humanoids walk as they do by default, planar bipeds by the
``interval`` estimator.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import cache
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
from numpy.random import Generator

from biped_slip.cli.options import COUNT
from biped_slip.cli.terminal import Screen
from biped_slip.compile.arrays import Array
from biped_slip.control.supervisor import Mode
from biped_slip.errors import SimulationDiverged
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.walking.guarded import GuardedController
from studies.faults.live_floors import drawn_spills, no_spills, spill_around
from studies.faults.live_speeds import drawn_speeds
from studies.faults.snapshot import Restore, snapshot
from studies.frame import Study, declare, grouped, table_of
from synthetic.guarded_walk import (
    Walker,
    full_speed_humanoid,
    is_humanoid,
    sensed,
    walker,
)

ROBOTS = ("thesis", "thesis_sensors", "torso", "talos", "g1")
TICKS = 4000  # of the walk that the faults share
TICKS_OF_HUMANOIDS = 16000  # at their own speed
MOMENTS = 16  # from which it goes on, drawn within its second half
HISTORY = 120  # ticks before a fault that are remembered: late sensors say them
WATCHED = 800  # ticks after a fault
WINDOW = 50  # ticks over which power is averaged
# times a healthy walk's power of a joint; times its strongest joint's
MOST = 2.0
LEAST = 0.1
REQUIRED = 1e-3  # share of faults that may drive a joint beyond that
DAMPED = 0.05  # [s] in which a fault that was named must be over
ONE = "one number"
ROW = "one row"
ALL = "all numbers"


class Part(NamedTuple):
    """Numbers of readings that one sensor gives."""

    name: str
    fields: tuple[str, ...]  # spoilt together, in the same way


PLANAR = (
    Part("joint positions", ("joint_position",)),
    Part("joint velocities", ("joint_velocity",)),
    Part("encoders", ("joint_position", "joint_velocity")),
    Part("attitude", ("orientation_base_in_world",)),
    Part("gyroscope", ("angular_velocity_in_base",)),
    Part("accelerometer", ("specific_force_in_base",)),
    Part("odometry's pose", ("position_base_in_odom",)),
    Part("odometry's twist", ("linear_velocity_in_base",)),
    Part("odometry", ("position_base_in_odom", "linear_velocity_in_base")),
    Part("wrenches", ("wrench_ground_on_foot_in_sole",)),
)
HUMANOID = (
    Part("joint positions", ("joint_position",)),
    Part("joint velocities", ("joint_velocity",)),
    Part("encoders", ("joint_position", "joint_velocity")),
    Part("IMU", ("imu",)),
    Part("feet's IMUs", ("foot_imus",)),
    Part("wrenches", ("force_torque",)),
)

#: (numbers of the last ticks, newest last (t, k); as the fault began (k,); scale (k,),
#: random) -> numbers (k,)
Way = Callable[[Array, Array, Array, Generator], Array]
WAYS: dict[str, Way] = {
    "no number": lambda past, held, scale, rng: np.full(len(held), np.nan),
    "infinite": lambda past, held, scale, rng: np.full(len(held), np.inf),
    "huge": lambda past, held, scale, rng: np.full(len(held), -1e12),
    "unfilled": lambda past, held, scale, rng: np.zeros(len(held)),
    "negated": lambda past, held, scale, rng: -past[-1],
    "halved": lambda past, held, scale, rng: 0.5 * past[-1],
    "tripled": lambda past, held, scale, rng: 3.0 * past[-1],
    "stuck": lambda past, held, scale, rng: held,
    "stuck under noise": lambda past, held, scale, rng: (
        held + 1e-4 * scale * rng.standard_normal(len(held))
    ),
    "5 ms late": lambda past, held, scale, rng: past[-6],
    "20 ms late": lambda past, held, scale, rng: past[-21],
    "100 ms late": lambda past, held, scale, rng: past[-101],
    "off": lambda past, held, scale, rng: past[-1] + scale,
    "a little off": lambda past, held, scale, rng: past[-1] + 0.1 * scale,
    "noisy": lambda past, held, scale, rng: (
        past[-1] + 0.3 * scale * rng.standard_normal(len(held))
    ),
    "in the wrong order": lambda past, held, scale, rng: past[-1][::-1],
    "the other side's": lambda past, held, scale, rng: np.roll(
        past[-1], len(held) // 2
    ),
}
DURATIONS = {"for a tick": 1, "for 10 ms": 10, "for 50 ms": 50, "for good": WATCHED}


class Job(NamedTuple):
    """One drawn fault."""

    robot: str
    number: int  # seeds all that is drawn


@dataclass(frozen=True)
class Drawn:
    """How a fault went."""

    job: Job
    fault: str
    named: str = ""  # the first problem that stopped the joints
    after: float = -1.0  # [s] from the fault to damped joints
    power: float = 0.0  # times a healthy walk's: largest of a joint over 50 ms
    fell: bool = False
    failed: str = ""  # an exception

    @property
    def harmless(self) -> bool:
        """No joint was driven beyond twice a healthy walk's power.

        A fall was one of damped joints.
        """
        return (
            not self.failed
            and self.power <= MOST
            and (not self.fell or bool(self.named))
        )


class Sound(NamedTuple):
    """A walk without faults, to be put back at its moments."""

    robot: Walker
    moments: tuple[tuple[Restore, tuple[Any, ...]], ...]  # with the readings before
    power: Array  # (n,) largest of each joint over the window [W]
    scale: dict[str, Array]  # spread of each field


def raw_of(readings: Any) -> Any:
    """Return the record whose fields are spoilt."""
    return readings.raw if isinstance(readings, HumanoidReadings) else readings


def with_raw(readings: Any, raw: Any) -> Any:
    """Replace the numbers of readings."""
    return readings._replace(raw=raw) if isinstance(readings, HumanoidReadings) else raw


class Power:
    """Mean power of each joint over the window."""

    def __init__(self, joints: int) -> None:
        self._ring = np.zeros((WINDOW, joints))
        self._at = 0
        self.most = np.zeros(joints)

    def add(self, torques: Array, velocity: Array) -> None:
        """One tick [N m], [rad/s]."""
        self._ring[self._at % WINDOW] = torques * velocity
        self._at += 1
        np.maximum(self.most, self._ring.mean(axis=0), out=self.most)


@cache
def sound_walk(name: str) -> Sound:
    """Walk once; in every process that tries faults."""
    rng = np.random.default_rng(0)
    humanoid = is_humanoid(name)
    robot = full_speed_humanoid(name) if humanoid else walker(name, 0)
    end = TICKS_OF_HUMANOIDS if humanoid else TICKS
    way = robot.way
    guarded = robot.guarded
    ticks = set(rng.integers(end // 2, end, MOMENTS).tolist()) | {300}
    power = Power(len(robot.world.robot.joints))
    seen = list[Any]()
    moments = list[tuple[Restore, tuple[Any, ...]]]()
    guarded.start()
    for tick in range(end + 1):
        if tick in ticks:
            moments.append((snapshot(way, guarded), tuple(seen[-HISTORY:])))
        readings = sensed(way.read())
        seen.append(readings)
        torques = guarded.step(readings).torques
        power.add(torques, velocity_of(robot))
        way.advance(torques)
    if guarded.mode != Mode.WALKING:
        raise AssertionError(f"{name} does not walk: {guarded.problem}")
    return Sound(
        robot,
        tuple(moments),
        np.maximum(power.most, LEAST * power.most.max()),
        scales(seen),
    )


def scales(seen: Sequence[Any]) -> dict[str, Array]:
    """Spread of the numbers of each field in readings of a walk."""
    fields = {field for part in parts_of(seen[0]) for field in part.fields}
    return {
        field: np.std([getattr(raw_of(one), field).ravel() for one in seen], axis=0)
        for field in fields
    }


def parts_of(readings: Any) -> tuple[Part, ...]:
    """Of a robot."""
    return HUMANOID if isinstance(readings, HumanoidReadings) else PLANAR


def velocity_of(robot: Walker) -> Array:
    """Return the true velocities of the joints (n,) [rad/s]."""
    plant = robot.world.plant
    return np.array(plant.state.v[-len(robot.world.robot.joints) :])


def try_one(job: Job) -> Drawn:
    """Put the walk back, spoil its readings, watch."""
    sound = sound_walk(job.robot)
    rng = np.random.default_rng((17, job.number))
    restore, before = sound.moments[rng.integers(len(sound.moments))]
    parts = parts_of(before[0])
    part = parts[rng.integers(len(parts))]
    shape = getattr(raw_of(before[0]), part.fields[0]).shape
    way, scope = (str(rng.choice(list(one))) for one in (WAYS, (ONE, ROW, ALL)))
    lasting = str(rng.choice(list(DURATIONS), p=(0.1, 0.1, 0.1, 0.7)))
    mask = np.zeros(shape, dtype=bool)
    if scope == ALL:
        mask[...] = True
    elif scope == ROW:
        mask[rng.integers(shape[0])] = True
    else:
        mask[tuple(rng.integers(size) for size in shape)] = True
    which = np.flatnonzero(mask.ravel()).tolist()
    told = (
        f"{part.name} {way}, {scope if scope == ALL else f'{scope}, {which[0]}'}, "
        f"{lasting}"
    )
    speeds = np.ones(WATCHED)
    if rng.integers(2):
        speeds = drawn_speeds(WATCHED, rng)
        told += ", under changing speeds"
    # a generator of its own: with and without floors the same faults are drawn
    floors = np.random.default_rng((19, job.number))
    spills = no_spills(WATCHED)
    if floors.integers(2):
        spills = drawn_spills(WATCHED, floors)
        told += ", on a changing floor"
    restore()
    robot = sound.robot
    seen = list(before)
    guarded: GuardedController[Any] = robot.guarded
    power = Power(len(sound.power))
    named = ""
    after = -1.0
    fell = False
    try:
        for tick in range(WATCHED):
            guarded.controller.speed_scale = float(speeds[tick])
            spill_around(robot.world, spills[tick])
            readings = sensed(robot.way.read())
            seen.append(readings)
            if tick < DURATIONS[lasting]:
                readings = spoilt(
                    seen, before[-1], part, which, WAYS[way], sound.scale, rng
                )
            torques = guarded.step(readings).torques
            if (
                guarded.mode in (Mode.FAULT, Mode.SAFE_STOP)
                and not named
                and guarded.problem is not None
            ):
                named = str(guarded.problem.name)
                after = 1e-3 * tick
            power.add(torques, velocity_of(robot))
            robot.way.advance(torques)
            fell = robot.fell
            if fell or (guarded.mode == Mode.FAULT and tick > 1e3 * after + 2 * WINDOW):
                break
    except SimulationDiverged:
        fell = True
    except Exception as error:  # that is what is looked for
        return Drawn(job, told, named, after, failed=f"{type(error).__name__}: {error}")
    return Drawn(
        job=job,
        fault=told,
        named=named,
        after=after,
        power=float((power.most / sound.power).max()),
        fell=fell,
    )


def spoilt(
    seen: Sequence[Any],
    first: Any,
    part: Part,
    which: Sequence[int],
    way: Way,
    scale: dict[str, Array],
    rng: Generator,
) -> Any:
    """Spoil some numbers of a part in the newest of some readings."""
    raw = raw_of(seen[-1])
    changes = {}
    for field in part.fields:
        chosen = list(which)
        past = np.array(
            [getattr(raw_of(one), field).ravel()[chosen] for one in seen[-HISTORY:]]
        )
        numbers = getattr(raw, field).ravel().copy()
        numbers[chosen] = way(
            past,
            getattr(raw_of(first), field).ravel()[chosen],
            scale[field][chosen],
            rng,
        )
        changes[field] = numbers.reshape(getattr(raw, field).shape)
    return with_raw(seen[-1], raw._replace(**changes))


def share(group: Sequence[Drawn], wanted: Callable[[Drawn], bool]) -> str:
    """How many of a group."""
    return f"{sum(wanted(one) for one in group)}"


COLUMNS: dict[str, Callable[[Sequence[Drawn]], object]] = {
    "robot": lambda group: group[0].job.robot,
    "faults": len,
    "named": lambda group: share(group, lambda one: bool(one.named)),
    "fell unnamed": lambda group: share(group, lambda one: one.fell and not one.named),
    f"above {MOST:g} times the power": lambda group: share(
        group, lambda one: one.power > MOST
    ),
    "exceptions": lambda group: share(group, lambda one: bool(one.failed)),
    "largest power": lambda group: f"{max(one.power for one in group):.1f}",
}
HARMS = {
    "robot": lambda one: one.job.robot,
    "number": lambda one: one.job.number,
    "fault": lambda one: one.fault,
    "named": lambda one: f"{one.named} after {one.after:.3f} s" if one.named else "",
    "power": lambda one: f"{one.power:.1f}",
    "": lambda one: one.failed or ("fell" if one.fell else ""),
}


def show(drawn: Sequence[Drawn], console: Screen) -> bool:
    """Print a row a robot and one a harmful fault.

    Return False when more than one in a thousand is harmful.
    """
    harms = [one for one in drawn if not one.harmless]
    console.print(table_of(COLUMNS, grouped(drawn, lambda one: one.job.robot).values()))
    if harms:
        console.print(table_of(HARMS, harms, "neither named in time nor harmless"))
    return len(harms) <= REQUIRED * len(drawn)


DRAWN: Study[Job, Drawn] = Study("drawn-faults", try_one, Drawn, show=show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "workers")
    parser.add_argument(
        "--faults", type=COUNT, default=1000, help="of each robot (1000)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Try so many faults on each robot.

    The exit code is 1 when more than one in a thousand is neither named nor harmless.
    """
    numbers = range(arguments.first_seed, arguments.first_seed + arguments.faults)
    return DRAWN.run(
        arguments,
        [
            Job(robot, number)
            for robot in arguments.robot or ROBOTS
            for number in numbers
        ],
    )

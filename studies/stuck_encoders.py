# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How soon an encoder of a leg that is stuck under its noise is found, and by what.

A walk is recorded once; the watch sees it again from a random moment on with one
encoder stuck, once for every joint of the legs and each moment. How far the joint has
moved until then bounds the harm: from the first finding on the joints are damped.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from statistics import median
from typing import Sequence

import numpy as np

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.humanoid_health import HumanoidWatch
from biped_slip.estimation.readings import HumanoidReadings, RawReadings
from biped_slip.robots.humanoid import load_humanoid
from studies.frame import Study, declare, table_of
from synthetic.guarded_walk import walked, walker

ROBOTS = ("talos", "g1/ankles", "surena3")
TICKS = 6000  # recorded
FIRST = 2000  # of the moments: the robot walks
BEFORE = 250  # ticks of sound readings: what is averaged over 0.1 s has settled
WATCHED = 850  # ticks after the moment
MOMENTS = 4  # of each joint
LEG_JOINTS = 12  # of both legs, the first ones of these robots
NOISE = 1e-5  # [rad] of the stuck position
SPEED_NOISE = 1e-3  # [rad/s] of its velocity
MOVED = 0.005  # [rad] from which the joint counts as moving
SOON = 0.05  # [s]
PERIOD = 1e-3  # [s]


@dataclass
class Finding:
    """What came of one stuck encoder."""

    joint: str
    name: str  # of the first finding; empty: none
    late: float  # [s] after the joint had moved by ``MOVED``; NaN where it has not
    moved: float  # [rad] until it was found, or in all that was watched


@dataclass
class StuckEncoders:
    """All stuck encoders of a recorded walk."""

    robot: str
    seed: int
    findings: list[Finding]


def stuck_encoders(robot: str, seed: int) -> StuckEncoders:
    """Record a walk, and let the watch see it with each encoder stuck."""
    record = [
        readings.raw for readings, _ in islice(walked(walker(robot, seed)), TICKS)
    ]
    humanoid = load_humanoid(robot.partition("/")[0])
    watch = HumanoidWatch(humanoid, HealthConfig())
    rng = np.random.default_rng(seed)
    names = humanoid.robot.joints
    findings = []
    for joint in range(LEG_JOINTS):
        for _ in range(MOMENTS):
            moment = int(rng.integers(FIRST, len(record) - WATCHED))
            ticks = record[moment - BEFORE : moment + WATCHED]
            findings.append(_found(watch, ticks, joint, names[joint], rng))
    return StuckEncoders(robot, seed, findings)


def _found(
    watch: HumanoidWatch,
    record: Sequence[RawReadings],
    joint: int,
    name: str,
    rng: np.random.Generator,
) -> Finding:
    """Show the watch a stretch of a walk, in which an encoder is stuck."""
    watch.reset()
    held = record[BEFORE].joint_position[joint]
    moved = 0.0
    began = math.nan
    for tick, raw in enumerate(record):
        seen = raw
        if tick >= BEFORE:
            moved = max(moved, abs(float(raw.joint_position[joint] - held)))
            if math.isnan(began) and moved > MOVED:
                began = tick
            seen = stuck(raw, joint, held, rng)
        if (problem := watch.step(HumanoidReadings(seen), PERIOD)) is not None:
            late = PERIOD * (tick - began)
            return Finding(joint=name, name=problem.name, late=late, moved=moved)
    return Finding(joint=name, name="", late=math.nan, moved=moved)


def stuck(
    raw: RawReadings, joint: int, held: float, rng: np.random.Generator
) -> RawReadings:
    """Return readings in which a joint seems to rest, with a little noise."""
    position = raw.joint_position.copy()
    velocity = raw.joint_velocity.copy()
    position[joint] = held + NOISE * float(rng.standard_normal())
    velocity[joint] = SPEED_NOISE * float(rng.standard_normal())
    return raw._replace(joint_position=position, joint_velocity=velocity)


def _moved(findings: Sequence[Finding]) -> list[float]:
    """How far joints had moved when they were found [mrad]."""
    return [1e3 * one.moved for one in findings if one.name]


def _unseen(findings: Sequence[Finding]) -> list[float]:
    """How far joints moved that were not found [mrad]."""
    return [1e3 * one.moved for one in findings if not one.name]


def _soon(findings: Sequence[Finding]) -> int:
    """How many were found before the joint moved, or soon after."""
    return sum(bool(one.name) and not one.late > SOON for one in findings)


COLUMNS = {
    "robot": lambda walk: f"{walk.robot}, seed {walk.seed}",
    "stuck": lambda walk: len(walk.findings),
    "found": lambda walk: len(_moved(walk.findings)),
    "within 50 ms of 5 mrad": lambda walk: _soon(walk.findings),
    "moved until then [mrad]": lambda walk: (
        f"median {median(_moved(walk.findings)):.1f}, "
        f"at most {max(_moved(walk.findings)):.1f}"
    ),
    "not found, moved [mrad]": lambda walk: (
        f"at most {max(_unseen(walk.findings), default=0.0):.1f}"
    ),
    "by": lambda walk: ", ".join(
        f"{name or 'nothing'} {number}"
        for name, number in Counter(one.name for one in walk.findings).most_common()
    ),
}


def show(walks: Sequence[StuckEncoders], console: Screen) -> None:
    """Print a row a walk."""
    console.print(table_of(COLUMNS, walks))


STUDY = Study(
    "stuck-encoders",
    lambda job: stuck_encoders(*job),
    StuckEncoders,
    show=show,
    job=lambda walk: (walk.robot, walk.seed),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; a robot is ``NAME`` or ``NAME/SENSORS``."""
    declare(parser, "robot", "workers", "seeds")


def run(arguments: argparse.Namespace) -> int:
    """Work out what is missing, and print it."""
    robots = arguments.robot or ROBOTS
    seeds = chosen_seeds(arguments, 1)
    return STUDY.run(arguments, [(robot, seed) for robot in robots for seed in seeds])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robots over one way of rough floor, ice, ramp, wet floor and small patches.

They walk it under every limit.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.compile.arrays import Array
from biped_slip.simulation.campaign import fill_code_cache
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from studies.frame import Columns, Study, declare, grouped, table_of
from studies.ladder import ROBOTS

SEEDS = 4
LIMITS = (
    "oracle",
    "interval",
    "constant:0.08",
    "constant:0.2",
    "constant:0.7",
    "reflex",
)
# friction beside everything, half width of what lies on the way [m]
ROUGH = 0.8
SIDE = 1.5
RAMP = math.radians(10.0)
SHIFT = 0.3  # [m] by which the seed moves all of it, at most: feet meet it anywhere
# [m] of the small patches along and across, their spacing
TILE = (0.1, 0.06)
EVERY = (0.2, 0.12)
TILE_MU = 0.1


class Stretch(NamedTuple):
    """A part of the way."""

    name: str
    length: float  # [m]
    mu: float
    rise: float = 0.0  # [rad]
    tiles: bool = False


LEVEL = (
    Stretch("rough", 2.5, ROUGH),
    Stretch("ice", 2.0, 0.08),
    Stretch("behind the ice", 1.0, ROUGH),
    Stretch("wet", 2.0, 0.25),
    Stretch("behind the wet floor", 1.0, ROUGH),
    Stretch("small patches", 1.5, ROUGH, tiles=True),
    Stretch("end", 1.0, ROUGH),
)
WITH_RAMP = (
    *LEVEL[:3],
    Stretch("ramp up", 1.5, 0.5, RAMP),
    Stretch("on top", 1.0, 0.5),
    Stretch("ramp down", 1.5, 0.5, -RAMP),
    Stretch("behind the ramp", 0.5, ROUGH),
    *LEVEL[3:],
)
RAMP_ALONE = (
    Stretch("rough", 1.5, ROUGH),
    Stretch("ramp up", 1.5, 0.5, RAMP),
    Stretch("on top", 1.0, 0.5),
    Stretch("ramp down", 1.5, 0.5, -RAMP),
    Stretch("end", 1.0, ROUGH),
)
WAYS = {"course": WITH_RAMP, "level": LEVEL, "ramp": RAMP_ALONE}


@dataclass(frozen=True)
class CourseJob:
    """One walk over the course."""

    robot: str
    kind: str  # of slip prevention
    seed: int
    way: str = "course"  # of WAYS

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """What the way is made of."""
        return WAYS[self.way]

    @property
    def walk(self) -> HumanoidJob:
        """The walk as a campaign has it."""
        return HumanoidJob(
            course_walk(self.robot, self.stretches), self.kind, self.seed
        )


@dataclass(frozen=True)
class CourseOutcome:
    """One walk's result."""

    job: CourseJob
    summary: HumanoidSummary
    # [m/s] mean speed up the ramp; NaN where it was not climbed
    climb: float = math.nan

    @property
    def reached(self) -> str:
        """Name of the stretch on which the walk ended."""
        begin = 0.0
        for stretch in self.job.stretches:
            begin += stretch.length
            if self.summary.distance < begin:
                break
        return stretch.name


@dataclass(frozen=True)
class CourseRow:
    """One line of the table: a limit over all seeds."""

    robot: str
    kind: str
    runs: int
    arrived: int
    fell: int
    time: float  # [s] median of those that arrived
    slip: float  # [m] median over the walks of their largest
    climb: float  # [m/s] median speed up the ramp of those that climbed it
    ended_on: tuple[
        tuple[str, int], ...
    ]  # stretches on which walks ended that did not arrive, how many each


def course_walk(robot: str, stretches: Sequence[Stretch]) -> HumanoidWalkConfig:
    """Lay the robot's walk over stretches of floor, its own patch left out."""
    patches: list[list[float]] = []
    profile = [[0.0, 0.0]]
    x = 0.0
    height = 0.0
    for stretch in stretches:
        end = x + stretch.length
        if stretch.mu != ROUGH:
            patches.append([x, end, -SIDE, SIDE, stretch.mu])
        if stretch.tiles:
            patches += _tiles(x, end)
        height += math.tan(stretch.rise) * stretch.length
        profile.append([end, height])
        x = end
    level = all(stretch.rise == 0.0 for stretch in stretches)
    mapping = chosen_walk(robot).to_mapping()
    mapping["mu"] = ROUGH
    mapping["distance"] = x
    mapping["patch"]["length"] = 0.0
    mapping["course"] = {
        "patches": patches,
        "profile": [] if level else profile,
        "shift": SHIFT,
    }
    return HumanoidWalkConfig.from_mapping(mapping)


def _tiles(begin: float, end: float) -> list[list[float]]:
    """Small patches [x from, x to, y from, y to, mu] on a grid."""
    along = np.arange(begin, end - TILE[0], EVERY[0])
    across = np.arange(-SIDE, SIDE - TILE[1], EVERY[1])
    return [
        [float(x), float(x + TILE[0]), float(y), float(y + TILE[1]), TILE_MU]
        for x in along
        for y in across
    ]


def run_course_job(job: CourseJob) -> CourseOutcome:
    """Check the sensors, walk once."""
    walk, summary = job.walk.walked()
    along = walk.world.log.q[: walk.world.log.length, 0] - walk.world.shift
    return CourseOutcome(
        job, summary, climb_speed(along, walk.world.log.time, job.stretches)
    )


def climb_speed(along: Array, time: Array, stretches: Sequence[Stretch]) -> float:
    """Mean speed [m/s] from the first rise's begin to its end.

    Args:
        along: (n,) way from where the stretches begin [m].
        time: of each [s].
        stretches: of the way.
    """
    begin = 0.0
    for stretch in stretches:
        if stretch.rise > 0.0:
            entered, left = (
                np.flatnonzero(along >= place)
                for place in (begin, begin + stretch.length)
            )
            return (
                float(stretch.length / (time[left[0]] - time[entered[0]]))
                if left.size
                else math.nan
            )
        begin += stretch.length
    return math.nan


def course_table(outcomes: Iterable[CourseOutcome]) -> list[CourseRow]:
    """One row per robot and limit, in the order of first appearance."""
    groups = grouped(outcomes, lambda outcome: (outcome.job.robot, outcome.job.kind))
    return [_row(robot, kind, group) for (robot, kind), group in groups.items()]


def _row(robot: str, kind: str, group: list[CourseOutcome]) -> CourseRow:
    arrived = [
        outcome.summary
        for outcome in group
        if outcome.summary.arrived and not outcome.summary.fell
    ]
    climbs = [outcome.climb for outcome in group if not math.isnan(outcome.climb)]
    short = [
        outcome.reached
        for outcome in group
        if outcome.summary.fell or not outcome.summary.arrived
    ]
    return CourseRow(
        robot=robot,
        kind=kind,
        runs=len(group),
        arrived=len(arrived),
        fell=sum(outcome.summary.fell for outcome in group),
        time=float(np.median([summary.end_time for summary in arrived]))
        if arrived
        else float("nan"),
        slip=float(np.median([outcome.summary.max_stance_slip for outcome in group])),
        climb=float(np.median(climbs)) if climbs else math.nan,
        ended_on=tuple((name, short.count(name)) for name in dict.fromkeys(short)),
    )


def _columns(known: float) -> Columns:
    """Columns beside the time [s] that the oracle takes."""
    return {
        "limit": lambda row: row.kind,
        "arrived": lambda row: f"{row.arrived}/{row.runs}",
        "fell": lambda row: row.fell,
        "time [s]": lambda row: f"{row.time:.1f}",
        "of the oracle's": lambda row: f"{row.time / known:.2f}",
        "slip [mm]": lambda row: f"{1e3 * row.slip:.1f}",
        "up the ramp [m/s]": lambda row: f"{row.climb:.2f}",
        "ended on": lambda row: ", ".join(
            f"{name} {count}" for name, count in row.ended_on
        ),
    }


def show(outcomes: Sequence[CourseOutcome], console: Screen) -> None:
    """Print a table per robot."""
    for robot, rows in grouped(course_table(outcomes), lambda row: row.robot).items():
        known = next((row.time for row in rows if row.kind == "oracle"), math.nan)
        console.print(table_of(_columns(known), rows, robot))


COURSE = Study(
    name="course",
    work=run_course_job,
    result=CourseOutcome,
    tables=lambda outcomes: {"course": course_table(outcomes)},
    show=show,
    content=lambda job: job.walk.key(),
    prepare=lambda jobs: fill_code_cache([job.walk for job in jobs]),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "limit", "seeds", "workers")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--no-ramp", action="store_true", help="the same course without its ramp"
    )
    ways.add_argument(
        "--ramp-alone",
        action="store_true",
        help="up and down the ramp, 10 degrees at mu 0.5",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table."""
    way = "level" if arguments.no_ramp else "ramp" if arguments.ramp_alone else "course"
    robots = arguments.robot or ROBOTS
    limits = arguments.limit or LIMITS
    seeds = chosen_seeds(arguments, SEEDS)
    return COURSE.run(
        arguments,
        [
            CourseJob(robot, kind, seed, way)
            for robot in robots
            for kind in limits
            for seed in seeds
        ],
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The course: rough floor, ice, a ramp, a wet floor and patches smaller than a sole, one after the other."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Callable, Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.simulation.campaign import LineFile, fill_code_cache, run_all
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidSummary, Job

# The course: one way over rough floor, ice, a ramp, a wet floor and patches smaller than a sole, under every limit.

LIMITS = ("oracle", "interval", "constant:0.08", "constant:0.2", "constant:0.7", "reflex")
ROUGH, SIDE = 0.8, 1.5  # friction beside everything, half width of what lies on the way [m]
RAMP = math.radians(10.0)
SHIFT = 0.3  # [m] by which the seed moves all of it, at most: feet meet it anywhere
TILE, EVERY, TILE_MU = (0.1, 0.06), (0.2, 0.12), 0.1  # [m] of the small patches along and across, their spacing


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
    def walk(self) -> Job:
        """The walk as a campaign has it."""
        return Job(course_walk(self.robot, self.stretches), self.kind, self.seed)


@dataclass(frozen=True)
class CourseOutcome:
    """One walk's result."""

    job: CourseJob
    summary: HumanoidSummary
    climb: float = math.nan  # [m/s] mean speed up the ramp; NaN where it was not climbed

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
    ended_on: tuple[tuple[str, int], ...]  # stretches on which walks ended that did not arrive, how many each


def course_walk(robot: str, stretches: Sequence[Stretch]) -> HumanoidWalkConfig:
    """The robot's walk over stretches of floor, its own patch left out."""
    patches: list[list[float]] = []
    profile, x, height = [[0.0, 0.0]], 0.0, 0.0
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
    mapping["mu"], mapping["distance"], mapping["patch"]["length"] = ROUGH, x, 0.0
    mapping["course"] = {"patches": patches, "profile": [] if level else profile, "shift": SHIFT}
    return HumanoidWalkConfig.from_mapping(mapping)


def _tiles(begin: float, end: float) -> list[list[float]]:
    """Small patches [x from, x to, y from, y to, mu] on a grid."""
    along = np.arange(begin, end - TILE[0], EVERY[0])
    across = np.arange(-SIDE, SIDE - TILE[1], EVERY[1])
    return [[float(x), float(x + TILE[0]), float(y), float(y + TILE[1]), TILE_MU] for x in along for y in across]


def run_course_job(job: CourseJob) -> CourseOutcome:
    """Check the sensors, walk once."""
    walk, summary = job.walk.walked()
    along = walk.world.log.q[: walk.world.log.length, 0] - walk.world.shift
    return CourseOutcome(job, summary, climb_speed(along, walk.world.log.time, job.stretches))


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
            entered, left = (np.flatnonzero(along >= place) for place in (begin, begin + stretch.length))
            return float(stretch.length / (time[left[0]] - time[entered[0]])) if left.size else math.nan
        begin += stretch.length
    return math.nan


def course(
    jobs: Sequence[CourseJob],
    workers: int | None = None,
    done: Callable[[CourseOutcome], None] | None = None,
) -> list[CourseOutcome]:
    """All walks, results in their order."""
    return run_all(run_course_job, jobs, workers, done, lambda: fill_code_cache([job.walk for job in jobs]))


def course_table(outcomes: Iterable[CourseOutcome]) -> list[CourseRow]:
    """One row per robot and limit, in the order of first appearance."""
    groups: dict[tuple[str, str], list[CourseOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.job.robot, outcome.job.kind), []).append(outcome)
    return [_row(robot, kind, group) for (robot, kind), group in groups.items()]


def _row(robot: str, kind: str, group: list[CourseOutcome]) -> CourseRow:
    arrived = [outcome.summary for outcome in group if outcome.summary.arrived and not outcome.summary.fell]
    climbs = [outcome.climb for outcome in group if not math.isnan(outcome.climb)]
    short = [outcome.reached for outcome in group if outcome.summary.fell or not outcome.summary.arrived]
    return CourseRow(
        robot,
        kind,
        len(group),
        len(arrived),
        sum(outcome.summary.fell for outcome in group),
        float(np.median([summary.end_time for summary in arrived])) if arrived else float("nan"),
        float(np.median([outcome.summary.max_stance_slip for outcome in group])),
        float(np.median(climbs)) if climbs else math.nan,
        tuple((name, short.count(name)) for name in dict.fromkeys(short)),
    )


# Walks over the course that have ended, in a file of JSON lines.


class CourseFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: CourseJob) -> CourseOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(job.walk.key())
        if entry is None:
            return None
        return CourseOutcome(job, HumanoidSummary.from_mapping(entry["summary"]), entry.get("climb", math.nan))

    def add(self, outcome: CourseOutcome) -> None:
        """Append one walk."""
        found = {**asdict(outcome.job), "summary": outcome.summary.to_mapping(), "climb": outcome.climb}
        self.append(outcome.job.walk.key(), found, allow_nan=True)

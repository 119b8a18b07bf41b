# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a walk asks of the floor at each speed, beside the least that any walk of a pendulum would ask."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.control.whole_body.body import with_smaller_soles
from biped_slip.control.whole_body.pattern_program import Walker, least_of_all, least_ratio
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.campaign import fill_code_cache
from biped_slip.simulation.humanoid.campaign import Job
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.line_file import LineFile
from biped_slip.simulation.pool import run_all
from biped_slip.walking.humanoid import humanoid_body

SPEEDS, LIMITS = (0.2, 0.4, 0.6), ("interval", "oracle")
DISTANCE = 4.0  # [m] of rough floor
SOLE_USE = 0.5  # share of the sole that the pendulum's ZMP may use: the rest is for feedback (study of ice, section 1)


@dataclass(frozen=True)
class DemandJob:
    """One walk at a speed, on one floor all the way."""

    robot: str  # name or file of the walk
    speed: float  # commanded [m/s]
    kind: str  # of slip prevention
    seed: int

    @property
    def walk(self) -> Job:
        """The walk as a campaign has it."""
        mapping = chosen_walk(self.robot).to_mapping()
        mapping["speed"], mapping["distance"], mapping["patch"]["length"] = self.speed, DISTANCE, 0.0
        return Job(HumanoidWalkConfig.from_mapping(mapping), self.kind, self.seed)


class Steps(NamedTuple):
    """Those that were walked at the end."""

    single_support: float  # [s]
    double_support: float  # [s]
    planned: float  # ratio that the steady gait needs, in closed form


class DemandOutcome(NamedTuple):
    """One walk's result."""

    job: DemandJob
    fell: bool
    speed: float  # [m/s] mean after the first metre and a half
    peak: float  # median over the stances of their largest force ratio
    steps: Steps


class DemandRow(NamedTuple):
    """One line of the table: a robot, a limit and a speed over all seeds."""

    robot: str
    kind: str
    commanded: float  # [m/s]
    runs: int
    fell: int
    speed: float  # [m/s]
    peak: float
    steps: Steps
    same_steps: float  # least ratio of a pendulum with the same speed and steps, its ZMP anywhere in half the sole
    any_steps: float  # with the best steps of a grid


class DemandFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: DemandJob) -> DemandOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(_key(job))
        if entry is None:
            return None
        return DemandOutcome(job, entry["fell"], entry["speed"], entry["peak"], Steps(*entry["steps"]))

    def add(self, outcome: DemandOutcome) -> None:
        """Append one walk."""
        found = {name: value for name, value in outcome._asdict().items() if name != "job"}
        self.append(_key(outcome.job), found, allow_nan=True)


def _key(job: DemandJob) -> str:
    return f"demand-{job.walk.key()}"


def run_demand_job(job: DemandJob) -> DemandOutcome:
    """Check the sensors, walk once."""
    walk, summary = job.walk.walked()
    gait = walk.ticks[-1].gait
    steps = Steps(gait.single_support, gait.double_support, gait.ratio)
    return DemandOutcome(job, summary.fell, summary.speed_off_patch, summary.peak_ratio, steps)


def demand_walks(
    jobs: Sequence[DemandJob],
    workers: int | None = None,
    done: Callable[[DemandOutcome], None] | None = None,
) -> list[DemandOutcome]:
    """All walks, results in their order."""
    return run_all(run_demand_job, jobs, workers, done, lambda: fill_code_cache([job.walk for job in jobs]))


def demand_table(outcomes: Iterable[DemandOutcome]) -> list[DemandRow]:
    """One row per robot, limit and commanded speed, in the order of first appearance."""
    groups: dict[tuple[str, str, float], list[DemandOutcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.job.robot, outcome.job.kind, outcome.job.speed), []).append(outcome)
    return [_row(*cell, group) for cell, group in groups.items()]


def _row(robot: str, kind: str, commanded: float, group: list[DemandOutcome]) -> DemandRow:
    upright = [outcome for outcome in group if not outcome.fell]
    speed, peak = (
        float(np.mean(found)) if found else float("nan")
        for found in ([o.speed for o in upright], [o.peak for o in upright])
    )
    steps, walker, same, best = group[-1].steps, walker_of(robot), float("nan"), float("nan")
    if speed > 0.0:
        time = steps.single_support + steps.double_support
        same = least_ratio(walker, speed, time, steps.double_support / time)
        best = least_of_all(walker, speed).ratio
    return DemandRow(robot, kind, commanded, len(group), len(group) - len(upright), speed, peak, steps, same, best)


def walker_of(robot: str) -> Walker:
    """A robot as the pendulum sees it: with the height, the width and ``SOLE_USE`` of the soles that it walks with."""
    config = chosen_walk(robot)
    controller = config.walking.controller
    body = with_smaller_soles(humanoid_body(load_humanoid(config.robot)), controller.sole_shares)
    half = SOLE_USE * body.half_size
    width = controller.steps.width - 2.0 * controller.stepping.inset
    return Walker(controller.height_share * body.centre_height, width, float(half[0]), float(half[1]))

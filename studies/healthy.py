# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Minutes of sound walking and false alarms.

Walks with every sensor's noise go on until so many minutes have been walked.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen
from biped_slip.control.supervisor import Mode
from biped_slip.estimation.health import HealthConfig
from biped_slip.walking.guarded import GuardedController
from studies.frame import Study, declare, grouped, report, table_of
from synthetic.guarded_walk import NAMES, Walker, walked, walker

MINUTES = 120.0
# the robot came down or truly left a joint's range: a bad walk and no false alarm
OF_THE_WALK = (
    "fall",
    "true ",
)
MARGIN = 0.95 * HealthConfig().joint_margin  # [rad] encoders have a little noise


@dataclass
class HealthyWalk:
    """One walk of a robot whose sensors are sound."""

    name: str
    seed: int
    seconds: float = 0.0
    stop: str = ""  # problem that ended it
    # safe stops that it survived, by problem
    warnings: dict[str, int] = field(default_factory=dict)
    fell: bool = False

    @property
    def stopped(self) -> bool:
        """Whether it was stopped for nothing."""
        return bool(self.stop) and not self.stop.startswith(OF_THE_WALK)


def healthy_walk(name: str, seed: int) -> HealthyWalk:
    """Walk once."""
    robot = walker(name, seed)
    outcome = HealthyWalk(name, seed)
    warnings: Counter[str] = Counter()
    before = Mode.STANDING
    for _, guarded in walked(robot):
        outcome.seconds += 1e-3
        mode = guarded.mode
        problem = guarded.problem
        if mode == Mode.SAFE_STOP and before != mode and problem is not None:
            warnings[problem.name] += 1
        if mode == Mode.FAULT:
            outcome.stop = (
                f"true {problem}" if _past_its_range(robot, guarded) else str(problem)
            )
            break
        before = mode
    outcome.warnings = dict(warnings)
    outcome.fell = robot.fell
    return outcome


def _past_its_range(robot: Walker, guarded: GuardedController[Any]) -> bool:
    """Whether the plant's own joints, without a sensor, are where the problem says."""
    lower, upper = robot.world.robot.position_limits
    joints = robot.world.plant.state.q[-len(lower) :]
    named = guarded.problem is not None and guarded.problem.name == "joint limit"
    return named and bool(np.any((joints < lower - MARGIN) | (joints > upper + MARGIN)))


COLUMNS = {
    "robot": lambda group: group[0].name,
    "walks": len,
    "minutes": lambda group: f"{_minutes(group):.1f}",
    "stopped for nothing": lambda group: (
        "; ".join(f"seed {one.seed}: {one.stop}" for one in group if one.stopped) or "0"
    ),
    "warnings": lambda group: (
        ", ".join(f"{problem} {number}" for problem, number in _warnings(group).items())
        or "0"
    ),
    "fell": lambda group: sum(walk.fell for walk in group),
}


def _minutes(walks: Sequence[HealthyWalk]) -> float:
    return sum(walk.seconds for walk in walks) / 60.0


def _warnings(walks: Sequence[HealthyWalk]) -> Counter[str]:
    return sum((Counter(walk.warnings) for walk in walks), Counter[str]())


def show(walks: Sequence[HealthyWalk], console: Screen) -> bool:
    """Print a row a robot.

    The answer is False when one was stopped, or all were warned more than once in two
    hours.
    """
    console.print(table_of(COLUMNS, grouped(walks, lambda walk: walk.name).values()))
    minutes = _minutes(walks)
    stopped = sum(walk.stopped for walk in walks)
    warnings = _warnings(walks).total()
    console.print(
        f"{minutes:.1f} minutes of healthy walking: {stopped} stopped for nothing, "
        f"{warnings} warnings"
    )
    return not stopped and warnings <= max(1.0, minutes / MINUTES)


HEALTHY = Study(
    "healthy-walks",
    lambda job: healthy_walk(*job),
    HealthyWalk,
    job=lambda walk: (walk.name, walk.seed),
)


def healthy_walks(
    minutes: float,
    path: str | Path | None,
    tell: Callable[[HealthyWalk], None],
    names: Sequence[str] = NAMES,
    first_seed: int = 0,
) -> Iterator[HealthyWalk]:
    """Walk robots in turn until that many minutes are together.

    Walks that are in the file are not walked again.
    """
    file = HEALTHY.file(path)
    total = 0.0
    for job in ((name, seed) for seed in count(first_seed) for name in names):
        if total >= 60.0 * minutes:
            return
        walk, new = file.kept(job, HEALTHY.work)
        if new:
            tell(walk)
        total += walk.seconds
        yield walk


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; a robot is ``NAME`` or ``NAME/SENSORS``."""
    declare(parser, "robot")
    parser.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        help=f"of healthy walking ({MINUTES:g})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing.

    The exit code is 1 when a sound robot was stopped, or warned more than once in two
    hours.
    """
    progress = Screen(stderr=True)

    def tell(walk: HealthyWalk) -> None:
        progress.print(
            f"{walk.name}, seed {walk.seed}: {walk.seconds:.1f} s {walk.stop}"
        )

    names = arguments.robot or NAMES
    walks = healthy_walks(
        arguments.minutes, arguments.results, tell, names, arguments.first_seed
    )
    return report(arguments, list(walks), show)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The friction that humanoids require at each speed.

Beside it stands the least that any walk of a pendulum requires.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import with_smaller_soles
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.campaign import fill_code_cache
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.walking.humanoid import humanoid_body
from studies.frame import Study, declare, grouped, table_of
from studies.ladder import ROBOTS

# The least friction that any steady walk of a pendulum of constant height needs, as a
# linear program.
#
# The horizontal over the vertical force is ``|c - p| / h`` with the centre of mass c,
# the ZMP p and the height h: a bound on it is linear in both. ::
#
#     min  r
#     s.t. c'' = omega^2 (c - p)                    exactly, p constant over each
# interval
#          (c, c') after a step = the mirrored (c, c') one step further
#          p in the stance sole, in double support in the hull of both soles
#          |c - p| <= r h                           polygon around the circle
#
# It knows neither legs nor momentum: no walk of this speed and these steps asks for
# less. What a robot walks is chosen in
# :mod:`~biped_slip.control.whole_body.friction_adaptation` and measured beside this.

# of a step's time, of the polygon (choice: 1 % of the ratio)
INTERVALS = 24
DIRECTIONS = 16
STEP_TIMES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0)  # [s] of the grid
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5)  # of the step in double support


class Walker(NamedTuple):
    """What the pendulum knows of a robot."""

    height: float  # of the centre of mass over the soles [m]
    width: float  # between the middles of the feet [m]
    half_length: float  # of the part of the sole that the ZMP may use [m]
    half_width: float  # [m]
    swing_speed: float = 3.6  # largest of a swing foot [m/s], 1.5 times the mean one


class Least(NamedTuple):
    """The walk that needs least."""

    ratio: float
    step_time: float  # [s]
    double_support: float  # [s]


def least_ratio(walker: Walker, speed: float, step_time: float, share: float) -> float:
    """Least peak of the force ratio at a speed [m/s].

    The steps [s] and the share of double support are given.

    Unknowns per interval: ZMP's distance from the line between the feet (2), its place
    on that line (1); per border centre of mass (2) and its velocity (2); the ratio.
    """
    n = INTERVALS
    length = speed * step_time
    feet = np.array([[0.0, 0.5 * walker.width], [length, -0.5 * walker.width]])
    carrying = np.arange(n) >= round((1.0 - share) * n)  # double support at the end
    offset = 0
    line = 2 * n
    state = 3 * n
    size = state + 4 * (n + 1) + 1
    bounds: list[tuple[float | None, float | None]] = [
        (-walker.half_length, walker.half_length),
        (-walker.half_width, walker.half_width),
    ] * n
    bounds += [(0.0, 1.0 if both else 0.0) for both in carrying]
    bounds += [(None, None)] * (4 * (n + 1)) + [(0.0, None)]

    def zmp(k: int, axis: int) -> tuple[dict[int, float], float]:
        """Coefficients and constant of one coordinate of the ZMP."""
        return {
            offset + 2 * k + axis: 1.0,
            line + k: feet[1, axis] - feet[0, axis],
        }, feet[0, axis]

    equal = lil_matrix((4 * n + 4, size))
    right = np.zeros(4 * n + 4)
    omega = math.sqrt(GRAVITY / walker.height)
    c = math.cosh(omega * step_time / n)
    s = math.sinh(omega * step_time / n)
    for k in range(n):
        for axis in range(2):
            here = state + 4 * k + 2 * axis
            there = state + 4 * (k + 1) + 2 * axis
            terms, constant = zmp(k, axis)
            for i, (own, other, push) in enumerate(
                ((c, s / omega, 1.0 - c), (omega * s, c, -omega * s))
            ):
                row = 4 * k + 2 * axis + i
                equal[row, there + i] = 1.0
                equal[row, here] = -own
                equal[row, here + 1] = -other
                for column, factor in terms.items():
                    equal[row, column] = -push * factor
                right[row] = push * constant
    last = state + 4 * n
    for j, (sign, shift) in enumerate(
        ((1.0, length), (1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0))
    ):
        equal[4 * n + j, last + j] = 1.0
        equal[4 * n + j, state + j] = -sign
        right[4 * n + j] = shift
    upper = lil_matrix((2 * n * DIRECTIONS, size))
    most = np.zeros(2 * n * DIRECTIONS)
    for row, (k, border, d) in enumerate(np.ndindex(n, 2, DIRECTIONS)):
        angle = 2.0 * math.pi * d / DIRECTIONS
        for axis, way in enumerate((math.cos(angle), math.sin(angle))):
            upper[row, state + 4 * (k + border) + 2 * axis] = way
            terms, constant = zmp(k, axis)
            for column, factor in terms.items():
                upper[row, column] += -way * factor
            most[row] += way * constant
        upper[row, size - 1] = -walker.height
    cost = np.zeros(size)
    cost[-1] = 1.0
    solve: Any = linprog  # takes sparse matrices, which its types do not say
    answer = solve(
        cost, upper.tocsr(), most, equal.tocsr(), right, bounds, method="highs"
    )
    return float(answer.fun) if answer.success else math.inf


def in_time(walker: Walker, speed: float, step_time: float, share: float) -> bool:
    """Whether the swing foot keeps to its speed."""
    return (
        1.5 * 2.0 * speed * step_time
        <= walker.swing_speed * (1.0 - share) * step_time + 1e-9
    )


def least_of_all(walker: Walker, speed: float) -> Least:
    """Choose the steps of the grid that need least friction at a speed [m/s]."""
    found = [
        Least(least_ratio(walker, speed, time, share), time, share * time)
        for time in STEP_TIMES
        for share in SHARES
        if in_time(walker, speed, time, share)
    ]
    return min(found, default=Least(math.inf, math.nan, math.nan))


# Walks at each speed.

SPEEDS = (0.2, 0.4, 0.6)
LIMITS = ("interval", "oracle")
SEEDS = 1
DISTANCE = 4.0  # [m] of rough floor
# share of the sole that the pendulum's ZMP may use: the rest is for feedback (study of
# ice, section 1)
SOLE_USE = 0.5


@dataclass(frozen=True)
class DemandJob:
    """One walk at a speed, on one floor all the way."""

    robot: str  # name or file of the walk
    speed: float  # commanded [m/s]
    kind: str  # of slip prevention
    seed: int

    @property
    def walk(self) -> HumanoidJob:
        """The walk as a campaign has it."""
        mapping = chosen_walk(self.robot).to_mapping()
        mapping["speed"] = self.speed
        mapping["distance"] = DISTANCE
        mapping["patch"]["length"] = 0.0
        return HumanoidJob(
            HumanoidWalkConfig.from_mapping(mapping), self.kind, self.seed
        )


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
    # least ratio of a pendulum with the same speed and steps, its ZMP anywhere in half
    # the sole
    same_steps: float
    any_steps: float  # with the best steps of a grid


def run_demand_job(job: DemandJob) -> DemandOutcome:
    """Check the sensors, walk once."""
    walk, summary = job.walk.walked()
    gait = walk.ticks[-1].gait
    steps = Steps(gait.single_support, gait.double_support, gait.ratio)
    return DemandOutcome(
        job=job,
        fell=summary.fell,
        speed=summary.speed_off_patch,
        peak=summary.peak_ratio,
        steps=steps,
    )


def demand_table(outcomes: Iterable[DemandOutcome]) -> list[DemandRow]:
    """One row per robot, limit and commanded speed, in order of first appearance."""
    groups = grouped(
        outcomes,
        lambda outcome: (outcome.job.robot, outcome.job.kind, outcome.job.speed),
    )
    return [
        _row(robot, kind, speed, group)
        for (robot, kind, speed), group in groups.items()
    ]


def _row(
    robot: str, kind: str, commanded: float, group: list[DemandOutcome]
) -> DemandRow:
    upright = [outcome for outcome in group if not outcome.fell]
    speed, peak = (
        float(np.mean(found)) if found else float("nan")
        for found in ([o.speed for o in upright], [o.peak for o in upright])
    )
    steps = group[-1].steps
    walker = walker_of(robot)
    same = float("nan")
    best = float("nan")
    if speed > 0.0:
        time = steps.single_support + steps.double_support
        same = least_ratio(walker, speed, time, steps.double_support / time)
        best = least_of_all(walker, speed).ratio
    return DemandRow(
        robot=robot,
        kind=kind,
        commanded=commanded,
        runs=len(group),
        fell=len(group) - len(upright),
        speed=speed,
        peak=peak,
        steps=steps,
        same_steps=same,
        any_steps=best,
    )


def walker_of(robot: str) -> Walker:
    """Reduce a robot to its pendulum.

    That is the height, the width and ``SOLE_USE`` of the soles that it walks with.
    """
    config = chosen_walk(robot)
    controller = config.walking.controller
    body = with_smaller_soles(
        humanoid_body(load_humanoid(config.robot)), controller.sole_use
    )
    half = SOLE_USE * body.half_size
    width = controller.steps.width - 2.0 * controller.stepping.inset
    return Walker(
        controller.height_share * body.centre_height,
        width,
        float(half[0]),
        float(half[1]),
    )


COLUMNS = {
    "robot": lambda row: row.robot,
    "limit": lambda row: row.kind,
    "commanded [m/s]": lambda row: f"{row.commanded:g}",
    "walked [m/s]": lambda row: f"{row.speed:.2f}",
    "fell": lambda row: f"{row.fell}/{row.runs}",
    "supports [s]": lambda row: (
        f"{row.steps.single_support:.2f} + {row.steps.double_support:.2f}"
    ),
    "peak ratio": lambda row: f"{row.peak:.3f}",
    "planned": lambda row: f"{row.steps.planned:.3f}",
    "least, these steps": lambda row: f"{row.same_steps:.3f}",
    "least, any steps": lambda row: f"{row.any_steps:.3f}",
}


def show(outcomes: Sequence[DemandOutcome], console: Screen) -> None:
    """Print one line a robot, limit and speed."""
    console.print(table_of(COLUMNS, demand_table(outcomes)))


DEMAND = Study(
    name="demand",
    work=run_demand_job,
    result=DemandOutcome,
    tables=lambda outcomes: {"demand": demand_table(outcomes)},
    show=show,
    content=lambda job: job.walk.key(),
    prepare=lambda jobs: fill_code_cache([job.walk for job in jobs]),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "limit", "seeds", "workers")
    parser.add_argument(
        "--speeds",
        nargs="+",
        type=float,
        metavar="SPEED",
        help="commanded [m/s] (0.2 0.4 0.6)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table."""
    robots = arguments.robot or ROBOTS
    limits = arguments.limit or LIMITS
    seeds = chosen_seeds(arguments, SEEDS)
    speeds = arguments.speeds or SPEEDS
    return DEMAND.run(
        arguments,
        [
            DemandJob(robot, speed, kind, seed)
            for robot in robots
            for kind in limits
            for speed in speeds
            for seed in seeds
        ],
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ladder: robots over a patch that gets worse from rung to rung.

They walk under every limit, pushed or not.
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Iterable, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.cli.walk import period_of
from biped_slip.contact.ground import ground_under
from biped_slip.control.whole_body.footsteps import Phase
from biped_slip.errors import InvalidParameter, InvalidRecording
from biped_slip.estimation.sole_motion import HUMANOID_SOURCES
from biped_slip.simulation.campaign import fill_code_cache
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.humanoid.oracle import half_soles
from biped_slip.simulation.humanoid.scenario import (
    HumanoidWalkConfig,
    chosen_walk,
    with_motion,
)
from biped_slip.simulation.humanoid.summary import (
    HumanoidSummary,
    loaded_stances,
)
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.stances import BEARING_LOAD
from studies.frame import Study, declare, grouped, table_of, typed


@dataclass(frozen=True)
class PatchSummary:
    """Of one walk; NaN where the patch was never reached."""

    first_slip: float  # [m] largest of the first stance of each foot on the patch
    later_slip: float  # [m] largest of the stances after them
    speed: float  # [m/s] mean while the base is over the patch
    peak_ratio: float  # largest force ratio of a loaded foot on the patch
    stood: bool  # at its end it stood on both feet and did not walk
    whole: tuple[
        float, ...
    ] = ()  # [m] slip of each stance of a sole wholly on the patch
    across: tuple[float, ...] = ()  # [m] likewise across its edge


def summarise_patch(walk: HumanoidWalk) -> PatchSummary:
    """Summary of a walk that has ended."""
    world = walk.world
    log = walk.world.log.trim()
    firsts = []
    laters = []
    peaks = []
    whole = []
    across = []
    points = half_soles(walk.humanoid).reshape(-1, 2)
    for foot in (0, 1):
        slides = []
        for part in loaded_stances(world, foot):
            places = log.sole_position[part, foot, :2]
            slip = float(np.linalg.norm(np.ptp(places, axis=0)))
            middle = places.mean(axis=0)
            terrain = world.plant.around.terrain
            under = {ground_under(terrain, *(middle + point)).mu for point in points}
            if under == {walk.config.patch.mu}:
                whole.append(slip)
            elif len(under) > 1:
                across.append(slip)
            if np.all(log.mu[part, foot] == walk.config.mu):
                continue
            slides.append(slip)
            loaded = log.normal[part, foot] > BEARING_LOAD * walk.humanoid.weight
            peaks.append(float(log.ratio[part, foot][loaded].max(initial=0.0)))
        firsts += slides[:1]
        laters += slides[1:]
    over = (log.q[:, 0] > world.patch[0]) & (log.q[:, 0] < world.patch[1])
    time = float(np.diff(log.time)[over[1:]].sum())
    way = float(np.diff(log.q[:, 0])[over[1:]].sum())
    nan = float("nan")
    stood = (
        bool(walk.ticks) and walk.ticks[-1].phase == Phase.STAND and not walk.world.fell
    )
    return PatchSummary(
        first_slip=max(firsts, default=nan),
        later_slip=max(laters, default=nan),
        speed=way / time if time > 0.0 else nan,
        peak_ratio=max(peaks, default=nan),
        stood=stood,
        whole=tuple(whole),
        across=tuple(across),
    )


ROBOTS = ("talos", "surena3", "g1")
RUNGS = (0.4, 0.25, 0.2, 0.15, 0.1, 0.05)  # friction coefficients of the patch
SEEDS = 4
LIMITS = (
    "none",
    "constant:0.2",
    "constant:0.7",
    "interval",
    "touchdown",
    "underfoot",
    "oracle",
)
# who knows more, first: the way ahead, the floor under the soles, that of each landing,
# bounds
KNOWING = ("oracle", "underfoot", "touchdown", "interval")
SHORT = 4.8, (1.5, 2.5)  # [m] the whole way, where the patch may begin
# [s] of a walk with a slow bus
TORQUES_LATE = 4e-3
SENSORS_LATE = 3e-3
# [m/s] mean speed of a walk that still arrives, whatever is commanded (choice)
SLOWEST = 0.15
NETWORK = "onnx:"  # a limit of that name is a policy from a file
SIGNIFICANT = 0.05  # level of a difference that is called one


@dataclass(frozen=True)
class Rung:
    """A cell of the ladder."""

    robot: str  # name or file of the walk
    mu: float  # of the patch
    kind: str  # of slip prevention, or a learned policy in its place: onnx:FILE
    push: float = 0.0  # sideways on the patch [body weights]
    short: bool = (
        False  # the patch soon after the start, the end soon after it: half the time
    )
    # what tells how the soles move; odometry: a sensor that sees them; empty: as the
    # sensors say
    motion: str = ""
    sensors: str = ""  # name or file of a set of sensors; empty: the walk's own
    period: float | None = None  # of control [s]; None: the walk's own
    late: bool = False  # torques and sensors are, and the controller knows
    beside: float | None = (
        None  # mu of the floor beside the patch; None: the walk's own
    )
    speed: float | None = None  # commanded [m/s]; None: the walk's own


@dataclass(frozen=True)
class LadderJob:
    """One walk."""

    rung: Rung
    seed: int

    @property
    def walk(self) -> HumanoidJob:
        """Return the walk as a campaign has it.

        A learned policy knows how its base moves, and nothing of the floor.
        """
        config = config_of(self.rung)
        kind = self.rung.kind
        if kind.startswith(NETWORK):
            return HumanoidJob(
                config, "none", self.seed, true_base=True, controller=kind
            )
        return HumanoidJob(config, kind, self.seed)


@dataclass(frozen=True)
class LadderOutcome:
    """One walk's result."""

    job: LadderJob
    summary: HumanoidSummary
    patch: PatchSummary


@dataclass(frozen=True)
class LadderRow:
    """One line of the table: a cell over all seeds."""

    rung: Rung
    runs: int
    fell: int
    arrived: int
    stood: int  # upright on both feet before the end of the way
    # [m] largest over the walks, of the first stance of each foot on the patch
    first_slip: float
    later_slip: float  # [m] likewise of the stances after them
    speed: float  # [m/s] mean off the patch, of the walks that did not fall
    speed_on_patch: float  # [m/s] likewise on it
    peak_ratio: float  # mean over the walks, of the medians off the patch
    # [m] of the slips of soles wholly on the patch, what 95 % are below
    whole: float = math.nan
    across: float = math.nan  # [m] largest of soles across its edge


@dataclass(frozen=True)
class Order:
    """Falls of two limits on the same seeds."""

    better: Rung  # is expected to fall no more often
    worse: Rung
    falls: tuple[int, int]
    chance: (
        float  # probability of such a difference, or a larger one, if both were as good
    )

    @property
    def broken(self) -> bool:
        """Whether the one that knows more falls more often, and not by chance."""
        return self.falls[0] > self.falls[1] and self.chance < SIGNIFICANT


def config_of(rung: Rung) -> HumanoidWalkConfig:
    """Configure the robot's walk with the patch and push of a cell."""
    if not rung.mu > 0.0:
        raise InvalidParameter("mu", rung.mu, "above 0")
    mapping = chosen_walk(rung.robot, rung.sensors or None, rung.period).to_mapping()
    mapping["patch"]["mu"] = rung.mu
    mapping["push"]["force"] = rung.push
    mapping |= {
        name: value
        for name, value in (("mu", rung.beside), ("speed", rung.speed))
        if value is not None
    }
    mapping["patience"] = max(mapping["patience"], mapping["speed"] / SLOWEST)
    if rung.short:
        (
            mapping["distance"],
            (mapping["patch"]["earliest"], mapping["patch"]["latest"]),
        ) = SHORT
    if rung.late:
        actuation = mapping["controller"]["actuation"]
        for sensor in mapping["sensors"].values():
            sensor["delivery"]["latency"] += SENSORS_LATE
        mapping["unmodelled"]["dead_time"] = actuation["dead_time"] = TORQUES_LATE
        actuation["sensor_age"] += SENSORS_LATE
    config = HumanoidWalkConfig.from_mapping(mapping)
    return with_motion(config, rung.motion) if rung.motion else config


def run_ladder_job(job: LadderJob) -> LadderOutcome:
    """Check the sensors, walk once."""
    walk, summary = job.walk.walked()
    return LadderOutcome(job, summary, summarise_patch(walk))


def ladder_table(outcomes: Iterable[LadderOutcome]) -> list[LadderRow]:
    """One row per cell, in the order of first appearance."""
    return [
        _row(rung, group)
        for rung, group in grouped(outcomes, lambda outcome: outcome.job.rung).items()
    ]


def _row(rung: Rung, group: list[LadderOutcome]) -> LadderRow:
    upright = [outcome for outcome in group if not outcome.summary.fell]
    return LadderRow(
        rung=rung,
        runs=len(group),
        fell=len(group) - len(upright),
        arrived=sum(outcome.summary.arrived for outcome in upright),
        stood=sum(
            outcome.patch.stood and not outcome.summary.arrived for outcome in upright
        ),
        first_slip=_largest(outcome.patch.first_slip for outcome in group),
        later_slip=_largest(outcome.patch.later_slip for outcome in group),
        speed=_mean(outcome.summary.speed_off_patch for outcome in upright),
        speed_on_patch=_mean(outcome.patch.speed for outcome in upright),
        peak_ratio=_mean(outcome.summary.peak_ratio for outcome in group),
        whole=float(np.quantile(whole, 0.95))
        if (whole := [slip for one in group for slip in one.patch.whole])
        else math.nan,
        across=_largest(slip for one in group for slip in one.patch.across),
    )


def orders(outcomes: Sequence[LadderOutcome]) -> list[Order]:
    """Check that who knows more falls no more often.

    This goes for those of ``KNOWING`` in their order, then each constant and none.
    """
    fell = {(o.job.rung, o.job.seed): o.summary.fell for o in outcomes}
    rungs = list(
        dict.fromkeys(
            o.job.rung for o in outcomes if not o.job.rung.kind.startswith(NETWORK)
        )
    )
    result = []
    for better in rungs:
        for worse in rungs:
            if (
                worse.kind.startswith(NETWORK)
                or _rank(better.kind) >= _rank(worse.kind)
                or replace(worse, kind=better.kind) != better
            ):
                continue
            seeds = [
                seed for rung, seed in fell if rung == better and (worse, seed) in fell
            ]
            mine = sum(fell[better, seed] and not fell[worse, seed] for seed in seeds)
            theirs = sum(fell[worse, seed] and not fell[better, seed] for seed in seeds)
            falls = (
                sum(fell[better, seed] for seed in seeds),
                sum(fell[worse, seed] for seed in seeds),
            )
            result.append(Order(better, worse, falls, sign_test(mine, theirs)))
    return result


def _rank(kind: str) -> int:
    return KNOWING.index(kind) if kind in KNOWING else len(KNOWING)


def sign_test(mine: int, theirs: int) -> float:
    """Return the probability that so many pairs go one way, both being as likely.

    Of ``mine + theirs`` pairs that differ, at least ``mine`` go that way.
    """
    n = mine + theirs
    return sum(math.comb(n, k) for k in range(mine, n + 1)) / 2**n


def _largest(values: Iterable[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return max(known, default=float("nan"))


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def rows_of(path: Path) -> list[LadderRow]:
    """Read the table of a file that ``--json`` has written.

    Raises:
        InvalidRecording: there is no such file, or another one.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["tables"]["ladder"]
        return [typed(LadderRow, row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidRecording(
            path, "no table of the ladder; `python -m studies ladder --json` writes one"
        ) from error


COLUMNS = {
    "mu": lambda row: (
        f"{row.rung.mu:g}" + (f" out of {row.rung.beside:g}" if row.rung.beside else "")
    ),
    "limit": lambda row: row.rung.kind,
    "fell": lambda row: f"{row.fell}/{row.runs}",
    "arrived": lambda row: row.arrived,
    "stood": lambda row: row.stood,
    "first slip [mm]": lambda row: f"{1e3 * row.first_slip:.1f}",
    "later slip [mm]": lambda row: f"{1e3 * row.later_slip:.1f}",
    "whole sole, 95 %": lambda row: f"{1e3 * row.whole:.1f}",
    "across an edge": lambda row: f"{1e3 * row.across:.1f}",
    "on patch [m/s]": lambda row: f"{row.speed_on_patch:.2f}",
    "off patch [m/s]": lambda row: f"{row.speed:.2f}",
    "peak ratio": lambda row: f"{row.peak_ratio:.2f}",
}


def show(outcomes: Sequence[LadderOutcome], console: Screen) -> None:
    """Print a table per robot and push.

    Also print where the limit that knows more fell more often.
    """
    for (robot, push), rows in grouped(
        ladder_table(outcomes), lambda row: (row.rung.robot, row.rung.push)
    ).items():
        console.print(
            table_of(
                COLUMNS,
                rows,
                robot if push == 0.0 else f"{robot}, pushed by {push:g} weights",
            )
        )
    for order in orders(outcomes):
        if order.falls[0] > order.falls[1]:
            word = "worse" if order.broken else "no sure difference"
            console.print(
                f"{order.better.robot}, mu {order.better.mu:g}: {order.better.kind} "
                f"fell {order.falls[0]} times, "
                f"{order.worse.kind} {order.falls[1]} ({word}, p = {order.chance:.2f})"
            )


LADDER = Study(
    name="ladder",
    work=run_ladder_job,
    result=LadderOutcome,
    tables=lambda outcomes: {
        "ladder": ladder_table(outcomes),
        "orders": orders(outcomes),
    },
    show=show,
    content=lambda job: job.walk.key(),
    prepare=lambda jobs: fill_code_cache([job.walk for job in jobs]),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "robot", "limit", "push", "mu", "seeds", "workers")
    parser.add_argument(
        "--motion",
        choices=HUMANOID_SOURCES,
        default="",
        help="what tells how the soles move, in place of the "
        f"walk's own; {HUMANOID_SOURCES[0]}: a sensor that sees them (20 um)",
    )
    parser.add_argument(
        "--sensors",
        default="",
        metavar="NAME",
        help="set of sensors in place of the walk's own",
    )
    parser.add_argument(
        "--short",
        action="store_true",
        help="4.8 m with the patch after 1.5 to 2.5 m: half the time",
    )
    parser.add_argument(
        "--beside",
        type=float,
        nargs="+",
        default=[None],
        metavar="MU",
        help="of the floor beside the patch (0.8)",
    )
    parser.add_argument(
        "--speed", type=float, metavar="M/S", help="commanded (the walk's)"
    )
    parser.add_argument(
        "--period", choices=("1", "2", "4"), help="of control [ms] (the walk's)"
    )
    parser.add_argument(
        "--late",
        action="store_true",
        help=f"torques {1e3 * TORQUES_LATE:g} ms late and sensors "
        f"{1e3 * SENSORS_LATE:g} ms older than the walk's; the controller knows both",
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the tables."""
    seeds = chosen_seeds(arguments, SEEDS)
    period = period_of(arguments.period)

    def rung(
        robot: str, mu: float, kind: str, push: float, beside: float | None
    ) -> Rung:
        return Rung(
            robot=robot,
            mu=mu,
            kind=kind,
            push=push,
            short=arguments.short,
            motion=arguments.motion,
            sensors=arguments.sensors,
            period=period,
            late=arguments.late,
            beside=beside,
            speed=arguments.speed,
        )

    return LADDER.run(
        arguments,
        [
            LadderJob(rung(robot, mu, kind, push, beside), seed)
            for robot in arguments.robot or ROBOTS
            for push in arguments.push or [0.0]
            for beside in arguments.beside
            for mu in arguments.mu or RUNGS
            for kind in arguments.limit or LIMITS
            for seed in seeds
        ],
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What half and double of each parameter do to what a walk knows and how it slips.

The planar biped walks from mu 1.0 onto 0.4 under the limit ``touchdown`` (scenario
``demo``), and under ``interval`` where sensors see its soles (``thesis_sensors``). Each
number of its controller, estimators and limits is halved and doubled by itself, as far
as its range lets it; the floor, the command and the sensors are the world and stay. A
parameter is listed where an answer moves by more than a tenth of what it is with the
defaults: friction as estimated over what is true, the share of stances that were
answered, the length of the way, the largest slip of a stance (there a tenth, and a
millimetre), or whether the robot fell.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.cli.terminal import Screen, chosen_seeds
from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.summary import StanceEstimate
from biped_slip.simulation.planar.walk import run_walk
from studies.frame import Study, declare, grouped, table_of

WALKS = {"touchdown": "demo", "interval": "thesis_sensors"}  # scenario by limit
FACTORS = (0.5, 2.0)
WORLD = ("variant", "duration", "required_distance", "ground", "start", "speed")
SENSED = ("pushes", "sensors", "contact", "unmodelled", "plant")
MOVED = 0.1  # share of an answer by which a parameter must move it to be listed
LEAST_SLIP = 1e-3  # [m] by which a slip must change to count


class Job(NamedTuple):
    """One walk with one parameter at another value; no name: the defaults."""

    limit: str
    name: str
    factor: float
    seed: int


class Moved(NamedTuple):
    """What such a walk knew, and how it went."""

    job: Job
    value: float  # of the parameter
    refusal: str  # why the value is not taken; empty: it is
    fell: bool
    estimated: float  # mean of estimated over true friction [-]; NaN: none
    answered: float  # share of the stances
    distance: float  # [m]
    slip: float  # largest of a stance [m]


def numbers(config: ScenarioConfig) -> Iterator[tuple[str, float]]:
    """Yield the names and values of all numbers that are not the world's."""
    for name, value, _ in config.flat():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if name.split(".")[0] in WORLD + SENSED or not is_number:
            continue
        if value != 0.0 and math.isfinite(value):
            yield name, value


def with_value(scenario: ScenarioConfig, name: str, value: float) -> ScenarioConfig:
    """Return the scenario with one parameter, named with dots, at another value."""
    mapping = scenario.to_mapping()
    inner: dict[str, Any] = mapping
    *path, last = name.split(".")
    for part in path:
        inner = inner[part]
    inner[last] = value
    return ScenarioConfig.from_mapping(mapping)


def known_share(stance: StanceEstimate) -> float:
    """Return the estimate of a stance over its true friction; NaN: never answered.

    The interval has no point value: there the limit counts that was released.
    """
    for value in (stance.mu_hat, stance.limit_at_release):
        if value is not None and math.isfinite(value):
            return value / stance.mu_true
    return math.nan


def walk_once(job: Job) -> Moved:
    """Walk with one parameter changed."""
    value = math.nan
    try:
        scenario = chosen_scenario(WALKS[job.limit], seed=job.seed)
        if job.name:
            before = dict(numbers(scenario))[job.name]
            value = type(before)(before * job.factor)
            scenario = with_value(scenario, job.name, value)
        summary = run_walk(scenario, job.limit, seed=job.seed).summary
    except BipedSlipError as error:
        return Moved(
            job=job,
            value=value,
            refusal=str(error),
            fell=False,
            estimated=math.nan,
            answered=math.nan,
            distance=math.nan,
            slip=math.nan,
        )
    shares = [known_share(stance) for stance in summary.contacts]
    ratios = [share for share in shares if math.isfinite(share)]
    return Moved(
        job=job,
        value=value,
        refusal="",
        fell=summary.fell,
        estimated=float(np.mean(ratios)) if ratios else math.nan,
        answered=len(ratios) / max(len(summary.contacts), 1),
        distance=summary.distance,
        slip=summary.max_stance_slip,
    )


class Answers(NamedTuple):
    """Means over the seeds of one value."""

    refusal: str
    falls: int
    estimated: float
    answered: float
    distance: float
    slip: float  # the largest


class Row(NamedTuple):
    """One parameter: its default, and what half and double of it do."""

    name: str
    default: float
    half: Answers
    double: Answers


def answers_of(walks: Sequence[Moved]) -> Answers:
    """Summarise the walks of one value over its seeds."""
    known = [one.estimated for one in walks if math.isfinite(one.estimated)]
    return Answers(
        refusal=next((one.refusal for one in walks if one.refusal), ""),
        falls=sum(one.fell for one in walks),
        estimated=float(np.mean(known)) if known else math.nan,
        answered=float(np.mean([one.answered for one in walks])),
        distance=float(np.mean([one.distance for one in walks])),
        slip=max(one.slip for one in walks),
    )


def moves(answers: Answers, usual: Answers) -> bool:
    """Return whether an answer differs by more than a tenth from the usual one."""
    if answers.refusal:
        return False
    if answers.falls != usual.falls:
        return True
    for name in ("estimated", "answered", "distance"):
        before = getattr(usual, name)
        apart = getattr(answers, name) - before
        if not abs(apart) <= MOVED * abs(before) and not math.isnan(before):
            return True
    further = abs(answers.slip - usual.slip)
    return further > max(MOVED * usual.slip, LEAST_SLIP)


def rows(results: Sequence[Moved]) -> tuple[Answers, list[Row]]:
    """Return the answers with the defaults, and the parameters that move them."""
    by_name = grouped(results, lambda one: one.job.name)
    usual = answers_of(by_name.pop(""))
    scenario = chosen_scenario(WALKS[results[0].job.limit], seed=0)
    default = dict(numbers(scenario))
    found = []
    for name, walks in by_name.items():
        of_factor = grouped(walks, lambda one: one.job.factor)
        half, double = (answers_of(of_factor[factor]) for factor in FACTORS)
        if moves(half, usual) or moves(double, usual):
            found.append(
                Row(name=name, default=default[name], half=half, double=double)
            )
    return usual, found


def described(answers: Answers) -> str:
    """Say in one cell what a value did."""
    if answers.refusal:
        return "refused"
    words = (
        f"mu x {answers.estimated:.2f}, {100 * answers.answered:.0f} %, "
        f"{answers.distance:.1f} m, {1e3 * answers.slip:.1f} mm"
    )
    return f"{words}, {answers.falls} fell" if answers.falls else words


def show(results: Sequence[Moved], screen: Screen) -> None:
    """Print the parameters that move an answer, for each limit."""
    columns: dict[str, Callable[[Row], object]] = {
        "parameter": lambda row: row.name,
        "default": lambda row: f"{row.default:g}",
        "half": lambda row: described(row.half),
        "double": lambda row: described(row.double),
    }
    for limit, walks in grouped(results, lambda one: one.job.limit).items():
        usual, found = rows(walks)
        parameters = len({one.job.name for one in walks}) - 1
        title = (
            f"{limit}: {len(found)} of {parameters} parameters move an answer by more "
            f"than a tenth; with the defaults: {described(usual)}"
        )
        screen.print(table_of(columns, found, title))


def tables(results: Sequence[Moved]) -> dict[str, Sequence[Row]]:
    """Return the rows of each limit for JSON."""
    by_limit = grouped(results, lambda one: one.job.limit)
    return {limit: rows(walks)[1] for limit, walks in by_limit.items()}


SENSITIVITY = Study("sensitivity", walk_once, Moved, tables, show)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "limit", "seeds", "workers")
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="parameters whose name holds this"
    )


def run(arguments: argparse.Namespace) -> int:
    """Walk with every number at half and at double."""
    jobs = []
    seeds = chosen_seeds(arguments, 2)
    for limit in arguments.limit or WALKS:
        if limit not in WALKS:
            raise UnknownName("limit of this study", limit, list(WALKS))
        changed = [
            (name, factor)
            for name, _ in numbers(chosen_scenario(WALKS[limit], seed=0))
            if arguments.only in name
            for factor in FACTORS
        ]
        jobs += [
            Job(limit=limit, name=name, factor=factor, seed=seed)
            for name, factor in [("", 1.0), *changed]
            for seed in seeds
        ]
    return SENSITIVITY.run(arguments, jobs)

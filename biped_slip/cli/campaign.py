# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: a file of walks or seeds x limits x scenarios.

Here is what is drawn, where it is walked, its table and page.
"""

from __future__ import annotations

import argparse
import math
import shlex
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence, TypeVar

import numpy as np
from numpy.random import Generator
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table
from rich.text import Text
from scipy.stats import binomtest

from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from biped_slip.cli.walk import pushed_walk, show_end, show_stances
from biped_slip.config import read_yaml
from biped_slip.errors import (
    BipedSlipError,
    InvalidParameter,
    MissingExtra,
    UnknownName,
)
from biped_slip.reports.figures import png_bytes, stacked_axes
from biped_slip.reports.html import heading, paragraph, picture, write_page
from biped_slip.reports.html import table as html_table
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.simulation.campaign import (
    CampaignFile,
    Job,
    Outcome,
    Row,
    groups,
    run_campaign,
    table,
)
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.planar.job import PlanarJob, PlanarOutcome
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.simulation.time_series import write_table
from biped_slip.view.page import planar_scene

# Distributions as they stand in a campaign file: ``{uniform: [0.25, 1.0]}``; a plain
# value is itself.

Draw = Callable[[Generator], Any]


def distribution(name: str, text: object) -> Draw:
    """Parse the distribution of one parameter.

    Args:
        name: of the parameter, for messages.
        text: as in the file; a list draws its items one by one.
    """
    if isinstance(text, list):
        items = [distribution(f"{name}[{i}]", item) for i, item in enumerate(text)]
        return lambda rng: tuple(draw(rng) for draw in items)
    if not isinstance(text, Mapping):
        return lambda rng: text
    if len(text) != 1 or next(iter(text)) not in _KINDS:
        raise InvalidParameter(
            name,
            dict(text),
            f"a value, or one of {', '.join(_KINDS)} with its arguments",
        )
    kind, arguments = next(iter(text.items()))
    if not isinstance(arguments, list) or not arguments:
        raise InvalidParameter(f"{name}.{kind}", arguments, "a list of arguments")
    return _KINDS[kind](f"{name}.{kind}", arguments)


def _uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _numbers(name, arguments, rising=True)
    return lambda rng: float(rng.uniform(low, high))


def _log_uniform(name: str, arguments: list[Any]) -> Draw:
    low, high = _numbers(name, arguments, rising=True)
    if low <= 0.0:
        raise InvalidParameter(name, arguments, "two numbers > 0")
    return lambda rng: float(np.exp(rng.uniform(math.log(low), math.log(high))))


def _normal(name: str, arguments: list[Any]) -> Draw:
    mean, deviation = _numbers(name, arguments)
    if deviation < 0.0:
        raise InvalidParameter(name, arguments, "a mean and a standard deviation >= 0")
    return lambda rng: float(rng.normal(mean, deviation))


def _choice(name: str, arguments: list[Any]) -> Draw:
    return lambda rng: arguments[int(rng.integers(len(arguments)))]


def _numbers(
    name: str, arguments: list[Any], rising: bool = False
) -> tuple[float, float]:
    plain = [
        a
        for a in arguments
        if isinstance(a, (int, float)) and not isinstance(a, bool) and math.isfinite(a)
    ]
    if len(arguments) != 2 or len(plain) != 2:
        raise InvalidParameter(name, arguments, "two finite numbers")
    if rising and plain[0] > plain[1]:
        raise InvalidParameter(name, arguments, "lowest value, then highest")
    return float(plain[0]), float(plain[1])


_KINDS: dict[str, Callable[[str, list[Any]], Draw]] = {
    "uniform": _uniform,
    "log_uniform": _log_uniform,
    "normal": _normal,
    "choice": _choice,
}


# A campaign file: scenarios, limits, what is drawn for each walk, one seed for
# everything.
#
# Walk k draws the same values for every scenario and limit, so that these are compared
# on the same floors; what it draws depends on the seed and k alone, neither on the
# number of walks nor on who walks it.

KEYS = ("seed", "walks", "scenarios", "limits", "draw")


@dataclass(frozen=True)
class Plan:
    """Campaign as its file describes it."""

    seed: int
    walks: int
    scenarios: tuple[str, ...]
    limits: tuple[str, ...]
    draw: tuple[
        tuple[str, Draw], ...
    ]  # dotted parameter and its distribution, in the file's order

    def jobs(self) -> list[PlanarJob]:
        """List every walk, ordered by number, scenario and limit."""
        jobs = []
        for k in range(self.walks):
            rng = np.random.default_rng(
                np.random.SeedSequence(self.seed, spawn_key=(k,))
            )
            drawn = tuple((name, draw(rng)) for name, draw in self.draw)
            seed = int(rng.integers(2**31))
            jobs += [
                PlanarJob(scenario, limit, seed, drawn)
                for scenario in self.scenarios
                for limit in self.limits
            ]
        return jobs


def load_plan(path: str | Path) -> Plan:
    """Load a campaign file, or a shipped one by its name.

    Raises:
        BipedSlipError: a key, a name or a drawn value is not acceptable; the first walk
            is tried out.
    """
    known = shared_names("config/campaigns")
    mapping = read_yaml(
        shared_file(f"config/campaigns/{path}.yaml") if str(path) in known else path
    )
    for key in mapping:
        if key not in KEYS:
            raise UnknownName("key of a campaign", str(key), list(KEYS))
    draw = mapping.get("draw") or {}
    if not isinstance(draw, dict):
        raise InvalidParameter(
            "draw", draw, "a mapping of parameter names to distributions"
        )
    plan = Plan(
        seed=_count("seed", mapping.get("seed", 0), 0),
        walks=_count("walks", mapping.get("walks", 100), 1),
        scenarios=_listed("scenarios", mapping.get("scenarios")),
        limits=_listed("limits", mapping.get("limits")),
        draw=tuple(
            (str(name), distribution(f"draw.{name}", text))
            for name, text in draw.items()
        ),
    )
    for job in replace(plan, walks=1).jobs():
        planar_policy(job.limit, job.nominal())
    return plan


def _listed(key: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) for name in names)
    ):
        raise InvalidParameter(key, value, "a name or a list of names")
    if len(set(names)) != len(names):
        raise InvalidParameter(key, value, "a list without repetition")
    return tuple(names)


def _count(key: str, value: Any, low: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise InvalidParameter(key, value, f"a whole number >= {low}")
    return value


# The table of all walks: what was drawn beside what came of it.
#
# It holds no times of day and no durations of computing: the same campaign gives the
# same table, whoever walked it.

CONFIDENCE = 0.95


def drawn(job: PlanarJob) -> dict[str, Any]:
    """List the draws of a walk, one entry a number.

    The items of a list are called ``name[0]``, ``name[1]``.
    """
    flat: dict[str, Any] = {}
    for name, value in job.changes:
        flat |= (
            {f"{name}[{i}]": item for i, item in enumerate(value)}
            if isinstance(value, tuple)
            else {name: value}
        )
    return flat


def outcome_rows(outcomes: Sequence[PlanarOutcome]) -> list[dict[str, Any]]:
    """List one row per walk, in the order of the jobs.

    ``row`` is the argument of ``--rerun``.
    """
    return [
        {
            "row": index,
            **{
                name: getattr(outcome.job, name)
                for name in ("scenario", "limit", "seed")
            },
            **drawn(outcome.job),
            "passed": outcome.passed,
            **{
                name: getattr(outcome.summary, name)
                for name in ("fell", "end_time", "distance", "max_stance_slip")
            },
            "slides": len(outcome.summary.slips),
            "stances": len(outcome.summary.contacts),
            "known": sum(
                contact.released_from is not None
                for contact in outcome.summary.contacts
            ),
        }
        for index, outcome in enumerate(outcomes)
    ]


def worst_first(outcomes: Sequence[PlanarOutcome]) -> list[int]:
    """Sort rows of the table: first walks that fell, the shortest first.

    Then come those that slid furthest.
    """
    ends = [outcome.summary for outcome in outcomes]
    bad = [
        (not end.fell, end.distance if end.fell else -end.max_stance_slip)
        for end in ends
    ]
    return sorted(range(len(bad)), key=bad.__getitem__)


@dataclass(frozen=True)
class PassRate:
    """Number of passed walks of a group, with the interval of the share.

    The interval is exact (Clopper–Pearson).
    """

    scenario: str
    limit: str
    passed: int
    walks: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of the walks that passed."""
        return self.passed / self.walks


def pass_rate(scenario: str, limit: str, group: Sequence[PlanarOutcome]) -> PassRate:
    """Compute the pass rate of some walks."""
    passed = sum(outcome.passed for outcome in group)
    interval = binomtest(passed, len(group)).proportion_ci(CONFIDENCE)
    return PassRate(
        scenario=scenario,
        limit=limit,
        passed=passed,
        walks=len(group),
        low=float(interval.low),
        high=float(interval.high),
    )


def pass_rates(outcomes: Sequence[PlanarOutcome]) -> list[PassRate]:
    """Compute one pass rate per scenario and limit, in order of first appearance."""
    return [
        pass_rate(scenario, limit, group)
        for (scenario, limit), group in groups(outcomes).items()
    ]


# The summary of a campaign as one HTML page: pass rates with their intervals, and over
# everything that was drawn.

BINS = 6
FAILURES_SHOWN = 20


def write_campaign_page(
    path: Path, title: str, outcomes: Sequence[PlanarOutcome]
) -> Path:
    """Write the page of a campaign; return its path."""
    rates = [
        (
            f"{rate.scenario}, {rate.limit}",
            f"{rate.passed}/{rate.walks}",
            rate.share,
            rate.low,
            rate.high,
        )
        for rate in pass_rates(outcomes)
    ]
    share = f"{100 * CONFIDENCE:.0f} %"
    pieces = [
        heading("Passes"),
        paragraph(
            "A walk passes if it stays upright, gets far enough and no stance foot "
            "slides by 1 cm."
        ),
        html_table(
            ["scenario, limit", "passed", "share", f"{share} from", "to"], rates
        ),
    ]
    for name in numeric(outcomes):
        pieces += [
            heading(f"Over {name}"),
            picture(png_bytes(share_over(name, outcomes)), f"{share} intervals"),
        ]
    failures = [
        (i, outcomes[i]) for i in worst_first(outcomes) if not outcomes[i].passed
    ]
    words = (
        "The worst first; `biped-slip campaign ... --rerun ROW` walks one again, "
        "with its report and scene."
    )
    shown = failure_table(failures[:FAILURES_SHOWN])
    return write_page(
        path,
        title,
        [
            *pieces,
            heading(f"Failures: {len(failures)}"),
            paragraph(words, "note"),
            shown,
        ],
    )


def numeric(outcomes: Sequence[PlanarOutcome]) -> list[str]:
    """List the drawn parameters that vary and are numbers."""
    values: dict[str, set[Any]] = {}
    for outcome in outcomes:
        for name, value in drawn(outcome.job).items():
            values.setdefault(name, set()).add(value)
    return [
        name
        for name, found in values.items()
        if len(found) > 1 and {type(value) for value in found} <= {int, float}
    ]


def share_over(name: str, outcomes: Sequence[PlanarOutcome]) -> Any:
    """Draw the share of passes in equal bins of one drawn number.

    There is one row per scenario and one line per limit.
    """
    scenarios = list(dict.fromkeys(outcome.job.scenario for outcome in outcomes))
    limits = list(dict.fromkeys(outcome.job.limit for outcome in outcomes))
    values = np.array([float(drawn(outcome.job)[name]) for outcome in outcomes])
    edges = np.linspace(values.min(), values.max(), BINS + 1)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
    figure, axes = stacked_axes(
        [f"{scenario}\nshare passed" for scenario in scenarios],
        abscissa=name,
        width=7.0,
    )
    for axis, scenario in zip(axes, scenarios, strict=True):
        for k, limit in enumerate(limits):
            points = []
            for index in range(BINS):
                group = [
                    outcome
                    for outcome, place in zip(outcomes, bins, strict=True)
                    if place == index
                    and (outcome.job.scenario, outcome.job.limit) == (scenario, limit)
                ]
                if group:
                    middle = 0.5 * (edges[index] + edges[index + 1])
                    shift = (k - 0.5 * (len(limits) - 1)) * 0.1 * (edges[1] - edges[0])
                    points.append((middle + shift, pass_rate(scenario, limit, group)))
            x = [x for x, _ in points]
            shares = [rate.share for _, rate in points]
            spread = [
                [r.share - r.low for _, r in points],
                [r.high - r.share for _, r in points],
            ]
            axis.errorbar(
                x,
                shares,
                yerr=spread,
                marker="o",
                markersize=3,
                linewidth=1.0,
                capsize=2,
                label=limit,
            )
        axis.set_ylim(-0.05, 1.05)
    axes[0].legend(ncols=len(limits), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def failure_table(failures: Sequence[tuple[int, PlanarOutcome]]) -> str:
    """List the first failures, with the row that runs each again."""
    shown = []
    for index, outcome in failures:
        job = outcome.job
        summary = outcome.summary
        each = (
            f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}"
            for k, v in drawn(job).items()
        )
        slip = 1e3 * summary.max_stance_slip
        words = ", ".join(each)
        shown.append(
            (
                index,
                f"{job.scenario}, {job.limit}",
                summary.fell,
                summary.distance,
                slip,
                words,
            )
        )
    return html_table(
        [
            "row",
            "scenario, limit",
            "fell",
            "distance [m]",
            "largest slip [mm]",
            "drawn",
        ],
        shown,
    )


# What is missing is walked, with progress.

CLUSTER_PATIENCE = "10s"  # for a scheduler to answer
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome[Any, Any])
Kept = TypeVar("Kept")  # what is kept of a walk


@contextmanager
def workers_on(scheduler: str | None) -> Iterator[Executor | None]:
    """Connect to the workers of a Dask cluster as an executor; None without an address.

    Raises:
        MissingExtra: without Dask.
        BipedSlipError: no scheduler answers at the address.
    """
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("a campaign on a cluster", "campaigns") from error
    try:
        client = Client(scheduler, timeout=CLUSTER_PATIENCE)
    except (OSError, ValueError) as error:
        raise BipedSlipError(f"--scheduler {scheduler}: no answer ({error})") from error
    with client:
        yield client.get_executor(pure=False)


class Rate(ProgressColumn):
    """Rate of walks per second."""

    def render(self, task: Task) -> Text:
        """Format the rate as text; unknown before the first walks have ended."""
        return Text("-" if task.speed is None else f"{task.speed:.2f} walks/s")


def walk(
    jobs: Sequence[Job[AnyOutcome]],
    path: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
) -> list[AnyOutcome]:
    """Collect outcomes of all walks, from the file where it has them.

    New ones are appended to it.

    Args:
        jobs: walks.
        path: file of walks that have ended; none is read or written without one.
        workers: processes; all cores by default.
        scheduler: address of a Dask cluster that walks in their place.
    """
    with workers_on(scheduler) as cluster:
        return complete(
            jobs,
            CampaignFile(path) if path else None,
            lambda some, done: run_campaign(some, cluster or workers, done),
        )


def complete(
    jobs: Sequence[Any],
    file: Any,
    run: Callable[[Sequence[Any], Callable[[Kept], None]], list[Kept]],
) -> list[Kept]:
    """Collect outcomes of all jobs, from a file where it has them.

    ``run`` walks the others and reports each.

    Args:
        jobs: walks.
        file: has ``path``, ``find(job)``, the outcome or None, and ``add(outcome)``;
            None: nothing is kept.
        run: called with the missing jobs and with what is to be called for each
            outcome.
    """
    console = Screen(stderr=True)
    found = [file.find(job) if file else None for job in jobs]
    missing = [job for job, outcome in zip(jobs, found, strict=True) if outcome is None]
    if file is not None:
        console.print(
            f"{len(jobs) - len(missing)} of {len(jobs)} walks are in {file.path}, the "
            "others will be added"
        )
    columns = (
        TextColumn("walking"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, speed_estimate_period=120.0
    ) as bar:
        task = bar.add_task("walking", total=len(missing))

        def done(outcome: Kept) -> None:
            if file is not None:
                file.add(outcome)
            bar.advance(task)

        walked = iter(run(missing, done))
    return [next(walked) if outcome is None else outcome for outcome in found]


# A campaign from a file: what is missing is walked, the table is written, any of its
# rows can be walked again.


def run_plan(arguments: argparse.Namespace) -> int:
    """Run the missing walks, or one row again; print and store the table."""
    plan = load_plan(arguments.plan)
    out = arguments.out or Path(Path(arguments.plan).stem)
    if arguments.rerun is not None:
        return rerun(plan, arguments.rerun, out)
    out.mkdir(parents=True, exist_ok=True)
    outcomes = walk(
        plan.jobs(), out / "walks.jsonl", arguments.workers, arguments.scheduler
    )
    Screen().print(rates_table(pass_rates(outcomes)))
    write_table(out / "walks.parquet", outcome_rows(outcomes))
    page = write_campaign_page(
        out / "index.html", f"Campaign {Path(arguments.plan).stem}", outcomes
    )
    console = Screen(stderr=True)
    worst = worst_first(outcomes)[0]
    console.print(f"table: {out / 'walks.parquet'}, page: {page}")
    again = shlex.join(
        [
            "biped-slip",
            "campaign",
            arguments.plan,
            "--out",
            str(out),
            "--rerun",
            str(worst),
        ]
    )
    console.print(
        f"the worst walk once more, with its report: {again}", highlight=False
    )
    return 0


def rerun(plan: Plan, row: int, out: Path) -> int:
    """Run the walk of one row again and write its report.

    The exit code is 1 when the robot fell.
    """
    from biped_slip.reports.walks import write_walk_report

    jobs = plan.jobs()
    if not 0 <= row < len(jobs):
        raise InvalidParameter(
            "--rerun", row, f"a row of the table, 0 to {len(jobs) - 1}"
        )
    job = jobs[row]
    console = Screen()
    scenario = job.perturbed()
    result = run_walk(scenario, job.limit, job.seed)
    words = ", ".join(f"{name} {value}" for name, value in drawn(job).items())
    console.print(f"row {row}: {job.scenario}, {job.limit}, seed {job.seed}; {words}")
    show_stances(result.log, console)
    show_end(result.summary, result.log, console)
    results = {job.limit: result}
    page = write_walk_report(
        out / f"row-{row}", results, scenario, planar_scene(results, scenario)
    )
    Screen(stderr=True).print(f"report: {page}")
    return 1 if result.summary.fell else 0


def rates_table(rates: list[PassRate]) -> Table:
    """Make the table of pass rates with their intervals."""
    table = Table("scenario", "limit", "pass", "share", "95 % interval")
    for rate in rates:
        interval = f"{rate.low:.3f} to {rate.high:.3f}"
        table.add_row(
            rate.scenario,
            rate.limit,
            f"{rate.passed}/{rate.walks}",
            f"{rate.share:.3f}",
            interval,
        )
    return table


# Many walks: a campaign file, or seeds × limits × scenarios or humanoids, on all cores.

LIMITS = ("none", "constant:0.2", "oracle", "thesis")
SEEDS = 60
HUMANOID_LIMITS = ("constant:0.7", "constant:0.2", "touchdown", "oracle")
HUMANOID_SEEDS = 20
HUMANOID_RESULTS = Path("humanoid-walks.jsonl")
SCENARIO = "thesis"
Outcomes = Sequence[Outcome[Any, Any]]


def run(arguments: argparse.Namespace) -> int:
    """Run all walks and print the tables."""
    if arguments.plan is not None:
        return run_plan(arguments)
    outcomes = _humanoids(arguments) if arguments.robot else _scenarios(arguments)
    screen = result_screen(arguments)
    show(table(outcomes), screen)
    if arguments.json is not None:
        rows = [asdict(row) for row in table(outcomes)]
        write_json(
            arguments.json,
            arguments,
            [outcome.to_mapping() for outcome in outcomes],
            {"walks": rows},
        )
    return 0


def _scenarios(arguments: argparse.Namespace) -> Outcomes:
    for name in ("push", "true_base"):
        if getattr(arguments, name):
            raise InvalidParameter(
                f"--{name.replace('_', '-')}",
                getattr(arguments, name),
                "given with --robot",
            )
    seeds = chosen_seeds(arguments, SEEDS)
    limits = arguments.limit or LIMITS
    scenarios = arguments.scenario or [SCENARIO]
    jobs = [
        PlanarJob(name, limit, seed)
        for name in scenarios
        for limit in limits
        for seed in seeds
    ]
    return walk(jobs, arguments.results, arguments.workers, arguments.scheduler)


def _humanoids(arguments: argparse.Namespace) -> Outcomes:
    if arguments.scenario:
        raise InvalidParameter(
            "--scenario", " ".join(arguments.scenario), "left out with --robot"
        )
    seeds = chosen_seeds(arguments, HUMANOID_SEEDS)
    limits = arguments.limit or HUMANOID_LIMITS
    pushes = arguments.push or [0.0]
    configs = [pushed_walk(name, push) for name in arguments.robot for push in pushes]
    jobs = [
        HumanoidJob(config, limit, seed, arguments.true_base)
        for config in configs
        for limit in limits
        for seed in seeds
    ]
    return walk(
        jobs,
        arguments.results or HUMANOID_RESULTS,
        arguments.workers,
        arguments.scheduler,
    )


def show(rows: Sequence[Row], console: Screen) -> None:
    """Print how the walks ended."""
    beside_patch = any(row.peak_ratio is not None for row in rows)
    columns = (
        Column("name", overflow="fold"),
        Column("limit", no_wrap=True, min_width=12),
        "pass",
        "refused",
        "fell",
        "slip > 1 cm",
        "fell or > 5 cm",
        "slip median",
        "slip max",
        "distance",
    )
    walks = Table(
        *columns, *(("peak ratio", "speed off patch") if beside_patch else ())
    )
    for row in rows:
        walks.add_row(
            row.name,
            row.limit,
            f"{row.passed}/{row.runs}",
            str(row.refused),
            str(row.fell),
            str(row.slipped),
            str(row.fell_or_slid_far),
            f"{1e3 * row.median_slip:.1f} mm",
            f"{1e3 * row.largest_slip:.1f} mm",
            f"{row.median_distance:.2f} m",
            *(
                (_digits(row.peak_ratio), f"{_digits(row.speed)} m/s")
                if beside_patch
                else ()
            ),
        )
    console.print(walks)


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"

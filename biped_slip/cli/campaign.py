# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk what a file of walks does not have yet, with progress."""

from __future__ import annotations

import argparse
import shlex
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from biped_slip.campaigns.plan import Plan, load_plan
from biped_slip.campaigns.results import PassRate, drawn, pass_rates, worst_first, write_campaign_page, write_parquet
from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from biped_slip.cli.walk import pushed_walk
from biped_slip.cli.walk import show as show_walk
from biped_slip.errors import BipedSlipError, InvalidParameter, MissingExtra
from biped_slip.simulation.campaign import CampaignFile, Job, Outcome, Row, run_campaign, table
from biped_slip.simulation.humanoid.walk import Job as HumanoidJob
from biped_slip.simulation.planar.walk import Job as PlanarJob
from biped_slip.simulation.planar.walk import demand_table, run_walk
from biped_slip.view.page import planar_scene

CLUSTER_PATIENCE = "10s"  # for a scheduler to answer
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome[Any, Any])
Kept = TypeVar("Kept")  # what is kept of a walk


@contextmanager
def workers_on(scheduler: str | None) -> Iterator[Executor | None]:
    """The workers of a Dask cluster as an executor; None without an address.

    Raises:
        MissingExtra: without Dask.
        BipedSlipError: nobody answers at the address.
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
        raise BipedSlipError(f"--scheduler {scheduler}: nobody answers ({error})") from error
    with client:
        yield client.get_executor(pure=False)


class Rate(ProgressColumn):
    """Walks per second."""

    def render(self, task: Task) -> Text:
        """As text; unknown before the first walks have ended."""
        return Text("-" if task.speed is None else f"{task.speed:.2f} walks/s")


def walk(jobs: Sequence[Job[AnyOutcome]], path: Path | None = None, workers: int | None = None,
         scheduler: str | None = None) -> list[AnyOutcome]:  # fmt: skip
    """Outcomes of all walks, from the file where it has them; new ones are appended to it.

    Args:
        jobs: walks.
        path: file of walks that have ended; none is read or written without one.
        workers: processes; all cores by default.
        scheduler: address of a Dask cluster that walks in their place.
    """
    with workers_on(scheduler) as cluster:
        return complete(
            jobs, CampaignFile(path) if path else None, lambda some, done: run_campaign(some, cluster or workers, done)
        )


def complete(jobs: Sequence[Any], file: Any,
             run: Callable[[Sequence[Any], Callable[[Kept], None]], list[Kept]]) -> list[Kept]:  # fmt: skip
    """Outcomes of all jobs, from a file where it has them; ``run`` walks the others and tells of each as it ends.

    Args:
        jobs: walks.
        file: has ``path``, ``find(job)``, the outcome or None, and ``add(outcome)``; None: nothing is kept.
        run: called with the missing jobs and with what is to be called for each outcome.
    """
    console = Screen(stderr=True)
    found = [file.find(job) if file else None for job in jobs]
    missing = [job for job, outcome in zip(jobs, found, strict=True) if outcome is None]
    if file is not None:
        console.print(f"{len(jobs) - len(missing)} of {len(jobs)} walks are in {file.path}, the others will be added")
    columns = (TextColumn("walking"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=120.0) as bar:
        task = bar.add_task("walking", total=len(missing))

        def done(outcome: Kept) -> None:
            if file is not None:
                file.add(outcome)
            bar.advance(task)

        walked = iter(run(missing, done))
    return [next(walked) if outcome is None else outcome for outcome in found]


# A campaign from a file: what is missing is walked, the table is written, any of its rows can be walked again.


def run_plan(arguments: argparse.Namespace) -> int:
    """Walk what is missing, or one row again; print and store."""
    plan = load_plan(arguments.plan)
    out = arguments.out or Path(Path(arguments.plan).stem)
    if arguments.rerun is not None:
        return rerun(plan, arguments.rerun, out)
    out.mkdir(parents=True, exist_ok=True)
    outcomes = walk(plan.jobs(), out / "walks.jsonl", arguments.workers, arguments.scheduler)
    Screen().print(rates_table(pass_rates(outcomes)))
    write_parquet(out / "walks.parquet", outcomes)
    page = write_campaign_page(out / "index.html", f"Campaign {Path(arguments.plan).stem}", outcomes)
    console, worst = Screen(stderr=True), worst_first(outcomes)[0]
    console.print(f"table: {out / 'walks.parquet'}, page: {page}")
    again = shlex.join(["biped-slip", "campaign", arguments.plan, "--out", str(out), "--rerun", str(worst)])
    console.print(f"the worst walk once more, with its report: {again}", highlight=False)
    return 0


def rerun(plan: Plan, row: int, out: Path) -> int:
    """Walk one row again and write its report; exit code 1 when the robot fell."""
    from biped_slip.reports.planar import write_walk_report

    jobs = plan.jobs()
    if not 0 <= row < len(jobs):
        raise InvalidParameter("--rerun", row, f"a row of the table, 0 to {len(jobs) - 1}")
    job, console = jobs[row], Screen()
    scenario = job.perturbed()
    result = run_walk(scenario, job.limit, job.seed)
    words = ", ".join(f"{name} {value}" for name, value in drawn(job).items())
    console.print(f"row {row}: {job.scenario}, {job.limit}, seed {job.seed}; {words}")
    show_walk(result.summary, console)
    page = write_walk_report(
        out / f"row-{row}", {job.limit: result}, scenario, planar_scene({job.limit: result}, scenario)
    )
    Screen(stderr=True).print(f"report: {page}")
    return 1 if result.summary.fell else 0


def rates_table(rates: list[PassRate]) -> Table:
    """Pass rates with their intervals."""
    table = Table("scenario", "limit", "pass", "share", "95 % interval")
    for rate in rates:
        interval = f"{rate.low:.3f} to {rate.high:.3f}"
        table.add_row(rate.scenario, rate.limit, f"{rate.passed}/{rate.walks}", f"{rate.share:.3f}", interval)
    return table


# Many walks: a campaign file, or seeds × limits × scenarios or humanoids, on all cores.

LIMITS, SEEDS = ("none", "constant:0.2", "oracle", "thesis"), 60
HUMANOID_LIMITS, HUMANOID_SEEDS = ("constant:0.7", "constant:0.2", "interval", "oracle"), 20
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
    if not arguments.robot:
        show_demand(outcomes, screen)
    if arguments.json is not None:
        rows = [asdict(row) for row in table(outcomes)]
        write_json(arguments.json, arguments, [outcome.to_mapping() for outcome in outcomes], {"walks": rows})
    return 0


def _scenarios(arguments: argparse.Namespace) -> Outcomes:
    for name in ("push", "true_base"):
        if getattr(arguments, name):
            raise InvalidParameter(f"--{name.replace('_', '-')}", getattr(arguments, name), "given with --robot")
    seeds, limits = chosen_seeds(arguments, SEEDS), arguments.limit or LIMITS
    scenarios = arguments.scenario or [SCENARIO]
    jobs = [PlanarJob(name, limit, seed) for name in scenarios for limit in limits for seed in seeds]
    return walk(jobs, arguments.results, arguments.workers, arguments.scheduler)


def _humanoids(arguments: argparse.Namespace) -> Outcomes:
    if arguments.scenario:
        raise InvalidParameter("--scenario", " ".join(arguments.scenario), "left out with --robot")
    seeds, limits = chosen_seeds(arguments, HUMANOID_SEEDS), arguments.limit or HUMANOID_LIMITS
    pushes = arguments.push or [0.0]
    configs = [pushed_walk(name, push) for name in arguments.robot for push in pushes]
    jobs = [
        HumanoidJob(config, limit, seed, arguments.true_base)
        for config in configs
        for limit in limits
        for seed in seeds
    ]
    return walk(jobs, arguments.results or HUMANOID_RESULTS, arguments.workers, arguments.scheduler)


def show(rows: Sequence[Row], console: Screen) -> None:
    """Print how the walks ended."""
    beside_patch = any(row.peak_ratio is not None for row in rows)
    columns = (
        Column("name", overflow="fold"), Column("limit", no_wrap=True, min_width=12), "pass", "refused", "fell",
        "slip > 1 cm", "fell or > 5 cm", "slip median", "slip max",
        "distance",
    )  # fmt: skip
    walks = Table(*columns, *(("peak ratio", "speed off patch") if beside_patch else ()))
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
            *((_digits(row.peak_ratio), f"{_digits(row.speed)} m/s") if beside_patch else ()),
        )
    console.print(walks)


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def show_demand(outcomes: Outcomes, console: Screen) -> None:
    """Print what was known of the floor when the load asked for it."""
    known = Table(
        "scenario", "limit", "mu true", "stances asking 0.9 mu", "estimate known", "of these <= mu", "5/50/95 %"
    )
    for demand in demand_table(outcomes):
        share = f"{100 * demand.at_or_below / demand.known:.0f} %" if demand.known else "-"
        quantiles = "/".join(f"{q:.2f}" for q in demand.quantiles) if demand.known else "-"
        counts = str(demand.contacts), str(demand.known)
        known.add_row(demand.scenario, demand.limit, f"{demand.mu_true:.2f}", *counts, share, quantiles)
    console.print(known)

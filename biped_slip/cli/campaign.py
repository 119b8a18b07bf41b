# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks: a campaign file, or seeds × limits × scenarios or humanoids."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Sequence

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

from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from biped_slip.cli.walk import pushed_walk, show_end, show_stances
from biped_slip.errors import InvalidParameter
from biped_slip.reports.campaign import write_campaign_page
from biped_slip.simulation.campaign import (
    CampaignFile,
    Job,
    KeepsOutcomes,
    Kept,
    Outcome,
    Row,
    complete,
    missing_jobs,
    run_campaign,
    table,
    workers_on,
)
from biped_slip.simulation.humanoid.job import HumanoidJob
from biped_slip.simulation.planar.campaign_plan import Plan, drawn, load_plan
from biped_slip.simulation.planar.campaign_table import (
    PassRate,
    outcome_rows,
    pass_rates,
    worst_first,
)
from biped_slip.simulation.planar.job import PlanarJob
from biped_slip.simulation.planar.walk import run_walk
from biped_slip.simulation.time_series import write_table
from biped_slip.view.page import planar_scene

CAMPAIGN_LIMITS = ("none", "constant:0.2", "oracle", "thesis")
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
    limits = arguments.limit or CAMPAIGN_LIMITS
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
    diverged = sum(row.diverged for row in rows)
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
    if diverged:
        console.print(
            f"{diverged} simulation{'s' * (diverged != 1)} diverged, which says "
            "nothing about the walk: take a smaller plant step or a softer contact"
        )


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


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


# What is missing is walked, with progress.


class Rate(ProgressColumn):
    """Rate of walks per second."""

    def render(self, task: Task) -> Text:
        """Format the rate as text; unknown before the first walks have ended."""
        return Text("-" if task.speed is None else f"{task.speed:.2f} walks/s")


def walk(
    jobs: Sequence[Job[Kept]],
    path: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
) -> list[Kept]:
    """Collect outcomes of all walks, from the file where it has them.

    New ones are appended to it.

    Args:
        jobs: walks.
        path: file of walks that have ended; none is read or written without one.
        workers: processes; all cores by default.
        scheduler: address of a Dask cluster that walks in their place.
    """
    with workers_on(scheduler) as cluster:
        return complete_with_bar(
            jobs,
            CampaignFile(path) if path else None,
            lambda some, done: run_campaign(some, cluster or workers, done),
        )


def complete_with_bar(
    jobs: Sequence[Any],
    file: KeepsOutcomes | None,
    run: Callable[[Sequence[Any], Callable[[Kept], None]], list[Kept]],
) -> list[Kept]:
    """Collect outcomes of all jobs (:func:`complete`), and show how it goes on."""
    console = Screen(stderr=True)
    missing = len(missing_jobs(jobs, file))
    if file is not None:
        console.print(
            f"{len(jobs) - missing} of {len(jobs)} walks are in {file.path}, the "
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
        task = bar.add_task("walking", total=missing)
        return complete(jobs, file, run, lambda: bar.advance(task))

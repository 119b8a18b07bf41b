# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A campaign from a file: what is missing is walked, the table is written, any of its rows can be walked again."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from rich.table import Table

from biped_slip.campaigns.page import write_campaign_page
from biped_slip.campaigns.plan import Plan, load_plan
from biped_slip.campaigns.results import PassRate, drawn, pass_rates, worst_first, write_parquet
from biped_slip.cli.outputs import folder_to_write
from biped_slip.cli.scenes import planar_scene
from biped_slip.cli.screen import Screen
from biped_slip.cli.walk import show as show_walk
from biped_slip.cli.walks import walk
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.planar.run import run_walk


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of a campaign from a file."""
    parser.add_argument(
        "plan",
        nargs="?",
        metavar="FILE.yaml",
        help="a campaign file, or the name of one that is shipped",
    )
    parser.add_argument("--out", type=folder_to_write, metavar="DIR", help="results go here (the plan's name)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="walk on this Dask cluster, e.g. tcp://host:8786")
    parser.add_argument("--rerun", type=int, metavar="ROW", help="walk one row of the table again, with its report")


def run(arguments: argparse.Namespace) -> int:
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
    from biped_slip.reports.planar.report import write_walk_report

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

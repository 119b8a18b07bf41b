# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks: a campaign file, or seeds × limits × scenarios, on all cores."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Sequence

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from biped_slip.cli import campaign_faults, campaign_plan
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.planar.campaign import Job, Outcome, demand_table, run_campaign, table

LIMITS = ("none", "constant:0.2", "oracle", "thesis")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    campaign_plan.configure(parser)
    parser.add_argument("--kind", nargs="+", default=[], metavar="WORD", help="of `campaign faults`: only these kinds")
    parser.add_argument(
        "--scenario", nargs="+", default=["thesis"], metavar="NAME", help="shipped names or .yaml files"
    )
    parser.add_argument("--limit", nargs="+", default=list(LIMITS), metavar="LIMIT", help="slip preventions to compare")
    parser.add_argument("--seeds", type=int, default=60, help="number of seeds (60)")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=int, help="processes; all cores by default")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write rows and every outcome here")


def run(arguments: argparse.Namespace) -> int:
    """Run all walks and print the tables."""
    if arguments.plan == "faults":
        return campaign_faults.run(arguments.kind)
    if arguments.plan is not None:
        return campaign_plan.run(arguments)
    if arguments.seeds < 1:
        raise InvalidParameter("--seeds", arguments.seeds, "at least 1")
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [Job(name, limit, seed) for name in arguments.scenario for limit in arguments.limit for seed in seeds]
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("walking", total=len(jobs))
        outcomes = run_campaign(jobs, arguments.workers, lambda _: bar.advance(task))
    show(outcomes, Console())
    if arguments.json is not None:
        content = {
            "rows": [asdict(row) for row in table(outcomes)],
            "outcomes": [
                {**asdict(outcome.job), "passed": outcome.passed, **outcome.summary.to_mapping()}
                for outcome in outcomes
            ],
        }
        arguments.json.write_text(json.dumps(content, allow_nan=False) + "\n", encoding="utf-8")
    return 0


def show(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print how the walks ended, and what was known of the floor when the load asked for it."""
    walks = Table("scenario", "limit", "pass", "fell", "fell or slid > 5 cm", "slip median", "slip max", "distance")
    for row in table(outcomes):
        walks.add_row(
            row.scenario,
            row.limit,
            f"{row.passed}/{row.runs}",
            str(row.fell),
            str(row.fell_or_slid_far),
            f"{1e3 * row.median_slip:.1f} mm",
            f"{1e3 * row.largest_slip:.1f} mm",
            f"{row.median_distance:.2f} m",
        )
    console.print(walks)
    known = Table(
        "scenario", "limit", "mu true", "stances asking 0.9 mu", "estimate known", "of these <= mu", "5/50/95 %"
    )
    for demand in demand_table(outcomes):
        share = f"{100 * demand.at_or_below / demand.known:.0f} %" if demand.known else "-"
        quantiles = "/".join(f"{q:.2f}" for q in demand.quantiles) if demand.known else "-"
        counts = str(demand.contacts), str(demand.known)
        known.add_row(demand.scenario, demand.limit, f"{demand.mu_true:.2f}", *counts, share, quantiles)
    console.print(known)

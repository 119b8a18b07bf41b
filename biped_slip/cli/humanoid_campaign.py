# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks of a humanoid over a slippery patch: fixed, constant, estimated and true friction side by side."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from biped_slip.cli.walk_humanoid import pushed_walk
from biped_slip.cli.walks import complete
from biped_slip.errors import InvalidParameter
from biped_slip.simulation.humanoid.campaign import HumanoidJob, HumanoidOutcome, humanoid_campaign, humanoid_table
from biped_slip.simulation.humanoid.campaign_file import HumanoidFile

LIMITS = ("constant:0.7", "constant:0.2", "interval", "oracle")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--robot", default="talos", help="name of a shipped walk, or a .yaml file (talos)")
    parser.add_argument("--limit", nargs="+", default=list(LIMITS), metavar="LIMIT", help="slip preventions to compare")
    parser.add_argument("--seeds", type=int, default=20, help="number of seeds (20)")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--push", type=float, default=0.0, metavar="WEIGHTS", help="sideways push on the patch (0)")
    parser.add_argument("--true-base", action="store_true", help="the base as it truly moves, not as sensors tell it")
    parser.add_argument("--workers", type=int, help="processes; all cores by default")
    parser.add_argument(
        "--results", type=Path, default=Path("humanoid-walks.jsonl"), metavar="FILE",
        help="walks that have ended; what is there is not walked again (humanoid-walks.jsonl)",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write rows and every outcome here")


def run(arguments: argparse.Namespace) -> int:
    """Run all walks and print the table."""
    if arguments.seeds < 1:
        raise InvalidParameter("--seeds", arguments.seeds, "at least 1")
    config = pushed_walk(arguments.robot, arguments.push)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    jobs = [HumanoidJob(config, kind, seed, arguments.true_base) for kind in arguments.limit for seed in seeds]
    outcomes = complete(
        jobs, HumanoidFile(arguments.results), lambda some, done: humanoid_campaign(some, arguments.workers, done)
    )
    show(outcomes, Console())
    if arguments.json is not None:
        content = {
            "rows": [asdict(row) for row in humanoid_table(outcomes)],
            "outcomes": [{"limit": o.job.kind, "seed": o.job.seed, **o.summary.to_mapping()} for o in outcomes],
        }
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


def show(outcomes: list[HumanoidOutcome], console: Console) -> None:
    """Print how the walks ended."""
    table = Table(
        "limit", "pass", "refused", "fell", "slip > 1 cm", "slip median", "slip max", "peak ratio", "speed off patch"
    )
    for row in humanoid_table(outcomes):
        table.add_row(
            row.kind,
            f"{row.passed}/{row.runs}",
            str(row.refused),
            str(row.fell),
            str(row.slipped),
            f"{1e3 * row.median_slip:.1f} mm",
            f"{1e3 * row.largest_slip:.1f} mm",
            f"{row.peak_ratio:.2f}",
            f"{row.speed:.2f} m/s",
        )
    console.print(table)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""the force ratio that humanoids ask for at each speed, beside the pendulum's least."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Sequence

from rich.table import Column, Table

from biped_slip.cli.campaign import complete
from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from studies.commands.arguments import configure as declare_walks
from studies.humanoids.demand import LIMITS, SPEEDS, DemandFile, DemandJob, DemandRow, demand_table, demand_walks
from studies.humanoids.ladder import ROBOTS

RESULTS, SEEDS = Path("demand.jsonl"), 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of this campaign alone."""
    declare_walks(parser)
    parser.add_argument("--speeds", nargs="+", type=float, metavar="SPEED", help="commanded [m/s] (0.2 0.4 0.6)")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table."""
    seeds, limits = chosen_seeds(arguments, SEEDS), arguments.limit or LIMITS
    jobs = [
        DemandJob(robot, speed, kind, seed)
        for robot in arguments.robot or ROBOTS
        for kind in limits
        for speed in arguments.speeds or SPEEDS
        for seed in seeds
    ]
    outcomes = complete(
        jobs,
        DemandFile(arguments.results or RESULTS),
        lambda some, done: demand_walks(some, arguments.workers, done),
    )
    rows = demand_table(outcomes)
    show(rows, result_screen(arguments))
    if arguments.json is not None:
        tables = {"demand": [{**row._asdict(), "steps": row.steps._asdict()} for row in rows]}
        write_json(
            arguments.json,
            arguments,
            [{**o._asdict(), "job": asdict(o.job), "steps": o.steps._asdict()} for o in outcomes],
            tables,
        )
    return 0


def show(rows: Sequence[DemandRow], console: Screen) -> None:
    """Print one line a robot, limit and speed."""
    table = Table(
        "robot", Column("limit", no_wrap=True), "commanded [m/s]", "walked [m/s]", "fell", "supports [s]",
        "peak ratio", "planned", "least, these steps", "least, any steps",
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.robot,
            row.kind,
            f"{row.commanded:g}",
            f"{row.speed:.2f}",
            f"{row.fell}/{row.runs}",
            f"{row.steps.single_support:.2f} + {row.steps.double_support:.2f}",
            f"{row.peak:.3f}",
            f"{row.steps.planned:.3f}",
            f"{row.same_steps:.3f}",
            f"{row.any_steps:.3f}",
        )
    console.print(table)

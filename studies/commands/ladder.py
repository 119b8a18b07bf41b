# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""robots over patches from rough to icy, under every limit, pushed or not."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Sequence

from rich.table import Column, Table

from biped_slip.cli.campaign import complete
from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from biped_slip.errors import InvalidRecording
from biped_slip.estimation.sole_motion import SOURCES
from studies.commands.arguments import configure as declare_walks
from studies.humanoids.ladder import (
    LIMITS,
    ROBOTS,
    RUNGS,
    LadderFile,
    LadderJob,
    LadderOutcome,
    LadderRow,
    Rung,
    ladder,
    ladder_table,
    orders,
)

RESULTS, SEEDS = Path("ladder.jsonl"), 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the ladder alone."""
    declare_walks(parser)
    parser.add_argument("--mu", nargs="+", type=float, help="friction coefficients of the patch")
    parser.add_argument("--motion", choices=SOURCES, default=SOURCES[0], help="what tells how the soles move; "
                       f"{SOURCES[0]}: a sensor that sees them (20 um)")  # fmt: skip
    parser.add_argument("--short", action="store_true", help="4.8 m with the patch after 1.5 to 2.5 m: half the time")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the tables."""
    seeds, limits = chosen_seeds(arguments, SEEDS), arguments.limit or LIMITS
    jobs = [
        LadderJob(Rung(robot, mu, kind, push, arguments.short, arguments.motion), seed)
        for robot in arguments.robot or ROBOTS
        for push in arguments.push or [0.0]
        for mu in arguments.mu or RUNGS
        for kind in limits
        for seed in seeds
    ]
    outcomes = complete(
        jobs, LadderFile(arguments.results or RESULTS), lambda some, done: ladder(some, arguments.workers, done)
    )
    show(outcomes, result_screen(arguments))
    if arguments.json is not None:
        rows = [asdict(row) for row in ladder_table(outcomes)]
        tables = {"ladder": rows, "orders": [asdict(order) for order in orders(outcomes)]}
        write_json(arguments.json, arguments, [asdict(outcome) for outcome in outcomes], tables)
    return 0


def rows_of(path: Path) -> list[LadderRow]:
    """The table in a file that ``--json`` has written.

    Raises:
        InvalidRecording: there is no such file, or another one.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["tables"]["ladder"]
        return [LadderRow(**{**_with_nan(row), "rung": Rung(**row["rung"])}) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidRecording(path, "no table of the ladder; `python -m studies ladder --json` writes one") from error


def _with_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {name: float("nan") if value is None else value for name, value in row.items()}


def show(outcomes: Sequence[LadderOutcome], console: Screen) -> None:
    """Print a table per robot and push, and where who knows more fell more often."""
    rows = ladder_table(outcomes)
    for robot, push in dict.fromkeys((row.rung.robot, row.rung.push) for row in rows):
        title = robot if push == 0.0 else f"{robot}, pushed by {push:g} weights"
        console.print(_table(title, [row for row in rows if (row.rung.robot, row.rung.push) == (robot, push)]))
    for order in orders(outcomes):
        if order.falls[0] > order.falls[1]:
            word = "worse" if order.broken else "no sure difference"
            console.print(
                f"{order.better.robot}, mu {order.better.mu:g}: {order.better.kind} fell {order.falls[0]} times, "
                f"{order.worse.kind} {order.falls[1]} ({word}, p = {order.chance:.2f})"
            )


def _table(title: str, rows: Sequence[LadderRow]) -> Table:
    table = Table(
        "mu", Column("limit", no_wrap=True), "fell", "arrived", "stood", "first slip [mm]", "later slip [mm]",
        "on patch [m/s]", "off patch [m/s]", "peak ratio",
        title=title,
    )  # fmt: skip
    for row in rows:
        table.add_row(
            f"{row.rung.mu:g}",
            row.rung.kind,
            f"{row.fell}/{row.runs}",
            str(row.arrived),
            str(row.stood),
            f"{1e3 * row.first_slip:.1f}",
            f"{1e3 * row.later_slip:.1f}",
            f"{row.speed_on_patch:.2f}",
            f"{row.speed:.2f}",
            f"{row.peak_ratio:.2f}",
        )
    return table

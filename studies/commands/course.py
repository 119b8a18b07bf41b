# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""robots over one way of rough floor, ice, ramp, wet floor and small patches, under every limit."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Sequence

from rich.table import Column, Table

from biped_slip.cli.campaign import complete
from biped_slip.cli.terminal import Screen, chosen_seeds, result_screen, write_json
from studies.commands.arguments import configure as declare_walks
from studies.humanoids.course import LIMITS, CourseFile, CourseJob, CourseOutcome, CourseRow, course, course_table
from studies.humanoids.ladder import ROBOTS

RESULTS, SEEDS = Path("course.jsonl"), 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the course alone."""
    declare_walks(parser)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--no-ramp", action="store_true", help="the same course without its ramp")
    ways.add_argument("--ramp-alone", action="store_true", help="up and down the ramp, 10 degrees at mu 0.5")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing and print the table."""
    way = "level" if arguments.no_ramp else "ramp" if arguments.ramp_alone else "course"
    seeds, limits = chosen_seeds(arguments, SEEDS), arguments.limit or LIMITS
    jobs = [
        CourseJob(robot, kind, seed, way) for robot in arguments.robot or ROBOTS for kind in limits for seed in seeds
    ]
    outcomes = complete(
        jobs, CourseFile(arguments.results or RESULTS), lambda some, done: course(some, arguments.workers, done)
    )
    show(outcomes, result_screen(arguments))
    if arguments.json is not None:
        tables = {"course": [asdict(row) for row in course_table(outcomes)]}
        write_json(arguments.json, arguments, [asdict(outcome) for outcome in outcomes], tables)
    return 0


def show(outcomes: Sequence[CourseOutcome], console: Screen) -> None:
    """Print a table per robot."""
    rows = course_table(outcomes)
    for robot in dict.fromkeys(row.robot for row in rows):
        console.print(_table(robot, [row for row in rows if row.robot == robot]))


def _table(title: str, rows: Sequence[CourseRow]) -> Table:
    known = next((row.time for row in rows if row.kind == "oracle"), float("nan"))
    table = Table(
        Column("limit", no_wrap=True), "arrived", "fell", "time [s]", "of the oracle's", "slip [mm]",
        "up the ramp [m/s]", "ended on", title=title,
    )  # fmt: skip
    for row in rows:
        table.add_row(
            row.kind,
            f"{row.arrived}/{row.runs}",
            str(row.fell),
            f"{row.time:.1f}",
            f"{row.time / known:.2f}",
            f"{1e3 * row.slip:.1f}",
            f"{row.climb:.2f}",
            ", ".join(f"{name} {count}" for name, count in row.ended_on),
        )
    return table

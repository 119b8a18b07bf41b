# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Chance of a slip: floors times people."""

from __future__ import annotations

import argparse

from rich.table import Table

from biped_slip.cli.terminal import Screen, file_to_write, result_screen, written
from biped_slip.gait_laboratory.slip_chance import DEFAULT, METHODS, at_least, chance_rows, read_readings, write_chances
from biped_slip.gait_laboratory.step import NUMBERS, read_steps
from biped_slip.reports.html import cell_text

MOST_ROWS = 60
REQUIRED = tuple(name for name in NUMBERS if name == "required" or name.startswith("rcof"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("steps", help="steps.csv or steps.parquet of `gait study` or `gait trial`")
    parser.add_argument("--acof", metavar="CSV", help="readings: instrument, floor, shoe, condition, acof")
    parser.add_argument(
        "--quantity", choices=REQUIRED, default="required", help="required friction to compare (required)"
    )
    parser.add_argument("--interval", choices=sorted(METHODS), default=DEFAULT, help=f"of the chance ({DEFAULT})")
    parser.add_argument("--csv", type=file_to_write, metavar="FILE", help="write the table")


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    console = result_screen(arguments)
    if not arguments.acof:
        _at_least(arguments.steps, console)
        return 0
    rows = chance_rows(
        read_steps(arguments.steps), read_readings(arguments.acof), arguments.quantity, arguments.interval
    )
    columns = ["instrument", "surface", "shoe", "walk", "person", "foot", "steps", "readings", "required", "available"]
    table = Table(*columns, "chance", "95 % interval", title="chance of a slip at a step")
    for row in rows[:MOST_ROWS]:
        words = (row.instrument, row.surface, row.shoe, row.condition, row.person, row.foot)
        counts = (str(row.steps), str(row.readings))
        means = (f"{row.required_mean:.3f}", f"{row.available_mean:.3f}")
        table.add_row(*words, *counts, *means, f"{row.chance:.3f}", f"{row.low:.3f} to {row.high:.3f}")
    console.print(table)
    if len(rows) > MOST_ROWS:
        console.print(f"… and {len(rows) - MOST_ROWS} more rows")
    if arguments.csv:
        with written(arguments.csv) as path:
            write_chances(path, rows)
    return 0


def _at_least(path: str, console: Screen) -> None:
    """Without readings: what the floors held."""
    table = Table("floor", "shoe", "condition", "steps", "held at least", "slides", "friction of slides")
    for row in at_least(read_steps(path)):
        names = (row.floor, row.shoe, row.condition)
        numbers = (str(row.steps), cell_text(row.held), str(row.slides), cell_text(row.friction))
        table.add_row(*names, *numbers)
    console.print(table)
    console.print(
        "Steps that don't slip say what their floor held, not what it has: "
        "the chance of a slip needs readings of an instrument (--acof)."
    )

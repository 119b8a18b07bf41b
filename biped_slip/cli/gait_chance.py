# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Chance of a slip: floors times people, or the lower bounds of the floors."""

from __future__ import annotations

import argparse
from typing import Iterator

from rich.table import Table

from biped_slip.cli.terminal import Screen, result_screen, written
from biped_slip.gait_laboratory.slip_chance import (
    at_least,
    chance_rows,
    read_readings,
    write_chances,
)
from biped_slip.gait_laboratory.step import Step, read_steps
from biped_slip.reports.cells import cell_text

MOST_CHANCES = 60  # rows on the screen


def run(arguments: argparse.Namespace) -> int:
    """Print the chance of a slip, floors times people.

    Without readings the lower bounds of the floors are printed.
    """
    console = result_screen(arguments)
    steps = read_steps(arguments.steps)
    if not arguments.acof:
        _show_at_least(steps, console)
        return 0
    rows = chance_rows(
        steps, read_readings(arguments.acof), arguments.quantity, arguments.interval
    )
    columns = [
        "instrument",
        "surface",
        "shoe",
        "walk",
        "person",
        "foot",
        "steps",
        "readings",
        "required",
        "available",
    ]
    table = Table(
        *columns, "chance [-]", "95 % interval", title="chance of a slip at a step"
    )
    for row in rows[:MOST_CHANCES]:
        words = (
            row.instrument,
            row.surface,
            row.shoe,
            row.condition,
            row.person,
            row.foot,
        )
        counts = (str(row.steps), str(row.readings))
        means = (f"{row.required_mean:.3f}", f"{row.available_mean:.3f}")
        table.add_row(
            *words,
            *counts,
            *means,
            f"{row.chance:.3f}",
            f"{row.low:.3f} to {row.high:.3f}",
        )
    console.print(table)
    console.print(
        f"  required: mean {arguments.quantity} of the steps [-]; available: mean "
        "reading [-]",
        style="dim",
    )
    if len(rows) > MOST_CHANCES:
        console.print(f"… and {len(rows) - MOST_CHANCES} more rows")
    if arguments.csv:
        with written(arguments.csv) as path:
            write_chances(path, rows)
    return 0


def _show_at_least(steps: Iterator[Step], console: Screen) -> None:
    table = Table(
        "floor",
        "shoe",
        "condition",
        "steps",
        "held at least",
        "slides",
        "friction of slides",
    )
    for row in at_least(steps):
        names = (row.floor, row.shoe, row.condition)
        numbers = (
            str(row.steps),
            cell_text(row.held),
            str(row.slides),
            cell_text(row.friction),
        )
        table.add_row(*names, *numbers)
    console.print(table)
    console.print(
        "Steps that don't slip say what their floor held, not what it has: "
        "the chance of a slip needs readings of an instrument (--acof)."
    )

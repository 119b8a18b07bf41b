# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Chance of a slip: floors times people, or how often each interval holds the truth."""

from __future__ import annotations

import argparse

from rich.progress import Progress
from rich.table import Table

from biped_slip.cli.outputs import file_to_write, result_screen, written
from biped_slip.cli.parser import COUNT
from biped_slip.cli.screen import Screen
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.available_friction import read_readings
from biped_slip.gait_laboratory.chance_coverage import CHANCES, SIZES, STUDIES, Coverage, coverage, studies_count
from biped_slip.gait_laboratory.chance_table import at_least, chance_rows, write_chances
from biped_slip.gait_laboratory.slip_chance import DEFAULT, METHODS
from biped_slip.gait_laboratory.step import NUMBERS
from biped_slip.gait_laboratory.steps_table import read_steps
from biped_slip.reports.html import cell_text

MOST_ROWS = 60
WANTED = 0.93  # share of studies whose 95 % interval holds the truth
REQUIRED = tuple(name for name in NUMBERS if name == "required" or name.startswith("rcof"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("steps", nargs="?", help="steps.csv or steps.parquet of `gait study` or `gait trial`")
    parser.add_argument("--acof", metavar="CSV", help="readings: instrument, floor, shoe, condition, acof")
    parser.add_argument(
        "--quantity", choices=REQUIRED, default="required", help="required friction to compare (required)"
    )
    parser.add_argument("--interval", choices=sorted(METHODS), default=DEFAULT, help=f"of the chance ({DEFAULT})")
    parser.add_argument("--csv", type=file_to_write, metavar="FILE", help="write the table")
    parser.add_argument("--coverage", action="store_true", help="simulate studies with known chances instead")
    parser.add_argument("--studies", type=COUNT, default=STUDIES, help=f"with --coverage: of each kind ({STUDIES})")
    parser.add_argument("--readings", type=COUNT, metavar="M", help="with --coverage: in each study (as many as steps)")
    parser.add_argument("--methods", nargs="+", choices=sorted(METHODS), default=list(METHODS), help="with --coverage")


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    if arguments.coverage:
        return _coverage(arguments.methods, arguments.studies, arguments.readings)
    if not arguments.steps:
        raise BipedSlipError("name a table of steps, or --coverage")
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


def _coverage(methods: list[str], studies: int, readings: int | None) -> int:
    """Print coverage; exit code 1 when the default falls short somewhere."""
    with Progress(console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task("studies", total=studies_count(SIZES, CHANCES))
        found = coverage(methods, studies=studies, readings=readings, progress=lambda: bar.advance(task))
    table = Table(
        "steps scatter", "steps", "chance", *(f"{name}: holds" for name in methods), *(f"{n}: width" for n in methods)
    )
    cells: dict[tuple[str, int, float], dict[str, Coverage]] = {}
    for one in found:
        cells.setdefault((one.world, one.steps, one.chance), {})[one.method] = one
    for (world, size, chance), by_method in cells.items():
        held = [_marked(by_method[name].held) for name in methods]
        widths = [f"{by_method[name].width:.3f}" for name in methods]
        table.add_row(world, str(size), f"{chance:g}", *held, *widths)
    console = Screen(width=max(100, 40 + 22 * len(methods)))
    console.print(table)
    for name in methods:
        worst = min(one.held for one in found if one.method == name)
        console.print(
            f"{name}: the worst cell holds the truth in {100 * worst:.1f} % of {studies} studies", highlight=False
        )
    return 0 if all(one.held >= WANTED for one in found if one.method == DEFAULT) else 1


def _marked(held: float) -> str:
    return f"{held:.3f}" if held >= WANTED else f"[red]{held:.3f} !"

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""reproduce the published numbers and figures of five papers."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from rich.table import Table

from biped_slip.cli.options import file_to_write
from biped_slip.cli.terminal import result_screen, write_json, written
from studies.papers import rows
from studies.papers.rows import REFERENCES, Reproduction

PAPERS = ("roosen", "bruneau", "rengifo", "rodic", "khadiv")
COLOURS = {
    "reproduced": "green",
    "as expected": "green",
    "deviation": "yellow",
    "failed": "red",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "paper",
        nargs="?",
        default="all",
        choices=(*PAPERS, "all"),
        help="which paper (default: all)",
    )
    parser.add_argument(
        "--human",
        type=Path,
        metavar="FILE",
        help="recorded walk over force plates (C3D, .mot), for bruneau's figures",
    )
    parser.add_argument(
        "--json", type=file_to_write, metavar="FILE", help="write all rows as JSON"
    )
    parser.add_argument(
        "--html",
        type=file_to_write,
        metavar="FILE",
        help="write tables and figures as one page",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the tables.

    The exit code is 1 when a row is outside its tolerance and not a listed deviation.
    """
    console = result_screen(arguments)
    names = PAPERS if arguments.paper == "all" else (arguments.paper,)
    results = []
    for name in names:
        known = {"human": arguments.human} if name == "bruneau" else {}
        with console.status(f"{name} ..."):
            results.append(
                importlib.import_module(f"studies.papers.{name}").reproduce(**known)
            )
        console.print(_table(results[-1]), REFERENCES[results[-1].paper], "")
    console.print(rows.verdict(results))
    if "bruneau" in names and arguments.human is None:
        console.print(
            "not compared with a recorded walk: the paper prints none, and none is "
            "given (--human FILE)"
        )
    if arguments.json is not None:
        write_json(arguments.json, arguments, rows.records(results))
    if arguments.html is not None:
        with written(arguments.html) as page:
            rows.write_html(page, results)
    return 0 if all(result.passed for result in results) else 1


def _table(item: Reproduction) -> Table:
    table = Table(title=item.source, title_justify="left")
    for column in rows.COLUMNS:
        table.add_column(
            column,
            justify="left"
            if column in ("quantity", "unit", "verdict", "reason")
            else "right",
        )
    for cells in rows.text_rows(item):
        colour = COLOURS[cells[6]]
        table.add_row(*cells[:6], f"[{colour}]{cells[6]}[/{colour}]", cells[7])
    return table

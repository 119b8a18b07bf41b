# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The friction estimate in the loop: hundreds of walks with real sensors, resumable, beside what is required."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, Sequence

from rich.console import Console
from rich.table import Table

from biped_slip.cli.walks import walk
from biped_slip.errors import InvalidParameter
from biped_slip.studies import closed_loop
from biped_slip.studies.row import Row


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--walks", type=int, default=200, help="per scenario and limit (200)")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed (0)")
    parser.add_argument("--workers", type=int, help="processes; all cores by default")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("closed-loop.jsonl"),
        metavar="FILE",
        help="every walk is appended here as it ends, and not walked again (closed-loop.jsonl)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables here")


def run(arguments: argparse.Namespace) -> int:
    """Walk what is missing, print the tables; exit code 1 when a required number is missed."""
    if arguments.walks < 1:
        raise InvalidParameter("--walks", arguments.walks, "at least 1")
    outcomes = walk(closed_loop.jobs(arguments.walks, arguments.first_seed), arguments.results, arguments.workers)
    passes, floors = closed_loop.passes(outcomes), closed_loop.floors(outcomes)
    required = closed_loop.requirements(passes)
    console = Console()
    for scenario in (closed_loop.FLAT, closed_loop.UPHILL):
        console.print(passes_table(scenario, passes))
        console.print(floors_table(scenario, floors))
    console.print(requirements_table(required))
    if arguments.json is not None:
        write_json(arguments.json, {"passes": passes, "floors": floors}, required)
    return 0 if all(row.met for row in required) else 1


def passes_table(scenario: str, rows: Sequence[closed_loop.Passes]) -> Table:
    """How the walks ended."""
    bands = [f"patch {low:g}-{high:g}" for low, high in closed_loop.BANDS]
    table = Table("limit", "pass", "fell", "slid 1 cm", *bands, title=f"{scenario}: walks", title_justify="left")
    for row in rows:
        if row.scenario == scenario:
            cells = [f"{passed}/{runs}" for passed, runs in row.by_patch]
            table.add_row(row.limit, f"{row.passed}/{row.runs}", str(row.fell), str(row.slipped), *cells)
    return table


def floors_table(scenario: str, rows: Sequence[closed_loop.Floor]) -> Table:
    """What was known of each floor."""
    table = Table(title=f"{scenario}: stances", title_justify="left")
    for column in ("limit", "floor", "n", "re-\nleased", "limit\n/mu then", "over\nstance", "wanted\n0.9 mu",
                   "known\nbefore", "limit\n> mu", "mu_low\n> mu"):  # fmt: skip
        table.add_column(column, no_wrap=True)
    for row in rows:
        if row.scenario == scenario:
            cells = (row.released, row.limit_at_release, row.limit_over_stance)
            errors = (row.in_time, row.limit_above_mu, row.low_above_mu)
            table.add_row(row.limit, row.floor, str(row.stances), *map(number, cells), str(row.demanded),
                          *map(number, errors))  # fmt: skip
    return table


def requirements_table(rows: Sequence[Row]) -> Table:
    """Required beside ours."""
    table = Table("required of the closed loop", "required", "ours", "", title_justify="left")
    for row in rows:
        sign = "<=" if row.at_most else ">="
        table.add_row(row.what, f"{sign} {row.required:g}", number(row.ours), "ok" if row.met else "MISSED")
    return table


def number(value: float) -> str:
    """Two decimals; a dash where there is no number."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def write_json(path: Path, tables: dict[str, Sequence[Any]], required: Sequence[Row]) -> None:
    """All tables, NaN as null."""
    content = {name: [_plain(asdict(row)) for row in rows] for name, rows in tables.items()}
    content["required"] = [{**_plain(row._asdict()), "met": row.met} for row in required]
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}

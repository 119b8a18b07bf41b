# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the closed-loop benchmark for people and for machines."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any, Sequence

from rich.table import Table

from biped_slip.lab.studies.closed_loop import BANDS, Floor, Passes
from biped_slip.lab.studies.lowest_mu import REPLICAS, LowestMu
from biped_slip.lab.studies.row import Row


def passes_table(title: str, rows: Sequence[Passes]) -> Table:
    """How the walks ended."""
    bands = [f"mu {low:g}-{high:g}" for low, high in BANDS]
    table = _table(f"{title}: walks", "limit", "pass", "fell", "slid 1 cm", *bands)
    for row in rows:
        cells = [f"{passed}/{runs}" for passed, runs in row.by_patch]
        table.add_row(row.limit, f"{row.passed}/{row.runs}", str(row.fell), str(row.slipped), *cells)
    return table


def floors_table(title: str, rows: Sequence[Floor]) -> Table:
    """What was known of each floor."""
    table = _table(f"{title}: stances", "limit, floor", "n", "re-\nleased", "before\nweight", "limit\n/ mu",
                   "over\nstance", "wanted\n0.9 mu", "known\nbefore", "limit\n> mu", "mu_low\n> mu",
                   "most")  # fmt: skip
    for row in rows:
        known = (row.released, row.before_weight, row.limit_at_release, row.limit_over_stance)
        errors = (row.in_time, row.limit_above_mu, row.low_above_mu, row.largest_low)
        table.add_row(f"{row.limit.removeprefix('constant:')}, {row.floor}", str(row.stances), *map(number, known),
                      str(row.demanded), *map(number, errors))  # fmt: skip
    return table


def lowest_table(rows: Sequence[LowestMu]) -> Table:
    """Lowest mu that can be crossed, and where replicas failed."""
    heading = f"replicas that passed, of {REPLICAS}"
    table = _table("lowest mu of the patch", "scenario", "limit", "lowest mu", heading)
    for row in rows:
        counts = " ".join(f"{mu:g}:{count}" for mu, count in row.passed)
        table.add_row(row.scenario, row.limit, "none" if row.lowest is None else f"{row.lowest:g}", counts)
    return table


def requirements_table(rows: Sequence[Row]) -> Table:
    """Required beside ours."""
    table = _table("", "required of the closed loop", "required", "ours", "")
    for row in rows:
        sign = "<=" if row.at_most else ">="
        table.add_row(row.what, f"{sign} {row.required:g}", number(row.ours), "ok" if row.met else "MISSED")
    return table


def _table(title: str, *columns: str) -> Table:
    """A table that is narrow enough for eighty columns."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def number(value: float) -> str:
    """Two decimals; a dash where there is no number."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def plain(row: Any) -> dict[str, Any]:
    """A row for JSON, NaN as null."""
    values = row._asdict() if isinstance(row, Row) else asdict(row)
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in values.items()}

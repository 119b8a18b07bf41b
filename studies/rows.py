# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of required and measured numbers."""

from __future__ import annotations

import math

from rich.markup import escape
from rich.table import Table

from biped_slip.cli.terminal import Screen
from studies.estimator.conditions import Row


def show_rows(title: str, rows: list[Row]) -> None:
    """Print what is required beside what came out."""
    table = Table(title=title, title_justify="left")
    table.add_column("quantity", overflow="fold")
    for column, width in (("required", 8), ("study", 9), ("ours", 7), ("", 6)):
        table.add_column(column, no_wrap=True, min_width=width)
    for row in rows:
        sign = "<=" if row.at_most else ">="
        required = "" if math.isnan(row.required) else f"{sign} {row.required:g}"
        table.add_row(escape(row.what), required, row.study, f"{row.ours:.4g}", "" if row.met else "MISSED")
    Screen().print(table)

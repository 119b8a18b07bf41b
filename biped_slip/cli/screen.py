# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where commands print: tables that never cut a name or a number, however narrow the terminal or the pipe is."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

WIDEST = 10_000  # columns; no table is wider
SHORTEST = 8  # columns, of a heading that is broken


class Screen(Console):
    """Rich's console; tables take the width that they need, and sentences in pipes and files are not broken."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print sentences and tables; headings of tables are broken at spaces, cells never."""
        tables = [thing for thing in objects if isinstance(thing, Table)]
        if not tables:
            super().print(*objects, **({"soft_wrap": True} | options if not self.is_terminal else options))
            return
        narrow = self.width
        try:
            self.width = max([narrow, *(self._needs(table) for table in tables)])
            super().print(*objects, **options, crop=False)
        finally:
            self.width = narrow

    def _needs(self, table: Table) -> int:
        """Columns that a table takes; its headings are broken where they don't fit beside each other."""
        headings = [str(column.header) for column in table.columns]
        for column, heading in zip(table.columns, headings, strict=True):
            column.header, column.no_wrap = Text(heading), True  # a unit such as [s] is no markup
        if self.is_terminal and self._natural(table) > self.width:
            for column, heading in zip(table.columns, headings, strict=True):
                longest = max((self._natural(cell) for cell in column._cells), default=0)
                column.header = Text("\n".join(_broken(heading, max(longest, SHORTEST))))
        return self._natural(table)

    def _natural(self, thing: Any) -> int:
        return Measurement.get(self, self.options.update(max_width=WIDEST), thing).maximum


def _broken(heading: str, width: int) -> list[str]:
    """A heading in lines of at least its longest word, no longer than that or a width."""
    words, lines = heading.split(), [""]
    width = max([width, *map(len, words)], default=width)
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text: CSV, tab-separated or aligned with blanks, plain or .gz, with or without a header."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import Callable, Iterator, Sequence

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.series import FloatArray

MOST_COLUMNS = 4096
ROWS_AT_ONCE = 50_000
SEPARATORS = ("\t", ";", ",")
Progress = Callable[[int], None]  # told the number of rows read so far


@dataclasses.dataclass(frozen=True)
class Table:
    """Chosen columns of a table: ``data`` has shape (rows, columns); NaN where a cell is empty."""

    path: str
    header: tuple[str, ...] | None
    data: FloatArray


@dataclasses.dataclass(frozen=True)
class TableStart:
    """What the first lines say: names (None without a header), number of columns, separator, first data line."""

    header: tuple[str, ...] | None
    width: int
    separator: str | None  # None: blanks
    first_line: int  # counted from 1


def split(line: str, separator: str | None) -> list[str]:
    """Cells of a line; blanks around a cell don't count."""
    return line.split() if separator is None else [cell.strip() for cell in line.split(separator)]


def is_number(cell: str) -> bool:
    """Whether a cell holds a number (inf and nan included) or nothing."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def table_start(path: str | Path, lines: Iterator[str]) -> tuple[TableStart, Iterator[str]]:
    """Look at the first line that holds anything; returns the finding and an iterator over the data lines.

    Raises:
        InvalidRecording: no line, too many columns.
    """
    number, line = next(((n, text) for n, text in enumerate(lines, start=1) if text.strip()), (0, ""))
    if not line:
        raise InvalidRecording(path, "holds no line with anything in it")
    separator = next((mark for mark in SEPARATORS if mark in line), None)
    cells = split(line, separator)
    if separator is not None and len(cells) > 1 and not cells[-1]:
        cells.pop()  # a separator at the end of the line
    if len(cells) > MOST_COLUMNS:
        raise InvalidRecording(path, f"has {len(cells)} columns, at most {MOST_COLUMNS} are accepted")
    named = not all(map(is_number, cells))
    start = TableStart(tuple(cells) if named else None, len(cells), separator, number + named)
    return start, lines if named else itertools.chain([line], lines)


def read_columns(
    path: str | Path, start: TableStart, lines: Iterator[str], columns: Sequence[int], progress: Progress | None = None
) -> Table:
    """Read some columns (counted from 0) of the data lines.

    Raises:
        InvalidRecording: no data row, or a cell that isn't a number: with its line and column.
    """
    blocks: list[FloatArray] = []
    line_number, rows = start.first_line, 0
    while chunk := list(itertools.islice(lines, ROWS_AT_ONCE)):
        block = _parse(path, start, chunk, columns, line_number)
        line_number, rows = line_number + len(chunk), rows + len(block)
        blocks.append(block)
        if progress is not None:
            progress(rows)
    if not rows:
        raise InvalidRecording(path, "has a header but no data row" if start.header else "has no data row")
    return Table(str(path), start.header, np.concatenate(blocks))


def _parse(
    path: str | Path, start: TableStart, lines: list[str], columns: Sequence[int], first_line: int
) -> FloatArray:
    filled = [line for line in lines if line.strip()]
    if not filled:
        return np.empty((0, len(columns)))
    try:  # the fast way, for tables without empty cells
        return np.loadtxt(filled, delimiter=start.separator, usecols=columns, ndmin=2, comments=None)
    except (ValueError, IndexError):
        rows = [
            _row(path, start, line, columns, first_line + offset) for offset, line in enumerate(lines) if line.strip()
        ]
        return np.array(rows, dtype=float).reshape(len(rows), len(columns))


def _row(path: str | Path, start: TableStart, line: str, columns: Sequence[int], number: int) -> list[float]:
    cells = split(line, start.separator)
    row = []
    for column in columns:
        cell = cells[column] if column < len(cells) else ""
        if not is_number(cell):
            name = f" ({start.header[column]})" if start.header else ""
            raise InvalidRecording(path, f"line {number}, column {column + 1}{name}: {cell[:40]!r} is not a number")
        row.append(float(cell) if cell else math.nan)
    return row

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The tidy table of steps as CSV and Parquet: one row a step, one column a quantity, written as the steps come."""

from __future__ import annotations

import csv
import itertools
import math
from pathlib import Path
from typing import Any, Iterable, Iterator, Sequence

from biped_slip.bounded_text import check_regular
from biped_slip.errors import BipedSlipError, InvalidRecording, MissingExtra
from biped_slip.gait_laboratory.step import COLUMNS, NUMBERS, Step, as_row, from_row

LARGEST = 1 << 30  # bytes
ROWS_AT_ONCE = 2000
WHOLE = ("step", "slips")


def write_csv(path: Path, steps: Iterable[Step]) -> int:
    """Write all steps, unknown values as empty cells; returns their number."""
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS))
        writer.writeheader()
        for step in steps:
            writer.writerow(as_row(step))
            count += 1
    return count


def write_parquet(path: Path, steps: Iterable[Step]) -> None:
    """Write all steps; every column carries its meaning as metadata.

    Raises:
        MissingExtra: without pyarrow.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    kinds = {
        name: pyarrow.float64() if name in NUMBERS else pyarrow.int64() if name in WHOLE else pyarrow.string()
        for name in COLUMNS
    }
    fields = [pyarrow.field(name, kinds[name], metadata={"meaning": meaning}) for name, meaning in COLUMNS.items()]
    schema = pyarrow.schema(fields)
    rows = map(as_row, steps)
    with ParquetWriter(path, schema) as writer:
        while chunk := list(itertools.islice(rows, ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(chunk, schema=schema))


def read_steps(path: str | Path) -> Iterator[Step]:
    """Steps of a CSV or Parquet table, one at a time.

    Raises:
        InvalidRecording: it isn't a table of steps.
        BipedSlipError: it can't be read.
    """
    place = Path(path)
    rows = _parquet_rows(place) if place.suffix.lower() == ".parquet" else _csv_rows(place)
    for row in rows:
        yield from_row(row)


def _parquet_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    try:
        check_regular(path, LARGEST)
        with ParquetFile(path) as file:
            _check(path, file.schema_arrow.names)
            for batch in file.iter_batches(ROWS_AT_ONCE):
                yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error


def _csv_rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        check_regular(path, LARGEST)
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            _check(path, rows.fieldnames or ())
            for line, row in enumerate(rows, start=2):
                yield {name: _value(path, line, name, row[name]) for name in COLUMNS}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error


def _check(path: Path, names: Sequence[str]) -> None:
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise InvalidRecording(path, f"no column {', '.join(missing[:5])}", "it must be a table of `biped-slip gait`")


def _value(path: Path, line: int, name: str, text: str | None) -> object:
    if name not in NUMBERS and name not in WHOLE:
        return text or ""
    try:
        return int(text or 0) if name in WHOLE else float(text) if text else math.nan
    except ValueError as error:
        raise InvalidRecording(path, f"line {line}, {name}: {text!r} isn't a number") from error

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text, as series of feet: CSV, tab-separated, with blanks."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from pathlib import Path
from typing import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.bounded_files import text_lines
from biped_slip.errors import InvalidRecording
from biped_slip.recordings.judge.stances import (
    contact_level,
    stances,
    standing_mask,
    usual_load,
)
from biped_slip.recordings.layout import (
    Column,
    FootLayout,
    Layout,
    Processing,
    RecordingLayouts,
)
from biped_slip.recordings.motion_noise import differenced_places
from biped_slip.recordings.plates import find_zero
from biped_slip.recordings.plausibility import check_plausible
from biped_slip.recordings.series import (
    FloatArray,
    Motion,
    Progress,
    Stance,
    TimeSeries,
    increasing,
    integrated,
    regular_stamps,
    stamps_from_seconds,
    travelled,
)

# Tables of numbers: CSV, tab-separated or aligned with blanks, plain or .gz, with or
# without a header.

MOST_TABLE_COLUMNS = 4096
ROWS_AT_ONCE = 50_000
SEPARATORS = ("\t", ";", ",")
ESTIMATED = (
    "its forces are the robot's own estimate, no sensor's reading: they are as right "
    "as the robot's model"
)
PLAIN_NUMBERS = "write numbers without thousands separators, with a point"


@dataclasses.dataclass(frozen=True)
class TableStart:
    """First lines of a table.

    They give names (None without a header), number of columns, separator, first data
    line.
    """

    header: tuple[str, ...] | None
    width: int
    separator: str | None  # None: blanks
    first_line: int  # counted from 1


def split(line: str, separator: str | None) -> list[str]:
    """Split a line into cells; blanks around a cell do not count."""
    return (
        line.split()
        if separator is None
        else [cell.strip() for cell in line.split(separator)]
    )


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number (inf and nan included) or nothing."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def table_start(
    path: str | Path, lines: Iterator[str]
) -> tuple[TableStart, Iterator[str]]:
    """Parse the first line with content.

    Return the finding and an iterator over the data lines.

    Raises:
        InvalidRecording: no line, too many columns.
    """
    number, line = next(
        ((n, text) for n, text in enumerate(lines, start=1) if text.strip()), (0, "")
    )
    if not line:
        raise InvalidRecording(path, "holds no line with anything in it")
    separator = next((mark for mark in SEPARATORS if mark in line), None)
    cells = split(line, separator)
    if separator is not None and len(cells) > 1 and not cells[-1]:
        cells.pop()  # a separator at the end of the line
    if len(cells) > MOST_TABLE_COLUMNS:
        raise InvalidRecording(
            path, f"has {len(cells)} columns, at most {MOST_TABLE_COLUMNS} are accepted"
        )
    named = not all(map(is_number, cells))
    start = TableStart(
        tuple(cells) if named else None, len(cells), separator, number + named
    )
    return start, lines if named else itertools.chain([line], lines)


def read_columns(
    path: str | Path,
    start: TableStart,
    lines: Iterator[str],
    columns: Sequence[int],
    progress: Progress | None = None,
) -> FloatArray:
    """Read some columns (counted from 0) of the data lines, shape (rows, columns).

    Cells that are not finite are NaN.

    Raises:
        InvalidRecording: no data row, or a cell that isn't a number: with its line and
            column.
    """
    blocks: list[FloatArray] = []
    line_number = start.first_line
    rows = 0
    while chunk := list(itertools.islice(lines, ROWS_AT_ONCE)):
        block = _parse(path, start, chunk, columns, line_number)
        line_number = line_number + len(chunk)
        rows = rows + len(block)
        blocks.append(block)
        if progress is not None:
            progress(rows)
    if not rows:
        raise InvalidRecording(
            path, "has a header but no data row" if start.header else "has no data row"
        )
    data = np.concatenate(blocks)
    data[np.isinf(data)] = np.nan
    return data


def _parse(
    path: str | Path,
    start: TableStart,
    lines: list[str],
    columns: Sequence[int],
    first_line: int,
) -> FloatArray:
    filled = [line for line in lines if line.strip()]
    if not filled:
        return np.empty((0, len(columns)))
    # a thousands separator, a decimal comma, another table
    for number, line in enumerate(lines, start=first_line):
        cells = line.rstrip().removesuffix(start.separator or "")
        count = (
            len(cells.split())
            if start.separator is None
            else cells.count(start.separator) + 1
        )
        if count > start.width:
            what = (
                f"line {number} has {count} columns, not {start.width} as the "
                "first line"
            )
            raise InvalidRecording(path, what, PLAIN_NUMBERS)
    try:  # the fast way, for tables without empty cells
        return np.loadtxt(
            filled, delimiter=start.separator, usecols=columns, ndmin=2, comments=None
        )
    except (ValueError, IndexError):
        numbered = [
            (number, line)
            for number, line in enumerate(lines, start=first_line)
            if line.strip()
        ]
        rows = [_row(path, start, line, columns, number) for number, line in numbered]
        return np.array(rows, dtype=float).reshape(len(rows), len(columns))


def _row(
    path: str | Path, start: TableStart, line: str, columns: Sequence[int], number: int
) -> list[float]:
    cells = split(line, start.separator)
    row = []
    for column in columns:
        cell = cells[column] if column < len(cells) else ""
        if not is_number(cell):
            name = f" ({start.header[column]})" if start.header else ""
            what = (
                f"line {number}, column {column + 1}{name}: {cell[:40]!r} is not a "
                "number"
            )
            raise InvalidRecording(
                path, what, PLAIN_NUMBERS if re.search(r"\d[,']\d", cell) else ""
            )
        row.append(float(cell) if cell else math.nan)
    return row


def read_table_recording(
    path: str | Path, layouts: RecordingLayouts, progress: Progress | None = None
) -> tuple[list[TimeSeries], Processing]:
    """Read a table and make one series of each foot in it.

    Raises:
        InvalidRecording: file, place and remedy of what can't be used.
        BipedSlipError: no layout fits the columns.
    """
    start, lines = table_start(path, text_lines(path))
    layout = layouts.choose(path, start.header, start.width)
    header = list(start.header or ())
    place = {
        column: column - 1
        if isinstance(column, int)
        else header.index(column)  # counted from 0
        for column in (one.column for foot in layout.feet for one in foot.columns)
    }
    wanted = sorted(set(place.values()))
    data = read_columns(path, start, lines, wanted, progress)
    series = []
    for foot in layout.feet:
        columns = {
            c.quantity: (c, data[:, wanted.index(place[c.column])] * c.factor)
            for c in foot.columns
        }
        series.append(layout_series(path, layout, foot, columns, len(data)))
    return series, layout.processing


def layout_series(
    path: str | Path,
    layout: Layout,
    foot: FootLayout,
    values: dict[str, tuple[Column, FloatArray]],
    count: int,
) -> TimeSeries:
    """Make the series of one foot from its columns, each with its values in SI.

    Args:
        path: of the file.
        layout: of its columns.
        foot: whose they are.
        values: column and values (count,) by quantity.
        count: of samples.

    Raises:
        InvalidRecording: what can't be used.
    """
    if "time" in values:
        stamps, usable = stamps_from_seconds(path, values["time"][1])
    elif layout.rate is not None:
        stamps = regular_stamps(count, layout.rate)
        usable = np.ones(count, dtype=bool)
    keep, notes = increasing(path, stamps, usable)
    stamps = stamps[keep]
    resampled = {
        name: _on_time(column, value, stamps, keep)
        for name, (column, value) in values.items()
    }

    def vector(name: str, axes: str) -> FloatArray:
        missing = np.full(len(stamps), np.nan)
        return np.column_stack(
            [resampled.get(f"{name}_{axis}", missing) for axis in axes]
        )

    force = np.column_stack([vector("force", "xy"), resampled["normal"]])
    notes += _unknown_loads(path, foot.name, force[:, 2])
    if foot.estimated:
        notes += (f"{foot.name}: {ESTIMATED}",)
    moment = vector("moment", "xyz")
    if layout.processing.remove_zero:
        force, moment, note = _without_zero(stamps, force, moment)
        notes += (f"{foot.name}: {note}",)
    velocity, displacement, motion = _motion(
        layout.processing, stamps, force[:, 2], vector
    )
    moved = (
        motion.note
        if motion.source == "none"
        else f"{motion.source} {motion.note}".strip()
    )
    series = TimeSeries(
        name=foot.name,
        stamp_ns=stamps,
        force=force,
        moment=moment,
        displacement=displacement,
        velocity=velocity,
        angular_rate=vector("angular_rate", "xyz"),
        motion=motion,
        force_noise=layout.processing.force_noise,
        normal_unit="counts" if values["normal"][0].unit == "counts" else "N",
        provenance=(str(path), f"layout: {layout.name}", *notes, f"motion: {moved}"),
    )
    check_plausible(path, series)
    return series


def _unknown_loads(path: str | Path, foot: str, normal: FloatArray) -> tuple[str, ...]:
    """Describe the samples whose normal force is no number.

    Raises:
        InvalidRecording: none is.
    """
    invalid = int((~np.isfinite(normal)).sum())
    if invalid == len(normal):
        raise InvalidRecording(path, f"the normal force of {foot} holds no number")
    if not invalid:
        return ()
    return (f"{invalid} samples without a finite normal force are skipped",)


def _without_zero(
    stamps: NDArray[np.int64], force: FloatArray, moment: FloatArray
) -> tuple[FloatArray, FloatArray, str]:
    """Take off what the sensor reads without load; return also what that was."""
    channels = np.column_stack([force, moment])
    # what isn't measured has no offset
    channels[:, np.isnan(channels).all(axis=0)] = 0.0
    zero = find_zero((stamps - stamps[0]) * 1e-9, channels, force[:, 2])
    return force - zero.reading[:, :3], moment - zero.reading[:, 3:], zero.note


def _on_time(
    column: Column,
    value: FloatArray,
    stamps: NDArray[np.int64],
    keep: NDArray[np.bool_],
) -> FloatArray:
    """Resample a column to the series' stamps.

    One with its own rate is interpolated and NaN after its end.
    """
    if column.rate is None:
        return value[keep]
    own = value[np.isfinite(value)]
    time = (stamps - stamps[0]) * 1e-9
    if not len(own):
        return np.full(len(stamps), np.nan)
    return np.interp(time, np.arange(len(own)) / column.rate, own, right=np.nan)


def _motion(
    processing: Processing,
    stamps: NDArray[np.int64],
    normal: FloatArray,
    vector: Callable[[str, str], FloatArray],
) -> tuple[FloatArray, FloatArray, Motion]:
    """Compute velocity and displacement (n, 2) from the best that was recorded.

    The best is velocity, then position, then acceleration.
    """
    time = (stamps - stamps[0]) * 1e-9
    position = vector("position", "xy")
    velocity = vector("velocity", "xy")
    if np.isfinite(velocity).any():
        displacement = (
            position if np.isfinite(position).any() else travelled(time, velocity)
        )
        return velocity, displacement, Motion("measured", processing.velocity_noise)
    if np.isfinite(position).any():
        velocity, motion = differenced_places(
            time, position, _standing(processing, normal), processing
        )
        return velocity, position - position[0], motion
    acceleration = vector("acceleration", "xy")
    if not np.isfinite(acceleration).any():
        return velocity, position, Motion(note="not recorded")
    in_contact = standing_mask(len(normal), _standing(processing, normal))
    velocity, motion = integrated(
        time, acceleration, vector("angular_rate", "xyz"), in_contact
    )
    return velocity, travelled(time, velocity), motion


def _standing(processing: Processing, normal: FloatArray) -> list[Stance]:
    """Find the stances in a normal force, shape (n,) [N]."""
    level = contact_level(
        usual_load(normal), processing.contact_share, processing.force_noise
    )
    return stances(normal, level)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text, as series of feet: CSV, tab-separated, with blanks."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from pathlib import Path
from typing import Callable, Iterator, Mapping, NamedTuple, Sequence

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
    FACTORS,
    QUANTITIES,
    SPELLINGS,
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
# without a header. Programs write a preamble above the names (device, rate, plates) and
# a line of units below them: the names are where a layout finds its own, the numbers
# begin where there are some.

MOST_TABLE_COLUMNS = 4096
ROWS_AT_ONCE = 50_000
LONGEST_PREAMBLE = 200  # lines above the numbers
SEPARATORS = ("\t", ";", ",")
ESTIMATED = (
    "its forces are the robot's own estimate, no sensor's reading: they are as right "
    "as the robot's model"
)
QUOTES = "\"'"
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
        [unquoted(cell) for cell in line.split()]
        if separator is None
        else [unquoted(cell) for cell in line.split(separator)]
    )


def unquoted(cell: str) -> str:
    """Take blanks and quotes off a cell."""
    bare = cell.strip()
    quoted = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in QUOTES
    return bare[1:-1].strip() if quoted else bare


def is_number(cell: str) -> bool:
    """Return whether a cell holds a number (inf and nan included) or nothing."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def start_at(path: str | Path, number: int, line: str) -> TableStart:
    """Parse a line as the first of a table: its names, or already numbers.

    Raises:
        InvalidRecording: too many columns.
    """
    separator = next((mark for mark in SEPARATORS if mark in line), None)
    cells = split(line, separator)
    if separator is not None and len(cells) > 1 and not cells[-1]:
        cells.pop()  # a separator at the end of the line
    if len(cells) > MOST_TABLE_COLUMNS:
        raise InvalidRecording(
            path, f"has {len(cells)} columns, at most {MOST_TABLE_COLUMNS} are accepted"
        )
    named = not all(map(is_number, cells))
    return TableStart(
        header=tuple(cells) if named else None,
        width=len(cells),
        separator=separator,
        first_line=number + named,
    )


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
    start = start_at(path, number, line)
    return start, lines if start.header else itertools.chain([line], lines)


class FoundTable(NamedTuple):
    """Begin of a table, the layout that it fits, and its data lines."""

    start: TableStart
    layout: Layout
    lines: Iterator[str]
    notes: tuple[str, ...]


def find_table(path: str | Path, layouts: RecordingLayouts) -> FoundTable:
    """Find the line of a table that fits a layout, and where its numbers begin.

    Raises:
        InvalidRecording: no line, too many columns, units that contradict the layout.
        BipedSlipError: no layout fits any of the first lines.
    """
    lines = text_lines(path)
    head = list(itertools.islice(lines, LONGEST_PREAMBLE))
    filled = [(n, line) for n, line in enumerate(head, start=1) if line.strip()]
    if not filled:
        raise InvalidRecording(path, "holds no line with anything in it")
    first = start_at(path, *filled[0])
    for number, line in filled:
        start = first if number == filled[0][0] else start_at(path, number, line)
        layout = layouts.choose(start.header, start.width, number)
        preamble = number != filled[0][0]
        # a line of text below others is no header of a layout of numbers
        if layout is None or (preamble and start.header and not layout.named):
            continue
        notes = (f"the first {number - 1} lines are skipped",) if preamble else ()
        below = head[start.first_line - 1 :]
        begin, units = _numbers_begin(path, start, layout, below)
        start = dataclasses.replace(start, first_line=start.first_line + begin)
        data = itertools.chain(below[begin:], lines)
        return FoundTable(start, layout, data, notes + units)
    begins = next(
        (n for n, line in filled if _numbers(line) >= 3 and n > filled[0][0]), 0
    )
    remedy = (
        f"its numbers may begin in line {begins}: names_line and data_line of the "
        "layout say where names and numbers stand"
    )
    layouts.refuse(path, first.header, first.width, remedy if begins > 2 else "")


def _numbers(line: str) -> int:
    """Count the cells of a line that hold numbers; 0 where one holds something else."""
    cells = split(line, next((mark for mark in SEPARATORS if mark in line), None))
    return sum(map(bool, cells)) if all(map(is_number, cells)) else 0


def _numbers_begin(
    path: str | Path, start: TableStart, layout: Layout, below: Sequence[str]
) -> tuple[int, tuple[str, ...]]:
    """Count the lines between names and numbers, and describe them.

    Args:
        path: for messages.
        start: names of the columns.
        layout: of the table.
        below: lines below the names.

    Raises:
        InvalidRecording: a line of units contradicts the layout.
    """
    stated = layout.data_line
    count = 0 if stated is None else max(stated - start.first_line, 0)
    if stated is None and start.header:
        for line in below:
            cells = [cell for cell in split(line, start.separator) if cell]
            if not cells or any(map(is_number, cells)):
                break
            count += 1
    if count:
        place = columns_of(path, start.header, layout)[0]
        for line in below[:count]:
            _check_units(path, layout, place, split(line, start.separator))
    last = start.first_line + count - 1
    lines = f"line {last} is" if count == 1 else f"lines to {last} are"
    return count, (f"{lines} skipped: no numbers below the names",) if count else ()


def _check_units(
    path: str | Path,
    layout: Layout,
    place: Mapping[tuple[str, str], int],
    cells: Sequence[str],
) -> None:
    """Refuse a line of units of which one is another than the layout has it."""
    for foot in layout.feet:
        for column in foot.columns:
            index = place[foot.name, column.quantity]
            cell = cells[index].strip("()[] ") if index < len(cells) else ""
            known = FACTORS[QUANTITIES[column.quantity]]
            unit = SPELLINGS.get(cell, cell)
            if unit in known and known[unit] != abs(column.factor):
                raise InvalidRecording(
                    path,
                    f"has {cell} below the name {column.column}, but the layout says "
                    f"{column.unit}",
                    "correct the unit in the layout",
                )


def columns_of(
    path: object, header: Sequence[str] | None, layout: Layout
) -> tuple[dict[tuple[str, str], int], tuple[str, ...]]:
    """Find the columns (counted from 0) of each foot's quantities, and notes.

    A name that stands as often as feet name it is told apart by the order of the feet.

    Raises:
        InvalidRecording: a name that stands more than once can't be told apart.
    """
    names = list(header or ())
    place: dict[tuple[str, str], int] = {}
    notes: dict[str, None] = {}
    users: dict[str, list[str]] = {}
    for foot in layout.feet:
        for name in {c.column for c in foot.columns if isinstance(c.column, str)}:
            users.setdefault(name, []).append(foot.name)
    for foot in layout.feet:
        for column in foot.columns:
            if isinstance(column.column, int):
                place[foot.name, column.quantity] = column.column - 1
                continue
            name = column.column
            found = [k for k, one in enumerate(names) if one == name]
            if len(found) > 1 and len(found) != len(users[name]):
                where = ", ".join(str(k + 1) for k in found)
                raise InvalidRecording(
                    path,
                    f"the name {name} stands {len(found)} times (columns {where})",
                    "name the columns of the layout by their numbers",
                )
            if len(found) > 1:
                notes[
                    f"the name {name} stands {len(found)} times: its columns are those "
                    f"of {', '.join(users[name])} in this order"
                ] = None
            order = users[name].index(foot.name) if len(found) > 1 else 0
            place[foot.name, column.quantity] = found[order]
    _refuse_shared(path, layout, place)
    return place, tuple(notes)


def _refuse_shared(
    path: object, layout: Layout, place: Mapping[tuple[str, str], int]
) -> None:
    """Refuse two feet with one normal force."""
    owners: dict[int, str] = {}
    for foot in layout.feet:
        column = place[foot.name, "normal"]
        if column in owners:
            raise InvalidRecording(
                path,
                f"the layout has column {column + 1} for the normal force of "
                f"{owners[column]} and of {foot.name}",
                "each foot needs its own",
            )
        owners[column] = foot.name


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
            filled,
            delimiter=start.separator,
            usecols=columns,
            ndmin=2,
            comments=None,
            quotechar='"',
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
    start, layout, lines, notes = find_table(path, layouts)
    place, told_apart = columns_of(path, start.header, layout)
    notes = (*notes, *told_apart)
    wanted = sorted(set(place.values()))
    data = read_columns(path, start, lines, wanted, progress)
    series = []
    for foot in layout.feet:
        columns = {
            c.quantity: (
                c,
                data[:, wanted.index(place[foot.name, c.quantity])] * c.factor,
            )
            for c in foot.columns
        }
        found = layout_series(path, layout, foot, columns, len(data))
        provenance = (*found.provenance[:2], *notes, *found.provenance[2:])
        series.append(dataclasses.replace(found, provenance=provenance))
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

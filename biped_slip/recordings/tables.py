# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text: CSV, blanks, OpenSim; as series of feet or as pulls."""

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
from biped_slip.recordings.plates import Plate, find_zero
from biped_slip.recordings.plausibility import check_plausible
from biped_slip.recordings.series import (
    FloatArray,
    Motion,
    Progress,
    TimeSeries,
    differenced,
    increasing,
    integrated,
    regular_stamps,
    stamps_from_seconds,
    travelled,
)

# Tables of numbers: CSV, tab-separated or aligned with blanks, plain or .gz, with or
# without a header.

MOST_COLUMNS = 4096
ROWS_AT_ONCE = 50_000
SEPARATORS = ("\t", ";", ",")
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
    if len(cells) > MOST_COLUMNS:
        raise InvalidRecording(
            path, f"has {len(cells)} columns, at most {MOST_COLUMNS} are accepted"
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
    for number, line in enumerate(
        lines, start=first_line
    ):  # a thousands separator, a decimal comma, another table
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
        series.append(_series(path, layout, foot, columns, len(data)))
    return series, layout.processing


def _series(
    path: str | Path,
    layout: Layout,
    foot: FootLayout,
    values: dict[str, tuple[Column, FloatArray]],
    count: int,
) -> TimeSeries:
    if "time" in values:
        stamps, usable = stamps_from_seconds(path, values["time"][1])
    elif layout.rate is not None:
        stamps, usable = regular_stamps(count, layout.rate), np.ones(count, dtype=bool)
    keep, notes = increasing(path, stamps, usable)
    stamps = stamps[keep]
    values = {
        name: (column, _on_time(column, value, stamps, keep))
        for name, (column, value) in values.items()
    }

    def vector(name: str, axes: str) -> FloatArray:
        missing = np.full(len(stamps), np.nan)
        return np.column_stack(
            [values.get(f"{name}_{axis}", (None, missing))[1] for axis in axes]
        )

    normal = values["normal"]
    force = np.column_stack([vector("force", "xy"), normal[1]])
    invalid = ~np.isfinite(force[:, 2])
    if invalid.all():
        raise InvalidRecording(path, f"the normal force of {foot.name} holds no number")
    if invalid.any():
        notes += (
            f"{int(invalid.sum())} samples without a finite normal force are skipped",
        )
    moment = vector("moment", "xyz")
    if layout.processing.remove_zero:
        channels = np.column_stack([force, moment])
        channels[:, np.isnan(channels).all(axis=0)] = (
            0.0  # what isn't measured has no offset
        )
        zero = find_zero((stamps - stamps[0]) * 1e-9, channels, force[:, 2])
        force = force - zero.reading[:, :3]
        moment = moment - zero.reading[:, 3:]
        notes += (f"{foot.name}: {zero.note}",)
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
        normal_unit="counts" if normal[0].unit == "counts" else "N",
        provenance=(str(path), f"layout: {layout.name}", *notes, f"motion: {moved}"),
    )
    check_plausible(path, series)
    return series


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
        window = processing.velocity_window
        motion = Motion("differenced", processing.velocity_noise, f"over {window:g} s")
        return differenced(time, position, window), position - position[0], motion
    acceleration = vector("acceleration", "xy")
    if not np.isfinite(acceleration).any():
        return velocity, position, Motion(note="not recorded")
    level = contact_level(
        usual_load(normal), processing.contact_share, processing.force_noise
    )
    in_contact = standing_mask(len(normal), stances(normal, level))
    velocity, motion = integrated(
        time, acceleration, vector("angular_rate", "xyz"), in_contact
    )
    return velocity, travelled(time, velocity), motion


# OpenSim's force files (.mot, .sto): columns by their names, one plate or foot per
# group of columns.

FORCE = re.compile(r"^(?P<before>.*?)force(?P<after>.*?)_v(?P<axis>[xyz])$", re.I)
NUMBERED = re.compile(r"^f(?P<plate>\d+)_(?P<axis>[123])$")
LONGEST_HEADER = 200  # lines
MILLIMETRES_BEYOND = (
    20.0  # a point of application further off than this isn't in metres
)


def read_storage(
    path: str | Path, progress: Progress | None = None
) -> tuple[list[Plate], tuple[str, ...]]:
    """Read every group of force columns as a plate in the file's own axes, and notes.

    Raises:
        InvalidRecording: no ``endheader``, no time column, no force columns, bad cells.
    """
    lines = text_lines(path)
    number = _skip_header(path, lines)
    names = next((line for line in lines if line.strip()), "")
    separator = "\t" if "\t" in names.strip() else None
    header = tuple(name.strip() for name in names.split(separator))
    if "time" not in header:
        raise InvalidRecording(
            path, f"has no column 'time' among {', '.join(header)[:200]!r}"
        )
    groups = _groups(header)
    if not groups:
        raise InvalidRecording(
            path,
            "has no force columns",
            "names like ground_force_vx or f1_1 are looked for",
        )
    start = TableStart(header, len(header), None, number + 2)
    columns = sorted(
        {
            header.index("time"),
            *(c for group in groups.values() for c in group if c is not None),
        }
    )
    data = read_columns(path, start, lines, columns, progress)
    by_column = {column: data[:, k] for k, column in enumerate(columns)}
    stamps, usable = stamps_from_seconds(path, by_column[header.index("time")])
    keep, notes = increasing(path, stamps, usable)
    missing = np.full(len(data), np.nan)
    plates = []
    units = ""
    for name, group in groups.items():
        values = np.column_stack(
            [by_column[c] if c is not None else missing for c in group]
        )[keep]
        plate, units = _plate(name, stamps[keep], values)
        plates.append(plate)
    return plates, (*notes, *([units] if units else []))


def _skip_header(path: str | Path, lines: Iterator[str]) -> int:
    for number, line in enumerate(lines, start=1):
        if line.strip().lower() == "endheader":
            return number
        if number >= LONGEST_HEADER:
            break
    raise InvalidRecording(
        path, "has no line 'endheader'", "it is no OpenSim storage file"
    )


def _groups(header: tuple[str, ...]) -> dict[str, list[int | None]]:
    """Find nine columns of each group, in the order of the file.

    They are force, point and moment (None where absent).
    """
    place = {name.lower(): index for index, name in enumerate(header)}
    groups: dict[str, list[int | None]] = {}
    for name in header:
        named = FORCE.match(name)
        numbered = NUMBERED.match(name)
        if named and named["axis"].lower() == "x":
            before = named["before"].lower()
            after = named["after"].lower()
            kinds = (
                f"{before}force{after}_v",
                f"{before}force{after}_p",
                f"{before}torque{after}_",
            )
            wanted = [f"{kind}{axis}" for kind in kinds for axis in "xyz"]
            groups[_group_name(named["before"], named["after"], len(groups))] = [
                place.get(key) for key in wanted
            ]
        elif numbered and numbered["axis"] == "1":
            plate = numbered["plate"]
            groups[f"plate {plate}"] = [
                place.get(f"{kind}{plate}_{axis}") for kind in "fpm" for axis in "123"
            ]
    return {name: group for name, group in groups.items() if None not in group[:3]}


def _group_name(before: str, after: str, number: int) -> str:
    """Name a group by the side in its columns (r_…, L_…, …_r), else by a number."""
    sides = {
        "r": "right foot",
        "right": "right foot",
        "l": "left foot",
        "left": "left foot",
    }
    words = re.split(r"[_\s]+", f"{before}_{after}".lower())
    return next((sides[word] for word in words if word in sides), f"plate {number + 1}")


def _plate(name: str, stamps: np.ndarray, values: FloatArray) -> tuple[Plate, str]:
    """Build a plate from forces with the recorded point.

    Moments become moments about the origin where the point is known.
    """
    force = values[:, :3]
    point = values[:, 3:6]
    torque = np.nan_to_num(values[:, 6:9])
    note = ""
    scale = 1.0
    if np.isfinite(point).any() and np.nanmax(np.abs(point)) > MILLIMETRES_BEYOND:
        note = (
            "points lie beyond 20 m if taken as metres, so they are mm and moments N mm"
        )
        scale = 1e-3
    point = point * scale
    torque = torque * scale
    moment = np.cross(np.nan_to_num(point), np.nan_to_num(force)) + torque
    return Plate(
        name=name,
        stamp_ns=stamps,
        force=force,
        moment=moment,
        centre=np.zeros(3),
        point=point if np.isfinite(point).any() else None,
    ), note

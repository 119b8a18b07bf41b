# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""OpenSim's force files (.mot, .sto): a plate or foot per group of columns.

Columns are told by their names: ``…force_vx``, ``…force_px``, ``…torque_x`` with any
prefix or number, or ``f1_1``, ``p1_1``, ``m1_1``.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Iterator, Mapping, Sequence

import numpy as np

from biped_slip.bounded_files import text_lines
from biped_slip.errors import InvalidRecording
from biped_slip.recordings.plates import Plate
from biped_slip.recordings.series import (
    FloatArray,
    Progress,
    increasing,
    stamps_from_seconds,
)
from biped_slip.recordings.tables import TableStart, read_columns

FORCE_COLUMN = re.compile(
    r"^(?P<before>.*?)force(?P<after>.*?)_v(?P<axis>[xyz])$", re.I
)
NUMBERED = re.compile(r"^f(?P<plate>\d+)_(?P<axis>[123])$")
ROWS = re.compile(r"^\s*(?:nRows|datarows)[\s=]+(?P<count>\d{1,9})\s*$", re.I)
LONGEST_HEADER = 200  # lines
# a point of application further off than this isn't in metres
MILLIMETRES_BEYOND = 20.0


def read_storage(
    path: str | Path, progress: Progress | None = None
) -> tuple[list[Plate], tuple[str, ...]]:
    """Read every group of force columns as a plate in the file's own axes, and notes.

    Raises:
        InvalidRecording: no ``endheader``, no time column, no force columns, bad cells.
    """
    lines = text_lines(path)
    start, promised = _storage_start(path, lines)
    header = start.header or ()
    groups, told_apart = _groups(path, header)
    if not groups:
        raise InvalidRecording(
            path,
            "has no force columns",
            "names like ground_force_vx or f1_1 are looked for",
        )
    wanted = itertools.chain([header.index("time")], *groups.values())
    columns = sorted({place for place in wanted if place is not None})
    data = read_columns(path, start, lines, columns, progress)
    by_column: dict[int | None, FloatArray] = dict(zip(columns, data.T, strict=True))
    by_column[None] = np.full(len(data), np.nan)  # not in the file
    stamps, usable = stamps_from_seconds(path, by_column[header.index("time")])
    keep, notes = increasing(path, stamps, usable)
    plates, units = _plates(stamps[keep], keep, groups, by_column)
    return plates, (*notes, *told_apart, *_cut(promised, len(data)), *units)


def _plates(
    stamps: np.ndarray,
    keep: np.ndarray,
    groups: Mapping[str, Sequence[int | None]],
    by_column: Mapping[int | None, FloatArray],
) -> tuple[list[Plate], tuple[str, ...]]:
    """Build a plate of each group from the rows that are kept, and notes on units."""
    made = [
        _plate(name, stamps, np.column_stack([by_column[k] for k in group])[keep])
        for name, group in groups.items()
    ]
    notes = dict.fromkeys(units for _, units in made if units)
    return [plate for plate, _ in made], tuple(notes)


def _cut(promised: int, held: int) -> tuple[str, ...]:
    """Say that a file holds fewer rows than its header promises."""
    if promised <= held:
        return ()
    return (
        f"its header promises {promised} rows, but it holds {held}: is it cut off?",
    )


def _storage_start(path: str | Path, lines: Iterator[str]) -> tuple[TableStart, int]:
    """Read the header of a storage file: names of columns, promised number of rows."""
    number, promised = _read_header(path, lines)
    names = next((line for line in lines if line.strip()), "")
    separator = "\t" if "\t" in names.strip() else None
    header = tuple(name.strip() for name in names.split(separator))
    if "time" not in header:
        raise InvalidRecording(
            path, f"has no column 'time' among {', '.join(header)[:200]!r}"
        )
    # the data lines may be separated by anything blank, whatever the names are
    start = TableStart(
        header=header, width=len(header), separator=None, first_line=number + 2
    )
    return start, promised


def _read_header(path: str | Path, lines: Iterator[str]) -> tuple[int, int]:
    """Return the number of header lines, and that of rows; 0 where it isn't said."""
    promised = 0
    for number, line in enumerate(lines, start=1):
        if line.strip().lower() == "endheader":
            return number, promised
        if rows := ROWS.match(line):
            promised = int(rows["count"])
        if number >= LONGEST_HEADER:
            break
    raise InvalidRecording(
        path, "has no line 'endheader'", "it is no OpenSim storage file"
    )


def _groups(
    path: object, header: tuple[str, ...]
) -> tuple[dict[str, list[int | None]], tuple[str, ...]]:
    """Find nine columns of each group, in the order of the file, and notes.

    They are force, point and moment (None where absent). Where a name stands several
    times, the groups are told apart by their order.

    Raises:
        InvalidRecording: names stand a different number of times.
    """
    places: dict[str, list[int]] = {}
    for index, name in enumerate(header):
        places.setdefault(name.lower(), []).append(index)
    groups: dict[str, list[int | None]] = {}
    notes = []
    for name, found in places.items():
        wanted = _columns_of_group(name)
        if not wanted:
            continue
        times = len(found)
        known = [key for key in wanted if key in places]
        uneven = [key for key in known if len(places[key]) != times]
        if uneven:
            raise InvalidRecording(
                path,
                f"the name {name} stands {times} times, but {uneven[0]} "
                f"{len(places[uneven[0]])} times",
                "give the columns of each plate names of their own",
            )
        if times > 1:
            notes.append(
                f"the name {name} stands {times} times: the columns of each plate are "
                "told apart by their order"
            )
        for which in range(times):
            label = _label(name, len(groups), which if times > 1 else None)
            groups[label] = [
                places[key][which] if key in places else None for key in wanted
            ]
    return (
        {name: group for name, group in groups.items() if None not in group[:3]},
        tuple(notes),
    )


def _columns_of_group(name: str) -> list[str]:
    """List the names of a group's nine columns by that of its first; else nothing."""
    named = FORCE_COLUMN.match(name)
    if named and named["axis"] == "x":
        before = named["before"]
        after = named["after"]
        kinds = (
            f"{before}force{after}_v",
            f"{before}force{after}_p",
            f"{before}torque{after}_",
        )
        return [f"{kind}{axis}" for kind in kinds for axis in "xyz"]
    numbered = NUMBERED.match(name)
    if numbered and numbered["axis"] == "1":
        plate = numbered["plate"]
        return [f"{kind}{plate}_{axis}" for kind in "fpm" for axis in "123"]
    return []


def _label(name: str, number: int, which: int | None) -> str:
    """Name a group by its first column, or by its number where that name repeats."""
    numbered = NUMBERED.match(name)
    named = FORCE_COLUMN.match(name)
    if numbered and which is None:
        return f"plate {numbered['plate']}"
    if named and which is None:
        return _group_name(named["before"], named["after"], number)
    return f"plate {number + 1}"


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

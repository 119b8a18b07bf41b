# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""OpenSim's force files (.mot, .sto): columns by their names, one plate or foot per group of columns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.lines import text_lines
from biped_slip.recordings.plates import Plate
from biped_slip.recordings.series import FloatArray
from biped_slip.recordings.stamps import increasing, stamps_from_seconds
from biped_slip.recordings.tables import Progress, TableStart, read_columns

FORCE = re.compile(r"^(?P<before>.*?)force(?P<after>.*?)_v(?P<axis>[xyz])$", re.I)
NUMBERED = re.compile(r"^f(?P<plate>\d+)_(?P<axis>[123])$")
LONGEST_HEADER = 200  # lines
MILLIMETRES_BEYOND = 20.0  # a point of application further off than this isn't in metres


def read_storage(path: str | Path, progress: Progress | None = None) -> tuple[list[Plate], tuple[str, ...]]:
    """Every group of force columns as a plate in the file's own axes, and notes.

    Raises:
        InvalidRecording: no ``endheader``, no time column, no force columns, bad cells.
    """
    lines = text_lines(path)
    number = _skip_header(path, lines)
    names = next((line for line in lines if line.strip()), "")
    separator = "\t" if "\t" in names.strip() else None
    header = tuple(names.split("\t") if separator else names.split())
    header = tuple(name.strip() for name in header)
    if "time" not in header:
        raise InvalidRecording(path, f"has no column 'time' among {', '.join(header)[:200]!r}")
    groups = _groups(header)
    if not groups:
        raise InvalidRecording(path, "has no force columns", "names like ground_force_vx or f1_1 are looked for")
    start = TableStart(header, len(header), None, number + 2)
    columns = sorted({header.index("time"), *(c for group in groups.values() for c in group if c is not None)})
    table = read_columns(path, start, lines, columns, progress)
    by_column = {column: table.data[:, k] for k, column in enumerate(columns)}
    stamps, usable = stamps_from_seconds(path, by_column[header.index("time")])
    keep, notes = increasing(path, stamps, usable)
    missing = np.full(len(table.data), np.nan)
    plates, units = [], ""
    for name, group in groups.items():
        values = np.column_stack([by_column[c] if c is not None else missing for c in group])[keep]
        plate, units = _plate(name, stamps[keep], values)
        plates.append(plate)
    return plates, (*notes, *([units] if units else []))


def _skip_header(path: str | Path, lines: Iterator[str]) -> int:
    for number, line in enumerate(lines, start=1):
        if line.strip().lower() == "endheader":
            return number
        if number >= LONGEST_HEADER:
            break
    raise InvalidRecording(path, "has no line 'endheader'", "it is no OpenSim storage file")


def _groups(header: tuple[str, ...]) -> dict[str, list[int | None]]:
    """Nine columns of each group: force, point, moment (None where absent), in the order of the file."""
    place = {name.lower(): index for index, name in enumerate(header)}
    groups: dict[str, list[int | None]] = {}
    for name in header:
        named, numbered = FORCE.match(name), NUMBERED.match(name)
        if named and named["axis"].lower() == "x":
            before, after = named["before"].lower(), named["after"].lower()
            wanted = [f"{before}force{after}_v{axis}" for axis in "xyz"] + [
                f"{before}force{after}_p{axis}" for axis in "xyz"
            ]
            wanted += [f"{before}torque{after}_{axis}" for axis in "xyz"]
            groups[_group_name(named["before"], named["after"], len(groups))] = [place.get(key) for key in wanted]
        elif numbered and numbered["axis"] == "1":
            plate = numbered["plate"]
            groups[f"plate {plate}"] = [place.get(f"{kind}{plate}_{axis}") for kind in "fpm" for axis in "123"]
    return {name: group for name, group in groups.items() if None not in group[:3]}


def _group_name(before: str, after: str, number: int) -> str:
    """What the columns say of the side (r_…, L_…, …_r), else a number."""
    words = re.split(r"[_\s]+", f"{before}_{after}".lower())
    for word in words:
        if word in ("r", "right"):
            return "right foot"
        if word in ("l", "left"):
            return "left foot"
    return f"plate {number + 1}"


def _plate(name: str, stamps: np.ndarray, values: FloatArray) -> tuple[Plate, str]:
    """Forces with the recorded point; moments become moments about the origin where the point is known."""
    force, point, torque = values[:, :3], values[:, 3:6], np.nan_to_num(values[:, 6:9])
    note, scale = "", 1.0
    if np.isfinite(point).any() and np.nanmax(np.abs(point)) > MILLIMETRES_BEYOND:
        note, scale = "points lie beyond 20 m if taken as metres, so they are mm and moments N mm", 1e-3
    point, torque = point * scale, torque * scale
    moment = np.cross(np.nan_to_num(point), np.nan_to_num(force)) + torque
    return Plate(name, stamps, force, moment, np.zeros(3), point=point if np.isfinite(point).any() else None), note

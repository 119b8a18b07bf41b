# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Logs of robots in HDF5, of which MATLAB 7.3 files are one kind, as series of feet.

A layout names datasets where that of a table names columns: ``GROUP/DATASET[ROW]``,
rows counted from 1, and sums of several for a foot on two sensors::

    feet:
      - name: left
        time: {column: log/FTs/l_foot/timestamps, unit: s}
        normal: {column: "log/FTs/l_front/data[3] + log/FTs/l_rear/data[3]", unit: N}
        estimated: true       # the robot's own estimate and no sensor's reading

The longest axis of a dataset is time, the other its rows; MATLAB stores arrays turned,
with axes of length one. Files are only read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.errors import BipedSlipError, InvalidRecording, MissingExtra
from biped_slip.recordings.layout import (
    FootLayout,
    Layout,
    Processing,
    RecordingLayouts,
)
from biped_slip.recordings.series import FloatArray, TimeSeries
from biped_slip.recordings.tables import layout_series

MOST_VALUES = 50_000_000  # of a dataset
MOST_LISTED = 30  # datasets in a message
PLACE = re.compile(r"(.+?)(?:\[(\d+)\])?")  # a dataset and its row


def read_hdf5_recording(
    path: str | Path, layouts: RecordingLayouts
) -> tuple[list[TimeSeries], Processing]:
    """Read a log by a mapping of dataset names, and make one series of each foot.

    Raises:
        MissingExtra: h5py is not installed.
        InvalidRecording: a dataset is missing or can't be used, with what is there.
    """
    try:
        import h5py
    except ImportError as error:
        raise MissingExtra("a log in HDF5", "hdf5") from error
    try:
        with h5py.File(path, "r") as file:
            shapes = _shapes(file)
            layout = _chosen(path, layouts, shapes)
            feet = [_foot(path, file, layout, foot) for foot in layout.feet]
    except BipedSlipError:
        raise
    # of a damaged file the library may raise anything
    except Exception as error:
        words = f"the HDF5 file is damaged or truncated ({error})"
        raise InvalidRecording(path, words) from error
    return feet, layout.processing


def dataset_list(path: str | Path) -> str:
    """List the datasets of a log with their shapes; empty where it can't be read."""
    try:
        import h5py

        with h5py.File(path, "r") as file:
            return _listed(_shapes(file))
    except Exception:
        return ""


def _shapes(file: Any) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all datasets of numbers, by path."""
    import h5py

    found: dict[str, tuple[int, ...]] = {}

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu":
            found[name] = item.shape

    file.visititems(visit)
    return found


def _listed(shapes: dict[str, tuple[int, ...]]) -> str:
    words = [
        f"{name} ({' x '.join(map(str, shape))})"
        for name, shape in shapes.items()
        if not name.startswith("#")
    ]
    more = len(words) - MOST_LISTED
    rest = [f"and {more} more"] if more > 0 else []
    return ", ".join([*words[:MOST_LISTED], *rest])


def _places(column: object) -> list[tuple[str, int]]:
    """Split a column into the datasets that it sums, each with its row from 1."""
    places = []
    for part in str(column).split(" + "):
        match = PLACE.fullmatch(part.strip().strip("/"))
        name, row = match.groups() if match else (part, None)
        places.append((name, int(row or 1)))
    return places


def _chosen(
    path: str | Path, layouts: RecordingLayouts, shapes: dict[str, tuple[int, ...]]
) -> Layout:
    """Choose the first layout whose datasets are all there."""
    missing: list[str] = []
    for layout in layouts.layouts:
        wanted = {
            name
            for foot in layout.feet
            for column in foot.columns
            for name, _ in _places(column.column)
        }
        absent = sorted(name for name in wanted if name not in shapes)
        if not absent:
            return layout
        missing.append(f"{', '.join(absent[:4])} of {layout.name!r}")
    raise InvalidRecording(
        path,
        f"has no dataset {'; '.join(missing)}",
        f"it holds {_listed(shapes) or 'no dataset of numbers'}",
    )


def _foot(path: str | Path, file: Any, layout: Layout, foot: FootLayout) -> TimeSeries:
    """Read the datasets of one foot, and make its series."""
    values = {
        column.quantity: (
            column,
            column.factor
            * np.sum(
                [_row(path, file, *place) for place in _places(column.column)], axis=0
            ),
        )
        for column in foot.columns
    }
    lengths = {column.column: len(value) for column, value in values.values()}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} has {count}" for name, count in lengths.items())
        raise InvalidRecording(
            path,
            f"datasets of {foot.name} differ in length: {words}",
            "they must be of one clock",
        )
    return layout_series(path, layout, foot, values, next(iter(lengths.values())))


def _row(path: str | Path, file: Any, name: str, row: int) -> FloatArray:
    """Read one row of a dataset over time, shape (n,)."""
    dataset = file[name]
    if dataset.size > MOST_VALUES:
        raise InvalidRecording(
            path, f"{name} holds {dataset.size} values, at most {MOST_VALUES} are read"
        )
    values = np.squeeze(np.asarray(dataset[()], dtype=np.float64))
    if values.ndim > 2 or not values.size:
        raise InvalidRecording(
            path, f"{name} has shape {dataset.shape}", "rows over time are needed"
        )
    rows = np.atleast_2d(values)
    if rows.shape[0] > rows.shape[1]:
        rows = rows.T
    if not 1 <= row <= len(rows):
        raise InvalidRecording(
            path, f"{name}[{row}] is asked for", f"it has rows 1 to {len(rows)}"
        )
    return rows[row - 1]

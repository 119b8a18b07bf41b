# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A table whose columns a layout names, as one series per foot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.contacts import contact_level, stances, standing_mask, usual_load
from biped_slip.recordings.layout import Column, FootLayout, Layout, Processing, RecordingLayouts
from biped_slip.recordings.lines import text_lines
from biped_slip.recordings.motion import differenced, integrated, travelled
from biped_slip.recordings.offsets import find_zero
from biped_slip.recordings.series import FloatArray, Motion, TimeSeries
from biped_slip.recordings.stamps import increasing, regular_stamps, stamps_from_seconds
from biped_slip.recordings.tables import Progress, Table, TableStart, read_columns, table_start


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
    columns = [column for foot in layout.feet for column in foot.columns]
    places = [_place(column, start) for column in columns]
    table = read_columns(path, start, lines, sorted(set(places)), progress)
    by_place = {place: table.data[:, index] for index, place in enumerate(sorted(set(places)))}
    values = {id(column): by_place[place] * column.factor for column, place in zip(columns, places, strict=True)}
    series = [
        _series(table, layout, foot, {c.quantity: (c, values[id(c)]) for c in foot.columns}) for foot in layout.feet
    ]
    return series, layout.processing


def _place(column: Column, start: TableStart) -> int:
    """Position of a column, counted from 0."""
    if isinstance(column.column, int):
        return column.column - 1
    return list(start.header or ()).index(column.column)


Values = dict[str, tuple[Column, FloatArray]]


def _series(table: Table, layout: Layout, foot: FootLayout, values: Values) -> TimeSeries:
    count = len(table.data)
    if "time" in values:
        stamps, usable = stamps_from_seconds(table.path, values["time"][1])
    elif layout.rate is not None:
        stamps, usable = regular_stamps(count, layout.rate), np.ones(count, dtype=bool)
    keep, notes = increasing(table.path, stamps, usable)
    stamps = stamps[keep]
    values = {name: (column, _on_time(column, value, stamps, keep)) for name, (column, value) in values.items()}

    def vector(name: str, axes: str) -> FloatArray:
        missing = np.full(len(stamps), np.nan)
        return np.column_stack([values.get(f"{name}_{axis}", (None, missing))[1] for axis in axes])

    normal = values["normal"]
    force = np.column_stack([vector("force", "xy"), normal[1]])
    invalid = ~np.isfinite(force[:, 2])
    if invalid.all():
        raise InvalidRecording(table.path, f"the normal force of {foot.name} holds no number")
    if invalid.any():
        notes += (f"{int(invalid.sum())} samples without a finite normal force are skipped",)
    moment = vector("moment", "xyz")
    if layout.processing.remove_zero:
        channels = np.column_stack([force, moment])
        channels[:, np.isnan(channels).all(axis=0)] = 0.0  # what isn't measured has no offset
        zero = find_zero((stamps - stamps[0]) * 1e-9, channels, force[:, 2])
        force, moment = force - zero.reading[:, :3], moment - zero.reading[:, 3:]
        notes += (f"{foot.name}: {zero.note}",)
    velocity, displacement, motion = _motion(layout.processing, stamps, force[:, 2], vector)
    return TimeSeries(
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
        provenance=(
            str(table.path),
            f"layout: {layout.name}",
            *notes,
            f"motion: {motion.source} {motion.note}".strip(),
        ),
    )


def _on_time(column: Column, value: FloatArray, stamps: NDArray[np.int64], keep: NDArray[np.bool_]) -> FloatArray:
    """A column on the series' stamps; one with its own rate is interpolated and NaN after its end."""
    if column.rate is None:
        return value[keep]
    own = value[np.isfinite(value)]
    time = (stamps - stamps[0]) * 1e-9
    if not len(own):
        return np.full(len(stamps), np.nan)
    return np.interp(time, np.arange(len(own)) / column.rate, own, right=np.nan)


def _motion(
    processing: Processing, stamps: NDArray[np.int64], normal: FloatArray, vector: object
) -> tuple[FloatArray, FloatArray, Motion]:
    """Velocity and displacement (n, 2) from the best that was recorded: velocity, position, acceleration."""
    assert callable(vector)
    time = (stamps - stamps[0]) * 1e-9
    position, velocity = vector("position", "xy"), vector("velocity", "xy")
    if np.isfinite(velocity).any():
        displacement = position if np.isfinite(position).any() else travelled(time, velocity)
        return velocity, displacement, Motion("measured", processing.velocity_noise)
    if np.isfinite(position).any():
        return (
            differenced(time, position, processing.velocity_window),
            position - position[0],
            Motion("differenced", processing.velocity_noise, f"over {processing.velocity_window:g} s"),
        )
    acceleration = vector("acceleration", "xy")
    if not np.isfinite(acceleration).any():
        return velocity, position, Motion(note="not recorded")
    level = contact_level(usual_load(normal), processing.contact_share, processing.force_noise)
    in_contact = standing_mask(len(normal), stances(normal, level))
    velocity, motion = integrated(time, acceleration, vector("angular_rate", "xyz"), in_contact)
    return velocity, travelled(time, velocity), motion

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as series of feet: the format is told by the file, the meaning by a layout or by the data."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.recordings.c3d import read_c3d
from biped_slip.recordings.gait import FILTERED_CONTACT, HUMAN_GAIT, Overrides, plate_series
from biped_slip.recordings.layout import Processing, read_layouts
from biped_slip.recordings.markers import NO_MARKERS
from biped_slip.recordings.series import TimeSeries
from biped_slip.recordings.storage import read_storage
from biped_slip.recordings.table_recording import read_table_recording
from biped_slip.recordings.tables import Progress

STORAGE_ENDINGS = (".mot", ".sto")
BAG_ENDINGS = (".mcap", ".db3")


@dataclasses.dataclass(frozen=True)
class Recording:
    """All feet of one file and how slips are judged in it."""

    path: str
    series: tuple[TimeSeries, ...]
    processing: Processing


def recording_format(path: str | Path) -> str:
    """``bag``, ``c3d``, ``storage`` or ``table``, from the ending, a C3D file also from its first bytes.

    Raises:
        InvalidRecording: there is no such file or folder.
    """
    place = Path(path)
    if not place.exists():
        raise InvalidRecording(path, "can't be read (no such file or folder)")
    if place.is_dir() or place.suffix.lower() in BAG_ENDINGS:
        return "bag"
    if place.suffix.lower() in STORAGE_ENDINGS:
        return "storage"
    with place.open("rb") as file:
        head = file.read(2)
    return "c3d" if place.suffix.lower() == ".c3d" or (head[1:] == b"\x50" and head[:1] < b"\x10") else "table"


def read_recording(
    path: str | Path, config: str | Path | None, overrides: Overrides, progress: Progress | None = None
) -> Recording:
    """Read a file of any format but bags, which are read as streams.

    Args:
        path: the file.
        config: YAML that names the columns of a table; not needed for C3D and OpenSim files.
        overrides: axes the user knows better.
        progress: told how many rows have been read.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    kind = recording_format(path)
    if kind == "c3d":
        plates, markers, notes = read_c3d(path)
        return Recording(str(path), tuple(plate_series(path, plates, markers, overrides, notes)), HUMAN_GAIT)
    if kind == "storage":
        plates, notes = read_storage(path, progress)
        series = plate_series(path, plates, NO_MARKERS, overrides, notes, FILTERED_CONTACT)
        return Recording(str(path), tuple(series), HUMAN_GAIT)
    if config is None:
        raise BipedSlipError(f"{path}: columns, units and signs of a table must be named with --config YAML")
    feet, processing = read_table_recording(path, read_layouts(config), progress)
    return Recording(str(path), tuple(feet), processing)

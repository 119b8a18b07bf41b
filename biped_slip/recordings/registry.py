# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Registry of recording formats, and readers to series of feet."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import NoReturn

from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.plugins import named, names
from biped_slip.recordings.c3d import read_c3d
from biped_slip.recordings.gait import (
    Overrides,
    Recording,
    RecordingFormat,
    ending,
    of_endings,
)
from biped_slip.recordings.judge.recording import marked
from biped_slip.recordings.layout import layout_file, read_layouts
from biped_slip.recordings.markers import NO_MARKERS
from biped_slip.recordings.opensim import read_storage
from biped_slip.recordings.plate_series import FILTERED_CONTACT, plates_recording
from biped_slip.recordings.series import Progress
from biped_slip.recordings.tables import read_table_recording

# A new format is its file and a line here, an entry point of the group
# ``biped_slip.recordings``, or ``FILE.py:NAME``.

GROUP = "biped_slip.recordings"
BAG = "bag"
TABLE = "table"
BAG_FILES = (".mcap", ".db3")
C3D_FILE = ".c3d"
LONGEST_HEAD = 64  # bytes by which a format is recognised
OTHER_FORMATS = {  # what is often brought, by its first bytes, and what to do about it
    b"#ROSBAG V": (
        "a bag of ROS 1",
        "`rosbags-convert --src OLD.bag --dst NEW` makes a rosbag2 of it",
    ),
    b"PK\x03\x04": (
        "a zip archive or an Excel workbook",
        "unpack it, or save the sheet as CSV",
    ),
    b"MATLAB 5.0": (
        "a MATLAB file of version 5",
        "save it with `-v7.3`, or its columns as CSV",
    ),
}


def _read_bag(
    path: Path,
    config: str | Path | None,
    overrides: Overrides,
    progress: Progress | None,
) -> NoReturn:
    raise InvalidRecording(
        path, "is a bag, which is never held as a whole", "replay_file walks through it"
    )


def _read_c3d(
    path: Path,
    config: str | Path | None,
    overrides: Overrides,
    progress: Progress | None,
) -> Recording:
    trial = read_c3d(path)
    found = plates_recording(path, trial.plates, trial.markers, overrides, trial.notes)
    return dataclasses.replace(found, events=trial.events, mass=trial.mass)


def _read_storage(
    path: Path,
    config: str | Path | None,
    overrides: Overrides,
    progress: Progress | None,
) -> Recording:
    plates, notes = read_storage(path, progress)
    return plates_recording(
        path, plates, NO_MARKERS, overrides, notes, FILTERED_CONTACT
    )


def _read_table(
    path: Path,
    config: str | Path | None,
    overrides: Overrides,
    progress: Progress | None,
) -> Recording:
    if config is None:
        raise BipedSlipError(
            f"{path}: columns, units and signs of a table need --config: a YAML file, "
            "or a shipped one's name"
        )
    feet, processing = read_table_recording(
        path, read_layouts(layout_file(config)), progress
    )
    return Recording(str(path), tuple(feet), processing)


def _read_hdf5(
    path: Path,
    config: str | Path | None,
    overrides: Overrides,
    progress: Progress | None,
) -> Recording:
    # it loads a library of its own
    from biped_slip.recordings.hdf5 import dataset_list, read_hdf5_recording

    if config is None:
        held = dataset_list(path)
        raise BipedSlipError(
            f"{path}: the datasets of a log in HDF5 need --config: a YAML file that "
            "names them, or a shipped one's name (icub_log, yarp_logger)"
            + (f"; it holds {held}" if held else "")
        )
    feet, processing = read_hdf5_recording(path, read_layouts(layout_file(config)))
    return Recording(str(path), tuple(feet), processing)


FORMATS: dict[str, RecordingFormat] = {
    BAG: RecordingFormat(
        fits=lambda path, head: path.is_dir() or ending(*BAG_FILES)(path, head),
        read=_read_bag,
        endings=BAG_FILES,
    ),
    "storage": of_endings(_read_storage, ".mot", ".sto"),
    "c3d": RecordingFormat(
        fits=lambda path, head: (
            ending(C3D_FILE)(path, head)
            or (head[1:2] == b"\x50" and head[:1] < b"\x10")
        ),
        read=_read_c3d,
        endings=(C3D_FILE,),
    ),
    "hdf5": RecordingFormat(
        lambda path, head: head.startswith((b"\x89HDF", b"MATLAB 7.3")), _read_hdf5
    ),
    # whatever no other format fits
    TABLE: RecordingFormat(lambda path, head: False, _read_table),
}


def format_names() -> list[str]:
    """List the names of all formats, those of installed packages included."""
    return names(GROUP, FORMATS)


def recording_endings() -> tuple[str, ...]:
    """List the endings of all formats, those of installed packages included."""
    return tuple(one for name in format_names() for one in make_format(name).endings)


def make_format(name: str) -> RecordingFormat:
    """Look up the format of a name.

    Raises:
        UnknownName: no such format.
        InvalidParameter: what the name points to is no format.
    """
    found = named("recording format", GROUP, FORMATS, name)
    if not isinstance(found, RecordingFormat):
        raise InvalidParameter("recording format", name, "a RecordingFormat")
    return found


def recording_format(path: str | Path) -> str:
    """Find the format that fits a file, by its ending or its first bytes.

    It is a table where no other fits.

    Raises:
        InvalidRecording: there is no such file or folder, or it is of a kind that must
            be converted first.
    """
    place = Path(path)
    if not place.exists():
        raise InvalidRecording(path, "can't be read (no such file or folder)")
    if not (place.is_file() or place.is_dir()):
        raise InvalidRecording(
            path, "can't be read (it is a pipe or a device and no regular file)"
        )
    with place.open("rb") if place.is_file() else io.BytesIO() as file:
        head = file.read(LONGEST_HEAD)
    for begin, (what, remedy) in OTHER_FORMATS.items():
        if head.startswith(begin):
            raise InvalidRecording(path, f"is {what}", remedy)
    return next(
        (name for name in format_names() if make_format(name).fits(place, head)), TABLE
    )


def read_recording(
    path: str | Path,
    config: str | Path | None = None,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    kind: str = "",
) -> Recording:
    """Read a file of any format but bags, which are replayed as streams.

    Args:
        path: the file.
        config: YAML that names the columns of a table; not needed for C3D and OpenSim
            files.
        overrides: axes the user knows better.
        progress: called with the number of rows read.
        kind: name of the format, where the file does not show it.

    Returns:
        One ``TimeSeries`` a foot or plate, and how slips are judged.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    chosen = make_format(kind or recording_format(path))
    found = chosen.read(Path(path), config, overrides or Overrides(), progress)
    return marked(found)

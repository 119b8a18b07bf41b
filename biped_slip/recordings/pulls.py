# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pull-to-slip recordings: tables of a sole that is pulled until it slides."""

from __future__ import annotations

from pathlib import Path

from biped_slip.bounded_files import text_lines
from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.sole_calibration import Pull
from biped_slip.recordings.tables import read_columns, table_start

#: [s], [N], [N], [m].
COLUMNS = ("time", "force_tangential", "force_normal", "displacement")


def read_pull(path: str | Path) -> Pull:
    """Read one pull; tangential force and displacement are positive along the pull.

    Raises:
        InvalidRecording: a column is missing, or a cell isn't a number.
    """
    start, lines = table_start(path, text_lines(path))
    header = start.header or ()
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise InvalidRecording(
            path,
            f"no column {', '.join(missing)}",
            f"name the columns {', '.join(COLUMNS)}",
        )
    places = [header.index(name) for name in COLUMNS]
    time, force, normal, displacement = read_columns(path, start, lines, places).T
    return Pull(
        name=str(path),
        time=time,
        force=force,
        normal=normal,
        displacement=displacement,
    )

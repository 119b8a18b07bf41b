# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as series of feet: the format is told by the file, the meaning by a layout or by the data."""

from __future__ import annotations

from pathlib import Path

from biped_slip.recordings.formats import Recording
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.registry import make_format, recording_format
from biped_slip.recordings.tables import Progress


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
        config: YAML that names the columns of a table; not needed for C3D and OpenSim files.
        overrides: axes the user knows better.
        progress: told how many rows have been read.
        kind: name of the format, where the file does not tell it.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    chosen = make_format(kind or recording_format(path))
    return chosen.read(Path(path), config, overrides or Overrides(), progress)

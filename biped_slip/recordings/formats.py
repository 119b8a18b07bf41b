# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The family of recording formats: how files of one kind are recognised, and how they become series of feet."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Callable, NamedTuple

from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.gait_events import GaitEvent
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.markers import NO_MARKERS, Markers
from biped_slip.recordings.series import TimeSeries
from biped_slip.recordings.tables import Progress


@dataclasses.dataclass(frozen=True)
class Recording:
    """All feet of one file and how slips are judged in it."""

    path: str
    series: tuple[TimeSeries, ...]
    processing: Processing
    markers: Markers = NO_MARKERS  # x forward, y left, z up
    events: tuple[GaitEvent, ...] = ()  # touchdowns and lift-offs that the file itself names
    mass: float = math.nan  # of the subject as the file has it [kg]


Reader = Callable[[Path, "str | Path | None", Overrides, "Progress | None"], Recording]
"""(file, YAML beside it, axes the user knows better, told how many rows have been read) -> recording."""


class RecordingFormat(NamedTuple):
    """One kind of file."""

    fits: Callable[[Path, bytes], bool]  # (file or folder, its first bytes) -> whether it is of this kind
    read: Reader


def ending(*endings: str) -> Callable[[Path, bytes], bool]:
    """Files that end so, in small or capital letters."""
    return lambda path, head: path.suffix.lower() in endings

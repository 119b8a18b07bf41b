# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recording: the feet of one file, with all that the file tells about them.

A format is a function that reads a file to a recording, and one that recognises it.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Callable, NamedTuple

from biped_slip.friction_estimation.settings import PlateauConfig, SlidingConfig
from biped_slip.recordings.gait_events import GaitEvent
from biped_slip.recordings.judge.stances import ContactLevels
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.markers import NO_MARKERS, Markers
from biped_slip.recordings.series import Progress, TimeSeries

# A person's foot rolls for about a tenth of a second after touchdown and again before
# lift-off, its markers sit on skin, and forces low-passed at 6 to 15 Hz have flat spots
# of up to 50 ms.
HUMAN_GAIT = Processing(
    settle_time=0.1,
    slip_load_share=0.2,
    motion=SlidingConfig(speed_threshold=0.15, minimum_travel=5e-3),
    force=PlateauConfig(minimum_time=0.08),
)


@dataclasses.dataclass(frozen=True)
class Overrides:
    """User's settings in place of detection; an empty text leaves it to the data.

    Attributes:
        vertical: axis of the laboratory that points up, +x to -z.
        forward: axis in which people walk, +x to -z.
        keep_offsets: leave the zero of each plate as it is.
    """

    vertical: str = ""
    forward: str = ""
    keep_offsets: bool = False


@dataclasses.dataclass(frozen=True)
class Recording:
    """Recording of one file: its feet or plates, and the rules for slips.

    A table's series are its feet. A force plate's is the plate, on which one foot after
    another may stand: its ``standings`` name them.

    Attributes:
        path: of the file.
        series: one a foot, or one a plate.
        processing: noise of the sensors and rules for slips.
        markers: positions in the laboratory, x forward, y left, z up; empty: the file
            has none.
        events: touchdowns and lift-offs that the file itself names.
        mass: of the subject as the file has it [kg].
        levels: of contact, one a series, where they are known beforehand; empty: they
            follow from each series.
    """

    path: str
    series: tuple[TimeSeries, ...]
    processing: Processing
    markers: Markers = NO_MARKERS
    events: tuple[GaitEvent, ...] = ()
    mass: float = math.nan
    levels: tuple[ContactLevels, ...] = ()


Reader = Callable[[Path, "str | Path | None", Overrides, "Progress | None"], Recording]
"""(file, YAML beside it, axes set by the user, progress) -> recording."""


class RecordingFormat(NamedTuple):
    """One kind of file: how it is recognised and read.

    Attributes:
        fits: (file or folder, its first 64 bytes) -> whether it is of this kind. The
            formats are asked in the order of the registry, installed ones last.
        read: (file, YAML beside it or None, axes set by the user, progress) ->
            recording. ``progress`` is called with the number of rows read, or None.
        endings: of its files, in small letters with their dot: what a folder without a
            table of trials is searched for.
    """

    fits: Callable[[Path, bytes], bool]
    read: Reader
    endings: tuple[str, ...] = ()


def ending(*endings: str) -> Callable[[Path, bytes], bool]:
    """Accept files with one of these endings, in small or capital letters."""
    return lambda path, head: path.suffix.lower() in endings


def of_endings(reader: Reader, *endings: str) -> RecordingFormat:
    """Make the format of files that are recognised by their ending alone."""
    return RecordingFormat(fits=ending(*endings), read=reader, endings=endings)

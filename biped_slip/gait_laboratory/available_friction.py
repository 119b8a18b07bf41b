# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Available coefficient of friction (ACOF): readings of a named instrument on a floor, from a small CSV.

::

    instrument,floor,shoe,condition,acof
    BOT-3000E,steel,trainer,wet,0.31

Instruments do not agree on one floor, so a reading without the name of its instrument is refused, and readings of
different instruments are never pooled. ``condition`` is the floor's (wet, soiled) and may be missing; where ``shoe`` is
missing or empty the reading holds for all.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.bounded_text import LONGEST, check_regular
from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.recordings.series import FloatArray

NEEDED = ("instrument", "floor", "acof")
LARGEST = 5.0  # [-]; no shoe holds better
OURS = "slides of the foot"  # instrument of readings that are the force ratio of feet while they slid


class Reading(NamedTuple):
    """One reading."""

    instrument: str
    floor: str
    shoe: str  # empty: any
    condition: str  # of the floor
    acof: float

    @property
    def surface(self) -> str:
        """Floor and its condition in one text."""
        return " ".join(part for part in (self.floor, self.condition) if part)


def read_readings(path: str | Path) -> tuple[Reading, ...]:
    """All readings of a CSV.

    Raises:
        InvalidRecording: a column is missing, an instrument isn't named, a reading isn't a positive number.
    """
    try:
        check_regular(path, LONGEST)
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            missing = [name for name in NEEDED if name not in (rows.fieldnames or ())]
            if missing:
                raise InvalidRecording(path, f"no column {', '.join(missing)}", f"name the columns {', '.join(NEEDED)}")
            return tuple(_reading(path, number, row) for number, row in enumerate(rows, start=2))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error


def _reading(path: str | Path, line: int, row: dict[str, str | None]) -> Reading:
    text = {name: (row.get(name) or "").strip() for name in (*NEEDED, "shoe", "condition")}
    if not text["instrument"]:
        raise InvalidRecording(path, f"line {line} names no instrument", "instruments don't agree, so say which it was")
    try:
        acof = float(text["acof"])
    except ValueError:
        acof = math.nan
    if not 0.0 < acof < LARGEST:
        raise InvalidRecording(
            path, f"line {line}: acof is {text['acof']!r}", f"a number above 0 and below {LARGEST:g}"
        )
    return Reading(text["instrument"], text["floor"], text["shoe"], text["condition"], acof)


def instruments(readings: Sequence[Reading]) -> list[str]:
    """Names in the order of first appearance."""
    return list(dict.fromkeys(reading.instrument for reading in readings))


def surfaces(readings: Sequence[Reading], instrument: str) -> list[str]:
    """Floors in their conditions that an instrument has read, in the order of first appearance."""
    return list(dict.fromkeys(one.surface for one in readings if one.instrument == instrument))


def readings_for(readings: Sequence[Reading], instrument: str, surface: str, shoe: str) -> FloatArray:
    """Readings of one instrument on one surface that hold for a shoe, shape (m,)."""
    return np.array(
        [
            one.acof
            for one in readings
            if one.instrument == instrument and one.surface == surface and one.shoe in ("", shoe)
        ]
    )

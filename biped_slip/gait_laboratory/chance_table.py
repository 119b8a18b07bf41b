# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The chance of a slip for every floor and person, per foot, from a table of steps and an instrument's readings."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.available_friction import Reading, instruments, readings_for, surfaces
from biped_slip.gait_laboratory.condition_statistics import BOTH
from biped_slip.gait_laboratory.distributions import fits
from biped_slip.gait_laboratory.slip_chance import DEFAULT, chance_of_slip
from biped_slip.gait_laboratory.step import Step
from biped_slip.recordings.series import FloatArray

EVERYBODY = "everybody"


class Walked(NamedTuple):
    """Whose steps, with which foot, in what; the floor is that of the readings."""

    person: str
    foot: str
    shoe: str
    condition: str
    subject: str


class ChanceRow(NamedTuple):
    """One cell of floors times people."""

    instrument: str
    surface: str  # floor and its condition, as read
    shoe: str
    condition: str  # of the walk
    subject: str
    person: str
    foot: str
    steps: int
    readings: int
    required_mean: float
    available_mean: float
    chance: float
    low: float  # of the 95 % interval
    high: float
    method: str
    steps_normal: str  # yes, no, or empty where too few to test
    readings_normal: str


def chance_rows(
    steps: Iterable[Step], readings: Sequence[Reading], quantity: str = "required", method: str = DEFAULT
) -> list[ChanceRow]:
    """Chances of every instrument, surface, shoe, condition, person and foot that has steps and readings.

    A surface's readings are set against the steps wherever those were walked: what a person asks for where nothing
    slips. Steps that slipped are left out, since a sliding foot shows what the floor has, not what the person asks for.

    Raises:
        BipedSlipError: no step goes with any reading.
    """
    asked: dict[Walked, list[float]] = {}
    for step in steps:
        value = getattr(step, quantity)
        if step.excluded or not math.isfinite(value) or step.slips:
            continue
        for person in dict.fromkeys((step.person or EVERYBODY, EVERYBODY)):
            for foot in (step.foot, BOTH):
                asked.setdefault(Walked(person, foot, step.shoe, step.condition, step.subject), []).append(value)
    rows = []
    for instrument in instruments(readings):
        for surface in surfaces(readings, instrument):
            for walked, values in asked.items():
                have = readings_for(readings, instrument, surface, walked.shoe)
                if len(values) >= 2 and len(have):
                    rows.append(_row(instrument, surface, walked, np.array(values), have, method))
    if not rows:
        raise BipedSlipError("no step goes with any reading: compare the column shoe of both tables")
    return rows


def _row(
    instrument: str, surface: str, walked: Walked, required: FloatArray, available: FloatArray, method: str
) -> ChanceRow:
    found = chance_of_slip(required, available, method)
    return ChanceRow(
        instrument,
        surface,
        walked.shoe,
        walked.condition,
        walked.subject,
        walked.person,
        walked.foot,
        found.steps,
        found.readings,
        float(required.mean()),
        float(available.mean()),
        found.estimate,
        found.low,
        found.high,
        found.method,
        _normal(required),
        _normal(available),
    )


def _normal(values: FloatArray) -> str:
    try:
        found = next(one for one in fits(values) if one.family == "normal")
    except BipedSlipError:
        return ""
    return "" if math.isnan(found.p) else "no" if found.refused else "yes"


def write_chances(path: Path, rows: Sequence[ChanceRow]) -> None:
    """One line per cell."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(ChanceRow._fields)
        writer.writerows(rows)


class AtLeast(NamedTuple):
    """What steps without a slip say of their floor: it held at least this; and what slides measured."""

    floor: str
    shoe: str
    condition: str
    steps: int
    held: float  # largest force ratio of a step that didn't slip
    slides: int
    friction: float  # median force ratio of the slides; NaN without any


def at_least(steps: Iterable[Step]) -> list[AtLeast]:
    """Per floor, shoe and condition; only steps whose motion is known count as not having slipped."""
    held: dict[tuple[str, str, str], list[float]] = {}
    slid: dict[tuple[str, str, str], list[float]] = {}
    for step in steps:
        if step.excluded or not step.slip_class:
            continue
        key = step.floor, step.shoe, step.condition
        value = step.slip_friction if step.slips else step.rcof_10_90
        if math.isfinite(value):
            (slid if step.slips else held).setdefault(key, []).append(value)
    return [
        AtLeast(
            *key,
            len(held.get(key, [])) + len(slid.get(key, [])),
            max(held.get(key, [math.nan])),
            len(slid.get(key, [])),
            float(np.median(slid[key])) if key in slid else math.nan,
        )
        for key in dict.fromkeys([*held, *slid])
    ]

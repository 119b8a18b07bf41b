# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a recording in the order of time, with what only the recording as a whole can tell of them."""

from __future__ import annotations

import dataclasses
import math
import re
from itertools import pairwise
from typing import Sequence

import numpy as np

from biped_slip.gait_laboratory.foot_placement import off_the_plate
from biped_slip.gait_laboratory.required_friction import on_slope
from biped_slip.gait_laboratory.subject import GRAVITY, TrialInfo
from biped_slip.recordings.contacts import contact_level, stances, usual_load
from biped_slip.recordings.formats import Recording
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, Standing, TimeSeries
from biped_slip.recordings.stance_summary import EDGE_TIME, body_weight
from biped_slip.recordings.units import G0

# Names of markers on pelvis and chest in the marker sets in use.
TRUNK = re.compile(r"^(?:.*:)?(?:[LR]ASI|[LR]PSI|[LR]ASIS|[LR]PSIS|V?SAC[RL]?|C7|T10|CLAV|STRN)$", re.I)
LONGEST_STRIDE = 3.0  # [s] from a touchdown to the next of the same foot; more, and steps lie between
LONGEST_STEP = 2.0  # [m] between neighbouring footfalls
LEAST_TIME = 0.2  # [s] over which a speed is told


@dataclasses.dataclass(frozen=True)
class RecordedStance:
    """One stance of one foot on one sensor."""

    series: TimeSeries
    standing: Standing
    time: FloatArray  # shape (n,), the recording's own [s]
    force: FloatArray  # of the ground on the foot in the floor's axes, shape (n, 3) [N]
    begins: bool  # the touchdown is in the recording
    ends: bool  # the lift-off is
    duty: float = math.nan  # share of the stride on the ground
    off: str = ""  # why it isn't wholly on its plate

    @property
    def foot(self) -> str:
        """left, right, both or unknown."""
        return next((side for side in ("left", "right") if side in self.standing.foot), self.standing.foot)

    @property
    def sensor(self) -> str:
        """The plate or foot sensor."""
        return self.series.name

    @property
    def duration(self) -> float:
        """Of the stance [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def peak(self) -> float:
        """Largest normal force [N]."""
        return float(np.max(self.force[:, 2]))

    @property
    def pressure(self) -> FloatArray:
        """Centre of pressure, shape (n, 2) [m]; NaN where no plate tells it."""
        window = slice(*self.standing.stance)
        return self.series.pressure[window] if len(self.series.pressure) else np.full((len(self.time), 2), np.nan)


def recorded_stances(recording: Recording, info: TrialInfo) -> list[RecordedStance]:
    """All stances in the order of touchdowns."""
    found = [
        _stance(series, standing, info)
        for series in recording.series
        for standing in _standings(series, recording.processing)
    ]
    found.sort(key=lambda stance: float(stance.time[0]))
    return [dataclasses.replace(one, duty=_duty(one, found), off=_off(one, recording)) for one in found]


def _off(one: RecordedStance, recording: Recording) -> str:
    outline = one.series.outline
    return off_the_plate(one.time, one.pressure, one.force[:, 2], outline, recording.markers, one.foot)


def _standings(series: TimeSeries, processing: Processing) -> tuple[Standing, ...]:
    if series.standings is not None:
        return series.standings
    level = contact_level(usual_load(series.force[:, 2]), processing.contact_share, series.force_noise)
    return tuple(Standing(stance, series.name) for stance in stances(series.force[:, 2], level))


def _stance(series: TimeSeries, standing: Standing, info: TrialInfo) -> RecordedStance:
    first, last = standing.stance
    stamps = series.stamp_ns
    force = series.force[first:last]
    if info.slope and info.axes == GRAVITY:
        force = on_slope(force, info.slope)
    begins = (stamps[first] - stamps[0]) * 1e-9 > EDGE_TIME
    ends = (stamps[-1] - stamps[last - 1]) * 1e-9 > EDGE_TIME
    time = np.asarray(stamps[first:last] * 1e-9, dtype=float)
    return RecordedStance(series, standing, time, force, bool(begins), bool(ends))


def _duty(one: RecordedStance, found: Sequence[RecordedStance]) -> float:
    later = [float(other.time[0]) for other in found if other.foot == one.foot and other.time[0] > one.time[-1]]
    stride = min(later, default=math.inf) - float(one.time[0])
    return one.duration / stride if one.begins and stride <= LONGEST_STRIDE else math.nan


def weight_of(recording: Recording, found: Sequence[RecordedStance], info: TrialInfo) -> tuple[float, str]:
    """Body weight and how it was found: from the forces, else the study's table, else the file; NaN without any [N]."""
    feet = [
        (series, [one.standing.stance for one in found if one.series is series])
        for series in recording.series
        if series.normal_unit == "N"
    ]
    weight, words = body_weight(feet) if feet else (math.nan, "the sensors have no unit of force")
    if any(one.off or one.series.clipped for one in found):
        weight, words = math.nan, "a foot is partly off its plate, or a channel clips"
    if math.isfinite(weight):
        return weight, words
    for mass, source in ((info.mass, "mass in the study's table"), (recording.mass, "mass in the file")):
        if math.isfinite(mass):
            return mass * G0, source
    return math.nan, words


def walking_speed(recording: Recording, found: Sequence[RecordedStance]) -> float:
    """Speed over the laboratory's floor from markers on the trunk, else from where and when the feet stood [m/s]."""
    markers = recording.markers
    if not found:
        return math.nan
    begin, end = float(found[0].time[0]), float(found[-1].time[-1])
    frames = (markers.time >= begin) & (markers.time <= end) if len(markers.names) else np.zeros(0, dtype=bool)
    trunk = [k for k, name in enumerate(markers.names) if TRUNK.match(name.strip())]
    if trunk and frames.sum() > 2 and end - begin >= LEAST_TIME:
        way = markers.position[frames][:, trunk, 0]
        seen = np.isfinite(way[0]) & np.isfinite(way[-1])
        if seen.any():
            return abs(float(np.median(way[-1, seen] - way[0, seen]))) / (float(frames.sum() - 1) / markers.rate)
    pairs = [_between(one, two) for one, two in pairwise(found) if one.foot != two.foot]
    known = [speed for speed in pairs if math.isfinite(speed)]
    return float(np.median(known)) if known else math.nan


def _between(one: RecordedStance, two: RecordedStance) -> float:
    places = []
    for stance in (one, two):
        known = stance.pressure[np.isfinite(stance.pressure).all(axis=1)]
        if not len(known) or len(stance.series.outline) != 4:
            return math.nan
        places.append(np.median(known, axis=0))
    way = float(np.linalg.norm(places[1] - places[0]))
    return way / float(two.time.mean() - one.time.mean()) if way <= LONGEST_STEP else math.nan

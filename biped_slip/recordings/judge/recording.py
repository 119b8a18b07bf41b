# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The judge: stances in the order of time, each whole, cut off or spoiled.

What only the recording as a whole can tell is told here: the plate under a foot and
the markers on it, a foot on two plates, the weight under all feet together.
"""

from __future__ import annotations

import dataclasses
from typing import Sequence

import numpy as np

from biped_slip.constants import FEET
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.force_ratio import on_slope, too_slow
from biped_slip.recordings.judge.spoiled import (
    Footing,
    clipped_channel,
    off_the_plate,
    on_two_plates,
)
from biped_slip.recordings.judge.stances import (
    ContactLevels,
    contact_levels,
    recorded_ends,
    stance_notes,
    standings_of,
    usual_load,
)
from biped_slip.recordings.judge.verdict import NO_PLACE, Borne
from biped_slip.recordings.judge.weight import BodyWeight, body_weight
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.plausibility import unit_doubts
from biped_slip.recordings.series import FloatArray, Standing, TimeSeries

NO_WEIGHT = "a foot is partly off its plate, or a channel clips"


@dataclasses.dataclass(frozen=True)
class JudgedStance:
    """One stance of one foot on one sensor."""

    series: TimeSeries
    standing: Standing  # with the reason where it is spoiled
    time: FloatArray  # shape (n,), the recording's own [s]
    force: FloatArray  # of the ground on the foot in the floor's axes, shape (n, 3) [N]
    begins: bool  # the touchdown is in the recording
    ends: bool  # the lift-off is
    off_plate: str = ""  # why it isn't wholly on its plate

    @property
    def foot(self) -> str:
        """Return the foot: left, right, both, unknown, or the sensor's own name."""
        named = self.standing.foot
        return next((side for side in FEET if side in named), named)

    @property
    def sensor(self) -> str:
        """Return the plate or foot sensor."""
        return self.series.name

    @property
    def refusal(self) -> str:
        """Return why nothing but its peak forces is stated; empty where it is sound."""
        return self.standing.refusal

    @property
    def cut_off(self) -> bool:
        """Return whether the recording cuts it off."""
        return not (self.begins and self.ends)

    @property
    def duration(self) -> float:
        """Return the duration of the stance [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def peak(self) -> float:
        """Return the largest normal force [N]."""
        return float(np.max(self.force[:, 2]))

    @property
    def pressure(self) -> FloatArray:
        """Return the centre of pressure, shape (n, 2) [m].

        It is NaN where no plate measures it.
        """
        window = slice(*self.standing.stance)
        return (
            self.series.pressure[window]
            if len(self.series.pressure)
            else np.full((len(self.time), 2), np.nan)
        )

    @property
    def footing(self) -> Footing:
        """Return which foot stands where, and when."""
        return Footing(
            foot=self.foot,
            sensor=self.sensor,
            begin=float(self.time[0]),
            end=float(self.time[-1]),
        )

    def borne(self, processing: Processing) -> Borne:
        """Collect what the foot bore, for the verdict on its slides."""
        motion = self.series.motion
        window = slice(*self.standing.stance)
        return Borne(
            time=self.time,
            force=self.force,
            load=usual_load(self.series.force[:, 2]),
            noise=self.series.force_noise,
            settle=processing.settle_time,
            cut_off=self.cut_off,
            blurred=0.5 * motion.window,
            shortest_slide=motion.shortest_slide,
            place=self.series.displacement[window] if motion.place_noise else NO_PLACE,
        )


@dataclasses.dataclass(frozen=True)
class Judgement:
    """Stances of a recording in the order of touchdowns, and the subject's weight."""

    stances: tuple[JudgedStance, ...]
    weight: BodyWeight
    notes: tuple[str, ...] = ()  # what the sensors lost, or read in the air

    def of(self, series: TimeSeries) -> tuple[JudgedStance, ...]:
        """Return the stances on one sensor."""
        return tuple(one for one in self.stances if one.series is series)


def judge(
    recording: Recording,
    slope: float = 0.0,
    masses: Sequence[tuple[float, str]] = (),
) -> Judgement:
    """Judge all stances of a recording.

    Args:
        recording: of one file, or one stretch of a bag.
        slope: of the floor along the walk, positive uphill [rad]; 0 where the recorded
            forces are along and normal to the floor already.
        masses: of the subject [kg] as others wrote it down, each with where; the one in
            the file comes after these.

    Returns:
        Every stance with the reason why it is spoiled, and the weight.
    """
    levels = recording.levels or [
        contact_levels(one, recording.processing) for one in recording.series
    ]
    found = [
        _stance(series, standing, level, slope, recording.markers)
        for series, level in zip(recording.series, levels, strict=True)
        for standing in standings_of(series, level)
    ]
    found.sort(key=lambda stance: float(stance.time[0]))
    plates = [one.footing for one in found if one.series.standings is not None]
    stances = tuple(_with_refusal(one, plates) for one in found)
    written = [*masses, (recording.mass, "the mass in the file")]
    notes = [
        note
        for series, level in zip(recording.series, levels, strict=True)
        for note in [
            *unit_doubts(series),
            *stance_notes(
                series,
                level,
                [one.standing for one in stances if one.series is series],
            ),
        ]
    ]
    return Judgement(stances, weigh(recording.series, stances, written), tuple(notes))


def marked(recording: Recording) -> Recording:
    """Mark the stances that a reader found on plates with why they are spoiled.

    So a single series of the recording is judged as it is among the others.
    """
    if all(series.standings is None for series in recording.series):
        return recording
    judgement = judge(recording)
    series = tuple(
        one
        if one.standings is None
        else dataclasses.replace(
            one, standings=tuple(stance.standing for stance in judgement.of(one))
        )
        for one in recording.series
    )
    return dataclasses.replace(recording, series=series)


def weigh(
    series: Sequence[TimeSeries],
    stances: Sequence[JudgedStance],
    masses: Sequence[tuple[float, str]],
) -> BodyWeight:
    """Weigh the subject of some stances.

    Args:
        series: all sensors together; those without a unit of force do not count.
        stances: on them.
        masses: what is written down [kg] and where; NaN is left out.
    """
    feet = [
        (sensor, [one.standing.stance for one in stances if one.series is sensor])
        for sensor in series
        if sensor.normal_unit == "N"
    ]
    incomplete = any(one.off_plate or one.series.clipped for one in stances)
    return body_weight(feet, masses, NO_WEIGHT if incomplete else "")


def _stance(
    series: TimeSeries,
    standing: Standing,
    levels: ContactLevels,
    slope: float,
    markers: Markers,
) -> JudgedStance:
    first, last = standing.stance
    force = series.force[first:last]
    recorded = recorded_ends(series, standing.stance, levels.ends)
    stance = JudgedStance(
        series=series,
        standing=standing,
        time=np.asarray(series.stamp_ns[first:last] * 1e-9, dtype=np.float64),
        force=on_slope(force, slope) if slope else force,
        begins=recorded.touchdown,
        ends=recorded.lift_off,
    )
    off_plate = off_the_plate(
        stance.time,
        stance.pressure,
        stance.force[:, 2],
        series.outline,
        markers,
        stance.foot,
    )
    return dataclasses.replace(stance, off_plate=off_plate)


def _with_refusal(stance: JudgedStance, plates: Sequence[Footing]) -> JudgedStance:
    """Add the first reason that spoils a stance."""
    on_plate = stance.series.standings is not None
    sheared = bool(np.isfinite(stance.series.force[:, :2]).any())
    refusal = (
        stance.refusal
        or clipped_channel(stance.sensor, stance.series.clipped)
        or (too_slow(stance.series) if sheared else "")
        or (on_two_plates(stance.footing, plates) if on_plate else "")
        or stance.off_plate
    )
    return dataclasses.replace(
        stance, standing=stance.standing._replace(refusal=refusal)
    )

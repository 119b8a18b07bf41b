# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a recording.

Each has its placement on the plate, activity, motion of the foot, and reasons for
exclusion.
"""

from __future__ import annotations

import dataclasses
import math
import re
from itertools import pairwise
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.gait_laboratory.required_friction import on_slope
from biped_slip.gait_laboratory.slips import (
    HEEL,
    TOE,
    SoleMotion,
    foot_marker,
    sole_motion,
)
from biped_slip.gait_laboratory.step import GRAVITY, TrialInfo
from biped_slip.recordings.contacts import (
    EDGE_TIME,
    body_weight,
    contact_level,
    stances,
    too_slow,
    usual_load,
)
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.series import FloatArray, Standing, TimeSeries, travelled

WALKING = "walking"
RUNNING = "running"
STANDING = "standing"
# [s] of a walking step; the slowest gait at hand (Parkinson's) stands for 2.3 s
LONGEST_STANCE = 4.0
# share of a stride on the ground below which there is flight: running, by definition
RUNNING_DUTY = 0.5
RUNNING_STANCE = 0.45  # [s]; running contacts are shorter
CERTAIN_RUNNING_STANCE = 0.35  # [s]; walking contacts are longer
RUNNING_LOAD = 1.6  # of body weight; walking stays below


def activity(
    duration: float, begins: bool, ends: bool, duty: float, load: float
) -> str:
    """Classify a recording: walking, running or standing.

    Args:
        duration: of the stance [s].
        begins: the touchdown is in the recording.
        ends: the lift-off is in the recording.
        duty: share of the stride on the ground; NaN where no stride is known.
        load: largest normal force over body weight; NaN where that isn't known.
    """
    if not (begins or ends) or duration > LONGEST_STANCE:
        return STANDING
    if not (begins and ends):
        return WALKING
    flies = not math.isnan(duty) and duty < RUNNING_DUTY
    presses = not math.isnan(load) and load > RUNNING_LOAD
    if duration < CERTAIN_RUNNING_STANCE or (
        duration < RUNNING_STANCE and (flies or presses)
    ):
        return RUNNING
    return WALKING


# A plate measures all of a foot's force only where the foot stands on it as a whole.

MARKER_MARGIN = (
    0.02  # [m] that a heel marker may stick out behind a heel that is on the plate
)
PRESSURE_MARGIN = (
    0.01  # [m] from the edge; a centre of pressure nearer than this is at the edge
)
EDGE_SHARE = 0.1  # of the loaded samples at the edge that spoil a stance
LOADED_SHARE = 0.25  # of the largest load
FLAT = (0.3, 0.5)  # shares of the stance in which both ends of the foot are down


def off_the_plate(
    time: FloatArray,
    pressure: FloatArray,
    normal: FloatArray,
    outline: FloatArray,
    markers: Markers,
    foot: str,
) -> str:
    """Explain why a stance is not wholly on its plate; empty if it is.

    Args:
        time: of the stance, shape (n,) [s].
        pressure: centre of pressure, shape (n, 2) [m].
        normal: shape (n,) [N].
        outline: corners of the plate, shape (4, 3) [m]; (0, 3) where there is no plate.
        markers: may be empty; same axes.
        foot: left, right or unknown.
    """
    if len(outline) != 4:
        return ""
    begin, end = (time[0] + share * (time[-1] - time[0]) for share in FLAT)
    frames = (markers.time >= begin) & (markers.time <= end)
    for name, names in (("heel", HEEL), ("toe", TOE)):
        place = (
            foot_marker(markers, foot, names)
            if foot != "unknown" and len(markers.names)
            else None
        )
        if place is None or not np.isfinite(place[frames]).any():
            continue
        depth = inside_by(
            outline[:, :2], np.nanmedian(place[frames, :2], axis=0)[None, :]
        )[0]
        if depth < -MARKER_MARGIN:
            return (
                f"the foot is partly off the plate: its {name} marker is "
                f"{-100 * depth:.0f} cm beyond the edge"
            )
    loaded = np.isfinite(pressure).all(axis=1) & (
        normal > LOADED_SHARE * np.max(normal)
    )
    near = inside_by(outline[:, :2], pressure[loaded]) < PRESSURE_MARGIN
    if len(near) and near.mean() > EDGE_SHARE:
        return (
            "the foot is partly off the plate: it presses on the edge for "
            f"{100 * near.mean():.0f} % of its load"
        )
    return ""


def inside_by(corners: FloatArray, points: FloatArray) -> FloatArray:
    """Compute how far points (m, 2) lie inside a convex outline (4, 2).

    The distance has shape (m,) [m] and is negative outside.
    """
    following = np.roll(corners, -1, axis=0)
    along = following - corners
    centre = corners.mean(axis=0)
    across = (
        np.column_stack([-along[:, 1], along[:, 0]])
        / np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    )
    across *= np.sign(np.einsum("ij,ij->i", across, centre - corners))[:, None]
    return np.min(
        np.einsum("mkj,kj->mk", points[:, None, :] - corners[None], across), axis=1
    )


# Stances in the order of time, with what only the recording as a whole can tell of
# them.

# Markers on pelvis and chest in the marker sets in use.
TRUNK = re.compile(
    r"^(?:.*:)?(?:[LR]ASI|[LR]PSI|[LR]ASIS|[LR]PSIS|V?SAC[RL]?|C7|T10|CLAV|STRN)$", re.I
)
# [s] from a touchdown to the next of the same foot; more, and steps lie between
LONGEST_STRIDE = 3.0
LONGEST_STEP = 2.0  # [m] between neighbouring footfalls
LEAST_TIME = 0.2  # [s] over which a speed is measured


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
        """Return the foot: left, right, both or unknown."""
        return next(
            (side for side in ("left", "right") if side in self.standing.foot),
            self.standing.foot,
        )

    @property
    def sensor(self) -> str:
        """Return the plate or foot sensor."""
        return self.series.name

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


def recorded_stances(recording: Recording, info: TrialInfo) -> list[RecordedStance]:
    """List all stances in the order of touchdowns."""
    found = [
        _stance(series, standing, info)
        for series in recording.series
        for standing in _standings(series, recording.processing)
    ]
    found.sort(key=lambda stance: float(stance.time[0]))
    off = [
        off_the_plate(
            one.time,
            one.pressure,
            one.force[:, 2],
            one.series.outline,
            recording.markers,
            one.foot,
        )
        for one in found
    ]
    return [
        dataclasses.replace(one, duty=_duty(one, found), off=why)
        for one, why in zip(found, off, strict=True)
    ]


def _standings(series: TimeSeries, processing: Processing) -> tuple[Standing, ...]:
    if series.standings is not None:
        return series.standings
    level = contact_level(
        usual_load(series.force[:, 2]), processing.contact_share, series.force_noise
    )
    return tuple(
        Standing(stance, series.name) for stance in stances(series.force[:, 2], level)
    )


def _stance(series: TimeSeries, standing: Standing, info: TrialInfo) -> RecordedStance:
    first, last = standing.stance
    stamps = series.stamp_ns
    force = series.force[first:last]
    if info.slope and info.axes == GRAVITY:
        force = on_slope(force, info.slope)
    begins = (stamps[first] - stamps[0]) * 1e-9 > EDGE_TIME
    ends = (stamps[-1] - stamps[last - 1]) * 1e-9 > EDGE_TIME
    time = np.asarray(stamps[first:last] * 1e-9, dtype=float)
    return RecordedStance(
        series=series,
        standing=standing,
        time=time,
        force=force,
        begins=bool(begins),
        ends=bool(ends),
    )


def _duty(one: RecordedStance, found: Sequence[RecordedStance]) -> float:
    later = [
        float(other.time[0])
        for other in found
        if other.foot == one.foot and other.time[0] > one.time[-1]
    ]
    stride = min(later, default=math.inf) - float(one.time[0])
    return (
        one.duration / stride if one.begins and stride <= LONGEST_STRIDE else math.nan
    )


def weight_of(
    recording: Recording, found: Sequence[RecordedStance], info: TrialInfo
) -> tuple[float, str]:
    """Estimate body weight [N] and its source.

    It comes from the forces and the masses in the study's table and the file.
    """
    feet = [
        (series, [one.standing.stance for one in found if one.series is series])
        for series in recording.series
        if series.normal_unit == "N"
    ]
    partly = any(one.off or one.series.clipped for one in found)
    masses = [
        (info.mass, "the mass in the study's table"),
        (recording.mass, "the mass in the file"),
    ]
    return body_weight(
        feet,
        masses,
        "a foot is partly off its plate, or a channel clips" if partly else "",
    )


def walking_speed(recording: Recording, found: Sequence[RecordedStance]) -> float:
    """Estimate speed [m/s] from markers on the trunk.

    Without them it comes from where and when the feet stood.
    """
    markers = recording.markers
    if not found:
        return math.nan
    begin = float(found[0].time[0])
    end = float(found[-1].time[-1])
    frames = (
        (markers.time >= begin) & (markers.time <= end)
        if len(markers.names)
        else np.zeros(0, dtype=bool)
    )
    trunk = [k for k, name in enumerate(markers.names) if TRUNK.match(name.strip())]
    if trunk and frames.sum() > 2 and end - begin >= LEAST_TIME:
        way = markers.position[frames][:, trunk, 0]
        visible = np.isfinite(way[0]) & np.isfinite(way[-1])
        if visible.any():
            return abs(float(np.median(way[-1, visible] - way[0, visible]))) / (
                float(frames.sum() - 1) / markers.rate
            )
    pairs = [_between(one, two) for one, two in pairwise(found) if one.foot != two.foot]
    known = [speed for speed in pairs if math.isfinite(speed)]
    return float(np.median(known)) if known else math.nan


def _between(one: RecordedStance, two: RecordedStance) -> float:
    known = [
        stance.pressure[np.isfinite(stance.pressure).all(axis=1)]
        for stance in (one, two)
    ]
    if not all(len(points) for points in known) or not all(
        len(foot.series.outline) == 4 for foot in (one, two)
    ):
        return math.nan
    way = float(
        np.linalg.norm(np.median(known[1], axis=0) - np.median(known[0], axis=0))
    )
    return (
        way / float(two.time.mean() - one.time.mean())
        if way <= LONGEST_STEP
        else math.nan
    )


BELT_SPEED = 0.3  # [m/s] backward, of the median foot in the middle of its stance
OWN = (
    "measured",
    "differenced",
    "integrated",
)  # sources of motion that are the foot's own


def foot_motion(recording: Recording, stance: RecordedStance) -> SoleMotion | str:
    """Compute the sole's motion over the floor in a stance, or why it is unknown."""
    series = stance.series
    window = slice(*stance.standing.stance)
    if len(recording.markers.names):
        if stance.foot not in ("left", "right"):
            return "it isn't known which foot stands there"
        floor = float(series.outline[:, 2].mean()) if len(series.outline) == 4 else 0.0
        return sole_motion(
            recording.markers,
            stance.foot,
            float(stance.time[0]),
            float(stance.time[-1]),
            floor,
        )
    velocity = np.nan_to_num(series.velocity[window, 1])
    velocity = np.column_stack([series.velocity[window, 0], velocity])
    if series.motion.source not in OWN or not np.isfinite(velocity).all():
        return "no markers on heel and toe"
    place = series.displacement[window].copy()
    place[:, 1] = np.nan_to_num(place[:, 1])
    place = place if np.isfinite(place).all() else travelled(stance.time, velocity)
    return SoleMotion(
        time=stance.time,
        position=place,
        velocity=velocity,
        heel_rise=math.inf,
        source=f"foot, {series.motion.source}",
    )


def without_belts(motions: Sequence[SoleMotion | str]) -> list[SoleMotion | str]:
    """Drop the motion of feet that a belt carries.

    A belt does where most of them go back steadily while they stand.
    """
    known = [
        float(np.median(motion.velocity[:, 0]))
        for motion in motions
        if isinstance(motion, SoleMotion)
    ]
    if len(known) < 2 or float(np.median(known)) > -BELT_SPEED:
        return list(motions)
    return [
        motion if isinstance(motion, str) else "a belt carries the feet"
        for motion in motions
    ]


SHARED_TIME = 0.05  # [s] that one foot presses on two plates


def exclusion(
    stance: RecordedStance,
    found: Sequence[RecordedStance],
    what: str,
    axes: str = "xyz",
) -> str:
    """Explain why a stance is not judged; empty if it is.

    The first reason that applies is given.
    """
    if stance.standing.refusal:
        return stance.standing.refusal
    if stance.series.clipped:
        return (
            f"channel {stance.series.clipped[0]} of {stance.sensor} clips: its "
            "force is cut off"
        )
    unknown = " and ".join(
        axis
        for axis in axes
        if not np.isfinite(stance.force[:, "xyz".index(axis)]).all()
    )
    if unknown:
        return (
            f"the force along {unknown} is not known throughout: required friction "
            "needs all three axes"
        )
    if axes == "xyz" and (slow := too_slow(stance.series)):
        return slow
    if what == STANDING:
        return "standing: no step begins and ends"
    if not (stance.begins and stance.ends):
        return (
            f"cut off by the {'begin' if not stance.begins else 'end'} of the recording"
        )
    for other in found:
        shared = min(stance.time[-1], other.time[-1]) - max(
            stance.time[0], other.time[0]
        )
        same_foot = other.foot == stance.foot and stance.foot in ("left", "right")
        if other.sensor != stance.sensor and same_foot and shared > SHARED_TIME:
            return (
                f"the {stance.foot} foot stands on {stance.sensor} and "
                f"{other.sensor} at once"
            )
    if stance.off:
        return stance.off
    return (
        "running: weight acceptance is defined for walking" if what == RUNNING else ""
    )


NEAREST = 0.15  # [s]; events further apart aren't the same


class Agreement(NamedTuple):
    """Event of a stance beside the file's own event."""

    kind: str  # touchdown | lift-off
    foot: str
    by_force: float  # [s]
    in_file: float  # [s]
    frames: float  # by force later than in the file, in frames of the markers


def agreements(
    found: Sequence[RecordedStance], recording: Recording
) -> Iterator[Agreement]:
    """Match events of the recorded stances with those in the file.

    Each goes with the nearest of the same kind and foot.
    """
    for one in found:
        for kind, inside, time in (
            ("touchdown", one.begins, float(one.time[0])),
            ("lift-off", one.ends, float(one.time[-1])),
        ):
            same = [
                event.time
                for event in recording.events
                if event.kind == kind and event.foot == one.foot
            ]
            nearest = min(same, key=lambda other: abs(other - time), default=math.inf)
            if inside and abs(nearest - time) <= NEAREST:
                yield Agreement(
                    kind=kind,
                    foot=one.foot,
                    by_force=time,
                    in_file=nearest,
                    frames=(time - nearest) * recording.markers.rate,
                )

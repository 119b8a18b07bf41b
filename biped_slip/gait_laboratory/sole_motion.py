# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motion of the sole over the floor in one stance, from markers or the foot's own.

A marker sits above the sole: while the foot turns about the heel's point of contact, a
marker at height h moves by h sin(pitch) though nothing slips. That part is taken out of
the heel marker's motion. Once the heel has risen the forefoot stays flat, and the toe
marker is used as it is. In dry gait of three laboratories this leaves 1 to 3 mm of
motion after the landing, where the heel marker itself moves 10 to 25 mm.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.gait_laboratory.smoothing import local_parabola
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.recording import JudgedStance
from biped_slip.recordings.markers import (
    HEEL,
    TOE,
    Markers,
    foot_marker,
    speed_backward,
)
from biped_slip.recordings.series import FloatArray, travelled

MARKERS = "markers"  # what most motions come from
# of the stance, in which both markers are lowest: there the foot is flat
FLAT_SHARE = 0.15
FLAT_PITCH = 0.035  # [rad] from the flat foot's pitch; within it either end may be used
# [m] above its height on the flat foot; from there on the toe rolls off and nothing
# stands
LEAVING_HEIGHT = 0.003
PARABOLA_TIME = 0.05  # [s] of the local parabola that gives place and velocity
LEAST_FRAMES = 5  # frames of the parabola


class StandingMotion(NamedTuple):
    """Motion of the standing part of a foot over the floor, as local parabolas.

    It is given at the n frames of a stance.
    """

    time: FloatArray  # shape (n,) [s]
    # shape (n, 2), x along the walk, y left, from an arbitrary origin [m]
    position: FloatArray
    velocity: FloatArray  # shape (n, 2) [m/s]
    heel_rise: float  # from here on by the toe marker [s]
    source: str = MARKERS


def sole_motion(
    markers: Markers, side: str, touchdown: float, lift_off: float, floor: float = 0.0
) -> StandingMotion | str:
    """Compute the motion of a foot over the floor during one stance.

    Args:
        markers: x along the walk, y left, z up [m].
        side: ``left`` or ``right``.
        touchdown: first and …
        lift_off: … last time of the stance [s].
        floor: height of the surface [m].

    Returns:
        The motion, or why there is none.
    """
    heel = foot_marker(markers, side, HEEL)
    toe = foot_marker(markers, side, TOE)
    if heel is None or toe is None:
        return f"no marker on the {side} {'heel' if heel is None else 'toe'}"
    inside = np.flatnonzero((markers.time >= touchdown) & (markers.time <= lift_off))
    window = max(2 * round(0.5 * PARABOLA_TIME * markers.rate) + 1, LEAST_FRAMES)
    frame = 1.0 / markers.rate
    covered = (
        len(inside)
        and markers.time[0] <= touchdown + frame
        and markers.time[-1] >= lift_off - frame
    )
    if len(inside) < 2 * window or not covered:
        return "the markers don't cover the stance"
    heel = heel[inside]
    toe = toe[inside]
    if not (np.isfinite(heel).all() and np.isfinite(toe).all()):
        return f"a marker of the {side} foot is not recorded all through the stance"
    foot = _flat_foot(heel, toe, window)
    position = _standing_end(heel, toe, foot, floor)
    change = _heel_rises(foot.pitch)
    leaves = max(_toe_leaves(toe, foot.toe_height, change) + 1, window)
    return StandingMotion(
        time=markers.time[inside][:leaves],
        position=local_parabola(position, window)[:leaves],
        velocity=local_parabola(position, window, 1, frame)[:leaves],
        heel_rise=float(markers.time[inside][change]),
    )


class _FlatFoot(NamedTuple):
    """Attitude of a foot, measured from where it stands flat."""

    pitch: FloatArray  # of the line from heel to toe, shape (n,), toe up positive [rad]
    reach: FloatArray  # level direction from heel to toe, shape (n, 2) [-]
    heel_height: float  # of the markers on the flat foot, in their own axes [m]
    toe_height: float  # [m]


def _flat_foot(heel: FloatArray, toe: FloatArray, window: int) -> _FlatFoot:
    """Find where both markers, shape (n, 3) [m], are lowest; the foot is flat there."""
    reach = local_parabola(toe - heel, window)
    length = np.maximum(np.hypot(reach[:, 0], reach[:, 1]), 1e-9)
    pitch = np.arctan2(reach[:, 2], length)
    above = (heel[:, 2] - float(heel[:, 2].min())) + (
        toe[:, 2] - float(toe[:, 2].min())
    )
    flat = above <= np.quantile(above, FLAT_SHARE)
    return _FlatFoot(
        pitch=pitch - np.median(pitch[flat]),
        reach=reach[:, :2] / length[:, None],
        heel_height=float(np.median(heel[flat, 2])),
        toe_height=float(np.median(toe[flat, 2])),
    )


def _standing_end(
    heel: FloatArray, toe: FloatArray, foot: _FlatFoot, floor: float
) -> FloatArray:
    """Add up the way of the end that stands, shape (n, 2) [m]."""
    height = foot.heel_height - floor
    ground = heel[:, :2] + height * np.sin(foot.pitch)[:, None] * foot.reach
    by_toe = _by_toe(foot.pitch, ground, toe[:, :2])
    steps = np.where(
        by_toe[1:, None], np.diff(toe[:, :2], axis=0), np.diff(ground, axis=0)
    )
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


def _by_toe(pitch: FloatArray, heel: FloatArray, toe: FloatArray) -> NDArray[np.bool_]:
    """Find which end stands.

    It is the heel while the toe is up, the toe once the heel is, else the stiller one.
    """
    by_toe: NDArray[np.bool_] = pitch < -FLAT_PITCH
    flat = np.abs(pitch) <= FLAT_PITCH
    edges = np.flatnonzero(np.diff(flat.astype(int), prepend=0, append=0))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        toe_way, heel_way = (
            float(np.hypot(*np.ptp(place[first:last], axis=0))) for place in (toe, heel)
        )
        by_toe[first:last] = toe_way < heel_way
    return by_toe


def _heel_rises(pitch: FloatArray) -> int:
    """Return the last frame in which the heel is down."""
    down = np.flatnonzero(pitch >= -FLAT_PITCH)
    return int(down[-1]) if len(down) else 0


def _toe_leaves(toe: FloatArray, flat_height: float, change: int) -> int:
    """Return the last frame from ``change`` on in which the toe is still down."""
    down = np.flatnonzero(toe[change:, 2] <= flat_height + LEAVING_HEIGHT)
    return change + (int(down[-1]) if len(down) else 0)


# [m] from heel to toe, by which pressure goes on under a foot while a belt carries it
# back (choice); feet differ by 0.03 m
ROLLED = 0.20
BELT_SPEED = 0.3  # [m/s] backward, of the median foot in the middle of its stance
# sources of motion that are the foot's own
OWN_MOTION = (
    "measured",
    "differenced",
    "integrated",
)


def foot_motion(recording: Recording, stance: JudgedStance) -> StandingMotion | str:
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
    if series.motion.source not in OWN_MOTION or not np.isfinite(velocity).all():
        return "no markers on heel and toe"
    place = series.displacement[window].copy()
    place[:, 1] = np.nan_to_num(place[:, 1])
    place = place if np.isfinite(place).all() else travelled(stance.time, velocity)
    return StandingMotion(
        time=stance.time,
        position=place,
        velocity=velocity,
        heel_rise=math.inf,
        source=f"foot, {series.motion.source}",
    )


def without_belts(
    motions: Sequence[StandingMotion | str],
) -> list[StandingMotion | str]:
    """Drop the motion of feet that a belt carries.

    A belt does where most of them go back steadily while they stand.
    """
    known = [
        float(np.median(motion.velocity[:, 0]))
        for motion in motions
        if isinstance(motion, StandingMotion)
    ]
    if len(known) < 2 or float(np.median(known)) > -BELT_SPEED:
        return list(motions)
    return [
        motion if isinstance(motion, str) else "a belt carries the feet"
        for motion in motions
    ]


def belt_speeds(
    motions: Sequence[StandingMotion | str], stances: Sequence[JudgedStance]
) -> list[float]:
    """Estimate how fast a belt carries each foot back [m/s]; NaN where none does.

    Markers show it; without them it is the speed of the pressure and what a foot rolls
    on its way, to about 0.1 m/s.

    Args:
        motions: of the feet, before :func:`without_belts`.
        stances: of the feet.
    """
    seen = any(isinstance(motion, StandingMotion) for motion in motions)
    if seen and list(motions) == without_belts(motions):
        return [math.nan] * len(stances)
    found = []
    for motion, stance in zip(motions, stances, strict=True):
        if isinstance(motion, StandingMotion):
            found.append(-float(np.median(motion.velocity[:, 0])))
            continue
        speed = speed_backward(stance.time, stance.pressure, stance.force[:, 2])
        rolled = ROLLED / max(stance.duration, 1e-9)
        found.append(speed + rolled if speed and not seen else math.nan)
    return found

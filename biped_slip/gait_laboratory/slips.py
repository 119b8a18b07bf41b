# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slips of a stance: when the sole slides against its friction, how far, how fast."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.signal import savgol_filter

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.series import FloatArray

# A marker sits above the sole: while the foot turns about the heel's point of contact,
# a marker at height h moves by h sin(pitch) though nothing slips. That part is taken
# out of the heel marker's motion. Once the heel has risen the forefoot stays flat, and
# the toe marker is used as it is. In dry gait of three laboratories this leaves 1 to 3
# mm of motion after the landing, where the heel marker itself moves 10 to 25 mm.

# Names of the marker sets in use: Plug-in Gait, Cleveland, Helen Hayes, OpenSim; the
# first that is there is taken.
HEEL = ("HEE", "HEEL", "CAL", "CALC", "FCC", "CAL1")
TOE = ("TOE", "MT2", "MTP2", "D2M", "MT1", "D1M", "1MT", "MT5", "MTP5", "D5M", "5MT")
FLAT_SHARE = (
    0.15  # of the stance, in which both markers are lowest: there the foot is flat
)
FLAT_PITCH = 0.035  # [rad] from the flat foot's pitch; within it either end may be used
# [m] above its height on the flat foot; from there on the toe rolls off and nothing
# stands
LEAVING_HEIGHT = 0.003
WINDOW = 0.05  # [s] of the local parabola that gives place and velocity
FEWEST = 5  # frames of the parabola


class SoleMotion(NamedTuple):
    """Motion of the standing part of a foot over the floor, as local parabolas.

    It is given at the n frames of a stance.
    """

    time: FloatArray  # shape (n,) [s]
    # shape (n, 2), x along the walk, y left, from an arbitrary origin [m]
    position: FloatArray
    velocity: FloatArray  # shape (n, 2) [m/s]
    heel_rise: float  # from here on by the toe marker [s]
    source: str = "markers"


def foot_marker(
    markers: Markers, side: str, names: tuple[str, ...]
) -> FloatArray | None:
    """Return the first of some markers that exists on a foot, shape (frames, 3).

    Return None where none is.
    """
    by_name = {
        re.sub(r"^.*:", "", name).strip().upper(): k
        for k, name in enumerate(markers.names)
    }
    letter = side[0].upper()
    for name in names:
        for spelled in (
            f"{letter}{name}",
            f"{letter}.{name}",
            f"{letter}_{name}",
            f"{letter} {name}",
        ):
            index = by_name.get(spelled)
            if index is not None and np.isfinite(markers.position[:, index]).any():
                return markers.position[:, index]
    return None


def sole_motion(
    markers: Markers, side: str, touchdown: float, lift_off: float, floor: float = 0.0
) -> SoleMotion | str:
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
    window = max(2 * round(0.5 * WINDOW * markers.rate) + 1, FEWEST)
    frame = 1.0 / markers.rate
    covered = (
        len(inside)
        and markers.time[0] <= touchdown + frame
        and markers.time[-1] >= lift_off - frame
    )
    if len(inside) < 2 * window or not covered:
        return "the markers don't cover the stance"
    time = markers.time[inside]
    heel = heel[inside]
    toe = toe[inside]
    if not (np.isfinite(heel).all() and np.isfinite(toe).all()):
        return f"a marker of the {side} foot is not recorded all through the stance"
    pitch, reach = _pitch(heel, toe, window)
    above = (heel[:, 2] - float(heel[:, 2].min())) + (
        toe[:, 2] - float(toe[:, 2].min())
    )
    flat = above <= np.quantile(above, FLAT_SHARE)
    pitch = pitch - np.median(pitch[flat])
    height = float(np.median(heel[flat, 2])) - floor
    toe_height = float(np.median(toe[flat, 2]))
    ground = heel[:, :2] + height * np.sin(pitch)[:, None] * reach
    by_toe = _by_toe(pitch, ground, toe[:, :2])
    steps = np.where(
        by_toe[1:, None], np.diff(toe[:, :2], axis=0), np.diff(ground, axis=0)
    )
    position = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    risen = np.flatnonzero(pitch >= -FLAT_PITCH)
    change = int(risen[-1]) if len(risen) else 0
    stays = np.flatnonzero(toe[change:, 2] <= toe_height + LEAVING_HEIGHT)
    end = change + (int(stays[-1]) if len(stays) else 0)
    velocity = savgol_filter(
        position, window, 2, deriv=1, delta=1.0 / markers.rate, axis=0
    )
    smooth = savgol_filter(position, window, 2, axis=0)
    part = slice(0, max(end + 1, window))
    return SoleMotion(time[part], smooth[part], velocity[part], float(time[change]))


def _pitch(
    heel: FloatArray, toe: FloatArray, window: int
) -> tuple[FloatArray, FloatArray]:
    """Compute the pitch of the line from heel to toe, and its level direction.

    The pitch has shape (n,) [rad], the direction shape (n, 2).
    """
    reach = savgol_filter(toe - heel, window, 2, axis=0)
    length = np.maximum(np.hypot(reach[:, 0], reach[:, 1]), 1e-9)
    return np.arctan2(reach[:, 2], length), reach[:, :2] / length[:, None]


def _by_toe(pitch: FloatArray, heel: FloatArray, toe: FloatArray) -> NDArray[np.bool_]:
    """Find which end of the foot stands.

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


# A slide must show in the motion, must go against the friction that the plate measures,
# and must carry load. The skid with which a foot lands is none as long as it comes to
# rest soon after contact, nor is the forward motion of a forefoot that leaves after the
# heel has risen: both occur on dry floors, too. The onset is the instant from which on
# the force ratio stays at the friction of the slide, where it does; otherwise the
# motion dates it.

RATIO_WINDOW = 0.02  # [s] of the local parabola through the force ratio
PARABOLA_NOISE = (
    2.25  # variance of a parabola's middle over that of one sample, times their number
)
# standard deviation of a normal distribution over its median absolute deviation
SIGMAS_PER_MAD = 1.4826
NOISE_FACTOR = 3.0  # standard deviations that noise may throw a ratio
BREAK = 0.01  # [s] that a ratio below the friction lasts where the foot sticks
RISE = 0.02  # [s] over which the ratio's rise to the friction is followed
AT_ONCE = 0.02  # [s] after contact that still belong to it


@configuration
class SlipConfig(Configuration):
    """Definition of a slip of a person's foot."""

    speed: float = parameter(
        0.1,
        unit="m/s",
        above=0.0,
        high=2.0,
        doc="that a slide reaches; markers on a dry floor show up to 0.07",
    )
    moving_speed: float = parameter(
        0.06,
        unit="m/s",
        above=0.0,
        high=1.0,
        doc="that a slide keeps; its begin and end are followed down to rest",
    )
    rest_speed: float = parameter(
        0.02, unit="m/s", above=0.0, high=1.0, doc="below it the sole is at rest"
    )
    least_distance: float = parameter(
        0.01,
        unit="m",
        above=0.0,
        high=0.1,
        doc="shorter slides look like skin and roll-over",
    )
    least_normal: float = parameter(
        50.0, unit="N", above=0.0, high=1e4, doc="normal force that a slide carries"
    )
    settle_time: float = parameter(
        0.1, unit="s", low=0.0, high=0.5, doc="in which a landing foot comes to rest"
    )
    plateau: float = parameter(
        0.1,
        above=0.0,
        below=1.0,
        doc="scatter of the ratio, as a share, below which a slide has one friction",
    )
    look_back: float = parameter(
        0.08, unit="s", above=0.0, high=0.5, doc="in which force dates the onset"
    )


class Slip(NamedTuple):
    """One slide of a foot; times of the recording."""

    onset: float  # [s]
    end: float  # [s]
    distance: float  # from onset to end, as the crow flies [m]
    peak_velocity: float  # [m/s]
    forward: bool  # along the walk, as heels slip; toes slip backward
    ratio: float  # median force ratio while sliding: the friction it had [-]
    onset_by: str  # force | motion | contact


class FootSlips(NamedTuple):
    """Slips of one stance in order of time, and how far the landing foot skidded."""

    slips: tuple[Slip, ...]
    skid: float  # [m]


def find_slips(
    time: FloatArray,
    force: FloatArray,
    motion: SoleMotion,
    config: SlipConfig,
    force_noise: float = 0.0,
) -> FootSlips:
    """Find the slips of one stance.

    Args:
        time: of the force, shape (n,) [s], from touchdown to lift-off.
        force: of the ground on the foot, x along the walk, y left, z up, shape (n, 3)
            [N].
        motion: of the sole in that stance.
        config: what counts.
        force_noise: standard deviation of a force axis [N].
    """
    speed = np.linalg.norm(motion.velocity, axis=1)
    on_frames = np.column_stack(
        [np.interp(motion.time, time, np.nan_to_num(force[:, k])) for k in range(3)]
    )
    power = np.einsum("ij,ij->i", on_frames[:, :2], motion.velocity)
    moving = speed > config.moving_speed
    loaded = on_frames[:, 2] >= min(
        config.least_normal, 0.1 * float(np.max(force[:, 2]))
    )
    ratio = _ratio(time, force, force_noise)
    slips = []
    skid = 0.0
    for first, last in _runs(moving, motion.velocity):
        inside = slice(first, last)
        if (
            power[inside].sum() >= 0.0
            or not (speed[inside][loaded[inside]] > config.speed).any()
        ):
            continue
        first, last = _to_rest(motion.velocity, first, last, config.rest_speed)
        slip = _slip(ratio, motion, speed, first, last, config)
        settled = (
            float(np.interp(time[0] + config.settle_time, motion.time, speed))
            <= config.speed
        )
        if slip.onset_by == "contact" and (
            settled or slip.end - time[0] <= config.settle_time
        ):
            skid = max(skid, slip.distance)
        elif slip.distance >= config.least_distance and not (
            slip.forward and slip.onset >= motion.heel_rise
        ):
            slips.append(slip)
    return FootSlips(tuple(slips), skid)


class _Ratio(NamedTuple):
    """Force ratio of a stance, and how far noise of the force may throw it.

    Each has shape (n,).
    """

    time: FloatArray  # [s]
    value: FloatArray
    noise: FloatArray


def _ratio(time: FloatArray, force: FloatArray, force_noise: float) -> _Ratio:
    normal = np.maximum(force[:, 2], 1e-9)
    value = np.hypot(force[:, 0], np.nan_to_num(force[:, 1])) / normal
    count = 2 * int(0.5 * RATIO_WINDOW / float(np.median(np.diff(time)))) + 1
    if not 5 <= count <= len(value):
        return _Ratio(time, value, NOISE_FACTOR * force_noise / normal)
    smooth = savgol_filter(value, count, 2)
    return _Ratio(
        time,
        smooth,
        NOISE_FACTOR * force_noise / normal * math.sqrt(PARABOLA_NOISE / count),
    )


def _runs(moving: NDArray[np.bool_], velocity: FloatArray) -> list[tuple[int, int]]:
    """Find stretches of frames that move without turning round: first … last − 1."""
    turns = np.einsum("ij,ij->i", velocity[1:], velocity[:-1]) < 0.0
    edges = np.flatnonzero(np.diff(moving.astype(int), prepend=0, append=0))
    found = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        cuts = first + 1 + np.flatnonzero(turns[first : last - 1])
        found += list(pairwise([int(first), *map(int, cuts), int(last)]))
    return found


def _to_rest(
    velocity: FloatArray, first: int, last: int, rest: float
) -> tuple[int, int]:
    """Extend a slide by its slow begin and end.

    It grows while the foot is slower further out, goes the slide's way, and is not at
    rest.
    """
    along = velocity @ velocity[first:last].sum(axis=0)
    speed = np.where(along > 0.0, np.linalg.norm(velocity, axis=1), 0.0)
    while first > 0 and rest < speed[first - 1] < speed[first]:
        first -= 1
    while last < len(speed) and rest < speed[last] < speed[last - 1]:
        last += 1
    return first, last


def _slip(
    ratio: _Ratio,
    motion: SoleMotion,
    speed: FloatArray,
    first: int,
    last: int,
    config: SlipConfig,
) -> Slip:
    onset, by, friction = _onset(ratio, motion, speed, first, last, config)
    end = float(motion.time[last]) if last < len(motion.time) else float(ratio.time[-1])
    way = _place(motion, end) - _place(motion, onset)
    peak = float(speed[first:last].max())
    return Slip(
        onset=onset,
        end=end,
        distance=float(np.hypot(*way)),
        peak_velocity=peak,
        forward=bool(way[0] > 0.0),
        ratio=friction,
        onset_by=by,
    )


def _place(motion: SoleMotion, time: float) -> FloatArray:
    """Locate the sole, shape (2,) [m].

    Before the first and after the last frame it goes straight on.
    """
    inside = min(max(time, float(motion.time[0])), float(motion.time[-1]))
    frame = 0 if time < inside else -1
    at = np.array(
        [np.interp(inside, motion.time, motion.position[:, k]) for k in range(2)]
    )
    return at + (time - inside) * motion.velocity[frame]


def _onset(
    ratio: _Ratio,
    motion: SoleMotion,
    speed: FloatArray,
    first: int,
    last: int,
    config: SlipConfig,
) -> tuple[float, str, float]:
    """Date the onset of a slide, by which evidence, and its friction.

    Back from the fast part of the slide to where the ratio was still below the slide's
    friction, if it has one.
    """
    fast = motion.time[first:last][
        speed[first:last] > 0.5 * float(speed[first:last].max())
    ]
    core = (ratio.time >= fast[0]) & (ratio.time <= fast[-1])
    core = (
        core
        if core.any()
        else np.abs(ratio.time - fast[0]) == np.abs(ratio.time - fast[0]).min()
    )
    friction = float(np.median(ratio.value[core]))
    scatter = SIGMAS_PER_MAD * float(np.median(np.abs(ratio.value[core] - friction)))
    contact = float(ratio.time[0])
    start = float(motion.time[max(first - 1, 0)])
    landing = start <= contact + AT_ONCE
    if not scatter < max(
        config.plateau * friction, float(np.median(ratio.noise[core]))
    ):
        return (
            (contact, "contact", friction) if landing else (start, "motion", friction)
        )
    below = ratio.value < friction - np.maximum(2.0 * scatter, ratio.noise)
    step = float(np.median(np.diff(ratio.time)))
    lasting = uniform_filter1d(below.astype(float), max(1, round(BREAK / step))) > 0.5
    lower = np.flatnonzero(lasting & (ratio.time <= fast[0]))
    onset = _reached(ratio, int(lower[-1]), friction, step) if len(lower) else contact
    near = abs(onset - start) <= config.look_back
    if onset <= contact + AT_ONCE:
        return (contact, "contact", friction) if near else (start, "motion", friction)
    return (onset, "force", friction) if near else (start, "motion", friction)


def _reached(ratio: _Ratio, index: int, friction: float, step: float) -> float:
    """Extrapolate when a ratio still below the friction at a sample gets there."""
    before = max(0, index - round(RISE / step))
    rise = float(ratio.value[index] - ratio.value[before]) / max(
        (index - before) * step, 1e-9
    )
    missing = friction - float(ratio.value[index])
    return float(ratio.time[index]) + (
        min(max(missing / rise, 0.0), RISE) if rise > 0.0 else 0.0
    )

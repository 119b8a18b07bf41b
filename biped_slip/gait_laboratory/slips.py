# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slips of one stance: when the sole slides against its friction, how far, how fast.

A slide must show in the motion, must go against the friction that the plate measures,
and must carry load. The skid with which a foot lands is none as long as it comes to
rest soon after contact, nor is the forward motion of a forefoot that leaves after the
heel has risen: both occur on dry floors, too. The onset is the instant from which on
the force ratio stays at the friction of the slide, where it does; otherwise the motion
dates it.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.gait_laboratory.smoothing import local_parabola
from biped_slip.gait_laboratory.sole_motion import MARKERS, StandingMotion
from biped_slip.recordings.judge.slip import BY_MARKERS, BY_MOTION, Slip
from biped_slip.recordings.series import FloatArray

RATIO_WINDOW = 0.02  # [s] of the local parabola through the force ratio
# variance of a parabola's middle over that of one sample, times their number
PARABOLA_NOISE = 2.25
# standard deviation of a normal distribution over its median absolute deviation
SIGMAS_PER_MAD = 1.4826
RATIO_NOISE_FACTOR = 3.0  # standard deviations that noise may throw a ratio
BREAK = 0.01  # [s] that a ratio below the friction lasts where the foot sticks
RISE = 0.02  # [s] over which the ratio's rise to the friction is followed
ONSET_TIME = 0.02  # [s] after contact that still belong to it
# evidence that dates the onset of a slide
DATED_BY_FORCE = "force"
DATED_BY_MOTION = "motion"
DATED_BY_CONTACT = "contact"


@configuration
class GaitSlipConfig(Configuration):
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


class FootSlips(NamedTuple):
    """Slips of one stance in order of time, and how far the landing foot skidded."""

    slips: tuple[Slip, ...]
    skid: float  # [m]


def find_slips(
    time: FloatArray,
    force: FloatArray,
    motion: StandingMotion,
    config: GaitSlipConfig,
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
    landed = float(np.interp(time[0] + config.settle_time, motion.time, speed))
    slips = []
    skid = 0.0
    for first, last in _runs(moving, motion.velocity):
        inside = slice(first, last)
        brakes = power[inside].sum() < 0.0
        if not (brakes and (speed[inside][loaded[inside]] > config.speed).any()):
            continue
        first, last = _to_rest(motion.velocity, first, last, config.rest_speed)
        slip = _slip(ratio, motion, speed, first, last, config)
        rests_soon = landed <= config.speed or slip.end - time[0] <= config.settle_time
        leaves = slip.forward and slip.start >= motion.heel_rise
        if slip.dated_by == DATED_BY_CONTACT and rests_soon:
            skid = max(skid, slip.distance)
        elif slip.distance >= config.least_distance and not leaves:
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
    noise = RATIO_NOISE_FACTOR * force_noise / normal
    if not 5 <= count <= len(value):
        return _Ratio(time=time, value=value, noise=noise)
    return _Ratio(
        time=time,
        value=local_parabola(value, count),
        noise=noise * math.sqrt(PARABOLA_NOISE / count),
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
    motion: StandingMotion,
    speed: FloatArray,
    first: int,
    last: int,
    config: GaitSlipConfig,
) -> Slip:
    onset = _onset(ratio, motion, speed, first, last, config)
    end = float(motion.time[last]) if last < len(motion.time) else float(ratio.time[-1])
    way = _place(motion, end) - _place(motion, onset.time)
    return Slip(
        start=onset.time,
        end=end,
        mu=onset.friction,
        source=BY_MARKERS if motion.source == MARKERS else BY_MOTION,
        distance=float(np.hypot(*way)),
        peak_velocity=float(speed[first:last].max()),
        forward=bool(way[0] > 0.0),
        dated_by=onset.evidence,
    )


def _place(motion: StandingMotion, time: float) -> FloatArray:
    """Locate the sole, shape (2,) [m].

    Before the first and after the last frame it goes straight on.
    """
    inside = min(max(time, float(motion.time[0])), float(motion.time[-1]))
    frame = 0 if time < inside else -1
    at = np.array(
        [np.interp(inside, motion.time, motion.position[:, k]) for k in range(2)]
    )
    return at + (time - inside) * motion.velocity[frame]


class _Onset(NamedTuple):
    """When a slide begins, and the friction that it has."""

    time: float  # [s]
    evidence: str  # one of DATED_BY_...
    friction: float  # [-]


def _onset(
    ratio: _Ratio,
    motion: StandingMotion,
    speed: FloatArray,
    first: int,
    last: int,
    config: GaitSlipConfig,
) -> _Onset:
    """Date the onset of a slide.

    Back from the fast part of the slide to where the ratio was still below the slide's
    friction, if it has one.
    """
    fast = motion.time[first:last][
        speed[first:last] > 0.5 * float(speed[first:last].max())
    ]
    core = _between(ratio.time, float(fast[0]), float(fast[-1]))
    friction = float(np.median(ratio.value[core]))
    scatter = SIGMAS_PER_MAD * float(np.median(np.abs(ratio.value[core] - friction)))
    contact = float(ratio.time[0])
    start = float(motion.time[max(first - 1, 0)])
    by_motion = _Onset(start, DATED_BY_MOTION, friction)
    at_contact = _Onset(contact, DATED_BY_CONTACT, friction)
    noise = float(np.median(ratio.noise[core]))
    if not scatter < max(config.plateau * friction, noise):
        return at_contact if start <= contact + ONSET_TIME else by_motion
    onset = _reaches(ratio, friction, scatter, float(fast[0]))
    if abs(onset - start) > config.look_back:
        return by_motion
    if onset <= contact + ONSET_TIME:
        return at_contact
    return _Onset(onset, DATED_BY_FORCE, friction)


def _between(time: FloatArray, begin: float, end: float) -> NDArray[np.bool_]:
    """Mark the samples from begin to end; without one the nearest to the begin."""
    inside: NDArray[np.bool_] = (time >= begin) & (time <= end)
    away = np.abs(time - begin)
    return inside if inside.any() else away == away.min()


def _reaches(ratio: _Ratio, friction: float, scatter: float, before: float) -> float:
    """Find when the ratio reached the friction of a slide, before a time [s].

    A ratio that was never below it for long has it from the contact on.
    """
    below = ratio.value < friction - np.maximum(2.0 * scatter, ratio.noise)
    step = float(np.median(np.diff(ratio.time)))
    lasting = _mostly(below, max(1, round(BREAK / step)))
    lower = np.flatnonzero(lasting & (ratio.time <= before))
    if not len(lower):
        return float(ratio.time[0])
    return _reached(ratio, int(lower[-1]), friction, step)


def _mostly(flags: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Mark the samples of whose ``count`` neighbours more than half are marked."""
    before = count // 2
    mirrored = np.pad(flags, (before, count - 1 - before), mode="symmetric")
    sums = np.concatenate([[0], np.cumsum(mirrored)])
    return 2 * (sums[count:] - sums[:-count]) > count


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

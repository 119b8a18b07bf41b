# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Noise of a foot's measured motion, from the stances of the same recording.

While a foot stands, what its sensor says of its place is noise. Differences of third
order leave that of neighbouring samples alone: a slide that lasts, and even a stroke
to and fro, is all but a parabola over 75 ms::

    n = x(t + 2 h) - 3 x(t + h) + 3 x(t) - x(t - h),   h = 25 ms,   var n = 20 sigma^2

The slope of a line through N = T / dt places of that noise is known to
``sigma_v = sigma sqrt(12 dt / T^3)`` (least squares), so a noisier place is watched
for longer, until a foot at the speed from which it moves stands out of the noise.

A place also *wanders*: a motion capture loses markers, a robot's links bend. So a
single slide is judged by how far the place goes in that time elsewhere around it.
"""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import (
    DIFFERENCED,
    FloatArray,
    Motion,
    Stance,
    differenced,
)

LAG = 0.025  # [s] h above
NOISE_BLOCK = 0.5  # [s] of a stance, over which noise is taken
THIRD_DIFFERENCE = math.sqrt(20.0)  # standard deviation of n for sigma = 1
MEDIAN_TO_SIGMA = 1.4826  # of a normal distribution
NOISE_MARGIN = 5.0  # standard deviations that a moving foot must exceed
LONGEST_WINDOW = 0.2  # [s] over which a velocity is averaged at most
AROUND = 1.0  # [s] on either side of a slide, in which the wandering is taken
GAP_SHARE = 0.5  # of a window by which uneven steps may lengthen it
LONGEST_LAG = 0.1  # [s] of what a place wanders in


def _spreads(values: FloatArray) -> FloatArray:
    """Estimate the standard deviation of every column (k,); NaN without a number."""
    known = values[np.isfinite(values).all(axis=1)]
    if not len(known):
        return np.full(values.shape[1], math.nan)
    return np.asarray(MEDIAN_TO_SIGMA * np.median(np.abs(known), axis=0))


def _third_difference(values: FloatArray, lag: int) -> FloatArray:
    """Compute differences of third order, shape (n - 3 lag, k)."""
    count = len(values) - 3 * lag
    if count < 1:
        return np.empty((0, values.shape[1]))
    first, second, third, fourth = (values[k * lag : k * lag + count] for k in range(4))
    return np.asarray(fourth - 3.0 * third + 3.0 * second - first)


def sample_noise(values: FloatArray, step: float, standing: Sequence[Stance]) -> float:
    """Estimate the noise of a place or a velocity from single sample to sample.

    Args:
        values: of the foot, shape (n, 2); a column without any number does not count.
        step: between samples [s].
        standing: stances of the foot.

    Returns:
        Median over stretches of half a second, of the noisier axis; 0 where no stance
        is long enough.
    """
    measured = values[:, np.isfinite(values).any(axis=0)]
    lag = max(round(LAG / step), 1)
    length = max(round(NOISE_BLOCK / step), 6 * lag)
    blocks = [
        _spreads(_third_difference(measured[first : first + length], lag))
        for stance in standing
        for first in range(stance.first, stance.last - length + 1, length)
    ]
    known = [block for block in blocks if np.isfinite(block).all() and len(block)]
    if not known:
        return 0.0
    return float(np.median(known, axis=0).max()) / THIRD_DIFFERENCE


def slope_noise(noise: float, step: float, window: float) -> float:
    """Return the noise of the slope of places over a window [m/s]."""
    return noise * math.sqrt(12.0 * step / window**3)


def quiet_window(noise: float, step: float, speed: float, shortest: float) -> float:
    """Find the time over which the slope of places stands out of their noise [s].

    Args:
        noise: of a place [m].
        step: between samples [s].
        speed: from which a foot moves [m/s].
        shortest: window, where there is hardly any noise [s].
    """
    if NOISE_MARGIN * math.sqrt(2.0) * noise <= speed * shortest:
        return shortest  # the difference of two places will do
    wanted = (NOISE_MARGIN * noise * math.sqrt(12.0 * step) / speed) ** (2.0 / 3.0)
    return max(shortest, min(wanted, LONGEST_WINDOW))


def slopes(time: FloatArray, place: FloatArray, window: float) -> FloatArray:
    """Fit a line to the places of each window around a sample (least squares).

    Args:
        time: shape (n,) [s], increasing, steps may vary.
        place: shape (n, k) [m].
        window: [s].

    Returns:
        Velocity, shape (n, k) [m/s]; NaN where no place is known.
    """
    half = max(round(0.5 * window / float(np.median(np.diff(time)))), 1)
    count = np.zeros(place.shape)
    sums = np.zeros((4, *place.shape))  # of t, x, t^2, t x
    for offset in range(-half, half + 1):
        at = np.clip(np.arange(len(time)) + offset, 0, len(time) - 1)
        later = (time[at] - time)[:, None]
        moved = place[at] - place
        inside = (np.arange(len(time)) + offset == at) & (
            np.abs(later[:, 0]) <= 0.5 * window * (1.0 + GAP_SHARE)
        )
        used = inside[:, None] & np.isfinite(moved)
        count += used
        for total, term in zip(
            sums, (later, moved, later**2, later * moved), strict=True
        ):
            total += np.where(used, term, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        across = sums[3] - sums[0] * sums[1] / count
        slope = across / (sums[2] - sums[0] ** 2 / count)
    return np.where(np.isfinite(place) & (count > 2.0), slope, np.nan)


def differenced_places(
    time: FloatArray,
    place: FloatArray,
    standing: Sequence[Stance],
    processing: Processing,
) -> tuple[FloatArray, Motion]:
    """Compute the velocity of a foot from its places, in view of their noise.

    Args:
        time: shape (n,) [s].
        place: shape (n, 2) [m].
        standing: stances of the foot.
        processing: its velocity noise, where it states one, stands for the measured.

    Returns:
        Velocity, shape (n, 2) [m/s], and what is known of it.
    """
    shortest = processing.velocity_window
    stated = processing.velocity_noise
    step = float(np.median(np.diff(time)))
    noise = 0.0 if stated else sample_noise(place, step, standing)
    window = quiet_window(noise, step, processing.motion.speed_threshold, shortest)
    if window <= shortest:
        motion = Motion(
            source=DIFFERENCED,
            velocity_noise=stated,
            note=f"over {shortest:g} s",
            window=shortest,
        )
        return differenced(time, place, shortest), motion
    motion = Motion(
        source=DIFFERENCED,
        velocity_noise=slope_noise(noise, step, window),
        note=f"over {window:.2g} s: while the foot stands, its places vary by "
        f"{1e3 * noise:.2g} mm",
        place_noise=noise,
        window=window,
        shortest_slide=window,
    )
    return slopes(time, place, window), motion


def wandering(time: FloatArray, place: FloatArray, begin: float, end: float) -> float:
    """Estimate how far a standing foot's place goes by itself in the time of a slide.

    Taken is the stance within a second of the slide, the slide itself included: less
    than half of it is that.

    Args:
        time: of the stance, shape (n,) [s].
        place: shape (n, 2) [m].
        begin: of the slide [s].
        end: likewise [s].

    Returns:
        Standard deviation of the way in the worse direction [m]; 0 where the stance is
        too short to show it.
    """
    near = (time >= begin - AROUND) & (time <= end + AROUND)
    step = float(np.median(np.diff(time)))
    span = min(max(end - begin, LAG), LONGEST_LAG)
    measured = place[near][:, np.isfinite(place).any(axis=0)]
    averaged = _moving_mean(measured, max(round(LAG / step), 1))
    spreads = _spreads(_third_difference(averaged, max(round(span / step), 1)))
    if not np.isfinite(spreads).any():
        return 0.0
    # the way between two places: twice the variance of one of them
    return math.sqrt(2.0) * float(np.nanmax(spreads)) / THIRD_DIFFERENCE


def _moving_mean(values: FloatArray, count: int) -> FloatArray:
    """Average each ``count`` neighbours, shape (n - count + 1, k)."""
    if len(values) < count:
        return values[:0]
    return np.asarray(sliding_window_view(values, count, axis=0).mean(axis=-1))


def way_between(time: FloatArray, place: FloatArray, begin: float, end: float) -> float:
    """Measure how far a place went in a time, as the crow flies [m].

    Either end is the mean of the places within 25 ms of it; NaN where none is known.
    """
    known = np.isfinite(place).any(axis=1)
    filled = np.nan_to_num(place)
    ends = []
    for moment in (begin, end):
        at = known & (np.abs(time - moment) <= 0.5 * LAG + 1e-9)
        if not at.any():
            return math.nan
        ends.append(filled[at].mean(axis=0))
    return float(np.hypot(*(ends[1] - ends[0])))

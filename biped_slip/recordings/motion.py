# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The foot's velocity from what was recorded: a position is differenced, an acceleration integrated if it can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from biped_slip.recordings.series import FloatArray, Motion

STILL_TIME = 0.05  # [s] a foot must be still to be taken as resting
STILL_RATE = 0.05  # [rad/s]
STILL_ACCELERATION = 0.1  # [m/s^2], mean over the still time
CLOSING_SPEED = 0.01  # [m/s] error at the next rest that is always accepted
CLOSING_RATE = 0.02  # [m/s^2] accepted growth of that error with the time between rests


def differenced(time: FloatArray, position: FloatArray, window: float) -> FloatArray:
    """Velocity of a position by central differences over about ``window`` seconds.

    Args:
        time: shape (n,) [s], increasing, steps may vary.
        position: shape (n, k) [m].
        window: [s]; wide enough that encoder steps vanish, short against a slip.

    Returns:
        Velocity, shape (n, k) [m/s]; one-sided at the ends.
    """
    first = np.searchsorted(time, time - 0.5 * window - 1e-12)
    last = np.minimum(np.searchsorted(time, time + 0.5 * window + 1e-12) - 1, len(time) - 1)
    single = last == first  # samples further apart than the window
    first = np.where(single, np.maximum(first - 1, 0), first)
    last = np.where(single, np.minimum(last + 1, len(time) - 1), last)
    return (position[last] - position[first]) / np.maximum(time[last] - time[first], 1e-12)[:, None]


def travelled(time: FloatArray, velocity: FloatArray) -> FloatArray:
    """Displacement that sums a velocity, shape (n, 2) [m]; NaN where the velocity is."""
    steps = np.diff(time, prepend=time[0])[:, None]
    path = np.cumsum(np.nan_to_num(velocity) * steps, axis=0)
    return np.where(np.isfinite(velocity), path, np.nan)


def integrated(
    time: FloatArray, acceleration: FloatArray, angular_rate: FloatArray, in_contact: NDArray[np.bool_]
) -> tuple[FloatArray, Motion]:
    """Velocity of a foot from its acceleration (gravity removed), at rest wherever it evidently rests.

    Between two rests the integral must come back to zero. Where it nearly does, the small closing error is taken
    out as a constant bias; where it doesn't, that stretch has no velocity. If most stretches don't close, the
    acceleration is unusable (impacts sampled too slowly, say), and the whole recording has no motion.

    Args:
        time: shape (n,) [s].
        acceleration: shape (n, 2), in the floor plane [m/s^2].
        angular_rate: shape (n, 3) [rad/s].
        in_contact: shape (n,).

    Returns:
        Velocity, shape (n, 2), NaN where unknown, and its description.
    """
    rests = _rests(time, acceleration, angular_rate, in_contact)
    velocity = np.full_like(acceleration, np.nan)
    velocity[rests] = 0.0
    steps = np.diff(time, prepend=time[0])[:, None]
    integral = np.cumsum(np.nan_to_num(acceleration) * steps, axis=0)
    index = np.flatnonzero(rests)
    stretches = [(index[k], index[k + 1]) for k in np.flatnonzero(np.diff(index) > 1)]
    if not stretches:
        return np.full_like(acceleration, np.nan), Motion(note="the foot never rests twice: nothing to integrate from")
    errors = np.array([np.hypot(*(integral[last] - integral[first])) for first, last in stretches])
    spans = np.array([time[last] - time[first] for first, last in stretches])
    closes = errors <= CLOSING_SPEED + CLOSING_RATE * spans
    swings = np.array([not in_contact[first:last].all() for first, last in stretches])
    judged = swings if swings.any() else np.ones_like(swings)  # a swing is the harder test
    if closes[judged].mean() < 0.5:
        note = f"the acceleration integrates to {np.median(errors[judged]):.2g} m/s from rest to rest, so it isn't used"
        return np.full_like(acceleration, np.nan), Motion(note=note)
    for (first, last), close in zip(stretches, closes, strict=True):
        if close:
            share = ((time[first : last + 1] - time[first]) / (time[last] - time[first]))[:, None]
            raw = integral[first : last + 1] - integral[first]
            velocity[first : last + 1] = raw - share * raw[-1]
    noise = float(np.median(errors[closes]))
    return velocity, Motion("integrated", noise, f"{closes.sum()} of {len(closes)} stretches between rests close")


def _rests(
    time: FloatArray, acceleration: FloatArray, angular_rate: FloatArray, in_contact: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    count = max(3, round(STILL_TIME / float(np.median(np.diff(time)))))
    turning = maximum_filter1d(np.linalg.norm(np.nan_to_num(angular_rate, nan=np.inf), axis=1), count)
    mean = uniform_filter1d(np.nan_to_num(acceleration, nan=1e9), count, axis=0)
    pushed = maximum_filter1d(np.hypot(mean[:, 0], mean[:, 1]), count)
    return in_contact & (turning < STILL_RATE) & (pushed < STILL_ACCELERATION)

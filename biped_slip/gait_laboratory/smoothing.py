# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Smoothing: the local parabola through each sample, and maxima that stand out.

The local parabola (Savitzky and Golay's filter) is fitted by least squares to the
neighbours of each sample; its value, or its slope, at the sample is what is taken.
Near the ends it is that of the first or last whole window.

Both are those of ``scipy.signal`` (``savgol_filter``, ``find_peaks``), written out
because that module takes longer to load than a trial to be judged.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from biped_slip.recordings.series import FloatArray

ORDER = 2  # of the polynomial


def local_parabola(
    values: FloatArray, count: int, derivative: int = 0, step: float = 1.0
) -> FloatArray:
    """Smooth samples by the parabola through ``count`` neighbours of each.

    Args:
        values: shape (n,) or (n, k), with n at least ``count``.
        count: of samples in a window, odd, at least 3.
        derivative: 0 for the value, 1 for the slope.
        step: between two samples [s].

    Returns:
        The values, or their derivative by time, in the shape of ``values``.
    """
    half = count // 2
    weights = _weights(count, derivative) / step**derivative
    opposite = -1.0 if derivative % 2 else 1.0
    length = len(values)
    inner = slice(half, length - half)
    smooth = np.empty(np.shape(values))
    total = weights[half] * values[inner]
    for reach in range(half, 0, -1):
        before = values[half - reach : length - half - reach]
        after = values[half + reach : length - half + reach]
        total = total + weights[half + reach] * (after + opposite * before)
    smooth[inner] = total
    early = np.arange(half)
    late = np.arange(count - half, count)
    smooth[:half] = _edge(values[:count], early, derivative, step)
    smooth[length - half :] = _edge(values[length - count :], late, derivative, step)
    return smooth


def _weights(count: int, derivative: int) -> FloatArray:
    """Compute the weight of each neighbour, earliest first, shape (count,)."""
    half = count // 2
    powers = np.arange(-half, half + 1.0) ** np.arange(ORDER + 1)[:, None]
    wanted = np.zeros(ORDER + 1)
    wanted[derivative] = math.factorial(derivative)
    return np.asarray(np.linalg.lstsq(powers, wanted, rcond=None)[0])


def _edge(
    window: FloatArray, places: NDArray[np.int64], derivative: int, step: float
) -> FloatArray:
    """Evaluate the parabola of one window at some of its samples."""
    columns = window.reshape(len(window), -1)
    parabola = np.polyfit(np.arange(len(window)), columns, ORDER)
    for _ in range(derivative):
        degrees = np.arange(len(parabola) - 1, 0, -1)
        parabola = parabola[:-1] * degrees[:, None]
    value = np.polyval(parabola, places.reshape(-1, 1)) / step**derivative
    return np.asarray(value.reshape(len(places), *window.shape[1:]), dtype=np.float64)


def prominent_maxima(values: FloatArray, prominence: float) -> NDArray[np.int64]:
    """Find the local maxima that stand out on both sides.

    A maximum stands out by its height above the higher of two valleys: the lowest
    samples between it and the next higher sample, or the end, to its left and right. Of
    a flat top the middle is taken.

    Args:
        values: shape (n,).
        prominence: least height, in the unit of the values.

    Returns:
        Their indices, in order.
    """
    starts = np.flatnonzero(np.diff(values, prepend=np.nan) != 0.0)
    ends = np.append(starts[1:] - 1, len(values) - 1)[: len(starts)]
    found = []
    for first, last in zip(starts, ends, strict=True):
        if first == 0 or last == len(values) - 1:
            continue
        top = values[first]
        if not (values[first - 1] < top and values[last + 1] < top):
            continue
        peak = int(first + last) // 2
        valley = max(
            _lowest_until_higher(values[peak::-1]), _lowest_until_higher(values[peak:])
        )
        if top - valley >= prominence:
            found.append(peak)
    return np.array(found, dtype=np.int64)


def _lowest_until_higher(values: FloatArray) -> float:
    """Return the lowest value before one is higher than the first."""
    higher = np.flatnonzero(~(values <= values[0]))
    return float(np.min(values[: higher[0]] if len(higher) else values))

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
    inside = (starts > 0) & (ends < len(values) - 1)
    starts = starts[inside]
    ends = ends[inside]
    tops = (values[starts - 1] < values[starts]) & (values[ends + 1] < values[starts])
    heights = values.tolist()
    found = [
        peak
        for peak in ((starts[tops] + ends[tops]) // 2).tolist()
        if _falls(heights, peak, -1, prominence)
        and _falls(heights, peak, 1, prominence)
    ]
    return np.array(found, dtype=np.int64)


def _falls(values: list[float], peak: int, way: int, prominence: float) -> bool:
    """Return whether a maximum falls by a prominence before a sample is higher."""
    top = values[peak]
    at = peak + way
    while 0 <= at < len(values) and values[at] <= top:
        if top - values[at] >= prominence:
            return True
        at += way
    return False

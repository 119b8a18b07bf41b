# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The force under one foot over one stance: its shape, with the same low-pass for simulated and recorded feet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.signal import butter, filtfilt

from biped_slip.compile.arrays import Array
from biped_slip.recordings.contacts import stances

CUTOFF = 8.0  # [Hz] of the zero-phase low-pass: touchdown transients are no maxima of the M (choice)
CLEARLY = 0.02  # body weights above or below the weight: more than a low-pass overshoots by (choice)
LEVEL = 0.03  # body weights; with more a foot stands
SHORTEST = 0.25  # [s] of a stance
SHARES = np.linspace(0.0, 1.0, 101)


class Humps(NamedTuple):
    """First maximum, minimum between, second maximum, in body weights."""

    first: float
    between: float
    second: float

    @property
    def m_shaped(self) -> bool:
        """Two maxima above the weight and a minimum below it (B.3)."""
        return min(self.first, self.second) > 1.0 + CLEARLY and self.between < 1.0 - CLEARLY


class StanceCurves(NamedTuple):
    """Whole stances on one scale: shares of their duration, 101 points each."""

    normal: Array  # (stances, 101) [body weights], as measured
    forward: Array  # (stances, 101) [body weights]
    humps: tuple[Humps, ...]


def smoothed(values: Array, step: float) -> Array:
    """Zero-phase second-order low-pass of a series with samples every ``step`` [s]."""
    numerator, denominator = butter(2, CUTOFF * 2.0 * step)
    return np.asarray(filtfilt(numerator, denominator, values))


def humps(normal: Array) -> Humps:
    """Maxima of the first and the last 45 % of a stance and the minimum between them."""
    count = len(normal)
    first = int(np.argmax(normal[: int(0.45 * count)]))
    second = int(0.55 * count) + int(np.argmax(normal[int(0.55 * count) :]))
    return Humps(float(normal[first]), float(normal[first:second].min()), float(normal[second]))


def stance_curves(time: Array, normal: Array, forward: Array, weight: float) -> StanceCurves:
    """Every stance that begins and ends inside a series of one foot's forces (n,) [N]."""
    step = float(np.median(np.diff(time)))
    smooth, found = smoothed(normal, step) / weight, []
    for stance in stances(normal, LEVEL * weight, max(round(SHORTEST / step), 2)):
        if stance.first > 0 and stance.last < len(normal):
            found.append(stance)
    if not found:
        return StanceCurves(np.empty((0, 101)), np.empty((0, 101)), ())
    return StanceCurves(
        np.array([_resampled(normal[s.first : s.last]) for s in found]) / weight,
        np.array([_resampled(forward[s.first : s.last]) for s in found]) / weight,
        tuple(humps(smooth[s.first : s.last]) for s in found),
    )


def joined(parts: list[StanceCurves]) -> StanceCurves:
    """The stances of several feet."""
    return StanceCurves(
        np.vstack([part.normal for part in parts]),
        np.vstack([part.forward for part in parts]),
        tuple(hump for part in parts for hump in part.humps),
    )


def _resampled(values: Array) -> Array:
    return np.interp(SHARES, np.linspace(0.0, 1.0, len(values)), values)

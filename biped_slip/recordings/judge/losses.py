# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Losses: what a foot's sensor lost while the foot stood, and what it reads in the air.

A foot can't leave the floor and bear its load again within 30 ms: a shorter loss
between loaded samples is one of the sensor, and belongs to the stance. A sensor whose
zero drifts reads a load in the air, too: where every swing of a foot leaves more than a
contact begins with, stances are found above what the swings leave.
"""

from __future__ import annotations

import itertools
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.recordings.series import FloatArray, Stance, TimeSeries

LONGEST_LOSS = 0.03  # [s] that is none of the foot's
LOADED_SHARE = 0.1  # of the usual load, that a foot bears right before and after it
STRIDE = 2.0  # [s] in which a walking foot is in the air at least once
LEAST_STRIDES = 3  # of such stretches, which make a line
LOW = 0.1  # share of a stride that a foot is in the air at least
LEAST_SWING = 0.15  # of all samples, that lie on the line
LARGEST_SHARE = 0.25  # of the usual load that a zero drifts by
# of the usual load, by which the force falls between a stance and the air
SWING_SHARE = 0.5


def without_losses(
    found: Sequence[Stance],
    time: FloatArray,
    normal: FloatArray,
    load: float,
) -> list[Stance]:
    """Join stances between which the sensor lost the foot.

    Args:
        found: stances in the order of time.
        time: shape (n,) [s].
        normal: shape (n,) [N].
        load: usual normal force of the foot [N].
    """
    joined: list[Stance] = []
    for stance in found:
        if joined and _is_loss(joined[-1].last - 1, stance.first, time, normal, load):
            stance = Stance(joined.pop().first, stance.last)
        joined.append(stance)
    return joined


def _is_loss(
    before: int, after: int, time: FloatArray, normal: FloatArray, load: float
) -> bool:
    """Return whether no foot is that quick, from one loaded sample to another."""
    least = LOADED_SHARE * load
    return bool(
        time[after] - time[before] <= LONGEST_LOSS + 1e-9
        and normal[before] >= least
        and normal[after] >= least
    )


def lost_samples(stances: Sequence[Stance], normal: FloatArray, unloaded: float) -> int:
    """Count the samples inside stances below the force of a foot in the air [N]."""
    return sum(
        int(np.count_nonzero(~(normal[one.first : one.last] >= unloaded)))
        for one in stances
    )


def read_in_the_air(
    time: FloatArray, normal: FloatArray, load: float, begins: float
) -> FloatArray:
    """Estimate what a sensor reads while its foot is in the air, shape (n,) [N].

    It is a straight line through the low readings of every stride, where they lie on
    one, and 0 where they do not: then the foot was not in the air.

    Args:
        time: shape (n,) [s].
        normal: shape (n,) [N].
        load: usual normal force of the foot [N].
        begins: force from which on a foot stands [N].
    """
    none = np.zeros(len(normal))
    edges = np.searchsorted(time, np.arange(time[0], time[-1] + STRIDE, STRIDE))
    lowest: list[tuple[float, float]] = []
    for first, end in itertools.pairwise(edges):
        stride = normal[first:end]
        known = stride[np.isfinite(stride)]
        if len(known) > 1 and np.ptp(known) > SWING_SHARE * load:
            reading = float(np.quantile(known, LOW))
            near = np.abs(stride - reading) <= begins
            lowest.append((float(np.mean(time[first:end][near])), reading))
    if len(lowest) < LEAST_STRIDES:
        return none
    at, reading = np.array(lowest).T
    slope, offset = np.polyfit(at - time[0], reading, 1)
    line = slope * (time - time[0]) + offset
    scatter = np.abs(reading - np.interp(at, time, line))
    in_the_air = np.abs(normal - line) <= begins
    if (
        scatter.max() > begins
        or np.mean(in_the_air) < LEAST_SWING
        or np.abs(line).max() > LARGEST_SHARE * load
    ):
        return none
    return np.asarray(line, dtype=np.float64)


def drifted(
    series: TimeSeries, load: float, begins: float
) -> tuple[NDArray[np.float64], str]:
    """Return the normal force above what the swings leave, and say where that is more.

    Args:
        series: of a foot.
        load: its usual normal force [N].
        begins: force from which on a foot stands [N].
    """
    normal = series.force[:, 2]
    reading = read_in_the_air(series.time, normal, load, begins)
    if not float(reading.max(initial=0.0)) >= 0.5 * begins:
        return normal, ""
    words = (
        f"{series.name}: reads {reading[0]:.3g} N in the air at first and "
        f"{reading[-1]:.3g} N at last: stances are found above that, forces are as "
        "recorded (remove_zero takes such an offset off)"
    )
    return normal - reading, words

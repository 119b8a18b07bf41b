# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slides of a recorded foot: what the slip-based estimator finds, as a list.

The estimator goes through a series sample by sample, by the foot's motion where it is
known, and by the forces (the load changes, their ratio does not). Its thresholds follow
the load and the noise of the series.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.settings import SlipBasedConfig
from biped_slip.friction_estimation.slip_based import (
    SlipBasedEstimator,
    SlipBasedState,
    slip_based_step,
)
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.recordings.judge.slip import BY_FORCE, BY_MARKERS, BY_MOTION, Slip
from biped_slip.recordings.series import MARKER, FloatArray, TimeSeries

# [s]; slips closer than this, or than noise has a velocity averaged over, are one
MERGE_TIME = 0.03
SLIP_TIME, MU, MOVES, ON_LIMIT = range(4)  # columns of a trace


class SlidingSamples(NamedTuple):
    """One slip as samples first … last − 1 of its series."""

    first: int
    last: int
    mu: float  # |tangential| / normal over the slip [-]
    source: str  # motion | markers | force-plateau


def find_slips(series: TimeSeries, config: SlipBasedConfig) -> list[Slip]:
    """Find all slips in a series, in the order of time.

    The onset is as the detector dates it back, and close slips are joined.
    """
    trace = np.zeros((len(series.stamp_ns), 4))
    _trace(
        SlipBasedEstimator(config).initial_state(),
        series.table(),
        series.stamp_ns,
        trace,
        config.packed,
    )
    slipping = trace[:, SLIP_TIME] > 0.0
    edges = np.flatnonzero(np.diff(slipping.astype(np.int8), prepend=0, append=0))
    found: list[SlidingSamples] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        found = _join(found, _slide(series, trace, int(begin), int(end)), series)
    time = series.stamp_ns * 1e-9
    return [
        Slip(
            start=float(time[one.first]),
            end=float(time[one.last - 1]),
            mu=one.mu if math.isfinite(one.mu) else None,
            source=one.source,
        )
        for one in found
    ]


def _slide(
    series: TimeSeries, trace: FloatArray, begin: int, end: int
) -> SlidingSamples:
    """Read one slip from the trace of the estimator over samples begin … end − 1."""
    last = int(begin + np.flatnonzero(trace[begin:end, ON_LIMIT])[-1]) + 1
    onset = series.stamp_ns[begin] - round(trace[begin, SLIP_TIME] * 1e9)
    first = min(int(np.searchsorted(series.stamp_ns, onset, side="right")), begin)
    by_motion = BY_MARKERS if series.motion.source == MARKER else BY_MOTION
    return SlidingSamples(
        first=first,
        last=last,
        mu=float(trace[last - 1, MU]),
        source=by_motion if trace[begin, MOVES] else BY_FORCE,
    )


def _join(
    found: list[SlidingSamples], slip: SlidingSamples, series: TimeSeries
) -> list[SlidingSamples]:
    """Append a slip.

    The one before is lengthened when nothing but a moment lies between them.
    """
    if found and found[-1].source == slip.source:
        before = found[-1]
        slip = slip._replace(first=max(slip.first, before.last))
        pause = (series.stamp_ns[slip.first] - series.stamp_ns[before.last - 1]) * 1e-9
        longest = max(MERGE_TIME, series.motion.shortest_slide)
        if pause <= longest and _same_contact(series, before, slip):
            lengths = np.array([before.last - before.first, slip.last - slip.first])
            mu = float(np.average([before.mu, slip.mu], weights=lengths))
            return [*found[:-1], before._replace(last=slip.last, mu=mu)]
    return [*found, slip]


def _same_contact(
    series: TimeSeries, before: SlidingSamples, slip: SlidingSamples
) -> bool:
    """Return whether load and direction stay.

    Two strokes of a reversal are two slips.
    """
    between = series.force[before.last - 1 : slip.first + 1]
    turned = np.nan_to_num(between[0, :2]) @ np.nan_to_num(between[-1, :2]) < 0.0
    return bool((between[:, 2] > 0.0).all()) and not turned


@kernel
def _trace(
    state: SlipBasedState,
    table: FloatArray,
    stamps: NDArray[np.int64],
    trace: FloatArray,
    config: SlipBasedConfig,
) -> None:
    """Fill ``trace`` (shape (n, 4)) with the slip state of the estimator.

    There is one row for the state after every sample.
    """
    for i in range(len(stamps)):
        row = table[i]
        measurement = FootMeasurement(
            stamp_ns=stamps[i],
            force_x=row[0],
            force_y=row[1],
            force_normal=row[2],
            displacement_x=row[3],
            displacement_y=row[4],
            velocity_x=row[5],
            velocity_y=row[6],
            moment_normal=row[7],
            centre_of_pressure_x=row[8],
            centre_of_pressure_y=row[9],
            angular_rate=row[10],
        )
        state, _ = slip_based_step(
            state, config, measurement, (stamps[i] - stamps[max(i - 1, 0)]) * 1e-9
        )
        trace[i, SLIP_TIME] = state.slip_time
        trace[i, MU] = state.mu
        trace[i, MOVES] = state.by_motion
        trace[i, ON_LIMIT] = state.slip_time > 0.0 and (
            state.by_motion or state.plateau.plateau.misses == 0
        )

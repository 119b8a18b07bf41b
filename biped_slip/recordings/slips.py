# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slip events of a series: what the slip-based estimator finds sample by sample, as a list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.force_plateau import PlateauConfig
from biped_slip.friction_estimation.slip_based import (
    SlipBasedConfig,
    SlipBasedEstimator,
    SlipBasedState,
    slip_based_step,
)
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.recordings.contacts import OFF_SHARE, contact_level, usual_load
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, TimeSeries

NOISE_MARGIN = 5.0  # standard deviations of velocity noise that a moving foot must exceed
MERGE_TIME = 0.03  # [s]; slips closer than this are one
SLIP_TIME, MU, BY_MOTION, ON_LIMIT = range(4)  # columns of a trace


class Slip(NamedTuple):
    """One slip as samples first … last − 1 of its series."""

    first: int
    last: int
    mu: float  # |tangential| / normal over the slip [-]
    source: str  # motion | force-plateau


def slip_config(series: TimeSeries, processing: Processing) -> SlipBasedConfig:
    """Settings of the slip-based estimator for a series: thresholds follow its load and its noise."""
    load = usual_load(series.force[:, 2])
    return slip_settings(load, processing, series.force_noise, series.motion.velocity_noise)


def slip_settings(load: float, processing: Processing, force_noise: float, velocity_noise: float) -> SlipBasedConfig:
    """Settings for a foot whose normal force has ``load`` [N] as its 99th percentile."""
    level = contact_level(load, processing.contact_share, force_noise)
    threshold = max(processing.motion.speed_threshold, NOISE_MARGIN * velocity_noise)
    motion = type(processing.motion)(**{**processing.motion.to_mapping(), "speed_threshold": threshold})
    force = PlateauConfig(**{**processing.force.to_mapping(), "force_noise": force_noise})
    least = processing.slip_load_share * load
    return SlipBasedConfig(level, OFF_SHARE * level, processing.settle_time, least, motion, force)


def find_slips(series: TimeSeries, config: SlipBasedConfig) -> list[Slip]:
    """All slips in a series, the onset as the detector dates it back, close ones joined."""
    trace = np.zeros((len(series.stamp_ns), 4))
    _trace(SlipBasedEstimator(config).initial_state(), series.table(), series.stamp_ns, trace, config.packed)
    slipping = trace[:, SLIP_TIME] > 0.0
    edges = np.flatnonzero(np.diff(slipping.astype(np.int8), prepend=0, append=0))
    found: list[Slip] = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        last = int(begin + np.flatnonzero(trace[begin:end, ON_LIMIT])[-1]) + 1
        found = _join(found, _slip(series, trace, int(begin), last), series)
    return found


def _slip(series: TimeSeries, trace: FloatArray, begin: int, last: int) -> Slip:
    onset = series.stamp_ns[begin] - round(trace[begin, SLIP_TIME] * 1e9)
    first = min(int(np.searchsorted(series.stamp_ns, onset, side="right")), begin)
    source = "motion" if trace[begin, BY_MOTION] else "force-plateau"
    return Slip(first, last, float(trace[last - 1, MU]), source)


def _join(found: list[Slip], slip: Slip, series: TimeSeries) -> list[Slip]:
    """Append a slip, or lengthen the one before when nothing but a moment lies between them."""
    if found and found[-1].source == slip.source:
        before = found[-1]
        slip = slip._replace(first=max(slip.first, before.last))
        pause = (series.stamp_ns[slip.first] - series.stamp_ns[before.last - 1]) * 1e-9
        if pause <= MERGE_TIME and _same_contact(series, before, slip):
            lengths = np.array([before.last - before.first, slip.last - slip.first])
            mu = float(np.average([before.mu, slip.mu], weights=lengths))
            return [*found[:-1], Slip(before.first, slip.last, mu, slip.source)]
    return [*found, slip]


def _same_contact(series: TimeSeries, before: Slip, slip: Slip) -> bool:
    """Whether load and direction stay: two strokes of a reversal are two slips."""
    between = series.force[before.last - 1 : slip.first + 1]
    turned = np.nan_to_num(between[0, :2]) @ np.nan_to_num(between[-1, :2]) < 0.0
    return bool((between[:, 2] > 0.0).all()) and not turned


@kernel
def _trace(
    state: SlipBasedState, table: FloatArray, stamps: NDArray[np.int64], trace: FloatArray, config: SlipBasedConfig
) -> None:
    """Fill ``trace`` (shape (n, 4)) with what the estimator's state says of slip after every sample."""
    for i in range(len(stamps)):
        row = table[i]
        measurement = FootMeasurement(
            stamps[i], row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[10]
        )
        state, _ = slip_based_step(state, config, measurement, (stamps[i] - stamps[max(i - 1, 0)]) * 1e-9)
        trace[i, SLIP_TIME] = state.slip_time
        trace[i, MU] = state.mu
        trace[i, BY_MOTION] = state.by_motion
        trace[i, ON_LIMIT] = state.slip_time > 0.0 and (state.by_motion or state.plateau.plateau.misses == 0)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a recorded foot held without slip: a lower bound of mu whatever else is known, or an answer that it refutes."""

from __future__ import annotations

import math
from typing import Iterable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biped_slip.recordings.contacts import usual_load
from biped_slip.recordings.series import FloatArray, Stance, TimeSeries
from biped_slip.recordings.slips import Slip

HELD_TIME = 0.02  # [s] that a ratio must last
LOADED_SHARE = 0.1  # of the usual load, below which ratios mean little
NOISE_SIGMAS = 3.0  # of the force noise, that may have made a ratio larger


def held_ratio(series: TimeSeries, stance: Stance, slips: Iterable[Slip]) -> float:
    """Largest ratio of a stance that lasted for 20 ms under load and outside slips, less noise; NaN without one [-]."""
    surely = surely_held(series, usual_load(series.force[:, 2]))[stance.first : stance.last].copy()
    for slip in slips:
        surely[max(slip.first - stance.first, 0) : max(slip.last - stance.first, 0)] = np.nan
    span = max(math.ceil(HELD_TIME / series.step - 1e-6) + 1, 2)
    if surely.size < span:
        return math.nan
    lasting = np.min(sliding_window_view(surely, span), axis=1)  # NaN where any sample of the window is
    return float(np.nanmax(lasting)) if np.isfinite(lasting).any() else math.nan


def surely_held(series: TimeSeries, load: float) -> FloatArray:
    """Force ratio less what noise may have added, shape (n,); NaN where the foot is hardly loaded."""
    normal, ratio = series.force[:, 2], series.ratio
    loaded = np.where(normal > LOADED_SHARE * load, normal, np.nan)
    return np.asarray(ratio - NOISE_SIGMAS * series.force_noise * np.hypot(1.0, ratio) / loaded, dtype=np.float64)

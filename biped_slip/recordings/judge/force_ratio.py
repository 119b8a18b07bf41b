# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force ratio of a stance: the friction that a step required of its floor.

Required friction is the largest |tangential| / normal force between 10 and 90 % of a
stance: in its first and last tenth small forces are divided by small forces. A ratio
rises and falls within hundredths of a second, so below 100 samples a second its largest
value may lie between two samples, and below 50 it says nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.recordings.series import FloatArray, TimeSeries

EDGE_SHARE = 0.1  # of a stance at either end, where ratios of small forces mean little
FULL_RATE = 99.0  # [Hz]; 100 as clocks have it
LEAST_RATE = 49.0  # [Hz]; 50 as clocks have it


class StanceForces(NamedTuple):
    """Forces of a stance; NaN if not known.

    Required friction is the largest ratio outside the stance's first and last tenth.
    """

    peak_normal: float  # [N]
    peak_tangential: float = math.nan  # [N]
    required: float = math.nan  # |tangential| / normal [-]
    required_forward: float = math.nan  # along the foot, |Fx| / Fn [-]
    required_lateral: float = math.nan  # across, |Fy| / Fn [-]


def stance_forces(force: FloatArray) -> StanceForces:
    """Compute peak forces and required friction of one stance from its forces.

    The forces have shape (n, 3), z along the normal [N].
    """
    edge = math.ceil(EDGE_SHARE * len(force))
    middle = force[edge : len(force) - edge]
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.where(middle[:, 2] > 0.0, middle[:, 2], np.nan)
        forward = np.abs(middle[:, 0]) / normal
        lateral = np.abs(middle[:, 1]) / normal
    total = np.hypot(forward, np.nan_to_num(lateral))
    tangential = np.hypot(force[:, 0], np.nan_to_num(force[:, 1]))
    return StanceForces(
        peak_normal=_largest(force[:, 2]),
        peak_tangential=_largest(tangential),
        required=_largest(total),
        required_forward=_largest(forward),
        required_lateral=_largest(lateral),
    )


def _largest(values: FloatArray) -> float:
    """Return the largest finite value; NaN without one."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


def on_slope(force: FloatArray, slope: float) -> FloatArray:
    """Rotate forces in axes of gravity into those of a ramp.

    Args:
        force: x along the walk (level), y left, z up, shape (n, 3) [N].
        slope: of the ramp along the walk, positive uphill [rad].

    Returns:
        x along the ramp, y left, z normal to it, shape (n, 3) [N].
    """
    along = force[:, 0] * math.cos(slope) + force[:, 2] * math.sin(slope)
    normal = force[:, 2] * math.cos(slope) - force[:, 0] * math.sin(slope)
    return np.column_stack([along, force[:, 1], normal])


def too_slow(series: TimeSeries) -> str:
    """Explain why the sampling rate is too low for force ratios; empty if it is not."""
    rate = 1.0 / series.step
    return (
        f"sampled at {rate:.3g} Hz: force ratios need at least 50 Hz"
        if rate < LEAST_RATE
        else ""
    )


def only_at_least(series: TimeSeries) -> bool:
    """Return whether the largest ratio may lie between two samples.

    Required friction is then a lower bound.
    """
    return LEAST_RATE <= 1.0 / series.step < FULL_RATE


def rate_notes(series: Sequence[TimeSeries]) -> list[str]:
    """Describe the effect of the sampling rates on force ratios."""
    notes = [f"{one.name}: {too_slow(one)}" for one in series if too_slow(one)]
    words = (
        "{}: sampled at {:.3g} Hz: required friction is a lower bound; sample at "
        "100 Hz or more"
    )
    return notes + [
        words.format(one.name, 1.0 / one.step) for one in series if only_at_least(one)
    ]

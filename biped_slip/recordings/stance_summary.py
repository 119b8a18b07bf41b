# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What one stance asked of its floor, and the weight that was carried."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.recordings.series import FloatArray, Stance, TimeSeries

EDGE_SHARE = 0.1  # of a stance at either end, where ratios of small forces mean little
LONGEST_FLIGHT = 0.4  # [s] without any contact that still belongs to one run
EDGE_TIME = 0.02  # [s]; a stance that begins or ends this close to the recording's ends is cut off there
STILL_SHARE = 0.1  # of the mean by which the total force of standing may scatter


class Demand(NamedTuple):
    """Forces of a stance; ratios are the largest outside its first and last tenth; NaN where not known."""

    peak_normal: float  # [N]
    peak_tangential: float  # [N]
    required: float  # |tangential| / normal [-]
    required_forward: float  # along the foot, |Fx| / Fn [-]
    required_lateral: float  # across, |Fy| / Fn [-]


class Span(NamedTuple):
    """A stance in time, on a sensor."""

    first: float  # [s]
    last: float  # [s]
    sensor: int


def cut_off(series: TimeSeries, stance: Stance, unloaded: float) -> bool:
    """Whether a stance reaches an end of the series at which the foot still bears more than ``unloaded`` [N].

    A piece of a long recording ends with its foot in the air, just after a stance that is whole.
    """
    time, edge, normal = series.stamp_ns, round(1e9 * EDGE_TIME), series.force[:, 2]
    begins = time[stance.first] - time[0] <= edge and not normal[0] < unloaded
    return bool(begins or (time[-1] - time[stance.last - 1] <= edge and not normal[-1] < unloaded))


def demand(series: TimeSeries, stance: Stance) -> Demand:
    """Peak forces and required friction of one stance."""
    force = series.force[stance.first : stance.last]
    edge = math.ceil(EDGE_SHARE * len(force))
    middle = force[edge : len(force) - edge]
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.where(middle[:, 2] > 0.0, middle[:, 2], np.nan)
        forward, lateral = np.abs(middle[:, 0]) / normal, np.abs(middle[:, 1]) / normal
    total = np.hypot(forward, np.nan_to_num(lateral))
    tangential = np.hypot(force[:, 0], np.nan_to_num(force[:, 1]))
    return Demand(*(_largest(values) for values in (force[:, 2], tangential, total, forward, lateral)))


def _largest(values: FloatArray) -> float:
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


def body_weight(feet: Sequence[tuple[TimeSeries, Sequence[Stance]]]) -> tuple[float, str]:
    """Weight carried by all feet or plates together, and how it was found; NaN when it can't be [N].

    Over whole steps the mean of the total vertical force is the weight, flight included. With every stance of a
    stride recorded, that is from a touchdown to the next but one; on a few plates, from the middle of a stance to the
    middle of a later one. A person who stands still is weighed as is.
    """
    time, total = _total(feet)
    if not len(time):
        return math.nan, "the sensors have no unit of force"
    spans = sorted(
        Span(float(series.stamp_ns[stance.first]) * 1e-9, float(series.stamp_ns[stance.last - 1]) * 1e-9, sensor)
        for sensor, (series, found) in enumerate(feet)
        for stance in found
    )
    if spans and all(one.first <= time[0] + EDGE_TIME and one.last >= time[-1] - EDGE_TIME for one in spans):
        if np.nanstd(total) > STILL_SHARE * abs(np.nanmean(total)):
            return math.nan, "neither steps nor still standing"
        return float(np.nanmean(total)), "mean over still standing"
    begin, end, words = _whole_steps(_longest_chain(spans), time[0] + EDGE_TIME, time[-1] - EDGE_TIME)
    whole = total[(time >= begin) & (time < end)]
    if not len(whole):
        return math.nan, words
    return float(np.mean(whole)), f"mean over {words}, {begin:.2f} to {end:.2f} s"


def _whole_steps(chain: list[Span], earliest: float, latest: float) -> tuple[float, float, str]:
    """Begin and end of a whole number of steps in a chain of stances, and what they are."""
    touchdowns = [one.first for one in chain[1:] if one.first > earliest]  # the stance before one is in the chain
    strides = (len(touchdowns) - 1) // 2
    if strides >= 1:
        return touchdowns[0], touchdowns[2 * strides], f"{strides} stride(s)"
    middles = [0.5 * (one.first + one.last) for one in chain if one.first > earliest and one.last < latest]
    steps = len(middles) - 1
    if steps < 1:
        return 0.0, 0.0, "no two steps follow one another"
    even = steps if steps < 2 else 2 * (steps // 2)
    return middles[0], middles[even], f"{even} step(s)"


def _longest_chain(spans: list[Span]) -> list[Span]:
    """The longest run of stances on alternating sensors, each beginning before or shortly after the last one ends."""
    best: list[Span] = []
    chain: list[Span] = []
    for span in spans:
        alternates = bool(chain) and chain[-1].sensor != span.sensor
        follows = alternates and chain[-1].first < span.first <= chain[-1].last + LONGEST_FLIGHT
        chain = [*chain, span] if follows else [span]
        best = max(best, chain, key=len)
    return best


def _total(feet: Sequence[tuple[TimeSeries, Sequence[Stance]]]) -> tuple[FloatArray, FloatArray]:
    """Total vertical force of all feet, on the time of the first."""
    if not feet or feet[0][0].normal_unit != "N":
        return np.empty(0), np.empty(0)
    stamps = feet[0][0].stamp_ns
    total = np.zeros(len(stamps))
    for series, _ in feet:
        loaded = np.nan_to_num(series.force[:, 2], posinf=0.0, neginf=0.0)
        same = len(series.stamp_ns) == len(stamps) and bool((series.stamp_ns == stamps).all())
        total += loaded if same else np.interp(stamps, series.stamp_ns, loaded, left=0.0, right=0.0)
    return stamps.astype(float) * 1e-9, total

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Body weight: what a subject weighs, from the forces under all feet together.

Over whole steps the centre of mass ends as it began, so the mean of the total vertical
force is the weight, flight included; so it is over quiet standing. What comes first:

1. a second of quiet standing,
2. whole strides (every stance recorded), or an even number of steps (a few plates),
3. a mass that is written down,
4. a single step.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.recordings.judge.stances import EDGE_TIME
from biped_slip.recordings.layout import G0
from biped_slip.recordings.series import FloatArray, Stance, TimeSeries

LONGEST_FLIGHT = 0.4  # [s] without any contact that still belongs to one run
STEADY_SHARE = 0.1  # of the mean by which the total force of standing may scatter
QUIET_TIME = 1.0  # [s] of quiet standing
# of the mean, by which the total force of quiet standing in a walk scatters
QUIET_SHARE = 0.01
# of what is carried mostly: a person with one foot beside the plates stands on less
FULL_SHARE = 0.85
WEIGHTS_APART = 3.0  # [%] from which on two weights are no longer the same


class BodyWeight(NamedTuple):
    """Weight of a subject and its source."""

    newtons: float  # [N]; NaN where it can't be known
    source: str  # how it was found, or why it was not


class Span(NamedTuple):
    """A stance in time, on a sensor."""

    first: float  # [s]
    last: float  # [s]
    sensor: int


def plural(number: int, what: str) -> str:
    """Format a number of things in words."""
    return f"{number} {what}" + "s" * (number != 1)


def body_weight(
    feet: Sequence[tuple[TimeSeries, Sequence[Stance]]],
    masses: Sequence[tuple[float, str]] = (),
    spoiled: str = "",
) -> BodyWeight:
    """Estimate the subject's weight; all sources are named where they differ.

    With every stance of a stride recorded, that lasts from a touchdown to the next but
    one; on a few plates, from the middle of a stance to the middle of a later one.

    Args:
        feet: all feet or plates together, each with its stances.
        masses: what is written down [kg] and where; NaN is left out.
        spoiled: why the forces don't tell the weight; empty where they may.
    """
    carried = (
        Carried(newtons=math.nan, source=spoiled, certain=False)
        if spoiled
        else _carried(feet)
    )
    kilograms, source = next(
        ((m, where) for m, where in masses if math.isfinite(m)), (math.nan, "")
    )
    written = kilograms * G0
    if math.isnan(written):
        return BodyWeight(carried.newtons, carried.source)
    if math.isnan(carried.newtons):
        return BodyWeight(written, source)
    apart = 100.0 * (carried.newtons / written - 1.0)
    doubt = (
        f"; {abs(apart):.0f} % apart, check which is right"
        if abs(apart) >= WEIGHTS_APART
        else ""
    )
    if carried.certain:
        words = f"{carried.source}; {source} says {written:.1f} N{doubt}"
        return BodyWeight(carried.newtons, words)
    words = f"{source}; {carried.source} says {carried.newtons:.1f} N{doubt}"
    return BodyWeight(written, words)


class Carried(NamedTuple):
    """Weight that the forces show."""

    newtons: float  # [N]; NaN where they don't
    source: str  # over what, or why not
    certain: bool  # standing or whole strides, against which a written mass is nothing


def _carried(feet: Sequence[tuple[TimeSeries, Sequence[Stance]]]) -> Carried:
    """Estimate the weight that the forces show."""
    time, total = _total(feet)
    if not len(time):
        return Carried(math.nan, "the sensors have no unit of force", certain=False)
    spans = sorted(
        Span(
            first=float(series.stamp_ns[stance.first]) * 1e-9,
            last=float(series.stamp_ns[stance.last - 1]) * 1e-9,
            sensor=sensor,
        )
        for sensor, (series, found) in enumerate(feet)
        for stance in found
    )
    earliest = time[0] + EDGE_TIME
    latest = time[-1] - EDGE_TIME
    if spans and all(one.first <= earliest and one.last >= latest for one in spans):
        return _standing_throughout(total)
    still = _stillest(time, total, np.sort([edge for one in spans for edge in one[:2]]))
    if still is not None:
        words = (
            f"mean over still standing, {time[still.start]:.2f} to "
            f"{time[still.stop - 1]:.2f} s"
        )
        return Carried(float(np.mean(total[still])), words, certain=True)
    begin, end, words = _whole_steps(_longest_chain(spans), earliest, latest)
    whole = total[(time >= begin) & (time < end)]
    if not len(whole):
        return Carried(math.nan, words, certain=False)
    return Carried(
        newtons=float(np.mean(whole)),
        source=f"mean over {words}, {begin:.2f} to {end:.2f} s",
        certain=words != "1 step",
    )


def _standing_throughout(total: FloatArray) -> Carried:
    """Estimate the weight of a subject whose feet stand from begin to end."""
    if np.nanstd(total) > STEADY_SHARE * abs(np.nanmean(total)):
        return Carried(math.nan, "neither steps nor still standing", certain=False)
    return Carried(float(np.nanmean(total)), "mean over still standing", certain=True)


def _stillest(time: FloatArray, total: FloatArray, edges: FloatArray) -> slice | None:
    """Find the second of quiet standing in which the total force scatters least.

    ``edges`` are those of stances [s].
    """
    count = round(QUIET_TIME / float(np.median(np.diff(time))))
    if not 2 <= count <= len(total):
        return None
    mean = _moving_mean(total, count)
    square = _moving_mean(total**2, count)
    scatter = np.sqrt(np.maximum(square - mean**2, 0.0))
    stands = mean > FULL_SHARE * float(np.quantile(total, 0.9))
    # and no stance begins or ends meanwhile
    stands &= np.searchsorted(edges, time[: len(mean)]) == np.searchsorted(
        edges, time[count - 1 :], side="right"
    )
    if not stands.any():
        return None
    best = int(np.argmin(np.where(stands, scatter / np.maximum(mean, 1e-9), np.inf)))
    return (
        slice(best, best + count) if scatter[best] <= QUIET_SHARE * mean[best] else None
    )


def _moving_mean(values: FloatArray, count: int) -> FloatArray:
    """Average each ``count`` neighbours, shape (n - count + 1,)."""
    sums = np.cumsum(np.concatenate([[0.0], values]))
    return (sums[count:] - sums[:-count]) / count


def _whole_steps(
    chain: list[Span], earliest: float, latest: float
) -> tuple[float, float, str]:
    """Find begin and end of a whole number of steps in a chain of stances.

    Return their description, too.
    """
    # the stance before each of these is in the chain
    touchdowns = [one.first for one in chain[1:] if one.first > earliest]
    strides = (len(touchdowns) - 1) // 2
    if strides >= 1:
        return touchdowns[0], touchdowns[2 * strides], plural(strides, "stride")
    middles = [
        0.5 * (one.first + one.last)
        for one in chain
        if one.first > earliest and one.last < latest
    ]
    steps = len(middles) - 1
    if steps < 1:
        return 0.0, 0.0, "no two steps follow one another"
    even = steps if steps < 2 else 2 * (steps // 2)
    return middles[0], middles[even], plural(even, "step")


def _longest_chain(spans: list[Span]) -> list[Span]:
    """Find the longest run of stances on alternating sensors.

    Each begins about when the last one ends.
    """
    best: list[Span] = []
    chain: list[Span] = []
    for span in spans:
        alternates = bool(chain) and chain[-1].sensor != span.sensor
        follows = (
            alternates
            and chain[-1].first < span.first <= chain[-1].last + LONGEST_FLIGHT
        )
        chain = [*chain, span] if follows else [span]
        best = max(best, chain, key=len)
    return best


def _total(
    feet: Sequence[tuple[TimeSeries, Sequence[Stance]]],
) -> tuple[FloatArray, FloatArray]:
    """Sum the vertical forces of all feet, on the time of the first."""
    if not feet or feet[0][0].normal_unit != "N":
        return np.empty(0), np.empty(0)
    stamps = feet[0][0].stamp_ns
    total = np.zeros(len(stamps))
    for series, _ in feet:
        loaded = np.nan_to_num(series.force[:, 2], posinf=0.0, neginf=0.0)
        same = len(series.stamp_ns) == len(stamps) and bool(
            (series.stamp_ns == stamps).all()
        )
        total += (
            loaded
            if same
            else np.interp(stamps, series.stamp_ns, loaded, left=0.0, right=0.0)
        )
    return stamps.astype(float) * 1e-9, total

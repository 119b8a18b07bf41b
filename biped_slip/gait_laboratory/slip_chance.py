# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Chance that a step asks for more friction than the floor has: P(ACOF < RCOF) of a random step on a random reading.

Both are samples: required friction of n steps, available friction of m readings. The share of all n x m pairs in which
the reading is below the step is the estimate (Mann and Whitney's statistic). What differs is the interval; the table of
``chance_coverage`` shows which of them hold what they promise, and ``DEFAULT`` is the narrowest that does.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, binomtest, norm

from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.recordings.series import FloatArray

DEFAULT = "automatic"
FEW = 20  # steps or readings; with fewer, only the exact interval holds the truth as often as it says in every world
CONFIDENCE = 0.95
RESAMPLES = 1000
SEED = 20260101
NEXT = 1e-9  # beside the estimate, where the other root lies beyond


class Chance(NamedTuple):
    """A chance with its interval."""

    estimate: float
    low: float
    high: float
    steps: int
    readings: int
    method: str


def placements(values: FloatArray, others: FloatArray) -> FloatArray:
    """For each value the share of the others below it, ties counted half, shape of ``values``."""
    ordered = np.sort(others)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / (2.0 * len(others))


def share_below(required: FloatArray, available: FloatArray) -> float:
    """Share of all pairs in which the reading is below the step, ties counted half."""
    return float(np.mean(placements(required, available)))


def score(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Interval by inverting a score with the variance of exponential distributions [Newcombe2006]_.

    Never outside 0 … 1, and not empty where no pair or every pair is below.
    """
    return _score(share_below(required, available), len(required), len(available), 0.0)


def wide_score(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """The same with the variance that the samples show [DeLong1988]_ where that is larger.

    Skewed and two-humped samples scatter more than the exponential model says.
    """
    estimate = share_below(required, available)
    if not 0.0 < estimate < 1.0:
        return score(required, available)
    by_step, by_reading = placements(required, available), placements(available, required)
    shown = float(np.var(by_step, ddof=1)) / len(required) + float(np.var(by_reading, ddof=1)) / len(available)
    return _score(estimate, len(required), len(available), shown / (estimate * (1.0 - estimate)))


def _score(estimate: float, n: int, m: int, shown: float) -> tuple[float, float]:
    """Chances p at which the estimate is z standard deviations away; ``shown``: variance seen, over p (1 - p)."""
    z = norm.ppf(0.5 + 0.5 * CONFIDENCE)
    middle = 0.5 * (n + m) - 1.0

    def beyond(p: float) -> float:
        model = (1.0 + middle * ((1.0 - p) / (2.0 - p) + p / (1.0 + p))) / (n * m)
        return (estimate - p) ** 2 - z**2 * p * (1.0 - p) * max(model, shown)

    low = brentq(beyond, 0.0, estimate) if estimate > 0.0 else 0.0
    high = brentq(beyond, min(estimate + NEXT, 1.0), 1.0) if estimate < 1.0 else 1.0
    return float(low), float(high)


def exact(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Clopper and Pearson's interval with as many trials as the smaller sample has values.

    Of k = min(n, m) pairs without a value in common, the number that slip is binomial, whatever the distributions. The
    share of all pairs is its mean over all ways to pair, so it scatters less, and the interval at that share holds the
    truth at least as often.
    """
    count = min(len(required), len(available))
    slipped = share_below(required, available) * count
    low = float(beta.ppf(0.5 - 0.5 * CONFIDENCE, slipped, count - slipped + 1.0)) if slipped > 0.0 else 0.0
    high = float(beta.ppf(0.5 + 0.5 * CONFIDENCE, slipped + 1.0, count - slipped)) if slipped < count else 1.0
    return low, high


def bootstrap(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Percentiles over resampled steps and readings."""
    rng = np.random.default_rng(SEED)
    found = [
        share_below(rng.choice(required, len(required)), rng.choice(available, len(available)))
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(found, [0.5 - 0.5 * CONFIDENCE, 0.5 + 0.5 * CONFIDENCE])
    return float(low), float(high)


def normal(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Generalised interval under two normal distributions of any spread [Weerahandi1995]_."""
    rng = np.random.default_rng(SEED)
    drawn = []
    for values in (required, available):
        count = len(values)
        spread = float(np.std(values, ddof=1)) * np.sqrt((count - 1) / rng.chisquare(count - 1, RESAMPLES))
        drawn.append((float(np.mean(values)) + spread * rng.standard_normal(RESAMPLES) / math.sqrt(count), spread))
    (ask, ask_spread), (have, have_spread) = drawn
    chances = norm.cdf((ask - have) / np.maximum(np.hypot(ask_spread, have_spread), 1e-12))
    low, high = np.quantile(chances, [0.5 - 0.5 * CONFIDENCE, 0.5 + 0.5 * CONFIDENCE])
    return float(low), float(high)


def automatic(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """The narrowest that holds the truth: ``wide_score``, or ``exact`` where steps or readings are few."""
    few = min(len(required), len(available)) < FEW
    return (exact if few else wide_score)(required, available)


METHODS: dict[str, Callable[[FloatArray, FloatArray], tuple[float, float]]] = {
    "automatic": automatic,
    "wide score": wide_score,
    "score": score,
    "exact": exact,
    "bootstrap": bootstrap,
    "normal": normal,
}


def chance_of_slip(required: FloatArray, available: FloatArray, method: str = DEFAULT) -> Chance:
    """Chance that a step slips.

    Args:
        required: RCOF of the steps, shape (n,); unknown ones (NaN) are left out.
        available: readings of one instrument on one surface with one shoe, shape (m,). A single reading is taken as
            exact, and the interval is then the exact one of a share of steps.
        method: a key of ``METHODS``.

    Raises:
        BipedSlipError: fewer than two steps, or no reading.
        UnknownName: no such method.
    """
    required, available = (np.asarray(values, dtype=float) for values in (required, available))
    required, available = required[np.isfinite(required)], available[np.isfinite(available)]
    if len(required) < 2 or not len(available):
        raise BipedSlipError(
            f"a chance of slipping needs at least 2 steps and 1 reading of the floor, "
            f"not {len(required)} and {len(available)}"
        )
    estimate = share_below(required, available)
    if len(available) == 1:
        above = int(np.sum(required > available[0]))
        interval = binomtest(above, len(required)).proportion_ci(CONFIDENCE)
        return Chance(estimate, float(interval.low), float(interval.high), len(required), 1, "exact")
    if method not in METHODS:
        raise UnknownName("interval", method, list(METHODS))
    if method == DEFAULT:
        method = "exact" if min(len(required), len(available)) < FEW else "wide score"
    low, high = METHODS[method](required, available)
    return Chance(estimate, low, high, len(required), len(available), method)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Distributions of required and available friction, fitted and tested.

Normal, lognormal and Weibull are those that were tried on 50 people's steps [Chang2012b]_. The statistic is Anderson
and Darling's; since the parameters are fitted to the same values, its distribution under the null is drawn, not looked
up: for these families it depends on the number of values only.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.series import FloatArray

FAMILIES = ("normal", "lognormal", "weibull")
LEVEL = 0.05  # of the test
DRAWS = 2000
FEWEST = 8  # values; with fewer a test tells nothing
MOST_DRAWN = 300  # values; beyond, the statistic's distribution no longer changes
SEED = 20260102
NEWTON_STEPS = 60


class Fit(NamedTuple):
    """One fitted family."""

    family: str
    location: float  # mean, mean of the logarithm, logarithm of the scale
    scale: float  # standard deviation, that of the logarithm, one over the shape
    statistic: float  # Anderson-Darling
    p: float  # of the test of fit; NaN with too few values
    refused: bool  # the values don't come from this family


def fit(values: FloatArray, family: str) -> Fit:
    """Fit a family by maximum likelihood and test it.

    Args:
        values: shape (n,), at least 3, positive for lognormal and weibull.
        family: one of ``FAMILIES``.

    Raises:
        BipedSlipError: too few values, or all the same.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 3 or not np.ptp(values) > 0.0:
        raise BipedSlipError(f"a distribution needs at least 3 different values, not {len(values)} of {values[:1]}")
    if family != "normal" and not (values > 0.0).all():
        raise BipedSlipError(f"a {family} distribution needs positive values, the smallest is {values.min():g}")
    used = values if family == "normal" else np.log(values)
    location, scale = (float(number[0]) for number in _fitted(used[None, :], family))
    statistic = float(_statistic(used[None, :], np.array([location]), np.array([scale]), family)[0])
    if len(values) < FEWEST:
        return Fit(family, location, scale, statistic, float("nan"), False)
    p = float((1 + np.sum(_null(len(values), family) >= statistic)) / (1 + DRAWS))
    return Fit(family, location, scale, statistic, p, p < LEVEL)


def fits(values: FloatArray) -> list[Fit]:
    """Every family that can be fitted to the values, the best p first."""
    values = np.asarray(values, dtype=float)
    usable = FAMILIES if (values > 0.0).all() else FAMILIES[:1]
    return sorted((fit(values, family) for family in usable), key=lambda one: -np.nan_to_num(one.p))


def probability(one: Fit, value: FloatArray) -> FloatArray:
    """Cumulative probability of a fitted family at some values."""
    with np.errstate(divide="ignore"):
        used = value if one.family == "normal" else np.log(np.maximum(value, 0.0))
    return _cumulative((used - one.location) / one.scale, one.family)


def _cumulative(z: FloatArray, family: str) -> FloatArray:
    return -np.expm1(-np.exp(np.minimum(z, 50.0))) if family == "weibull" else norm.cdf(z)


def _fitted(values: FloatArray, family: str) -> tuple[FloatArray, FloatArray]:
    """Location and scale of every row, shape (rows,) each."""
    if family != "weibull":
        return values.mean(axis=1), values.std(axis=1, ddof=1)
    centred = values - values.mean(axis=1, keepdims=True)
    shape = np.pi / np.sqrt(6.0) / np.maximum(centred.std(axis=1), 1e-12)
    for _ in range(NEWTON_STEPS):  # of sum(x^k ln x)/sum(x^k) - 1/k = 0 with the mean of ln x at 0
        power = np.exp(np.clip(shape[:, None] * centred, -700.0, 700.0))
        total = power.sum(axis=1)
        first = (power * centred).sum(axis=1) / total
        second = (power * centred**2).sum(axis=1) / total
        change = (first - 1.0 / shape) / (second - first**2 + shape**-2)
        shape = np.maximum(shape - change, 0.2 * shape)
    scale = 1.0 / shape
    return scale * np.log(np.exp(shape[:, None] * centred).mean(axis=1)) + values.mean(axis=1), scale


def _statistic(values: FloatArray, location: FloatArray, scale: FloatArray, family: str) -> FloatArray:
    z = np.sort((values - location[:, None]) / scale[:, None], axis=1)
    below = np.clip(_cumulative(z, family), 1e-15, 1.0 - 1e-15)
    count = values.shape[1]
    weight = 2.0 * np.arange(1, count + 1) - 1.0
    return -count - (weight * (np.log(below) + np.log1p(-below[:, ::-1]))).sum(axis=1) / count


def _null(count: int, family: str) -> FloatArray:
    """The statistic of samples that do come from the family."""
    return _drawn_null(min(count, MOST_DRAWN), family)


@functools.lru_cache(maxsize=64)
def _drawn_null(count: int, family: str) -> FloatArray:
    rng = np.random.default_rng(SEED)
    drawn = rng.standard_normal((DRAWS, count))
    if family == "weibull":
        drawn = np.log(rng.standard_exponential((DRAWS, count)))
    return _statistic(drawn, *_fitted(drawn, family), family)

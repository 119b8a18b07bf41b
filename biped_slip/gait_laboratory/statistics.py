# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of steps per condition and foot, with fitted distributions."""

from __future__ import annotations

import functools
import math
from collections import Counter
from pathlib import Path
from typing import Iterable, NamedTuple, Sequence

import numpy as np
from scipy.stats import norm

from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.step import CLASSES, Step, write_table
from biped_slip.recordings.series import FloatArray

# Distributions of friction: those that were tried on 50 people's steps [Chang2012b]_.
# The statistic is Anderson and Darling's; since the parameters are fitted to the same
# values, its distribution under the null is drawn, not looked up: for these families it
# depends on the number of values only.

FAMILIES = ("normal", "lognormal", "weibull")
SIGNIFICANCE = 0.05  # of the test
DRAWS = 2000
LEAST_VALUES = 8  # values; with fewer a test tells nothing
MOST_RESAMPLED = 300  # values; beyond, the statistic's distribution no longer changes
TEST_SEED = 20260102
NEWTON_STEPS = 60


class Fit(NamedTuple):
    """Fit of one family of distributions."""

    family: str
    location: float  # mean, mean of the logarithm, logarithm of the scale
    scale: float  # standard deviation, that of the logarithm, one over the shape
    statistic: float  # Anderson-Darling
    p: float  # of the test of fit; NaN with too few values
    refused: bool  # the values don't come from this family


UNTESTED = Fit(
    family="",
    location=math.nan,
    scale=math.nan,
    statistic=math.nan,
    p=math.nan,
    refused=False,
)


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
        raise BipedSlipError(
            f"a distribution needs at least 3 different values, not {len(values)} of "
            f"{values[:1]}"
        )
    if family != "normal" and not (values > 0.0).all():
        raise BipedSlipError(
            f"a {family} distribution needs positive values, the smallest is "
            f"{values.min():g}"
        )
    used = values if family == "normal" else np.log(values)
    location, scale = (float(number[0]) for number in _fitted(used[None, :], family))
    statistic = float(
        _statistic(used[None, :], np.array([location]), np.array([scale]), family)[0]
    )
    if len(values) < LEAST_VALUES:
        return Fit(
            family=family,
            location=location,
            scale=scale,
            statistic=statistic,
            p=float("nan"),
            refused=False,
        )
    p = float(
        (1 + np.sum(_null(min(len(values), MOST_RESAMPLED), family) >= statistic))
        / (1 + DRAWS)
    )
    return Fit(
        family=family,
        location=location,
        scale=scale,
        statistic=statistic,
        p=p,
        refused=p < SIGNIFICANCE,
    )


def fits(values: FloatArray) -> list[Fit]:
    """Fit every family that can be fitted to the values, the best p first."""
    values = np.asarray(values, dtype=float)
    usable = FAMILIES if (values > 0.0).all() else FAMILIES[:1]
    return sorted(
        (fit(values, family) for family in usable),
        key=lambda one: -np.nan_to_num(one.p),
    )


def tested(values: FloatArray) -> tuple[Fit, Fit]:
    """Return the family that fits best, and the normal one.

    Both are NaN for values that cannot be fitted.
    """
    try:
        found = fits(values)
    except BipedSlipError:
        return UNTESTED, UNTESTED
    return found[0], next(one for one in found if one.family == "normal")


def _fitted(values: FloatArray, family: str) -> tuple[FloatArray, FloatArray]:
    """Fit location and scale of every row, shape (rows,) each."""
    if family != "weibull":
        return values.mean(axis=1), values.std(axis=1, ddof=1)
    centred = values - values.mean(axis=1, keepdims=True)
    shape = np.pi / np.sqrt(6.0) / np.maximum(centred.std(axis=1), 1e-12)
    # of sum(x^k ln x)/sum(x^k) - 1/k = 0 with the mean of ln x at 0
    for _ in range(NEWTON_STEPS):
        power = np.exp(np.clip(shape[:, None] * centred, -700.0, 700.0))
        total = power.sum(axis=1)
        first = (power * centred).sum(axis=1) / total
        second = (power * centred**2).sum(axis=1) / total
        change = (first - 1.0 / shape) / (second - first**2 + shape**-2)
        shape = np.maximum(shape - change, 0.2 * shape)
    scale = 1.0 / shape
    return scale * np.log(np.exp(shape[:, None] * centred).mean(axis=1)) + values.mean(
        axis=1
    ), scale


def _statistic(
    values: FloatArray, location: FloatArray, scale: FloatArray, family: str
) -> FloatArray:
    z = np.sort((values - location[:, None]) / scale[:, None], axis=1)
    cumulative = (
        -np.expm1(-np.exp(np.minimum(z, 50.0))) if family == "weibull" else norm.cdf(z)
    )
    below = np.clip(cumulative, 1e-15, 1.0 - 1e-15)
    count = values.shape[1]
    weight = 2.0 * np.arange(1, count + 1) - 1.0
    return (
        -count
        - (weight * (np.log(below) + np.log1p(-below[:, ::-1]))).sum(axis=1) / count
    )


@functools.lru_cache(maxsize=64)
def _null(count: int, family: str) -> FloatArray:
    """Draw the statistic of samples that do come from the family."""
    rng = np.random.default_rng(TEST_SEED)
    drawn = rng.standard_normal((DRAWS, count))
    if family == "weibull":
        drawn = np.log(rng.standard_exponential((DRAWS, count)))
    return _statistic(drawn, *_fitted(drawn, family), family)


# Statistics per condition, and per foot, since left and right differ in most people
# [Chang2012b]_.

COMPARED_QUANTITIES = (
    *(
        "required",
        "rcof",
        "rcof_acceptance",
        "rcof_push_off",
        "rcof_acceptance_fore_aft",
        "rcof_push_off_fore_aft",
    ),
    *(
        "rcof_largest",
        "stance_s",
        "speed_m_s",
        "slip_distance_m",
        "slip_peak_velocity_m_s",
    ),
)
TESTED = ("required", "rcof", "rcof_acceptance", "rcof_push_off")
BOTH = "all feet"


class Group(NamedTuple):
    """Key of steps that are summarised together.

    ``foot`` is left, right, another name, or ``all feet``.
    """

    shoe: str
    floor: str
    condition: str
    subject: str
    foot: str

    @property
    def words(self) -> str:
        """Return the group's heading texts."""
        return (
            ", ".join(filter(None, (self.condition, self.floor, self.shoe, self.foot)))
            or "all steps"
        )


class Distribution(NamedTuple):
    """Distribution of one quantity in one group."""

    quantity: str
    steps: int
    people: int  # of these steps that have a name; 0: unknown
    mean: float
    deviation: float  # standard, between all steps
    q05: float
    median: float
    q95: float
    best_fit: str  # family with the largest p; empty where it wasn't tested
    best_p: float
    normal_p: float
    normal_refused: bool  # the steps don't come from a normal distribution


class Condition(NamedTuple):
    """Statistics of one group of steps."""

    group: Group
    steps: int
    judged: int
    slips: dict[str, int]  # steps of every class; only those whose motion is known
    distributions: tuple[Distribution, ...]

    def of(self, quantity: str) -> Distribution | None:
        """Return the distribution of a quantity, or None where it is never known."""
        return next(
            (one for one in self.distributions if one.quantity == quantity), None
        )


def groups_of(step: Step) -> tuple[Group, Group]:
    """List the groups that a step counts in: its own foot's, and both feet's."""
    of_its_foot = Group(
        shoe=step.shoe,
        floor=step.floor,
        condition=step.condition,
        subject=step.subject,
        foot=step.foot,
    )
    return of_its_foot, of_its_foot._replace(foot=BOTH)


class _Gathered:
    """Quantities of the steps of one group."""

    def __init__(self) -> None:
        self.steps = self.judged = 0
        self.people: list[str] = []  # of the judged steps, one each
        self.slips: Counter[str] = Counter()
        self.values: dict[str, list[float]] = {name: [] for name in COMPARED_QUANTITIES}

    def add(self, step: Step) -> None:
        """Add one more step."""
        self.steps += 1
        if step.excluded:
            return
        self.judged += 1
        self.people.append(step.person)
        self.slips[step.slip_class] += 1
        for name, values in self.values.items():
            values.append(getattr(step, name))

    def condition(self, group: Group) -> Condition:
        """Compute all statistics."""
        found = (
            _distribution(name, values, self.people)
            for name, values in self.values.items()
        )
        slips = {name: self.slips[name] for name in CLASSES}
        return Condition(
            group=group,
            steps=self.steps,
            judged=self.judged,
            slips=slips,
            distributions=tuple(one for one in found if one is not None),
        )


def conditions(steps: Iterable[Step]) -> list[Condition]:
    """Compute statistics of every group, in the order of first appearance.

    Left and right come before others and all.
    """
    gathered: dict[Group, _Gathered] = {}
    for step in steps:
        for group in groups_of(step):
            gathered.setdefault(group, _Gathered()).add(step)
    order = list(dict.fromkeys(group[:-1] for group in gathered))
    places = {"left": 0, "right": 1, BOTH: 3}
    in_order = sorted(
        gathered, key=lambda group: (order.index(group[:-1]), places.get(group.foot, 2))
    )
    return [gathered[group].condition(group) for group in in_order]


def _distribution(
    quantity: str, values: Sequence[float], people: Sequence[str]
) -> Distribution | None:
    known: FloatArray = np.array([value for value in values if math.isfinite(value)])
    if not len(known):
        return None
    walked = (
        person
        for person, value in zip(people, values, strict=True)
        if math.isfinite(value)
    )
    q05, median, q95 = (float(q) for q in np.quantile(known, [0.05, 0.5, 0.95]))
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    best, normal = tested(known) if quantity in TESTED else (UNTESTED, UNTESTED)
    family = "" if math.isnan(best.p) else "none" if best.refused else best.family
    return Distribution(
        quantity=quantity,
        steps=len(known),
        # nameless ones can't be counted
        people=len({name for name in walked if name}),
        mean=float(np.mean(known)),
        deviation=deviation,
        q05=q05,
        median=median,
        q95=q95,
        best_fit=family,
        best_p=best.p,
        normal_p=normal.p,
        normal_refused=normal.refused,
    )


def write_conditions(path: Path, found: Sequence[Condition]) -> None:
    """Write the statistics as CSV, one line per group and quantity."""
    columns = [*Group._fields, "steps_recorded", "steps_judged", *Distribution._fields]
    # `deviation` by the name of the field, too; the old one stays for a release
    columns.append("standard_deviation")
    rows = (
        [*one.group, one.steps, one.judged, *row, row.deviation]
        for one in found
        for row in one.distributions
    )
    write_table(path, columns, rows)

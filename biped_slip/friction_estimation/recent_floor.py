# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Friction of the floor under the last steps, from the answers of both feet.

The mean of n answers :math:`\mu_i` is weighted by their intervals, whose half widths
are :math:`h_i`. What one landing errs by, the next one may err by, too: a motor's
torque constant does not change between them. So the interval is as wide as the answers'
on the average, and does not shrink with their number; where they differ by more than
they say, it widens by the ratio of Birge [Birge1932]:

.. math::

   w_i = h_i^{-2},\quad \mu = \frac{\sum w_i \mu_i}{\sum w_i},\quad
   h = \frac{\sum w_i h_i}{\sum w_i}\, \max(1, b),\quad
   b^2 = \frac{z^2}{n-1} \sum w_i (\mu_i - \mu)^2

with z = 1.96 half widths of a 95 % interval a standard deviation.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.friction_estimation.contact_state import FootContact
from biped_slip.friction_estimation.types import FrictionEstimate

MOST_ANSWERS = 4  # steps that the floor is taken from
HALF_WIDTHS = 1.96  # z
SHARPEST = 1e-6  # half width of an answer that says it is exact (choice)


class StepAnswer(NamedTuple):
    """What one stance has found."""

    foot: int
    touchdown_ns: int  # of its stance [ns]
    answered_ns: int  # when it was answered first [ns]
    mu: float
    mu_low: float
    mu_high: float


class RecentFloor(NamedTuple):
    """Friction under the last steps; NaN before the first answer."""

    mu: float
    mu_low: float
    mu_high: float
    answers: int  # that it is taken from, at most MOST_ANSWERS
    answered_ns: int  # when the last of them was given [ns]; 0 before the first


NO_FLOOR = RecentFloor(
    mu=math.nan, mu_low=math.nan, mu_high=math.nan, answers=0, answered_ns=0
)


def with_answer(
    answers: tuple[StepAnswer, ...],
    foot: int,
    stamp_ns: int,
    estimate: FrictionEstimate,
    contact: FootContact,
) -> tuple[StepAnswer, ...]:
    """Keep a foot's estimate, if it is usable, among the last answers.

    A later estimate of the same stance takes the place of an earlier one.

    Args:
        answers: at most MOST_ANSWERS, oldest first.
        foot: 0 left, 1 right.
        stamp_ns: of the sample [ns].
        estimate: of the foot.
        contact: of the foot.
    """
    mu = estimate.mu_median if math.isfinite(estimate.mu_median) else estimate.mu
    known = (mu, estimate.mu_low, estimate.mu_high)
    if not (estimate.usable and all(map(math.isfinite, known))):
        return answers
    same = [
        one
        for one in answers
        if one.foot == foot and one.touchdown_ns == contact.touchdown_ns
    ]
    now = StepAnswer(
        foot=foot,
        touchdown_ns=contact.touchdown_ns,
        answered_ns=same[0].answered_ns if same else stamp_ns,
        mu=mu,
        mu_low=estimate.mu_low,
        mu_high=estimate.mu_high,
    )
    if same:
        return tuple(now if one is same[0] else one for one in answers)
    return (*answers, now)[-MOST_ANSWERS:]


def recent_floor(answers: Sequence[StepAnswer]) -> RecentFloor:
    """Pool answers, oldest first, into the friction of one floor."""
    if not answers:
        return NO_FLOOR
    mu = np.array([one.mu for one in answers])
    below = mu - np.array([one.mu_low for one in answers])
    above = np.array([one.mu_high for one in answers]) - mu
    half = np.maximum(0.5 * (below + above), SHARPEST)
    weight = half**-2.0
    mean = np.average(mu, weights=weight)
    spare = max(len(answers) - 1, 1)
    birge = HALF_WIDTHS * math.sqrt(float(weight @ (mu - mean) ** 2) / spare)
    wider = max(1.0, birge)
    return RecentFloor(
        mu=float(mean),
        mu_low=max(float(mean - wider * np.average(below, weights=weight)), 0.0),
        mu_high=float(mean + wider * np.average(above, weights=weight)),
        answers=len(answers),
        answered_ns=max(one.answered_ns for one in answers),
    )

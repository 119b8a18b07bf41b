# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How good the answers over a set of stances are: honesty at any time, and what is known when (study 2, study 9)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.lab.studies.following import Course
from biped_slip.lab.studies.stances import SAMPLES, Stances

FIRST = 80  # sample from which answers are judged (study 2)
SHARES = (0.5, 0.7, 0.9)  # of the limit, at which they are looked at
OVER = 1.1  # a larger factor above mu is dangerous (study 3)


class Score(NamedTuple):
    """Shares of stances unless said otherwise; the three of ``at_*`` belong to SHARES."""

    low_above_mu: float  # the certificate was above mu at any time before 0.9
    low_far_above_mu: float  # by more than a tenth
    median_far_above_mu: float  # usable median more than a tenth above mu at any time
    covered: tuple[float, ...]  # low <= mu <= high
    usable: tuple[float, ...]
    low_over_mu: tuple[float, ...]  # median over stances
    error: tuple[float, ...]  # 95th percentile of |median/mu - 1| of the usable
    lead: float  # median time from the first usable answer to 0.9 [ms]
    usable_ever: float  # until the stance ends


def check_points(stances: Stances, share: float) -> AnyArray:
    """First sample from 80 ms on at which |u| reaches a share of mu; the last sample where it never does."""
    sample = np.arange(SAMPLES)
    reached = (stances.share >= share) & (sample >= FIRST) & (sample < stances.length[:, None])
    return np.where(reached.any(axis=1), reached.argmax(axis=1), stances.length - 1)


def score(stances: Stances, course: Course) -> Score:
    """Judge the answers; an answer exists from the end of its block on."""
    mu, rows = stances.mu[:, None], np.arange(stances.mu.size)
    times = np.asarray([Course.sample(block) for block in range(course.low.shape[1])])
    exists = np.isfinite(course.low)
    last = check_points(stances, SHARES[-1])
    judged = exists & (times >= FIRST) & (times <= last[:, None])
    usable = exists & (course.usable > 0.0)
    covered, usable_at, ratio, error = [], [], [], []
    for share in SHARES:
        block = np.searchsorted(times, check_points(stances, share), side="right") - 1
        low, high, median, flag = (a[rows, block] for a in (course.low, course.high, course.median, usable))
        covered.append(float(np.mean((low <= stances.mu) & (stances.mu <= high))))
        usable_at.append(float(np.mean(flag)))
        ratio.append(float(np.median(low / stances.mu)))
        wrong = np.abs(median / stances.mu - 1.0)[flag]
        error.append(float(np.percentile(wrong, 95.0)) if wrong.size else float("nan"))
    early = judged & usable
    spoke = early.any(axis=1)
    lead = (last - times[early.argmax(axis=1)])[spoke]
    return Score(
        low_above_mu=float(np.mean((judged & (course.low > mu)).any(axis=1))),
        low_far_above_mu=float(np.mean((judged & (course.low > OVER * mu)).any(axis=1))),
        median_far_above_mu=float(np.mean((early & (course.median > OVER * mu)).any(axis=1))),
        covered=tuple(covered),
        usable=tuple(usable_at),
        low_over_mu=tuple(ratio),
        error=tuple(error),
        lead=float(np.median(lead)) if lead.size else float("nan"),
        usable_ever=float(np.mean((usable & (times >= FIRST)).any(axis=1))),
    )

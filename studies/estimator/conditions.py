# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of the acceptance table.

How an estimate is scored, and rows of required and measured numbers, are here, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.interval.config import SoleModel
from synthetic.contacts import Law
from synthetic.stances import (
    SAMPLES,
    Course,
    Observed,
    Sensors,
    StanceKind,
    Stances,
    draw,
    observe,
)

# The study's observation conditions with its seeds, and how a stance set is drawn from
# one (study 2, study 9).

P1 = Sensors(
    kind="position",
    sigma=1e-6,
    quantisation=0.0,
    force_sigma=0.5,
    force_offset=0.0,
    latency=0,
)
P2 = Sensors(
    kind="position",
    sigma=5e-6,
    quantisation=5e-6,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
P3 = Sensors(
    kind="position",
    sigma=20e-6,
    quantisation=20e-6,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
P4 = Sensors(
    kind="position",
    sigma=100e-6,
    quantisation=50e-6,
    force_sigma=2.0,
    force_offset=2.0,
    latency=3,
)
V1 = Sensors(
    kind="velocity",
    sigma=1e-4,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
V2 = Sensors(
    kind="velocity",
    sigma=1e-3,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
V3 = Sensors(
    kind="velocity",
    sigma=5e-3,
    quantisation=0.0,
    force_sigma=2.0,
    force_offset=2.0,
    latency=3,
)
I1 = Sensors(
    kind="imu",
    sigma=0.0,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
BASE = Sensors(
    kind="position",
    sigma=5e-6,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=0.0,
    latency=0,
)  # study 5: sensitivity

#: The study's soles damp nothing, and its estimator has no state for it.
KNOWN_SOLE = SoleModel(
    calibrated=True, least_shape=0.0, masing=0.0, compliance_spread=0.0, lag_spread=0.0
)
# with the compliance state
KNOWN_SHAPE = SoleModel(calibrated=True, least_shape=0.0, masing=0.0, lag_spread=0.0)
CALIBRATED_SOLE = SoleModel(
    True,
    shape_scatter=0.2231,
    least_shape=0.0,
    masing=0.0,
    compliance_spread=0.0,
    lag_spread=0.0,
)  # alpha 0.8 to 1.25
# with the lag state
DAMPED_SOLE = SoleModel(
    calibrated=True, least_shape=0.0, masing=0.0, compliance_spread=0.0
)


class Condition(NamedTuple):
    """A named set of stances and how they are observed."""

    name: str
    seed: int
    sensors: Sensors
    kind: StanceKind = StanceKind()
    sole: SoleModel = KNOWN_SOLE

    def realise(self, count: int) -> tuple[Stances, Observed]:
        """Stances and observations of this condition's seed."""
        rng = np.random.default_rng(self.seed)
        stances = draw(rng, count, self.kind)
        return stances, observe(rng, stances, self.sensors, self.kind.planar)


PLANAR = StanceKind(planar=True)
ACCEPTANCE = (
    Condition("P1", 40000, P1),
    Condition("P2", 40001, P2),
    Condition("P3", 40002, P3),
    Condition("P4", 40003, P4),
    Condition("V1", 40004, V1),
    Condition("V2", 40005, V2),
    Condition("V3", 40006, V3),
    Condition("I1", 40007, I1),
    Condition("P2 2-D", 40008, P2, PLANAR),
    Condition("V2 2-D", 40009, V2, PLANAR),
)

IDLE = Condition("r_max 0.3", 6000, BASE, StanceKind(largest_share=0.3))


def _truth(name: str, seed: int, law: Law) -> Condition:
    return Condition(
        name=name, seed=seed, sensors=P2, kind=StanceKind(law=law), sole=CALIBRATED_SOLE
    )


OTHER_TRUTHS = (
    _truth("alpha 0.75", 3002, Law(shape=0.75)),
    _truth("alpha 0.9", 3004, Law(shape=0.9)),
    _truth("alpha 1", 3006, Law()),
    _truth("alpha 1.5", 3003, Law(shape=1.5)),
    _truth("Bliman-Sorine 2", 3008, Law("bliman_sorine")),
    _truth("LuGre", 3009, Law("lugre")),
    _truth("force form", 3010, Law("force_form")),
)
COMPLIANT = tuple(
    Condition(
        name=f"k_s {stiffness:.0e} N/m",
        seed=3300,
        sensors=P2,
        kind=StanceKind(law=Law(stiffness=stiffness)),
        sole=KNOWN_SHAPE,
    )
    for stiffness in (1e6, 2e5, 1e5)
)

DAMPED = tuple(
    Condition(
        name=f"sole damped, {1e3 * time:.0f} ms",
        seed=3400,
        sensors=P2,
        kind=StanceKind(law=Law(damping=time)),
        sole=DAMPED_SOLE,
    )
    for time in (0.0, 2e-3, 4e-3, 8e-3)
)


def _varied(
    name: str,
    sensors: Sensors = BASE,
    kind: StanceKind = StanceKind(),  # noqa: B008
) -> Condition:
    return Condition(name, 5000, sensors, kind)


SENSITIVITY = (
    _varied("base"),
    _varied("s_x 20 um", BASE._replace(sigma=20e-6)),
    _varied("s_x 100 um", BASE._replace(sigma=100e-6)),
    _varied("quantisation 100 um", BASE._replace(quantisation=100e-6)),
    _varied("s_F 0.25 N", BASE._replace(force_sigma=0.25)),
    _varied("s_F 4 N", BASE._replace(force_sigma=4.0)),
    _varied("offset 5 N", BASE._replace(force_offset=5.0)),
    _varied("latency 3 ms", BASE._replace(latency=3)),
    _varied("latency 5 ms", BASE._replace(latency=5)),
    _varied("latency 10 ms", BASE._replace(latency=10)),
    _varied("load 30-60 N", kind=StanceKind(load=(30.0, 60.0))),
    _varied("mu 0.05-0.1", kind=StanceKind(mu=(0.05, 0.1))),
    _varied("s_p 0.05-0.2 mm", kind=StanceKind(s_p=(0.05e-3, 0.2e-3))),
    _varied("s_p 3-8 mm", kind=StanceKind(s_p=(3e-3, 8e-3))),
)


# How good the answers over a set of stances are: honesty at any time, and what is known
# when (study 2, study 9).

FIRST = 80  # sample from which answers are judged (study 2)
SHARES = (0.5, 0.7, 0.9)  # of the limit, at which they are looked at
OVER = 1.1  # a larger factor above mu is dangerous (study 3)


class Score(NamedTuple):
    """Shares of stances unless said otherwise.

    The three of ``at_*`` belong to SHARES.
    """

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
    """First sample from 80 ms on at which |u| reaches a share of mu.

    Where it never does, the last sample is taken.
    """
    sample = np.arange(SAMPLES)
    reached = (
        (stances.share >= share)
        & (sample >= FIRST)
        & (sample < stances.length[:, None])
    )
    return np.where(reached.any(axis=1), reached.argmax(axis=1), stances.length - 1)


def score(stances: Stances, course: Course) -> Score:
    """Judge the answers; an answer exists from the end of its block on."""
    mu = stances.mu[:, None]
    rows = np.arange(stances.mu.size)
    times = np.asarray([Course.sample(block) for block in range(course.low.shape[1])])
    exists = np.isfinite(course.low)
    last = check_points(stances, SHARES[-1])
    judged = exists & (times >= FIRST) & (times <= last[:, None])
    usable = exists & (course.usable > 0.0)
    covered = []
    usable_at = []
    ratio = []
    error = []
    for share in SHARES:
        block = np.searchsorted(times, check_points(stances, share), side="right") - 1
        low, high, median, flag = (
            a[rows, block] for a in (course.low, course.high, course.median, usable)
        )
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
        low_far_above_mu=float(
            np.mean((judged & (course.low > OVER * mu)).any(axis=1))
        ),
        median_far_above_mu=float(
            np.mean((early & (course.median > OVER * mu)).any(axis=1))
        ),
        covered=tuple(covered),
        usable=tuple(usable_at),
        low_over_mu=tuple(ratio),
        error=tuple(error),
        lead=float(np.median(lead)) if lead.size else float("nan"),
        usable_ever=float(np.mean((usable & (times >= FIRST)).any(axis=1))),
    )

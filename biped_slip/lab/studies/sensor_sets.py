# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each set of sensors lets a robot know of the floor, when, and how surely: one table."""

from __future__ import annotations

import math
from typing import Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.interval import IntervalConfig, IntervalEstimator
from biped_slip.lab.studies import closed_chain
from biped_slip.lab.studies.certificate_table import SHIPPED, answers, judged, realise
from biped_slip.lab.studies.closed_chain import CHAIN, ENCODERS, Push
from biped_slip.lab.studies.conditions import I1, P2, P3
from biped_slip.lab.studies.cramer_rao import bound
from biped_slip.lab.studies.following import BODY_WEIGHT, START
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.row import NAN
from biped_slip.lab.studies.sensing import Sensors, told
from biped_slip.lab.studies.stances import Stances
from biped_slip.lab.studies.steps import Answers, follow_feet
from biped_slip.lab.studies.walking_stances import Walk

SEED = 97000
POSSIBLE = math.log(IntervalConfig().usable_ratio) / (2.0 * 1.96)  # sd of ln mu of an interval that is just usable
ALLOWED = 0.05  # share of stances whose certificate may be wrong
STEPS, STEP_SPREAD = 6, 0.2  # sd of ln s_p from step to step: other spot, other floor
UNPROBED = (0.1, 0.45)  # of the limit, that walking asks of double support (choice)


class Known(NamedTuple):
    """One set of sensors on one floor; shares of stances."""

    sensors: str
    floor: str
    stances: int
    demanded: int  # stances that reach 0.9 of the limit
    in_time: float  # usable before 0.9 of the limit, of those; else before the end, of all
    possible: float  # of the same, that Cramer and Rao's bound allows
    certified: float  # median of mu_low/mu at 0.9 of the limit, else at the end
    lead: float  # median, from usable to 0.9 of the limit or the end [ms]
    wrong: float  # mu_low above mu at any time
    far: float  # by more than a tenth


def rows(count: int, seed: int = SEED) -> Iterator[Known]:
    """All sets, each as soon as it is measured."""
    for truth in ("dahl", "iwan"):
        contact = Contact(truth)
        for label, sensors in (("soles seen to 5 um", P2), ("soles seen to 20 um", P3), ("IMU on the foot", I1)):
            yield _seen_alone(label, truth, sensors, count, seed)
        yield _chain("encoders, no probing", truth, Push(contact, UNPROBED), count, seed)
        for floors, push in ((truth, Push(contact)), (f"{truth}, two floors", Push(contact, other_floor=True))):
            yield _chain("encoders, probing", floors, push, count, seed)
            yield _chain(f"encoders, probing, step {STEPS}", floors, push, count, seed, STEPS)


def _seen_alone(label: str, truth: str, sensors: Sensors, count: int, seed: int) -> Known:
    stances, seen = realise(Walk(Contact(truth)), sensors, count, seed)
    possible = np.full(count, NAN)
    if sensors.kind == "position":
        shares = np.where(judged(stances), stances.share, 0.0)
        reached = [int(np.argmax(share >= 0.9)) or int(np.argmax(share)) for share in shares]
        possible = np.array(
            [_bound(stances, k, end, sensors) <= POSSIBLE for k, end in enumerate(reached)], dtype=float
        )
    return _known(label, truth, stances, answers(seen, told(sensors, False, SHIPPED)), possible)


def _bound(stances: Stances, stance: int, end: int, sensors: Sensors) -> float:
    now = slice(START, max(end, START + 1) + 1)
    ratio = np.ascontiguousarray(stances.ratio[stance, now, 0])
    return bound(ratio, stances.normal[stance, now], stances.mu[stance], stances.s_p[stance], sensors)


def _chain(label: str, floor: str, push: Push, count: int, seed: int, steps: int = 1) -> Known:
    """The foot that is nearer to its limit, the one that probing is about, in the last of several double supports.

    What the steps before taught of the sole, each foot keeps.
    """
    rng = np.random.default_rng(seed)
    one = IntervalEstimator(told(ENCODERS, False, CHAIN), body_weight=BODY_WEIGHT)
    feet = [[one.initial_state() for _ in range(count)] for _ in range(2)]
    own = closed_chain.draw(rng, count, push).feet[0].s_p
    for _ in range(steps):
        chain = closed_chain.draw(rng, count, push, own * np.exp(STEP_SPREAD * rng.standard_normal(count)))
        seen = closed_chain.observe(rng, chain)
        said = [follow_feet(states, one.settings, shown) for states, shown in zip(feet, seen, strict=True)]
    weaker = np.argmax([np.max(foot.share, axis=1) for foot in chain.feet], axis=0)
    stances = Stances(*(_chosen(left, right, weaker) for left, right in zip(*chain.feet, strict=True)))
    spoken = Answers(*(_chosen(left, right, weaker) for left, right in zip(*said, strict=True)))
    possible = np.array([closed_chain.bound(chain, k, int(foot)) <= POSSIBLE for k, foot in enumerate(weaker)])
    known = _known(label, floor, stances, spoken, possible.astype(float))
    stronger = Stances(*(_chosen(left, right, 1 - weaker) for left, right in zip(*chain.feet, strict=True)))
    other = Answers(*(_chosen(left, right, 1 - weaker) for left, right in zip(*said, strict=True)))
    over = np.nan_to_num(np.where(judged(stronger), other.low / stronger.mu[:, None], 0.0)).max(axis=1)
    return known._replace(wrong=max(known.wrong, float(np.mean(over > 1.0))))


def _chosen(one: AnyArray, other: AnyArray, which: AnyArray) -> AnyArray:
    """Rows of the first array where ``which`` is 0, of the second where it is 1."""
    return np.where(which.reshape(-1, *[1] * (one.ndim - 1)) == 0, one, other)


def _known(label: str, floor: str, stances: Stances, said: Answers, possible: AnyArray) -> Known:
    inside, rows = judged(stances), np.arange(stances.mu.size)
    over = np.nan_to_num(np.where(inside, said.low / stances.mu[:, None], 0.0))
    late = inside & (stances.share >= 0.9)
    demanded = late.any(axis=1)
    last = inside.shape[1] - 1 - np.argmax(inside[:, ::-1], axis=1)
    end = np.where(demanded, late.argmax(axis=1), last)
    usable = inside & (said.usable > 0.0) & (np.arange(inside.shape[1]) < end[:, None])
    counted = demanded if demanded.any() else np.ones_like(demanded)
    known = usable.any(axis=1)
    lead = (end - usable.argmax(axis=1))[known]
    return Known(
        label, floor, stances.mu.size, int(demanded.sum()), float(np.mean(known[counted])),
        float(np.mean(possible[counted])), float(np.median(over[rows, end][counted])),
        float(np.median(lead)) if lead.size else NAN,
        float(np.mean(over.max(axis=1) > 1.0)), float(np.mean(over.max(axis=1) > 1.1)),
    )  # fmt: skip


def cells(known: Known) -> tuple[str, ...]:
    """A row as text."""
    numbers = (known.in_time, known.possible, known.certified)
    shares = ("-" if math.isnan(one) else f"{one:.2f}" for one in numbers)
    lead = "-" if math.isnan(known.lead) else f"{known.lead:.0f}"
    counts = f"{known.demanded}/{known.stances}"
    return (known.sensors, known.floor, counts, *shares, lead, f"{known.wrong:.3f}", f"{known.far:.3f}")

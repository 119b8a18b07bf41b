# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks with the sensors of a real robot over floors that nobody announced: who passes, and what was known when.

Each seed draws the start, the patch's edge, its mu between 0.25 and 1.0 and the sensor noise (scenarios ``*_sensors``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterable, Sequence

import numpy as np

from biped_slip.lab.studies.row import NAN, Row
from biped_slip.simulation.campaign import groups
from biped_slip.simulation.planar.campaign import Job, Outcome
from biped_slip.simulation.planar.summary import Contact
from biped_slip.simulation.stances import SLIP_LIMIT

FLAT, UPHILL = "thesis_sensors", "traction_sensors"
CONSTANT = "constant:0.2"
LIMITS = ("none", CONSTANT, "constant:0.7", "thesis", "interval", "oracle")
ESTIMATING = ("thesis", "interval", "oracle")  # limits that an estimate stands behind
BANDS = ((0.0, 0.4), (0.4, 0.6), (0.6, math.inf))  # of the patch's mu, in which passes are counted
FLOORS = ("start", "patch")


def jobs(walks: int, first_seed: int = 0) -> list[Job]:
    """Every limit on both scenarios over the same seeds."""
    seeds = range(first_seed, first_seed + walks)
    return [Job(scenario, limit, seed) for scenario in (FLAT, UPHILL) for limit in LIMITS for seed in seeds]


@dataclass(frozen=True)
class Passes:
    """How the walks of one scenario with one limit ended."""

    scenario: str
    limit: str
    runs: int
    passed: int
    fell: int
    slipped: int  # a stance foot slid by 1 cm or more
    by_patch: tuple[tuple[int, int], ...]  # (passed, runs) where the patch's mu is in each band

    @property
    def share(self) -> float:
        """Of the walks that passed."""
        return self.passed / self.runs if self.runs else math.nan


@dataclass(frozen=True)
class Floor:
    """What was known of one floor over all its stances; NaN where there is nothing to average."""

    scenario: str
    limit: str
    floor: str
    stances: int
    released: float  # share in which the limit came to follow an estimate
    before_weight: float  # share of those that came to carry all weight, released before
    limit_at_release: float  # mean of limit / mu
    limit_over_stance: float  # mean of limit / mu over the loaded stance
    demanded: int  # stances that wanted 0.9 mu
    in_time: float  # share of those with an estimate in force before
    limit_above_mu: float  # share of released stances in which the limit ever was above mu
    low_above_mu: float  # share of released stances in which the certificate ever was above mu
    largest_low: float  # largest certificate / mu of all these stances


def passes(outcomes: Sequence[Outcome]) -> list[Passes]:
    """One row per scenario and limit."""
    rows = []
    for (scenario, limit), group in groups(outcomes).items():
        bands = [[o.passed for o in group if low <= o.floors[-1] < high] for low, high in BANDS]
        rows.append(
            Passes(
                scenario,
                limit,
                len(group),
                sum(o.passed for o in group),
                sum(o.summary.fell for o in group),
                sum(o.summary.max_stance_slip >= SLIP_LIMIT for o in group),
                tuple((sum(band), len(band)) for band in bands),
            )
        )
    return rows


def floors(outcomes: Sequence[Outcome]) -> list[Floor]:
    """One row per scenario, limit and floor."""
    rows = []
    for (scenario, limit), group in groups(outcomes).items():
        for index, name in enumerate(FLOORS):
            rows.append(_floor(scenario, limit, name, list(_contacts(group, index))))
    return rows


def _contacts(outcomes: Iterable[Outcome], index: int) -> Iterable[Contact]:
    """Stances on one of the floors, the nearest in mu."""
    for outcome in outcomes:
        for contact in outcome.summary.contacts:
            if int(np.argmin(np.abs(np.array(outcome.floors) - contact.mu_true))) == index:
                yield contact


def _floor(scenario: str, limit: str, name: str, contacts: list[Contact]) -> Floor:
    estimating = limit in ESTIMATING
    released = [c for c in contacts if estimating and c.released_from is not None]
    alone = [c for c in contacts if c.alone_from is not None]
    demanded = [c for c in contacts if c.demand_time is not None]
    return Floor(
        scenario,
        limit,
        name,
        len(contacts),
        _mean(contacts, lambda c: c.released_from is not None) if estimating else NAN,
        _mean(alone, _released_before_weight) if estimating else NAN,
        _mean(released, lambda c: _ratio(c.limit_at_release, c)),
        _mean([c for c in contacts if c.mean_limit is not None], lambda c: _ratio(c.mean_limit, c)),
        len(demanded),
        _mean(demanded, lambda c: c.mu_at_demand is not None) if estimating else NAN,
        _mean(released, lambda c: _ratio(c.largest_limit, c) > 1.0),
        _mean(released, lambda c: _ratio(c.largest_low, c) > 1.0),
        max((_ratio(c.largest_low, c) for c in released if c.largest_low is not None), default=NAN),
    )


def _released_before_weight(contact: Contact) -> bool:
    return contact.released_from is not None and contact.released_from < (contact.alone_from or 0.0)


def _ratio(value: float | None, contact: Contact) -> float:
    return math.nan if value is None else value / contact.mu_true


def _mean(contacts: Sequence[Contact], value: Callable[[Contact], float]) -> float:
    return float(np.mean([value(contact) for contact in contacts])) if contacts else NAN


def requirements(found: Sequence[Passes]) -> list[Row]:
    """What is required of the closed loop."""
    share = {(row.scenario, row.limit): row.share for row in found}
    best = share[UPHILL, "oracle"]
    return [
        Row("thesis scenario: interval passes", 0.95, False, "", share[FLAT, "interval"]),
        Row("traction scenario: constant 0.2 passes", 0.20, True, "", share[UPHILL, CONSTANT]),
        Row("traction scenario: interval's passes over the oracle's", 0.90, False, "",
            share[UPHILL, "interval"] / best if best else 0.0),
    ]  # fmt: skip

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How slippery a patch each slip prevention can cross: perturbed replicas at every mu that is tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from biped_slip.simulation.campaign import Job, Outcome
from biped_slip.studies.closed_loop import CONSTANT, FLAT, UPHILL

LIMITS = (CONSTANT, "thesis", "interval", "oracle")
START = {FLAT: 1.0, UPHILL: 0.6}  # mu of the floor before the patch, the scenarios' own
TRIED = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.22, 0.2, 0.18, 0.16, 0.14, 0.12, 0.1)  # falling
REPLICAS, ENOUGH = 5, 4


def jobs(first_seed: int = 0) -> list[Job]:
    """Every limit on both scenarios: five perturbed replicas of each patch."""
    seeds = range(first_seed, first_seed + REPLICAS)
    return [
        Job(scenario, limit, seed, (("ground.mu", (START[scenario], mu)), ("spread.last_mu", ())))
        for scenario in (FLAT, UPHILL)
        for limit in LIMITS
        for mu in TRIED
        for seed in seeds
    ]


@dataclass(frozen=True)
class LowestMu:
    """Passes of the replicas at each mu tried, and the lowest at and above which enough pass; None: not even there."""

    scenario: str
    limit: str
    passed: tuple[tuple[float, int], ...]  # (mu, replicas that passed), falling mu
    lowest: float | None


def rows(outcomes: Sequence[Outcome]) -> list[LowestMu]:
    """One row per scenario and limit."""
    counts: dict[tuple[str, str], dict[float, int]] = {}
    for outcome in outcomes:
        row = counts.setdefault((outcome.job.scenario, outcome.job.limit), {})
        mu = outcome.floors[-1]
        row[mu] = row.get(mu, 0) + outcome.passed
    found = []
    for (scenario, limit), row in counts.items():
        passed = tuple(sorted(row.items(), reverse=True))
        found.append(LowestMu(scenario, limit, passed, lowest(passed)))
    return found


def lowest(passed: Sequence[tuple[float, int]]) -> float | None:
    """Lowest mu of a falling list at and above which enough replicas of every entry pass."""
    reached = None
    for mu, count in passed:
        if count < ENOUGH:
            break
        reached = mu
    return reached

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How slippery a patch each slip prevention can cross: perturbed replicas at every mu that is tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

from biped_slip.lab.studies.closed_loop import CONSTANT, FLAT, UPHILL
from biped_slip.simulation.planar.campaign import Job, Outcome

LIMITS = (CONSTANT, "thesis", "interval", "oracle")
START = {FLAT: 1.0, UPHILL: 0.6}  # mu of the floor before the patch, the scenarios' own
TRIED = (1.0, 0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.22, 0.2, 0.18, 0.16, 0.14, 0.12, 0.1)  # falling
REPLICAS, ENOUGH = 5, 4


@dataclass(frozen=True)
class LowestMu:
    """Passes of the replicas at each mu tried; the lowest at and above which enough pass, None: not at the first."""

    scenario: str
    limit: str
    passed: tuple[tuple[float, int], ...]  # (mu, replicas that passed), falling mu
    lowest: float | None


def search(walk: Callable[[list[Job]], list[Outcome]], first_seed: int = 0) -> list[LowestMu]:
    """From the highest mu down, each scenario and limit until too few replicas pass.

    Args:
        walk: gives the outcomes of jobs, in their order.
        first_seed: of the replicas, the same at every mu.
    """
    found: dict[tuple[str, str], list[tuple[float, int]]] = {(s, k): [] for s in (FLAT, UPHILL) for k in LIMITS}
    for mu in TRIED:
        going = [pair for pair, counts in found.items() if lowest(counts) == (counts[-1][0] if counts else None)]
        jobs = [job for scenario, limit in going for job in replicas(scenario, limit, mu, first_seed)]
        outcomes = walk(jobs)
        for i, pair in enumerate(going):
            found[pair].append((mu, sum(outcome.passed for outcome in outcomes[REPLICAS * i : REPLICAS * (i + 1)])))
    return [LowestMu(*pair, tuple(counts), lowest(counts)) for pair, counts in found.items()]


def replicas(scenario: str, limit: str, mu: float, first_seed: int) -> list[Job]:
    """Perturbed walks over a patch of one mu."""
    changes = (("ground.mu", (START[scenario], mu)), ("spread.last_mu", ()))
    return [Job(scenario, limit, seed, changes) for seed in range(first_seed, first_seed + REPLICAS)]


def lowest(passed: Sequence[tuple[float, int]]) -> float | None:
    """Lowest mu of a falling list at and above which enough replicas of every entry pass."""
    reached = None
    for mu, count in passed:
        if count < ENOUGH:
            break
        reached = mu
    return reached

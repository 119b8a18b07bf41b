# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of a campaign's walks: what was drawn beside what came of it; pass rates.

It holds no times of day and no durations of computing: the same campaign gives the same
table, whoever walked it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from scipy.stats import binomtest

from biped_slip.simulation.campaign import groups
from biped_slip.simulation.planar.campaign_plan import drawn
from biped_slip.simulation.planar.job import PlanarOutcome

CONFIDENCE = 0.95


def outcome_rows(outcomes: Sequence[PlanarOutcome]) -> list[dict[str, Any]]:
    """List one row per walk, in the order of the jobs.

    ``row`` is the argument of ``--rerun``.
    """
    return [
        {
            "row": index,
            **{
                name: getattr(outcome.job, name)
                for name in ("scenario", "limit", "seed")
            },
            **drawn(outcome.job),
            "passed": outcome.passed,
            **{
                name: getattr(outcome.summary, name)
                for name in ("fell", "end_time", "distance", "max_stance_slip")
            },
            "slides": len(outcome.summary.slips),
            "stances": len(outcome.summary.contacts),
            "known": sum(
                contact.released_from is not None
                for contact in outcome.summary.contacts
            ),
        }
        for index, outcome in enumerate(outcomes)
    ]


def worst_first(outcomes: Sequence[PlanarOutcome]) -> list[int]:
    """Sort rows of the table: first walks that fell, the shortest first.

    Then come those that slid furthest.
    """
    ends = [outcome.summary for outcome in outcomes]
    bad = [
        (not end.fell, end.distance if end.fell else -end.max_stance_slip)
        for end in ends
    ]
    return sorted(range(len(bad)), key=bad.__getitem__)


@dataclass(frozen=True)
class PassRate:
    """Number of passed walks of a group, with the interval of the share.

    The interval is exact (Clopper–Pearson).
    """

    scenario: str
    limit: str
    passed: int
    walks: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of the walks that passed."""
        return self.passed / self.walks


def pass_rate(scenario: str, limit: str, group: Sequence[PlanarOutcome]) -> PassRate:
    """Compute the pass rate of some walks."""
    passed = sum(outcome.passed for outcome in group)
    interval = binomtest(passed, len(group)).proportion_ci(CONFIDENCE)
    return PassRate(
        scenario=scenario,
        limit=limit,
        passed=passed,
        walks=len(group),
        low=float(interval.low),
        high=float(interval.high),
    )


def pass_rates(outcomes: Sequence[PlanarOutcome]) -> list[PassRate]:
    """Compute one pass rate per scenario and limit, in order of first appearance."""
    return [
        pass_rate(scenario, limit, group)
        for (scenario, limit), group in groups(outcomes).items()
    ]

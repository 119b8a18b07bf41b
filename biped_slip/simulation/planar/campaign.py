# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of the planar biped in a campaign, and what was known of the floor when the load asked for its friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from biped_slip.compile.sources import sources_hash
from biped_slip.simulation import campaign
from biped_slip.simulation.campaign import key_of
from biped_slip.simulation.planar.scenario import ScenarioConfig, changed, perturbed
from biped_slip.simulation.planar.walk import WalkSummary, named_scenario, run_walk


@dataclass(frozen=True)
class Job:
    """One walk of a campaign; ``changes`` are parameters of the scenario that differ, as (dotted name, value)."""

    scenario: str
    limit: str
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Of the scenario."""
        return self.scenario

    def nominal(self) -> ScenarioConfig:
        """The scenario before the seed perturbs it."""
        return changed(named_scenario(self.scenario), dict(self.changes))

    def perturbed(self) -> ScenarioConfig:
        """The scenario of the walk: the seed draws the start and the patch edges."""
        return perturbed(self.nominal(), np.random.default_rng(self.seed))

    def key(self) -> str:
        """Names the walk: limit, seed, every parameter of its scenario and the code that walks it."""
        return key_of(sources_hash(__name__), self.nominal().to_mapping(), self.limit, self.seed)

    def run(self) -> Outcome:
        """Walk the perturbed scenario; the seed also draws the sensor noise."""
        scenario = self.perturbed()
        summary = run_walk(scenario, self.limit, self.seed).summary
        return Outcome(self, summary, summary.passes(scenario.required_distance), scenario.ground.mu)

    def warm_up(self) -> None:
        """A short walk over the nominal floor."""
        run_walk(changed(named_scenario(self.scenario), {"duration": 0.1}), self.limit)

    def found(self, entry: Mapping[str, Any]) -> Outcome:
        """The outcome of the walk as a file of campaigns has it."""
        summary = WalkSummary.from_mapping(entry["summary"])
        return Outcome(self, summary, bool(entry["passed"]), tuple(entry["floors"]))


Outcome = campaign.Outcome[Job, WalkSummary]


@dataclass(frozen=True)
class DemandRow:
    """What was known when the load asked for the floor's friction, on one patch."""

    scenario: str
    limit: str
    mu_true: float
    contacts: int  # stances that asked for 0.9 mu
    known: int  # of them with an estimate in force then
    at_or_below: int  # of these at or below the true mu
    quantiles: tuple[float, float, float]  # 5, 50, 95 % of the estimate then; NaN when none is known


def demand_table(outcomes: Sequence[Outcome]) -> list[DemandRow]:
    """Distribution of the estimate at the time of demand, per scenario, limit and floor."""
    by_floor: dict[tuple[str, str, float], list[float | None]] = {}
    for outcome in outcomes:
        for contact in outcome.summary.contacts:
            if contact.demand_time is not None:
                key = (outcome.job.scenario, outcome.job.limit, contact.mu_true)
                by_floor.setdefault(key, []).append(contact.mu_at_demand)
    rows = []
    for (scenario, limit, mu), values in sorted(by_floor.items()):
        known = np.array([value for value in values if value is not None])
        q = np.quantile(known, [0.05, 0.5, 0.95]) if known.size else np.full(3, np.nan)
        below = int(np.count_nonzero(known <= mu))
        rows.append(
            DemandRow(scenario, limit, mu, len(values), known.size, below, (float(q[0]), float(q[1]), float(q[2])))
        )
    return rows

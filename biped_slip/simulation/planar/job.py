# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Planar walks in a campaign: a scenario by name, with changes that a campaign draws.

The seed draws start and patch edges within the scenario's spread, and the noise of the
sensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biped_slip.simulation.campaign import Outcome
from biped_slip.simulation.job import WalkJob
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    changed,
    chosen_scenario,
    perturbed,
)
from biped_slip.simulation.planar.summary import WalkSummary
from biped_slip.simulation.planar.walk import run_walk


@dataclass(frozen=True)
class PlanarJob(WalkJob[WalkSummary]):
    """Planar walk of a campaign.

    ``changes`` are those of the scenario, as (dotted name, value).
    """

    summaries = WalkSummary

    scenario: str
    limit: str
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario

    def nominal(self) -> ScenarioConfig:
        """Return the scenario before the seed perturbs it."""
        return changed(chosen_scenario(self.scenario), dict(self.changes))

    def perturbed(self) -> ScenarioConfig:
        """Draw the scenario of the walk.

        The seed draws the start and the patch edges.
        """
        return perturbed(self.nominal(), np.random.default_rng(self.seed))

    def depends_on(self) -> tuple[Any, ...]:
        """Return the scenario's parameters, the limit and the seed."""
        return self.nominal().to_mapping(), self.limit, self.seed

    def summarised(self) -> WalkSummary:
        """Walk the perturbed scenario; the seed also draws the sensor noise."""
        return run_walk(self.perturbed(), self.limit, self.seed).summary

    def outcome(self, summary: WalkSummary) -> PlanarOutcome:
        """Judge a summary of the walk by the distance that the scenario requires."""
        scenario = self.perturbed()
        return PlanarOutcome(
            job=self,
            summary=summary,
            passed=summary.passes(scenario.required_distance),
            floors=scenario.ground.mu,
        )

    def warm_up(self) -> None:
        """Compile the walk's kernels by a short walk."""
        run_walk(changed(chosen_scenario(self.scenario), {"duration": 0.1}), self.limit)


PlanarOutcome = Outcome[PlanarJob, WalkSummary]

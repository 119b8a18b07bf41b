# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids' walks in a campaign: a walk's configuration, a limit, a seed.

The sensors are checked before the first step; a walk that finds a fault is refused and
not walked.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.campaign import Outcome
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.job import WalkJob
from biped_slip.walking.registry import HUMANOID_DEFAULT


@dataclass(frozen=True)
class HumanoidJob(WalkJob[HumanoidSummary]):
    """Humanoid walk of a campaign."""

    summaries = HumanoidSummary

    config: HumanoidWalkConfig
    limit: str
    seed: int
    true_base: bool = False  # the controller gets the base's true motion
    controller: str = HUMANOID_DEFAULT

    @property
    def name(self) -> str:
        """Name of the robot."""
        return Path(self.config.robot).stem

    def depends_on(self) -> tuple[Any, ...]:
        """Return the parameters of robot and walk, the limit and the seed."""
        return (
            load_humanoid(self.config.robot).config.to_mapping(),
            self.config.to_mapping(),
            self.limit,
            self.seed,
            self.true_base,
            self.controller,
        )

    def summarised(self) -> HumanoidSummary:
        """Walk after the sensor self-test."""
        return self.walked()[1]

    def walked(self) -> tuple[HumanoidWalk, HumanoidSummary]:
        """Return the walk that has ended, and its summary."""
        walk = self._walk(checked=True)
        faults = walk.check_sensors()
        if not faults:
            walk.run()
        return walk, dataclasses.replace(
            summarise_humanoid(walk), faults="; ".join(faults)
        )

    def warm_up(self) -> None:
        """Compile the walk's kernels by its first ticks with an estimated base."""
        walk = self._walk(checked=False)
        while not walk.ticks and not walk.ended and self.controller == HUMANOID_DEFAULT:
            walk.tick()

    def _walk(self, checked: bool) -> HumanoidWalk:
        return HumanoidWalk(
            self.config,
            self.limit,
            self.seed,
            true_base=self.true_base,
            checked=checked,
            controller=self.controller,
        )

    def outcome(self, summary: HumanoidSummary) -> HumanoidOutcome:
        """Build the outcome from a summary of the walk."""
        patch = self.config.patch
        return HumanoidOutcome(
            job=self,
            summary=summary,
            passed=summary.passes(),
            floors=(self.config.mu, *([patch.mu] if patch.length > 0.0 else [])),
        )


HumanoidOutcome = Outcome[HumanoidJob, HumanoidSummary]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of a humanoid over a slippery patch in a campaign."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Mapping

from biped_slip.compile.sources import sources_hash
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation import campaign
from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.simulation.line_file import key_of
from biped_slip.walking.humanoid_registry import DEFAULT


@dataclass(frozen=True)
class Job:
    """One walk of a campaign."""

    config: HumanoidWalkConfig
    limit: str
    seed: int
    true_base: bool = False  # the controller is told how the base moves
    controller: str = DEFAULT

    @property
    def name(self) -> str:
        """Of the robot."""
        return Path(self.config.robot).stem

    def key(self) -> str:
        """Names the walk: limit, seed, every parameter of walk and robot, and the code that walks it."""
        robot = load_humanoid(self.config.robot).config.to_mapping()
        walk = self.config.to_mapping(), self.limit, self.seed, self.true_base, self.controller
        return key_of(sources_hash(__name__), robot, *walk)

    def run(self) -> Outcome:
        """Check the sensors as before every walk; walk once if nothing is wrong with them."""
        return self.outcome(self.walked()[1])

    def walked(self) -> tuple[HumanoidWalk, HumanoidSummary]:
        """The walk that has ended, and its summary."""
        walk = self._walk(checked=True)
        faults = walk.check_sensors()
        if not faults:
            walk.run()
        return walk, replace(summarise_humanoid(walk), faults="; ".join(faults))

    def warm_up(self) -> None:
        """The first ticks on which the controller knows its base; those before hold the joints alone."""
        walk = self._walk(checked=False)
        while not walk.ticks and not walk.ended and self.controller == DEFAULT:
            walk.tick()

    def _walk(self, checked: bool) -> HumanoidWalk:
        return HumanoidWalk(self.config, self.limit, self.seed, true_base=self.true_base, checked=checked,
                            controller=self.controller)  # fmt: skip

    def found(self, entry: Mapping[str, Any]) -> Outcome:
        """The outcome of the walk as a file of campaigns has it."""
        return self.outcome(HumanoidSummary.from_mapping(entry["summary"]))

    def outcome(self, summary: HumanoidSummary) -> Outcome:
        """What a summary of the walk makes of it."""
        patch = self.config.patch
        return Outcome(self, summary, summary.passes(), (self.config.mu, *([patch.mu] if patch.length > 0.0 else [])))


Outcome = campaign.Outcome[Job, HumanoidSummary]

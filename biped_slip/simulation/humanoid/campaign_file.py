# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of humanoids in a file that a campaign goes on from."""

from __future__ import annotations

from biped_slip.compile.sources import sources_hash
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.campaign import HumanoidJob, HumanoidOutcome, run_humanoid_job
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.line_file import LineFile, key_of


def humanoid_key(job: HumanoidJob) -> str:
    """Names a walk: prevention, seed, every parameter of walk and robot, and the code that walks it."""
    robot = load_humanoid(job.config.robot).config.to_mapping()
    return key_of(sources_hash(run_humanoid_job.__module__), robot, job.config.to_mapping(), job.kind, job.seed,
                  job.true_base)  # fmt: skip


class HumanoidFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: HumanoidJob) -> HumanoidOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(humanoid_key(job))
        return None if entry is None else HumanoidOutcome(job, HumanoidSummary.from_mapping(entry["summary"]))

    def add(self, outcome: HumanoidOutcome) -> None:
        """Append one walk."""
        job = outcome.job
        self.append(
            humanoid_key(job), {"kind": job.kind, "seed": job.seed, "summary": outcome.summary.to_mapping()}
        )  # fmt: skip

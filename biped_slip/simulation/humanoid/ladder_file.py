# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of the ladder that have ended, in a file of JSON lines."""

from __future__ import annotations

from dataclasses import asdict

from biped_slip.simulation.humanoid.ladder import LadderJob, LadderOutcome
from biped_slip.simulation.humanoid.patch_summary import PatchSummary
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.line_file import LineFile


class LadderFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: LadderJob) -> LadderOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(_key(job))
        if entry is None:
            return None
        summary, patch = HumanoidSummary.from_mapping(entry["summary"]), PatchSummary.from_mapping(entry["patch"])
        return LadderOutcome(job, summary, patch)

    def add(self, outcome: LadderOutcome) -> None:
        """Append one walk."""
        self.append(_key(outcome.job), {
            **asdict(outcome.job), "summary": outcome.summary.to_mapping(), "patch": outcome.patch.to_mapping()
        })  # fmt: skip


def _key(job: LadderJob) -> str:
    """The walk's, and that it was walked for the ladder: other campaigns keep less of it."""
    return f"ladder-{job.walk.key()}"

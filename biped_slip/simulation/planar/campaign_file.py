# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of the planar biped in a file that a campaign goes on from."""

from __future__ import annotations

from dataclasses import asdict

from biped_slip.compile.sources import sources_hash
from biped_slip.simulation.line_file import LineFile, key_of
from biped_slip.simulation.planar.campaign import Job, Outcome, run_job
from biped_slip.simulation.planar.summary import WalkSummary


def job_key(job: Job) -> str:
    """Names a walk: limit, seed, every parameter of its scenario and the code that walks it."""
    return key_of(sources_hash(run_job.__module__), job.nominal().to_mapping(), job.limit, job.seed)


class CampaignFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: Job) -> Outcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(job_key(job))
        if entry is None:
            return None
        summary = WalkSummary.from_mapping(entry["summary"])
        return Outcome(job, summary, bool(entry["passed"]), tuple(entry["floors"]))

    def add(self, outcome: Outcome) -> None:
        """Append one walk."""
        self.append(job_key(outcome.job), asdict(outcome))

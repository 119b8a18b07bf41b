# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks of whatever robot in a file that a campaign goes on from."""

from __future__ import annotations

from typing import Any

from biped_slip.simulation.campaign import Found, Job, Outcome
from biped_slip.simulation.line_file import LineFile


class CampaignFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: Job[Found]) -> Found | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(job.key())
        return None if entry is None else job.found(entry)

    def add(self, outcome: Outcome[Any, Any]) -> None:
        """Append one walk."""
        self.append(outcome.job.key(), outcome.to_mapping())

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks over the course that have ended, in a file of JSON lines."""

from __future__ import annotations

import math
from dataclasses import asdict

from biped_slip.simulation.humanoid.course import CourseJob, CourseOutcome
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.line_file import LineFile


class CourseFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: CourseJob) -> CourseOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(job.walk.key())
        if entry is None:
            return None
        return CourseOutcome(job, HumanoidSummary.from_mapping(entry["summary"]), entry.get("climb", math.nan))

    def add(self, outcome: CourseOutcome) -> None:
        """Append one walk."""
        found = {**asdict(outcome.job), "summary": outcome.summary.to_mapping(), "climb": outcome.climb}
        self.append(outcome.job.walk.key(), found, allow_nan=True)

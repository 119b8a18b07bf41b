# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks over the course that have ended, in a file of JSON lines."""

from __future__ import annotations

from dataclasses import asdict

from biped_slip.simulation.humanoid.course import CourseJob, CourseOutcome
from biped_slip.simulation.humanoid.summary import HumanoidSummary
from biped_slip.simulation.line_file import LineFile


class CourseFile(LineFile):
    """Outcomes in a file."""

    def find(self, job: CourseJob) -> CourseOutcome | None:
        """The outcome of a walk that is in the file."""
        entry = self.entry(job.walk.key())
        return None if entry is None else CourseOutcome(job, HumanoidSummary.from_mapping(entry["summary"]))

    def add(self, outcome: CourseOutcome) -> None:
        """Append one walk."""
        self.append(outcome.job.walk.key(), {**asdict(outcome.job), "summary": outcome.summary.to_mapping()})

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One walk of a campaign: what it depends on, how it is walked, what came of it.

A job is data: it goes to another process, walks there, and comes back as an
:class:`Outcome`. Its key is a hash of all that its result depends on, code included, so
that a file of outcomes serves a campaign that goes on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Mapping

from biped_slip.compile.cache import sources_hash
from biped_slip.simulation.campaign import AnySummary, Outcome, key_of
from biped_slip.simulation.summary import Summary


class WalkJob(ABC, Generic[AnySummary]):
    """Walk of a robot in a campaign; robots say what depends on them."""

    summaries: ClassVar[type[Summary]]  # class of the summary of such a walk

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name of the scenario or the robot."""

    @abstractmethod
    def depends_on(self) -> tuple[Any, ...]:
        """Return all that the walk depends on beside the code, as plain values."""

    @abstractmethod
    def summarised(self) -> AnySummary:
        """Walk to the end and summarise."""

    @abstractmethod
    def outcome(self, summary: AnySummary) -> Outcome[Any, AnySummary]:
        """Judge a summary of the walk."""

    @abstractmethod
    def warm_up(self) -> None:
        """Compile the walk's kernels into the code cache."""

    def key(self) -> str:
        """Hash what the walk depends on, and the code."""
        return key_of(sources_hash(type(self).__module__), *self.depends_on())

    def run(self) -> Outcome[Any, AnySummary]:
        """Walk to the end and judge."""
        return self.outcome(self.summarised())

    def found(self, entry: Mapping[str, Any]) -> Outcome[Any, AnySummary]:
        """Read the outcome of the walk from an entry of a file of campaigns."""
        summary: Any = self.summaries.from_mapping(entry["summary"])
        return Outcome(
            job=self,
            summary=summary,
            passed=bool(entry["passed"]),
            floors=tuple(entry["floors"]),
        )

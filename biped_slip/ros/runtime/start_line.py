# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One line at a healthy start: what a node hears, and how often by the stamps."""

from __future__ import annotations

from typing import Mapping

STEPS = 200  # over which rates are counted (choice)


class StartLine:
    """Looks at the first steps after a start, then says it once."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self._first: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._steps = 0

    def heard(self, stamps: Mapping[str, int]) -> str:
        """The newest stamps [ns] by topic at a step; answers the line when the time has come, otherwise nothing."""
        if self._steps > STEPS:
            return ""
        self._steps += 1
        for topic, stamp in stamps.items():
            self._first.setdefault(topic, stamp)
            self._counts[topic] = self._counts.get(topic, -1) + (stamp != self._before.get(topic))
        self._before = dict(stamps)
        if self._steps <= STEPS:
            return ""
        return f"hears {', '.join(f'{topic} {self._rate(topic)}' for topic in sorted(stamps))}"

    def _rate(self, topic: str) -> str:
        passed = 1e-9 * (self._before[topic] - self._first[topic])
        return f"{self._counts[topic] / passed:.0f} Hz" if passed > 0.0 else "once"

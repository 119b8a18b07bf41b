# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How long a loop has stood still by itself: time in which it should have looked at its inputs and has not."""

from __future__ import annotations


class OwnStall:
    """A loop tells when it begins to wait, for how long at most, and when it looks.

    What it spends otherwise, if that is more than it may take to work, is lost: the process was stopped or starved.
    An input can't be called silent for that time.
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance  # [s] between a look and the next wait, and of waking up
        self.reset()

    def reset(self) -> None:
        """As before the first answer, until which nothing is lost."""
        self._due: float | None = None
        self.lost = 0.0  # [s] in all since the last answer
        self.longest = 0.0  # [s] at once

    def waits(self, now: float, most: float) -> None:
        """The loop begins to wait at a steady time [s] for at most a time [s]."""
        self._lose(now)
        self._due = None if self._due is None else now + most

    def looks(self, now: float) -> None:
        """The loop looks at its inputs at a steady time [s]."""
        self._lose(now)
        self._due = None if self._due is None else now

    def answers(self, now: float) -> None:
        """The loop answers an input at a steady time [s]: the counts begin anew."""
        self._due, self.lost, self.longest = now, 0.0, 0.0

    def _lose(self, now: float) -> None:
        if self._due is not None and now - self._due > self.tolerance:
            self.lost += now - self._due
            self.longest = max(self.longest, now - self._due)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a robot's inputs and with the robot: a name for machines, a sentence for people."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """Something is wrong now."""

    name: str  # a few fixed words, the same for every occurrence
    detail: str  # which sensor or joint, value and limit
    severe: bool = False  # no waiting for it to pass

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}"

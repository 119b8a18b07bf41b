# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How well a simulator in real time kept it: periods that passed while it was late, ticks that nobody commanded."""

from __future__ import annotations

from typing import NamedTuple

KEPT = "kept_time"  # its key in the result of a walk


class KeptTime(NamedTuple):
    """Of one walk."""

    ticks: int  # simulated
    missed: int  # control periods of the steady clock that passed without a tick: the robot's time went slower
    damped: int  # ticks at zero torque, because the last command was too old

    @property
    def dilation(self) -> float:
        """Share of the steady clock's time that the robot's did not go on."""
        return self.missed / max(self.ticks + self.missed, 1)

    def __str__(self) -> str:
        return f"{self.missed} deadlines missed: time dilated by {self.dilation:.2%}; {self.damped} ticks damped"

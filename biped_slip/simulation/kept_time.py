# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a walk in real time kept its time.

A simulator that runs beside a controller advances by the steady clock. When the
computer is late, the robot's time goes slower (missed deadlines), it is driven by an
older command (late), or its joints are damped because the last command is too old. A
fall then says nothing about the controller.
"""

from __future__ import annotations

from typing import NamedTuple

KEPT_TIME = "kept_time"  # its key in the result of a walk
MOST_LATE = 0.01  # of the ticks (choice)


class KeptTime(NamedTuple):
    """Real-time statistics of one walk."""

    ticks: int  # simulated
    # control periods of the steady clock that passed without a tick: the robot's time
    # went slower
    missed: int
    damped: int  # ticks at zero torque, because the last command was too old
    late: int = 0  # ticks whose command answered an earlier instant than the last

    @property
    def dilation(self) -> float:
        """Share of the steady clock's time by which the robot's was late."""
        return self.missed / max(self.ticks + self.missed, 1)

    @property
    def starved(self) -> bool:
        """Return whether processor time was missing, which may have caused a fall."""
        return max(self.missed, self.damped, self.late) > MOST_LATE * self.ticks

    def __str__(self) -> str:
        cause = (
            "this computer was too slow, so a fall says nothing about the controller: "
            if self.starved
            else ""
        )
        return (
            f"{cause}{self.missed} deadlines missed: time dilated by "
            f"{self.dilation:.2%}; "
            f"{self.late} commands late, {self.damped} ticks damped"
        )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a walk in real time kept its time.

A simulator that runs beside a controller advances by the steady clock. When the
computer is late, the robot's time goes slower (missed deadlines), it is driven by an
older command (late), or its joints are damped because the last command is too old. A
fall then says nothing about the controller.

Commands that stay away for longer than any slow computer delays them, or whose
publisher has gone, have another cause: the controller itself.
"""

from __future__ import annotations

from typing import NamedTuple

KEPT_TIME = "kept_time"  # its key in the result of a walk
MOST_LATE = 0.01  # of the ticks (choice)
# [s] without a command that no slow computer explains (choice: three times the stall
# after which a controller lets go by itself; a limp biped falls in 0.25 s)
COMMAND_SILENCE = 0.15


class CommandGaps:
    """Gaps between commands, in which the joints are damped, and their causes.

    Attributes:
        damped: ticks at zero torque in all gaps.
        silent: those of them in gaps that the controller caused.
        longest: gap of the controller [s].
        lasting: whether the controller causes the present gap.
    """

    def __init__(self) -> None:
        self.damped = 0
        self.silent = 0
        self.longest = 0.0
        self.lasting = False
        self._ticks = 0  # of this gap whose cause is not known yet

    def tick(self, age: float, gone: bool) -> bool:
        """Count a tick without a command.

        Return whether it shows that the controller is the cause, once a gap.

        Args:
            age: of the last command [s].
            gone: whether nothing publishes commands any more.
        """
        self.damped += 1
        self._ticks += 1
        if not gone and age <= COMMAND_SILENCE:
            return False
        self.silent += self._ticks
        self.longest = max(self.longest, age)
        self._ticks = 0
        first = not self.lasting
        self.lasting = True
        return first

    def end(self) -> None:
        """End the gap by a command."""
        self._ticks = 0
        self.lasting = False


class KeptTime(NamedTuple):
    """Real-time statistics of one walk."""

    ticks: int  # simulated
    # control periods of the steady clock that passed without a tick: the robot's time
    # went slower
    missed: int
    damped: int  # ticks at zero torque, because the last command was too old
    late: int = 0  # ticks whose command answered an earlier instant than the last
    silent: int = 0  # damped ticks, because the controller sent nothing
    silence: float = 0.0  # [s] longest time without a command that it caused

    @property
    def dilation(self) -> float:
        """Share of the steady clock's time by which the robot's was late."""
        return self.missed / max(self.ticks + self.missed, 1)

    @property
    def starved(self) -> bool:
        """Return whether processor time was missing, which may have caused a fall."""
        damped = self.damped - self.silent
        return max(self.missed, damped, self.late) > MOST_LATE * self.ticks

    def __str__(self) -> str:
        cause = ""
        if self.starved:
            cause = (
                "this computer was too slow, so a fall says nothing about the "
                "controller: "
            )
        elif self.silence:
            cause = f"no command came for {self.silence:.2f} s: "
        return (
            f"{cause}{self.missed} deadlines missed: time dilated by "
            f"{self.dilation:.2%}; "
            f"{self.late} commands late, {self.damped} ticks damped"
        )

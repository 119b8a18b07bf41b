# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands a simulator accepts: one per tick in lockstep, the newest in real time; the others are counted."""

from __future__ import annotations

from collections import Counter
from typing import Iterable

from std_msgs.msg import Float64MultiArray

from biped_slip.estimation.readings import Array
from biped_slip.nodes.messages import UnusableSample, answered_stamp, efforts_from


class CommandGate:
    """Holds what was refused and why."""

    def __init__(self, joints: int, skipped: Counter[str]) -> None:
        self._joints, self._skipped = joints, skipped
        self.last_refusal = ""

    def answer(self, commands: Iterable[Float64MultiArray], stamp: int) -> Array | None:
        """The first good command that answers a stamp [ns], or does not say which it answers; others are refused."""
        accepted = None
        for command in commands:
            answers = answered_stamp(command)
            if accepted is not None or answers not in (None, stamp):
                self._refuse("second command of a tick")
            else:
                accepted = self._checked(command)
        return accepted

    def newest(self, commands: Iterable[Float64MultiArray]) -> Array | None:
        """The newest good command."""
        accepted = None
        for command in commands:
            good = self._checked(command)
            accepted = accepted if good is None else good
        return accepted

    def _checked(self, command: Float64MultiArray) -> Array | None:
        try:
            return efforts_from(command, self._joints)
        except UnusableSample as unusable:
            self._refuse(str(unusable))
            return None

    def _refuse(self, why: str) -> None:
        self._skipped[why] += 1
        self.last_refusal = why

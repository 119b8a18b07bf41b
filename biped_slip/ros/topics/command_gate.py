# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which commands a simulator accepts: one per tick in lockstep, the newest in real time; the others are counted."""

from __future__ import annotations

from collections import Counter
from typing import Iterable

import numpy as np
from rclpy.serialization import deserialize_message
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.messages import Command, SerialisedCommand, UnusableSample, answered_stamp, checked


class CommandGate:
    """Takes serialised commands; holds what was refused and why."""

    def __init__(self, joints: int, skipped: Counter[str]) -> None:
        self._joints, self._skipped = joints, skipped
        self._ours = SerialisedCommand(joints)
        self.last_refusal = ""

    def answer(self, commands: Iterable[bytes], stamp: int) -> Array | None:
        """The first good command that answers a stamp [ns], or does not say which it answers; others are refused."""
        accepted = None
        for raw in commands:
            command = self._good(raw)
            if command is None:
                continue
            if accepted is not None or command.stamp_ns not in (None, stamp):
                self._refuse("second command of a tick")
            else:
                accepted = command.efforts
        return accepted

    def newest(self, commands: Iterable[bytes]) -> Array | None:
        """The newest good command."""
        accepted = None
        for raw in commands:
            good = self._good(raw)
            accepted = accepted if good is None else good.efforts
        return accepted

    def _good(self, raw: bytes) -> Command | None:
        try:
            return checked(self._ours.read(raw) or typed_command(raw), self._joints)
        except UnusableSample as unusable:
            self._refuse(str(unusable))
            return None

    def _refuse(self, why: str) -> None:
        self._skipped[why] += 1
        self.last_refusal = why


def typed_command(raw: bytes) -> Command:
    """A command of any sender.

    Raises:
        UnusableSample: these bytes are no command.
    """
    try:
        message = deserialize_message(raw, Float64MultiArray)
    except (RuntimeError, ValueError, MemoryError) as error:
        raise UnusableSample(Problem("undecodable message", "command")) from error
    return Command(answered_stamp(message), np.array(message.data, dtype=float))

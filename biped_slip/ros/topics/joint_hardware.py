# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot as hardware on joint topics, which ros2_control reads and commands (topic_based_ros2_control)."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Sequence

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.cdr_layout import restamped

STATES, COMMANDS = "hardware/joint_states", "hardware/joint_commands"


class JointCommands:
    """Takes serialised joint commands; undecodable ones are counted, unclaimed joints have none."""

    def __init__(self, joints: Sequence[str], skipped: Counter[str]) -> None:
        self._joints, self._skipped = joints, skipped
        self.last_refusal = ""

    def newest(self, commands: Iterable[bytes]) -> Array | None:
        """Efforts (n,) of the newest good command [N m], in the robot's order."""
        accepted = None
        for raw in commands:
            try:
                message = deserialize_message(raw, JointState)
            except (RuntimeError, ValueError, MemoryError):
                self.last_refusal = str(Problem("undecodable message", COMMANDS))
                self._skipped[self.last_refusal] += 1
                continue
            efforts = dict(zip(message.name, message.effort, strict=False))
            found = np.array([efforts.get(joint, np.nan) for joint in self._joints])
            accepted = found if np.all(np.isfinite(found)) else accepted
        return accepted


def as_hardware(messages: dict[str, bytes], now_ns: int) -> dict[str, bytes]:
    """The sensors' messages with the time at which they are sent [ns]: hardware knows no simulated time."""
    return {topic: restamped(raw, now_ns) for topic, raw in messages.items()}

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether ros2_control still passes commands on: the controller of efforts, as the controller manager tells it.

The manager deactivates a controller after one command that it can't use; from then on the joints keep their last
torque, and whatever is sent is lost.
"""

from __future__ import annotations

from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy

from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.message_types import message_class

TYPE = "controller_manager_msgs/msg/ControllerManagerActivity"
TOPIC = "controller_manager/activity"
TOLD_LATE = QoSProfile(
    depth=1, reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL
)


def controller_behind(command_topic: str) -> str:
    """Name of the controller that listens on a topic of commands."""
    return command_topic.strip("/").removesuffix("/commands").rpartition("/")[2]


class ControllerActivity:
    """Watches one controller, where the message package is installed and a controller manager is there.

    Args:
        node: listens.
        controller: its name.
    """

    def __init__(self, node: Node, controller: str) -> None:
        self._node, self._controller = node, controller
        self.problem: Problem | None = None
        self._was_active = self._told = False
        kind = message_class(TYPE)
        self._subscription = None if kind is None else node.create_subscription(kind, TOPIC, self.take, TOLD_LATE)

    @property
    def held(self) -> bool:
        """Whether there is a manager that has never yet let the controller have the joints."""
        return self._told and not self._was_active

    def take(self, message: Any) -> None:
        """The states of all controllers."""
        states = [one.state.label for one in message.controllers if one.name == self._controller]
        state = states[0] if states else "not loaded"
        self._told = True
        self._was_active = self._was_active or state == "active"
        lost = self._was_active and state != "active"
        what = f"{self._controller} is {state}: the joints keep their last torque"
        self.problem = Problem("controller not active", what, severe=True) if lost else None

    def close(self) -> None:
        """End the subscription."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity commands of a robot, from a topic of Twist or TwistStamped.

A topic has one type: it is that of who publishes there, looked for now and then.
"""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Twist as TwistMessage
from geometry_msgs.msg import TwistStamped

from biped_slip.control.friction_governor import Twist
from biped_slip.ros.dds import SENSOR_INPUTS, PolledSubscription
from biped_slip.ros.robot_node import RobotNode

KINDS = {
    "geometry_msgs/msg/TwistStamped": TwistStamped,
    "geometry_msgs/msg/Twist": TwistMessage,
}


def twist_of(message: Any) -> Twist:
    """Return the command of a message of either type."""
    inner = message.twist if isinstance(message, TwistStamped) else message
    return Twist(inner.linear.x, inner.linear.y, inner.angular.z)


class VelocityInput:
    """Subscription to a topic of commands; TwistStamped until another is published."""

    def __init__(self, node: RobotNode, topic: str) -> None:
        self._node = node
        self.topic = topic
        self._listen(TwistStamped)

    def _listen(self, kind: type[Any]) -> None:
        self._kind = kind
        self._box = PolledSubscription(self._node, kind, self.topic, SENSOR_INPUTS)

    def look(self) -> None:
        """Look for the type of who publishes; listen to that."""
        published = {
            KINDS.get(info.topic_type)
            for info in self._node.get_publishers_info_by_topic(self.topic)
        } - {None}
        if published and self._kind not in published:
            self.close()
            self._listen(next(iter(published)))

    def newest(self) -> Twist | None:
        """Return the newest command that has come since the last call, if one has."""
        found = None
        for message in self._box.take():
            found = twist_of(message)
        return found

    def close(self) -> None:
        """End the subscription."""
        self._box.close()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity commands of a robot, from a topic of Twist or TwistStamped.

A topic has one type: it is that of who publishes there, looked for now and then. A
command with a header is refused as the governor refuses it: its stamp is of the node's
clock or zero, its frame a body's (``stamps.py``). One of an hour ago, from a bag or a
planner with another clock, moves no robot. Two nodes that publish commands contradict
each other, message by message: they are named.
"""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import Twist as TwistMessage
from geometry_msgs.msg import TwistStamped

from biped_slip.control.friction_governor import Twist
from biped_slip.estimation.readings import Problem
from biped_slip.ros.dds import SENSOR_INPUTS, PolledSubscription
from biped_slip.ros.messages import UnusableSample, time_in
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.stamps import Sender, clock_range

KINDS = {
    "geometry_msgs/msg/TwistStamped": TwistStamped,
    "geometry_msgs/msg/Twist": TwistMessage,
}


def twist_of(message: Any) -> Twist:
    """Return the command of a message of either type."""
    inner = message.twist if isinstance(message, TwistStamped) else message
    return Twist(inner.linear.x, inner.linear.y, inner.angular.z)


class VelocityInput:
    """Subscription to a topic of commands; TwistStamped until another is published.

    Args:
        node: that listens.
        topic: of the commands.
        tolerance: by which stamps may differ from the node's clock [s]; 0: by any time.

    Attributes:
        problem: of the newest message since the last look; None: it is sound.
    """

    def __init__(self, node: RobotNode, topic: str, tolerance: float) -> None:
        self._node = node
        self._tolerance = tolerance
        self.topic = topic
        self.problem: Problem | None = None
        self._listen(TwistStamped)

    def _listen(self, kind: type[Any]) -> None:
        self._kind = kind
        self._sender = Sender(self.topic, commands=True)
        self._box = PolledSubscription(self._node, kind, self.topic, SENSOR_INPUTS)

    def look(self) -> None:
        """Look for the type of who publishes; listen to that. Name several of them."""
        infos = self._node.get_publishers_info_by_topic(self.topic)
        if len(infos) > 1:
            from biped_slip.ros.graph import crowded  # where several are

            if sentence := crowded(self._node, self._box.full_name):
                self._node.note(Problem("second publisher", sentence))
        published = {KINDS.get(info.topic_type) for info in infos} - {None}
        if published and self._kind not in published:
            self.close()
            self._listen(next(iter(published)))

    def newest(self) -> Twist | None:
        """Return the newest sound command since the last call, if one has come."""
        found = None
        self.problem = None
        for message in self._box.take():
            self.problem = self._refusal(message)
            if self.problem is None:
                found = twist_of(message)
        return found

    def _refusal(self, message: Any) -> Problem | None:
        """Return what is wrong with a message's header, if it has one."""
        if not isinstance(message, TwistStamped):
            return None
        try:
            stamp = time_in(self.topic, message)
        except UnusableSample as unusable:
            return unusable.problem
        present = clock_range(self._node.get_clock(), self._tolerance)
        return self._sender.problem(stamp, message.header.frame_id, present)

    def close(self) -> None:
        """End the subscription."""
        self._box.close()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""In lockstep a player goes on when its listeners have answered: which answers are still missing."""

from __future__ import annotations

import time
from typing import Iterable, NamedTuple

from rclpy.node import Node
from sensor_msgs.msg import JointState

from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.messages import stamp_ns
from biped_slip.ros.topics.qos import RECORDS
from biped_slip.ros.topics.subscription import PolledSubscription


class _Asked(NamedTuple):
    topic: str
    answers: PolledSubscription
    stamp_ns: int


class AwaitedAnswers:
    """Answers carry the stamp of what they answer.

    Args:
        node: who waits.
        pairs: topics and the topics (sensor_msgs/JointState) on which each message is answered.
        patience: without an answer before it is given up [s].
        half_period: stamps that differ by less are one instant [ns].
    """

    def __init__(self, node: Node, pairs: Iterable[tuple[str, str]], patience: float, half_period: int = 1) -> None:
        self._boxes: dict[str, list[PolledSubscription]] = {}
        for topic, answer in pairs:
            self._boxes.setdefault(topic, []).append(PolledSubscription(node, JointState, answer, RECORDS))
        self._patience, self._half_period = patience, half_period
        self.forget()

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics whose messages are answered."""
        return tuple(self._boxes)

    @property
    def names(self) -> set[str]:
        """Topics on which answers come."""
        return {box.topic for boxes in self._boxes.values() for box in boxes}

    def forget(self) -> None:
        """Nothing is awaited."""
        self._asked: list[_Asked] = []

    def ask(self, topic: str, stamp: int) -> None:
        """A message with a stamp [ns] went out."""
        self._since = time.monotonic()
        self._asked += [_Asked(topic, box, stamp) for box in self._boxes.get(topic, ())]

    def holds(self, stamp: int) -> bool:
        """Whether a message with this stamp [ns] must wait; messages of one instant go together."""
        came = {(id(box), stamp_ns(m.header)) for boxes in self._boxes.values() for box in boxes for m in box.take()}
        self._asked = [asked for asked in self._asked if (id(asked.answers), asked.stamp_ns) not in came]
        return any(stamp - asked.stamp_ns >= self._half_period for asked in self._asked)

    def late(self) -> Problem | None:
        """What is missing when patience has ended, after which nothing is awaited any more."""
        if not self._asked or time.monotonic() - self._since < self._patience:
            return None
        topic, box, _ = self._asked[0]
        self.forget()
        return Problem("missing answer", f"{topic} is not answered on {box.topic} after {self._patience:g} s")

    def close(self) -> None:
        """End all subscriptions."""
        for boxes in self._boxes.values():
            for box in boxes:
                box.close()

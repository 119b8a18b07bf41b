# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The newest message of each input topic, with its stamp and the time of its arrival."""

from __future__ import annotations

from collections import Counter
from typing import Callable, Mapping, Protocol

from rclpy.qos import QoSProfile

from biped_slip.estimation.problem import Problem
from biped_slip.nodes.input_topic import InputTopic
from biped_slip.nodes.mailbox import Mailbox
from biped_slip.nodes.messages import UnusableSample

CLOCK_JUMP = 500_000_000  # [ns] stamps that differ by more belong to another time: everything starts anew


class RobotClock(Protocol):
    """A node with a steady clock."""

    clock: Callable[[], float]  # [s]


class Inbox:
    """Holds what has arrived on stamped topics; what is no message or has no new stamp is skipped and counted."""

    def __init__(
        self, node: RobotClock, topics: Mapping[str, InputTopic], qos: QoSProfile, skipped: Counter[str]
    ) -> None:
        self._node, self.topics = node, topics
        self.boxes = {name: Mailbox(node, topic.kind, name, qos, raw=True) for name, topic in topics.items()}
        self._backwards = list(reversed(self.boxes.items()))
        self._skipped = skipped
        self.forget()

    def forget(self) -> None:
        """As before the first message."""
        self.stamps: dict[str, int] = {}
        self.arrivals: dict[str, float] = {}  # [s] steady clock

    def take(self) -> Problem | None:
        """Read the mailboxes; answers the jump of a clock, after which only later messages are held.

        The last topic is published last: the others are read until they are as new as it is.
        """
        jump, now = None, self._node.clock()
        for name, box in self._backwards:
            newest = max(self.stamps.values(), default=None)
            while (raw := box.next()) is not None:
                jump = self._keep(name, raw, now) or jump
                if newest is not None and self.stamps.get(name) == newest:
                    break
        return jump

    def _keep(self, name: str, raw: bytes, now: float) -> Problem | None:
        topic, before, jump = self.topics[name], self.stamps.get(name), None
        try:
            stamp = topic.open(raw)
        except UnusableSample as unusable:
            self._skipped[str(unusable)] += 1
            return None
        if before is not None and not before < stamp <= before + CLOCK_JUMP:
            if abs(stamp - before) <= CLOCK_JUMP:
                self._skipped[f"{'duplicated' if stamp == before else 'reordered'} stamp: {name}"] += 1
                return None
            jump = Problem("clock jump", f"{name}: by {1e-9 * (stamp - before):.3f} s", severe=True)
            self.forget()
        topic.keep()
        self.stamps[name], self.arrivals[name] = stamp, now
        return jump

    def problem(self) -> Problem | None:
        """What is wrong with the newest messages, if anything is."""
        for topic in self.topics.values():
            if topic.problem is not None:
                return topic.problem
        return None

    def typed(self) -> int:
        """Messages that went the slow way, by their type."""
        return sum(topic.by_type for topic in self.topics.values())

    def close(self) -> None:
        """End all subscriptions."""
        for box in self.boxes.values():
            box.close()

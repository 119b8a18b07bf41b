# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The newest message of each input topic, with its stamp and the time of its arrival."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any, Mapping

from rclpy.node import Node
from rclpy.qos import QoSProfile

from biped_slip.nodes.mailbox import Mailbox
from biped_slip.nodes.messages import stamp_ns

CLOCK_JUMP = 500_000_000  # [ns] stamps that differ by more belong to another time: everything starts anew


class Inbox:
    """Holds what has arrived on stamped topics; stamps that do not rise are skipped and counted."""

    def __init__(self, node: Node, topics: Mapping[str, type[Any]], qos: QoSProfile, skipped: Counter[str]) -> None:
        self.boxes = {topic: Mailbox(node, kind, topic, qos) for topic, kind in topics.items()}
        self._skipped = skipped
        self.forget()

    def forget(self) -> None:
        """As before the first message."""
        self.messages: dict[str, Any] = {}
        self.stamps: dict[str, int] = {}
        self.arrivals: dict[str, float] = {}  # [s] steady clock

    def take(self) -> bool:
        """Read every mailbox; answers whether a clock jumped, after which only later messages are held."""
        jumped = False
        for topic, box in self.boxes.items():
            for message in box.take():
                stamp, before = stamp_ns(message.header), self.stamps.get(topic)
                if before is not None:
                    if abs(stamp - before) > CLOCK_JUMP:
                        self.forget()
                        jumped = True
                    elif stamp <= before:
                        self._skipped[f"{topic}: stamp not rising"] += 1
                        continue
                self.messages[topic], self.stamps[topic] = message, stamp
                self.arrivals[topic] = time.monotonic()
        return jumped

    def close(self) -> None:
        """End all subscriptions."""
        for box in self.boxes.values():
            box.close()

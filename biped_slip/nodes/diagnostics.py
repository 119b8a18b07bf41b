# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State words, counters and loop periods on /diagnostics, about once a second (REP 107)."""

from __future__ import annotations

import time
from collections import deque
from typing import Mapping, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from biped_slip.nodes.qos import DIAGNOSTICS


class Status(NamedTuple):
    """How a node is: a word, and a sentence when something is wrong."""

    word: str
    sentence: str = ""
    healthy: bool = True
    problem: str = ""  # its name


class Durations:
    """The newest few thousand durations of a kind."""

    def __init__(self, name: str, kept: int = 4000) -> None:
        self._name, self._kept = name, deque[float](maxlen=kept)
        self._last: float | None = None

    def add(self, duration: float) -> None:
        """One more [s]."""
        self._kept.append(duration)

    def tick(self) -> None:
        """One more: the time since the last tick on the steady clock."""
        now = time.monotonic()
        if self._last is not None:
            self.add(now - self._last)
        self._last = now

    def quantiles(self) -> dict[str, str]:
        """Median, 99 % and maximum in milliseconds."""
        if not self._kept:
            return {}
        values = sorted(self._kept)
        shares = {"p50": values[len(values) // 2], "p99": values[int(0.99 * (len(values) - 1))], "max": values[-1]}
        return {f"{self._name} {which} [ms]": f"{1e3 * value:.3f}" for which, value in shares.items()}


class Diagnostics:
    """Publishes the status of one node."""

    def __init__(self, node: Node) -> None:
        self._node, self.period, self.compute = node, Durations("loop period"), Durations("compute")
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)

    def publish(self, status: Status, counters: Mapping[str, int | str]) -> None:
        """One message now."""
        name = self._node.get_fully_qualified_name()
        content = {
            "state": status.word,
            "problem": status.problem,
            **{k: str(v) for k, v in counters.items()},
        }
        content.update({**self.period.quantiles(), **self.compute.quantiles()})
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [
            DiagnosticStatus(
                level=DiagnosticStatus.OK if status.healthy else DiagnosticStatus.ERROR,
                name=name,
                message=status.sentence or status.word,
                hardware_id="biped_slip",
                values=[KeyValue(key=key, value=value) for key, value in content.items()],
            )
        ]
        self._publisher.publish(message)

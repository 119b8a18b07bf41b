# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State words, counters and loop periods on /diagnostics, about once a second (REP 107)."""

from __future__ import annotations

import time
from collections import deque
from typing import Mapping, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from biped_slip.nodes.qos import DIAGNOSTICS


class Status(NamedTuple):
    """How a node is: a word, and a sentence when something is wrong."""

    word: str
    sentence: str = ""
    healthy: bool = True


class LoopPeriod:
    """Times between steps on the steady clock; the newest few thousand."""

    def __init__(self, kept: int = 4000) -> None:
        self._periods: deque[float] = deque(maxlen=kept)
        self._last: float | None = None

    def tick(self) -> None:
        """A step begins."""
        now = time.monotonic()
        if self._last is not None:
            self._periods.append(now - self._last)
        self._last = now

    def quantiles(self) -> dict[str, str]:
        """Median, 99 % and maximum in milliseconds."""
        if not self._periods:
            return {}
        p50, p99, most = 1e3 * np.quantile(np.fromiter(self._periods, float), (0.5, 0.99, 1.0))
        return {"loop period p50 [ms]": f"{p50:.3f}", "p99 [ms]": f"{p99:.3f}", "max [ms]": f"{most:.3f}"}


class Diagnostics:
    """Publishes the status of one node."""

    def __init__(self, node: Node) -> None:
        self._node, self.period = node, LoopPeriod()
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)

    def publish(self, status: Status, counters: Mapping[str, int | str]) -> None:
        """One message now."""
        name = self._node.get_fully_qualified_name()
        content = {"state": status.word, **{k: str(v) for k, v in counters.items()}, **self.period.quantiles()}
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

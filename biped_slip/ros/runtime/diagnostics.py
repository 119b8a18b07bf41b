# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""State words, counters and loop periods on /diagnostics, about once a second (REP 107)."""

from __future__ import annotations

import time
from typing import Iterator, Mapping, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from biped_slip.ros.topics.qos import DIAGNOSTICS


class Status(NamedTuple):
    """How a node is: a word, and a sentence when something is wrong."""

    word: str
    sentence: str = ""
    healthy: bool = True
    problem: str = ""  # its name


class Durations:
    """The newest thousand durations of a kind."""

    def __init__(self, name: str, kept: int = 1000) -> None:
        self._name, self._kept, self._count = name, np.zeros(kept), 0
        self._last: float | None = None

    def add(self, duration: float) -> None:
        """One more [s]."""
        self._kept[self._count % len(self._kept)] = duration
        self._count += 1

    def tick(self) -> None:
        """One more: the time since the last tick on the steady clock."""
        now = time.monotonic()
        if self._last is not None:
            self.add(now - self._last)
        self._last = now

    def quantiles(self) -> dict[str, str]:
        """Median, 99 % and maximum in milliseconds."""
        count = min(self._count, len(self._kept))
        if not count:
            return {}
        places = {"p50": count // 2, "p99": int(0.99 * (count - 1)), "max": count - 1}
        values = np.partition(self._kept[:count], list(places.values()))
        return {f"{self._name} {which} [ms]": f"{1e3 * values[at]:.3f}" for which, at in places.items()}


class Diagnostics:
    """Publishes the status of one node."""

    def __init__(self, node: Node) -> None:
        self._node, self.period, self.compute = node, Durations("loop period"), Durations("compute")
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._status = DiagnosticStatus(name=node.get_fully_qualified_name(), hardware_id="biped_slip")
        self._message = DiagnosticArray(status=[self._status])
        self._values: dict[str, KeyValue] = {}  # kept and refilled

    def publish(self, status: Status, counters: Mapping[str, int | str]) -> Iterator[None]:
        """One message, made in pieces of a tenth of a millisecond."""
        content = {"state": status.word, "problem": status.problem, **counters}
        content.update(self.period.quantiles())
        yield
        content.update(self.compute.quantiles())
        yield
        self._status.level = DiagnosticStatus.OK if status.healthy else DiagnosticStatus.ERROR
        self._status.message = status.sentence or status.word
        self._status.values = [self._value(key, str(value)) for key, value in content.items()]
        yield
        self._message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(self._message)
        yield

    def _value(self, key: str, value: str) -> KeyValue:
        if (kept := self._values.get(key)) is None:
            kept = self._values[key] = KeyValue(key=key)
        kept.value = value
        return kept

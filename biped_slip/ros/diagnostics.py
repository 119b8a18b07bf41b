# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of a node once a second on /diagnostics (REP 107).

They are state, counters, loop periods and late ticks.
"""

from __future__ import annotations

import resource
from collections import Counter
from typing import Callable, Iterator, Mapping, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from biped_slip.ros.dds import DIAGNOSTICS, SENDS_NO_EVENTS

LATE_PERIODS = 1.5  # control periods between two answers (choice)
# of a period that computing, or work beside the loop, has to take to be the cause
# (choice)
LONG = 0.4

INPUT = "input came late"
COMPUTING = "own computing"
OTHER_WORK = "work beside the loop"
PREEMPTED = ", preempted"
SAID = "late ticks: "  # before the cause, in /diagnostics


class Status(NamedTuple):
    """Status of a node: a word, and a sentence when something is wrong."""

    word: str
    sentence: str = ""
    healthy: bool = True
    problem: str = ""  # its name


class Durations:
    """Statistics of the newest thousand durations of a kind."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kept = [0.0] * 1000
        self._count = 0
        self._last: float | None = None

    def add(self, duration: float) -> None:
        """Add a duration [s]."""
        self._kept[self._count % len(self._kept)] = duration
        self._count += 1

    def tick(self, now: float) -> None:
        """Add the time since the last tick, now [s, steady clock]."""
        if self._last is not None:
            self.add(now - self._last)
        self._last = now

    def quantiles(self) -> dict[str, str]:
        """Compute median, 99 % and maximum in milliseconds."""
        count = min(self._count, len(self._kept))
        if not count:
            return {}
        places = {"p50": count // 2, "p99": int(0.99 * (count - 1)), "max": count - 1}
        values = np.partition(self._kept[:count], list(places.values()))
        return {
            f"{self._name} {which} [ms]": f"{1e3 * values[at]:.3f}"
            for which, at in places.items()
        }


def preemptions() -> int:
    """Return how often this thread had to give way to another."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw


class LateTicks:
    """Counter of late answers of a loop.

    It goes by when the loop waits, wakes and has answered on the steady clock [s].

    Args:
        period: between two answers [s].
        preemptions: counts how often the thread had to give way.

    Attributes:
        causes: late answers since the start, by their cause.
    """

    def __init__(
        self, period: float, preemptions: Callable[[], int] = preemptions
    ) -> None:
        self._period = period
        self._preemptions = preemptions
        self.causes: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first answer."""
        self._answered: float | None = None
        self._since = self._woke = 0.0
        self._beside = 0.0  # [s] neither waited nor computed since the last answer
        self._given_way = self._preemptions()

    def waits(self, now: float) -> None:
        """Record that the loop begins to wait."""
        self._beside += now - self._since

    def wakes(self, now: float) -> None:
        """Record that the loop reads its inputs."""
        self._since = self._woke = now

    def answers(self, now: float) -> None:
        """Record that the answer has been sent."""
        given_way = self._preemptions()
        if (
            self._answered is not None
            and now - self._answered > LATE_PERIODS * self._period
        ):
            cause = self._cause(now - self._woke)
            preempted = cause != INPUT and given_way > self._given_way
            self.causes[cause + PREEMPTED * preempted] += 1
        self._answered = self._since = now
        self._beside = 0.0
        self._given_way = given_way

    def _cause(self, computing: float) -> str:
        if computing > LONG * self._period:
            return COMPUTING
        return OTHER_WORK if self._beside > LONG * self._period else INPUT


class Diagnostics:
    """Publisher of one node's status."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.period = Durations("loop period")
        self.compute = Durations("compute")
        self._publisher = node.create_publisher(
            DiagnosticArray,
            "/diagnostics",
            DIAGNOSTICS,
            event_callbacks=SENDS_NO_EVENTS,
        )
        self._status = DiagnosticStatus(
            name=node.get_fully_qualified_name(), hardware_id="biped_slip"
        )
        self._message = DiagnosticArray(status=[self._status])
        self._values: dict[str, KeyValue] = {}  # kept and refilled

    def publish(
        self, status: Status, counters: Mapping[str, int | str]
    ) -> Iterator[None]:
        """Publish one message, made in pieces of a tenth of a millisecond."""
        content = {"state": status.word, "problem": status.problem, **counters}
        content.update(self.period.quantiles())
        yield
        content.update(self.compute.quantiles())
        yield
        self._status.level = (
            DiagnosticStatus.OK if status.healthy else DiagnosticStatus.ERROR
        )
        self._status.message = status.sentence or status.word
        self._status.values = [
            self._value(key, str(value)) for key, value in content.items()
        ]
        yield
        self._message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(self._message)
        yield

    def _value(self, key: str, value: str) -> KeyValue:
        if (kept := self._values.get(key)) is None:
            kept = self._values[key] = KeyValue(key=key)
        kept.value = value
        return kept


COUNTED_TICKS = 200  # over which rates are counted (choice)


class StartLine:
    """Report of a node's topics and their rates in the first steps after a start."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._steps = 0

    def heard(self, stamps: Mapping[str, int]) -> str:
        """Record the newest stamps [ns] by topic.

        Return the report when it is due, else an empty text.
        """
        self._steps += 1
        for topic, stamp in stamps.items():
            self._first.setdefault(topic, stamp)
            self._counts[topic] = self._counts.get(topic, -1) + (
                stamp != self._before.get(topic)
            )
        self._before = dict(stamps)
        if self._steps != COUNTED_TICKS + 1:
            return ""
        return (
            "hears "
            f"{', '.join(f'{topic} {self._rate(topic)}' for topic in sorted(stamps))}"
        )

    def _rate(self, topic: str) -> str:
        passed = 1e-9 * (self._before[topic] - self._first[topic])
        return f"{self._counts[topic] / passed:.0f} Hz" if passed > 0.0 else "once"

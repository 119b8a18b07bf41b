# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The messages of one tick on their way from sensors to controller, and what a fault does to them."""

from __future__ import annotations

from collections import deque
from typing import Any, Callable, NamedTuple

from numpy.random import Generator
from rclpy.serialization import serialize_message


class Delivery:
    """The messages of one tick, to be spoilt before they are sent.

    ``messages`` are typed, in the order of publication; ``raw`` replaces the bytes of some; ``late`` holds back.
    """

    def __init__(self, rng: Generator, weight: float) -> None:
        self.rng, self.tick = rng, -1  # ticks since the fault began
        self.weight = weight  # of the robot [N]
        self.messages: dict[str, Any] = {}
        self.raw: dict[str, bytes] = {}
        self.repeat: list[str] = []
        self.more: list[tuple[str, bytes]] = []  # sent before everything else
        self.held: dict[str, deque[tuple[int, bytes]]] = {}
        self.kept: dict[str, Any] = {}  # what a fault remembers

    def begin(self, messages: dict[str, Any]) -> None:
        """A new tick, spoilt from now on."""
        self.tick += 1
        self.messages, self.raw, self.repeat, self.more = dict(messages), {}, [], []

    def bytes_of(self, topic: str) -> bytes:
        """What would be sent now."""
        return self.raw.get(topic) or serialize_message(self.messages[topic])

    def send(self) -> list[tuple[str, bytes]]:
        """What is sent in this tick, in order."""
        sent = list(self.more)
        for topic in self.messages:
            if topic in self.held:
                line = self.held[topic]
                while line and line[0][0] <= self.tick:
                    sent.append((topic, line.popleft()[1]))
            else:
                sent += [(topic, self.bytes_of(topic))] * (1 + self.repeat.count(topic))
        return sent

    def hold(self, topic: str, ticks: int) -> None:
        """Send a message so many ticks later."""
        line = self.held.setdefault(topic, deque())
        line.append((self.tick + ticks, self.bytes_of(topic)))
        self.held[topic] = deque(sorted(line, key=lambda each: each[0]))


class Fault(NamedTuple):
    """One kind.

    ``within``: ticks to the damped joints; None: the walk must go on (or may, with ``may_go_on``).
    ``names``: problems of which /diagnostics must show one.
    """

    kind: str
    inject: Callable[[Delivery], None]
    names: tuple[str, ...] = ()
    within: int | None = 5
    act: Callable[[Any], None] | None = None  # on the bench, once, when the fault begins
    may_go_on: bool = False
    robots: tuple[str, ...] = ("planar", "talos")  # that can have it
    row: int = 0  # of the study of faults; 0: none

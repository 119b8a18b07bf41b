# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The newest message of each input topic, or the messages of one instant after the other, with stamps and arrivals."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Callable, Collection, Mapping, NamedTuple, Protocol

from rclpy.qos import QoSProfile

from biped_slip.compile.kernel import without_dispatch
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.stamp import half_period, one_instant
from biped_slip.ros.topics.cdr_layout import NOT_TOGETHER, Table, shown_together, stamp_of
from biped_slip.ros.topics.input_topic import InputTopic
from biped_slip.ros.topics.messages import UnusableSample
from biped_slip.ros.topics.subscription import PolledSubscription
from biped_slip.walking.controller import PERIOD

MOST_AT_ONCE = 20  # messages of a topic that a look takes: a flood must not keep the loop from its commands (choice)
HALF_PERIOD = half_period(PERIOD)  # [ns]
CLOCK_JUMP = 500_000_000  # [ns] stamps that differ by more belong to another time: everything starts anew


class RobotClock(Protocol):
    """A node with a steady clock."""

    clock: Callable[[], float]  # [s]


class Together(NamedTuple):
    """What takes one message of each of some topics at once."""

    show: Callable[..., int]  # shown_together
    tables: tuple[Table, ...]
    judging: list[InputTopic]  # those that look at the numbers of each message


class InputSet:
    """Holds what has arrived on stamped topics; what is no message or has no new stamp is skipped and counted.

    Args:
        node: has the clock.
        topics: in the order of publication; the last one comes last.
        qos: of the subscriptions.
        skipped: counts.
        others: topics of another sender, which come at any time.
        in_order: one instant at a time, however many wait; else what is older than the newest is passed over.
    """

    def __init__(
        self,
        node: RobotClock,
        topics: Mapping[str, InputTopic],
        qos: QoSProfile,
        skipped: Counter[str],
        others: Collection[str] = (),
        in_order: bool = False,
    ) -> None:
        self._node, self.topics = node, topics
        self.boxes = {name: PolledSubscription(node, topic.kind, name, qos, raw=True) for name, topic in topics.items()}
        self._backwards = [name for name in reversed(self.boxes) if name not in others]
        self._others = list(others)
        self._skipped, self._in_order = skipped, in_order
        self._newest = 0  # [ns] stamp of what was taken together
        self.forget()

    def forget(self) -> None:
        """As before the first message."""
        self._quick: Together | None = None
        self._left = 0  # [ns] newest instant that was whole, or given up
        self.even: int | None = None  # [ns] stamp of the last topic, where all came together and well
        self.stamps: dict[str, int] = {}
        self.arrivals: dict[str, float] = {}  # [s] steady clock
        self.looked = 0.0  # [s] steady clock, of the last look at the mailboxes

    def take(self) -> Problem | None:
        """Read the mailboxes; answers the jump of a clock, after which only later messages are held."""
        now = self._node.clock()
        self.looked, self.even = now, None
        jump = None
        for name in self._others:
            for raw in islice(self.boxes[name].take(), MOST_AT_ONCE):
                jump = self._keep(name, raw, now) or jump
        return (self._next_instant(now) if self._in_order else self._newest_instant(now)) or jump

    def _newest_instant(self, now: float) -> Problem | None:
        """The last topic is published last: the others are read until they are as new as it is."""
        jump = None
        first = [self.boxes[name].next() for name in self._backwards]
        more = None if first[0] is None else self.boxes[self._backwards[0]].next()
        if more is None and self._all_together(first, now):
            return jump
        for name, raw in zip(self._backwards, first, strict=True):
            newest, taken = max(self.stamps.values(), default=None), 0
            while raw is not None:
                jump, taken = self._keep(name, raw, now) or jump, taken + 1
                if more is not None:
                    raw, more = more, None
                elif taken == MOST_AT_ONCE or (newest is not None and self.holds(name, newest)):
                    break
                else:
                    raw = self.boxes[name].next()
        self._quick = self._learnt()
        return jump

    def _next_instant(self, now: float) -> Problem | None:
        """Once all topics hold an instant, one message of each; then whoever is behind the newest is read on."""
        jump = None
        if not self._behind():
            first = [self.boxes[name].next() for name in self._backwards]
            if self._all_together(first, now):
                return None
            for name, raw in zip(self._backwards, first, strict=True):
                jump = (None if raw is None else self._read_on(name, raw, now)) or jump
        for _ in range(MOST_AT_ONCE):
            found = [(name, raw) for name in self._behind() if (raw := self.boxes[name].next()) is not None]
            if not found:
                break
            for name, raw in found:
                jump = self._read_on(name, raw, now) or jump
        self._quick = self._learnt()
        return jump

    def _read_on(self, name: str, raw: bytes, now: float) -> Problem | None:
        """Keep a message; an instant that is left before all topics held it is counted."""
        if not self._behind():
            self._left = max(self.stamps.values())
        before = self.stamps.get(name, self._left)
        jump = self._keep(name, raw, now)
        if self.stamps.get(name, before) > before >= self._left + HALF_PERIOD:
            self._skipped["incomplete instant"] += 1
            self._left = before
        return jump

    def _behind(self) -> list[str]:
        """Topics that do not hold the newest instant."""
        newest = max(self.stamps.values(), default=0)
        return [name for name in self._backwards if not self.holds(name, newest)]

    def holds(self, name: str, stamp: int) -> bool:
        """Whether the newest message of a topic is of this instant [ns]."""
        return name in self.stamps and one_instant(self.stamps[name], stamp, HALF_PERIOD)

    def _all_together(self, raws: list[bytes | None], now: float) -> bool:
        """Take one message of every topic at once, if all are well and of one new instant; otherwise none is taken."""
        quick = self._quick
        if quick is None or None in raws:
            return False
        stamp = quick.show(tuple(raws), quick.tables, self._newest, CLOCK_JUMP, HALF_PERIOD)
        if stamp == NOT_TOGETHER:
            return False
        for name, raw in zip(self._backwards, raws, strict=True):
            self.stamps[name], self.arrivals[name] = stamp_of(raw), now
        self._newest = max(self.stamps[name] for name in self._backwards)
        problems = [topic.take_shown() for topic in quick.judging]
        if any(problems):
            self._quick = None
        elif not self._others:
            self.even = stamp
        return True

    def _learnt(self) -> Together | None:
        """How to take messages together, when every layout is known and nothing is wrong."""
        topics = [self.topics[name] for name in self._backwards]
        known = all(topic.layout and topic.problem is None for topic in topics)
        if not known or not all(name in self.stamps for name in self._backwards):
            return None
        self._newest = max(self.stamps[name] for name in self._backwards)
        tables = tuple(topic.layout.table for topic in topics)
        if self._quick is not None and all(new is old for new, old in zip(tables, self._quick.tables, strict=True)):
            return self._quick  # to learn it again takes a third of a millisecond
        for topic in topics:
            topic.take_shown()
        show = without_dispatch(shown_together, (b"",) * len(topics), tables, 0, CLOCK_JUMP, HALF_PERIOD)
        judging = [topic for topic in topics if type(topic).accept is not InputTopic.accept]
        return Together(show, tables, judging)

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

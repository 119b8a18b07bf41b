# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One input topic as numbers that stay in place: decoded from the raw bytes, or by way of typed messages.

A message whose layout is known is copied and looked at; any other is deserialised and checked, and its layout is learnt
when it says the same. So the typed way is the fallback and the oracle of the raw one.
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from rclpy.serialization import deserialize_message

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.cdr_layout import LITTLE_ENDIAN, SCHEMAS, Layout, UnknownLayout, time_of
from biped_slip.ros.topics.messages import UnusableSample, stamp_from

LARGEST_MESSAGE = 65_536  # [byte] a thousand joints with their names; decoding more would take a loop's time (choice)
Numbers = Mapping[str, Array]


class Content(NamedTuple):
    """What a message says: texts and doubles by field name."""

    texts: Mapping[str, Sequence[str]]
    numbers: Numbers


class WrongContent(Exception):
    """A message says something that can't be used."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = Problem(name, detail)


class InputTopic:
    """Newest numbers of one topic. Subclasses say what a good message is.

    Args:
        name: of the topic, for sentences.
        raw: whether layouts may be learnt; without them every message goes the typed way.
    """

    kind: type[Any]
    numbers: Numbers  # of the newest good message; the next one may overwrite them

    def __init__(self, name: str, raw: bool = True) -> None:
        self.name, self._raw = name, raw
        self.problem: Problem | None = None  # with the newest message
        self.by_type = 0  # messages that went the typed way
        self.layout: Layout | None = None  # of messages that need no typed way
        self._opened: bytes | tuple[Content, Layout | None] = b""  # typed, or as it is where its layout is known

    def content(self, message: Any) -> Content:
        """A typed message's."""
        raise NotImplementedError

    def check(self, content: Content) -> None:
        """Refuse a message that can't be used; what is checked here doesn't change while the layout stays."""

    def accept(self, numbers: Numbers) -> None:
        """Take over the numbers of a message; every one passes here, and may be refused."""
        self.numbers = numbers

    def open(self, raw: bytes) -> int:
        """Look at a message; answers its stamp [ns].

        Raises:
            UnusableSample: these bytes are no message, or its stamp is no time.
        """
        if self.layout is not None and self.layout.fits(raw):
            self._opened = raw
            return stamp_from(self.name, *time_of(raw))
        if len(raw) > LARGEST_MESSAGE:
            what = f"{self.name} is longer than {LARGEST_MESSAGE} bytes"
            raise UnusableSample(Problem("oversized message", what))
        try:
            layout = Layout(raw, SCHEMAS[self.kind.__name__]) if raw[:2] == LITTLE_ENDIAN else None
            message = deserialize_message(raw, self.kind)
        except (UnknownLayout, RuntimeError, ValueError, OverflowError, MemoryError) as error:
            raise UnusableSample(Problem("undecodable message", self.name)) from error
        self.by_type += 1
        self._opened = self.content(message), layout
        return stamp_from(self.name, message.header.stamp.sec, message.header.stamp.nanosec)

    def take_shown(self) -> Problem | None:
        """Take over the numbers that the layout shows by now; answers what is wrong with them."""
        self.problem = None
        try:
            self.accept(self.layout.views)
        except WrongContent as refusal:
            self.problem = refusal.problem
        return self.problem

    def keep(self) -> None:
        """Take over the message that was opened last; ``problem`` says what is wrong with it."""
        self.problem = None
        try:
            if isinstance(self._opened, bytes):
                self.accept(self.layout.show(self._opened))
                return
            content, layout = self._opened
            self.layout = None  # what is checked now need not fit an older layout
            self.check(content)
            self.accept(content.numbers)
            if self._raw and layout is not None and _says(layout, content):
                self.layout = layout
        except WrongContent as refusal:
            self.problem = refusal.problem


def _says(layout: Layout, content: Content) -> bool:
    """Whether the raw way finds what the typed one does."""
    texts = all(tuple(text) == layout.texts[name] for name, text in content.texts.items())
    nothing = np.zeros(0)
    return texts and all(
        np.asarray(numbers).tobytes() == layout.views.get(name, nothing).tobytes()
        for name, numbers in content.numbers.items()
    )


def vector(message: Any) -> Array:
    """Its x, y, z (3,)."""
    return np.array([message.x, message.y, message.z])


def quaternion(message: Any) -> Array:
    """Its x, y, z, w (4,)."""
    return np.array([message.x, message.y, message.z, message.w])

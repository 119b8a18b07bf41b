# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Serialised messages: their layout, publishers and subscriptions.

The quality of service of every topic is here, too.
"""

from __future__ import annotations

import importlib
import struct
import time
from contextlib import contextmanager
from typing import Any, Callable, Collection, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from rclpy.callback_groups import CallbackGroup
from rclpy.duration import Duration
from rclpy.event_handler import (
    PublisherEventCallbacks,
    SubscriptionEventCallbacks,
)
from rclpy.exceptions import NameValidationException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
    qos_profile_sensor_data,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

from biped_slip.compile.kernel import kernel
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import SECOND
from biped_slip.ros.stamps import nearest_legal_stamp

# Quality of service of every kind of topic; each may be overridden by parameters
# ``qos_overrides.*``.

#: No callbacks for events of the quality of service: one that is not taken ends every
#: wait at once, no executor serves them here, and in rclpy's EventsExecutor they can
#: stop a loop of 1 kHz for good (rmw_fastrtps #890).
NO_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)
SENDS_NO_EVENTS = PublisherEventCallbacks(use_default_callbacks=False)

#: Publishers of sensors and estimates: reliable, and a late subscriber gets the last
#: sample. Fits every subscriber.
OUTPUTS = QoSProfile(
    depth=5,
    reliability=QoSReliabilityPolicy.RELIABLE,
    durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
)
#: Lockstep: nothing may be lost, the first sample included, in any order of start.
LOCKSTEP_INPUTS = OUTPUTS
#: Whoever wants every sample of a robot whose publishers are reliable, and may lag
#: behind a little.
COMPLETE_INPUTS = QoSProfile(depth=1000, reliability=QoSReliabilityPolicy.RELIABLE)
#: Robots: only the newest sample counts (REP 2003).
SENSOR_INPUTS = qos_profile_sensor_data
#: Commands on a robot: never an old one to a late listener.
COMMAND_QOS = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.RELIABLE)
#: Records for the log: a reader may lag behind.
RECORDS = QoSProfile(depth=200, reliability=QoSReliabilityPolicy.RELIABLE)
#: Recordings: fits every subscriber, and a reader may lag behind.
PLAYED = QoSProfile(
    depth=200,
    reliability=QoSReliabilityPolicy.RELIABLE,
    durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
)
DIAGNOSTICS = QoSProfile(depth=10)


def overridable() -> QoSOverridingOptions:
    """Make the options that let users override history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()


@contextmanager
def opening(topic: str, kind: type[Any]) -> Iterator[None]:
    """Name a topic that cannot be opened.

    Raises:
        BipedSlipError: its name is none, or this process has it as another type.
    """
    try:
        yield
    except NameValidationException as error:
        reason = " ".join(str(error).split())
        raise BipedSlipError(f"{topic!r} names no topic: {reason}") from error
    except RuntimeError as error:
        raise BipedSlipError(
            f"{topic} can't be opened as {kind.__name__}: a topic has one type in a "
            "process; give each use of it another name"
        ) from error


# Publishers of serialised messages: from bytes to DDS without anything in between.

DELIVERY = Duration(seconds=1.0)  # at most, for the last message


class SerialisedPublisher:
    """Publisher of one topic of a lifecycle node.

    Its owner publishes only while it is active.

    ``publish`` sends bytes; it is the publisher's own function, for rclpy's wrappers
    take as long as the message.
    """

    publish: Callable[[bytes], None]

    def __init__(
        self, node: LifecycleNode, kind: type[Any], topic: str, qos: QoSProfile
    ) -> None:
        self._node = node
        with opening(topic, kind):
            self._publisher = node.create_lifecycle_publisher(
                kind,
                topic,
                qos,
                qos_overriding_options=overridable(),
                event_callbacks=SENDS_NO_EVENTS,
            )
        self.publish = self._publisher.handle.publish_raw
        self.full_name = str(self._publisher.topic_name)  # as the graph has it

    def listeners(self) -> int:
        """Count the connected subscriptions."""
        return int(self._publisher.get_subscription_count())

    def rivals(self) -> int:
        """Count the other publishers of the topic."""
        return int(self._node.count_publishers(self._publisher.topic_name)) - 1

    def deliver(self) -> None:
        """Wait until the last message has arrived."""
        self._publisher.wait_for_all_acked(DELIVERY)

    def close(self) -> None:
        """Close the publisher."""
        self._node.destroy_lifecycle_publisher(self._publisher)


# Subscriptions that are read by polling: no executor between a message and the loop
# that waits for it.


class Polled(CallbackGroup):
    """Callback group that keeps executors away from what belongs to it."""

    def can_execute(self, entity: Any) -> bool:
        """Return false."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Return false."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Ignore the end of an execution."""


class PolledSubscription:
    """Subscription that is polled; ``raw`` gives serialised messages as bytes."""

    def __init__(
        self,
        node: Node,
        kind: type[Any],
        topic: str,
        qos: QoSProfile,
        raw: bool = False,
    ) -> None:
        self._node = node
        self.kind = self._kind = kind
        self.topic = topic
        self._raw = raw
        with opening(topic, kind):
            self._subscription = node.create_subscription(
                kind,
                topic,
                _unexpected,
                qos,
                callback_group=Polled(),
                qos_overriding_options=overridable(),
                raw=raw,
                event_callbacks=NO_EVENTS,
            )
        self.handle = self._subscription.handle  # what a wait set waits for
        self.full_name = str(self._subscription.topic_name)  # as the graph has it
        self._take = self.handle.take_message  # to look it up takes a tenth of the call

    def next(self) -> Any | None:
        """Return the oldest message that has arrived, if one has."""
        taken = self._take(self._kind, self._raw)
        return None if taken is None else taken[0]

    def take(self) -> Iterator[Any]:
        """Return every message that has arrived, oldest first."""
        return iter(self.next, None)

    def take_raw(self) -> Iterator[tuple[bytes, int]]:
        """Return every serialised message that has arrived.

        Each comes with its time of arrival [ns since 1970].
        """
        while (taken := self.handle.take_message(self._kind, True)) is not None:
            yield taken[0], int(taken[1]["received_timestamp"])

    @property
    def quality(self) -> QoSProfile:
        """Return the quality of service that is asked for, after all overrides."""
        return self._subscription.qos_profile

    def senders(self) -> int:
        """Count the connected publishers."""
        return int(self.handle.get_publisher_count())

    def close(self) -> None:
        """Close the subscription."""
        self._node.destroy_subscription(self._subscription)


class Bell:
    """What another thread rings to wake a loop that waits."""

    def __init__(self, node: Node) -> None:
        with node.context.handle:
            self.handle = rclpy_implementation.GuardCondition(node.context.handle)

    def ring(self) -> None:
        """Wake the loop, or keep it from its next wait."""
        with self.handle:
            self.handle.trigger_guard_condition()

    def close(self) -> None:
        """Take the bell away."""
        self.handle.destroy_when_not_in_use()


class Waiter:
    """Wait set over polled subscriptions, and a bell."""

    def __init__(
        self, node: Node, subscriptions: int, bell: Bell | None = None
    ) -> None:
        made = rclpy_implementation.WaitSet(
            subscriptions, int(bell is not None), 0, 0, 0, 0, node.context.handle
        )
        # looked up once
        self._clear = made.clear_entities
        self._add = made.add_subscription
        self._add_bell = made.add_guard_condition
        self._wait = made.wait
        self._bell = bell

    def wait(self, subscriptions: Sequence[PolledSubscription], timeout: float) -> None:
        """Return when a message has come, the bell rings or after the timeout [s]."""
        if not subscriptions and self._bell is None:
            time.sleep(timeout)
            return
        self._clear()
        if self._bell is not None:
            self._add_bell(self._bell.handle)
        for subscription in subscriptions:
            self._add(subscription.handle)
        self._wait(max(int(timeout * 1e9), 0))


def _unexpected(message: Any) -> None:
    raise RuntimeError("a polled subscription was read by an executor")


# Offsets of the numbers in a serialised message: learnt once, then looked up.


def message_class(kind: str) -> type[Any] | None:
    """Return the class of a type like ``geometry_msgs/msg/WrenchStamped``.

    Return None where its package is not installed.
    """
    package, _, name = kind.replace("/msg/", "/").partition("/")
    try:
        found: type[Any] = getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        return None
    return found


# The layout of a CDR message depends on its texts and array lengths alone. A later
# message of the same length with the same texts and counts has its numbers at the same
# offsets; anything else needs a walk of its own. Padding says nothing: senders leave
# any bytes in it.

LITTLE_ENDIAN = b"\x00\x01"
HEADER_BYTES = 4  # bytes before the first field; alignment counts from here
PADDING = 15  # bytes that may follow the last field
# of a length in the message; an int: that number of doubles
TEXT_FIELD = "text"
TEXTS = "texts"
DOUBLES = "doubles"

_STAMP = struct.Struct("<iI")
_COUNT = struct.Struct("<I")
_BODY = HEADER_BYTES + _STAMP.size

Table = NDArray[np.uint8]
Schema = Sequence[tuple[str, "str | int"]]
#: Fields after the stamp by message type, each by its path in the typed message; all
#: begin with a stamp.
SCHEMAS: dict[str, Schema] = {
    "JointState": (
        *(("header.frame_id", TEXT_FIELD), ("name", TEXTS)),
        *(("position", DOUBLES), ("velocity", DOUBLES), ("effort", DOUBLES)),
    ),
    "Imu": (
        ("header.frame_id", TEXT_FIELD),
        *(("orientation", 4), ("orientation_covariance", 9)),
        *(("angular_velocity", 3), ("angular_velocity_covariance", 9)),
        *(("linear_acceleration", 3), ("linear_acceleration_covariance", 9)),
    ),
    "WrenchStamped": (("header.frame_id", TEXT_FIELD), ("wrench", 6)),
    "PointStamped": (("header.frame_id", TEXT_FIELD), ("point", 3)),
    "Odometry": (
        *(("header.frame_id", TEXT_FIELD), ("child_frame_id", TEXT_FIELD)),
        *(
            ("pose.pose.position", 3),
            ("pose.pose.orientation", 4),
            ("pose.covariance", 36),
        ),
        *(
            ("twist.twist.linear", 3),
            ("twist.twist.angular", 3),
            ("twist.covariance", 36),
        ),
    ),
}


class UnknownLayout(BipedSlipError):
    """Error: bytes that are no message of the expected type."""


class Part(NamedTuple):
    """One field: its doubles, or its texts."""

    name: str
    offset: int  # of the first double, from the first byte
    count: int  # of doubles
    texts: tuple[str, ...]
    fixed: tuple[tuple[int, int], ...]  # begin and end of its counts and texts


class MessageLayout:
    """Layout of a message's bytes: views of its numbers in messages of equal layout.

    ``views`` are little-endian doubles by field name; they lie in a buffer of this
    object and show the message that was taken last. A message in which the first number
    of a ``positive`` field has a minus does not fit.
    """

    def __init__(
        self, raw: bytes, schema: Schema, positive: Collection[str] = ()
    ) -> None:
        parts = list(walk(raw, schema))
        self.texts = {part.name: part.texts for part in parts}
        #: Of every byte, from column HEADER_BYTES on: the newest message, ones where
        #: the layout lies, and what must be there.
        self.table: Table = np.zeros((3, HEADER_BYTES + len(raw)), dtype=np.uint8)
        # doubles are aligned in the first row: (offset − 4) is a multiple of 8
        newest, mask, fixed = self.table
        self._bytes = memoryview(newest)[HEADER_BYTES:]  # type: ignore[arg-type]
        self.views: dict[str, NDArray[np.float64]] = {
            part.name: newest[
                HEADER_BYTES + part.offset : HEADER_BYTES + part.offset + 8 * part.count
            ].view("<f8")
            for part in parts
            if part.count
        }
        end = parts[-1].offset + 8 * parts[-1].count  # what follows is padding
        self._time = self._bytes[HEADER_BYTES:_BODY]
        self._message = self._bytes[:end]
        for begin, end in (
            # the last two of them say how many bytes pad the end (DDS-XTypes 7.6.3.1.2)
            (0, HEADER_BYTES),
            *(span for part in parts for span in part.fixed),
        ):
            mask[HEADER_BYTES + begin : HEADER_BYTES + end] = 0xFF
        signs = [
            HEADER_BYTES + part.offset + 7 for part in parts if part.name in positive
        ]
        mask[signs] = 0x80
        fixed[HEADER_BYTES:] = np.frombuffer(raw, dtype=np.uint8) & mask[HEADER_BYTES:]
        fixed[signs] = 0
        self.positive = positive
        # compiled here, not in the first tick that looks at topics one by one
        self.fits(raw)
        self.show(raw)

    def fits(self, raw: bytes) -> bool:
        """Return whether a message is laid out as the first one."""
        return len(raw) + HEADER_BYTES == self.table.shape[1] and bool(
            laid_out(raw, self.table)
        )

    def show(self, raw: bytes) -> dict[str, NDArray[np.float64]]:
        """Load a message that fits into the views, which now show its numbers."""
        self._bytes[:] = raw
        return self.views

    @staticmethod
    def time(stamp: int) -> bytes:
        """Return a stamp [ns] as it is in a message."""
        return _STAMP.pack(*divmod(nearest_legal_stamp(stamp), SECOND))

    def message(self, time: bytes) -> bytes:
        """Return the message of the views, with another stamp and without padding.

        The views may be written to.
        """
        self._time[:] = time
        return bytes(self._message)


def time_of(raw: bytes) -> tuple[int, int]:
    """Read seconds and nanoseconds of a message that begins with a stamp."""
    seconds, rest = _STAMP.unpack_from(raw, HEADER_BYTES)
    return int(seconds), int(rest)


@kernel
def laid_out(raw: bytes, table: Table) -> bool:
    """Return whether a message has the layout's length and structural bytes."""
    wrong = np.uint8(0)
    for i in range(len(raw)):
        wrong |= (np.uint8(raw[i]) & table[1, HEADER_BYTES + i]) ^ table[
            2, HEADER_BYTES + i
        ]
    return bool(wrong == 0)


@kernel
def shown_together(
    raws: tuple[bytes, ...],
    tables: tuple[Table, ...],
    stamps: NDArray[np.int64],
    ahead: int,
    half: int,
) -> bool:
    """Load messages that fit their layouts and are one instant, or none.

    The instant must be later than the last by at most ``ahead`` [ns].

    Stamps are one instant when each differs from the first message's by less than
    ``half`` a period [ns]. ``stamps`` (k,) are those of the last instant, and of this
    one afterwards. Returns whether they are loaded.
    """
    before = stamps.max()
    now = np.empty_like(stamps)
    for k in range(len(raws)):
        raw = raws[k]
        table = tables[k]
        if len(raw) + HEADER_BYTES != table.shape[1] or not laid_out(raw, table):
            return False
        seconds = 0
        rest = 0
        for i in range(4):
            seconds |= int(raw[HEADER_BYTES + i]) << (8 * i)
            rest |= int(raw[HEADER_BYTES + 4 + i]) << (8 * i)
        if seconds >= 1 << 31 or rest >= SECOND:  # before 1970, or no time
            return False
        now[k] = seconds * SECOND + rest
        if not before < now[k] <= before + ahead or abs(now[k] - now[0]) >= half:
            return False
    for k in range(len(raws)):
        raw = raws[k]
        table = tables[k]
        stamps[k] = now[k]
        for i in range(len(raw)):
            table[0, HEADER_BYTES + i] = raw[i]
    return True


def restamped(raw: bytes, stamp: int) -> bytes:
    """Return a message with another stamp [ns]."""
    return raw[:HEADER_BYTES] + MessageLayout.time(stamp) + raw[_BODY:]


def walk(raw: bytes, schema: Schema) -> Iterator[Part]:
    """List the fields of a message after its stamp.

    Raises:
        UnknownLayout: these bytes are no such message.
    """
    if len(raw) < _BODY or raw[:2] != LITTLE_ENDIAN:
        raise UnknownLayout(
            f"a message of {len(raw)} bytes that begins with "
            f"{raw[:HEADER_BYTES].hex(' ') or 'nothing'}"
        )
    at = _BODY
    for name, kind in schema:
        fixed: list[tuple[int, int]] = []
        texts: list[str] = []
        if isinstance(kind, int):
            doubles = kind
            count = 0
        elif kind == DOUBLES:
            (doubles, at) = _count(raw, at, fixed)
            count = 0
        else:
            (count, at) = _count(raw, at, fixed) if kind == TEXTS else (1, at)
            doubles = 0
        for _ in range(count):
            size, at = _count(raw, at, fixed)
            texts.append(_text(raw, at, size))
            fixed.append((at, at + size))
            at += size
        at = _aligned(at, 8) if doubles else at
        if at + 8 * doubles > len(raw):
            raise UnknownLayout(f"{name} ends after the message")
        yield Part(
            name=name, offset=at, count=doubles, texts=tuple(texts), fixed=tuple(fixed)
        )
        at += 8 * doubles
    if len(raw) - at > PADDING:
        raise UnknownLayout(f"{len(raw) - at} bytes follow the last field")


def _aligned(at: int, size: int) -> int:
    return HEADER_BYTES + -(-(at - HEADER_BYTES) // size) * size


def _count(raw: bytes, at: int, fixed: list[tuple[int, int]]) -> tuple[int, int]:
    """Read a length and where it ends."""
    at = _aligned(at, 4)
    if at + 4 > len(raw):
        raise UnknownLayout("it ends before a length")
    fixed.append((at, at + 4))
    return int(_COUNT.unpack_from(raw, at)[0]), at + 4


def _text(raw: bytes, at: int, size: int) -> str:
    """Read a text of a number of bytes, its closing zero among them."""
    if size < 1 or at + size > len(raw) or raw[at + size - 1]:
        raise UnknownLayout("a text ends after the message or is not closed")
    return raw[at : at + size - 1].decode("utf-8", errors="replace")

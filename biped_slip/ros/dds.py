# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Publishers and subscriptions of serialised messages, and the quality of service of every topic."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterator, Sequence

from rclpy.callback_groups import CallbackGroup
from rclpy.duration import Duration
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

# Quality of service of every kind of topic; each may be overridden by parameters ``qos_overrides.*``.

#: Publishers of sensors and estimates: reliable, and a late subscriber gets the last sample. Fits every subscriber.
OUTPUTS = QoSProfile(depth=5, reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
#: Lockstep: nothing may be lost, the first sample included, in any order of start.
LOCKSTEP_INPUTS = OUTPUTS
#: Whoever wants every sample of a robot whose publishers are reliable, and may lag behind a little.
COMPLETE_INPUTS = QoSProfile(depth=1000, reliability=QoSReliabilityPolicy.RELIABLE)
#: Robots: only the newest sample counts (REP 2003).
SENSOR_INPUTS = qos_profile_sensor_data
#: Commands on a robot: never an old one to a late listener.
COMMANDS = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.RELIABLE)
#: Records for the log: a reader may lag behind.
RECORDS = QoSProfile(depth=200, reliability=QoSReliabilityPolicy.RELIABLE)
#: Recordings: fits every subscriber, and a reader may lag behind.
PLAYED = QoSProfile(
    depth=200, reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL
)
DIAGNOSTICS = QoSProfile(depth=10)


def overridable() -> QoSOverridingOptions:
    """Let users override history, depth and reliability."""
    return QoSOverridingOptions.with_default_policies()


# Publishers of serialised messages: from bytes to DDS without anything in between.

DELIVERY = Duration(seconds=1.0)  # at most, for the last message


class SerialisedPublisher:
    """Publisher of one topic of a lifecycle node; its owner publishes only while it is active.

    ``publish`` sends bytes; it is the publisher's own function, for rclpy's wrappers take as long as the message.
    """

    publish: Callable[[bytes], None]

    def __init__(self, node: LifecycleNode, kind: type[Any], topic: str, qos: QoSProfile) -> None:
        self._node = node
        self._publisher = node.create_lifecycle_publisher(kind, topic, qos, qos_overriding_options=overridable())
        self.publish = self._publisher.handle.publish_raw

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
        """End the publisher."""
        self._node.destroy_lifecycle_publisher(self._publisher)


# Subscriptions that are read by polling: no executor between a message and the loop that waits for it.


class Polled(CallbackGroup):
    """Callback group that keeps executors away from what belongs to it."""

    def can_execute(self, entity: Any) -> bool:
        """Return false."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Return false."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Do nothing."""


class PolledSubscription:
    """Subscription that is polled; ``raw`` gives serialised messages as bytes."""

    def __init__(self, node: Node, kind: type[Any], topic: str, qos: QoSProfile, raw: bool = False) -> None:
        self._node, self._kind, self.topic, self._raw = node, kind, topic, raw
        self._subscription = node.create_subscription(
            kind, topic, _unexpected, qos, callback_group=Polled(), qos_overriding_options=overridable(), raw=raw
        )

        self.handle = self._subscription.handle  # what a wait set waits for

    def next(self) -> Any | None:
        """Return the oldest message that has arrived, if one has."""
        taken = self.handle.take_message(self._kind, self._raw)
        return None if taken is None else taken[0]

    def take(self) -> Iterator[Any]:
        """Return every message that has arrived, oldest first."""
        while (message := self.next()) is not None:
            yield message

    def take_raw(self) -> Iterator[tuple[bytes, int]]:
        """Return the same as serialised messages, each with the time of its arrival [ns since 1970]."""
        while (taken := self.handle.take_message(self._kind, True)) is not None:
            yield taken[0], int(taken[1]["received_timestamp"])

    def senders(self) -> int:
        """Count the connected publishers."""
        return int(self.handle.get_publisher_count())

    def close(self) -> None:
        """End the subscription."""
        self._node.destroy_subscription(self._subscription)


class Waiter:
    """Wait set over some mailboxes."""

    def __init__(self, node: Node, subscriptions: int) -> None:
        self._set = rclpy_implementation.WaitSet(subscriptions, 0, 0, 0, 0, 0, node.context.handle)

    def wait(self, subscriptions: Sequence[PolledSubscription], timeout: float) -> None:
        """Return when a message has arrived or after the timeout [s]."""
        if not subscriptions:
            time.sleep(timeout)
            return
        self._set.clear_entities()
        for subscription in subscriptions:
            self._set.add_subscription(subscription.handle)
        self._set.wait(max(int(timeout * 1e9), 0))


def _unexpected(message: Any) -> None:
    raise RuntimeError("a polled subscription was read by an executor")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions that are read by polling: no executor between a message and the loop that waits for it."""

from __future__ import annotations

import time
from typing import Any, Iterator, Sequence

from rclpy.callback_groups import CallbackGroup
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile

from biped_slip.ros.topics.qos import overridable


class Polled(CallbackGroup):
    """Keeps executors away from what belongs to it."""

    def can_execute(self, entity: Any) -> bool:
        """Never."""
        return False

    def beginning_execution(self, entity: Any) -> bool:
        """Never."""
        return False

    def ending_execution(self, entity: Any) -> None:
        """Nothing to do."""


class PolledSubscription:
    """One subscription; ``raw`` gives serialised messages as bytes."""

    def __init__(self, node: Node, kind: type[Any], topic: str, qos: QoSProfile, raw: bool = False) -> None:
        self._node, self._kind, self.topic, self._raw = node, kind, topic, raw
        self._subscription = node.create_subscription(
            kind, topic, _unexpected, qos, callback_group=Polled(), qos_overriding_options=overridable(), raw=raw
        )

        self.handle = self._subscription.handle  # what a wait set waits for

    def next(self) -> Any | None:
        """The oldest message that has arrived, if one has."""
        taken = self.handle.take_message(self._kind, self._raw)
        return None if taken is None else taken[0]

    def take(self) -> Iterator[Any]:
        """Every message that has arrived, oldest first."""
        while (message := self.next()) is not None:
            yield message

    def take_raw(self) -> Iterator[tuple[bytes, int]]:
        """The same as serialised messages, each with the time of its arrival [ns since 1970]."""
        while (taken := self.handle.take_message(self._kind, True)) is not None:
            yield taken[0], int(taken[1]["received_timestamp"])

    def senders(self) -> int:
        """Publishers that are connected."""
        return int(self.handle.get_publisher_count())

    def close(self) -> None:
        """End the subscription."""
        self._node.destroy_subscription(self._subscription)


class Waiter:
    """Waits for any of some mailboxes."""

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

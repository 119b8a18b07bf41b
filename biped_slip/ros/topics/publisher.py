# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of serialised messages: from bytes to DDS without anything in between."""

from __future__ import annotations

from typing import Any, Callable

from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile

from biped_slip.ros.topics.qos import overridable

DELIVERY = Duration(seconds=1.0)  # at most, for the last message


class SerialisedPublisher:
    """One topic of a lifecycle node; its owner publishes only while it is active.

    ``publish`` sends bytes; it is the publisher's own function, for rclpy's wrappers take as long as the message.
    """

    publish: Callable[[bytes], None]

    def __init__(self, node: LifecycleNode, kind: type[Any], topic: str, qos: QoSProfile) -> None:
        self._node = node
        self._publisher = node.create_lifecycle_publisher(kind, topic, qos, qos_overriding_options=overridable())
        self.publish = self._publisher.handle.publish_raw

    def listeners(self) -> int:
        """Subscriptions that are connected."""
        return int(self._publisher.get_subscription_count())

    def rivals(self) -> int:
        """Other publishers of the topic."""
        return int(self._node.count_publishers(self._publisher.topic_name)) - 1

    def deliver(self) -> None:
        """Give what was published last time to arrive."""
        self._publisher.wait_for_all_acked(DELIVERY)

    def close(self) -> None:
        """End the publisher."""
        self._node.destroy_lifecycle_publisher(self._publisher)

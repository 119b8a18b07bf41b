# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Services, parameters and timers of a node beside its loop: looked at cheaply, served only when there is something."""

from __future__ import annotations

from rclpy.executors import SingleThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

from biped_slip.ros.topics.subscription import Polled


class BackgroundExecutor:
    """Everything of a node that is not polled by its loop."""

    def __init__(self, node: Node) -> None:
        self._node, self._executor = node, SingleThreadedExecutor()
        self._executor.add_node(node)

    def serve(self, timeout: float = 0.0) -> None:
        """Serve one thing, waiting for it for at most a time [s]."""
        if timeout or self._ready():
            self._executor.spin_once(timeout_sec=timeout)

    def _ready(self) -> bool:
        """Whether anything waits to be served; an executor that looks takes ten times as long."""
        node = self._node
        heard = [each for each in node.subscriptions if not isinstance(each.callback_group, Polled)]
        services, timers = list(node.services), list(node.timers)
        waiting = rclpy_implementation.WaitSet(len(heard), 0, len(timers), 0, len(services), 0, node.context.handle)
        waiting.clear_entities()
        for subscription in heard:
            waiting.add_subscription(subscription.handle)
        for timer in timers:
            waiting.add_timer(timer.handle)
        for service in services:
            waiting.add_service(service.handle)
        waiting.wait(0)
        return any(waiting.get_ready_entities(kind) for kind in ("subscription", "timer", "service"))

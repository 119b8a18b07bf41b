# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates as biped_slip_msgs/FrictionEstimate, beside the named scalars, where that package is installed."""

from __future__ import annotations

from typing import Any, Sequence

from rclpy.lifecycle import LifecycleNode

from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.ros.topics.foot_sensors import FEET
from biped_slip.ros.topics.message_types import message_class
from biped_slip.ros.topics.messages import set_stamp
from biped_slip.ros.topics.qos import OUTPUTS, overridable

TYPE = "biped_slip_msgs/msg/FrictionEstimate"


class TypedEstimates:
    """Topics ``~/FOOT/friction_estimate`` of a node; none where the package is absent, nothing where nobody listens.

    Args:
        node: publishes.
        soles: frames of the feet, left then right.
    """

    def __init__(self, node: LifecycleNode, soles: Sequence[str]) -> None:
        self._node, kind = node, message_class(TYPE)
        topics = [] if kind is None else [f"~/{foot}/friction_estimate" for foot in FEET]
        self._outputs = [
            node.create_lifecycle_publisher(kind, topic, OUTPUTS, qos_overriding_options=overridable())
            for topic in topics
        ]
        self._messages: list[Any] = [] if kind is None else [kind() for _ in soles]
        for message, sole in zip(self._messages, soles, strict=bool(self._messages)):
            message.header.frame_id = sole

    def publish(self, stamp: int, estimates: Sequence[FrictionEstimate]) -> None:
        """Of both feet at an instant [ns]."""
        for output, message, estimate in zip(self._outputs, self._messages, estimates):  # noqa: B905
            if output.get_subscription_count():
                set_stamp(message.header, stamp)
                for name, value in estimate._asdict().items():
                    setattr(message, name, value)
                output.publish(message)

    def close(self) -> None:
        """End all publishers."""
        for output in self._outputs:
            self._node.destroy_lifecycle_publisher(output)
        self._outputs = []

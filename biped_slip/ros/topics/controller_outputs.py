# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the controller node publishes: commands always, records and estimates where somebody listens."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.ros.nodes.robot_interface import RobotInterface
from biped_slip.ros.topics.foot_sensors import FEET
from biped_slip.ros.topics.messages import SerialisedCommand
from biped_slip.ros.topics.named_scalars import ESTIMATE_NAMES, SerialisedScalars
from biped_slip.ros.topics.publisher import SerialisedPublisher
from biped_slip.ros.topics.qos import OUTPUTS, RECORDS


class ControllerOutputs:
    """Messages made once, and their topics.

    Args:
        node: publishes.
        robot: says what robot it is and what a record says.
        topic: of the commands.
        qos: of the commands.
        estimates: whether estimates are published here.
        lossless: every record counts, whether anybody listens or not.
    """

    def __init__(
        self, node: LifecycleNode, robot: RobotInterface, topic: str, qos: QoSProfile, estimates: bool, lossless: bool
    ) -> None:
        self._command = SerialisedCommand(len(robot.joints))
        self._values: Callable[[Any], Sequence[float]] = robot.record_values
        self._record = SerialisedScalars("base_link", robot.record_names)
        self._friction = [SerialisedScalars(sole, ESTIMATE_NAMES) for sole in robot.soles]
        self._commands = SerialisedPublisher(node, Float64MultiArray, topic, qos)
        self._records = SerialisedPublisher(node, JointState, "~/record", RECORDS)
        topics = [f"~/{foot}/friction" for foot in FEET if estimates]
        self._estimates = [SerialisedPublisher(node, JointState, topic, OUTPUTS) for topic in topics]
        self._lossless = lossless

    @property
    def heard(self) -> bool:
        """Whether anybody listens to the commands."""
        return self._commands.listeners() > 0

    @property
    def rivals(self) -> int:
        """How many others send commands to the same joints."""
        return self._commands.rivals()

    def look_for_listeners(self) -> None:
        """Whether anybody listens to the rest."""
        self._recorded = self._lossless or self._records.listeners() > 0
        self._estimated = any(output.listeners() for output in self._estimates)

    def command(self, stamp: int, efforts: Array) -> None:
        """Joint efforts (n,) [N m] that answer an instant [ns]."""
        self._commands.publish(self._command.fill(stamp, efforts))

    def report(self, stamp: int, record: Any) -> None:
        """What the controller did at an instant [ns]."""
        if self._recorded:
            self._records.publish(self._record.fill(stamp, self._values(record)))
        if self._estimated:
            for output, message, estimate in zip(self._estimates, self._friction, record.estimates, strict=True):
                output.publish(message.fill(stamp, estimate))

    def deliver(self) -> None:
        """Wait until the last command has arrived."""
        self._commands.deliver()

    def close(self) -> None:
        """End all publishers."""
        for output in (self._commands, self._records, *self._estimates):
            output.close()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The other end of a controller's topics: sends what a robot's sensors say, hears commands and diagnostics."""

from __future__ import annotations

from typing import Iterable

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import Float64MultiArray

from biped_slip.compile.arrays import Array
from biped_slip.ros.dds import COMMANDS, DIAGNOSTICS, OUTPUTS, PolledSubscription
from biped_slip.ros.messages import Command, SerialisedCommand
from biped_slip.ros.nodes.contact_simulator import typed_command
from studies.faults.bench_robots import BenchRobot
from studies.loop.endless_robot import COMMAND

COUNTED = ": ", "own stall"  # of counters that are a problem: all with a detail, and this one without


class Partner:
    """One robot's."""

    def __init__(self, robot: BenchRobot, name: str = "fault_bench") -> None:
        self.node = rclpy.create_node(name)
        self._outputs = {
            topic: self.node.create_publisher(kind, robot.real.get(topic, topic), OUTPUTS)
            for topic, kind in robot.topics.items()
        }
        self._unheard = robot.unheard
        self._commands = PolledSubscription(self.node, Float64MultiArray, COMMAND, COMMANDS, raw=True)
        self._diagnostics = PolledSubscription(self.node, DiagnosticArray, "/diagnostics", DIAGNOSTICS)
        self._template = SerialisedCommand(len(robot.joints))

    def connected(self) -> bool:
        """Whether a controller hears what it acts on and is heard."""
        heard = (output for topic, output in self._outputs.items() if topic not in self._unheard)
        return self._commands.senders() > 0 and all(output.get_subscription_count() for output in heard)

    def forget(self) -> None:
        """What has come is of no interest."""
        for box in (self._commands, self._diagnostics):
            list(box.take())

    def send(self, messages: Iterable[tuple[str, object]]) -> None:
        """Messages or their bytes, by the topics that the faults know."""
        for topic, message in messages:
            self._outputs[topic].publish(message)

    def commands(self) -> list[Array]:
        """That have come, each (n,) [N m]."""
        return [command.efforts for command in self.answers()]

    def answers(self) -> list[Command]:
        """The same with the instants that they answer."""
        return [self._template.read(raw) or typed_command(raw) for raw in self._commands.take()]

    def problems(self) -> list[str] | None:
        """Names of all problems of the next message of /diagnostics; None as long as none has come."""
        for array in self._diagnostics.take():
            values = {value.key: value.value for status in array.status for value in status.values}
            counted = [key.partition(":")[0] for key in values if COUNTED[0] in key or key.startswith(COUNTED[1])]
            return sorted({name for name in (values.get("problem", ""), *counted) if name})
        return None

    def close(self) -> None:
        """No more."""
        self.node.destroy_node()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interface behind which the controller node keeps what differs from robot to robot."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Protocol, Sequence

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.ros.topics.input_topic import InputTopic
from biped_slip.walking.guarded import GuardedController


class Sensors(Protocol):
    """All sensors of a robot as topics."""

    topics: Mapping[str, InputTopic]

    def readings(self, stamp: int) -> Any:
        """The newest of everything, stamped."""
        ...


class ControllerChoice(NamedTuple):
    """What the node's parameters choose of a controller."""

    limit: str  # policy for slip
    name: str  # of the controller; empty: the robot's usual one
    raw_messages: bool  # sensors by their bytes
    told_estimates: bool  # friction estimates come from another node


class RobotInterface(Protocol):
    """Parameters are declared when it is made; the rest is there after ``build``."""

    estimates_itself: bool  # whether it makes friction estimates even where the node does not ask for it
    guarded: GuardedController[Any]
    sensors: Sensors
    joints: Sequence[str]
    soles: Sequence[str]
    record_names: Sequence[str]

    def build(self, choice: ControllerChoice, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Controller and sensors.

        Raises:
            BipedSlipError: refused.
        """
        ...

    def record_values(self, output: Any) -> Sequence[float]:
        """What the controller did, in the order of the names."""
        ...

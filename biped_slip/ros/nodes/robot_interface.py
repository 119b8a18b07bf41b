# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interface behind which the controller node keeps what differs from robot to robot."""

from __future__ import annotations

from typing import Any, Mapping, Protocol, Sequence

from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health.watch import HealthConfig
from biped_slip.estimation.problem import Problem
from biped_slip.ros.topics.input_topic import InputTopic
from biped_slip.walking.guarded import GuardedWalker


class Sensors(Protocol):
    """All sensors of a robot as topics."""

    topics: Mapping[str, InputTopic]

    def readings(self, stamp: int) -> Any:
        """The newest of everything, stamped."""
        ...


class Brain(Protocol):
    """Parameters are declared when it is made; the rest is there after ``build``."""

    estimates_itself: bool  # whether it makes friction estimates even where the node does not ask for it
    guarded: GuardedWalker[Any]
    sensors: Sensors
    joints: Sequence[str]
    soles: Sequence[str]
    record_names: Sequence[str]

    @property
    def reserve(self) -> Problem | None:
        """Why it stands and does not walk, if that is so."""
        ...

    def build(self, limit: str, raw: bool, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Robot, walker, sensors.

        Raises:
            BipedSlipError: refused.
        """
        ...

    def record_values(self, record: Any) -> Sequence[float]:
        """What a record says, in the order of the names."""
        ...

    def set_speed(self, scale: float) -> None:
        """Of the commanded speed."""
        ...

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Typed messages of a robot's sensors.

They stand beside the serialised ones that the simulator publishes.
"""

from __future__ import annotations

from typing import Any, Sequence

from rclpy.serialization import deserialize_message

from biped_slip.estimation.readings import SensorReadings
from biped_slip.ros.messages import Frames, SerialisedSensors


class SensorMessages:
    """Typed messages of all sensors, new ones each time."""

    def __init__(
        self,
        joints: Sequence[str],
        soles: Sequence[str],
        frames: Frames,
        motion_source: str = "odometry",
    ) -> None:
        self._sensors = SerialisedSensors(joints, soles, frames, motion_source)

    def fill(self, readings: SensorReadings) -> dict[str, Any]:
        """Return the messages of one reading by topic."""
        kinds = self._sensors.kinds
        return {
            topic: deserialize_message(raw, kinds[topic])
            for topic, raw in self._sensors.fill(readings).items()
        }

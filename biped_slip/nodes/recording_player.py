# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: plays a recording of feet on a floor as the topics of a robot whose feet slide on their own."""

from __future__ import annotations

import time

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.nodes.messages import SENSOR_TOPICS, Frames, SensorMessages
from biped_slip.nodes.parameters import declare_configuration
from biped_slip.nodes.qos import OUTPUTS, overridable
from biped_slip.nodes.robot_node import RobotNode, serve
from biped_slip.recordings.as_readings import SLED_JOINTS, as_readings
from biped_slip.recordings.layout import read_layouts
from biped_slip.recordings.table_recording import read_table_recording
from biped_slip.robots.planar_biped import SOLES


@configuration
class PlayerConfig(Configuration):
    """Parameters of this node alone."""

    recording: str = parameter("", doc="table of force and motion (CSV or text, also .gz)")
    layout: str = parameter("", doc="YAML that names its columns, units, signs and rate")
    speed: float = parameter(1.0, above=0.0, high=1000.0, doc="share of real time")
    lead_in: float = parameter(0.5, unit="s", low=0.0, high=60.0, doc="between the first listener and the first sample")


class RecordingPlayerNode(RobotNode):
    """One set of sensor messages per recorded sample; the process ends with the recording."""

    def __init__(self, **options: object) -> None:
        super().__init__("recording_player", **options)
        self._config = declare_configuration(self, PlayerConfig())
        self._outputs: dict[str, object] = {}

    def build(self) -> None:
        """The recording and the topics."""
        series, _ = read_table_recording(self._config.recording, read_layouts(self._config.layout))
        self._readings = list(as_readings(series))
        self._messages = SensorMessages(SLED_JOINTS, SOLES, Frames())
        self._outputs = {
            topic: self.create_lifecycle_publisher(kind, topic, OUTPUTS, qos_overriding_options=overridable())
            for topic, kind in SENSOR_TOPICS.items()
        }

    def begin(self) -> None:
        """From the first sample."""
        self._next, self._start = 0, float("inf")

    def wait(self, timeout: float) -> None:
        """Until the next sample is due."""
        time.sleep(min(max(self._deadline() - time.monotonic(), 0.0), timeout))

    def work(self) -> None:
        """Publish what is due, once somebody listens."""
        now = time.monotonic()
        if self._start == float("inf"):
            if all(output.get_subscription_count() for output in self._outputs.values()):
                self._start = now + self._config.lead_in
            return
        if now < self._deadline():
            return
        for topic, message in self._messages.fill(self._readings[self._next]).items():
            self._outputs[topic].publish(message)
        self._next += 1
        self.well("playing")
        if self._next == len(self._readings):
            self.get_logger().info(f"{self._next} samples played")
            self.exit_code = 0

    def _deadline(self) -> float:
        first, due = self._readings[0].stamp_ns, self._readings[self._next].stamp_ns
        return self._start + 1e-9 * (due - first) / self._config.speed

    def counters(self) -> dict[str, int | str]:
        """How far it is."""
        return {"samples played": getattr(self, "_next", 0)}

    def release(self) -> None:
        """Topics."""
        for output in self._outputs.values():
            self.destroy_lifecycle_publisher(output)
        self._outputs = {}


def main() -> int:
    """Run the node as a process."""
    return serve(RecordingPlayerNode)


if __name__ == "__main__":
    raise SystemExit(main())

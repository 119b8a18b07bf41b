# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: records live topics as a standard rosbag2, without rosbag2.

The file is complete however the node ends.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import BipedSlipError
from biped_slip.recordings.messages import BagWriter
from biped_slip.ros.dds import PolledSubscription, message_class
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.robot_node import RobotNode

# messages of a topic that may wait to be written, or were kept for late listeners
QUEUE_DEPTH = 10_000
NAP = 2e-3  # [s] between two looks at the mailboxes
HOUSEKEEPING_PERIOD = 0.2  # [s] between two looks for new topics
UNASKED = ("/rosout", "/parameter_events")  # recorded only where they are named


@configuration
class RecorderConfig(Configuration):
    """Parameters of this node alone."""

    output: str = parameter(
        "recording.mcap", doc="NAME.mcap for one file, another name for a bag folder"
    )
    topics: tuple[str, ...] = parameter(
        ("",), doc="what is recorded; empty: everything"
    )
    least_free: float = parameter(
        200.0,
        unit="MB",
        low=0.0,
        high=1e9,
        doc="recording ends while so much of the disk is still free",
    )


class TopicRecorderNode(RobotNode):
    """Recorder of present and later topics.

    Messages are stored as they arrive, not decoded.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("topic_recorder", **options)
        self._config = declare_configuration(self, RecorderConfig())
        self._boxes: dict[str, tuple[str, PolledSubscription]] = {}
        self._refused: set[str] = set()
        self._writer: BagWriter | None = None

    def build(self) -> None:
        """Open the file, which must be new."""
        self._writer = BagWriter(self._config.output).__enter__()
        self._written = 0
        self._last_ns = 0
        self._looked = 0.0

    def wait(self, now: float, timeout: float) -> None:
        """Wait a moment for messages, which are written together."""
        time.sleep(min(NAP, timeout))

    def work(self, now: float) -> None:
        """Subscribe to new topics, then write what has arrived, in order of arrival."""
        if now - self._looked > HOUSEKEEPING_PERIOD:
            self._looked = now
            self._housekeep()
            if self._disk_is_full():
                return
        self._write()

    def _write(self) -> None:
        arrived = [
            (at, topic, cdr)
            for topic, (_, box) in self._boxes.items()
            for cdr, at in box.take_raw()
        ]
        for at, topic, cdr in sorted(arrived, key=lambda one: one[0]):
            self._last_ns = max(at, self._last_ns)
            self._writer.raw(topic, self._boxes[topic][0], self._last_ns, cdr)
        self._written += len(arrived)
        if arrived:
            self.well("recording")

    def fail(self, sentence: str) -> None:
        """End the recording at a write error.

        What was written so far is completed where that is possible.
        """
        self.report(sentence, "fault")
        self.exit_code = 1

    def make_safe(self) -> None:
        """Complete the file."""
        if self._writer is None:
            return
        try:
            try:
                self._write()  # what waits
            finally:
                writer = self._writer
                self._writer = None
                writer.__exit__(None)
            self.get_logger().info(
                f"{self._written} messages of {len(self._boxes)} topics in "
                f"{self._config.output}"
            )
        except BipedSlipError as problem:
            self.report(str(problem), "fault")
            self.exit_code = 1

    def counters(self) -> dict[str, int]:
        """Return the number of messages and their size."""
        return {
            "messages recorded": getattr(self, "_written", 0),
            "topics": len(self._boxes),
        }

    def release(self) -> None:
        """Release the topics."""
        super().release()
        self._boxes = {}

    def _housekeep(self) -> None:
        wanted = {self.resolve_topic_name(name) for name in self._config.topics if name}
        for topic, kinds in self.get_topic_names_and_types():
            if topic in self._boxes or topic in self._refused:
                continue
            if (wanted and topic not in wanted) or (not wanted and topic in UNASKED):
                continue
            found = message_class(kinds[0]) if len(kinds) == 1 else None
            if found is None or not self._writer.knows(kinds[0]):
                self._refused.add(topic)
                self.get_logger().warning(
                    f"{topic} is not recorded: its type {' or '.join(kinds)} is not "
                    "known"
                )
            elif self.count_publishers(topic):
                self._boxes[topic] = (
                    kinds[0],
                    self.subscribe(found, topic, self._fitting(topic), needed=False),
                )

    def _fitting(self, topic: str) -> QoSProfile:
        """Choose a profile that every publisher of the topic can serve."""
        offers = [
            offer.qos_profile for offer in self.get_publishers_info_by_topic(topic)
        ]
        reliable = all(
            offer.reliability == QoSReliabilityPolicy.RELIABLE for offer in offers
        )
        kept = all(
            offer.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL for offer in offers
        )
        return QoSProfile(
            depth=QUEUE_DEPTH,
            reliability=QoSReliabilityPolicy.RELIABLE
            if reliable
            else QoSReliabilityPolicy.BEST_EFFORT,
            durability=QoSDurabilityPolicy.TRANSIENT_LOCAL
            if kept
            else QoSDurabilityPolicy.VOLATILE,
        )

    def _disk_is_full(self) -> bool:
        free = (
            shutil.disk_usage(Path(self._config.output).absolute().parent).free * 1e-6
        )
        if free < self._config.least_free:
            self.fail(
                f"{self._config.output}: recording ends, only {free:.0f} MB of the "
                "disk are free"
            )
        return self.exit_code is not None

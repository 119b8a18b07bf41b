# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as serialised ROS messages in the order of time: all that a player has to publish."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, NamedTuple

from biped_slip.recordings.bags import Bag
from biped_slip.recordings.codec import Codec, type_store
from biped_slip.recordings.formats import Recording
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.messages import ODOMETRY, WRENCH, foot_prefix, moves, series_messages
from biped_slip.recordings.read import read_recording
from biped_slip.recordings.registry import recording_format


class SerializedMessage(NamedTuple):
    """A message ready to be published."""

    stamp_ns: int  # when it is due, on the recording's clock
    topic: str
    kind: str  # for example geometry_msgs/msg/WrenchStamped
    cdr: bytes


class Playback:
    """Messages of a recording; a bag is streamed as it is, anything else becomes wrenches and odometry per foot.

    Args:
        path: recording of any format.
        config: YAML of a table; bags don't need one.
        overrides: axes of plates that the user knows better.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """

    def __init__(self, path: str | Path, config: str | Path | None = None, overrides: Overrides | None = None) -> None:
        if recording_format(path) == "bag":
            self._source: Bag | Recording = Bag(path)
            self.topics = {name: kind for name, (kind, count) in self._source.topics.items() if count}
        else:
            self._source = read_recording(path, config, overrides or Overrides())
            self._codec = Codec(type_store())
            self.topics = {}
            for series in self._source.series:
                self.topics[f"/{foot_prefix(series)}/wrench"] = WRENCH
                if moves(series):
                    self.topics[f"/{foot_prefix(series)}/odom"] = ODOMETRY

    def messages(self, start_ns: int | None = None) -> Iterator[SerializedMessage]:
        """Messages one at a time, from the beginning or from a time on."""
        if isinstance(self._source, Bag):
            for message in self._source.messages(decode=False, start_ns=start_ns):
                yield SerializedMessage(message.log_ns, message.topic, message.kind, bytes(message.content))
            return
        for timed in series_messages(self._source.series):
            if start_ns is None or timed.stamp_ns >= start_ns:
                yield SerializedMessage(timed.stamp_ns, timed.topic, timed.kind, self._codec.encode(timed))


def header_stamp_ns(cdr: bytes) -> int:
    """The stamp of a serialised message that begins with a std_msgs/Header [ns]."""
    order = "little" if cdr[1] & 1 else "big"
    seconds = int.from_bytes(cdr[4:8], order, signed=True)  # type: ignore[arg-type]
    return seconds * 1_000_000_000 + int.from_bytes(cdr[8:12], order)  # type: ignore[arg-type]

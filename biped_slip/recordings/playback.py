# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as serialised ROS messages in the order of time: all that a player has to publish."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, NamedTuple

from biped_slip.recordings.bags import Bag
from biped_slip.recordings.codec import Codec, type_store
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.messages import series_messages
from biped_slip.recordings.read import read_recording, recording_format


class SerializedMessage(NamedTuple):
    """A message ready to be published."""

    stamp_ns: int  # when it is due, on the recording's clock
    topic: str
    kind: str  # for example geometry_msgs/msg/WrenchStamped
    cdr: bytes


def playback(
    path: str | Path,
    config: str | Path | None = None,
    overrides: Overrides | None = None,
    start_ns: int | None = None,
) -> Iterator[SerializedMessage]:
    """Messages one at a time; a bag is streamed as it is, anything else becomes wrenches and odometry per foot.

    Args:
        path: recording of any format.
        config: YAML of a table; bags don't need one.
        overrides: axes of plates that the user knows better.
        start_ns: leave out what is due earlier.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    if recording_format(path) == "bag":
        for message in Bag(path).messages(decode=False, start_ns=start_ns):
            yield SerializedMessage(message.log_ns, message.topic, message.kind, bytes(message.content))
        return
    codec = Codec(type_store())
    recording = read_recording(path, config, overrides or Overrides())
    for timed in series_messages(recording.series):
        if start_ns is None or timed.stamp_ns >= start_ns:
            yield SerializedMessage(timed.stamp_ns, timed.topic, timed.kind, codec.encode(timed))

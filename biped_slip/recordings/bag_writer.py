# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A standard rosbag2 from messages: readable by ros2 bag, PlotJuggler and Foxglove, written without ROS."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable

import yaml

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.messages import ODOMETRY, WRENCH, TimedMessage, foot_prefix, moves
from biped_slip.recordings.series import TimeSeries

Progress = Callable[[int], None]
ZEROS = 36  # of a covariance


def write_bag(path: str | Path, messages: Iterable[TimedMessage], progress: Progress | None = None) -> int:
    """Write messages in their order; returns how many.

    Args:
        path: ``NAME.mcap`` for a single file, anything else for a bag folder with its metadata.
        messages: with stamps that don't decrease.
        progress: told how many have been written.

    Raises:
        BipedSlipError: the target exists, can't be written, or ``rosbags`` isn't installed.
    """
    target = Path(path)
    if target.exists():
        raise BipedSlipError(f"{path}: exists already; remove it or choose another name")
    if not target.parent.is_dir():
        raise BipedSlipError(f"{path}: its folder doesn't exist")
    try:
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise BipedSlipError("bags need the package rosbags; install biped-slip[recordings]") from error
    store = get_typestore(Stores.ROS2_JAZZY)
    build = _Builder(store)
    single = target.suffix == ".mcap"
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bag-") as scratch:
        folder = Path(scratch, target.stem)
        count = 0
        with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
            connections: dict[str, Any] = {}
            for count, message in enumerate(messages, start=1):
                if message.topic not in connections:
                    connections[message.topic] = writer.add_connection(message.topic, message.kind, typestore=store)
                raw = store.serialize_cdr(build(message), message.kind)
                writer.write(connections[message.topic], message.stamp_ns, raw)
                if progress is not None and count % 10_000 == 0:
                    progress(count)
        shutil.move(str(folder / f"{target.stem}.mcap") if single else str(folder), str(target))
    return count


class _Builder:
    """Plain numbers to message objects."""

    def __init__(self, store: Any) -> None:
        import numpy as np

        types = store.types
        self._header, self._time = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
        self._vector, self._point = types["geometry_msgs/msg/Vector3"], types["geometry_msgs/msg/Point"]
        self._wrench, self._stamped = types["geometry_msgs/msg/Wrench"], types[WRENCH]
        self._quaternion, self._pose = types["geometry_msgs/msg/Quaternion"], types["geometry_msgs/msg/Pose"]
        self._twist, self._odometry = types["geometry_msgs/msg/Twist"], types[ODOMETRY]
        self._with_pose = types["geometry_msgs/msg/PoseWithCovariance"]
        self._with_twist = types["geometry_msgs/msg/TwistWithCovariance"]
        self._covariance = np.zeros(ZEROS)

    def __call__(self, message: TimedMessage) -> Any:
        """The message object of a type store."""
        seconds, nanoseconds = divmod(message.stamp_ns, 1_000_000_000)
        values, vector = message.values, self._vector
        stamp = self._time(seconds, nanoseconds)
        if message.kind == WRENCH:
            header = self._header(stamp, message.frame)
            return self._stamped(header, self._wrench(vector(*values[:3]), vector(*values[3:6])))
        pose = self._pose(self._point(values[0], values[1], 0.0), self._quaternion(0.0, 0.0, 0.0, 1.0))
        twist = self._twist(vector(values[2], values[3], 0.0), vector(*values[4:7]))
        return self._odometry(
            self._header(stamp, "floor"),
            message.frame,
            self._with_pose(pose, self._covariance),
            self._with_twist(twist, self._covariance),
        )


def bag_config(series: Iterable[TimeSeries], processing: Processing) -> str:
    """YAML with which the written bag replays like its source."""
    feet = []
    force_noise = velocity_noise = 0.0
    for one in series:
        prefix = foot_prefix(one)
        foot = {"name": one.name, "wrench": f"{prefix}/wrench"}
        feet.append(foot | ({"motion": f"{prefix}/odom"} if moves(one) else {}))
        force_noise = max(force_noise, one.force_noise)
        velocity_noise = max(velocity_noise, one.motion.velocity_noise)
    settings = processing.to_mapping() | {"force_noise": force_noise, "velocity_noise": velocity_noise}
    settings["remove_zero"] = False
    return yaml.safe_dump({"bag": {"feet": feet, "processing": settings}}, sort_keys=False)

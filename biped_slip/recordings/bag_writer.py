# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A standard rosbag2 from messages: readable by ros2 bag, PlotJuggler and Foxglove, written without ROS."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator

import yaml

from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.recordings.codec import Codec, type_store
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.messages import ODOMETRY, WRENCH, TimedMessage, foot_prefix, moves
from biped_slip.recordings.replay import series_settings
from biped_slip.recordings.series import TimeSeries

Progress = Callable[[int], None]


class BagWriter:
    """Writes one bag; a ``with`` block around it completes the file, an exception inside leaves none behind.

    Args:
        path: ``NAME.mcap`` for a single file, anything else for a bag folder with its metadata.

    Raises:
        BipedSlipError: the target exists, has no folder, or ``rosbags`` isn't installed.
    """

    def __init__(self, path: str | Path) -> None:
        self._target = Path(path)
        if self._target.exists():
            raise BipedSlipError(f"{path}: exists already; remove it or choose another name")
        if not self._target.parent.is_dir():
            raise BipedSlipError(f"{path}: its folder doesn't exist")
        self._store = type_store()
        self._codec = Codec(self._store)
        from rosbags.rosbag2 import StoragePlugin, Writer  # present when the type store is

        self._scratch = tempfile.TemporaryDirectory(dir=self._target.parent, prefix=".bag-")
        self._folder = Path(self._scratch.name, self._target.stem)
        self._writer = Writer(self._folder, version=9, storage_plugin=StoragePlugin.MCAP)
        self._connections: dict[str, Any] = {}

    def __enter__(self) -> BagWriter:
        self._writer.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *details: object) -> None:
        try:
            with self._one_sentence():
                self._writer.close()
            if kind is None:
                single = self._target.suffix == ".mcap"
                made = self._folder / f"{self._target.stem}.mcap" if single else self._folder
                shutil.move(str(made), str(self._target))
        finally:
            self._scratch.cleanup()

    def knows(self, kind: str) -> bool:
        """Whether messages of a type can be stored."""
        return kind in self._store.types

    def raw(self, topic: str, kind: str, log_ns: int, cdr: bytes) -> None:
        """A message that is serialised already, as a raw subscription hands it over.

        Raises:
            UnknownName: a message type that isn't among the common interfaces.
            BipedSlipError: the file can't be written.
        """
        if topic not in self._connections:
            if not self.knows(kind):
                raise UnknownName("message type", kind, [WRENCH, ODOMETRY, "sensor_msgs/msg/Imu", "…"])
            self._connections[topic] = self._writer.add_connection(topic, kind, typestore=self._store)
        with self._one_sentence():
            self._writer.write(self._connections[topic], log_ns, cdr)

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BipedSlipError(f"{self._target}: can't be written ({error.strerror or error})") from error

    def message(self, message: TimedMessage) -> None:
        """A message as plain numbers, recorded at its own stamp."""
        self.raw(message.topic, message.kind, message.stamp_ns, self._codec.encode(message))


def write_bag(path: str | Path, messages: Iterable[TimedMessage], progress: Progress | None = None) -> int:
    """Write messages in their order, with stamps that don't decrease; returns how many."""
    count = 0
    with BagWriter(path) as writer:
        for count, message in enumerate(messages, start=1):
            writer.message(message)
            if progress is not None and count % 10_000 == 0:
                progress(count)
    return count


def bag_config(series: Iterable[TimeSeries], processing: Processing) -> str:
    """YAML with which the written bag replays like its source."""
    feet = []
    force_noise = velocity_noise = 0.0
    for one in series:
        prefix = foot_prefix(one)
        foot = {"name": one.name, "wrench": f"{prefix}/wrench"}
        motion = {"motion": f"{prefix}/odom"} if moves(one) else {}
        feet.append(foot | motion | {"settings": series_settings(one, processing).to_mapping()})
        force_noise = max(force_noise, one.force_noise)
        velocity_noise = max(velocity_noise, one.motion.velocity_noise)
    settings = processing.to_mapping() | {"force_noise": force_noise, "velocity_noise": velocity_noise}
    settings["remove_zero"] = False
    return yaml.safe_dump({"bag": {"feet": feet, "processing": settings}}, sort_keys=False)

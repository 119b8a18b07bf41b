# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Any recording as messages in the order of time, for players and bags."""

from __future__ import annotations

import contextlib
import heapq
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
import yaml

from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.recordings.bag_feet import BagFoot, Survey, bag_layout, counted
from biped_slip.recordings.bag_source import sample_source
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.foot_settings import of_the_patch, series_settings
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.series import Progress, TimeSeries

WRENCH = "geometry_msgs/msg/WrenchStamped"
ODOMETRY_TYPE = "nav_msgs/msg/Odometry"
SIDE_FRAMES = {
    "left": "l_foot",
    "right": "r_foot",
    "left foot": "l_foot",
    "right foot": "r_foot",
}
FRAMES = {"l_foot": "l_sole", "r_foot": "r_sole"}


class TimedMessage(NamedTuple):
    """Standard ROS message as plain numbers, with its time."""

    stamp_ns: int  # of the header, 0 or later
    topic: str
    kind: str  # WRENCH or ODOMETRY_TYPE
    frame: str  # sole frame
    # wrench: force, torque (6); odometry: position x y, velocity x y, rate of turn (7)
    values: tuple[float, ...]


def foot_prefix(series: TimeSeries) -> str:
    """Return the topic prefix of a foot: ``l_foot``, ``r_foot``, or the sensor's name.

    The name is spelt as a topic may spell it.
    """
    return SIDE_FRAMES.get(
        series.name,
        re.sub(r"[^a-z0-9]+", "_", series.name.lower()).strip("_") or "foot",
    )


def moves(series: TimeSeries) -> bool:
    """Return whether the foot's motion or rate of turn is known anywhere."""
    return any(
        np.isfinite(part).any()
        for part in (series.displacement, series.velocity, series.angular_rate)
    )


def series_messages(series: Sequence[TimeSeries]) -> Iterator[TimedMessage]:
    """Yield wrenches, and odometry of the foot over the floor where it is known.

    They are merged in the order of time.

    Of one stamp the odometry comes first, so that whoever takes the latest motion with
    each wrench has the right one. Recordings that begin before time zero are moved to
    begin there.
    """
    earliest = min((int(one.stamp_ns[0]) for one in series), default=0)
    shift = -min(earliest, 0)
    return heapq.merge(
        *(_foot_messages(one, shift) for one in series),
        key=lambda message: message.stamp_ns,
    )


def _foot_messages(series: TimeSeries, shift: int) -> Iterator[TimedMessage]:
    prefix = foot_prefix(series)
    moving = moves(series)
    frame = FRAMES.get(prefix, f"{prefix}_sole")
    wrench = np.column_stack([series.force, np.nan_to_num(series.moment)])
    motion = np.column_stack(
        [of_the_patch(series).displacement, series.velocity, series.angular_rate]
    )
    for index, stamp in enumerate(series.stamp_ns):
        stamp_ns = int(stamp) + shift
        if moving:
            yield TimedMessage(
                stamp_ns=stamp_ns,
                topic=f"/{prefix}/odom",
                kind=ODOMETRY_TYPE,
                frame=frame,
                values=tuple(map(float, motion[index])),
            )
        yield TimedMessage(
            stamp_ns=stamp_ns,
            topic=f"/{prefix}/wrench",
            kind=WRENCH,
            frame=frame,
            values=tuple(map(float, wrench[index])),
        )


ZEROS = 36  # of a covariance


def type_store() -> Any:
    """Return the common interfaces of ROS 2 as ``rosbags`` knows them.

    Raises:
        BipedSlipError: ``rosbags`` isn't installed.
    """
    try:
        from rosbags.typesys import Stores, get_typestore
    except ImportError as error:
        raise BipedSlipError(
            "bags need the package rosbags; `pip install .` in the checkout brings it"
        ) from error
    return get_typestore(Stores.ROS2_JAZZY)


class Codec:
    """Codec from plain numbers to message objects and bytes."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._covariance = np.zeros(ZEROS)

    def encode(self, message: TimedMessage) -> bytes:
        """Encode the message as CDR, little endian."""
        types = self._store.types
        values = message.values

        def made(name: str, *parts: Any) -> Any:
            return types[f"geometry_msgs/msg/{name}"](*parts)

        stamp = types["builtin_interfaces/msg/Time"](
            *divmod(message.stamp_ns, 1_000_000_000)
        )
        header = types["std_msgs/msg/Header"](
            stamp, message.frame if message.kind == WRENCH else "floor"
        )
        if message.kind == WRENCH:
            wrench = made(
                "Wrench", made("Vector3", *values[:3]), made("Vector3", *values[3:6])
            )
            return bytes(
                self._store.serialize_cdr(types[WRENCH](header, wrench), WRENCH)
            )
        pose = made(
            "Pose",
            made("Point", *values[:2], 0.0),
            made("Quaternion", 0.0, 0.0, 0.0, 1.0),
        )
        twist = made(
            "Twist", made("Vector3", *values[2:4], 0.0), made("Vector3", *values[4:7])
        )
        where = made("PoseWithCovariance", pose, self._covariance)
        moving = made("TwistWithCovariance", twist, self._covariance)
        return bytes(
            self._store.serialize_cdr(
                types[ODOMETRY_TYPE](header, message.frame, where, moving),
                ODOMETRY_TYPE,
            )
        )


class SerializedMessage(NamedTuple):
    """Serialised message with its topic, type and stamp."""

    stamp_ns: int  # when it is due, on the recording's clock
    topic: str
    kind: str  # for example geometry_msgs/msg/WrenchStamped
    cdr: bytes


class Playback:
    """Messages of a recording.

    A bag is streamed as it is, anything else becomes wrenches and odometry per foot.
    """

    def __init__(self, path: str | Path, config: str | Path | None = None) -> None:
        if recording_format(path) == "bag":
            self._source: Bag | Recording = Bag(path)
            self.topics = {
                name: kind
                for name, (kind, count) in self._source.topics.items()
                if count
            }
        else:
            self._source = read_recording(path, config)
            self._codec = Codec(type_store())
            self.topics = {}
            for series in self._source.series:
                self.topics[f"/{foot_prefix(series)}/wrench"] = WRENCH
                if moves(series):
                    self.topics[f"/{foot_prefix(series)}/odom"] = ODOMETRY_TYPE

    def messages(self, start_ns: int | None = None) -> Iterator[SerializedMessage]:
        """Yield messages one at a time, from the beginning or from a time on."""
        if isinstance(self._source, Bag):
            for message in self._source.messages(decode=False, start_ns=start_ns):
                yield SerializedMessage(
                    message.log_ns, message.topic, message.kind, bytes(message.content)
                )
            return
        for timed in series_messages(self._source.series):
            if start_ns is None or timed.stamp_ns >= start_ns:
                yield SerializedMessage(
                    timed.stamp_ns, timed.topic, timed.kind, self._codec.encode(timed)
                )


def header_stamp_ns(cdr: bytes) -> int:
    """Read the stamp [ns] of a serialised message beginning with a std_msgs/Header."""
    order = "little" if cdr[1] & 1 else "big"
    seconds = int.from_bytes(cdr[4:8], order, signed=True)  # type: ignore[arg-type]
    return seconds * 1_000_000_000 + int.from_bytes(cdr[8:12], order)  # type: ignore[arg-type]


class BagWriter:
    """Writer of a rosbag2 without ROS.

    A ``with`` block completes the file, an exception inside leaves none behind.

    Args:
        path: ``NAME.mcap`` for a single file, anything else for a bag folder with its
            metadata.

    Raises:
        BipedSlipError: the target exists, has no folder, or ``rosbags`` isn't
            installed.
    """

    def __init__(self, path: str | Path) -> None:
        self._target = Path(path)
        if self._target.exists():
            raise BipedSlipError(
                f"{path}: exists already; remove it or choose another name"
            )
        if not self._target.parent.is_dir():
            raise BipedSlipError(f"{path}: its folder doesn't exist")
        self._store = type_store()
        self._codec = Codec(self._store)
        # present when the type store is
        from rosbags.rosbag2 import (
            StoragePlugin,
            Writer,
        )

        self._scratch = tempfile.TemporaryDirectory(
            dir=self._target.parent, prefix=".bag-"
        )
        self._folder = Path(self._scratch.name, self._target.stem)
        self._writer = Writer(
            self._folder, version=9, storage_plugin=StoragePlugin.MCAP
        )
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
                made = (
                    self._folder / f"{self._target.stem}.mcap"
                    if single
                    else self._folder
                )
                shutil.move(str(made), str(self._target))
        finally:
            self._scratch.cleanup()

    def knows(self, kind: str) -> bool:
        """Return whether messages of a type can be stored."""
        return kind in self._store.types

    def raw(self, topic: str, kind: str, log_ns: int, cdr: bytes) -> None:
        """Store a message that is serialised already, as a raw subscription returns it.

        Raises:
            UnknownName: a message type that isn't among the common interfaces.
            BipedSlipError: the file can't be written.
        """
        if topic not in self._connections:
            if not self.knows(kind):
                raise UnknownName(
                    "message type",
                    kind,
                    [WRENCH, ODOMETRY_TYPE, "sensor_msgs/msg/Imu", "…"],
                )
            self._connections[topic] = self._writer.add_connection(
                topic, kind, typestore=self._store
            )
        with self._one_sentence():
            self._writer.write(self._connections[topic], log_ns, cdr)

    @contextlib.contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BipedSlipError(
                f"{self._target}: can't be written ({error.strerror or error})"
            ) from error

    def message(self, message: TimedMessage) -> None:
        """Store a message given as plain numbers, at its own stamp."""
        self.raw(
            message.topic, message.kind, message.stamp_ns, self._codec.encode(message)
        )


def write_bag(
    path: str | Path, messages: Iterable[TimedMessage], progress: Progress | None = None
) -> int:
    """Write messages in order, with stamps that do not decrease; return how many."""
    count = 0
    with BagWriter(path) as writer:
        for message in counted(messages, progress):
            writer.message(message)
            count += 1
    return count


def bag_config(series: Iterable[TimeSeries], processing: Processing) -> str:
    """Write the YAML with which the written bag replays like its source."""
    feet = []
    force_noise = velocity_noise = 0.0
    for one in series:
        prefix = foot_prefix(one)
        foot = {"name": one.name, "wrench": f"{prefix}/wrench"}
        motion = {"motion": f"{prefix}/odom"} if moves(one) else {}
        feet.append(
            foot | motion | {"settings": series_settings(one, processing).to_mapping()}
        )
        force_noise = max(force_noise, one.force_noise)
        velocity_noise = max(velocity_noise, one.motion.velocity_noise)
    settings = processing.to_mapping() | {
        "force_noise": force_noise,
        "velocity_noise": velocity_noise,
    }
    settings["remove_zero"] = False
    return yaml.safe_dump(
        {"bag": {"feet": feet, "processing": settings}}, sort_keys=False
    )


class LiveFoot(NamedTuple):
    """Foot on topics, and its estimator's settings.

    They are the same as in a replay without topics.
    """

    topics: BagFoot
    settings: EstimatorSettings
    planar: bool  # only the x direction is known


def live_feet(path: str | Path, config: str | Path | None = None) -> list[LiveFoot]:
    """List the feet of a recording as a player publishes them.

    A bag is read through once, for its loads.
    """
    if recording_format(path) == "bag":
        bag = Bag(path)
        layout = bag_layout(bag, config)
        if not layout.feet:
            raise BipedSlipError(
                f"{config}: names a robot, not feet; use the friction_estimator node"
            )
        if layout.processing.remove_zero:
            raise BipedSlipError(
                f"{config}: remove_zero is found in a whole bag, not live; leave it "
                "out, or use biped-slip replay"
            )
        source = sample_source(bag, layout)
        survey = Survey(source)
        settings = survey.settings(source, layout.processing)
        return [
            LiveFoot(*foot)
            for foot in zip(layout.feet, settings, survey.planar, strict=True)
        ]
    recording = read_recording(path, config)
    feet = []
    for one in recording.series:
        prefix = f"/{foot_prefix(one)}"
        topics = BagFoot(
            one.name, f"{prefix}/wrench", motion=f"{prefix}/odom" if moves(one) else ""
        )
        feet.append(
            LiveFoot(topics, series_settings(one, recording.processing), one.planar)
        )
    return feet

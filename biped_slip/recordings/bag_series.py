# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot's series out of a bag, in pieces: memory stays bounded however long the bag is."""

from __future__ import annotations

import math
from array import array
from typing import Any, Callable, Iterator

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.bag_layout import BagFoot, BagLayout
from biped_slip.recordings.bags import Bag, TopicStatistics
from biped_slip.recordings.series import FloatArray, Motion, TimeSeries, absent

PIECE = 50_000  # samples after which a piece ends with the foot in the air
LONGEST_PIECE = 500_000  # samples after which it ends anyway
HOLD_NS = 50_000_000  # how long the latest motion or rate of turn stands in for a missing one [ns]
WIDTH = 13  # force, moment, displacement, velocity, rate of turn
BINS = np.geomspace(1e-3, 1e6, 3000)  # of the normal force [N], 0.7 % wide
Progress = Callable[[int], None]


class Survey:
    """First walk through a bag: per foot the 99th percentile of its normal force and the order of its stamps."""

    def __init__(self, bag: Bag, layout: BagLayout, progress: Progress | None = None) -> None:
        self.statistics = [TopicStatistics("WrenchStamped") for _ in layout.feet]
        self.invalid = [0] * len(layout.feet)
        counts = np.zeros((len(layout.feet), len(BINS) + 1), dtype=np.int64)
        by_topic = {foot.wrench: index for index, foot in enumerate(layout.feet)}
        for number, message in enumerate(bag.messages(set(by_topic))):
            index = by_topic[message.topic]
            foot = layout.feet[index]
            _check_frame(bag, foot, message.content)
            self.statistics[index].add(_stamp(message.content, message.log_ns))
            normal = foot.sign * message.content.wrench.force.z
            if math.isfinite(normal):
                counts[index, int(np.searchsorted(BINS, normal))] += 1
            else:
                self.invalid[index] += 1
            if progress is not None and number % 10_000 == 0:
                progress(number)
        self.load = [_quantile(row, 0.99) for row in counts]

    def notes(self, layout: BagLayout) -> list[str]:
        """One line per foot."""
        return [
            statistics.note(foot.wrench) + (f", {bad} samples not finite" if bad else "")
            for foot, statistics, bad in zip(layout.feet, self.statistics, self.invalid, strict=True)
        ]


def _quantile(counts: np.ndarray, share: float) -> float:
    total = counts.sum()
    if not total:
        return 0.0
    index = int(np.searchsorted(np.cumsum(counts), share * total))
    return float(BINS[min(index, len(BINS) - 1)])


def _check_frame(bag: Bag, foot: BagFoot, content: Any) -> None:
    found = content.header.frame_id
    if foot.frame and found != foot.frame:
        raise InvalidRecording(
            bag.path, f"{foot.wrench} is given in frame {found!r}, but {foot.frame!r} is expected", "turn it beforehand"
        )


def _stamp(content: Any, log_ns: int) -> int:
    """The header's stamp, or when the message was recorded if the header has none."""
    stamp = content.header.stamp
    own = int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
    return own if own else log_ns


class _FootBuffer:
    """Samples of one foot since its last piece, and its latest motion."""

    def __init__(self, foot: BagFoot, contact_off: float) -> None:
        self.foot, self.contact_off = foot, contact_off
        self.stamps, self.rows = array("q"), array("d")
        self.motion_ns = self.imu_ns = -(1 << 62)
        self.motion, self.rate = (math.nan,) * 4, (math.nan,) * 3
        self.last_ns = -(1 << 62)

    def take_motion(self, content: Any, log_ns: int) -> None:
        self.motion_ns, self.motion = _stamp(content, log_ns), _motion(content)
        twist = getattr(content, "twist", None)
        if twist is not None and not self.foot.imu:
            turn = getattr(twist, "twist", twist).angular
            self.imu_ns, self.rate = self.motion_ns, (turn.x, turn.y, turn.z)

    def take_imu(self, content: Any, log_ns: int) -> None:
        turn = content.angular_velocity
        self.imu_ns, self.rate = _stamp(content, log_ns), (turn.x, turn.y, turn.z)

    def take_wrench(self, content: Any, log_ns: int) -> bool:
        """Store a sample; whether a piece is complete."""
        stamp = _stamp(content, log_ns)
        if stamp <= self.last_ns:
            return False  # repeated or backward: counted by the survey
        self.last_ns = stamp
        force, torque, sign = content.wrench.force, content.wrench.torque, self.foot.sign
        motion = self.motion if stamp - self.motion_ns <= HOLD_NS else (math.nan,) * 4
        rate = self.rate if stamp - self.imu_ns <= HOLD_NS else (math.nan,) * 3
        self.stamps.append(stamp)
        self.rows.extend((sign * force.x, sign * force.y, sign * force.z, sign * torque.x, sign * torque.y))
        self.rows.extend((sign * torque.z, *motion, *rate))
        full = len(self.stamps)
        return full >= LONGEST_PIECE or (full >= PIECE and sign * force.z < self.contact_off)

    def series(self, path: object) -> TimeSeries:
        """The stored samples as a series; the buffer is empty afterwards."""
        rows: FloatArray = np.array(self.rows).reshape(-1, WIDTH)
        stamps = np.array(self.stamps, dtype=np.int64)
        self.stamps, self.rows = array("q"), array("d")
        moving = bool(np.isfinite(rows[:, 8]).any())
        return TimeSeries(
            name=self.foot.name,
            stamp_ns=stamps,
            force=rows[:, 0:3],
            moment=rows[:, 3:6],
            displacement=rows[:, 6:8],
            velocity=rows[:, 8:10] if moving else absent(len(rows), 2),
            angular_rate=rows[:, 10:13],
            motion=Motion("measured") if moving else Motion(note="no velocity in the bag"),
            provenance=(str(path), f"{self.foot.name}: {self.foot.wrench}"),
        )


def _motion(content: Any) -> tuple[float, float, float, float]:
    """Displacement and velocity in the floor plane of Odometry, TwistStamped or PoseStamped; NaN where absent."""
    pose, twist = getattr(content, "pose", None), getattr(content, "twist", None)
    pose, twist = getattr(pose, "pose", pose), getattr(twist, "twist", twist)
    position = (pose.position.x, pose.position.y) if pose is not None else (math.nan, math.nan)
    velocity = (twist.linear.x, twist.linear.y) if twist is not None else (math.nan, math.nan)
    return (*position, *velocity)


def bag_pieces(
    bag: Bag, layout: BagLayout, contact_off: list[float], progress: Progress | None = None
) -> Iterator[tuple[int, TimeSeries]]:
    """Pieces of every foot as (index of the foot, series); a piece ends in the air where it can.

    Args:
        bag: to read.
        layout: its feet.
        contact_off: per foot, normal force below which it is in the air [N].
        progress: told how many messages have been read.
    """
    buffers = [_FootBuffer(foot, level) for foot, level in zip(layout.feet, contact_off, strict=True)]
    topics = set().union(*(foot.topics for foot in layout.feet))
    for number, message in enumerate(bag.messages(topics)):
        for index, buffer in enumerate(buffers):
            if message.topic == buffer.foot.wrench:
                if buffer.take_wrench(message.content, message.log_ns):
                    yield index, buffer.series(bag.path)
            elif message.topic == buffer.foot.motion:
                buffer.take_motion(message.content, message.log_ns)
            elif message.topic == buffer.foot.imu:
                buffer.take_imu(message.content, message.log_ns)
        if progress is not None and number % 10_000 == 0:
            progress(number)
    for index, buffer in enumerate(buffers):
        if len(buffer.stamps) > 1:
            yield index, buffer.series(bag.path)

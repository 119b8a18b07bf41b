# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag from their own topics: wrench, and motion and rate of turn where there are such topics."""

from __future__ import annotations

import math
from typing import Any, Iterator

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.bag_layout import BagFoot, BagLayout
from biped_slip.recordings.bag_series import Sample
from biped_slip.recordings.bags import Bag

HOLD_NS = 50_000_000  # how long the latest motion or rate of turn stands in for a missing one [ns]
LONG_AGO = -(1 << 62)


def stamp_ns(content: Any, log_ns: int) -> int:
    """The header's stamp, or when the message was recorded if the header has none."""
    stamp = content.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec) or log_ns


class _Latest:
    """The latest motion and rate of turn of one foot."""

    def __init__(self) -> None:
        self.motion_ns = self.rate_ns = LONG_AGO
        self.motion: tuple[float, ...] = (math.nan,) * 4
        self.rate: tuple[float, ...] = (math.nan,) * 3

    def values(self, now_ns: int) -> tuple[float, ...]:
        """Displacement, velocity and rate of turn at a time; NaN when they are too old."""
        motion = self.motion if now_ns - self.motion_ns <= HOLD_NS else (math.nan,) * 4
        rate = self.rate if now_ns - self.rate_ns <= HOLD_NS else (math.nan,) * 3
        return (*motion, *rate)

    def take_motion(self, content: Any, now_ns: int, with_rate: bool) -> None:
        """From Odometry, TwistStamped or PoseStamped."""
        pose, twist = getattr(content, "pose", None), getattr(content, "twist", None)
        pose, twist = getattr(pose, "pose", pose), getattr(twist, "twist", twist)
        position = (pose.position.x, pose.position.y) if pose is not None else (math.nan, math.nan)
        velocity = (twist.linear.x, twist.linear.y) if twist is not None else (math.nan, math.nan)
        self.motion_ns, self.motion = now_ns, (*position, *velocity)
        if with_rate and twist is not None:
            self.take_rate(twist.angular, now_ns)

    def take_rate(self, turn: Any, now_ns: int) -> None:
        """From a vector of angular velocity."""
        self.rate_ns, self.rate = now_ns, (turn.x, turn.y, turn.z)


class TopicSource:
    """The feet that a layout names."""

    def __init__(self, bag: Bag, layout: BagLayout) -> None:
        self.path = str(bag.path)
        self.names = tuple(foot.name for foot in layout.feet)
        self.origins = tuple(foot.wrench for foot in layout.feet)
        self._bag, self._feet = bag, layout.feet

    def samples(self) -> Iterator[Sample]:
        """One sample per wrench, with the motion that was latest then."""
        latest = [_Latest() for _ in self._feet]
        topics = set().union(*(foot.topics for foot in self._feet))
        for message in self._bag.messages(topics):
            now_ns = stamp_ns(message.content, message.log_ns)
            for index, foot in enumerate(self._feet):
                if message.topic == foot.wrench:
                    yield Sample(index, now_ns, self._wrench(foot, message.content) + latest[index].values(now_ns))
                elif message.topic == foot.motion:
                    latest[index].take_motion(message.content, now_ns, not foot.imu)
                elif message.topic == foot.imu:
                    latest[index].take_rate(message.content.angular_velocity, now_ns)

    def _wrench(self, foot: BagFoot, content: Any) -> tuple[float, ...]:
        found = content.header.frame_id
        if foot.frame and found != foot.frame:
            raise InvalidRecording(
                self.path,
                f"{foot.wrench} is given in frame {found!r}, but {foot.frame!r} is expected",
                "turn it beforehand",
            )
        force, torque, sign = content.wrench.force, content.wrench.torque, foot.sign
        return (
            sign * force.x,
            sign * force.y,
            sign * force.z,
            sign * torque.x,
            sign * torque.y,
            sign * torque.z,
        )

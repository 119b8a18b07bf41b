# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Feet of a bag from their own topics: wrench, and motion and rate of turn where there are such topics."""

from __future__ import annotations

import itertools
import math
from typing import Any, Iterator

from biped_slip.errors import InvalidRecording
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.slip_based import SlipBasedConfig
from biped_slip.recordings.bag_layout import BagFoot, BagLayout
from biped_slip.recordings.bag_series import Sample
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.estimators import foot_settings
from biped_slip.recordings.series import Motion

HOLD_NS = 50_000_000  # how long the latest motion or rate of turn stands in for a missing one [ns]
LOOKED_THROUGH = 5000  # messages, to find topics without stamps
LONG_AGO = -(1 << 62)


def header_ns(content: Any) -> int:
    """The header's stamp [ns]."""
    stamp = content.header.stamp
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)


def unstamped(bag: Bag, topics: set[str]) -> set[str]:
    """Topics whose senders leave the stamp at zero; a first stamp of zero alone is the start of a simulation."""
    zeros = dict.fromkeys(topics, 0)
    undecided = set(topics)
    for message in itertools.islice(bag.messages(topics), LOOKED_THROUGH):
        zeros[message.topic] += 1
        if header_ns(message.content):
            zeros[message.topic] = 0
            undecided.discard(message.topic)
            if not undecided:
                break
    return {topic for topic, count in zeros.items() if topic in undecided and count > 1}


class FootSampler:
    """Puts the wrenches of one foot together with the motion and the rate of turn that were latest then."""

    def __init__(self, path: str, foot: BagFoot) -> None:
        self._path, self._foot = path, foot
        self._motion_ns = self._rate_ns = LONG_AGO
        self._motion: tuple[float, ...] = (math.nan,) * 4
        self._rate: tuple[float, ...] = (math.nan,) * 3

    def take(self, topic: str, content: Any, now_ns: int) -> tuple[float, ...] | None:
        """The values of a sample where the message is this foot's wrench, else None.

        Raises:
            InvalidRecording: the wrench is given in another frame than expected.
        """
        foot = self._foot
        if topic == foot.wrench:
            motion = self._motion if now_ns - self._motion_ns <= HOLD_NS else (math.nan,) * 4
            rate = self._rate if now_ns - self._rate_ns <= HOLD_NS else (math.nan,) * 3
            return self._wrench(content) + motion + rate
        if topic == foot.motion:
            self._take_motion(content, now_ns)
        elif topic == foot.imu:
            self._take_rate(content.angular_velocity, now_ns)
        return None

    def _take_motion(self, content: Any, now_ns: int) -> None:
        """From Odometry, TwistStamped or PoseStamped."""
        pose, twist = getattr(content, "pose", None), getattr(content, "twist", None)
        pose, twist = getattr(pose, "pose", pose), getattr(twist, "twist", twist)
        position = (pose.position.x, pose.position.y) if pose is not None else (math.nan, math.nan)
        velocity = (twist.linear.x, twist.linear.y) if twist is not None else (math.nan, math.nan)
        self._motion_ns, self._motion = now_ns, (*position, *velocity)
        if not self._foot.imu and twist is not None:
            self._take_rate(twist.angular, now_ns)

    def _take_rate(self, turn: Any, now_ns: int) -> None:
        self._rate_ns, self._rate = now_ns, (turn.x, turn.y, turn.z)

    def _wrench(self, content: Any) -> tuple[float, ...]:
        foot, found = self._foot, content.header.frame_id
        if foot.frame and found != foot.frame:
            raise InvalidRecording(
                self._path,
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


class TopicSource:
    """The feet that a layout names."""

    def __init__(self, bag: Bag, layout: BagLayout) -> None:
        self.path = str(bag.path)
        self.names = tuple(foot.name for foot in layout.feet)
        self.origins = tuple(foot.wrench for foot in layout.feet)
        self.told = tuple(foot.settings for foot in layout.feet)
        self._bag, self._feet, self._processing = bag, layout.feet, layout.processing

    def samples(self) -> Iterator[Sample]:
        """One sample per wrench, with the motion that was latest then."""
        samplers = [FootSampler(self.path, foot) for foot in self._feet]
        topics = set().union(*(foot.topics for foot in self._feet))
        without = unstamped(self._bag, topics)
        for message in self._bag.messages(topics):
            now_ns = message.log_ns if message.topic in without else header_ns(message.content)
            for index, sampler in enumerate(samplers):
                values = sampler.take(message.topic, message.content, now_ns)
                if values is not None:
                    yield Sample(index, now_ns, values)

    def settings(self, slip: SlipBasedConfig, planar: bool) -> EstimatorSettings:
        """Settings of the estimators for a foot with these thresholds."""
        processing = self._processing
        load = slip.contact_on / processing.contact_share
        motion = Motion("measured", processing.velocity_noise)
        return foot_settings(load, slip, motion, processing.force_noise, planar)

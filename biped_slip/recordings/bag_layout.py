# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which topics of a bag are a foot's force and motion: from a YAML, or every wrench in the bag.

::

    source: whose bags these are
    bag:
      feet:
        - name: left
          wrench: l_foot/wrench      # geometry_msgs/WrenchStamped
          sign: 1                    # -1 where the sensor gives the force of the foot on the ground
          frame: l_sole              # refused when the messages name another frame; may be left out
          motion: l_foot/odom        # optional: nav_msgs/Odometry, geometry_msgs/TwistStamped or PoseStamped
          imu: l_foot/imu            # optional: sensor_msgs/Imu on the foot, for its rate of turn
          settings: {body_weight: 700}  # optional: what the estimators are told of this foot; else it is learnt
      processing: {force_noise: 0.5}

or, for the planar biped of this package, its own topics through its model::

    bag: {robot: {variant: thesis}}     # with motion:, interval: and rls: as in the walk's scenario
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, read_yaml, section
from biped_slip.errors import InvalidParameter, InvalidRecording, UnknownName
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.friction_estimation.interval import IntervalConfig
from biped_slip.friction_estimation.registry import EstimatorSettings
from biped_slip.friction_estimation.rls import RlsConfig
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.shipped_layouts import layout_file

WRENCH = "geometry_msgs/msg/WrenchStamped"


@dataclasses.dataclass(frozen=True)
class BagFoot:
    """Topics of one foot, with their leading slash; empty where there is none."""

    name: str
    wrench: str
    sign: float = 1.0
    frame: str = ""
    motion: str = ""
    imu: str = ""
    settings: EstimatorSettings | None = None  # of the estimators; None: learnt from the bag

    @property
    def topics(self) -> set[str]:
        """All topics that are read."""
        return {topic for topic in (self.wrench, self.motion, self.imu) if topic}


@configuration
class RobotTopics(Configuration):
    """Topics of the planar biped and the estimators' settings in its walk."""

    variant: str = parameter("thesis", choices=("thesis", "torso"), doc="torso without pitch, or with")
    slope: float = parameter(0.0, unit="rad", low=-0.5, high=0.5, doc="incline of the floor along x")
    joints: str = parameter("/joint_states", doc="sensor_msgs/JointState")
    imu: str = parameter("/imu/data", doc="sensor_msgs/Imu")
    odometry: str = parameter("/odom", doc="nav_msgs/Odometry")
    left_wrench: str = parameter("/l_foot/wrench", doc="geometry_msgs/WrenchStamped")
    right_wrench: str = parameter("/r_foot/wrench", doc="geometry_msgs/WrenchStamped")
    left_foot_imu: str = parameter("/l_foot/imu", doc="sensor_msgs/Imu, where the motion source is foot_imu")
    right_foot_imu: str = parameter("/r_foot/imu", doc="likewise")
    left_position: str = parameter("/l_foot/position", doc="geometry_msgs/PointStamped, where the source is external")
    right_position: str = parameter("/r_foot/position", doc="likewise")
    control_period: float = parameter(1e-3, unit="s", above=0.0, high=1.0, doc="of the walk")
    motion: MotionConfig = section(MotionConfig)
    interval: IntervalConfig = section(IntervalConfig)
    rls: RlsConfig = section(RlsConfig)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Topics of one instant: joints, IMU, odometry, wrenches, then those that the motion source needs."""
        of_feet: dict[str, tuple[str, ...]] = {
            "foot_imu": (self.left_foot_imu, self.right_foot_imu),
            "external": (self.left_position, self.right_position),
        }
        every = (self.joints, self.imu, self.odometry, self.left_wrench, self.right_wrench)
        return every + of_feet.get(self.motion.source, ())


@dataclasses.dataclass(frozen=True)
class BagLayout:
    """The feet of a bag, by their own topics or through a robot, and how slips are judged."""

    feet: tuple[BagFoot, ...]
    processing: Processing
    robot: RobotTopics | None = None


def bag_layout(bag: Bag, config: str | Path | None) -> BagLayout:
    """Topics from a YAML, else one foot per WrenchStamped topic.

    Raises:
        InvalidRecording: no messages, no wrench topic, or a named topic that isn't in the bag.
        InvalidParameter: a mistake in the YAML, with its place.
    """
    if not any(count for _, count in bag.topics.values()):
        raise InvalidRecording(bag.path, "holds no messages")
    if config is None:
        wrenches = [name for name, (kind, count) in bag.topics.items() if kind == WRENCH and count]
        if not wrenches:
            kinds = ", ".join(f"{name} ({kind})" for name, (kind, count) in bag.topics.items() if count)
            raise InvalidRecording(bag.path, f"has no topic of type WrenchStamped, only {kinds}", "forces are needed")
        return BagLayout(tuple(BagFoot(_foot_name(name), name) for name in sorted(wrenches)), Processing())
    layout = read_bag_layout(layout_file(config))
    for topics in [foot.topics for foot in layout.feet] or [set(layout.robot.wanted if layout.robot else ())]:
        for topic in sorted(topics):
            if not bag.topics.get(topic, ("", 0))[1]:
                known = ", ".join(name for name, (_, count) in bag.topics.items() if count)
                raise InvalidRecording(bag.path, f"has no messages on {topic}, only on {known}", f"check {config}")
    for foot in layout.feet:
        if bag.topics[foot.wrench][0] != WRENCH:
            raise InvalidRecording(bag.path, f"{foot.wrench} is {bag.topics[foot.wrench][0]}, not WrenchStamped")
    return layout


def _foot_name(topic: str) -> str:
    """Left, right, or the topic itself."""
    words = topic.replace("/", "_").lower().split("_")
    for side, short in (("left", "l"), ("right", "r")):
        if side in words or short in words:
            return side
    return topic.strip("/")


def read_bag_layout(path: str | Path) -> BagLayout:
    """The ``bag`` section of a YAML."""
    content = read_yaml(path).get("bag")
    _refuse_unknown(f"{path}: bag", content, ["feet", "processing", "robot"])
    assert isinstance(content, Mapping)
    processing = Processing.from_mapping(content.get("processing"), f"{path}: bag.processing")
    if "robot" in content:
        if "feet" in content:
            raise InvalidParameter(f"{path}: bag.feet", content["feet"], "left out where a robot is named")
        return BagLayout((), processing, RobotTopics.from_mapping(content["robot"], f"{path}: bag.robot"))
    feet = content.get("feet")
    if not isinstance(feet, list) or not feet:
        raise InvalidParameter(f"{path}: bag.feet", feet, "a list of at least one foot")
    return BagLayout(tuple(_foot(f"{path}: bag.feet[{k}]", item) for k, item in enumerate(feet)), processing)


def _foot(where: str, content: Any) -> BagFoot:
    _refuse_unknown(where, content, ["name", "wrench", "sign", "frame", "motion", "imu", "settings"])
    texts = {}
    for name in ("name", "wrench", "frame", "motion", "imu"):
        texts[name] = content.get(name, "foot" if name == "name" else "")
        if not isinstance(texts[name], str):
            raise InvalidParameter(f"{where}.{name}", texts[name], "text")
    if not texts["wrench"]:
        raise InvalidParameter(f"{where}.wrench", "", "the topic of the foot's WrenchStamped")
    sign = content.get("sign", 1)
    if sign not in (1, -1):
        raise InvalidParameter(f"{where}.sign", sign, "1 or -1")
    topics = {name: "/" + texts[name].strip("/") if texts[name] else "" for name in ("wrench", "motion", "imu")}
    told = content.get("settings")
    settings = None if told is None else EstimatorSettings.from_mapping(told, f"{where}.settings")
    return BagFoot(
        texts["name"], topics["wrench"], float(sign), texts["frame"], topics["motion"], topics["imu"], settings
    )


def _refuse_unknown(where: str, content: Any, known: list[str]) -> None:
    if not isinstance(content, Mapping):
        raise InvalidParameter(where, content, "a mapping of names to values")
    for key in content:
        if key not in known:
            raise UnknownName("entry", f"{where}.{key}", known)

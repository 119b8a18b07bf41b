# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's raw sensors, base motion and control record as ROS messages."""

from __future__ import annotations

import math
from typing import Any, Mapping, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.readings import BaseMotion, HumanoidReadings, RawReadings, SensorReadings
from biped_slip.robots.humanoid_config import FOOT_IMUS, FORCE_SENSORS, IMU
from biped_slip.ros.messages import (
    ABSENT,
    FEET,
    FOOT_SENSORS,
    Content,
    Frames,
    InputTopic,
    SensorMessages,
    SerialisedSensors,
    layouts_of,
    quaternion,
    sensor_topics,
    vector,
    wrench_topics,
)
from biped_slip.ros.named_scalars import ESTIMATE_NAMES
from biped_slip.ros.sensor_inputs import FootSensorInput, JointStateInput, OdometryInput, WrenchInput
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.humanoid import HumanoidOutput

# A humanoid's raw sensors and the motion of its base as ROS messages, both ways; each sensor in its own frame.

KIND = "humanoid"  # of the sensors, as a source of motion
NOWHERE = np.array([0.0, 0.0, 0.0, 1.0])


class HumanoidMessages(SensorMessages):
    """Frames are the sensors'; the IMU gives no orientation."""

    def __init__(self, joints: Sequence[str]) -> None:
        super().__init__(joints, FORCE_SENSORS, Frames(imu=IMU), KIND)
        for foot, frame in zip(FEET, FOOT_IMUS, strict=True):
            self.by_topic[f"{foot}/imu"].header.frame_id = frame
        self.by_topic["imu/data"].orientation_covariance[0] = ABSENT


class SerialisedHumanoidSensors(SerialisedSensors):
    """The bytes of the same messages, made once; stamps and numbers are written over."""

    def __init__(self, joints: Sequence[str]) -> None:
        messages = HumanoidMessages(joints)
        self._layouts, self._of_feet = layouts_of(messages, len(joints)), messages.of_feet
        self._wrenches = messages.wrenches

    def fill_raw(self, readings: HumanoidReadings) -> dict[str, bytes]:
        """The messages of one reading by topic; the base's motion goes to ``odom``."""
        raw, base = readings
        self._write(_in_their_fields(raw))
        if base is not None:
            odom = self._layouts["odom"].views
            odom["position"][:], odom["orientation"][:] = base.position_base_in_odom, base.orientation_base_in_world
            odom["linear"][:], odom["angular"][:] = base.linear_velocity_in_base, base.angular_velocity_in_base
        return self._stamped(raw.stamp_ns)


def _in_their_fields(raw: RawReadings) -> SensorReadings:
    """Raw numbers where the messages take theirs from; no number is changed."""
    return SensorReadings(
        raw.stamp_ns,
        raw.joint_position,
        raw.joint_velocity,
        NOWHERE,
        raw.imu[:3],
        raw.imu[3:],
        np.zeros(3),
        np.zeros(3),
        raw.force_torque,
        raw.foot_imus[:, 3:],
        raw.foot_imus[:, :3],
        raw.foot_position,
    )


class BaseInput(OdometryInput):
    """Pose and twist of the base: ``orientation`` (4,) and ``angular`` (3,), too."""

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.numbers = {**self.numbers, "orientation": NOWHERE, "angular": np.zeros(3)}

    def content(self, message: Any) -> Content:
        """All of it."""
        pose, twist = message.pose.pose, message.twist.twist
        numbers = {"orientation": quaternion(pose.orientation), "angular": vector(twist.angular)}
        return Content({}, {**super().content(message).numbers, **numbers})


class HumanoidInputs:
    """All sensors of one humanoid; ``topics`` are in the order of publication.

    Args:
        joints: of the robot, in its order.
        told: whether ``odom`` says how the base moves; otherwise nobody does.
        seen: whether sensors tell where the soles are; otherwise their places are NaN.
        raw: whether layouts may be learnt.
    """

    def __init__(self, joints: Sequence[str], told: bool, seen: bool = True, raw: bool = True) -> None:
        self.joint_states, self._imu = (
            JointStateInput("joint_states", joints, raw),
            FootSensorInput("imu/data", FOOT_SENSORS["imu"], raw),  # as in a foot: without an orientation
        )
        named = zip(wrench_topics(KIND), FORCE_SENSORS, strict=True)
        self._wrenches = [WrenchInput(topic, sensor, raw) for topic, sensor in named]
        self._foot_imus, self._foot_positions = (
            [FootSensorInput(f"{foot}/{name}", FOOT_SENSORS[name], raw) for foot in FEET]
            for name in ("imu", "position")
        )
        self._base, self._told = BaseInput("odom", raw), told
        of_feet: tuple[InputTopic, ...] = (*self._wrenches, *self._foot_imus, *self._foot_positions)
        every = {topic.name: topic for topic in (*of_feet, self._imu, self._base, self.joint_states)}
        absent = {self._base.name} if not told else set()
        absent |= set() if seen else {topic.name for topic in self._foot_positions}
        self.topics: Mapping[str, InputTopic] = {
            name: every[name] for name in sensor_topics(KIND) if name not in absent
        }

    def readings(self, stamp: int) -> HumanoidReadings:
        """The newest of everything, stamped; the arrays are the caller's."""
        imu, joints = self._imu.numbers, self.joint_states
        raw = RawReadings(
            stamp,
            joints.position,
            joints.velocity,
            np.concatenate((imu["angular_velocity"], imu["linear_acceleration"])),
            _both(self._foot_imus, "angular_velocity", "linear_acceleration"),
            _both(self._wrenches, "wrench"),
            _both(self._foot_positions, "point"),
        )
        return HumanoidReadings(raw, self._of_base() if self._told else None)

    def _of_base(self) -> BaseMotion:
        base = self._base.numbers
        return BaseMotion(*(base[name].copy() for name in ("orientation", "angular", "position", "linear")))


def _both(feet: Sequence[InputTopic], *parts: str) -> Array:
    """Quantities of both feet, side by side (2, …)."""
    return np.array([np.concatenate([foot.numbers[part] for part in parts]) for foot in feet])


# What the controller of a humanoid did in a tick, as named scalars; NaN as long as it does not know its base.

OF_ANSWER = ("l_limit", "r_limit", "phase", "solved", "dcm_error_x", "dcm_error_y", "step")
SOLVED = OF_ANSWER.index("solved")


def humanoid_record_names(joints: Sequence[str]) -> list[str]:
    """Names of the scalars in a record."""
    estimates = (f"{foot[0]}_{name}" for foot in FEET for name in ESTIMATE_NAMES)
    return [*OF_ANSWER, *(f"{joint}_effort" for joint in joints), *estimates]


def humanoid_record_values(record: ControlOutput) -> list[float]:
    """Its scalars in the order of their names; NaN where the controller has no such quantity."""
    answer = record.answer if isinstance(record, HumanoidOutput) else None
    left, right = record.estimates
    told = [math.nan] * len(OF_ANSWER)
    if answer is not None:
        told = [*answer.limits, float(answer.phase), float(answer.solved), *answer.dcm_error, answer.gait.forward]
    return [*told, *record.torques, *left, *right]

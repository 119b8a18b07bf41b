# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings and commands as ROS messages, both ways; messages are kept and refilled, order and values exact."""

from __future__ import annotations

from array import array
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped, Quaternion, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, Header, MultiArrayDimension

from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import NO_FOOT_SENSOR, REQUIRED, Array, SensorReadings

FEET = ("l_foot", "r_foot")
#: Topic of each sensor and its type, in the order of publication: joint_states is last and triggers the step.
SENSOR_TOPICS: dict[str, type[Any]] = {
    "imu/data": Imu,
    "l_foot/wrench": WrenchStamped,
    "r_foot/wrench": WrenchStamped,
    "odom": Odometry,
    "joint_states": JointState,
}
#: Topics of sensors that only some robots have, by the motion source that needs them.
FOOT_TOPICS: dict[str, dict[str, type[Any]]] = {
    "foot_imu": {f"{foot}/imu": Imu for foot in FEET},
    "external": {f"{foot}/position": PointStamped for foot in FEET},
}
ABSENT = -1.0  # first covariance of a quantity that the IMU does not give (REP 145)


def sensor_topics(motion_source: str = "odometry") -> dict[str, type[Any]]:
    """Sensor topics and types of a robot whose feet's motion comes from a source; joint_states is last."""
    return {**FOOT_TOPICS.get(motion_source, {}), **SENSOR_TOPICS}


class UnusableSample(BipedSlipError):
    """A message can't be used; the sample is skipped and counted under this sentence."""


def stamp_ns(header: Header) -> int:
    """Time of a message [ns]."""
    return int(header.stamp.sec) * 1_000_000_000 + int(header.stamp.nanosec)


def set_stamp(header: Header, stamp: int) -> None:
    """Write a time [ns] into a header."""
    set_time(header.stamp, stamp)


def set_time(time: Time, stamp: int) -> None:
    """Write a time [ns] into a message's time."""
    time.sec, time.nanosec = divmod(stamp, 1_000_000_000)


class Frames(NamedTuple):
    """Names of frames (REP 105, REP 120)."""

    base: str = "base_link"
    imu: str = "imu_link"
    odom: str = "odom"
    world: str = "world"


class SensorMessages:
    """One message per sensor topic, refilled from each reading."""

    def __init__(
        self, joints: Sequence[str], soles: Sequence[str], frames: Frames, motion_source: str = "odometry"
    ) -> None:
        self.by_topic: dict[str, Any] = {topic: kind() for topic, kind in sensor_topics(motion_source).items()}
        self.by_topic["joint_states"].name = list(joints)
        self.by_topic["joint_states"].header.frame_id = frames.base
        self.by_topic["imu/data"].header.frame_id = frames.imu
        self.by_topic["odom"].header.frame_id = frames.odom
        self.by_topic["odom"].child_frame_id = frames.base
        for foot, sole in zip(FEET, soles, strict=True):
            self.by_topic[f"{foot}/wrench"].header.frame_id = sole
            for topic, frame in ((f"{foot}/imu", sole), (f"{foot}/position", frames.world)):
                if topic in self.by_topic:
                    self.by_topic[topic].header.frame_id = frame
            if f"{foot}/imu" in self.by_topic:
                self.by_topic[f"{foot}/imu"].orientation_covariance[0] = ABSENT

    def fill(self, readings: SensorReadings) -> Mapping[str, Any]:
        """The messages of one reading by topic; valid until the next call."""
        messages = self.by_topic
        for message in messages.values():
            set_stamp(message.header, readings.stamp_ns)
        joint_states, imu, odom = messages["joint_states"], messages["imu/data"], messages["odom"]
        joint_states.position = array("d", readings.joint_position.tobytes())
        joint_states.velocity = array("d", readings.joint_velocity.tobytes())
        _set_quaternion(imu.orientation, readings.orientation_base_in_world)
        _set_vector(imu.angular_velocity, readings.angular_velocity_in_base)
        _set_vector(imu.linear_acceleration, readings.specific_force_in_base)
        _set_vector(odom.pose.pose.position, readings.position_base_in_odom)
        _set_quaternion(odom.pose.pose.orientation, readings.orientation_base_in_world)
        _set_vector(odom.twist.twist.linear, readings.linear_velocity_in_base)
        _set_vector(odom.twist.twist.angular, readings.angular_velocity_in_base)
        for foot, wrench in zip(FEET, readings.wrench_ground_on_foot_in_sole, strict=True):
            _set_vector(messages[f"{foot}/wrench"].wrench.force, wrench[:3])
            _set_vector(messages[f"{foot}/wrench"].wrench.torque, wrench[3:])
        for index, foot in enumerate(FEET):
            if (imu := messages.get(f"{foot}/imu")) is not None:
                _set_vector(imu.linear_acceleration, readings.foot_specific_force_in_sole[index])
                _set_vector(imu.angular_velocity, readings.foot_angular_velocity_in_sole[index])
            if (place := messages.get(f"{foot}/position")) is not None:
                _set_vector(place.point, readings.foot_position_in_world[index])
        return messages


class SensorDecoder:
    """Turns the messages of one instant into readings; joints are mapped by name, extra joints ignored."""

    def __init__(self, joints: Sequence[str], soles: Sequence[str]) -> None:
        self._joints, self._soles = tuple(joints), tuple(soles)
        self._names: list[str] = []
        self._indices = np.zeros(0, dtype=int)

    def decode(self, messages: Mapping[str, Any]) -> SensorReadings:
        """Readings of one instant, stamped as joint_states.

        Raises:
            UnusableSample: a joint or quantity is missing, a frame is wrong or a number is not finite.
        """
        joint_states, imu, odom = messages["joint_states"], messages["imu/data"], messages["odom"]
        if joint_states.name != self._names:
            self._map(joint_states)
        if imu.orientation_covariance[0] == ABSENT or imu.angular_velocity_covariance[0] == ABSENT:
            raise UnusableSample("imu/data: orientation or angular velocity is marked as absent; both are needed")
        readings = SensorReadings(
            stamp_ns(joint_states.header),
            self._pick(joint_states.position, "position"),
            self._pick(joint_states.velocity, "velocity"),
            _quaternion(imu.orientation),
            _vector(imu.angular_velocity),
            _vector(imu.linear_acceleration),
            _vector(odom.pose.pose.position),
            _vector(odom.twist.twist.linear),
            np.array([self._wrench(f"{foot}/wrench", messages, i) for i, foot in enumerate(FEET)]),
            *_foot_sensors(messages),
        )
        for name, values in zip(SensorReadings._fields[1:REQUIRED], readings[1:REQUIRED], strict=True):
            if not np.isfinite(values).all():
                raise UnusableSample(f"{name} is not finite")
        return readings

    def _map(self, joint_states: JointState) -> None:
        missing = [joint for joint in self._joints if joint not in joint_states.name]
        if missing:
            raise UnusableSample(
                f"joint_states: no joint {', '.join(missing)}; it has {', '.join(joint_states.name) or 'none'}"
            )
        self._names = list(joint_states.name)
        self._indices = np.array([self._names.index(joint) for joint in self._joints])

    def _pick(self, values: array[float], what: str) -> Array:
        if len(values) != len(self._names):
            raise UnusableSample(f"joint_states: {len(values)} values of {what} for {len(self._names)} names")
        picked: Array = np.frombuffer(values, dtype=float)[self._indices]
        return picked

    def _wrench(self, topic: str, messages: Mapping[str, Any], foot: int) -> list[float]:
        message = messages[topic]
        if message.header.frame_id != self._soles[foot]:
            raise UnusableSample(f"{topic}: frame {message.header.frame_id!r}, but must be {self._soles[foot]!r}")
        force, torque = message.wrench.force, message.wrench.torque
        return [force.x, force.y, force.z, torque.x, torque.y, torque.z]


class CommandMessage:
    """Joint efforts for a forward command controller; the layout's label says which instant they answer."""

    def __init__(self, joints: int) -> None:
        self._message = Float64MultiArray()
        self._message.layout.dim = [MultiArrayDimension(size=joints, stride=joints)]

    def fill(self, stamp: int, efforts: Array) -> Float64MultiArray:
        """The message; valid until the next call."""
        self._message.layout.dim[0].label = f"stamp_ns={stamp}"
        self._message.data = array("d", efforts.tobytes())
        return self._message


def answered_stamp(command: Float64MultiArray) -> int | None:
    """Which instant [ns] a command answers; None when its sender does not say."""
    for dimension in command.layout.dim:
        key, _, value = dimension.label.partition("=")
        if key == "stamp_ns" and value.isdecimal():
            return int(value)
    return None


def efforts_from(command: Float64MultiArray, joints: int) -> Array:
    """Joint efforts (joints,) of a command.

    Raises:
        UnusableSample: wrong size or not finite.
    """
    efforts: Array = np.array(command.data, dtype=float)
    if efforts.size != joints:
        raise UnusableSample(f"command has {efforts.size} efforts, but must have {joints}")
    if not np.isfinite(efforts).all():
        raise UnusableSample("command is not finite")
    return efforts


def _foot_sensors(messages: Mapping[str, Any]) -> tuple[Array, Array, Array]:
    """Specific force and angular velocity of the feet, and their places from outside, where there are such topics."""
    imus = [messages.get(f"{foot}/imu") for foot in FEET]
    places = [messages.get(f"{foot}/position") for foot in FEET]
    felt = turning = place = NO_FOOT_SENSOR
    if all(imu is not None for imu in imus):
        felt = np.array([_vector(imu.linear_acceleration) for imu in imus])
        turning = np.array([_vector(imu.angular_velocity) for imu in imus])
    if all(message is not None for message in places):
        place = np.array([_vector(message.point) for message in places])
    return felt, turning, place


def _set_vector(message: Vector3 | Point, values: Array) -> None:
    message.x, message.y, message.z = float(values[0]), float(values[1]), float(values[2])


def _set_quaternion(message: Quaternion, values: Array) -> None:
    message.x, message.y, message.z, message.w = map(float, values)


def _vector(message: Vector3 | Point) -> Array:
    return np.array([message.x, message.y, message.z])


def _quaternion(message: Quaternion) -> Array:
    return np.array([message.x, message.y, message.z, message.w])

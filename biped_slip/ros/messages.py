# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensor readings and commands as ROS messages, both ways, and input topics as numbers in place."""

from __future__ import annotations

from array import array
from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PointStamped, Quaternion, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64MultiArray, Header, MultiArrayDimension

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError
from biped_slip.estimation.readings import (
    SECOND,
    Problem,
    SensorReadings,
    legal_time,
    nearest_legal_stamp,
    trial_readings,
)
from biped_slip.ros.cdr import HEAD, LITTLE_ENDIAN, SCHEMAS, Layout, UnknownLayout, time_of

# The one table of sensors that only some robots have, one at each foot: its messages, and the readings they fill.

FEET = ("l_foot", "r_foot")
ANKLES = ("l_ankle", "r_ankle")
SOLE, WORLD = "sole", "world"  # whose frame a message is in


class FootSensor(NamedTuple):
    """One kind of sensor; its topics are ``l_foot/NAME`` and ``r_foot/NAME``."""

    kind: type[Any]  # of message, with a schema in ``cdr_layout``
    frame: str
    fields: Mapping[str, str]  # vector of the message -> field (2, 3) of SensorReadings
    sources: tuple[str, ...]  # of the feet's motion that need it


FOOT_SENSORS: dict[str, FootSensor] = {
    "imu": FootSensor(
        Imu,
        SOLE,
        {"linear_acceleration": "foot_specific_force_in_sole", "angular_velocity": "foot_angular_velocity_in_sole"},
        ("foot_imu", "humanoid"),
    ),
    "position": FootSensor(PointStamped, WORLD, {"point": "foot_position_in_world"}, ("external", "humanoid")),
}


def wrench_topics(motion_source: str) -> tuple[str, str]:
    """Topics of both feet's forces: at a humanoid's ankle as its sensor gives them, elsewhere in the sole."""
    left, right = ANKLES if motion_source == "humanoid" else FEET
    return f"{left}/wrench", f"{right}/wrench"


def foot_topics(motion_source: str) -> dict[str, tuple[int, FootSensor]]:
    """Topics that a motion source needs, each with its foot (0 left, 1 right) and its sensor."""
    return {
        f"{foot}/{name}": (index, sensor)
        for name, sensor in FOOT_SENSORS.items()
        if motion_source in sensor.sources
        for index, foot in enumerate(FEET)
    }


# Sensor readings and commands as ROS messages, both ways; messages are kept and refilled, order and values exact.

ABSENT = -1.0  # first covariance of a quantity that the IMU does not give (REP 145)


def sensor_topics(motion_source: str = "odometry") -> dict[str, type[Any]]:
    """Sensor topics and types of a robot whose feet's motion comes from a source; joint_states is last."""
    of_feet = {topic: sensor.kind for topic, (_, sensor) in foot_topics(motion_source).items()}
    wrenches = dict.fromkeys(wrench_topics(motion_source), WrenchStamped)
    return {**of_feet, "imu/data": Imu, **wrenches, "odom": Odometry, "joint_states": JointState}


#: Topic of each sensor of the planar biped and its type, in the order of publication: joint_states triggers the step.
SENSOR_TOPICS = sensor_topics()


class UnusableSample(BipedSlipError):
    """A message can't be used; the sample is skipped and counted under this problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def stamp_from(topic: str, seconds: int, nanoseconds: int) -> int:
    """Time [ns] that a message says.

    Raises:
        UnusableSample: no clock shows that.
    """
    if not legal_time(seconds, nanoseconds):
        what = f"{topic} has one with a second of nanoseconds or more"
        raise UnusableSample(Problem("impossible stamp", what))
    return seconds * SECOND + nanoseconds


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


class FootPart(NamedTuple):
    """A vector of a message, and where it is in the readings."""

    topic: str
    vector: str
    field: int  # of SensorReadings
    foot: int


def parts_of_feet(motion_source: str) -> list[FootPart]:
    """All vectors that the foot sensors of a motion source send."""
    return [
        FootPart(topic, vector, SensorReadings._fields.index(field), foot)
        for topic, (foot, sensor) in foot_topics(motion_source).items()
        for vector, field in sensor.fields.items()
    ]


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
        self.wrenches = wrench_topics(motion_source)
        for topic, sole in zip(self.wrenches, soles, strict=True):
            self.by_topic[topic].header.frame_id = sole
        for topic, (foot, sensor) in foot_topics(motion_source).items():
            self.by_topic[topic].header.frame_id = soles[foot] if sensor.frame == SOLE else frames.world
            if sensor.kind is Imu:
                self.by_topic[topic].orientation_covariance[0] = ABSENT
        self.of_feet = parts_of_feet(motion_source)

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
        for topic, wrench in zip(self.wrenches, readings.wrench_ground_on_foot_in_sole, strict=True):
            _set_vector(messages[topic].wrench.force, wrench[:3])
            _set_vector(messages[topic].wrench.torque, wrench[3:])
        for part in self.of_feet:
            _set_vector(getattr(messages[part.topic], part.vector), readings[part.field][part.foot])
        return messages


def layouts_of(messages: SensorMessages, joints: int) -> dict[str, Layout]:
    """Where the numbers of each topic's message are."""
    filled = messages.fill(next(trial_readings(joints)))
    return {topic: Layout(serialize_message(one), SCHEMAS[type(one).__name__]) for topic, one in filled.items()}


class SerialisedSensors:
    """The bytes of the same messages, made once; stamps and numbers are written over."""

    def __init__(
        self, joints: Sequence[str], soles: Sequence[str], frames: Frames, motion_source: str = "odometry"
    ) -> None:
        messages = SensorMessages(joints, soles, frames, motion_source)
        self._layouts, self._of_feet = layouts_of(messages, len(joints)), messages.of_feet
        self._wrenches = messages.wrenches

    def fill(self, readings: SensorReadings) -> dict[str, bytes]:
        """The messages of one reading by topic."""
        self._write(readings)
        return self._stamped(readings.stamp_ns)

    def _stamped(self, stamp: int) -> dict[str, bytes]:
        return {topic: layout.message(stamp) for topic, layout in self._layouts.items()}

    def _write(self, readings: SensorReadings) -> None:
        joint_states, imu, odom = (self._layouts[topic].views for topic in ("joint_states", "imu/data", "odom"))
        joint_states["position"][:], joint_states["velocity"][:] = readings.joint_position, readings.joint_velocity
        imu["orientation"][:] = odom["orientation"][:] = readings.orientation_base_in_world
        imu["angular_velocity"][:] = odom["angular"][:] = readings.angular_velocity_in_base
        imu["linear_acceleration"][:] = readings.specific_force_in_base
        odom["position"][:], odom["linear"][:] = readings.position_base_in_odom, readings.linear_velocity_in_base
        for topic, wrench in zip(self._wrenches, readings.wrench_ground_on_foot_in_sole, strict=True):
            self._layouts[topic].views["wrench"][:] = wrench
        for part in self._of_feet:
            self._layouts[part.topic].views[part.vector][:] = readings[part.field][part.foot]


class Command(NamedTuple):
    """Joint efforts (n,) [N m] and the instant [ns] that they answer, where the sender says it."""

    stamp_ns: int | None
    efforts: Array


LARGEST_EFFORT = 1e5  # [N m] no joint of a walking robot has a motor of a hundredth of it (choice)
_LABEL = "stamp_ns="
_DIGITS = 19  # of a stamp [ns]: labels of one length make messages of one layout


class CommandMessage:
    """Joint efforts for a forward command controller; the layout's label says which instant they answer."""

    def __init__(self, joints: int) -> None:
        self._message = Float64MultiArray()
        self._message.layout.dim = [MultiArrayDimension(size=joints, stride=joints)]

    def fill(self, stamp: int, efforts: Array) -> Float64MultiArray:
        """The message; valid until the next call."""
        self._message.layout.dim[0].label = f"{_LABEL}{nearest_legal_stamp(stamp, 0):0{_DIGITS}d}"
        self._message.data = array("d", efforts.tobytes())
        return self._message


class SerialisedCommand:
    """The bytes of the same message, made once; stamp and efforts are written over, and no number moves a byte."""

    def __init__(self, joints: int) -> None:
        mark = np.full(joints, np.pi)
        raw = serialize_message(CommandMessage(joints).fill(0, mark))
        self._bytes = bytearray(raw)
        label, data = raw.index(_LABEL.encode()) + len(_LABEL), raw.index(mark.tobytes())
        self._label, self._data = slice(label, label + _DIGITS), slice(data, data + 8 * joints)
        numbers = HEAD + -(-(label + _DIGITS + 1 - HEAD) // 4) * 4  # size, stride, offset and count follow the label
        self._places = memoryview(self._bytes)  # refuses what is longer or shorter than its place
        fixed = ((0, 2), (HEAD, label), (label + _DIGITS, label + _DIGITS + 1), (numbers, numbers + 16))
        self._fixed = [(slice(*span), raw[slice(*span)]) for span in fixed]  # padding may hold anything

    def fill(self, stamp: int, efforts: Array) -> bytes:
        """The message; a stamp before 1970, which would be longer, is replaced by zero."""
        self._places[self._label] = b"%0*d" % (_DIGITS, nearest_legal_stamp(stamp, 0))
        self._places[self._data] = efforts.tobytes()
        return bytes(self._bytes)

    def read(self, raw: bytes) -> Command | None:
        """What a message says, if ``fill`` has made it; answers None for any other."""
        if len(raw) != len(self._bytes) or not raw[self._label].isdigit():
            return None
        if any(raw[span] != content for span, content in self._fixed):
            return None
        return Command(int(raw[self._label]), np.frombuffer(raw[self._data]))


def answered_stamp(command: Float64MultiArray) -> int | None:
    """Which instant [ns] a command answers; None when its sender does not say."""
    for dimension in command.layout.dim:
        key, _, value = dimension.label.partition("=")
        if key == "stamp_ns" and value.isdecimal() and len(value) <= _DIGITS:
            return int(value)
    return None


def checked(command: Command, joints: int) -> Command:
    """A command that can be used.

    Raises:
        UnusableSample: wrong size, not finite, or beyond anything a motor does.
    """
    if command.efforts.size != joints:
        what = f"command has {command.efforts.size} efforts, but must have {joints}"
        raise UnusableSample(Problem("wrong size", what))
    if not np.isfinite(command.efforts).all():
        raise UnusableSample(Problem("command not finite", "a number of the command"))
    if command.efforts.size and np.abs(command.efforts).max() > LARGEST_EFFORT:
        raise UnusableSample(Problem("implausible command", f"an effort beyond {LARGEST_EFFORT:g} N m"))
    return command


def _set_vector(message: Vector3 | Point, values: Array) -> None:
    message.x, message.y, message.z = float(values[0]), float(values[1]), float(values[2])


def _set_quaternion(message: Quaternion, values: Array) -> None:
    message.x, message.y, message.z, message.w = map(float, values)


# One input topic as numbers that stay in place: decoded from the raw bytes, or by way of typed messages.
#
# A message whose layout is known is copied and looked at; any other is deserialised and checked, and its layout is
# learnt
# when it says the same. So the typed way is the fallback and the oracle of the raw one.

LARGEST_MESSAGE = 65_536  # [byte] a thousand joints with their names; decoding more would take a loop's time (choice)
Numbers = Mapping[str, Array]


class Content(NamedTuple):
    """What a message says: texts and doubles by field name."""

    texts: Mapping[str, Sequence[str]]
    numbers: Numbers


class WrongContent(Exception):
    """A message says something that can't be used."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = Problem(name, detail)


class InputTopic:
    """Newest numbers of one topic. Subclasses say what a good message is.

    Args:
        name: of the topic, for sentences.
        raw: whether layouts may be learnt; without them every message goes the typed way.
    """

    kind: type[Any]
    numbers: Numbers  # of the newest good message; the next one may overwrite them

    def __init__(self, name: str, raw: bool = True) -> None:
        self.name, self._raw = name, raw
        self.problem: Problem | None = None  # with the newest message
        self.by_type = 0  # messages that went the typed way
        self.layout: Layout | None = None  # of messages that need no typed way
        self._opened: bytes | tuple[Content, Layout | None] = b""  # typed, or as it is where its layout is known

    def content(self, message: Any) -> Content:
        """A typed message's."""
        raise NotImplementedError

    def check(self, content: Content) -> None:
        """Refuse a message that can't be used; what is checked here doesn't change while the layout stays."""

    def accept(self, numbers: Numbers) -> None:
        """Take over the numbers of a message; every one passes here, and may be refused."""
        self.numbers = numbers

    def open(self, raw: bytes) -> int:
        """Look at a message; answers its stamp [ns].

        Raises:
            UnusableSample: these bytes are no message, or its stamp is no time.
        """
        if self.layout is not None and self.layout.fits(raw):
            self._opened = raw
            return stamp_from(self.name, *time_of(raw))
        if len(raw) > LARGEST_MESSAGE:
            what = f"{self.name} is longer than {LARGEST_MESSAGE} bytes"
            raise UnusableSample(Problem("oversized message", what))
        try:
            layout = Layout(raw, SCHEMAS[self.kind.__name__]) if raw[:2] == LITTLE_ENDIAN else None
            message = deserialize_message(raw, self.kind)
        except (UnknownLayout, RuntimeError, ValueError, OverflowError, MemoryError) as error:
            raise UnusableSample(Problem("undecodable message", self.name)) from error
        self.by_type += 1
        self._opened = self.content(message), layout
        return stamp_from(self.name, message.header.stamp.sec, message.header.stamp.nanosec)

    def take_shown(self) -> Problem | None:
        """Take over the numbers that the layout shows by now; answers what is wrong with them."""
        self.problem = None
        try:
            self.accept(self.layout.views)
        except WrongContent as refusal:
            self.problem = refusal.problem
        return self.problem

    def keep(self) -> None:
        """Take over the message that was opened last; ``problem`` says what is wrong with it."""
        self.problem = None
        try:
            if isinstance(self._opened, bytes):
                self.accept(self.layout.show(self._opened))
                return
            content, layout = self._opened
            self.layout = None  # what is checked now need not fit an older layout
            self.check(content)
            self.accept(content.numbers)
            if self._raw and layout is not None and _says(layout, content):
                self.layout = layout
        except WrongContent as refusal:
            self.problem = refusal.problem


def _says(layout: Layout, content: Content) -> bool:
    """Whether the raw way finds what the typed one does."""
    texts = all(tuple(text) == layout.texts[name] for name, text in content.texts.items())
    nothing = np.zeros(0)
    return texts and all(
        np.asarray(numbers).tobytes() == layout.views.get(name, nothing).tobytes()
        for name, numbers in content.numbers.items()
    )


def vector(message: Any) -> Array:
    """Its x, y, z (3,)."""
    return np.array([message.x, message.y, message.z])


def quaternion(message: Any) -> Array:
    """Its x, y, z, w (4,)."""
    return np.array([message.x, message.y, message.z, message.w])

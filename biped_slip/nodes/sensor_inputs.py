# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Input topics as arrays that stay in place: decoded from the raw bytes, or by way of typed messages where that fails.

A message whose layout is known is copied and looked at; any other is deserialised and checked, and its layout is learnt
when it says the same. So the typed way is the fallback and the oracle of the raw one.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from geometry_msgs.msg import PointStamped, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Imu, JointState

from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.nodes.cdr_layout import LITTLE_ENDIAN, SCHEMAS, Layout, UnknownLayout, stamp_of
from biped_slip.nodes.messages import ABSENT, FEET, UnusableSample, sensor_topics, stamp_ns

Numbers = Mapping[str, Array]


class Content(NamedTuple):
    """What a message says: texts and doubles by field name."""

    texts: Mapping[str, Sequence[str]]
    numbers: Numbers


class InputTopic:
    """Newest values of one topic. Subclasses say what a good message is and where its numbers go.

    Args:
        name: of the topic, for sentences.
        raw: whether layouts may be learnt; without them every message goes the typed way.
    """

    kind: type[Any]

    def __init__(self, name: str, raw: bool = True) -> None:
        self.name, self._raw = name, raw
        self.problem: Problem | None = None  # with the newest message
        self.by_type = 0  # messages that went the typed way
        self._layout: Layout | None = None
        self._opened: tuple[Content, Layout | None] | None = None  # a message that went the typed way

    def content(self, message: Any) -> Content:
        """A typed message's."""
        raise NotImplementedError

    def check(self, content: Content) -> None:
        """Refuse a message that can't be used; what is checked here doesn't change while the layout stays."""

    def fill(self, numbers: Numbers) -> None:
        """Take over the numbers."""
        raise NotImplementedError

    def open(self, raw: bytes) -> int:
        """Look at a message; answers its stamp [ns].

        Raises:
            UnusableSample: these bytes are no message.
        """
        self._opened = None
        if self._layout is not None and self._layout.accept(raw):
            return stamp_of(raw)
        try:
            layout = Layout(raw, SCHEMAS[self.kind.__name__]) if raw[:2] == LITTLE_ENDIAN else None
            message = deserialize_message(raw, self.kind)
        except (UnknownLayout, RuntimeError, ValueError, OverflowError, MemoryError) as error:
            raise UnusableSample(Problem("undecodable message", f"{self.name}: {error}")) from error
        self.by_type += 1
        self._opened = self.content(message), layout
        return stamp_ns(message.header)

    def keep(self) -> None:
        """Take over the message that was opened last; ``problem`` says what is wrong with it."""
        self.problem = None
        try:
            if self._opened is None:
                self.fill(self._layout.views)
                return
            content, layout = self._opened
            self._layout = None  # what is checked now need not fit an older layout
            self.check(content)
            self.fill(content.numbers)
            if self._raw and layout is not None and _says(layout, content):
                self._layout = layout
        except WrongContent as refusal:
            self.problem = refusal.problem


class WrongContent(Exception):
    """A message says something that can't be used."""

    def __init__(self, name: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = Problem(name, detail)


def _says(layout: Layout, content: Content) -> bool:
    """Whether the raw way finds what the typed one does."""
    texts = all(tuple(text) == layout.texts[name] for name, text in content.texts.items())
    nothing = np.zeros(0)
    return texts and all(
        np.asarray(numbers).tobytes() == layout.views.get(name, nothing).tobytes()
        for name, numbers in content.numbers.items()
    )


class JointStateInput(InputTopic):
    """Positions and velocities (n,) of the joints of a robot, in its order; a message may have any, and more."""

    kind = JointState

    def __init__(self, name: str, joints: Sequence[str], raw: bool = True) -> None:
        super().__init__(name, raw)
        self._joints = tuple(joints)
        self.position, self.velocity = np.zeros(len(joints)), np.zeros(len(joints))

    def content(self, message: Any) -> Content:
        """Names, positions, velocities."""
        numbers = {field: np.frombuffer(getattr(message, field), dtype=float) for field in ("position", "velocity")}
        return Content({"name": message.name}, numbers)

    def check(self, content: Content) -> None:
        """Every joint has a name, every name its numbers."""
        names = list(content.texts["name"])
        missing = [joint for joint in self._joints if joint not in names]
        if missing:
            has = ", ".join(names) or "none"
            raise WrongContent("missing joint", f"{self.name}: no joint {', '.join(missing)}; it has {has}")
        for what, values in content.numbers.items():
            if len(values) != len(names):
                raise WrongContent("wrong size", f"{self.name}: {len(values)} values of {what} for {len(names)} names")
        self._picks = np.array([names.index(joint) for joint in self._joints])

    def fill(self, numbers: Numbers) -> None:
        """In the robot's order."""
        numbers["position"].take(self._picks, out=self.position)
        numbers["velocity"].take(self._picks, out=self.velocity)


class ImuInput(InputTopic):
    """Orientation (4,) as x, y, z, w; angular velocity and specific force (3,)."""

    kind = Imu

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.orientation, self.angular_velocity, self.specific_force = np.zeros(4), np.zeros(3), np.zeros(3)

    def content(self, message: Any) -> Content:
        """All numbers that are looked at."""
        numbers = {
            "orientation": _quaternion(message.orientation),
            "orientation_covariance": np.array(message.orientation_covariance),
            "angular_velocity": _vector(message.angular_velocity),
            "angular_velocity_covariance": np.array(message.angular_velocity_covariance),
            "linear_acceleration": _vector(message.linear_acceleration),
        }
        return Content({}, numbers)

    def fill(self, numbers: Numbers) -> None:
        """A first covariance of −1 says that the quantity is absent (REP 145)."""
        for what in ("orientation", "angular_velocity"):
            if numbers[f"{what}_covariance"][0] == ABSENT:
                raise WrongContent(
                    f"{what.replace('_', ' ')} absent", f"{self.name}: marked as absent (covariance -1); it is needed"
                )
        self.orientation[:] = numbers["orientation"]
        self.angular_velocity[:] = numbers["angular_velocity"]
        self.specific_force[:] = numbers["linear_acceleration"]


class WrenchInput(InputTopic):
    """Wrench (6,) of the ground on a foot in its sole frame: fills a row of an array."""

    kind = WrenchStamped

    def __init__(self, name: str, sole: str, row: Array, raw: bool = True) -> None:
        super().__init__(name, raw)
        self._sole, self._row = sole, row

    def content(self, message: Any) -> Content:
        """Force and moment."""
        wrench = np.concatenate([_vector(message.wrench.force), _vector(message.wrench.torque)])
        return Content({"frame_id": (message.header.frame_id,)}, {"wrench": wrench})

    def check(self, content: Content) -> None:
        """The frame is the sole's."""
        (frame,) = content.texts["frame_id"]
        if frame != self._sole:
            raise WrongContent("wrong frame", f"{self.name}: frame {frame!r}, but must be {self._sole!r}")

    def fill(self, numbers: Numbers) -> None:
        """Into the row."""
        self._row[:] = numbers["wrench"]


class OdometryInput(InputTopic):
    """Position and velocity (3,) of the base."""

    kind = Odometry

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.position, self.velocity = np.zeros(3), np.zeros(3)

    def content(self, message: Any) -> Content:
        """Position in the odometry's frame, velocity in the base's."""
        numbers = {"position": _vector(message.pose.pose.position), "linear": _vector(message.twist.twist.linear)}
        return Content({}, numbers)

    def fill(self, numbers: Numbers) -> None:
        """Position and velocity."""
        self.position[:] = numbers["position"]
        self.velocity[:] = numbers["linear"]


class FootImuInput(InputTopic):
    """Specific force and angular velocity (3,) of a foot in its sole frame: fills a row of two arrays."""

    kind = Imu

    def __init__(self, name: str, felt: Array, turning: Array, raw: bool = True) -> None:
        super().__init__(name, raw)
        self._felt, self._turning = felt, turning

    def content(self, message: Any) -> Content:
        """Both vectors; such an IMU needs no orientation."""
        numbers = {
            "angular_velocity": _vector(message.angular_velocity),
            "linear_acceleration": _vector(message.linear_acceleration),
        }
        return Content({}, numbers)

    def fill(self, numbers: Numbers) -> None:
        """Into the rows."""
        self._felt[:], self._turning[:] = numbers["linear_acceleration"], numbers["angular_velocity"]


class FootPositionInput(InputTopic):
    """Place (3,) of a sole's origin as seen from outside the robot: fills a row of an array."""

    kind = PointStamped

    def __init__(self, name: str, row: Array, raw: bool = True) -> None:
        super().__init__(name, raw)
        self._row = row

    def content(self, message: Any) -> Content:
        """The place."""
        return Content({}, {"point": _vector(message.point)})

    def fill(self, numbers: Numbers) -> None:
        """Into the row."""
        self._row[:] = numbers["point"]


class SensorInputs:
    """All sensors of one robot; ``topics`` are in the order of publication.

    Args:
        joints: of the robot, in its order.
        soles: frames.
        motion_source: of the feet, whose sensors are listened to as well.
        raw: whether layouts may be learnt.
    """

    def __init__(
        self, joints: Sequence[str], soles: Sequence[str], motion_source: str = "odometry", raw: bool = True
    ) -> None:
        self._wrench = np.zeros((2, 6))
        self._felt, self._turning, self._place = (np.full((2, 3), np.nan) for _ in range(3))
        of_feet: dict[str, InputTopic] = {
            **{f"{foot}/imu": FootImuInput(f"{foot}/imu", self._felt[i], self._turning[i], raw)
               for i, foot in enumerate(FEET)},
            **{f"{foot}/position": FootPositionInput(f"{foot}/position", self._place[i], raw)
               for i, foot in enumerate(FEET)},
        }  # fmt: skip
        self._imu, self._odometry = ImuInput("imu/data", raw), OdometryInput("odom", raw)
        self.joint_states = JointStateInput("joint_states", joints, raw)
        wrenches = (
            WrenchInput(f"{foot}/wrench", sole, row, raw)
            for foot, sole, row in zip(FEET, soles, self._wrench, strict=True)
        )
        inputs = (self._imu, *wrenches, self._odometry, self.joint_states)
        every = {**of_feet, **{topic.name: topic for topic in inputs}}
        self.topics: dict[str, InputTopic] = {name: every[name] for name in sensor_topics(motion_source)}

    def problems(self) -> Iterator[Problem]:
        """What is wrong with the newest messages."""
        return (topic.problem for topic in self.topics.values() if topic.problem is not None)

    def readings(self, stamp: int) -> SensorReadings:
        """The newest of everything, stamped."""
        return SensorReadings(
            stamp,
            self.joint_states.position.copy(),
            self.joint_states.velocity.copy(),
            self._imu.orientation.copy(),
            self._imu.angular_velocity.copy(),
            self._imu.specific_force.copy(),
            self._odometry.position.copy(),
            self._odometry.velocity.copy(),
            self._wrench.copy(),
            self._felt.copy(),
            self._turning.copy(),
            self._place.copy(),
        )


def _vector(message: Any) -> Array:
    return np.array([message.x, message.y, message.z])


def _quaternion(message: Any) -> Array:
    return np.array([message.x, message.y, message.z, message.w])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All sensors of one robot as input topics, and the readings that they add up to."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import REQUIRED, SensorReadings
from biped_slip.ros.topics.foot_inputs import FootSensorInput, WrenchInput
from biped_slip.ros.topics.foot_sensors import FEET, FOOT_SENSORS
from biped_slip.ros.topics.input_topic import Content, InputTopic, Numbers, WrongContent, quaternion, vector
from biped_slip.ros.topics.messages import ABSENT, sensor_topics


class JointStateInput(InputTopic):
    """Positions and velocities (n,) of the joints of a robot, in its order; a message may have any, and more."""

    kind = JointState

    def __init__(self, name: str, joints: Sequence[str], raw: bool = True) -> None:
        super().__init__(name, raw)
        self._joints, self._picks = tuple(joints), np.arange(len(joints))
        self.numbers = dict.fromkeys(("position", "velocity"), np.zeros(len(joints)))

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
            raise WrongContent("missing joint", f"{self.name}: no joint {', '.join(missing)}; it has {has[:200]}")
        twice = [joint for joint in self._joints if names.count(joint) > 1]
        if twice:
            raise WrongContent("duplicate joint", f"{self.name} names {', '.join(twice)} more than once")
        for what, values in content.numbers.items():
            if len(values) != len(names):
                raise WrongContent("wrong size", f"{self.name}: {len(values)} values of {what} for {len(names)} names")
        self._picks = np.array([names.index(joint) for joint in self._joints])

    @property
    def position(self) -> Array:
        """In the robot's order [rad]; a copy."""
        return self.numbers["position"].take(self._picks)

    @property
    def velocity(self) -> Array:
        """In the robot's order [rad/s]; a copy."""
        return self.numbers["velocity"].take(self._picks)


class ImuInput(InputTopic):
    """``orientation`` (4,) as x, y, z, w; ``angular_velocity`` and ``linear_acceleration`` (3,), a specific force."""

    kind = Imu

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.numbers = {"orientation": np.zeros(4), "angular_velocity": np.zeros(3), "linear_acceleration": np.zeros(3)}

    def content(self, message: Any) -> Content:
        """All numbers that are looked at."""
        numbers = {
            "orientation": quaternion(message.orientation),
            "orientation_covariance": np.array(message.orientation_covariance),
            "angular_velocity": vector(message.angular_velocity),
            "angular_velocity_covariance": np.array(message.angular_velocity_covariance),
            "linear_acceleration": vector(message.linear_acceleration),
        }
        return Content({}, numbers)

    def accept(self, numbers: Numbers) -> None:
        """A first covariance of −1 says that the quantity is absent (REP 145)."""
        if numbers["orientation_covariance"][0] == ABSENT:
            self._refuse("orientation")
        if numbers["angular_velocity_covariance"][0] == ABSENT:
            self._refuse("angular velocity")
        self.numbers = numbers

    def _refuse(self, what: str) -> None:
        raise WrongContent(f"{what} absent", f"{self.name}: marked as absent (covariance -1); it is needed")


class OdometryInput(InputTopic):
    """``position`` of the base in the odometry's frame and ``linear`` velocity in the base's (3,)."""

    kind = Odometry

    def __init__(self, name: str, raw: bool = True) -> None:
        super().__init__(name, raw)
        self.numbers = dict.fromkeys(("position", "linear"), np.zeros(3))

    def content(self, message: Any) -> Content:
        """Position and velocity."""
        numbers = {"position": vector(message.pose.pose.position), "linear": vector(message.twist.twist.linear)}
        return Content({}, numbers)


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
        named = list(zip((f"{foot}/wrench" for foot in FEET), soles, strict=True))
        self._wrenches = [WrenchInput(name, sole, raw) for name, sole in named]
        self._foot_sensors = {
            name: [FootSensorInput(f"{foot}/{name}", sensor, raw) for foot in FEET]
            for name, sensor in FOOT_SENSORS.items()
        }
        self._imu, self._odometry = ImuInput("imu/data", raw), OdometryInput("odom", raw)
        self.joint_states = JointStateInput("joint_states", joints, raw)
        of_feet = [topic for both in self._foot_sensors.values() for topic in both]
        every: dict[str, InputTopic] = {
            topic.name: topic for topic in (*self._wrenches, *of_feet, self._imu, self._odometry, self.joint_states)
        }
        self.topics = {name: every[name] for name in sensor_topics(motion_source)}
        self._with_foot_sensors = any(topic.name in self.topics for topic in of_feet)
        needed_last = sorted(FOOT_SENSORS.items(), key=lambda row: motion_source in row[1].sources)
        filled = {
            field: (*self._foot_sensors[name], part)
            for name, sensor in needed_last
            for part, field in sensor.fields.items()
        }
        self._optional = [filled[field] for field in SensorReadings._fields[REQUIRED:]]

    def problems(self) -> Iterator[Problem]:
        """What is wrong with the newest messages."""
        return (topic.problem for topic in self.topics.values() if topic.problem is not None)

    def readings(self, stamp: int) -> SensorReadings:
        """The newest of everything, stamped; the arrays are the caller's."""
        imu, odometry, (left, right) = self._imu.numbers, self._odometry.numbers, self._wrenches
        required = (
            stamp,
            self.joint_states.position,
            self.joint_states.velocity,
            imu["orientation"].copy(),
            imu["angular_velocity"].copy(),
            imu["linear_acceleration"].copy(),
            odometry["position"].copy(),
            odometry["linear"].copy(),
            _both(left, right, "wrench"),
        )
        if not self._with_foot_sensors:
            return SensorReadings(*required)
        return SensorReadings(*required, *(_both(*part) for part in self._optional))


def _both(left: InputTopic, right: InputTopic, what: str) -> Array:
    """A quantity of both feet (2, …)."""
    first = left.numbers[what]
    both = np.empty((2, len(first)))
    both[0], both[1] = first, right.numbers[what]
    return both

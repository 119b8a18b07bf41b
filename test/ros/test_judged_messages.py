# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Every number and text of every message that a controller or governor hears is judged,
or listed with its reason."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import TwistStamped, WrenchStamped  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from ros.partner import activated  # noqa: E402

from biped_slip.control.friction_governor import Reason  # noqa: E402
from biped_slip.estimation.health import judge_of  # noqa: E402
from biped_slip.estimation.readings import ESTIMATE, Judged, SensorReadings  # noqa: E402
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate  # noqa: E402
from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.robots.planar_biped import planar_biped  # noqa: E402
from biped_slip.ros.humanoid_robot import (  # noqa: E402
    HumanoidInputs,
    SerialisedHumanoidSensors,
)
from biped_slip.ros.messages import (  # noqa: E402
    ESTIMATE_NAMES,
    Frames,
    FrictionInput,
    NamedScalars,
    UnusableSample,
    set_time,
)
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode  # noqa: E402
from biped_slip.ros.sensor_inputs import SensorInputs  # noqa: E402
from biped_slip.ros.stamps import ClockRange  # noqa: E402
from biped_slip.walking.humanoid import standing_readings  # noqa: E402
from synthetic.sensor_messages import SensorMessages  # noqa: E402

ROBOT = planar_biped("thesis")
SOLES = ("l_sole", "r_sole")
READINGS = SensorReadings(
    stamp_ns=10**9,
    joint_position=np.full(4, 0.1),
    joint_velocity=np.full(4, 0.1),
    orientation_base_in_world=np.array([0.0, 0.0, 0.0, 1.0]),
    angular_velocity_in_base=np.zeros(3),
    specific_force_in_base=np.array([0.0, 0.0, 9.81]),
    position_base_in_odom=np.zeros(3),
    linear_velocity_in_base=np.zeros(3),
    wrench_ground_on_foot_in_sole=np.ones((2, 6)),
)
JOINTS_UNJUDGED = {"effort": "measured efforts are not used"}
TORQUES_UNKNOWN = {"effort": "NaN says that a motor does not say its current"}
IMU_UNJUDGED = {
    "orientation_covariance": "not used, but for the mark that there is no orientation",
    "angular_velocity_covariance": "likewise",
    "linear_acceleration_covariance": "not used",
}
ODOMETRY_UNJUDGED = {"pose.covariance": "not used", "twist.covariance": "not used"}
RAW_UNJUDGED = {
    **IMU_UNJUDGED,
    "orientation": "the filter of the base finds the attitude, and odom may say it",
}
UNSEEN = {"point": "NaN says that a sensor does not see the sole"}
#: What may say anything: the beginning of its path in a message, and why.
UNJUDGED = {
    "planar": {
        "joint_states": JOINTS_UNJUDGED,
        "imu/data": IMU_UNJUDGED,
        "odom": {
            **ODOMETRY_UNJUDGED,
            "pose.pose.orientation": "the IMU says the attitude",
            "twist.twist.angular": "the IMU says the rate",
        },
    },
    "humanoid": {
        "joint_states": TORQUES_UNKNOWN,
        "imu/data": RAW_UNJUDGED,
        "l_foot/imu": RAW_UNJUDGED,
        "r_foot/imu": RAW_UNJUDGED,
        "l_foot/position": UNSEEN,
        "r_foot/position": UNSEEN,
        "odom": ODOMETRY_UNJUDGED,
    },
}
WRONG = {float: (math.nan, math.inf, -1e300), int: (2**31 - 1,), str: ("elsewhere",)}


def leaves(message, path=""):
    """Yield every number and text: its path, and how to set it."""
    if hasattr(message, "get_fields_and_field_types"):
        for name in message.get_fields_and_field_types():
            value = getattr(message, name)
            where = f"{path}.{name}" if path else name
            if isinstance(value, (float, int, str)):
                yield where, value, lambda new, name=name: setattr(message, name, new)
            elif hasattr(value, "get_fields_and_field_types"):
                yield from leaves(value, where)
            else:
                for at, one in enumerate(value):
                    kind = str if isinstance(one, str) else float
                    yield (
                        where,
                        kind(one),
                        lambda new, value=value, at=at: value.__setitem__(at, new),
                    )


class Planar:
    """Inputs, judge and sound messages of the planar biped."""

    judge = judge_of(ROBOT)

    def inputs(self):
        return SensorInputs(ROBOT.joints, SOLES)

    def said(self):
        """Messages of one sound reading, new ones; an effort beside each joint, as
        drivers send them."""
        messages = SensorMessages(ROBOT.joints, SOLES, Frames()).fill(READINGS)
        messages["joint_states"].effort = [0.0] * len(ROBOT.joints)
        return messages


class Humanoid(Planar):
    """Those of a humanoid."""

    def __init__(self):
        self._humanoid = load_humanoid("bolt")
        self.judge = judge_of(self._humanoid.robot)

    def inputs(self):
        return HumanoidInputs(self._humanoid.robot.joints, odometry=True)

    def said(self):
        sensors = SerialisedHumanoidSensors(self._humanoid.robot.joints)
        raws = sensors.fill_raw(next(standing_readings(self._humanoid, True)))
        messages = {
            topic: deserialize_message(raw, sensors.kinds[topic])
            for topic, raw in raws.items()
        }
        messages["joint_states"].effort = [0.0] * len(self._humanoid.robot.joints)
        return messages


def refused(robot, messages, topic):
    """Whether anything of the node's entrance refuses a topic's message, after sound
    ones."""
    inputs = robot.inputs()
    for name, message in (*robot.said().items(), *messages.items()):
        try:
            inputs.topics[name].open(serialize_message(message))
        except UnusableSample:
            return True
        inputs.topics[name].keep()
    if inputs.topics[topic].problem is not None:
        return True
    return not isinstance(robot.judge.judge(inputs.readings(READINGS.stamp_ns)), Judged)


@pytest.mark.parametrize("kind", [Planar, Humanoid])
def test_every_field_of_every_sensor_message_is_judged_or_listed_with_the_reason(kind):
    robot = kind()
    for topic in robot.inputs().topics:
        passed = set()
        count = len(list(leaves(robot.said()[topic])))
        assert not refused(robot, robot.said(), topic), "a sound message passes"
        for number in range(count):
            path, value, _ = list(leaves(robot.said()[topic]))[number]
            for wrong in WRONG[type(value)]:
                messages = robot.said()
                place = list(leaves(messages[topic]))[number][2]
                try:
                    place(wrong)
                    messages[topic] = deserialize_message(
                        serialize_message(messages[topic]), type(messages[topic])
                    )
                except (AssertionError, ValueError, OverflowError):
                    continue  # no message can say that
                if not refused(robot, messages, topic):
                    passed.add(path)
        # a time: the set of inputs compares it with the others' and the clock
        passed.discard("header.stamp.sec")
        listed = UNJUDGED[kind.__name__.lower()].get(topic, {})
        assert {
            path for path in passed if not path.startswith(tuple(listed))
        } == set(), topic
        for one in listed:  # nothing is listed that is judged
            assert any(path.startswith(one) for path in passed), (topic, one)


@pytest.mark.parametrize(
    ("topic", "field"), [("imu/data", "header"), ("odom", "header"), ("odom", "child")]
)
def test_the_frame_of_a_topic_is_that_of_its_first_message_until_all_is_forgotten(
    topic, field
):
    inputs, message = Planar().inputs().topics[topic], Planar().said()[topic]

    def problem_in(frame):
        if field == "child":
            message.child_frame_id = frame
        else:
            message.header.frame_id = frame
        inputs.open(serialize_message(message))
        inputs.keep()
        return inputs.problem

    assert problem_in("pelvis") is None
    assert problem_in("torso").name == "wrong frame"
    assert "'torso', but must be 'pelvis'" in problem_in("torso").detail
    assert problem_in("pelvis") is None
    inputs.forget()
    assert problem_in("torso") is None
    assert problem_in("pelvis").name == "wrong frame"


def test_every_quantity_of_an_estimate_is_judged():
    assert set(ESTIMATE) == set(FrictionEstimate._fields)
    for at, name in enumerate(ESTIMATE_NAMES):
        topic = FrictionInput("friction")
        values = [float(one) for one in NO_ESTIMATE]
        values[at] = -1e300
        topic.open(
            serialize_message(
                NamedScalars("l_sole", ESTIMATE_NAMES).fill(10**9, np.array(values))
            )
        )
        topic.keep()
        assert topic.problem is not None, name
        assert topic.estimate == NO_ESTIMATE


#: What a governor may hear, by topic: the beginning of a path, and why.
GOVERNOR_UNJUDGED = {
    "wrench": {
        "wrench.torque": "not used",
        "header.stamp.sec": "a time: compared with the others' and the arrival",
    },
    "friction": {
        "velocity": "not used",
        "effort": "not used",
        "header.stamp.sec": "likewise",
        "name": "a quantity that is not named is unknown",
        "position": "some may be unknown or infinite; each quantity's range has its "
        "own test",
    },
    "command": {
        "header": "commands count by their arrival, and their frame is sent on",
        **dict.fromkeys(
            ("twist.linear.z", "twist.angular.x", "twist.angular.y"),
            "not walked, not sent",
        ),
    },
}


class Box:
    """Subscription that holds what it is given."""

    def __init__(self, message):
        self._held = [message]

    def take(self):
        held = self._held
        self._held = []
        return held


@pytest.mark.parametrize("topic", list(GOVERNOR_UNJUDGED))
def test_every_field_that_a_governor_hears_is_judged_or_listed_with_the_reason(
    ros, topic
):
    node, passed = activated(FrictionGovernorNode, body_weight=300.0), set()
    now, node.clock = 10.0, lambda: now
    node.present = lambda: ClockRange(now_ns=round(1e9 * now), tolerance=0.5)
    node.begin()

    def sound(stamp):
        wrench = WrenchStamped()
        wrench.header.frame_id = "l_sole"
        wrench.wrench.force.z = 150.0
        friction = NamedScalars("l_sole", ESTIMATE_NAMES).fill(
            0, np.array([float(one) for one in NO_ESTIMATE])
        )
        friction.velocity = friction.effort = [0.0] * len(friction.name)
        command = TwistStamped()
        command.twist.linear.x = 0.3
        messages = {"wrench": wrench, "friction": friction, "command": command}
        for message in messages.values():
            set_time(message.header.stamp, stamp)
        return messages

    def refused(number, wrong):
        """Whether the governor refuses a message of which one field is wrong, after a
        sound one; the field's path."""
        nonlocal now
        for source in (*node._wrenches, *node._friction, node._commands):
            source.forget()
        for which in (None, number):
            now += 1.0
            messages = sound(round(1e9 * now))
            if which is not None:
                path, value, place = list(leaves(messages[topic]))[which]
                if wrong not in WRONG[type(value)]:
                    return path, True
                try:
                    place(wrong)
                    serialize_message(messages[topic])
                except (AssertionError, ValueError, OverflowError):
                    return path, True  # no message can say that
            node.skipped.clear()
            for source, name in (
                (node._wrenches[0], "wrench"),
                (node._friction[0], "friction"),
                (node._commands, "command"),
            ):
                source._box = Box(messages[name])
            node.work(node.clock())
            found = bool(node.skipped) or node._answer.reason is Reason.NO_NUMBER
            assert which is not None or not found, "a sound message passes"
        return path, found

    for number in range(len(list(leaves(sound(0)[topic])))):
        for wrong in {one for each in WRONG.values() for one in each}:
            path, found = refused(number, wrong)
            if not found:
                passed.add(path)
    listed = GOVERNOR_UNJUDGED[topic]
    assert {path for path in passed if not path.startswith(tuple(listed))} == set()
    assert all(any(path.startswith(one) for path in passed) for one in listed)
    node.end()

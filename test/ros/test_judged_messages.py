# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Every number and text of every message that a controller or governor hears is judged, or listed with its reason."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402

from biped_slip.estimation.health import judge_of  # noqa: E402
from biped_slip.estimation.judge import ESTIMATE, Judged  # noqa: E402
from biped_slip.estimation.readings import SensorReadings  # noqa: E402
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate  # noqa: E402
from biped_slip.robots.planar_biped import planar_biped  # noqa: E402
from biped_slip.ros.messages import (  # noqa: E402
    ESTIMATE_NAMES,
    Frames,
    FrictionInput,
    NamedScalars,
    UnusableSample,
)
from biped_slip.ros.sensor_inputs import SensorInputs  # noqa: E402
from studies.typed_messages import SensorMessages  # noqa: E402

ROBOT, SOLES = planar_biped("thesis"), ("l_sole", "r_sole")
READINGS = SensorReadings(
    10**9, np.full(4, 0.1), np.full(4, 0.1), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(3), np.array([0.0, 0.0, 9.81]),
    np.zeros(3), np.zeros(3), np.ones((2, 6)),
)  # fmt: skip
#: What may say anything: the beginning of its path in a message, and why.
UNJUDGED = {
    "header.stamp.sec": "a time: the set of inputs compares it with the others' and the clock",
    "joint_states.header.frame_id": "joints have no frame",
    "joint_states.effort": "measured efforts are not used",
    "imu/data.header.frame_id": "every robot calls its IMU's link as it likes, and the model says how it is mounted",
    "imu/data.orientation_covariance": "not used, but for the mark that there is no orientation",
    "imu/data.angular_velocity_covariance": "likewise",
    "imu/data.linear_acceleration_covariance": "not used",
    "odom.header.frame_id": "every robot calls its frame of odometry as it likes",
    "odom.child_frame_id": "likewise its base",
    "odom.pose.covariance": "not used",
    "odom.twist.covariance": "not used",
    "odom.pose.pose.orientation": "the IMU says the attitude",
    "odom.twist.twist.angular": "the IMU says the rate",
}
WRONG = {float: (math.nan, math.inf, -1e300), int: (2**31 - 1,), str: ("elsewhere",)}


def leaves(message, path=""):
    """Yield every number and text: its path, and how to set it."""
    if hasattr(message, "get_fields_and_field_types"):
        for name in message.get_fields_and_field_types():
            value, where = getattr(message, name), f"{path}.{name}" if path else name
            if isinstance(value, (float, int, str)):
                yield where, value, lambda new, name=name: setattr(message, name, new)
            elif hasattr(value, "get_fields_and_field_types"):
                yield from leaves(value, where)
            else:
                for at, one in enumerate(value):
                    kind = str if isinstance(one, str) else float
                    yield where, kind(one), lambda new, value=value, at=at: value.__setitem__(at, new)


def said():
    """Messages of one sound reading, new ones; an effort beside each joint, as drivers send them."""
    messages = SensorMessages(ROBOT.joints, SOLES, Frames()).fill(READINGS)
    messages["joint_states"].effort = [0.0] * len(ROBOT.joints)
    return messages


def refused(inputs, judge, messages, topic):
    """Whether anything of the node's entrance refuses a topic's message."""
    for name, message in messages.items():
        try:
            inputs.topics[name].open(serialize_message(message))
        except UnusableSample:
            return True
        inputs.topics[name].keep()
    if inputs.topics[topic].problem is not None:
        return True
    return not isinstance(judge.judge(inputs.readings(READINGS.stamp_ns)), Judged)


@pytest.mark.parametrize("topic", list(SensorInputs(ROBOT.joints, SOLES).topics))
def test_every_field_of_every_sensor_message_is_judged_or_listed_with_the_reason(topic):
    judge, passed, count = judge_of(ROBOT), set(), len(list(leaves(said()[topic])))
    assert not refused(SensorInputs(ROBOT.joints, SOLES), judge, said(), topic), "a sound message passes"
    for number in range(count):
        path, value, _ = list(leaves(said()[topic]))[number]
        for wrong in WRONG[type(value)]:
            messages = said()
            place = list(leaves(messages[topic]))[number][2]
            try:
                place(wrong)
                messages[topic] = deserialize_message(serialize_message(messages[topic]), type(messages[topic]))
            except (AssertionError, ValueError, OverflowError):
                continue  # no message can say that
            if not refused(SensorInputs(ROBOT.joints, SOLES), judge, messages, topic):
                passed.add(path)
    listed = {path for path in passed if path in UNJUDGED or f"{topic}.{path}" in UNJUDGED}
    beginnings = tuple(one.removeprefix(f"{topic}.") for one in UNJUDGED)
    assert {path for path in passed - listed if not path.startswith(beginnings)} == set()
    for one in UNJUDGED:  # nothing is listed that is judged
        if one.startswith(f"{topic}."):
            assert any(path.startswith(one.removeprefix(f"{topic}.")) for path in passed), one


def test_every_quantity_of_an_estimate_is_judged():
    assert set(ESTIMATE) == set(FrictionEstimate._fields)
    for at, name in enumerate(ESTIMATE_NAMES):
        topic, values = FrictionInput("friction"), [float(one) for one in NO_ESTIMATE]
        values[at] = -1e300
        topic.open(serialize_message(NamedScalars("l_sole", ESTIMATE_NAMES).fill(10**9, np.array(values))))
        topic.keep()
        assert topic.problem is not None, name
        assert topic.estimate == NO_ESTIMATE

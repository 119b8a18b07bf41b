# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques that the motors say travel as efforts of joint_states, where there are any."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.ros.humanoid_robot import (  # noqa: E402
    HumanoidInputs,
    SerialisedHumanoidSensors,
)
from biped_slip.walking.humanoid import standing_readings  # noqa: E402

BOLT = load_humanoid("bolt")
JOINTS = BOLT.robot.joints
STANDING = next(standing_readings(BOLT, external_base=False))
TORQUES = np.random.default_rng(0).normal(size=len(JOINTS))


def reading(torques, stamp_ns=1_000_000):
    raw = STANDING.raw._replace(joint_torque=torques, stamp_ns=stamp_ns)
    return STANDING._replace(raw=raw)


def heard(inputs, messages, stamp_ns):
    for name, topic in inputs.topics.items():
        topic.open(messages[name])
        topic.keep()
        assert topic.problem is None
    return inputs.readings(stamp_ns).raw


@pytest.mark.parametrize("raw", [True, False])
def test_torques_come_back_bit_for_bit_from_the_first_message_on(raw):
    sensors = SerialisedHumanoidSensors(JOINTS)
    inputs = HumanoidInputs(JOINTS, odometry=False, raw=raw)
    for k in range(1, 4):
        sent = reading(k * TORQUES, k * 1_000_000)
        came = heard(inputs, sensors.fill_raw(sent), k * 1_000_000)
        np.testing.assert_array_equal(came.joint_torque, k * TORQUES)
        np.testing.assert_array_equal(came.joint_position, sent.raw.joint_position)


def test_torques_are_found_by_the_names_of_their_joints():
    message = JointState(name=list(reversed(JOINTS)))
    message.position = message.velocity = [0.0] * len(JOINTS)
    message.effort = TORQUES[::-1].tolist()
    topic = HumanoidInputs(JOINTS, odometry=False).joint_states
    topic.open(serialize_message(message))
    topic.keep()
    np.testing.assert_array_equal(topic.effort, TORQUES)


@pytest.mark.parametrize("torques", [np.empty(0), np.full(len(JOINTS), np.nan)])
def test_a_robot_without_them_sends_no_efforts_and_none_are_heard(torques):
    sensors = SerialisedHumanoidSensors(JOINTS)
    inputs = HumanoidInputs(JOINTS, odometry=False)
    assert np.isnan(inputs.joint_states.effort).all()  # nothing has come
    spoken = sensors.fill_raw(reading(TORQUES))
    silent = sensors.fill_raw(reading(torques, 2_000_000))
    message = deserialize_message(silent["joint_states"], JointState)
    assert len(message.effort) == 0
    assert len(message.position) == len(JOINTS)
    np.testing.assert_array_equal(
        heard(inputs, spoken, 1_000_000).joint_torque, TORQUES
    )
    came = heard(inputs, silent, 2_000_000).joint_torque
    assert came.shape == (len(JOINTS),)
    assert np.isnan(came).all()


@pytest.mark.parametrize("count", [len(JOINTS) - 1, 1000])
def test_efforts_that_belong_to_no_joints_are_as_good_as_none(count):
    message = JointState(name=list(JOINTS), position=[0.0] * len(JOINTS))
    message.velocity = message.position
    message.effort = [0.5] * count
    topic = HumanoidInputs(JOINTS, odometry=False).joint_states
    topic.open(serialize_message(message))
    topic.keep()
    assert topic.problem is None
    assert np.isnan(topic.effort).all()

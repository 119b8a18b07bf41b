# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robots of the loop's stopwatch walk on without an end."""

import numpy as np
import pytest

pytest.importorskip("rclpy")
pytest.importorskip("pinocchio")

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from studies.loop import robots
from studies.loop.robots import ProbedBiped, ProbedHumanoid


def joints(robot, stamp):
    return deserialize_message(bytes(robot.sample(stamp)["joint_states"]), JointState)


@pytest.fixture
def humanoid(monkeypatch):
    monkeypatch.setattr(robots, "LOGGED", 0.01)
    return ProbedHumanoid("talos")


def test_a_humanoid_outlasts_its_log_under_the_stamps_that_it_is_told(humanoid):
    for tick in range(25):
        assert (
            joints(humanoid, 7_000_000 * tick).header.stamp.nanosec == 7_000_000 * tick
        )
        humanoid.advance(np.zeros(humanoid.joints))
    assert humanoid.falls == 0


def test_who_has_fallen_says_so(humanoid):
    for _ in range(3000):
        humanoid.sample(0)
        humanoid.advance(np.zeros(humanoid.joints))
        if humanoid.over:
            break
    assert humanoid.falls == 1


@pytest.mark.parametrize("still", [True, False])
def test_a_still_biped_never_moves(still):
    robot = ProbedBiped(still)
    before = joints(robot, 0).position
    for _ in range(50):
        robot.advance(np.full(robot.joints, 5.0))
    assert (joints(robot, 0).position == before) == still

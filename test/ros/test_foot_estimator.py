# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot's wrench in a frame of the world, in two frames by turns, or of no number is
named and not estimated from."""

import math

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import WrenchStamped  # noqa: E402
from ros.partner import activated, until  # noqa: E402

from biped_slip.ros.dds import OUTPUTS  # noqa: E402
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode  # noqa: E402


@pytest.fixture
def send(partner):
    """Publish one wrench of the left foot, and let the node answer it."""
    node = activated(FootEstimatorNode, estimator="slip")
    topic = partner.node.create_publisher(WrenchStamped, "l_foot/wrench", OUTPUTS)
    until(lambda: topic.get_subscription_count())
    count = 0

    def one(frame="l_sole", normal=100.0, moment=0.0):
        nonlocal count
        count += 1
        message = WrenchStamped()
        message.header.frame_id = frame
        message.header.stamp.nanosec = 1_000_000 * count
        message.wrench.force.x = 10.0
        message.wrench.force.z = normal
        message.wrench.torque.z = moment
        topic.publish(message)
        before = sum(node.skipped.values()), node.status
        until(
            lambda: (
                node.step()
                or (sum(node.skipped.values()), node.status) != before
                or count > 1
            )
        )
        for _ in range(3):
            node.step(0.01)
        return node

    yield one
    node.end()


@pytest.mark.parametrize("frame", ["world", "", "map", "/odom"])
def test_a_wrench_in_a_frame_that_moves_with_no_foot_is_named(send, frame):
    node = send(frame)
    assert node.status.problem == "wrong frame"
    assert not node.status.healthy


def test_a_wrench_in_another_frame_than_before_is_named(send):
    assert send().status.healthy
    assert send("r_sole").status.problem == "wrong frame"


@pytest.mark.parametrize("normal", [math.nan, math.inf, 1e300])
def test_a_load_that_is_none_is_named(send, normal):
    assert send().status.healthy
    node = send(normal=normal)
    assert node.status.problem == (
        "input not finite" if not math.isfinite(normal) else "implausible input"
    )


def test_moments_that_are_not_known_are_no_problem(send):
    assert send(moment=math.nan).status.healthy

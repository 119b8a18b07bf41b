# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot without odometry gets one, and the transform of its base."""

import math

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import PERIOD, activated, make, standing, until  # noqa: E402

from biped_slip.ros.dds import (  # noqa: E402
    OUTPUTS,
    RECORDS,
    PolledSubscription,
    message_class,
)
from biped_slip.ros.messages import stamp_ns  # noqa: E402
from biped_slip.ros.nodes.base_estimator import BaseEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.odom_transform import (  # noqa: E402
    TRANSFORMS,
    OdomTransformNode,
    pose_judge,
    transform_problem,
)


@pytest.fixture
def estimator(ros, partner):
    node = activated(BaseEstimatorNode)
    node.heard = PolledSubscription(partner.node, Odometry, "odom", RECORDS)
    until(
        lambda: (
            node.heard.senders() > 1
            and partner.outputs["joint_states"].get_subscription_count()
        )
    )
    yield node
    node.heard.close()
    node.end()


def answers(partner, node, stamps, **changes):
    got = []
    for stamp in stamps:
        partner.send(standing()._replace(stamp_ns=stamp), without=("odom",), **changes)
        for _ in range(20):
            node.step()
            if new := list(node.heard.take()):
                got += new
                break
    return got


def test_every_joint_states_is_answered_by_one_odometry_with_its_stamp(
    partner, estimator
):
    got = answers(partner, estimator, [PERIOD, 2 * PERIOD])
    assert [stamp_ns(one.header) for one in got] == [PERIOD, 2 * PERIOD]
    assert {(one.header.frame_id, one.child_frame_id) for one in got} == {
        ("odom", "base_link")
    }
    # over the lower sole
    assert got[0].pose.pose.position.z == pytest.approx(0.7, abs=2e-3)
    assert got[0].pose.pose.orientation.w == pytest.approx(1.0)
    assert estimator.status.word == "estimating"


def test_what_is_not_finite_is_skipped_and_moves_nothing(partner, estimator):
    def inject(messages):
        messages["imu/data"].linear_acceleration.x = math.nan

    (before,) = answers(partner, estimator, [PERIOD])
    assert not answers(partner, estimator, [2 * PERIOD], inject=inject)
    assert (
        estimator.skipped["input not finite: a number of specific force in base"] == 1
    )
    (after,) = answers(partner, estimator, [3 * PERIOD])
    place = [
        np.array([one.pose.pose.position.x, one.pose.pose.position.z])
        for one in (before, after)
    ]
    assert np.abs(place[1] - place[0]).max() < 5e-3


def test_the_transform_of_the_base_is_that_of_the_newest_odometry(partner):
    kind = message_class(TRANSFORMS)
    if kind is None:
        pytest.skip(
            f"{TRANSFORMS} is not installed: it comes with ROS 2, not from the "
            "package index"
        )
    node, heard = (
        activated(OdomTransformNode, rate=200.0),
        PolledSubscription(partner.node, kind, "/tf", OUTPUTS),
    )
    until(lambda: heard.senders() and partner.outputs["odom"].get_subscription_count())
    for tick in (1, 2, 3):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
    until(lambda: node._box.handle is not None)

    def arrived():
        node.step()
        return [one for message in heard.take() for one in message.transforms]

    sent = until(arrived)
    assert [(one.header.frame_id, one.child_frame_id) for one in sent] == [
        ("odom", "base_link")
    ]
    assert sent[0].transform.translation.z == pytest.approx(0.7)
    heard.close()
    node.end()


def test_without_its_message_type_the_transform_is_refused_in_one_sentence(
    ros, monkeypatch
):
    monkeypatch.setattr(
        "biped_slip.ros.nodes.odom_transform.message_class", lambda kind: None
    )
    node = make(OdomTransformNode)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert (
        node.status.sentence
        == f"message type {TRANSFORMS} is not installed; without it there is no TF of "
        "the base"
    )
    node.end()


def odometry(**changes):
    """Sound odometry of a base, but for some fields."""
    message = Odometry(child_frame_id="base_link")
    message.header.frame_id = "odom"
    message.pose.pose.orientation.w = 1.0
    for place, value in changes.items():
        *owners, name = place.split("__")
        owner = message
        for one in owners:
            owner = getattr(owner, one)
        setattr(owner, name, value)
    return message


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"pose__pose__position__x": math.nan}, "input not finite"),
        ({"pose__pose__position__z": 1e300}, "implausible input"),
        ({"pose__pose__orientation__w": 0.0}, "implausible input"),
        ({"pose__pose__orientation__y": -math.inf}, "input not finite"),
        ({"child_frame_id": "odom"}, "wrong frame"),
        ({"child_frame_id": "/odom"}, "wrong frame"),
        ({"header__frame_id": ""}, "wrong frame"),
    ],
)
def test_odometry_that_is_no_transform_is_named_and_not_sent_on(changes, named):
    judge = pose_judge()
    assert transform_problem(judge, odometry()) is None
    assert transform_problem(judge, odometry(**changes)).name == named

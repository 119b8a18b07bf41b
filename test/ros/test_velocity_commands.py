# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's node obeys cmd_vel, of either type, and says what it leaves out."""

import math

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

import rclpy  # noqa: E402
from geometry_msgs.msg import Twist, TwistStamped  # noqa: E402
from ros.partner import COMMAND, PERIOD, activated, standing, until  # noqa: E402

from biped_slip.ros.dds import COMMAND_QOS  # noqa: E402
from biped_slip.ros.messages import set_time  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.ros.stamps import SECOND  # noqa: E402

LATER = 5_000 * PERIOD  # when the scenario walks by itself [ns]


def elsewhere(name):
    """Make a node of another process, as far as types of topics are concerned."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


@pytest.fixture
def pilot():
    yield from elsewhere("pilot")


@pytest.fixture
def planner():
    yield from elsewhere("planner")


def controller(partner, **parameters):
    node = activated(
        WalkingControllerNode,
        mode="real-time",
        embedded_estimator=True,
        age_limit=0.5,
        scenario="traction",
        **{"supervisor.ridden_stall": 10.0, "supervisor.longest_stall": 10.0},
        **{"health.disagreement": 1.0, "health.unanswered": 100.0},
        **{"supervisor.clock_rate": 100.0},
        **parameters,
    )
    partner.connect(node, COMMAND)
    partner.received(node, 0.1)
    return node


def answer(partner, node, stamp):
    partner.send(standing()._replace(stamp_ns=stamp))
    partner.received(node, 5.0, enough=(COMMAND, 1))


def command(kind, forward=0.0, left=0.0, turn=0.0):
    message = kind()
    inner = message.twist if kind is TwistStamped else message
    inner.linear.x = forward
    inner.linear.y = left
    inner.angular.z = turn
    return message


def heard(node, output, message):
    """Publish until the node has taken a command."""
    before = (
        node._steering.twist(0),
        node._steering._came_ns,
        sum(node.skipped.values()),
    )

    def taken():
        output.publish(message)
        node._velocities.look()
        node._hear_commands()
        now = node._steering.twist(0), node._steering._came_ns
        return (*now, sum(node.skipped.values())) != before

    until(taken, 20.0)


@pytest.mark.parametrize("kind", [TwistStamped, Twist])
def test_a_walk_goes_by_itself_until_it_is_steered_and_stands_when_that_falls_silent(
    partner, pilot, kind
):
    node = controller(partner)
    walker = node.guarded.controller
    answer(partner, node, LATER)
    assert walker.twist is None
    assert walker.moving
    output = pilot.create_publisher(kind, "cmd_vel", COMMAND_QOS)
    heard(node, output, command(kind))
    answer(partner, node, LATER + PERIOD)
    assert not walker.moving
    heard(node, output, command(kind, forward=0.3))
    answer(partner, node, LATER + 2 * PERIOD)
    assert walker.twist == (0.3, 0.0, 0.0)
    assert walker.moving
    answer(partner, node, LATER + 502 * PERIOD)
    assert walker.twist == (0.0, 0.0, 0.0)
    heard(node, output, command(kind, forward=0.3))
    answer(partner, node, LATER + 503 * PERIOD)
    assert walker.twist == (0.3, 0.0, 0.0)
    assert any(one.startswith("commands too seldom") for one in node.skipped)
    node.end()


def test_a_node_that_is_to_be_steered_stands_until_the_first_command(partner):
    node = controller(partner, steered=True)
    answer(partner, node, LATER)
    assert node.guarded.controller.twist == (0.0, 0.0, 0.0)
    assert not node.guarded.controller.moving
    node.end()


def test_what_the_planar_biped_does_not_walk_is_left_out_and_said_once(partner, pilot):
    node = controller(partner)
    answer(partner, node, LATER)
    output = pilot.create_publisher(TwistStamped, "cmd_vel", COMMAND_QOS)
    for turn in (0.1, 0.2):
        heard(node, output, command(TwistStamped, 0.3, 0.2, turn))
    answer(partner, node, LATER + PERIOD)
    assert node.guarded.controller.twist == (0.3, 0.0, 0.0)
    (sentence,) = (one for one in node.skipped if "command" in one)
    assert "forward alone" in sentence
    heard(node, output, command(TwistStamped, math.nan))
    answer(partner, node, LATER + 2 * PERIOD)
    assert node.guarded.controller.twist == (0.3, 0.0, 0.0)
    assert any("forward" in one and "finite" in one for one in node.skipped)
    node.end()


@pytest.mark.parametrize("other", [TwistStamped, Twist])
def test_two_nodes_that_steer_one_robot_are_named(partner, pilot, planner, other):
    """The newest command counts: a pilot and a planner made a robot stand, or go and
    stop, without a word. Of two types on one topic one is heard."""
    node = controller(partner)
    pilot.create_publisher(TwistStamped, "cmd_vel", COMMAND_QOS)
    planner.create_publisher(other, "cmd_vel", COMMAND_QOS)
    named = "second publisher: /pilot and /planner publish /cmd_vel: stop all but one"

    def said():
        node._velocities.look()
        return any(one.startswith(named) for one in node.skipped)

    until(said, 20.0)
    node.end()


HOUR = 3600 * SECOND


def dated(node, after=0, frame="base_link", forward=0.3):
    """A command whose stamp is some nanoseconds after the node's clock."""
    message = command(TwistStamped, forward)
    set_time(message.header.stamp, node.get_clock().now().nanoseconds + after)
    message.header.frame_id = frame
    return message


class Box:
    """Subscription to which one message has come."""

    def __init__(self, message):
        self.messages = [message]

    def take(self):
        taken = self.messages
        self.messages = []
        return taken

    def close(self):
        pass


def comes(node, message):
    """Let a node hear one command."""
    node._velocities.close()
    node._velocities._box = Box(message)
    node._hear_commands()


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ({"after": -HOUR}, "stale stamp: cmd_vel: its stamp is 36"),
        ({"after": HOUR}, "stale stamp: cmd_vel: its stamp is 3"),
        ({"frame": "map"}, "wrong frame: cmd_vel: frame 'map'"),
    ],
)
def test_a_command_of_another_hour_or_frame_moves_no_robot_and_is_named(
    partner, header, name
):
    node = controller(partner, steered=True)
    comes(node, dated(node, **header))
    assert node._steering.twist(0) == (0.0, 0.0, 0.0)
    assert any(one.startswith(name) for one in node.skipped)
    comes(node, dated(node))
    assert node._steering.twist(0) == (0.3, 0.0, 0.0)
    node.end()


def test_a_command_that_is_refused_does_not_keep_the_one_before_it_alive(partner):
    node = controller(partner)
    comes(node, dated(node))
    node._input_set.stamps["joint_states"] = 400 * PERIOD
    comes(node, dated(node, after=-HOUR, forward=0.4))
    assert node._steering.twist(400 * PERIOD) == (0.3, 0.0, 0.0)
    assert node._steering.twist(502 * PERIOD) == (0.0, 0.0, 0.0)
    node.end()


def test_with_a_tolerance_of_zero_stamps_of_any_clock_are_taken(partner):
    node = controller(partner, steered=True, clock_tolerance=0.0)
    comes(node, dated(node, after=-HOUR))
    assert node._steering.twist(0) == (0.3, 0.0, 0.0)
    node.end()

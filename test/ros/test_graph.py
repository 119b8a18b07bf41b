# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a look at the graph of nodes and topics finds, and what commands make of it."""

import time

import pytest

rclpy = pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import PointStamped, WrenchStamped  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from ros.left_nodes import none_left  # noqa: E402
from ros.partner import activated  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402

from biped_slip.cli import main  # noqa: E402
from biped_slip.errors import BipedSlipError  # noqa: E402
from biped_slip.ros.dds import COMMAND_QOS, OUTPUTS, SENSOR_INPUTS  # noqa: E402
from biped_slip.ros.graph import topics, unheard, unserved  # noqa: E402
from biped_slip.ros.inquiries import (  # noqa: E402
    converted,
    heard,
    plain,
    settled,
    within,
)
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.processes import free_domain, running_nodes  # noqa: E402

JOINT_STATES = "sensor_msgs/msg/JointState"


@pytest.fixture
def pair(ros):
    """Two nodes: one looks, the other has the topics."""
    made = [rclpy.create_node(name) for name in ("looks", "has")]
    yield made
    for node in made:
        node.destroy_node()


def wait_for(node, name):
    assert within(20.0, lambda: name in {one.name for one in topics(node)})


def test_a_topic_that_nobody_publishes_is_named_with_those_of_its_type(pair):
    node, other = pair
    other.create_publisher(JointState, "robot/joint_states", 1)
    other.create_publisher(JointState, "friction", 1)
    other.create_publisher(Imu, "imu/data", 1)
    for name in ("/robot/joint_states", "/friction", "/imu/data"):
        wait_for(node, name)
    said = unserved(node, "/joint_states", JOINT_STATES)
    assert said == (
        "no node publishes /joint_states; published of its type: "
        "/robot/joint_states, /friction"
    )
    assert "imu" not in said


def test_where_nothing_has_its_type_the_others_are_named(pair):
    node, other = pair
    other.create_publisher(Imu, "imu/data", 1)
    wait_for(node, "/imu/data")
    assert unserved(node, "/joint_states", JOINT_STATES) == (
        "no node publishes /joint_states; nothing of its type "
        f"({JOINT_STATES}) is published, but /imu/data"
    )


def test_where_there_is_nothing_at_all_that_is_said(pair):
    node, _ = pair
    assert unserved(node, "/joint_states").endswith("; nothing else is published")
    assert unheard(node, "/joint_states").endswith("; nothing else is listened to")


def test_the_same_topic_of_another_node_comes_first(pair):
    """As with an estimator inside the controller."""
    node, other = pair
    for name in (
        "friction_estimator/floor/friction_values",
        "walking_controller/l_foot/friction_values",
    ):
        other.create_publisher(JointState, name, 1)
        wait_for(node, f"/{name}")
    said = unserved(node, "/friction_estimator/l_foot/friction_values", JOINT_STATES)
    assert said.index("/walking_controller/l_foot/friction_values") < said.index(
        "/floor/"
    )


def test_what_is_published_is_not_complained_about_and_own_topics_are_no_help(pair):
    node, other = pair
    node.create_publisher(JointState, "own", 1)
    other.create_publisher(JointState, "joint_states", 1)
    wait_for(node, "/joint_states")
    assert unserved(node, "/joint_states") == ""
    assert "/own" not in unserved(node, "/odom")


def test_a_topic_without_listeners_is_named_with_those_that_have_some(pair):
    node, other = pair
    other.create_subscription(WrenchStamped, "left/wrench", print, 1)
    wait_for(node, "/left/wrench")
    kind = "geometry_msgs/msg/WrenchStamped"
    assert unheard(node, "/l_foot/wrench", kind) == (
        "no node listens to /l_foot/wrench; listened to of its type: /left/wrench"
    )
    assert unheard(node, "/left/wrench", kind) == ""


def test_a_publisher_of_another_type_is_named_with_both(pair):
    """It counts as a publisher, and nothing of it is ever heard."""
    node, other = pair
    other.create_publisher(Imu, "joint_states", 1)
    wait_for(node, "/joint_states")
    assert unserved(node, "/joint_states", JOINT_STATES, SENSOR_INPUTS) == (
        "/has publishes /joint_states as sensor_msgs/msg/Imu, but here it is "
        "sensor_msgs/msg/JointState: give one of them another name"
    )


def test_a_listener_of_another_type_is_named_with_both(pair):
    node, other = pair
    other.create_subscription(Imu, "left/wrench", print, 1)
    wait_for(node, "/left/wrench")
    assert unheard(node, "/left/wrench", "geometry_msgs/msg/WrenchStamped") == (
        "/has listens to /left/wrench as sensor_msgs/msg/Imu, but here it is "
        "geometry_msgs/msg/WrenchStamped: give one of them another name"
    )


@pytest.mark.parametrize(
    ("offered", "asked", "named"),
    [
        (SENSOR_INPUTS, OUTPUTS, "best_effort, but reliable is asked for here"),
        (COMMAND_QOS, OUTPUTS, "volatile, but transient_local is asked for here"),
        (OUTPUTS, OUTPUTS, None),
        (OUTPUTS, SENSOR_INPUTS, None),
        (SENSOR_INPUTS, SENSOR_INPUTS, None),
        (COMMAND_QOS, COMMAND_QOS, None),
    ],
)
def test_a_quality_of_service_that_does_not_fit_is_named(pair, offered, asked, named):
    """The middleware is silent: events of quality have no callbacks here."""
    node, other = pair
    other.create_publisher(JointState, "joint_states", offered)
    wait_for(node, "/joint_states")
    said = unserved(node, "/joint_states", JOINT_STATES, asked)
    if named is None:
        assert said == ""
    else:
        assert said == (
            f"/has publishes /joint_states {named}: change its quality of service, or "
            "qos_overrides./joint_states.subscription"
        )


@pytest.mark.parametrize("quality", [OUTPUTS, SENSOR_INPUTS])
def test_messages_come_in_the_quality_of_their_publisher(pair, quality):
    node, other = pair
    publisher = other.create_publisher(PointStamped, "place", quality)
    found = heard(node, "place", 20.0)
    assert within(20.0, publisher.get_subscription_count)
    message = PointStamped()
    message.point.x = 2.0
    publisher.publish(message)
    assert next(found).point.x == 2.0


def test_a_late_listener_gets_the_last_message_where_it_is_kept(pair):
    node, other = pair
    publisher = other.create_publisher(PointStamped, "place", OUTPUTS)
    publisher.publish(PointStamped())
    assert next(heard(node, "place", 20.0)).point.x == 0.0


def test_a_topic_of_nobody_is_refused_after_the_wait(pair):
    with pytest.raises(BipedSlipError, match="no node publishes /place; nothing else"):
        heard(pair[0], "place", 0.2)


def test_looking_ends_when_no_more_is_found(pair):
    node, other = pair
    other.create_publisher(Imu, "imu/data", 1)
    wait_for(node, "/imu/data")
    begin = time.monotonic()
    assert "/imu/data" in {one.name for one in settled(node, 60.0)}
    assert time.monotonic() - begin < 30.0


def test_named_values_and_joints_are_shown_by_name():
    message = JointState(name=["mu", "mu_low"], position=[0.4, 0.3])
    message.header.frame_id = "l_sole"
    shown = plain(message)
    assert shown["mu"] == 0.4
    assert shown["header"]["frame_id"] == "l_sole"
    joints = JointState(name=["knee"], position=[1.0], effort=[5.0])
    assert plain(joints)["knee"] == {"position": 1.0, "effort": 5.0}
    assert plain(Imu())["orientation_covariance"] == [0.0] * 9


KIND = Parameter.Type


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1", KIND.DOUBLE, 1.0),
        ("1.5", KIND.DOUBLE, 1.5),
        ("1", KIND.INTEGER, 1),
        ("true", KIND.BOOL, True),
        ("1 ms", KIND.STRING, "1 ms"),
        ("2", KIND.STRING, "2"),
        ("[1, 2]", KIND.DOUBLE_ARRAY, [1.0, 2.0]),
    ],
)
def test_a_text_becomes_a_value_of_the_parameters_own_type(text, kind, value):
    found = converted("one", text, kind)
    assert list(found) == value if isinstance(value, list) else found == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [("no", KIND.DOUBLE), ("1.5", KIND.INTEGER), ("1", KIND.BOOL), ("", KIND.DOUBLE)],
)
def test_a_text_of_another_type_is_refused_by_name(text, kind):
    with pytest.raises(BipedSlipError, match=r"one is '.*', but must be of type"):
        converted("one", text, kind)


@pytest.mark.slow
def test_commands_list_show_and_set_what_a_running_node_has(monkeypatch, capsys):
    """As on a machine without `ros2`; a refusal is the node's own sentence."""
    domain = free_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    node = "friction_estimator"
    with running_nodes({node: {"autostart": True}}, domain):
        assert main(["echo", "/diagnostics", "--once", "--wait", "60"]) == 0
        assert "name: /friction_estimator" in capsys.readouterr().out
        assert main(["topics"]) == 0
        listed = capsys.readouterr().out
        assert "/joint_states [sensor_msgs/msg/JointState]" in listed
        assert main(["set", node, "diagnostics_period", "2"]) == 0
        assert capsys.readouterr().out == "diagnostics_period = 2.0\n"
        for words, sentence in (
            ((node, "diagnostics_period", "1000"), "refuses diagnostics_period"),
            ((node, "diagnostics_perod", "2"), "did you mean 'diagnostics_period'?"),
            ((node, "age_limit", "1.0"), "refuses age_limit"),
            (("friction_estimater", "age_limit", "1"), "did you mean '/friction_es"),
        ):
            assert main(["set", *words]) == 2
            assert sentence in capsys.readouterr().err
        assert main(["echo", "joint_states", "--wait", "1"]) == 2
        assert "no node publishes /joint_states" in capsys.readouterr().err


def test_nodes_that_a_failed_test_leaves_are_gone_before_the_next(ros):
    """They published its topics beside the tests after it, which failed in turn."""
    node = rclpy.create_node("looks")
    with none_left():
        rclpy.create_node("ended").destroy_node()
        activated(FrictionEstimatorNode).create_publisher(Imu, "left", 1)
        wait_for(node, "/left")
    assert within(20.0, lambda: not node.count_publishers("/left"))

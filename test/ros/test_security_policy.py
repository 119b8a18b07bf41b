# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped SROS 2 policy is what the nodes do, no more and no less; what weakens
safety can't be changed live."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.parameter import Parameter  # noqa: E402
from ros.partner import activated  # noqa: E402

from biped_slip.ros.nodes.base_estimator import BaseEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode  # noqa: E402
from biped_slip.ros.nodes.friction_markers import FrictionMarkersNode  # noqa: E402
from biped_slip.ros.nodes.odom_transform import OdomTransformNode  # noqa: E402
from biped_slip.ros.nodes.recording_player import RecordingPlayerNode  # noqa: E402
from biped_slip.ros.nodes.topic_recorder import TopicRecorderNode  # noqa: E402
from biped_slip.ros.nodes.unitree_bridge import UnitreeBridgeNode  # noqa: E402
from biped_slip.ros.nodes.viewer import ViewerNode  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.shared_files import shared_file  # noqa: E402

POLICY = "config/security/policy.xml"
FREE = {"use_sim_time", "start_type_description_service"}  # of rclpy itself


FREELY = {"diagnostics_period", "speed_scale"}  # live, and no safety depends on them
# live in a simulation: its floor, which no robot has
FLOOR = {"spill", "spill_here.mu", "spill_here.length", "spill_here.width"}
LOWER = {
    "age_limit",
    "silence_limit",
    "estimate_age_limit",
    "supervisor.grace",
    "supervisor.limit_time",
}
LOWER |= {
    f"health.{name}"
    for name in ("stuck_time", "contradiction_time", "unloaded_time", "largest_force")
}
LOWER |= {"health.joint_margin", "health.disagreement", "health.unanswered"}
LOWER |= {
    "supervisor.ridden_stall",
    "supervisor.longest_stall",
    "supervisor.clock_rate",
}
LOWER |= {"health.disagreeing_gain", "health.disagreeing_lag", "health.leg_give"}
LOWER |= {"health.imbalance", "health.turning", "health.sideways", "health.push_time"}
HIGHER = {"health.fall_height"}


def test_every_topic_of_a_humanoid_and_of_every_source_of_motion_is_in_the_policy():
    root = ElementTree.fromstring(shared_file(POLICY).read_text())
    (controller,) = (
        one
        for one in root.iter("enclave")
        if one.get("path") == "/biped_slip/walking_controller"
    )
    heard = {
        topic.text
        for group in controller.iter("topics")
        if group.get("subscribe")
        for topic in group
    }
    assert heard >= {
        "/l_foot/imu",
        "/r_foot/imu",
        "/l_foot/position",
        "/r_foot/position",
        "/odom",
        "/joint_states",
    }


def test_the_recorder_hears_what_any_node_says_and_the_player_plays_a_walks_sensors():
    root = ElementTree.fromstring(shared_file(POLICY).read_text())
    said = set()
    heard = {}
    for enclave in root.iter("enclave"):
        node = enclave.get("path").rpartition("/")[2]
        topics = {
            rule: {
                topic.text.replace("~", f"/{node}")
                for group in enclave.iter("topics")
                if group.get(rule)
                for topic in group
            }
            for rule in ("publish", "subscribe")
        }
        said |= topics["publish"]
        heard[node] = topics["subscribe"]
        if node == "recording_player":
            assert topics["publish"] >= {
                "/joint_states",
                "/imu/data",
                "/l_foot/wrench",
                "/r_ankle/wrench",
                "/odom",
            }
    assert heard["topic_recorder"] >= {
        topic for topic in said if "/rehearsal/" not in topic
    }  # a node's own
    assert heard["recording_player"] >= {"/friction_estimator/l_foot/friction_values"}
    assert "/tf" in said


def test_only_the_bridge_to_a_robot_serves_arming_and_it_says_no_torques():
    """Torques come from the controller to the bridge; the robot's own topics are of
    another DDS domain, which no policy of ROS has."""
    root = ElementTree.fromstring(shared_file(POLICY).read_text())
    serving = {
        enclave.get("path").rpartition("/")[2]
        for enclave in root.iter("enclave")
        for service in enclave.iter("service")
        if service.text in ("~/arm", "~/disarm")
    }
    assert serving == {"unitree_bridge"}
    (bridge,) = (
        one
        for one in root.iter("enclave")
        if one.get("path") == "/biped_slip/unitree_bridge"
    )
    rights = {
        topic.text: set(group.attrib)
        for group in bridge.iter("topics")
        for topic in group
    }
    assert rights["/effort_controller/commands"] == {"subscribe"}
    assert rights["/joint_states"] == rights["/imu/data"] == {"publish"}
    assert not any(topic.startswith("/rt/") for topic in rights)


def test_with_enforcement_asked_for_and_no_keys_a_node_does_not_start(tmp_path):
    """It would rather not talk than talk in the clear."""
    words = [sys.executable, "-m", "biped_slip.ros", "friction_estimator", "--ros-args"]
    words += ["--enclave", "/biped_slip/friction_estimator"]
    asked = {
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_STRATEGY": "Enforce",
        "ROS_SECURITY_KEYSTORE": str(tmp_path),
    }
    ended = subprocess.run(
        words, env={**os.environ, **asked}, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode != 0
    assert "Traceback" not in ended.stderr


#: Without parameters, or not to be activated without a message type, a recording, a
#: file.
OTHERS = (
    FrictionMarkersNode,
    OdomTransformNode,
    RecordingPlayerNode,
    TopicRecorderNode,
)
WITH_PARAMETERS = {
    BaseEstimatorNode: {},
    ContactSimulatorNode: {"publish_clock": True, "period": "auto"},
    FootEstimatorNode: {},
    FrictionEstimatorNode: {},
    FrictionGovernorNode: {"body_weight": 300.0},
    UnitreeBridgeNode: {"interface": "lo", "commands": True},
    ViewerNode: {},
    WalkingControllerNode: {},
}


def tried(kind):
    """A node of a kind, active."""
    if kind is UnitreeBridgeNode:
        pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
    return activated(kind, **WITH_PARAMETERS[kind])


def test_every_node_of_the_policy_is_tried_or_named_among_the_others():
    root = ElementTree.fromstring(shared_file(POLICY).read_text())
    named = {kind.__module__.rpartition(".")[2] for kind in (*WITH_PARAMETERS, *OTHERS)}
    assert {profile.get("node") for profile in root.iter("profile")} == named


@pytest.mark.parametrize("kind", WITH_PARAMETERS)
def test_no_node_has_callbacks_for_events_of_the_quality_of_service(ros, kind):
    """In rclpy's EventsExecutor they can stop a loop of 1 kHz for good (rmw_fastrtps
    #890). What rclpy opens by itself has some; no executor serves our nodes."""
    node = tried(kind)
    try:
        served = {
            each.topic_name
            for each in (*node.publishers, *node.subscriptions)
            if each.event_handlers
        }
        assert served <= {"/parameter_events", "/clock"}
        assert node.executor is None
    finally:
        node.end()


@pytest.mark.parametrize("kind", WITH_PARAMETERS)
def test_no_parameter_of_an_active_node_can_be_changed_to_weaken_its_safety(ros, kind):
    node = tried(kind)
    try:
        names = [
            name
            for name in node._parameters
            if name not in FREE and not name.startswith("qos_overrides.")
        ]
        writable = {
            name for name in names if not node.describe_parameter(name).read_only
        }
        assert writable == {
            WalkingControllerNode: FREELY | LOWER | HIGHER,
            ContactSimulatorNode: FLOOR | {"diagnostics_period"},
        }.get(kind, {"diagnostics_period"})
        for name in writable - FREELY - FLOOR:
            careless = node.get_parameter(name).value * (
                1.01 if name in LOWER else 0.99
            )
            (result,) = node.set_parameters([Parameter(name, value=careless)])
            assert not result.successful, name
    finally:
        node.end()

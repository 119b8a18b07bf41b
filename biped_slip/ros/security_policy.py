# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""SROS 2 policy of the nodes, from the nodes themselves: ``python -m biped_slip.ros.security_policy``."""

from __future__ import annotations

import os
import time
import xml.etree.ElementTree as ElementTree
from typing import Any, Iterable, NamedTuple

import rclpy
from rclpy.parameter import Parameter

from biped_slip.ros.nodes.base_estimator import BaseEstimatorNode
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode
from biped_slip.ros.nodes.friction_markers import FrictionMarkersNode
from biped_slip.ros.nodes.odom_transform import OdomTransformNode
from biped_slip.ros.nodes.recording_player import RecordingPlayerNode
from biped_slip.ros.nodes.topic_recorder import TopicRecorderNode
from biped_slip.ros.nodes.viewer import ViewerNode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.robot_node import RobotNode
from biped_slip.shared_files import shared_folder

Parameters = dict[str, Any]
SOURCES: tuple[Parameters, ...] = ({"motion.source": "foot_imu"}, {"motion.source": "external"})
HUMANOID: Parameters = {"humanoid_walk": "talos"}
#: Nodes, with the configurations that differ in topics.
NODES: tuple[tuple[type[Any], tuple[Parameters, ...]], ...] = (
    (ContactSimulatorNode, ({"publish_clock": True}, *SOURCES, HUMANOID)),
    (FrictionEstimatorNode, ({}, *SOURCES)),
    (FrictionGovernorNode, ({"body_weight": 300.0},)),
    (WalkingControllerNode, ({}, *SOURCES, HUMANOID, {**HUMANOID, "base": "odom"})),
    (FootEstimatorNode, ({},)),
    (FrictionMarkersNode, ({},)),
    (BaseEstimatorNode, ({},)),
    (OdomTransformNode, ({},)),
    (ViewerNode, ({},)),
    (RecordingPlayerNode, ({},)),
    (TopicRecorderNode, ({"output": os.devnull},)),
)
PATIENCE = 10.0  # [s] for a node to be discovered
FILE = "config/security/policy.xml"
_SPACE = "/policy_of_biped_slip"  # nobody else's nodes are in it; the policy is that of nodes without a namespace
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- What the nodes may say and hear in any of their configurations (docs/security.md). Generated from the nodes:
     python -m biped_slip.ros.security_policy -->
"""


class Rules(NamedTuple):
    """What a node may do, by names."""

    published: set[str]
    heard: set[str]
    served: set[str]


def policy() -> str:
    """The policy as text; starts each node once, configured, in the ROS context of this process."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    for name, rules in _of_a_walk(dict(_merged(kind, each) for kind, each in NODES)).items():
        enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/biped_slip/{name}")
        profile = ElementTree.SubElement(ElementTree.SubElement(enclave, "profiles"), "profile", ns="/", node=name)
        _listed(profile, "topics", "topic", {"publish": "ALLOW"}, rules.published, name)
        _listed(profile, "topics", "topic", {"subscribe": "ALLOW"}, rules.heard | {"/clock"}, name)  # use_sim_time
        _listed(profile, "services", "service", {"reply": "ALLOW"}, rules.served, name)
    ElementTree.indent(root)
    return _HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _of_a_walk(rules: dict[str, Rules]) -> dict[str, Rules]:
    """What some nodes have no topics for by themselves.

    Player and recorder do what they are told: here, play a walk's sensors and record all that any node says. Transforms
    are sent only where tf2_msgs is installed.
    """
    transform = rules["odom_transform"]
    rules["odom_transform"] = Rules(transform.published | {"/tf"}, transform.heard | {"/odom"}, transform.served)
    said = {name: _in_full(one.published, name) for name, one in rules.items()}
    everything = set[str]().union(*said.values())
    sensors = {topic for topic in said["contact_simulator"] if not topic.startswith(f"{_SPACE}/contact_simulator/")}
    player, recorder = rules["recording_player"], rules["topic_recorder"]
    answers = {topic for topic in everything if topic.endswith("/friction")}
    return {
        **rules,
        "recording_player": player._replace(published=player.published | sensors, heard=player.heard | answers),
        "topic_recorder": recorder._replace(heard=recorder.heard | everything),
    }


def _in_full(topics: Iterable[str], node: str) -> set[str]:
    return {topic.replace("~", f"{_SPACE}/{node}", 1) for topic in topics}


def _merged(kind: type[Any], configurations: Iterable[Parameters]) -> tuple[str, Rules]:
    """Name of a node, and what it does in any of its configurations."""
    found = [_rules(kind, parameters) for parameters in configurations]
    return found[0][0], Rules(*(set[str]().union(*sets) for sets in zip(*(rules for _, rules in found), strict=True)))


def _rules(kind: type[Any], parameters: Parameters) -> tuple[str, Rules]:
    """Name of a node, what it publishes, hears and serves in a configuration."""
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    node: RobotNode = kind(namespace=_SPACE, parameter_overrides=overrides)
    try:
        node.trigger_configure()
        end = time.monotonic() + PATIENCE
        while not _discovered(node, rules := _of_the_graph(node)) and time.monotonic() < end:
            time.sleep(0.01)
        return node.get_name(), rules
    finally:
        node.end()


def _of_the_graph(node: RobotNode) -> Rules:
    name, space = node.get_name(), node.get_namespace()
    published = {topic for topic, _ in node.get_publisher_names_and_types_by_node(name, space)}
    heard = {topic for topic, _ in node.get_subscriber_names_and_types_by_node(name, space)}
    return Rules(published, heard, {service for service, _ in node.get_service_names_and_types_by_node(name, space)})


def _discovered(node: RobotNode, rules: Rules) -> bool:
    """Whether the graph, which comes to know of a node bit by bit, has all that this one has made."""
    return (
        rules.published >= {one.topic_name for one in node.publishers}
        and rules.heard >= {one.topic_name for one in node.subscriptions}
        and rules.served >= {one.service_name for one in node.services}
    )


def _listed(
    profile: ElementTree.Element, group: str, item: str, rule: dict[str, str], names: Iterable[str], node: str
) -> None:
    parent = ElementTree.SubElement(profile, group, rule)
    own = f"/{node}/"
    for name in sorted(name.removeprefix(_SPACE) for name in names):
        ElementTree.SubElement(parent, item).text = f"~/{name.removeprefix(own)}" if name.startswith(own) else name


if __name__ == "__main__":
    rclpy.init()
    path = shared_folder() / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_text(policy(), encoding="utf-8")
    rclpy.shutdown()

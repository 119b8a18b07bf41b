# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""SROS 2 policy of the nodes, from the nodes themselves: ``python -m biped_slip.ros.parameters.security_policy``."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any, Iterable

import rclpy
from rclpy.parameter import Parameter

from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode
from biped_slip.ros.nodes.friction_markers import FrictionMarkersNode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.runtime.robot_node import RobotNode
from biped_slip.shared_files import shared_folder

Parameters = dict[str, Any]
SOURCES: tuple[Parameters, ...] = ({"motion.source": "foot_imu"}, {"motion.source": "external"})
HUMANOID: Parameters = {"humanoid_walk": "talos"}
#: Nodes of a walk, with the configurations that differ in topics. Player and recorder take and give what they are told.
NODES: tuple[tuple[type[Any], tuple[Parameters, ...]], ...] = (
    (ContactSimulatorNode, ({"publish_clock": True}, *SOURCES, HUMANOID)),
    (FrictionEstimatorNode, ({}, *SOURCES)),
    (FrictionGovernorNode, ({"body_weight": 300.0},)),
    (WalkingControllerNode, ({}, *SOURCES, HUMANOID, {**HUMANOID, "base": "odom"})),
    (FootEstimatorNode, ({},)),
    (FrictionMarkersNode, ({},)),
)
FILE = "config/security/policy.xml"
_SPACE = "/policy_of_biped_slip"  # nobody else's nodes are in it; the policy is that of nodes without a namespace
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- What the nodes may say and hear in any of their configurations (docs/security.md). Generated from the nodes:
     python -m biped_slip.ros.parameters.security_policy -->
"""


def policy() -> str:
    """The policy as text; starts each node once, configured, in the ROS context of this process."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    for kind, configurations in NODES:
        rules = [_rules(kind, parameters) for parameters in configurations]
        name, _ = rules[0]
        enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/biped_slip/{name}")
        profile = ElementTree.SubElement(ElementTree.SubElement(enclave, "profiles"), "profile", ns="/", node=name)
        published, heard, served = (set[str]().union(*(one[i] for _, one in rules)) for i in range(3))
        _listed(profile, "topics", "topic", {"publish": "ALLOW"}, published, name)
        _listed(profile, "topics", "topic", {"subscribe": "ALLOW"}, heard | {"/clock"}, name)  # use_sim_time
        _listed(profile, "services", "service", {"reply": "ALLOW"}, served, name)
    ElementTree.indent(root)
    return _HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _rules(kind: type[Any], parameters: Parameters) -> tuple[str, tuple[set[str], set[str], set[str]]]:
    """Name of a node, what it publishes, hears and serves in a configuration."""
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    node: RobotNode = kind(namespace=_SPACE, parameter_overrides=overrides)
    try:
        node.trigger_configure()
        name, space = node.get_name(), node.get_namespace()
        published = {topic for topic, _ in node.get_publisher_names_and_types_by_node(name, space)}
        heard = {topic for topic, _ in node.get_subscriber_names_and_types_by_node(name, space)}
        served = {service for service, _ in node.get_service_names_and_types_by_node(name, space)}
        return name, (published, heard, served)
    finally:
        node.end()


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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""SROS 2 policy of the nodes, from the nodes themselves: ``python -m biped_slip.ros.parameters.security_policy``."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any, Iterable

import rclpy
from rclpy.parameter import Parameter

from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.runtime.robot_node import RobotNode
from biped_slip.shared_files import shared_folder

NODES: tuple[tuple[type[Any], dict[str, Any]], ...] = (
    (ContactSimulatorNode, {"publish_clock": True}),
    (FrictionEstimatorNode, {}),
    (FrictionGovernorNode, {"body_weight": 300.0}),
    (WalkingControllerNode, {}),
)
FILE = "config/security/policy.xml"
_SPACE = "/policy_of_biped_slip"  # nobody else's nodes are in it; the policy is that of nodes without a namespace
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- What the four nodes may say and hear (docs/security.md). Generated from the nodes:
     python -m biped_slip.ros.parameters.security_policy -->
"""


def policy() -> str:
    """The policy as text; starts each node once, configured, in the ROS context of this process."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    for kind, parameters in NODES:
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        node = kind(namespace=_SPACE, parameter_overrides=overrides)
        try:
            node.trigger_configure()
            _enclave(enclaves, node)
        finally:
            node.end()
    ElementTree.indent(root)
    return _HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _enclave(enclaves: ElementTree.Element, node: RobotNode) -> None:
    name, space = node.get_name(), node.get_namespace()
    enclave = ElementTree.SubElement(enclaves, "enclave", path=f"/biped_slip/{name}")
    profile = ElementTree.SubElement(ElementTree.SubElement(enclave, "profiles"), "profile", ns="/", node=name)
    published = {topic for topic, _ in node.get_publisher_names_and_types_by_node(name, space)}
    heard = {topic for topic, _ in node.get_subscriber_names_and_types_by_node(name, space)}
    served = {service for service, _ in node.get_service_names_and_types_by_node(name, space)}
    _listed(profile, "topics", "topic", {"publish": "ALLOW"}, published, name)
    _listed(profile, "topics", "topic", {"subscribe": "ALLOW"}, heard | {"/clock"}, name)  # use_sim_time
    _listed(profile, "services", "service", {"reply": "ALLOW"}, served, name)


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

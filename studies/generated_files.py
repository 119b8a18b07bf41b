# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Shipped files that the nodes describe.

``python -m studies.generated_files`` writes them below config/.

Parameter files come from the configurations, the SROS 2 policy (docs/security.md) from
the nodes themselves: each is started once, configured, in the ROS context of this
process.
"""

from __future__ import annotations

import itertools
import os
import time
import xml.etree.ElementTree as ElementTree
from typing import Any, Iterable, Mapping, NamedTuple

import rclpy
import yaml
from rclpy.parameter import Parameter

from biped_slip.config import Configuration, Limits
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.ros.controlled_robot import ControllerNodeConfig
from biped_slip.ros.nodes.base_estimator import BaseEstimatorConfig, BaseEstimatorNode
from biped_slip.ros.nodes.contact_simulator import (
    ContactSimulatorNode,
    ScenarioChoice,
    SimulatorNodeConfig,
)
from biped_slip.ros.nodes.foot_estimator import FootEstimatorConfig, FootEstimatorNode
from biped_slip.ros.nodes.friction_estimator import (
    EstimatorNodeConfig,
    FrictionEstimatorNode,
)
from biped_slip.ros.nodes.friction_governor import (
    FrictionGovernorNode,
    GovernorNodeConfig,
)
from biped_slip.ros.nodes.friction_markers import FrictionMarkersNode
from biped_slip.ros.nodes.odom_transform import OdomTransformNode
from biped_slip.ros.nodes.recording_player import PlayerConfig, RecordingPlayerNode
from biped_slip.ros.nodes.topic_recorder import TopicRecorderNode
from biped_slip.ros.nodes.unitree_bridge import UnitreeBridgeNode
from biped_slip.ros.nodes.viewer import ViewerNode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.parameters import meaning
from biped_slip.ros.planar_parameters import RobotConfig, WalkingChoice
from biped_slip.ros.robot_node import NodeConfig, RobotNode
from biped_slip.shared_files import shared_folder

_ESTIMATOR = (NodeConfig(), WalkingChoice(), RobotConfig(), EstimatorNodeConfig())
#: Parameter files by name: configurations of each node.
FILES: dict[str, dict[str, tuple[Configuration, ...]]] = {
    "walk": {
        "contact_simulator": (NodeConfig(), ScenarioChoice(), SimulatorNodeConfig()),
        "base_estimator": (NodeConfig(), RobotConfig(), BaseEstimatorConfig()),
        "friction_estimator": _ESTIMATOR,
        "walking_controller": (
            *(NodeConfig(), WalkingChoice(), RobotConfig(), ControllerNodeConfig()),
            *(SupervisorConfig(), HealthConfig()),
        ),
    },
    "estimator": {"friction_estimator": _ESTIMATOR},
    "governor": {
        "friction_governor": (
            NodeConfig(),
            GovernorNodeConfig(),
            FrictionGovernorConfig(),
        )
    },
    "replay": {
        "recording_player": (NodeConfig(), PlayerConfig()),
        "foot_estimator": (NodeConfig(), FootEstimatorConfig()),
        "friction_estimator": (
            NodeConfig(mode="lockstep"),
            WalkingChoice(),
            RobotConfig(),
            EstimatorNodeConfig(judge_sensors=False),
        ),
    },
}
PREFIXES: dict[type[Configuration], str] = {
    SupervisorConfig: "supervisor.",
    HealthConfig: "health.",
    FrictionGovernorConfig: "governor.",
}
_HEAD = """# Generated from the configurations in biped_slip/ros; most values are the defaults.
# Every value of a scenario (gains, floor, noise ...) is a parameter, too: `ros2 param list` names them.
"""  # noqa: E501


def parameter_file(name: str) -> str:
    """Content of a parameter file."""
    parts = [_HEAD]
    for node, configs in FILES[name].items():
        parts.append(f"/**/{node}:\n  ros__parameters:\n")
        parts += [
            _line(*leaf)
            for config in configs
            for leaf in config.flat(PREFIXES.get(type(config), ""))
        ]
    return "".join(parts)


def _line(name: str, value: Any, limits: Limits) -> str:
    plain = list(value) if isinstance(value, tuple) else value
    written = (
        yaml.safe_dump(plain, default_flow_style=True, width=1000)
        .removesuffix("...\n")
        .strip()
    )
    # of an empty list no node can tell the type, and none starts with it
    unset = "# " if plain == [] else ""
    return f"    # {meaning(limits)}\n    {unset}{name}: {written}\n"


Parameters = Mapping[str, Any]
SOURCES: tuple[Parameters, ...] = (
    {"motion.source": "foot_imu"},
    {"motion.source": "external"},
)
HUMANOID: Parameters = {"humanoid_walk": "talos"}
#: Nodes, with the configurations that differ in topics.
NODES: tuple[tuple[type[Any], tuple[Parameters, ...]], ...] = (
    (
        ContactSimulatorNode,
        ({"publish_clock": True, "period": "auto"}, *SOURCES, HUMANOID),
    ),
    (FrictionEstimatorNode, ({}, *SOURCES, {"humanoid": "g1"})),
    (FrictionGovernorNode, ({"body_weight": 300.0},)),
    (WalkingControllerNode, ({}, *SOURCES, HUMANOID, {**HUMANOID, "base": "odom"})),
    (FootEstimatorNode, ({},)),
    (FrictionMarkersNode, ({},)),
    (BaseEstimatorNode, ({},)),
    (OdomTransformNode, ({},)),
    (ViewerNode, ({},)),
    (RecordingPlayerNode, ({},)),
    (TopicRecorderNode, ({"output": os.devnull},)),
    (UnitreeBridgeNode, ({"interface": "lo"}, {"interface": "lo", "commands": True})),
)
DISCOVERY = 10.0  # [s] for a node to be discovered
POLICY = "config/security/policy.xml"
_SPACES = itertools.count()
# nobody else's nodes are in it; the policy is that of nodes without a namespace
_SPACE = "/policy_of_biped_slip"
_POLICY_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!-- What the nodes may say and hear in any of their configurations (docs/security.md). Generated from the nodes:
     python -m studies.generated_files -->
"""  # noqa: E501


class Rules(NamedTuple):
    """What a node may do, by names."""

    published: set[str]
    heard: set[str]
    served: set[str]


def policy() -> str:
    """Write the policy as text."""
    root = ElementTree.Element("policy", version="0.2.0")
    enclaves = ElementTree.SubElement(root, "enclaves")
    for name, rules in _of_a_walk(
        dict(_merged(kind, each) for kind, each in NODES)
    ).items():
        enclave = ElementTree.SubElement(
            enclaves, "enclave", path=f"/biped_slip/{name}"
        )
        profile = ElementTree.SubElement(
            ElementTree.SubElement(enclave, "profiles"), "profile", ns="/", node=name
        )
        for kind, right, names in (
            ("topic", "publish", rules.published),
            ("topic", "subscribe", rules.heard | {"/clock"}),  # use_sim_time
            ("service", "reply", rules.served),
        ):
            group = ElementTree.SubElement(profile, f"{kind}s", {right: "ALLOW"})
            own = f"/{name}/"
            for one in sorted(one.removeprefix(_SPACE) for one in names):
                item = ElementTree.SubElement(group, kind)
                item.text = f"~/{one.removeprefix(own)}" if one.startswith(own) else one
    ElementTree.indent(root)
    return _POLICY_HEAD + ElementTree.tostring(root, encoding="unicode") + "\n"


def _of_a_walk(rules: dict[str, Rules]) -> dict[str, Rules]:
    """List the topics that some nodes do not have by themselves.

    Player and recorder do what they are told: here, play a walk's sensors and record
    all that any node says. Transforms are sent only where tf2_msgs is installed.
    """
    rules["odom_transform"].published.add("/tf")
    rules["odom_transform"].heard.add("/odom")
    said = {
        name: {topic.replace("~", f"{_SPACE}/{name}", 1) for topic in one.published}
        for name, one in rules.items()
    }
    everything = set[str]().union(*said.values())
    sensors = {
        topic
        for topic in said["contact_simulator"]
        if not topic.startswith(f"{_SPACE}/contact_simulator/")
    }
    rules["recording_player"].published.update(sensors)
    rules["recording_player"].heard.update(
        topic for topic in everything if topic.endswith("/friction_values")
    )
    rules["topic_recorder"].heard.update(everything)
    controller = rules[
        "walking_controller"
    ]  # sends its sensors' messages to itself before it is active
    rehearsed = {
        one.replace(_SPACE, f"{_SPACE}/walking_controller/rehearsal", 1)
        for one in controller.heard & sensors
    }
    controller.heard.update(rehearsed)
    controller.published.update(
        rehearsed, {f"{_SPACE}/walking_controller/rehearsal/commands"}
    )
    return rules


def _merged(kind: type[Any], configurations: Iterable[Parameters]) -> tuple[str, Rules]:
    """Name of a node, and what it does in any of its configurations."""
    found = [_rules(kind, parameters) for parameters in configurations]
    return found[0][0], Rules(
        *(
            set[str]().union(*sets)
            for sets in zip(*(rules for _, rules in found), strict=True)
        )
    )


def _rules(kind: type[Any], parameters: Parameters) -> tuple[str, Rules]:
    """Name of a node, what it publishes, hears and serves in a configuration."""
    overrides = [Parameter(name, value=value) for name, value in parameters.items()]
    # a second node of a name that has just ended is mistaken for the first
    space = f"{_SPACE}_{next(_SPACES)}"
    node: RobotNode = kind(namespace=space, parameter_overrides=overrides)
    made = node.get_name(), node.get_namespace()
    try:
        node.trigger_configure()
        end = time.monotonic() + DISCOVERY
        while True:  # the graph comes to know of a node bit by bit
            rules = Rules(
                {
                    topic
                    for topic, _ in node.get_publisher_names_and_types_by_node(*made)
                },
                {
                    topic
                    for topic, _ in node.get_subscriber_names_and_types_by_node(*made)
                },
                {
                    service
                    for service, _ in node.get_service_names_and_types_by_node(*made)
                },
            )
            if _discovered(node, rules) or time.monotonic() > end:
                return node.get_name(), Rules(
                    *(
                        {one.replace(space, _SPACE, 1) for one in names}
                        for names in rules
                    )
                )
            time.sleep(0.01)
    finally:
        node.end()


def _discovered(node: RobotNode, rules: Rules) -> bool:
    """Whether all is known that a node has made."""
    return (
        rules.published >= {one.topic_name for one in node.publishers}
        and rules.heard >= {one.topic_name for one in node.subscriptions}
        and rules.served >= {one.service_name for one in node.services}
    )


if __name__ == "__main__":
    rclpy.init()
    (shared_folder() / POLICY).write_text(policy(), encoding="utf-8")
    rclpy.shutdown()
    for each in FILES:
        (shared_folder() / "config" / f"{each}.yaml").write_text(
            parameter_file(each), encoding="utf-8"
        )

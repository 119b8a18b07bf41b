# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The shipped parameter files and the SROS 2 policy are what the nodes describe."""

import xml.etree.ElementTree as ElementTree

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.ros.nodes.base_estimator import BaseEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.nodes.foot_estimator import FootEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode  # noqa: E402
from biped_slip.ros.nodes.recording_player import RecordingPlayerNode  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.shared_files import shared_file  # noqa: E402
from studies.generated_files import (  # noqa: E402
    FILES,
    NODES,
    POLICY,
    parameter_file,
    policy,
)


def test_the_shipped_policy_is_that_of_the_nodes(ros):
    pytest.importorskip("cyclonedds", reason="the extra unitree is not installed")
    assert policy() == shared_file(POLICY).read_text()


def test_every_node_has_an_enclave_of_its_own():
    root = ElementTree.fromstring(shared_file(POLICY).read_text())
    assert (root.tag, root.get("version")) == ("policy", "0.2.0")
    names = [kind.__module__.rpartition(".")[2] for kind, _ in NODES]
    assert [enclave.get("path") for enclave in root.iter("enclave")] == [
        f"/biped_slip/{name}" for name in names
    ]
    assert [profile.get("node") for profile in root.iter("profile")] == names
    rules = {
        rule
        for group in root.iter()
        for rule in group.attrib.values()
        if rule in ("ALLOW", "DENY")
    }
    assert rules == {"ALLOW"}, "what isn't allowed is denied"


@pytest.mark.parametrize("name", sorted(FILES))
def test_the_shipped_parameter_files_are_the_configurations(ros, name):
    path = shared_file(f"config/{name}.yaml")
    assert path.read_text() == parameter_file(name)
    for node in yaml.safe_load(path.read_text()):
        made = {
            "base_estimator": BaseEstimatorNode,
            "contact_simulator": ContactSimulatorNode,
            "foot_estimator": FootEstimatorNode,
            "friction_estimator": FrictionEstimatorNode,
            "friction_governor": FrictionGovernorNode,
            "walking_controller": WalkingControllerNode,
            "recording_player": RecordingPlayerNode,
        }[node.removeprefix("/**/")](
            cli_args=["--ros-args", "--params-file", str(path)]
        )
        try:
            for key, value in yaml.safe_load(path.read_text())[node][
                "ros__parameters"
            ].items():
                assert made.get_parameter(key).value == value, key
        finally:
            made.end()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The launch files load under the real launch system and offer the conventional arguments."""

from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch_ros is not installed: it comes with ROS 2, not from the package index")
pytestmark = pytest.mark.ros

from launch.launch_description_sources import get_launch_description_from_python_launch_file  # noqa: E402
from launch_ros.actions import Node  # noqa: E402

from launch import LaunchContext  # noqa: E402

LAUNCH = Path(__file__).parents[2] / "launch"


def description(name):
    return get_launch_description_from_python_launch_file(str(LAUNCH / f"{name}.launch.py"))


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("walk", {"contact_simulator", "friction_estimator", "walking_controller"}),
        ("replay", {"recording_player", "foot_estimator", "friction_estimator"}),
    ],
)
def test_it_starts_the_nodes_of_this_package(name, nodes):
    actions = description(name).describe_sub_entities()
    started = [action for action in actions if isinstance(action, Node)]
    assert {action.node_executable for action in started} == nodes
    assert {action.node_package for action in started} == {"biped_slip"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("walk", {"namespace", "use_sim_time", "params_file", "autostart", "log_level", "mode", "scenario", "limit"}),
        ("replay", {"namespace", "params_file", "log_level", "recording", "layout", "rate", "robot"}),
    ],
)
def test_it_has_the_conventional_arguments_each_with_a_description(name, arguments):
    declared = {argument.name: argument.description for argument in description(name).get_launch_arguments()}
    assert arguments <= set(declared)
    assert all(len(words) > 5 for words in declared.values())


def test_by_default_nothing_listens_beyond_this_machine():
    for name in ("walk", "replay"):
        (argument,) = (a for a in description(name).get_launch_arguments() if a.name == "discovery_range")
        assert "".join(part.perform(LaunchContext()) for part in argument.default_value) == "LOCALHOST"

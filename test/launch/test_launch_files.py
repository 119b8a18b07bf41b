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
NODES = {
    "walk": {"contact_simulator", "friction_estimator", "walking_controller", "friction_markers"},
    "hil": {"contact_simulator", "friction_estimator", "walking_controller", "friction_markers"},
    "robot": {"friction_estimator", "walking_controller", "friction_markers"},
    "gazebo": {"friction_estimator", "walking_controller", "friction_markers"},
    "governor": {"friction_governor"},
    "replay": {"recording_player", "foot_estimator", "friction_estimator"},
}
OTHERS = {
    "robot": {
        ("robot_state_publisher", "robot_state_publisher"),
        ("controller_manager", "ros2_control_node"),
        ("controller_manager", "spawner"),
    },
    "gazebo": {
        ("robot_state_publisher", "robot_state_publisher"),
        ("ros_gz_sim", "create"),
        ("ros_gz_bridge", "parameter_bridge"),
        ("controller_manager", "spawner"),
    },
}


def description(name):
    return get_launch_description_from_python_launch_file(str(LAUNCH / f"{name}.launch.py"))


def started(name, **arguments):
    """Nodes that start with these arguments, and the context."""
    context = LaunchContext()
    context.launch_configurations.update(
        {
            argument.name: "".join(part.perform(context) for part in argument.default_value or ())
            for argument in description(name).get_launch_arguments()
            if argument.name not in ("params_file", "world", "controllers_file", "description_file")
        }
    )
    context.launch_configurations.update(arguments)
    nodes = [one for one in description(name).describe_sub_entities() if isinstance(one, Node)]
    return [one for one in nodes if one.condition is None or one.condition.evaluate(context)]


def test_every_launch_file_is_tested():
    assert {path.name for path in LAUNCH.iterdir() if path.is_file()} == {f"{name}.launch.py" for name in NODES}


@pytest.mark.parametrize("name", NODES)
def test_it_starts_these_nodes(name):
    actions = [action for action in description(name).describe_sub_entities() if isinstance(action, Node)]
    assert {action.node_executable for action in actions if action.node_package == "biped_slip"} == NODES[name]
    others = {(action.node_package, action.node_executable) for action in actions}
    assert {one for one in others if one[0] != "biped_slip"} == OTHERS.get(name, set())


@pytest.mark.parametrize(
    ("name", "arguments", "nodes"),
    [
        ("hil", {"side": "robot"}, {"contact_simulator"}),
        ("hil", {"side": "controller"}, {"friction_estimator", "walking_controller"}),
        ("walk", {"robot": "talos"}, {"contact_simulator", "walking_controller"}),
        ("walk", {}, {"contact_simulator", "friction_estimator", "walking_controller"}),
        ("hil", {"robot": "talos"}, {"contact_simulator", "walking_controller"}),
        ("hil", {"robot": "talos", "side": "controller"}, {"walking_controller"}),
        ("robot", {"walk": "false"}, {"friction_estimator"}),
        ("replay", {"robot": "false"}, {"recording_player", "foot_estimator"}),
        ("replay", {"robot": "true"}, {"recording_player", "friction_estimator"}),
    ],
)
def test_arguments_choose_among_the_nodes(name, arguments, nodes):
    own = [one for one in started(name, **arguments) if one.node_package == "biped_slip"]
    assert sorted(one.node_executable for one in own) == sorted(nodes)


def test_markers_are_drawn_when_asked():
    assert "friction_markers" not in {one.node_executable for one in started("walk")}
    assert "friction_markers" in {one.node_executable for one in started("walk", markers="true")}


def test_by_default_nothing_sends_efforts_to_a_robot():
    assert "walking_controller" not in {one.node_executable for one in started("robot")}


@pytest.mark.parametrize("name", NODES)
def test_it_has_the_conventional_arguments_each_with_a_description(name):
    declared = {argument.name: argument.description for argument in description(name).get_launch_arguments()}
    assert {"namespace", "params_file", "log_level", "discovery_range"} <= set(declared)
    assert name == "replay" or "autostart" in declared
    assert name not in ("walk", "gazebo") or "use_sim_time" in declared
    assert all(len(words) > 5 for words in declared.values())


@pytest.mark.parametrize("name", NODES)
def test_by_default_nothing_listens_beyond_this_machine(name):
    (argument,) = (a for a in description(name).get_launch_arguments() if a.name == "discovery_range")
    assert "".join(part.perform(LaunchContext()) for part in argument.default_value) == "LOCALHOST"

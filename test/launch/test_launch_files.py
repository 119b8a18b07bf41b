# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The launch files load under the real launch system and offer the conventional
arguments."""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

pytest.importorskip(
    "launch_ros",
    reason="launch_ros is not installed: it comes with ROS 2, not from the package "
    "index",
)
pytestmark = pytest.mark.ros

from launch.actions import (  # noqa: E402
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit  # noqa: E402
from launch.launch_description_sources import (  # noqa: E402
    get_launch_description_from_python_launch_file,
)
from launch_ros.actions import Node  # noqa: E402
from launch_ros.utilities import evaluate_parameters  # noqa: E402

from biped_slip.ros.launch_parts import after_active, description_of, own_node  # noqa: E402
from biped_slip.ros.processes import free_domain  # noqa: E402
from biped_slip.ros.rehearsal import CHOSEN_PERIODS, PERIOD_CHOICES  # noqa: E402
from launch import LaunchContext, LaunchDescription, LaunchService  # noqa: E402

LAUNCH = Path(__file__).parents[2] / "launch"
WALKING = {
    "contact_simulator",
    "friction_estimator",
    "walking_controller",
    "friction_markers",
    "odom_transform",
}
NODES = {
    "walk": WALKING,
    "hil": WALKING,
    "robot": {"base_estimator", "wait_for_active", *WALKING} - {"contact_simulator"},
    "gazebo": {
        "friction_estimator",
        "walking_controller",
        "wait_for_active",
        "friction_markers",
    },  # the bridge has the base's TF
    "governor": {"friction_governor"},
    "friction": {"friction_estimator"},
    "replay": {
        "recording_player",
        "foot_estimator",
        "friction_estimator",
        "odom_transform",
    },
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
    "replay": {("robot_state_publisher", "robot_state_publisher")},
}


def description(name):
    return get_launch_description_from_python_launch_file(
        str(LAUNCH / f"{name}.launch.py")
    )


def started(name, **arguments):
    """Nodes that start with these arguments, and the context."""
    context = LaunchContext()
    context.launch_configurations.update(
        {
            argument.name: "".join(
                part.perform(context) for part in argument.default_value or ()
            )
            for argument in description(name).get_launch_arguments()
            if argument.name
            not in ("params_file", "world", "controllers_file", "description_file")
        }
    )
    context.launch_configurations.update(arguments)
    return [
        one
        for one in at_once(name)
        if one.condition is None or one.condition.evaluate(context)
    ]


def at_once(name):
    """Nodes that don't wait for another."""
    return [one for one in description(name).entities if isinstance(one, Node)]


def delayed(name):
    """Nodes that start when the program that waits for another has ended well; none if
    it was interrupted."""
    (waiter,) = [
        one for one in at_once(name) if one.node_executable == "wait_for_active"
    ]
    (handler,) = [
        one.event_handler
        for one in description(name).entities
        if isinstance(one, RegisterEventHandler)
        and isinstance(one.event_handler, OnProcessExit)
    ]
    when_ended = (
        handler._OnActionEventBase__actions_on_event
        or handler._OnActionEventBase__on_event
    )
    assert when_ended(SimpleNamespace(returncode=1), None) == []
    assert (
        when_ended(SimpleNamespace(returncode=0), SimpleNamespace(is_shutdown=True))
        == []
    )
    assert waiter is not None
    return when_ended(SimpleNamespace(returncode=0), None)


def words(action):
    """Of a node's command line, where they are plain."""
    plain = [
        part
        for part in action._ExecuteLocal__process_description.cmd
        for part in part
        if hasattr(part, "text")
    ]
    return [part.text for part in plain]


def test_every_launch_file_is_tested():
    assert {path.name for path in LAUNCH.iterdir() if path.is_file()} == {
        f"{name}.launch.py" for name in NODES
    }


@pytest.mark.parametrize("name", NODES)
def test_it_starts_these_nodes(name):
    actions = [
        action
        for action in description(name).describe_sub_entities()
        if isinstance(action, Node)
    ]
    assert {
        action.node_executable
        for action in actions
        if action.node_package == "biped_slip"
    } == NODES[name]
    others = {(action.node_package, action.node_executable) for action in actions}
    assert {one for one in others if one[0] != "biped_slip"} == OTHERS.get(name, set())


@pytest.mark.parametrize(
    ("name", "arguments", "nodes"),
    [
        ("hil", {"side": "robot"}, {"contact_simulator"}),
        (
            "hil",
            {"side": "controller"},
            {"friction_estimator", "walking_controller", "odom_transform"},
        ),
        (
            "walk",
            {"robot": "talos"},
            {"contact_simulator", "walking_controller", "odom_transform"},
        ),
        ("walk", {}, WALKING - {"friction_markers"}),
        (
            "hil",
            {"robot": "talos"},
            {"contact_simulator", "walking_controller", "odom_transform"},
        ),
        (
            "hil",
            {"robot": "talos", "side": "controller"},
            {"walking_controller", "odom_transform"},
        ),
        (
            "robot",
            {"walk": "false"},
            {"friction_estimator", "base_estimator", "odom_transform"},
        ),
        ("robot", {"odom": "given"}, {"friction_estimator", "odom_transform"}),
        ("gazebo", {}, {"friction_estimator", "walking_controller", "wait_for_active"}),
        ("gazebo", {"robot": "talos"}, {"walking_controller", "wait_for_active"}),
        ("gazebo", {"walk": "false"}, {"friction_estimator"}),
        ("replay", {"robot": "false"}, {"recording_player", "foot_estimator"}),
        (
            "replay",
            {"robot": "true"},
            {"recording_player", "friction_estimator", "odom_transform"},
        ),
    ],
)
def test_arguments_choose_among_the_nodes(name, arguments, nodes):
    own = [
        one for one in started(name, **arguments) if one.node_package == "biped_slip"
    ]
    assert sorted(one.node_executable for one in own) == sorted(nodes)


def test_markers_are_drawn_when_asked():
    assert "friction_markers" not in {one.node_executable for one in started("walk")}
    assert "friction_markers" in {
        one.node_executable for one in started("walk", markers="true")
    }


def test_the_estimator_beside_another_controller_takes_its_sensors_topics():
    (node,) = started("friction", joint_states="low/joints", robot="talos")
    context = LaunchContext()
    context.launch_configurations.update(
        {
            "autostart": "true",
            "use_sim_time": "false",
            "robot": "talos",
            "period": "0.002",
        }
    )
    assert given(node, "humanoid", context) == "talos"
    assert given(node, "period", context) == 0.002


def test_by_default_nothing_sends_efforts_to_a_robot():
    assert "walking_controller" not in {one.node_executable for one in started("robot")}
    assert not any("effort_controller" in words(one) for one in started("robot"))


@pytest.mark.parametrize("name", ["robot", "gazebo"])
def test_the_controller_of_efforts_waits_for_the_walking_controller(name):
    """Joints hold, or are limp, until effort_controller is active: from then on they
    need commands."""
    (spawner,) = delayed(name)
    assert spawner.node_executable == "spawner"
    assert words(spawner)[:2] == ["effort_controller", "--activate-as-group"]
    (others,) = [one for one in started(name) if one.node_executable == "spawner"]
    assert "--activate-as-group" in words(others)
    # Gazebo may stand still for longer than the usual 5 s when it starts
    for one in (
        spawner,
        others,
    ):
        assert float(words(one)[words(one).index("--switch-timeout") + 1]) >= 30.0
    assert "effort_controller" not in words(others)


def test_where_only_joints_are_behind_ros2_control_no_broadcaster_of_other_sensors_is_asked_for():
    """They would not come up, and with them, as one group, neither would that of the
    joints."""
    for hardware, count in (("mock", 4), ("topic", 1)):
        (spawner,) = [
            one
            for one in started("robot", hardware=hardware)
            if one.node_executable == "spawner"
        ]
        named = words(spawner)[: words(spawner).index("--activate-as-group")]
        assert named[0] == "joint_state_broadcaster"
        assert len(named) == count


@pytest.mark.parametrize("name", ["robot", "hil"])
def test_loops_have_a_lower_priority_than_ros2_controls_own(name):
    (argument,) = (
        one
        for one in description(name).get_launch_arguments()
        if one.name == "realtime_priority"
    )
    assert (
        1
        <= int(
            "".join(part.perform(LaunchContext()) for part in argument.default_value)
        )
        < 50
    )


def given(node, name, context):
    """A parameter of a node, as the launch system evaluates it."""
    found = None
    for one in node._Node__parameters:
        if not isinstance(one, dict) or not any(
            name == "".join(part.text for part in key) for key in one
        ):
            continue
        (values,) = evaluate_parameters(context, [one])
        found = values[name]
    return found


@pytest.mark.parametrize("name", ["walk", "hil", "robot", "gazebo"])
@pytest.mark.parametrize("period", CHOSEN_PERIODS)
def test_one_argument_is_the_period_of_all_that_has_one(name, period):
    context = LaunchContext()
    context.launch_configurations.update(
        {
            "autostart": "true",
            "seed": "1",
            "mode": "real-time",
            "scenario": "thesis",
            "robot": "",
            "limit": "none",
            "joint_topics": "false",
            "use_sim_time": "true",
            "result_file": "",
            "humanoid_walk": "",
            "odom": "given",
            "period": period,
            "steered": "true",
        }
    )
    nodes = {one.node_executable: one for one in at_once(name)}
    assert given(nodes["walking_controller"], "period", context) == period
    if name in ("walk", "hil"):
        assert given(nodes["contact_simulator"], "period", context) == period
    if name == "robot":
        assert given(nodes["ros2_control_node"], "update_rate", context) == round(
            1.0 / CHOSEN_PERIODS[period]
        )


@pytest.mark.parametrize("name", ["walk", "hil", "robot", "gazebo"])
@pytest.mark.parametrize("steered", ["true", "false"])
def test_a_robot_stands_until_it_is_steered_where_that_is_asked_for(name, steered):
    context = LaunchContext()
    context.launch_configurations.update(
        {"limit": "none", "period": "1 ms", "humanoid_walk": "", "odom": "given"}
        | {"autostart": "true", "seed": "1", "mode": "real-time", "robot": ""}
        | {"scenario": "thesis", "use_sim_time": "true", "steered": steered}
    )
    (walker,) = (
        one for one in at_once(name) if one.node_executable == "walking_controller"
    )
    assert given(walker, "steered", context) == (steered == "true")


@pytest.mark.parametrize(("result_file", "endless"), [("", True), ("/x.json", False)])
def test_a_walk_stays_up_until_it_is_stopped_unless_its_result_is_waited_for(
    result_file, endless
):
    context = LaunchContext()
    context.launch_configurations.update(
        {"limit": "none", "period": "1 ms", "robot": "", "result_file": result_file}
        | {"autostart": "true", "seed": "1", "mode": "lockstep", "scenario": "thesis"}
        | {"use_sim_time": "true", "steered": "false"}
    )
    (simulator,) = (
        one for one in at_once("walk") if one.node_executable == "contact_simulator"
    )
    assert given(simulator, "endless", context) == endless


@pytest.mark.parametrize("name", ["walk", "hil", "robot", "gazebo"])
def test_the_choices_of_a_period_are_those_of_the_nodes_and_behind_another_loop_none_chooses_itself(
    name,
):
    (argument,) = (
        one for one in description(name).get_launch_arguments() if one.name == "period"
    )
    expected = set(PERIOD_CHOICES) if name in ("walk", "hil") else set(CHOSEN_PERIODS)
    assert set(argument.choices) == expected


# these stand beside a stack that has them
@pytest.mark.parametrize("name", sorted(set(NODES) - {"governor", "friction"}))
def test_the_transforms_of_base_and_links_are_there(name):
    """What the shipped layouts of RViz and Foxglove show."""
    arguments = {"robot": "true"} if name == "replay" else {}
    nodes = {one.node_executable for one in started(name, **arguments)}
    assert name == "gazebo" or "odom_transform" in nodes
    later = [
        one for one in description(name).entities if isinstance(one, OpaqueFunction)
    ]
    assert "robot_state_publisher" in nodes or len(later) == 1


@pytest.mark.parametrize(("walk", "robot"), [("", "planar_biped"), ("talos", "talos")])
def test_the_shown_robot_is_the_one_that_walks(walk, robot):
    assert re.search(r'<robot[^>]*name="([^"]*)"', description_of(walk))[1] == robot


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """This package as an install tree in front of the others, with its nodes' programs."""
    prefix = tmp_path / "install"
    programs = prefix / "lib" / "biped_slip"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    for folder in (programs, index, prefix / "share" / "biped_slip"):
        folder.mkdir(parents=True)
    (index / "biped_slip").touch()
    for name in ("launch", "config", "urdf", "worlds", "package.xml"):
        (prefix / "share" / "biped_slip" / name).symlink_to(LAUNCH.parent / name)
    for name in set.union(*NODES.values()):
        program = programs / name
        program.write_text(
            f"#!{sys.executable}\nfrom biped_slip.ros.__main__ import main\nraise "
            "SystemExit(main())\n"
        )
        program.chmod(0o755)
    monkeypatch.setenv(
        "AMENT_PREFIX_PATH",
        f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', sys.prefix)}",
    )
    monkeypatch.setenv(
        "PYTHONPATH", f"{LAUNCH.parent}:{os.environ.get('PYTHONPATH', '')}"
    )
    return prefix


@pytest.mark.parametrize("robot", ["", "talos"])
def test_gazebo_steps_and_updates_its_controllers_once_a_period(installed, robot):
    context = LaunchContext()
    arguments = {
        one.name: one.default_value
        for one in description("gazebo").get_launch_arguments()
    }
    context.launch_configurations.update(
        {
            name: "".join(part.perform(context) for part in value)
            for name, value in arguments.items()
        }
    )
    context.launch_configurations.update({"robot": robot, "period": "2 ms"})
    (choose,) = [
        one for one in description("gazebo").entities if isinstance(one, OpaqueFunction)
    ]
    for chosen in choose.execute(context):
        chosen.execute(context)
    made = context.launch_configurations
    assert "<max_step_size>0.002</max_step_size>" in Path(made["world"]).read_text(
        encoding="utf-8"
    )
    files = re.findall("<parameters>([^<]*)</parameters>", made["description"])
    told = yaml.safe_load(Path(files[-1]).read_text(encoding="utf-8"))[
        "/**/controller_manager"
    ]["ros__parameters"]
    assert told["update_rate"] == 500
    assert told["use_sim_time"]


@pytest.mark.parametrize("late", [0.0, 4.0])
def test_what_waits_for_a_node_starts_when_it_is_active_whoever_was_first(
    installed, tmp_path, late
):
    """With real processes; four seconds later the node has long been active."""
    log = tmp_path / "order.txt"
    node = own_node("friction_markers", {"autostart": True})
    note = ExecuteProcess(
        cmd=[sys.executable, "-c", f"open({str(log)!r}, 'a').write('later ')"]
    )
    ended = RegisterEventHandler(
        OnProcessExit(target_action=note, on_exit=[Shutdown()])
    )
    service = LaunchService(noninteractive=True)
    service.include_launch_description(
        LaunchDescription(
            [
                SetLaunchConfiguration("namespace", "one"),
                SetLaunchConfiguration("log_level", "info"),
                SetLaunchConfiguration(
                    "params_file", str(LAUNCH.parent / "config" / "walk.yaml")
                ),
                SetEnvironmentVariable("ROS_DOMAIN_ID", str(free_domain())),
                SetEnvironmentVariable("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST"),
                ended,
                TimerAction(
                    period=late, actions=after_active("friction_markers", note)
                ),
                TimerAction(period=60.0, actions=[Shutdown()]),
                node,
            ]
        )
    )
    assert service.run() == 0
    assert log.read_text() == "later "


def test_every_package_that_a_launch_file_starts_something_of_is_a_dependency():
    root = ElementTree.parse(LAUNCH.parent / "package.xml").getroot()
    named = {one.text for one in root.iter("exec_depend")}
    started_from = {
        one.node_package
        for name in NODES
        for one in [
            *at_once(name),
            *(delayed(name) if name in ("robot", "gazebo") else []),
        ]
    }
    assert started_from - {"biped_slip"} <= named
    controllers = re.findall(
        r"type: (\w+)/", (LAUNCH.parent / "config" / "ros2_control.yaml").read_text()
    )
    assert set(controllers) <= named

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each launch file starts, as plain data: by its arguments alone, and before ROS 2's
launch or `biped-slip up` make anything of it."""

import importlib.util
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

from biped_slip.errors import BipedSlipError
from biped_slip.ros.bringup import parts
from biped_slip.ros.bringup.parts import (
    LAUNCH_NAMES,
    description_of,
    launch_file,
    values,
)

ROOT = Path(__file__).parents[2]
WALKING = {"contact_simulator", "friction_estimator", "walking_controller"}
REQUIRED = {"replay": ["recording:=bag"]}
pytest.importorskip("xacro", reason="xacro is not installed")


def plan(name, *words):
    file = launch_file(name)
    return file.plan(values(file.arguments, [*REQUIRED.get(name, []), *words]))


def programs(name, *words):
    return plan(name, *words).programs


def own(name, *words):
    """Nodes of this package, without transforms and markers."""
    return {
        one.executable
        for one in programs(name, *words)
        if one.package == "biped_slip" and one.executable != "odom_transform"
    }


def the(executable, found):
    (one,) = [each for each in found if each.executable == executable]
    return one


@pytest.mark.parametrize(
    ("name", "words", "nodes"),
    [
        ("walk", (), WALKING),
        ("walk", ("robot:=talos",), WALKING - {"friction_estimator"}),
        ("walk", ("markers:=true",), WALKING | {"friction_markers"}),
        ("hil", (), WALKING),
        ("hil", ("side:=robot",), {"contact_simulator"}),
        ("hil", ("side:=controller",), WALKING - {"contact_simulator"}),
        ("hil", ("robot:=talos",), WALKING - {"friction_estimator"}),
        ("hil", ("robot:=talos", "side:=controller"), {"walking_controller"}),
        ("robot", (), {"friction_estimator", "base_estimator"}),
        ("robot", ("odom:=given",), {"friction_estimator"}),
        (
            "robot",
            ("odom:=given", "walk:=true"),
            {"friction_estimator", "walking_controller", "wait_for_active"},
        ),
        ("governor", (), {"friction_governor"}),
        ("friction", (), {"friction_estimator"}),
        ("replay", (), {"recording_player", "foot_estimator"}),
        ("replay", ("robot:=true",), {"recording_player", "friction_estimator"}),
        (
            "gazebo",
            (),
            {"friction_estimator", "walking_controller", "wait_for_active"},
        ),
        ("gazebo", ("robot:=talos",), {"walking_controller", "wait_for_active"}),
        ("gazebo", ("walk:=false",), {"friction_estimator"}),
    ],
)
def test_arguments_choose_among_the_nodes(name, words, nodes):
    assert own(name, *words) == nodes


def test_every_launch_file_has_its_data_and_every_data_its_launch_file():
    folder = ROOT / "launch_files"
    files = {path.name for path in folder.iterdir() if path.is_file()}
    assert files == {f"{name}.launch.py" for name in LAUNCH_NAMES}
    for name in LAUNCH_NAMES:
        text = (folder / f"{name}.launch.py").read_text()
        assert f'launch_description("{name}")' in text


def test_no_folder_of_this_checkout_is_taken_for_the_package_that_launch_files_import():
    """A folder `launch` would answer `import launch` where ROS 2 is absent, and then
    lack everything in it."""
    for folder in (ROOT, ROOT / "test"):
        looked = subprocess.run(
            [sys.executable, "-c", "import launch; print(launch.__file__)"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        absent = "No module named 'launch'" in looked.stderr
        assert absent or looked.stdout.strip().endswith(".py")


@pytest.mark.parametrize("name", LAUNCH_NAMES)
def test_an_unknown_argument_is_named_with_those_that_there_are(name):
    with pytest.raises(BipedSlipError, match=r"unknown argument 'autostrat'.*known: "):
        plan(name, "autostrat:=false")


@pytest.mark.parametrize(
    ("name", "word", "sentence"),
    [
        ("walk", "seed:=two", "seed is 'two', but must be a whole number"),
        ("walk", "autostart:=yes", "autostart is 'yes', but must be true or false"),
        ("walk", "period:=3 ms", "period is '3 ms', but must be one of walk, auto"),
        ("hil", "side:=left", "side is 'left', but must be one of both, robot"),
        ("governor", "body_weight:=heavy", "body_weight is 'heavy', but must be a nu"),
        ("walk", "robot=talos", "'robot=talos' is no argument: write NAME:=VALUE"),
        ("robot", "description_file:=none.urdf", "none.urdf"),
    ],
)
def test_a_value_that_cannot_be_used_is_one_sentence(name, word, sentence):
    with pytest.raises(BipedSlipError, match=re.escape(sentence)):
        plan(name, word)


def test_what_has_no_default_must_be_given():
    file = launch_file("replay")
    with pytest.raises(BipedSlipError, match="recording is missing"):
        values(file.arguments, [])


@pytest.mark.parametrize("name", ["walk", "hil"])
def test_the_walks_parameters_reach_its_nodes(name):
    words = ("scenario:=demo", "seed:=3", "limit:=interval", "period:=2 ms")
    found = programs(name, *words)
    controller = the("walking_controller", found).values()
    simulator = the("contact_simulator", found).values()
    assert controller["limit"] == the("friction_estimator", found).values()["estimator"]
    for node in (controller, simulator):
        assert node["scenario"] == "demo"
        assert node["seed"] == 3
        assert node["period"] == "2 ms"
        assert node["mode"] == ("lockstep" if name == "walk" else "real-time")


def test_a_walk_stays_up_until_it_is_stopped_unless_its_result_is_waited_for():
    for words, endless in ((("result_file:=/x.json",), False), ((), True)):
        simulator = the("contact_simulator", programs("walk", *words))
        assert simulator.values()["endless"] is endless
        assert simulator.ends_all  # a simulator that is gone ends the others


def test_hardware_in_the_loop_ends_with_its_walk_unless_it_waits_to_be_steered():
    """A robot that stands until cmd_vel comes has no way and no time to end with."""
    for words, endless in (((), False), (("steered:=true",), True)):
        simulator = the("contact_simulator", programs("hil", *words))
        assert simulator.values()["endless"] is endless


@pytest.mark.parametrize("name", ["walk", "hil", "robot", "gazebo"])
def test_a_robot_walks_by_itself_unless_it_is_to_be_steered(name):
    for words, steered in (((), False), (("steered:=true",), True)):
        found = (
            programs(name, "walk:=true", *words)
            if name in ("robot", "gazebo")
            else programs(name, *words)
        )
        assert the("walking_controller", found).values()["steered"] == steered


def test_the_estimator_beside_another_controller_takes_its_sensors_topics():
    (node,) = programs("friction", "joint_states:=low/joints", "period:=0.002")
    assert ("joint_states", "low/joints") in node.remappings
    assert node.values()["period"] == 0.002


def test_by_default_nothing_sends_efforts_to_a_robot():
    found = programs("robot")
    assert not any(one.commands for one in found)
    assert not any("effort_controller" in one.options for one in found)


@pytest.mark.parametrize("name", ["robot", "gazebo"])
def test_the_controller_of_efforts_waits_for_the_walking_controller(name):
    """Joints hold, or are limp, until effort_controller is active: from then on they
    need commands."""
    found = programs(name, "walk:=true")
    (efforts,) = [one for one in found if "effort_controller" in one.options]
    assert efforts.after == the("wait_for_active", found).name
    assert the("wait_for_active", found).values()["node"] == "walking_controller"
    spawners = [one for one in found if one.executable == "spawner"]
    assert len(spawners) == 2
    for one in spawners:
        words = list(one.options)
        assert "--activate-as-group" in words
        # Gazebo may stand still for longer than the usual 5 s when it starts
        assert float(words[words.index("--switch-timeout") + 1]) >= 30.0


def test_a_humanoid_in_gazebo_is_held_until_its_controller_knows_how_it_stands():
    found = programs("gazebo", "robot:=talos")
    assert the("wait_for_active", found).values()["heard"] > 0.0


@pytest.mark.parametrize(("hardware", "count"), [("mock", 4), ("topic", 1)])
def test_where_only_joints_are_behind_ros2_control_theirs_is_the_one_broadcaster(
    hardware, count
):
    """Others would not come up, and with them, as one group, neither would that of the
    joints."""
    found = programs("robot", f"hardware:={hardware}")
    words = list(the("spawner", found).options)
    named = words[: words.index("--activate-as-group")]
    assert named[0] == "joint_state_broadcaster"
    assert len(named) == count
    assert bool(the("friction_estimator", found).remappings) == (hardware == "mock")


@pytest.mark.parametrize("period", parts.LOOP_RATES)
def test_ros2_controls_manager_has_the_controllers_period(period):
    found = programs("robot", "walk:=true", f"period:={period}")
    rate = the("ros2_control_node", found).values()["update_rate"]
    assert rate == round(1e3 / float(period.split()[0]))
    assert the("walking_controller", found).values()["period"] == period


@pytest.mark.parametrize("robot", ["", "talos"])
def test_gazebo_steps_and_updates_its_controllers_once_a_period(robot):
    made = plan("gazebo", f"robot:={robot}", "period:=2 ms")
    (simulator,) = made.included
    world = Path(simulator.arguments["gz_args"].split()[-1])
    assert "<max_step_size>0.002</max_step_size>" in world.read_text(encoding="utf-8")
    description = the("robot_state_publisher", made.programs).values()
    files = re.findall(
        "<parameters>([^<]*)</parameters>", description["robot_description"]
    )
    settings = yaml.safe_load(Path(files[-1]).read_text(encoding="utf-8"))
    manager = settings["/**/controller_manager"]["ros__parameters"]
    assert manager["update_rate"] == 500
    assert manager["use_sim_time"]


@pytest.mark.parametrize("name", ["robot", "hil"])
def test_loops_have_a_lower_priority_than_ros2_controls_own(name):
    default = launch_file(name).arguments["realtime_priority"].default
    assert 1 <= int(default) < 50
    asked = the("friction_estimator", programs(name, "realtime_priority:=7")).options
    assert asked == ("--realtime-priority", "7")


def test_the_end_of_the_robot_or_of_the_recording_ends_all():
    for name, last in (
        ("walk", "contact_simulator"),
        ("hil", "contact_simulator"),
        ("replay", "recording_player"),
    ):
        found = programs(name)
        assert {one.executable for one in found if one.ends_all} == {last}


def test_on_two_machines_no_side_ends_the_other():
    for side in ("robot", "controller"):
        assert not any(one.ends_all for one in programs("hil", f"side:={side}"))


# the first two stand beside a stack that has them; Gazebo's bridge has the base's
@pytest.mark.parametrize(
    "name", sorted(set(LAUNCH_NAMES) - {"governor", "friction", "gazebo"})
)
def test_the_transforms_of_base_and_links_are_there(name):
    """What the shipped layouts of RViz and Foxglove show."""
    words = ["robot:=true"] if name == "replay" else []
    found = {one.executable for one in programs(name, *words)}
    assert {"odom_transform", "robot_state_publisher"} <= found


@pytest.mark.parametrize(("walk", "robot"), [("", "planar_biped"), ("talos", "talos")])
def test_the_shown_robot_is_the_one_that_walks(walk, robot):
    assert re.search(r'<robot[^>]*name="([^"]*)"', description_of(walk))[1] == robot


def test_discovery_stays_on_this_machine_unless_the_network_is_asked_for():
    name = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    assert plan("hil").environment[name] == "LOCALHOST"
    wide = plan("gazebo", "discovery_range:=SUBNET").environment
    assert wide[name] == "SUBNET"
    assert "GZ_IP" not in wide


def test_every_package_that_a_launch_file_starts_something_of_is_a_dependency():
    root = ElementTree.parse(ROOT / "package.xml").getroot()
    named = {one.text for one in root.iter("exec_depend")}
    started = {
        one.package
        for name in LAUNCH_NAMES
        for one in programs(name, *(["walk:=true"] if name == "robot" else []))
    }
    assert started - {"biped_slip"} <= named
    settings = (ROOT / "config" / "ros2_control.yaml").read_text()
    assert set(re.findall(r"type: (\w+)/", settings)) <= named


def test_describing_a_launch_file_needs_no_ros():
    """So that `--help`, and a machine with the wheels alone, can ask."""
    code = (
        "import sys\n"
        "from biped_slip.ros.bringup.parts import LAUNCH_NAMES, launch_file\n"
        "[launch_file(name).arguments for name in LAUNCH_NAMES]\n"
        "print(sorted({'rclpy', 'launch', 'numba'} & set(sys.modules)))"
    )
    words = [sys.executable, "-c", code]
    looked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert looked.stdout.strip() == "[]", looked.stderr
    assert importlib.util.find_spec("biped_slip.ros.bringup.actions") is not None

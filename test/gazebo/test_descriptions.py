# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot, worlds, controllers and bridges for ros2_control and Gazebo, as far as parsers
without Gazebo can tell."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pinocchio
import pytest
import yaml

from biped_slip.contact.ground import GroundConfig
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.planar_biped import JOINTS, planar_biped, standing_coordinates
from biped_slip.robots.robot import SOLES
from biped_slip.robots.simulator_descriptions import (
    gazebo_controllers,
    gazebo_description,
)
from biped_slip.ros.bringup.gazebo import START_HEIGHT
from biped_slip.ros.bringup.parts import launch_file, values
from biped_slip.simulation.planar.scenario import StartConfig

ROOT = Path(__file__).parents[2]
WORLDS = sorted((ROOT / "worlds").glob("*.sdf"))

# Names as ros-conventions has them, by section; the rest is from gz-sim 8 and
# ros_gz_bridge.
HARDWARE = {  # 7: <plugin> chosen by hardware:=
    "gz": "gz_ros2_control/GazeboSimSystem",
    "mock": "mock_components/GenericSystem",
    "topic": "topic_based_ros2_control/TopicBasedSystem",
    "acme_driver/AcmeSystem": "acme_driver/AcmeSystem",
}
SENSORS = ["imu_sensor", "l_foot_fts", "r_foot_fts"]  # 7
CONTROLLERS = {  # 2
    "joint_state_broadcaster": "joint_state_broadcaster/JointStateBroadcaster",
    "imu_sensor_broadcaster": "imu_sensor_broadcaster/IMUSensorBroadcaster",
    "l_foot_fts_broadcaster": "force_torque_sensor_broadcaster/ForceTorqueSensorBroadcaster",
    "r_foot_fts_broadcaster": "force_torque_sensor_broadcaster/ForceTorqueSensorBroadcaster",
    # JointGroupEffortController is gone
    "effort_controller": "forward_command_controller/ForwardCommandController",
}
PLUGINS = {  # 7
    "gz-sim-physics-system": "gz::sim::systems::Physics",
    "gz-sim-user-commands-system": "gz::sim::systems::UserCommands",
    "gz-sim-scene-broadcaster-system": "gz::sim::systems::SceneBroadcaster",
    "gz-sim-imu-system": "gz::sim::systems::Imu",
    "gz-sim-forcetorque-system": "gz::sim::systems::ForceTorque",
    "gz-sim-contact-system": "gz::sim::systems::Contact",
    "gz-sim-odometry-publisher-system": "gz::sim::systems::OdometryPublisher",
    "gz-sim-joint-state-publisher-system": "gz::sim::systems::JointStatePublisher",
    "gz-sim-python-system-loader-system": "gz::sim::systems::PythonSystemLoader",
    "gz_ros2_control-system": "gz_ros2_control::GazeboSimROS2ControlPlugin",
}
BRIDGED = {  # 2 and 7
    "/clock": ("rosgraph_msgs/msg/Clock", "gz.msgs.Clock"),
    "imu/data": ("sensor_msgs/msg/Imu", "gz.msgs.IMU"),
    "l_foot/wrench": ("geometry_msgs/msg/WrenchStamped", "gz.msgs.Wrench"),
    "r_foot/wrench": ("geometry_msgs/msg/WrenchStamped", "gz.msgs.Wrench"),
    **dict.fromkeys(
        ("l_foot/imu", "r_foot/imu"), ("sensor_msgs/msg/Imu", "gz.msgs.IMU")
    ),
    **dict.fromkeys(
        ("l_ankle/wrench", "r_ankle/wrench"),
        ("geometry_msgs/msg/WrenchStamped", "gz.msgs.Wrench"),
    ),
    "odom": ("nav_msgs/msg/Odometry", "gz.msgs.Odometry"),
    "joint_states": ("sensor_msgs/msg/JointState", "gz.msgs.Model"),
    "/tf": ("tf2_msgs/msg/TFMessage", "gz.msgs.Pose_V"),
}


def described(hardware, **more):
    xacro = pytest.importorskip("xacro", reason="xacro is not installed")
    mappings = {"hardware": hardware, "controllers": "controllers.yaml", **more}
    return xacro.process_file(
        str(ROOT / "urdf" / "planar_biped.urdf.xacro"), mappings=mappings
    ).toxml()


@pytest.mark.parametrize("hardware", HARDWARE)
def test_the_description_names_hardware_joints_and_sensors(hardware):
    control = ElementTree.fromstring(described(hardware)).find("ros2_control")
    assert control.get("type") == "system"
    assert control.findtext("hardware/plugin") == HARDWARE[hardware]
    assert tuple(joint.get("name") for joint in control.iter("joint")) == JOINTS
    for joint in control.iter("joint"):
        assert [one.get("name") for one in joint.iter("command_interface")] == [
            "effort"
        ]
        assert [one.get("name") for one in joint.iter("state_interface")] == [
            "position",
            "velocity",
            "effort",
        ]
    sensors = [sensor.get("name") for sensor in control.iter("sensor")]
    # neither system exports any
    assert sensors == ([] if hardware in ("gz", "topic") else SENSORS)


def test_joint_topics_carry_every_command_not_only_those_of_other_positions():
    told = {
        one.get("name"): one.text
        for one in ElementTree.fromstring(described("topic")).iter("param")
    }
    assert float(told["trigger_joint_command_threshold"]) < 0.0


def test_joints_start_where_the_thesis_starts():
    start = StartConfig()
    robot = planar_biped()
    feet = (start.left_foot, 0.0), (start.right_foot, 0.0)
    expected = standing_coordinates(robot, (0.0, start.hip_height), feet)[
        robot.root_size :
    ]
    values = [
        float(one.findtext("param"))
        for one in ElementTree.fromstring(described("gz")).iter("state_interface")
        if one.get("name") == "position"
    ]
    assert values == pytest.approx(expected, abs=1e-4)


def test_without_gazebo_the_description_is_the_planar_biped():
    ours = pinocchio.buildModelFromXML(described("mock"))
    shipped = pinocchio.buildModelFromUrdf(str(ROOT / "urdf" / "planar_biped.urdf"))
    assert list(ours.names) == list(shipped.names)
    assert [str(one) for one in ours.inertias] == [str(one) for one in shipped.inertias]


def test_in_gazebo_its_feet_are_at_its_soles_and_weigh_next_to_nothing():
    model = pinocchio.buildModelFromXML(
        described("gz"), pinocchio.JointModelFreeFlyer()
    )
    assert list(model.names) == ["universe", "root_joint", *JOINTS]
    feet = 2 * 0.001
    assert pinocchio.computeTotalMass(model) == pytest.approx(
        planar_biped().mass + feet
    )
    # what the sensors measure beside the ground's force
    assert feet / 2 < 1e-3 * 0.5 * planar_biped().mass
    data = model.createData()
    q = pinocchio.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    pinocchio.framesForwardKinematics(model, data, q)
    for side, sole in zip("lr", SOLES, strict=True):
        place, foot = (
            data.oMf[model.getFrameId(name)] for name in (sole, f"{side}_foot")
        )
        assert place.isApprox(foot, 1e-9)


def test_rails_are_sdf_so_that_the_base_is_the_canonical_link_whose_pose_odometry_gives():
    robot = ElementTree.fromstring(described("gz"))
    children = {
        joint.find("child").get("link")
        for joint in robot.iter("joint")
        if joint.find("child") is not None and joint.find("child").get("link")
    }
    assert [
        link.get("name")
        for link in robot.findall("link")
        if link.get("name") not in children
    ] == ["base_link"]
    (rails,) = [one for one in robot.findall("gazebo") if one.find("link") is not None]
    joints = {one.get("name"): one for one in rails.findall("joint")}
    chain = {
        name: (one.findtext("parent"), one.findtext("child"), one.findtext("axis/xyz"))
        for name, one in joints.items()
    }
    assert chain == {
        "along_x": ("world", "rail_x", "1 0 0"),
        "along_z": ("rail_x", "base_link", "0 0 1"),
    }
    assert all(one.get("type") == "prismatic" for one in joints.values())


def test_the_robot_is_spawned_with_its_feet_touching_the_floor():
    robot = ElementTree.fromstring(described("gz"))
    balls = [one for link in robot.findall("link") for one in link.findall("collision")]
    assert [one.find("origin") for one in balls] == [
        None,
        None,
    ]  # centred on the sole: no moment by posture
    (radius,) = {float(one.find("geometry/sphere").get("radius")) for one in balls}
    height = float(START_HEIGHT)
    assert height == pytest.approx(StartConfig().hip_height + radius)
    file = launch_file("gazebo")
    created = next(
        one
        for one in file.plan(values(file.arguments, [])).programs
        if one.executable == "create"
    )
    assert created.options[-2:] == ("-z", START_HEIGHT)


def test_a_foot_hangs_on_a_fixed_joint_that_survives_the_conversion():
    robot = ElementTree.fromstring(described("gz"))
    for side in "lr":
        (joint,) = [
            one
            for one in robot.findall("joint")
            if one.get("name") == f"{side}_foot_joint"
        ]
        (extra,) = [
            one
            for one in robot.findall("gazebo")
            if one.get("reference") == f"{side}_foot_joint"
        ]
        # a joint without travel has play, and no TF
        assert joint.get("type") == "fixed"
        assert extra.findtext("preserveFixedJoint") == "true"
        assert extra.find("sensor").get("type") == "force_torque"


def test_a_namespace_reaches_the_controller_manager_inside_gazebo():
    def spaces(**more):
        return [
            one.text
            for one in ElementTree.fromstring(described("gz", **more)).iter("namespace")
        ]

    assert spaces() == []
    assert spaces(namespace="one") == ["one"]


def test_mock_hardware_says_what_a_robot_says_that_stands():
    """Without initial values its IMU and wrenches are nan."""
    control = ElementTree.fromstring(described("mock")).find("ros2_control")
    told = {
        one.get("name"): {
            s.get("name"): float(s.findtext("param"))
            for s in one.findall("state_interface")
        }
        for one in (*control.findall("sensor"), *control.findall("joint"))
    }
    imu = told["imu_sensor"]
    assert [imu[f"orientation.{axis}"] for axis in "xyzw"] == [0.0, 0.0, 0.0, 1.0]
    assert [imu[f"linear_acceleration.{axis}"] for axis in "xyz"] == [0.0, 0.0, 9.81]
    assert [imu[f"angular_velocity.{axis}"] for axis in "xyz"] == [0.0, 0.0, 0.0]
    robot = planar_biped()
    model = robot.model
    data = robot.model.createData()
    q = np.concatenate(
        (np.zeros(robot.root_size), [told[name]["position"] for name in JOINTS])
    )
    pinocchio.framesForwardKinematics(model, data, q)
    for sole in SOLES:
        wrench = told[f"{sole[0]}_foot_fts"]
        force = data.oMf[model.getFrameId(sole)].rotation @ [
            wrench[f"force.{axis}"] for axis in "xyz"
        ]
        assert force == pytest.approx([0.0, 0.0, 0.5 * robot.mass * 9.81], abs=1e-2)
        assert [wrench[f"torque.{axis}"] for axis in "xyz"] == [0.0, 0.0, 0.0]
    assert all(
        told[name][what] == 0.0 for name in JOINTS for what in ("velocity", "effort")
    )


def test_efforts_are_limited_by_the_manager_as_the_description_limits_them():
    content = yaml.safe_load((ROOT / "config" / "ros2_control.yaml").read_text())
    assert (
        content["/**/controller_manager"]["ros__parameters"]["enforce_command_limits"]
        is True
    )
    robot = ElementTree.fromstring(described("mock"))
    limits = {
        one.get("name"): float(one.find("limit").get("effort"))
        for one in robot.findall("joint")
        if one.find("limit") is not None
    }
    for joint in robot.find("ros2_control").iter("joint"):
        (command,) = joint.iter("command_interface")
        assert {one.get("name"): float(one.text) for one in command.iter("param")} == {
            "min": -limits[joint.get("name")],
            "max": limits[joint.get("name")],
        }


def test_parameter_files_hold_in_every_namespace():
    said = {path.stem: path.read_text() for path in (ROOT / "config").glob("*.yaml")}
    files = {
        name: yaml.safe_load(text)
        for name, text in said.items()
        if "ros__parameters" in text
    }
    assert {"ros2_control", "walk", "estimator", "replay"} <= set(files)
    assert all(key.startswith("/**/") for content in files.values() for key in content)


def sdf_tool():
    for name in ("ign", "gz"):
        if shutil.which(name):
            return name
    pytest.skip("no SDF parser (Debian: ignition-tools, libsdformat-dev)")


def checked(path):
    """What the parser complains of, but for its own missing parts."""
    done = subprocess.run(
        [sdf_tool(), "sdf", "-k", str(path)], capture_output=True, text=True, timeout=60
    )
    lines = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        if "backward" not in line
    ]
    if any("not a valid" in line or "not supported" in line for line in lines):
        pytest.skip("the SDF tool has no sdf command")
    return lines


@pytest.mark.parametrize("world", WORLDS, ids=lambda path: path.stem)
def test_worlds_load_without_a_warning(world):
    assert checked(world) == ["Valid."]


def test_the_robot_converts_to_sdf_without_a_warning(tmp_path):
    file = tmp_path / "planar_biped.urdf"
    file.write_text(described("gz"))
    told = [
        line for line in checked(file) if "gz_frame_id" not in line
    ]  # which SDF does not know, but Gazebo does
    assert told == ["Valid."]
    done = subprocess.run(
        [sdf_tool(), "sdf", "-p", str(file)], capture_output=True, text=True, timeout=60
    )
    model = ElementTree.fromstring(done.stdout).find("model")
    # libsdformat 12, 14
    assert ElementTree.fromstring(done.stdout).get("version") in (
        "1.9",
        "1.11",
    )
    sensors = {sensor.get("name"): sensor for sensor in model.iter("sensor")}
    assert set(sensors) == set(SENSORS)
    for side in "lr":
        sensor = sensors[f"{side}_foot_fts"]
        assert sensor.findtext("force_torque/frame") == "child"
        assert sensor.findtext("force_torque/measure_direction") == "child_to_parent"
        assert sensor.findtext("gz_frame_id") == f"{side}_sole"
    assert len(list(model.iter("collision"))) == 2
    for surface in model.iter("ode"):
        if surface.find("mu") is not None:
            assert [float(surface.findtext(name)) for name in ("slip1", "slip2")] == [
                0.0,
                0.0,
            ]


@pytest.mark.parametrize("world", WORLDS, ids=lambda path: path.stem)
def test_worlds_name_plugins_as_gazebo_does_and_state_slip(world):
    root = ElementTree.parse(world).getroot()
    assert root.get("version") == "1.9"
    assert all(
        PLUGINS[plugin.get("filename")] == plugin.get("name")
        for plugin in root.iter("plugin")
    )
    assert float(root.findtext("world/physics/max_step_size")) == 0.001
    frictions = list(root.iter("ode"))
    assert frictions
    assert all(
        one.findtext("slip1") == one.findtext("slip2") == "0" for one in frictions
    )


def test_the_patches_are_the_floor_of_the_thesis():
    floor = GroundConfig()
    world = (
        ElementTree.parse(ROOT / "worlds" / "friction_patches.sdf")
        .getroot()
        .find("world")
    )
    ends = []
    mus = []
    for model in world.iter("model"):
        x, _, z, *_ = map(float, model.findtext("pose").split())
        length, _, height = map(
            float, model.findtext("link/collision/geometry/box/size").split()
        )
        assert z + height / 2 == pytest.approx(0.0)
        ends.append((x - length / 2, x + length / 2))
        mus.append(float(model.findtext("link/collision/surface/friction/ode/mu")))
    assert tuple(mus) == floor.mu
    assert ends[0][1] == ends[1][0] == pytest.approx(floor.edges[0])


def test_the_robots_gazebo_plugins_are_known():
    plugins = ElementTree.fromstring(described("gz")).iter("plugin")
    named = {
        plugin.get("filename"): plugin.get("name")
        for plugin in plugins
        if plugin.get("filename")
    }
    assert named
    assert all(PLUGINS[file] == name for file, name in named.items())


def test_controllers_are_known_and_serve_the_robots_joints():
    content = yaml.safe_load((ROOT / "config" / "ros2_control.yaml").read_text())
    content = {key.removeprefix("/**/"): value for key, value in content.items()}
    manager = content["controller_manager"]["ros__parameters"]
    assert manager.pop("update_rate") == 1000
    del manager["enforce_command_limits"]
    del manager["defaults.switch_controller.strictness"]
    assert {name: entry["type"] for name, entry in manager.items()} == CONTROLLERS
    assert content["effort_controller"]["ros__parameters"] == {
        "interface_name": "effort",
        "joints": list(JOINTS),
    }
    for name in SENSORS:
        assert content[f"{name}_broadcaster"]["ros__parameters"]["sensor_name"] == name
    frames = [
        content[f"{side}_foot_fts_broadcaster"]["ros__parameters"]["frame_id"]
        for side in "lr"
    ]
    assert tuple(frames) == SOLES


def test_in_gazebo_joints_are_stamped_as_the_other_sensors_are():
    """A broadcaster stamps them with the newest /clock that has come: 0.5 mm of a
    walking base's place at a time."""
    talos = load_humanoid("talos")
    for text, joints in (
        (described("gz"), JOINTS),
        (gazebo_description(talos, "controllers.yaml"), talos.robot.joints),
    ):
        (publisher,) = [
            one
            for one in ElementTree.fromstring(text).iter("plugin")
            if "JointState" in one.get("name", "")
        ]
        assert [one.text for one in publisher.findall("joint_name")] == list(joints)
    told = yaml.safe_load((ROOT / "config" / "gazebo" / "manager.yaml").read_text())
    for controllers in (told, gazebo_controllers(talos.robot.joints)):
        assert (
            controllers["/**/joint_state_broadcaster"]["ros__parameters"][
                "use_local_topics"
            ]
            is True
        )


def bridged(*files):
    return [
        entry
        for name in files
        for entry in yaml.safe_load((ROOT / "config" / "gazebo" / name).read_text())
    ]


@pytest.mark.parametrize(
    ("files", "description"),
    [
        (("clock_bridge.yaml", "bridge.yaml"), lambda: described("gz")),
        (
            ("humanoid_bridge.yaml",),
            lambda: gazebo_description(load_humanoid("talos"), "controllers.yaml"),
        ),
    ],
    ids=["planar_biped", "talos"],
)
def test_bridges_carry_known_types_under_the_names_that_the_robot_gives(
    files, description
):
    entries = bridged(*files)
    text = description()
    for entry in entries:
        assert (entry["ros_type_name"], entry["gz_type_name"]) == BRIDGED[
            entry["ros_topic_name"]
        ]
        assert entry["direction"] == "GZ_TO_ROS"
        assert (
            entry["gz_topic_name"] == "/clock" or f">{entry['gz_topic_name']}<" in text
        )
    given = set(re.findall(r"<(?:odom_|tf_)?topic>([^<]+)<", text)) | {"/clock"}
    assert given - {entry["gz_topic_name"] for entry in entries} <= {"/clock"}


def test_the_bridges_names_in_gazebo_are_below_the_namespace_as_the_robots_are():
    """The bridge is told to expand them; two robots in one Gazebo would hear each other
    otherwise."""
    file = launch_file("gazebo")
    bridges = [
        one
        for one in file.plan(values(file.arguments, [])).programs
        if one.package == "ros_gz_bridge"
    ]
    assert bridges
    assert all(one.parameters["expand_gz_topic_names"] for one in bridges)
    names = re.findall(
        r"<(?:odom_|tf_)?topic>([^<]+)<", described("gz", namespace="/one")
    )
    assert names
    assert all(name.startswith("one/") for name in names)


def test_inside_gazebo_the_manager_has_gazebos_clock_from_the_beginning():
    """An update before the first /clock otherwise compares times of two clocks, which
    ends Gazebo."""
    told = yaml.safe_load((ROOT / "config" / "gazebo" / "manager.yaml").read_text())
    assert told["/**/controller_manager"]["ros__parameters"]["use_sim_time"] is True
    files = [
        one.text
        for one in ElementTree.fromstring(described("gz", manager="manager.yaml")).iter(
            "parameters"
        )
    ]
    assert files == ["controllers.yaml", "manager.yaml"]
    assert [
        one.text for one in ElementTree.fromstring(described("gz")).iter("parameters")
    ] == ["controllers.yaml"]

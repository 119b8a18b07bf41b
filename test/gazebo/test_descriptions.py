# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot, worlds, controllers and bridges for ros2_control and Gazebo, as far as parsers without Gazebo can tell."""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pinocchio
import pytest
import yaml

from biped_slip.contact.ground import GroundConfig
from biped_slip.robots.planar_biped import JOINTS, SOLES, planar_biped, standing_coordinates
from biped_slip.simulation.planar.scenario import StartConfig

ROOT = Path(__file__).parents[2]
WORLDS = sorted((ROOT / "worlds").glob("*.sdf"))

# Names as ros-conventions has them, by section; the rest is from gz-sim 8 and ros_gz_bridge.
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
    "effort_controller": "forward_command_controller/ForwardCommandController",  # JointGroupEffortController is gone
}
PLUGINS = {  # 7
    "gz-sim-physics-system": "gz::sim::systems::Physics",
    "gz-sim-user-commands-system": "gz::sim::systems::UserCommands",
    "gz-sim-scene-broadcaster-system": "gz::sim::systems::SceneBroadcaster",
    "gz-sim-imu-system": "gz::sim::systems::Imu",
    "gz-sim-forcetorque-system": "gz::sim::systems::ForceTorque",
    "gz-sim-contact-system": "gz::sim::systems::Contact",
    "gz-sim-odometry-publisher-system": "gz::sim::systems::OdometryPublisher",
    "gz-sim-python-system-loader-system": "gz::sim::systems::PythonSystemLoader",
    "gz_ros2_control-system": "gz_ros2_control::GazeboSimROS2ControlPlugin",
}
BRIDGED = {  # 2 and 7
    "/clock": ("rosgraph_msgs/msg/Clock", "gz.msgs.Clock"),
    "imu/data": ("sensor_msgs/msg/Imu", "gz.msgs.IMU"),
    "l_foot/wrench": ("geometry_msgs/msg/WrenchStamped", "gz.msgs.Wrench"),
    "r_foot/wrench": ("geometry_msgs/msg/WrenchStamped", "gz.msgs.Wrench"),
    "odom": ("nav_msgs/msg/Odometry", "gz.msgs.Odometry"),
    "/tf": ("tf2_msgs/msg/TFMessage", "gz.msgs.Pose_V"),
}


def described(hardware):
    xacro = pytest.importorskip("xacro", reason="xacro is not installed")
    mappings = {"hardware": hardware, "controllers": "controllers.yaml"}
    return xacro.process_file(str(ROOT / "urdf" / "planar_biped.urdf.xacro"), mappings=mappings).toxml()


@pytest.mark.parametrize("hardware", HARDWARE)
def test_the_description_names_hardware_joints_and_sensors(hardware):
    control = ElementTree.fromstring(described(hardware)).find("ros2_control")
    assert control.get("type") == "system"
    assert control.findtext("hardware/plugin") == HARDWARE[hardware]
    assert tuple(joint.get("name") for joint in control.iter("joint")) == JOINTS
    for joint in control.iter("joint"):
        assert [one.get("name") for one in joint.iter("command_interface")] == ["effort"]
        assert [one.get("name") for one in joint.iter("state_interface")] == ["position", "velocity", "effort"]
    sensors = [sensor.get("name") for sensor in control.iter("sensor")]
    assert sensors == ([] if hardware == "gz" else SENSORS)


def test_joints_start_where_the_thesis_starts():
    start, robot = StartConfig(), planar_biped()
    feet = (start.left_foot, 0.0), (start.right_foot, 0.0)
    expected = standing_coordinates(robot, (0.0, start.hip_height), feet)[robot.root_size :]
    values = [
        float(one.text)
        for one in ElementTree.fromstring(described("gz")).iter("param")
        if one.get("name") == "initial_value"
    ]
    assert values == pytest.approx(expected, abs=1e-4)


def test_without_gazebo_the_description_is_the_planar_biped():
    ours = pinocchio.buildModelFromXML(described("mock"))
    shipped = pinocchio.buildModelFromUrdf(str(ROOT / "urdf" / "planar_biped.urdf"))
    assert list(ours.names) == list(shipped.names)
    assert [str(one) for one in ours.inertias] == [str(one) for one in shipped.inertias]


def test_in_gazebo_it_moves_in_its_plane_on_feet_at_its_soles():
    model = pinocchio.buildModelFromXML(described("gz"))
    moving = [name for name in model.names if name not in ("universe", "l_foot_joint", "r_foot_joint")]
    assert moving == ["along_x", "along_z", *JOINTS]
    assert pinocchio.computeTotalMass(model) == pytest.approx(planar_biped().mass + 3 * 0.01)
    data = model.createData()
    q = pinocchio.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    for side in "lr":
        q[model.joints[model.getJointId(f"{side}_foot_joint")].idx_q] = 0.0
    pinocchio.framesForwardKinematics(model, data, q)
    for side, sole in zip("lr", SOLES, strict=True):
        place, foot = (data.oMf[model.getFrameId(name)] for name in (sole, f"{side}_foot"))
        assert place.isApprox(foot, 1e-9)
    assert data.oMf[model.getFrameId("base_link")].translation[1] == 0.0


def sdf_tool():
    for name in ("ign", "gz"):
        if shutil.which(name):
            return name
    pytest.skip("no SDF parser (Debian: ignition-tools, libsdformat-dev)")


def checked(path):
    """What the parser complains of, but for its own missing parts."""
    done = subprocess.run([sdf_tool(), "sdf", "-k", str(path)], capture_output=True, text=True, timeout=60)
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "backward" not in line]
    if any("not a valid" in line or "not supported" in line for line in lines):
        pytest.skip("the SDF tool has no sdf command")
    return lines


@pytest.mark.parametrize("world", WORLDS, ids=lambda path: path.stem)
def test_worlds_load_without_a_warning(world):
    assert checked(world) == ["Valid."]


def test_the_robot_converts_to_sdf_without_a_warning(tmp_path):
    file = tmp_path / "planar_biped.urdf"
    file.write_text(described("gz"))
    assert checked(file) == ["Valid."]
    done = subprocess.run([sdf_tool(), "sdf", "-p", str(file)], capture_output=True, text=True, timeout=60)
    model = ElementTree.fromstring(done.stdout).find("model")
    assert ElementTree.fromstring(done.stdout).get("version") == "1.9"
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
            assert [float(surface.findtext(name)) for name in ("slip1", "slip2")] == [0.0, 0.0]


@pytest.mark.parametrize("world", WORLDS, ids=lambda path: path.stem)
def test_worlds_name_plugins_as_gazebo_does_and_state_slip(world):
    root = ElementTree.parse(world).getroot()
    assert root.get("version") == "1.9"
    assert all(PLUGINS[plugin.get("filename")] == plugin.get("name") for plugin in root.iter("plugin"))
    assert float(root.findtext("world/physics/max_step_size")) == 0.001
    frictions = list(root.iter("ode"))
    assert frictions
    assert all(one.findtext("slip1") == one.findtext("slip2") == "0" for one in frictions)


def test_the_patches_are_the_floor_of_the_thesis():
    floor = GroundConfig()
    world = ElementTree.parse(ROOT / "worlds" / "friction_patches.sdf").getroot().find("world")
    ends, mus = [], []
    for model in world.iter("model"):
        x, _, z, *_ = map(float, model.findtext("pose").split())
        length, _, height = map(float, model.findtext("link/collision/geometry/box/size").split())
        assert z + height / 2 == pytest.approx(0.0)
        ends.append((x - length / 2, x + length / 2))
        mus.append(float(model.findtext("link/collision/surface/friction/ode/mu")))
    assert tuple(mus) == floor.mu
    assert ends[0][1] == ends[1][0] == pytest.approx(floor.edges[0])


def test_the_robots_gazebo_plugins_are_known():
    plugins = ElementTree.fromstring(described("gz")).iter("plugin")
    named = {plugin.get("filename"): plugin.get("name") for plugin in plugins if plugin.get("filename")}
    assert named
    assert all(PLUGINS[file] == name for file, name in named.items())


def test_controllers_are_known_and_serve_the_robots_joints():
    content = yaml.safe_load((ROOT / "config" / "ros2_control.yaml").read_text())
    manager = content["controller_manager"]["ros__parameters"]
    assert manager.pop("update_rate") == 1000
    assert {name: entry["type"] for name, entry in manager.items()} == CONTROLLERS
    assert content["effort_controller"]["ros__parameters"] == {"interface_name": "effort", "joints": list(JOINTS)}
    for name in SENSORS:
        assert content[f"{name}_broadcaster"]["ros__parameters"]["sensor_name"] == name
    frames = [content[f"{side}_foot_fts_broadcaster"]["ros__parameters"]["frame_id"] for side in "lr"]
    assert tuple(frames) == SOLES


def test_bridges_carry_known_types_under_the_names_that_the_robot_gives():
    entries = [
        entry
        for path in (ROOT / "config" / "gazebo").glob("*bridge.yaml")
        for entry in yaml.safe_load(path.read_text())
    ]
    assert {e["ros_topic_name"]: (e["ros_type_name"], e["gz_type_name"]) for e in entries} == BRIDGED
    assert {entry["direction"] for entry in entries} == {"GZ_TO_ROS"}
    description = described("gz")
    for entry in entries:
        assert entry["gz_topic_name"] == "/clock" or f">{entry['gz_topic_name']}<" in description

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid for Gazebo has its soles, sensors and motors where its YAML has them."""

import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    IMU,
    humanoid_of,
    load_humanoid,
)
from biped_slip.robots.robot import SOLES
from biped_slip.robots.simulator_descriptions import (
    BALL,
    gazebo_controllers,
    gazebo_description,
    without_rotors,
)

ROBOTS = ("talos", "g1")


def described(name, namespace=""):
    return ElementTree.fromstring(
        gazebo_description(load_humanoid(name), "controllers.yaml", namespace)
    )


def numbers(text):
    return np.array([float(word) for word in text.split()])


def placement(text):
    values = numbers(text)
    return pin.SE3(pin.rpy.rpyToMatrix(*values[3:]), values[:3])


def link_of(model, frame):
    """Placement in its joint of a frame that a link's name gives."""
    found = model.frames[model.getFrameId(frame)]
    return found.parentJoint, found.placement


@pytest.mark.parametrize("name", ROBOTS)
def test_the_corners_of_its_soles_touch_the_floor_when_it_stands(name):
    humanoid = load_humanoid(name)
    robot = described(name)
    model = humanoid.model
    data = humanoid.model.createData()
    pin.framesForwardKinematics(model, data, humanoid.standing())
    balls = [
        (link.get("name"), one)
        for link in robot.findall("link")
        for one in link.findall("collision")
    ]
    assert len(balls) == sum(len(humanoid.polygon(foot)) for foot in range(2))
    for foot, sole in enumerate(SOLES):
        corners = {tuple(np.round(corner, 9)) for corner in humanoid.polygon(foot)}
        mine = [(link, one) for link, one in balls if one.get("name").startswith(sole)]
        for link, one in mine:
            assert float(one.find("geometry/sphere").get("radius")) == BALL
            centre = data.oMf[model.getFrameId(link)].act(
                numbers(one.find("origin").get("xyz"))
            )
            assert centre[2] == pytest.approx(BALL, abs=1e-6)
            in_sole = data.oMf[model.getFrameId(sole)].actInv(centre)
            corners.discard(tuple(np.round(in_sole[:2], 9)))
        assert not corners


@pytest.mark.parametrize("name", ROBOTS)
def test_its_sensors_are_where_its_frames_are(name):
    model = load_humanoid(name).model
    robot = described(name)
    found = {
        sensor.get("name"): (one.get("reference"), sensor)
        for one in robot.findall("gazebo")
        for sensor in one.findall("sensor")
    }
    assert set(found) == {IMU, *FOOT_IMUS, *FORCE_SENSORS}
    for imu in (IMU, *FOOT_IMUS):
        link, sensor = found[imu]
        joint, there = link_of(model, imu)
        carrier, beside = link_of(model, link)
        assert (carrier, beside.isIdentity(1e-9)) == (joint, True)
        assert placement(sensor.findtext("pose")).isApprox(there, 1e-6)
    for name_, (joint, sensor) in found.items():
        assert sensor.findtext("gz_frame_id") == name_
        assert float(sensor.findtext("update_rate")) == 1000.0
        if name_ in FORCE_SENSORS:
            assert model.names[link_of(model, name_)[0]] == joint
            assert sensor.findtext("force_torque/frame") == "child"
            assert (
                sensor.findtext("force_torque/measure_direction") == "child_to_parent"
            )


@pytest.mark.parametrize("name", ROBOTS)
def test_its_motors_take_efforts_within_its_limits_and_start_where_it_stands(name):
    humanoid = load_humanoid(name)
    control = described(name).find("ros2_control")
    assert control.findtext("hardware/plugin") == "gz_ros2_control/GazeboSimSystem"
    joints = control.findall("joint")
    assert tuple(one.get("name") for one in joints) == tuple(humanoid.robot.joints)
    starts = [
        float(one.findtext("state_interface[@name='position']/param")) for one in joints
    ]
    assert starts == pytest.approx(humanoid.posture)
    limits = [
        [float(end.text) for end in one.findall("command_interface/param")]
        for one in joints
    ]
    assert limits == [[-effort, effort] for effort in humanoid.efforts]
    content = gazebo_controllers(humanoid.robot.joints)
    assert content["/**/controller_manager"]["ros__parameters"]["update_rate"] == 1000
    assert content["/**/effort_controller"]["ros__parameters"]["joints"] == list(
        humanoid.robot.joints
    )


def test_a_namespace_is_before_all_its_topics():
    robot = described("talos", "/one")
    names = [
        one.text
        for tag in ("topic", "odom_topic", "tf_topic")
        for one in robot.iter(tag)
    ]
    assert len(names) == 8
    assert all(name.startswith("one/") for name in names)
    assert robot.findtext("gazebo/plugin/ros/namespace") == "/one"


def test_what_other_simulators_are_told_is_left_out():
    named = {
        one.get("filename")
        for one in described("talos").iter("plugin")
        if one.get("filename")
    }
    assert named == {
        "gz_ros2_control-system",
        "gz-sim-odometry-publisher-system",
        "gz-sim-joint-state-publisher-system",
    }
    assert described("talos").find("transmission") is None


@pytest.mark.parametrize("name", ROBOTS)
def test_no_body_has_an_inertia_without_mass(name):
    """Two such that are joined in the conversion to SDF have their centre of mass
    nowhere."""
    masses = [float(one.get("value")) for one in described(name).iter("mass")]
    assert min(masses) > 0.0
    assert sum(masses) == pytest.approx(load_humanoid(name).robot.mass)


def test_in_gazebo_joints_have_no_rotors():
    light = without_rotors(load_humanoid("talos"))
    assert not light.model.armature.any()
    assert light.robot.joints == load_humanoid("talos").robot.joints


def test_a_force_sensor_beside_its_joint_is_refused():
    humanoid = load_humanoid("talos")
    sensor = dataclasses.replace(humanoid.config.l_ft, position=(0.0, 0.0, -0.05))
    moved = humanoid_of(dataclasses.replace(humanoid.config, l_ft=sensor), "moved")
    with pytest.raises(InvalidParameter, match="l_ft in Gazebo"):
        gazebo_description(moved, "controllers.yaml")

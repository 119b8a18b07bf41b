# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The files with which a humanoid is launched in Gazebo."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.ros.gazebo_robot import gazebo_humanoid
from biped_slip.ros.humanoid_robot import HumanoidInputs
from biped_slip.walking.humanoid import chosen_walking


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_its_walk_is_the_shipped_one_on_a_robot_without_rotors(name, tmp_path):
    made = gazebo_humanoid(name, "", tmp_path)
    shipped = chosen_walking(name)
    walk = chosen_walking(made.walk)
    assert walk.speed == shipped.speed
    assert (
        replace(walk.controller, pattern=shipped.controller.pattern)
        == shipped.controller
    )
    # lighter legs
    assert (
        walk.controller.pattern.swing_acceleration
        > shipped.controller.pattern.swing_acceleration
    )
    robot = load_humanoid(walk.robot)
    assert not robot.model.armature.any()
    assert robot.robot.mass == pytest.approx(load_humanoid(name).robot.mass)
    assert made.height == pytest.approx(load_humanoid(name).standing()[2])
    with open(made.controllers, encoding="utf-8") as file:
        efforts = yaml.safe_load(file)["/**/effort_controller"]["ros__parameters"]
    assert efforts["joints"] == list(robot.robot.joints)
    assert made.controllers in made.description


@pytest.mark.parametrize("sensors", ["ankles", "realistic"])
def test_a_robot_has_in_gazebo_the_sensors_that_its_controller_waits_for(
    sensors, tmp_path
):
    file = tmp_path / "g1_walk.yaml"
    file.write_text(yaml.safe_dump({"robot": "g1", "sensors": sensors}))
    made = gazebo_humanoid(str(file), "", tmp_path)
    absent = chosen_walking(made.walk).absent_sensors
    assert absent == chosen_walking(str(file)).absent_sensors
    joints = load_humanoid("g1").robot.joints
    inputs = HumanoidInputs(joints, False, sole_positions=False, absent=absent)
    tree = ElementTree.fromstring(made.description)
    simulated = {sensor.findtext("topic") for sensor in tree.iter("sensor")}
    assert simulated == set(inputs.topics) - {"joint_states"}
    with open(made.bridge, encoding="utf-8") as file:
        carried = {entry["ros_topic_name"] for entry in yaml.safe_load(file)}
    assert carried == {*inputs.topics, "odom", "/tf"}


def test_without_sensors_of_the_soles_their_places_are_not_waited_for():
    joints = load_humanoid("talos").robot.joints
    with_them = HumanoidInputs(joints, False)
    without = HumanoidInputs(joints, False, sole_positions=False)
    assert set(with_them.topics) - set(without.topics) == {
        "l_foot/position",
        "r_foot/position",
    }
    assert np.isnan(without.readings(0).raw.foot_position).all()

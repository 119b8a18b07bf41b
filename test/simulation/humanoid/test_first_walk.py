# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walk's file that names a robot and nothing else gets steps that fit the robot, and
walks."""

import re

import pytest

from biped_slip.reports.stances import fall_sentence
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.sensor_config import filled
from biped_slip.shared_files import shared_file
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.summary import summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import chosen_walking, humanoid_body, humanoid_walks

ROMEO = """\
description: example-robot-data:romeo_description/urdf/romeo_small.urdf
imu: {link: ImuTorsoAccelerometer_frame}
l_ft: {link: l_ankle}
r_ft: {link: r_ankle}
contact:
  polygon: [[-0.08, -0.05], [0.13, -0.05], [0.13, 0.05], [-0.08, 0.05]]
posture:
  {LHipPitch: -BENT, LKneePitch: KNEE, LAnklePitch: -BENT, RHipPitch: -BENT, RKneePitch: KNEE, RAnklePitch: -BENT}
armature: 0.05
"""


def romeo(folder, knee):
    """The file of a robot that is not shipped."""
    path = folder / f"romeo{knee:g}.yaml"
    path.write_text(ROMEO.replace("BENT", f"{0.5 * knee}").replace("KNEE", f"{knee}"))
    return path


@pytest.mark.parametrize("robot", ["talos", "g1", "surena3"])
def test_steps_fit_the_robot(tmp_path, robot):
    file = tmp_path / "walk.yaml"
    file.write_text(f"robot: {robot}\n")
    config = chosen_walk(str(file), "ankles")
    humanoid = load_humanoid(robot)
    body = humanoid_body(humanoid)
    assert (
        2.0 * body.half_size[1]
        < config.controller.steps.width
        < 0.3 * body.centre_height
    )
    assert config.interval.force.sigma == pytest.approx(0.003 * humanoid.weight)
    assert 0.15 < config.speed < 0.3


@pytest.mark.parametrize("robot", ["talos", "g1", "surena3"])
def test_a_shipped_walk_is_the_same_by_its_name_and_by_its_file(robot):
    assert chosen_walk(
        str(shared_file(f"config/humanoid_walks/{robot}.yaml"))
    ) == chosen_walk(robot)


def test_what_a_file_says_holds(tmp_path):
    file = tmp_path / "walk.yaml"
    file.write_text(
        "robot: talos\nspeed: 0.4\ncontroller: {steps: {width: 0.2}}\ninterval: "
        "{slip: {moment_arm: 0.01}}\n"
    )
    config = chosen_walk(str(file))
    assert (
        config.speed,
        config.controller.steps.width,
        config.interval.slip.moment_arm,
    ) == (0.4, 0.2, 0.01)
    assert not config.interval.gate.carry_sole
    assert config.limit.lower_when_usable


def test_a_robot_on_points_walks_from_its_name_alone(tmp_path):
    file = tmp_path / "walk.yaml"
    file.write_text("robot: bolt\ndistance: 0.4\npatch: {length: 0.0}\n")
    walk = HumanoidWalk(chosen_walk(str(file)), "interval", 1)
    walk.run()
    assert summarise_humanoid(walk).passes()


def test_defaults_fill_what_is_not_said_at_every_depth():
    assert filled({"a": {"b": 1}, "c": 2}, {"a": {"b": 3, "d": 4}, "e": {"f": 5}}) == {
        "a": {"b": 1, "d": 4},
        "c": 2,
        "e": {"f": 5},
    }


@pytest.mark.compiled
def test_a_robot_that_is_not_shipped_walks_from_a_file_that_only_names_it(tmp_path):
    romeo(tmp_path, 0.4)
    file = tmp_path / "walk.yaml"
    file.write_text("robot: romeo0.4.yaml\ndistance: 0.8\npatch: {length: 0.0}\n")
    walk = HumanoidWalk(chosen_walk(str(file)), "interval", seed=1, checked=True)
    walk.run()
    assert summarise_humanoid(walk).passes()


@pytest.mark.parametrize("name", humanoid_walks())
def test_every_shipped_walk_tells_its_estimator_what_its_force_sensors_are_worth(name):
    walk = chosen_walking(name)
    sensors = walk.sensors.force_torque
    told = walk.interval.force
    weight = load_humanoid(walk.robot).weight
    assert told.sigma == pytest.approx(sensors.force_noise * weight, rel=0.05)
    assert told.offset > 0.95 * sensors.force_bias * weight, (
        "an offset that nobody told of breaks the certificate"
    )


@pytest.mark.compiled
def test_a_knee_with_half_of_its_torque_is_named_as_the_cause_of_a_fall(tmp_path):
    robot = shared_file("config/robots/talos.yaml").read_text(encoding="utf-8")
    (tmp_path / "weak.yaml").write_text(
        robot + "efforts: {leg_left_4_joint: 150, leg_right_4_joint: 150}\n"
    )
    file = tmp_path / "walk.yaml"
    file.write_text(
        "robot: weak.yaml\nspeed: 0.4\npatch: {length: 0.0}\ncontroller: "
        "{height_share: 0.88}\n"
    )
    walk = HumanoidWalk(chosen_walk(str(file), "ankles"), "none", seed=1)
    walk.run()
    sentence = fall_sentence(walk.world.log, "fell")
    assert re.search(
        r"What came before: leg_(left|right)_4_joint at its torque limit of 150 N m",
        sentence,
    ), sentence

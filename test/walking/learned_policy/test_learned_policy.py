# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A policy from an ONNX file sees what its layout says, and its answer becomes joint
torques."""

import dataclasses
import math
from itertools import islice

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the test extra is not installed")
pytest.importorskip("onnxruntime", reason="the policies extra is not installed")

from walking.learned_policy.tiny_network import write_linear

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.shared_files import shared_file
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import HumanoidWalkingConfig, standing_readings
from biped_slip.walking.learned_policy import LearnedPolicy
from biped_slip.walking.policy_layout import LearnedPolicyConfig, layout_of
from biped_slip.walking.policy_observation import instant_at_rest, observed
from biped_slip.walking.registry import humanoid_controller
from biped_slip.walking.slip_policies import slip_policy

ROBOT = "g1"
JOINTS = 29
SEEN = 103
CONFIG = HumanoidWalkingConfig(robot=ROBOT, speed=0.6, start=0.5)
LAYOUT = LearnedPolicyConfig.from_yaml(
    shared_file("config/policies/g1_playground.yaml")
)


def player(path, matrix, layout=LAYOUT, offset=None):
    """A player of a linear network."""
    policy = slip_policy("none", CONFIG.policy_settings(load_humanoid(ROBOT).weight))
    return LearnedPolicy(
        write_linear(path / "tiny.onnx", matrix, offset), CONFIG, policy, layout
    )


def played(controller, ticks):
    """Torques (ticks, n) while ideal sensors say that the robot stands, and the
    readings."""
    readings = list(
        islice(standing_readings(load_humanoid(ROBOT), external_base=True), ticks)
    )
    return np.array([controller.step(one).torques for one in readings]), readings


def rows_of(controller, monkeypatch):
    """The rows that a controller's network is shown, in a list that grows."""
    asked = []
    network = controller._network

    def noted(row, memory):
        asked.append(row)
        return network(row, memory)

    monkeypatch.setattr(controller, "_network", noted)
    return asked


def seen_by_name(values):
    """A row of an observation taken apart again."""
    sizes = {"command": 3, "cosine_of_phases": 2, "sine_of_phases": 2}
    sizes |= dict.fromkeys(
        ("linear_velocity_in_imu", "angular_velocity_in_imu", "gravity_in_imu"), 3
    )
    parts = {}
    at = 0
    for term in LAYOUT.observation:
        size = sizes.get(term, JOINTS)
        parts[term] = values[at : at + size]
        at = at + size
    assert at == len(values)
    return parts


def test_terms_come_in_the_order_of_the_layout():
    three = np.arange(3.0)
    now = instant_at_rest(2, (math.pi,))._replace(
        command=30 + three, joint_velocity=np.array([40.0, 41.0])
    )
    found = observed(("command", "cosine_of_phases", "joint_velocity"), now)
    np.testing.assert_allclose(found, [30, 31, 32, -1, 40, 41])


def test_the_shipped_layout_is_that_of_the_network_it_is_named_after():
    asked = observed(LAYOUT.observation, instant_at_rest(JOINTS, LAYOUT.phases))
    assert asked.size == SEEN
    assert (
        dict(LAYOUT.posture)["right_shoulder_roll_joint"]
        == -dict(LAYOUT.posture)["left_shoulder_roll_joint"]
    )


def test_a_network_without_an_opinion_leaves_springs_to_the_posture(tmp_path):
    torques, readings = played(player(tmp_path, np.zeros((JOINTS, SEEN))), 400)
    posture = np.array(
        [
            dict(LAYOUT.posture).get(joint, 0.0)
            for joint in load_humanoid(ROBOT).robot.joints
        ]
    )
    stiffness = np.array(
        [
            dict(LAYOUT.stiffnesses).get(joint, 75.0)
            for joint in load_humanoid(ROBOT).robot.joints
        ]
    )
    np.testing.assert_allclose(
        torques[-1], stiffness * (posture - readings[-1].joint_position), atol=1e-12
    )


def test_an_answer_moves_the_targets_by_its_scale(tmp_path):
    answer = np.linspace(-0.1, 0.1, JOINTS)
    still, _ = played(player(tmp_path, np.zeros((JOINTS, SEEN))), 400)
    moved, _ = played(player(tmp_path, np.zeros((JOINTS, SEEN)), offset=answer), 400)
    stiffness = np.array(
        [
            dict(LAYOUT.stiffnesses).get(joint, 75.0)
            for joint in load_humanoid(ROBOT).robot.joints
        ]
    )
    np.testing.assert_allclose(
        moved[-1] - still[-1], stiffness * LAYOUT.action_scale * answer, rtol=1e-6
    )


def test_what_a_standing_robot_shows_its_network_is_that_it_stands_and_is_commanded(
    tmp_path, monkeypatch
):
    controller = player(tmp_path, np.zeros((JOINTS, SEEN)))
    asked = rows_of(controller, monkeypatch)
    played(controller, 1000)
    first = seen_by_name(asked[0])
    last = seen_by_name(asked[-1])
    np.testing.assert_allclose(last["gravity_in_imu"], [0.0, 0.0, -1.0], atol=1e-6)
    np.testing.assert_allclose(last["linear_velocity_in_imu"], 0.0, atol=1e-6)
    np.testing.assert_allclose(first["command"], 0.0)
    np.testing.assert_allclose(last["command"], [0.6, 0.0, 0.0])
    np.testing.assert_allclose(first["cosine_of_phases"], [1.0, -1.0])
    advanced = math.tau * LAYOUT.gait_frequency * LAYOUT.period * (len(asked) - 1)
    np.testing.assert_allclose(
        last["sine_of_phases"], [math.sin(advanced), -math.sin(advanced)], atol=1e-9
    )


def test_the_network_is_asked_once_a_period_and_hears_its_last_answer(
    tmp_path, monkeypatch
):
    answer = np.linspace(-0.1, 0.1, JOINTS)
    controller = player(tmp_path, np.zeros((JOINTS, SEEN)), offset=answer)
    asked = rows_of(controller, monkeypatch)
    torques, _ = played(controller, 1000)
    waits = int(np.argmax(np.any(np.diff(torques, axis=0) != 0.0, axis=1))) + 1
    assert len(asked) == math.ceil((1000 - waits) / (1e3 * LAYOUT.period))
    np.testing.assert_allclose(seen_by_name(asked[0])["last_action"], 0.0)
    np.testing.assert_allclose(seen_by_name(asked[1])["last_action"], answer, rtol=1e-6)


def test_torques_stay_inside_the_motors_limits_whatever_a_network_answers(tmp_path):
    torques, _ = played(
        player(tmp_path, np.zeros((JOINTS, SEEN)), offset=np.full(JOINTS, 1e6)), 400
    )
    np.testing.assert_allclose(torques[-1], load_humanoid(ROBOT).efforts)


def test_joints_may_come_in_the_networks_own_order(tmp_path):
    names = load_humanoid(ROBOT).robot.joints
    turned = dataclasses.replace(LAYOUT, joints=tuple(reversed(names)))
    answer = np.linspace(-0.1, 0.1, JOINTS)
    straight, _ = played(player(tmp_path, np.zeros((JOINTS, SEEN)), offset=answer), 400)
    other, _ = played(
        player(tmp_path, np.zeros((JOINTS, SEEN)), turned, offset=answer[::-1]), 400
    )
    np.testing.assert_allclose(other, straight)


def test_a_network_of_another_size_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(BipedSlipError, match=r"'seen' is \[1, 90\], but must be \[1, 103\]"):
        player(tmp_path, np.zeros((JOINTS, 90)))
    with pytest.raises(BipedSlipError, match="answer is 28, but must be 29"):
        player(tmp_path, np.zeros((28, SEEN)))
    (tmp_path / "tiny.onnx").write_bytes(b"no network")
    policy = slip_policy("none", CONFIG.policy_settings(300.0))
    with pytest.raises(BipedSlipError, match=r"tiny\.onnx"):
        LearnedPolicy(tmp_path / "tiny.onnx", CONFIG, policy, LAYOUT)


def test_a_layout_names_joints_and_terms_that_exist(tmp_path):
    with pytest.raises(UnknownName, match="term of an observation"):
        LearnedPolicyConfig(observation=("smell",))
    with pytest.raises(UnknownName, match="tail"):
        player(
            tmp_path,
            np.zeros((JOINTS, SEEN)),
            dataclasses.replace(LAYOUT, dampings=(("tail", 1.0),)),
        )


def test_the_layout_lies_beside_the_network_or_comes_with_the_package(tmp_path):
    assert layout_of(tmp_path / "g1_playground.onnx") == LAYOUT
    with pytest.raises(BipedSlipError, match=r"mine\.yaml"):
        layout_of(tmp_path / "mine.onnx")
    (tmp_path / "mine.yaml").write_text(
        "period: 0.01\nposture: {left_knee_joint: 0.5}\n", encoding="utf-8"
    )
    assert layout_of(tmp_path / "mine.onnx").posture == (("left_knee_joint", 0.5),)


def test_a_controller_is_a_file_by_its_name(tmp_path):
    path = write_linear(tmp_path / "g1_playground.onnx", np.zeros((JOINTS, SEEN)))
    policy = slip_policy("none", CONFIG.policy_settings(300.0))
    assert isinstance(
        humanoid_controller(CONFIG, policy, f"onnx:{path}"), LearnedPolicy
    )
    with pytest.raises(InvalidParameter, match="a file that exists"):
        humanoid_controller(CONFIG, policy, f"onnx:{tmp_path / 'nothing.onnx'}")


def test_readings_that_are_no_numbers_leave_finite_torques(tmp_path):
    controller = player(tmp_path, np.zeros((JOINTS, SEEN)))
    readings = list(
        islice(standing_readings(load_humanoid(ROBOT), external_base=True), 400)
    )
    for one in readings[:-1]:
        controller.step(one)
    broken = readings[-1].base._replace(linear_velocity_in_base=np.full(3, np.nan))
    assert np.isfinite(
        controller.step(HumanoidReadings(readings[-1].raw, broken)).torques
    ).all()


@pytest.mark.compiled
def test_the_free_policy_walks_in_our_simulator_with_friction_estimated_under_its_feet(
    recordings,
):
    network = recordings / "policies" / "g1_playground.onnx"
    if not network.is_file():
        pytest.skip(f"the policy is not at {network}")
    said = chosen_walk("g1").to_mapping()
    said["patch"]["length"] = 0.0
    walk = HumanoidWalk(
        HumanoidWalkConfig.from_mapping(said),
        "none",
        true_base=True,
        controller=f"onnx:{network}",
    )
    usable = 0
    while walk.world.plant.ticks < 6000 and not walk.ended:
        usable += any(estimate.usable for estimate in walk.tick().estimates)
    assert not walk.world.fell
    assert walk.world.plant.state.q[0] > 0.4 * 5.0  # commanded 0.6 m/s for 5.5 s
    assert usable > 0

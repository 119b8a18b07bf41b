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

from walking.learned_policy.tiny_network import write_counting, write_linear

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.shared_files import shared_file
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.humanoid import HumanoidWalkingConfig, standing_readings
from biped_slip.walking.learned_policy import (
    LearnedPolicy,
    phases_after,
    roll_pitch_yaw,
)
from biped_slip.walking.policy_layout import (
    FrequencyPerSpeedConfig,
    LearnedPolicyConfig,
    RecurrentConfig,
    layout_of,
)
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
    with pytest.raises(
        BipedSlipError, match=r"'seen' is \[1, 90\], but must be \[1, 103\]"
    ):
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


HELD = ("left_wrist_yaw_joint", "right_wrist_yaw_joint")


def order():
    """The robot's joints."""
    return list(load_humanoid(ROBOT).robot.joints)


def test_a_hidden_joint_is_shown_as_resting_and_driven_all_the_same(
    tmp_path, monkeypatch
):
    hidden = order()[3]  # the posture of the layout is not that in which it stands
    layout = dataclasses.replace(LAYOUT, hidden_joints=(hidden,))
    answer = np.full(JOINTS, 0.01)
    plain = player(tmp_path, np.zeros((JOINTS, SEEN)), offset=answer)
    plain_rows = rows_of(plain, monkeypatch)
    plain_torques, _ = played(plain, 400)
    controller = player(tmp_path, np.zeros((JOINTS, SEEN)), layout, offset=answer)
    rows = rows_of(controller, monkeypatch)
    torques, _ = played(controller, 400)
    before = seen_by_name(plain_rows[-1])["joint_position"]
    after = seen_by_name(rows[-1])["joint_position"]
    assert before[3] != 0.0
    assert after[3] == 0.0
    np.testing.assert_array_equal(np.delete(before, 3), np.delete(after, 3))
    np.testing.assert_array_equal(plain_torques, torques)


def test_held_joints_are_springs_and_the_network_knows_nothing_of_them(
    tmp_path, monkeypatch
):
    layout = dataclasses.replace(
        LAYOUT, held_joints=tuple((name, 0.3) for name in HELD)
    )
    driven = JOINTS - len(HELD)
    controller = player(tmp_path, np.zeros((driven, 16 + 3 * driven)), layout)
    rows = rows_of(controller, monkeypatch)
    torques, readings = played(controller, 400)
    assert rows[-1].size == 16 + 3 * driven
    at = [order().index(name) for name in HELD]
    away = 0.3 - readings[-1].joint_position[at]
    np.testing.assert_allclose(torques[-1][at], 2.0 * away)


def test_a_joint_that_is_neither_driven_nor_held_is_refused(tmp_path):
    layout = dataclasses.replace(LAYOUT, joints=tuple(order()[:-1]), posture=())
    with pytest.raises(InvalidParameter) as refused:
        player(tmp_path, np.zeros((JOINTS, SEEN)), layout)
    assert str(refused.value) == (
        f"joint {order()[-1]} is 'without a drive', but must be among the layout's "
        "joints or held_joints; hold it there, or lock it in the robot's file"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_joints": ("tail",)},
        {"action_scales": (("tail", 0.1),)},
        {"efforts": (("tail", 1.0),)},
        {"held_joints": (("tail", 1.0),)},
    ],
)
def test_names_of_joints_are_the_robots(tmp_path, changes):
    with pytest.raises(UnknownName, match="tail"):
        player(
            tmp_path,
            np.zeros((JOINTS, SEEN)),
            dataclasses.replace(LAYOUT, **changes),
        )


def test_an_answer_is_clipped_before_it_is_scaled_and_remembered(tmp_path, monkeypatch):
    answer = np.linspace(-1.0, 1.0, JOINTS)
    layout = dataclasses.replace(LAYOUT, action_limit=0.01)
    still, _ = played(player(tmp_path, np.zeros((JOINTS, SEEN)), layout), 400)
    controller = player(tmp_path, np.zeros((JOINTS, SEEN)), layout, offset=answer)
    rows = rows_of(controller, monkeypatch)
    moved, _ = played(controller, 400)
    clipped = np.clip(answer, -0.01, 0.01)
    np.testing.assert_allclose(seen_by_name(rows[-1])["last_action"], clipped)
    stiffness = np.array(
        [dict(LAYOUT.stiffnesses).get(joint, 75.0) for joint in order()]
    )
    np.testing.assert_allclose(
        moved[-1] - still[-1],
        stiffness * LAYOUT.action_scale * clipped,
        rtol=1e-5,
        atol=1e-9,
    )


def test_a_joint_may_have_a_scale_and_a_torque_limit_of_its_own(tmp_path):
    knee = order()[3]
    answer = np.zeros(JOINTS)
    answer[3] = 0.02
    layout = dataclasses.replace(LAYOUT, action_scales=((knee, 2.0),))
    still, _ = played(player(tmp_path, np.zeros((JOINTS, SEEN)), layout), 400)
    moved, _ = played(
        player(tmp_path, np.zeros((JOINTS, SEEN)), layout, offset=answer), 400
    )
    assert moved[-1][3] - still[-1][3] == pytest.approx(75.0 * 2.0 * 0.02)
    strong = np.full(JOINTS, 1e6)
    layout = dataclasses.replace(LAYOUT, effort=7.0, efforts=((knee, 1e4),))
    torques, _ = played(
        player(tmp_path, np.zeros((JOINTS, SEEN)), layout, offset=strong), 400
    )
    limits = np.minimum(load_humanoid(ROBOT).efforts, 7.0)
    limits[3] = load_humanoid(ROBOT).efforts[3]  # never more than its motor has
    np.testing.assert_allclose(torques[-1], limits)


def test_the_gait_is_faster_the_larger_the_command_up_to_a_bound():
    layout = LearnedPolicyConfig(
        gait_frequency=1.0,
        gait_frequency_per_speed=FrequencyPerSpeedConfig(slope=0.5, up_to=1.0),
        phases=(0.0, 1.0),
    )
    start = np.array(layout.phases)
    for command, frequency in (
        ([0.0, 0.0, 0.0], 1.0),
        ([0.6, 0.0, 0.0], 1.3),
        ([0.0, 0.3, 0.4], 1.25),
        ([2.0, 0.0, 0.0], 1.5),
    ):
        after = phases_after(start, layout, np.array(command))
        turned = math.tau * frequency * layout.period
        np.testing.assert_allclose(after - start, turned)
    late = phases_after(np.array([3.14, -3.14]), layout, np.zeros(3))
    assert np.all(np.abs(late) <= math.pi)


def test_a_network_that_counts_remembers_until_it_is_reset(tmp_path):
    layout = dataclasses.replace(
        LAYOUT,
        recurrent=RecurrentConfig(size=2, inputs=("count",), outputs=("count_next",)),
        action_scale=1e-4,
    )
    write_counting(tmp_path / "tiny.onnx", SEEN, JOINTS, 2)
    policy = slip_policy("none", CONFIG.policy_settings(load_humanoid(ROBOT).weight))
    controller = LearnedPolicy(tmp_path / "tiny.onnx", CONFIG, policy, layout)
    torques, _ = played(controller, 1000)
    steps = np.unique(torques[-700:, 3].round(9))
    # one step of the spring's target an answer
    np.testing.assert_allclose(np.diff(steps), 75.0 * 1e-4, rtol=1e-4)
    controller.reset()
    again, _ = played(controller, 1000)
    np.testing.assert_array_equal(again, torques)


def test_angles_of_the_base_are_those_of_its_three_turns():
    for axis in range(3):
        turn = np.eye(3)
        one = (axis + 1) % 3
        other = (axis + 2) % 3
        turn[one, one] = turn[other, other] = math.cos(0.3)
        turn[other, one] = math.sin(0.3)
        turn[one, other] = -math.sin(0.3)
        np.testing.assert_allclose(roll_pitch_yaw(turn), 0.3 * np.eye(3)[axis])


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

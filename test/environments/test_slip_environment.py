# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The environment of Gymnasium: its protocol, its seeds, its rewards, and that what it
shows is what a network's player sees."""

import warnings
from itertools import islice

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="the gymnasium extra is not installed")
pytest.importorskip("mujoco", reason="the mujoco extra is not installed")

import gymnasium
from gymnasium.utils.env_checker import check_env

from biped_slip.environments import ENVIRONMENT
from biped_slip.environments.slip import (
    SlipEnvironment,
    chosen_layout,
    touching_speed,
)
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.walking.policy_network import Network

JOINTS = 29
SEEN = 103  # numbers of the layout of g1_playground
FRICTION = 8
SEED = 7


def episode(environment, act, steps, seed=SEED):
    """Observations, rewards and the last truth of the first steps of an episode."""
    observation, truth = environment.reset(seed=seed)
    seen = [observation]
    rewards = []
    for _ in range(steps):
        observation, reward, terminated, truncated, truth = environment.step(
            act(observation)
        )
        seen.append(observation)
        rewards.append(reward)
        if terminated or truncated:
            break
    return np.array(seen), np.array(rewards), truth


def still(_observation):
    return np.zeros(JOINTS)


def at_random(environment, seed):
    """Actions drawn from the whole space."""
    draw = np.random.default_rng(seed)
    high = environment.action_space.high
    return lambda _observation: draw.uniform(-high, high)


@pytest.fixture(scope="module")
def environment():
    return SlipEnvironment(seconds=3.0)


@pytest.fixture(scope="module")
def bare():
    """Without the estimate of friction, on the true motion of the base."""
    return SlipEnvironment(seconds=0.3, estimate=False, true_base=True, mu=(0.8, 0.8))


def test_gymnasium_finds_nothing_to_correct(environment):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on bounds of observations
        check_env(environment, skip_render_check=True)


def test_the_same_seed_gives_the_same_episode_to_the_last_bit(environment):
    first = episode(environment, at_random(environment, 1), 30)
    other = episode(environment, at_random(environment, 2), 10, seed=8)
    again = episode(environment, at_random(environment, 1), 30)
    fresh_environment = SlipEnvironment(seconds=3.0)
    fresh = episode(fresh_environment, at_random(fresh_environment, 1), 30)
    for same in (again, fresh):
        assert first[0].tobytes() == same[0].tobytes()
        assert first[1].tobytes() == same[1].tobytes()
        assert first[2] == same[2]
    assert other[2]["mu"] != first[2]["mu"]


def test_floors_are_drawn_from_their_range():
    low = 0.2
    high = 0.3
    slippery = SlipEnvironment(mu=(low, high), estimate=False, true_base=True)
    mus = [slippery.reset(seed=seed)[1]["mu"] for seed in range(4)]
    assert all(low <= mu <= high for mu in mus)
    assert len(set(mus)) == len(mus)
    slippery.reset(seed=0)
    slippery.step(np.zeros(JOINTS))
    felt = slippery.world.log.mu[: slippery.world.log.length]
    assert (felt == mus[0]).all()


def test_without_the_estimate_its_eight_numbers_are_left_out_and_nothing_else():
    seen = {
        estimate: episode(SlipEnvironment(estimate=estimate, true_base=True), still, 5)[
            0
        ]
        for estimate in (True, False)
    }
    assert seen[True].shape[1] == SEEN + FRICTION
    assert seen[False].shape[1] == SEEN
    np.testing.assert_array_equal(seen[True][:, :SEEN], seen[False])


def test_an_episode_is_cut_after_its_seconds(bare):
    bare.reset(seed=SEED)
    for _ in range(100):
        *_, terminated, truncated, truth = bare.step(np.zeros(JOINTS))
        if terminated or truncated:
            break
    assert truncated
    assert not terminated
    assert truth["time"] == pytest.approx(0.3)


def test_a_fall_ends_an_episode_and_is_paid_for_once():
    nothing = dict.fromkeys(("tracking", "upright", "slip", "effort"), 0.0)
    paid = SlipEnvironment(seconds=3.0, estimate=False, reward={**nothing, "fall": 4.0})
    _, rewards, truth = episode(paid, at_random(paid, 3), 150)
    assert truth["fell"]
    assert rewards[-1] == -4.0
    assert not rewards[:-1].any()


def test_the_reward_of_a_robot_that_stands_is_that_of_its_formula():
    """Commanded to stand, standing as it is: the tracking is all but whole, soles do
    not slide on mu 1, and the effort is what the torques say."""
    standing = SlipEnvironment(
        seconds=3.0, estimate=False, true_base=True, speed=(0.0, 0.0), mu=(1.0, 1.0)
    )
    standing.reset(seed=SEED)
    _, reward, _, _, truth = standing.step(np.zeros(JOINTS))
    log = standing.world.log
    torques = log.torques[: log.length]
    effort = np.mean((torques / standing.world.humanoid.efforts) ** 2)
    moved = truth["speed"]
    expected = 1.2 - truth["sole_speed"] - 0.1 * effort
    assert reward <= expected
    assert reward == pytest.approx(expected, abs=2.0 * (moved / 0.25) ** 2 + 0.05)


def test_soles_in_the_air_have_no_part_in_their_speed():
    normal = np.array([[50.0, 0.0], [50.0, 4.0], [0.0, 50.0]])
    speed = np.array([[0.1, 9.0], [0.3, 9.0], [9.0, 0.2]])
    assert touching_speed(normal, speed, 500.0) == pytest.approx(0.2)
    assert touching_speed(0.0 * normal, speed, 500.0) == 0.0


def test_random_actions_and_a_held_posture_have_different_returns(environment):
    held = episode(environment, still, 150)[1].sum()
    drawn = episode(environment, at_random(environment, 5), 150)[1].sum()
    assert held != drawn


def test_an_open_network_walks_in_it_where_random_actions_fall(recordings):
    pytest.importorskip("onnxruntime", reason="the policies extra is not installed")
    path = recordings / "policies" / "g1_playground.onnx"
    if not path.is_file():
        pytest.skip(f"no networks are at {path.parent}")
    network = Network(path, SEEN, JOINTS)
    floor = SlipEnvironment(seconds=3.0, estimate=False, true_base=True, mu=(0.8, 0.8))
    walked = episode(floor, lambda seen: network(seen)[0], 150)
    drawn = episode(floor, at_random(floor, 5), 150)
    assert not walked[2]["fell"]
    assert drawn[2]["fell"]
    assert walked[1].sum() > drawn[1].sum() + 10.0


def test_a_player_answers_the_same_readings_with_the_same_torques(
    tmp_path, monkeypatch
):
    """A network asked through the environment and one in the player, which has an
    implementation of its own of when it is asked, agree to the last bit."""
    pytest.importorskip("onnx", reason="the test extra is not installed")
    pytest.importorskip("onnxruntime", reason="the policies extra is not installed")
    from walking.learned_policy.tiny_network import write_linear

    from biped_slip.walking.learned_policy import LearnedPolicy
    from biped_slip.walking.slip_policies import slip_policy

    floor = SlipEnvironment(seconds=1.0, speed=(0.5, 0.5), true_base=True)
    matrix = np.random.default_rng(1).normal(0.0, 0.01, (JOINTS, SEEN + FRICTION))
    path = write_linear(tmp_path / "tiny.onnx", matrix)
    network = Network(path, SEEN + FRICTION, JOINTS)
    readings = []
    torques = []
    robot = floor.chosen
    sensed = robot.sense
    computed = robot.torques

    def sense(one):
        readings.append(one)
        return sensed(one)

    def compute():
        torques.append(computed())
        return torques[-1]

    monkeypatch.setattr(robot, "sense", sense)
    monkeypatch.setattr(robot, "torques", compute)
    monkeypatch.setattr(
        "biped_slip.environments.slip.steering", lambda _: 0.0
    )  # a player is told when to turn from outside
    episode(floor, lambda seen: network(seen.astype(float))[0], 20)
    config = floor._walk.walking
    walking = config.from_mapping({**config.to_mapping(), "speed": 0.5, "start": 0.0})
    weight = floor.world.humanoid.weight
    player = LearnedPolicy(
        path,
        walking,
        slip_policy("touchdown", walking.policy_settings(weight)),
        robot.layout,
    )
    played = [player.step(one).torques for one in islice(readings, len(torques))]
    np.testing.assert_array_equal(np.array(played), np.array(torques))


def test_vectors_of_gymnasium_hold_it():
    vector = gymnasium.make_vec(
        ENVIRONMENT,
        num_envs=2,
        vectorization_mode="sync",
        estimate=False,
        true_base=True,
    )
    seen, truth = vector.reset(seed=SEED)
    assert seen.shape == (2, SEEN)
    assert truth["mu"][0] != truth["mu"][1]
    _, rewards, *_ = vector.step(np.zeros((2, JOINTS)))
    assert rewards.shape == (2,)


def test_a_range_that_falls_is_refused_in_one_sentence():
    with pytest.raises(InvalidParameter) as refused:
        SlipEnvironment(mu=(0.5, 0.1))
    assert str(refused.value) == (
        "mu is [0.5, 0.1], but must be [low, high] with low <= high; exchange them"
    )


def test_a_layout_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BipedSlipError, match="shipped layouts: g1_playground"):
        chosen_layout("g2_playground")

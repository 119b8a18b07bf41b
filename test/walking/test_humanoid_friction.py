# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under a humanoid that others walk, from joint states and one IMU."""

import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.contact_state import NO_FOOT_CONTACT, contact_step
from biped_slip.friction_estimation.recent_floor import recent_floor, with_answer
from biped_slip.friction_estimation.types import EstimateState, ForceSource
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import chosen_walking, standing_readings
from biped_slip.walking.humanoid_friction import (
    COUNTED_SAMPLES,
    HumanoidFriction,
    heard,
    walking_by_currents,
)

MU = 0.4  # of the floor of ``heard_g1``
# [s] at which its feet bear a twentieth of its weight in the simulation
LANDINGS = (1.763, 3.109, 4.402)
JOINTS = load_humanoid("g1").robot.joints


def listener(**options):
    return HumanoidFriction(walking_by_currents("g1"), **options)


def felt(friction, samples):
    """Answers (time [s], floor) as each stance was answered first, and all problems."""
    contacts = [NO_FOOT_CONTACT, NO_FOOT_CONTACT]
    kept = ()
    answered = []
    problems = []
    for raw in samples:
        now = friction.step(raw)
        problems.append(now.problem)
        for foot, estimate in enumerate(now.estimates):
            contacts[foot] = contact_step(
                contacts[foot],
                raw.stamp_ns,
                estimate,
                now.measurements[foot].force_normal,
                int(ForceSource.JOINT_TORQUES),
            )
            more = with_answer(kept, foot, raw.stamp_ns, estimate, contacts[foot])
            if len(more) > len(kept):
                answered.append((1e-9 * raw.stamp_ns, contacts[foot]))
            kept = more
    return answered, recent_floor(kept), problems


def thinned(samples, lost, seed):
    """Samples of which a drawn share does not arrive."""
    come = np.random.default_rng(seed).random(len(samples)) >= lost
    return [one for one, arrives in zip(samples, come, strict=True) if arrives]


def standing(torque, period=1e-3, count=2 * COUNTED_SAMPLES):
    """A standing robot, its numbers trembling."""
    rng = np.random.default_rng(0)
    readings = standing_readings(load_humanoid("g1"), period=period)
    for _, one in zip(range(count), readings, strict=False):
        shaken = one.raw.joint_position + 1e-6 * rng.normal(size=len(JOINTS))
        yield heard(one.raw._replace(joint_position=shaken), np.array(torque))


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 2, 5])
def test_every_landing_is_answered_at_1000_500_and_200_hz(heard_g1, every):
    friction = listener()
    answered, floor, problems = felt(friction, heard_g1[::every])
    assert friction.period == pytest.approx(1e-3 * every)
    assert not any(problems)
    # the first one judges the torques: each leg has to swing once
    touchdowns = [1e-9 * one.touchdown_ns for _, one in answered]
    assert touchdowns == pytest.approx(LANDINGS[1:], abs=0.01)
    assert friction.trusted
    assert floor.mu_low < MU < floor.mu_high
    assert floor.mu == pytest.approx(MU, abs=0.05)


@pytest.mark.slow
def test_started_in_the_middle_of_a_walk_it_knows_the_floor_within_three_steps(
    heard_g1,
):
    answered, floor, _ = felt(listener(), heard_g1[1300:])
    steps = [landing for landing in LANDINGS if landing > 1.3][:3]
    assert answered[0][0] < steps[-1] + 0.05
    assert floor.mu_low < MU < floor.mu_high


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 2, 5])
def test_without_velocities_it_takes_differences_and_answers_the_same_landings(
    heard_g1, every
):
    unsaid = np.full(len(JOINTS), np.nan)
    friction = listener()
    answered, floor, _ = felt(
        friction, [raw._replace(joint_velocity=unsaid) for raw in heard_g1[::every]]
    )
    assert friction.differentiated
    assert len(answered) == 2
    assert floor.mu_low < MU < floor.mu_high


@pytest.mark.parametrize(
    ("torque", "words"),
    [
        (np.full(len(JOINTS), np.nan), "joint states have no effort"),
        (np.zeros(len(JOINTS)), "all efforts of the legs are zero"),
        (
            np.where(np.array(JOINTS) == "left_knee_joint", np.nan, 1.0),
            "the effort of left_knee_joint is not a number",
        ),
    ],
)
def test_without_efforts_there_is_one_sentence_and_no_number(torque, words):
    answered, floor, problems = felt(listener(), standing(torque))
    assert not answered
    assert math.isnan(floor.mu)
    (sentence,) = {str(problem) for problem in problems}
    assert sentence.startswith("no effort: ")
    assert words in sentence


def test_samples_that_come_too_slowly_for_a_landing_are_refused_with_their_rate():
    friction = listener()
    _, _, problems = felt(friction, standing(np.ones(len(JOINTS)), period=0.01))
    assert problems[0] is None  # until their period is known
    assert str(problems[-1]).startswith("slow input: joint states come at 100 Hz")
    with pytest.raises(InvalidParameter, match="period"):
        listener(period=0.01)


def test_numbers_that_stand_still_are_no_evidence():
    still = next(standing(np.ones(len(JOINTS))))
    samples = [still._replace(stamp_ns=k * 1_000_000) for k in range(200)]
    _, _, problems = felt(listener(period=1e-3), samples)
    assert problems[50] is None
    assert problems[-1].name == "frozen input"


def test_what_is_not_finite_is_named_and_answers_nothing():
    sample = next(standing(np.ones(len(JOINTS))))
    imu = sample.imu.copy()
    imu[3] = np.nan
    found = listener(period=1e-3).step(sample._replace(imu=imu))
    assert str(found.problem) == "input not finite: a number of imu"
    assert {one.state_code for one in found.estimates} == {
        int(EstimateState.INVALID_INPUT)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("every", "lost"), [(1, 0.2), (2, 0.1), (2, 0.3)])
def test_the_floor_is_known_where_a_third_of_the_samples_is_lost(heard_g1, every, lost):
    friction = listener(period=1e-3 * every)
    samples = thinned(heard_g1[::every], lost, seed=7)
    answered, floor, problems = felt(friction, samples)
    assert len(answered) >= 2
    assert abs(floor.mu - MU) < 0.1
    assert floor.mu_low < MU < floor.mu_high
    assert "sensor check" not in {one.name for one in problems if one}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_where_most_samples_are_lost_that_is_said_and_no_sensor_is_accused(
    heard_g1, seed
):
    friction = listener(period=2e-3)
    answered, _, problems = felt(friction, thinned(heard_g1[::2], 0.7, seed))
    names = {one.name for one in problems if one}
    assert not answered
    assert "lost input" in names
    assert names <= {"lost input", "contradicted forces"}


@pytest.mark.slow
def test_torques_of_the_wrong_sign_are_named_and_answer_nothing(heard_g1):
    knee = JOINTS.index("left_knee_joint")
    sign = np.ones(len(JOINTS))
    sign[knee] = -1.0
    turned = [raw._replace(joint_torque=sign * raw.joint_torque) for raw in heard_g1]
    answered, _, problems = felt(listener(), turned)
    assert not answered
    assert problems[-1].name == "sensor check"
    assert "left_knee_joint" in problems[-1].detail


@pytest.mark.slow
def test_a_sample_that_is_no_number_costs_that_sample_alone(heard_g1):
    samples = list(heard_g1)
    for k in (1000, 2500, 3000):
        samples[k] = samples[k]._replace(imu=np.full(6, np.nan))
    answered, _, problems = felt(listener(), samples)
    assert sum(map(bool, problems)) == 3
    assert len(answered) == 2


def test_a_robots_file_is_enough(tmp_path):
    from biped_slip.shared_files import shared_file

    own = tmp_path / "my_robot.yaml"
    own.write_text(shared_file("config/robots/g1.yaml").read_text(encoding="utf-8"))
    config = walking_by_currents(str(own))
    assert config.by_currents
    assert config.robot == str(own)
    found = HumanoidFriction(config, period=1e-3)
    assert found.humanoid.robot.joints == JOINTS


def test_a_walk_with_ankle_sensors_is_listened_to_without_them():
    assert walking_by_currents("talos").by_currents
    assert not walking_by_currents("talos").sensors.foot_imu.present


@pytest.mark.parametrize("name", ["g1", "talos"])
def test_what_is_for_currents_alone_is_left_out_of_walks_by_ankle_sensors(name):
    """Their landings are answered as if it did not exist."""
    sensed = chosen_walking(name)
    assert not sensed.by_currents
    assert not sensed.motion.lighter_moves
    assert sensed.touchdown.force_low_pass == 0.0
    felt_by_currents = walking_by_currents(name)
    assert felt_by_currents.motion.lighter_moves
    assert felt_by_currents.touchdown.force_low_pass > 0.0

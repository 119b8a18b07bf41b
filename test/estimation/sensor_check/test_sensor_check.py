# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors that are mounted or wired wrongly are named from two seconds of swaying;
right ones are left alone."""

import math
import warnings

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.invariant_filter import rotation_of
from biped_slip.estimation.sensor_self_test import (
    SOUND_MOUNTING,
    CarriedWrench,
    CheckWindow,
    Explainer,
    SwayRecord,
    ToleranceConfig,
    answer_delay,
    check_sensors,
    evidence,
    flipped,
    independent_samples,
    turned,
)

WEIGHT = 900.0
HEIGHT = 0.85
APART = 0.18
T = 2000
Z90 = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def standing(seed=0, shift=0.03, sway=0.052, noise=1.0, splay=0.0):
    """Two seconds on two feet: weight to and fro between them, base sways about both
    axes; noise of real sensors.

    The sensors sit in the soles, which carry all of the robot; its angular momentum
    rests.
    """
    rng = np.random.default_rng(seed)
    time = np.linspace(0.0, 2.0, T)
    across = np.sin(math.pi * time)
    along = np.sin(2.0 * math.pi * time + 0.7)
    com = np.stack([0.02 * along, shift * across, np.full(T, HEIGHT)], axis=1)
    acceleration = np.gradient(np.gradient(com, time, axis=0), time, axis=0)
    force = WEIGHT / 9.81 * (acceleration + np.array([0.0, 0.0, 9.81]))
    places = np.array([[0.0, 0.5 * APART, 0.0], [0.0, -0.5 * APART, 0.0]])
    angles = np.array([splay, -splay])
    soles = np.array(
        [
            [
                [math.cos(a), -math.sin(a), 0.0],
                [math.sin(a), math.cos(a), 0.0],
                [0.0, 0.0, 1.0],
            ]
            for a in angles
        ]
    )
    share = np.clip(0.5 + np.cross(com, force)[:, 0] / (WEIGHT * APART), 0.05, 0.95)
    centre = -np.cross(com, force)[:, 1] / force[:, 2]
    wrenches = np.empty((T, 2, 6))
    for foot, part in enumerate((share, 1.0 - share)):
        push = part[:, None] * force
        push[:, 1] += (1.0, -1.0)[foot] * 8.0  # feet push against each other
        lever = np.stack(
            [centre, (0.002, -0.004)[foot] * np.ones(T), np.zeros(T)], axis=1
        )
        moment = np.cross(lever, push)
        wrenches[:, foot] = np.hstack([push @ soles[foot], moment @ soles[foot]])
    wrenches[..., :3] += noise * (
        0.003 * WEIGHT * rng.standard_normal((T, 2, 3))
        + 3.0 * rng.uniform(-1, 1, (2, 3))
    )
    wrenches[..., 3:] += noise * 0.3 * rng.standard_normal((T, 2, 3))
    tilt = np.stack([sway * across, sway * along, np.zeros(T)], axis=1)
    up = np.array(
        [
            rotation_of(np.r_[0.5 * a, 1.0 - a @ a / 8.0]).T @ [0.0, 0.0, 9.81]
            for a in tilt
        ]
    )
    turning = np.gradient(tilt, time, axis=0)
    seen = up + noise * (
        0.02 * rng.standard_normal((T, 3)) + 0.02 * rng.standard_normal(3)
    )
    spun = turning + noise * (
        5e-3 * rng.standard_normal((T, 3)) + 2e-3 * rng.standard_normal(3)
    )
    at_rest = np.broadcast_to(soles, (T, 2, 3, 3))
    carried = CarriedWrench(
        wrench=wrenches,
        rotation=at_rest,
        position=places - com[:, None],
        force=force,
        moment=np.zeros((T, 3)),
    )
    return CheckWindow(
        carried=carried,
        specific_force=seen,
        angular_velocity=spun,
        predicted_specific_force=up,
        predicted_angular_velocity=turning,
    )


def with_wrenches(window, wrenches):
    return window._replace(carried=window.carried._replace(wrench=wrenches))


def with_wrench(window, foot, force, moment):
    """A foot's sensor whose vectors are multiplied by these."""
    wrench = window.carried.wrench.copy()
    wrench[:, foot] = np.hstack(
        [wrench[:, foot, :3] @ force.T, wrench[:, foot, 3:] @ moment.T]
    )
    return with_wrenches(window, wrench)


@pytest.mark.parametrize("seed", range(6))
def test_right_sensors_are_left_alone_however_their_noise_falls(seed):
    assert check_sensors(standing(seed, splay=0.1 * (seed % 3))) == ()


@pytest.mark.parametrize("seed", range(10))
def test_right_sensors_and_models_may_have_the_small_errors_of_real_ones(seed):
    """Turned by a degree, gains off by 1 %, mass by 2 %, centre of mass by 7 mm: a
    model that is not the robot."""
    rng = np.random.default_rng(seed)
    carried = standing(seed).carried
    wrench = carried.wrench.copy()
    for foot in (0, 1):
        x, y, z = np.radians(1.0) * rng.standard_normal(3)
        turn = (1.0 + 0.01 * rng.standard_normal()) * np.array(
            [[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]]
        )
        wrench[:, foot] = np.hstack(
            [wrench[:, foot, :3] @ turn.T, wrench[:, foot, 3:] @ turn.T]
        )
    off = carried._replace(
        wrench=wrench,
        position=carried.position + 0.007 * rng.standard_normal(3),
        force=(1.0 + 0.02 * rng.standard_normal()) * carried.force,
    )
    assert check_sensors(standing(seed)._replace(carried=off)) == ()


def test_evidence_of_a_mounting_comes_from_independent_samples_not_from_their_number():
    """Noise that drifts through the window twice fits a flipped axis by chance; noise
    of every sample hardly does."""
    drift = np.sin(np.linspace(0.0, 4.0 * math.pi, 100))
    white = np.random.default_rng(0).standard_normal(100)
    fast, slow = (
        independent_samples(np.tile(one[:, None], 6)) for one in (white, drift)
    )
    assert np.all(slow < 8.0)
    assert np.all(fast > 15.0)


def test_between_explanations_that_leave_the_same_there_is_no_evidence():
    window = standing()
    explainer = Explainer(
        window.carried, (SOUND_MOUNTING, *flipped("force", "moment")), ToleranceConfig()
    )
    right = explainer.explain(False, 0, 0)
    wrong = explainer.explain(False, 1, 0)
    assert evidence(right, right) == 0.0
    assert evidence(right, wrong) < -30.0
    assert evidence(wrong, right) == -evidence(right, wrong)


@pytest.mark.parametrize("seed", range(3))
def test_exchanged_feet_are_named(seed):
    window = standing(seed)
    found = check_sensors(with_wrenches(window, window.carried.wrench[:, ::-1]))
    assert found == ("the force sensors of the left and the right foot are exchanged",)


@pytest.mark.parametrize("foot", [0, 1])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_force_sensor_turned_by_a_right_angle_is_named_with_its_foot_and_axis(
    foot, axis
):
    words = f"is turned by 90 degrees about its {axis} axis"
    for one in (mounting for mounting in turned() if mounting.words == words):
        found = check_sensors(with_wrench(standing(foot), foot, one.force, one.moment))
        assert found == (
            f"the force sensor of the {('left', 'right')[foot]} foot {words}",
        )


@pytest.mark.parametrize("foot", [0, 1])
def test_a_force_sensor_with_the_opposite_sign_is_named(foot):
    found = check_sensors(with_wrench(standing(), foot, -np.eye(3), -np.eye(3)))
    assert found == (
        f"the force sensor of the {('left', 'right')[foot]} foot has the opposite "
        "sign (force and moment)",
    )


def test_both_force_sensors_with_the_opposite_sign_are_named():
    window = standing()
    found = check_sensors(with_wrenches(window, -window.carried.wrench))
    assert len(found) == 2
    assert all(
        "has the opposite sign (force and moment)" in sentence for sentence in found
    )


@pytest.mark.parametrize("foot", [0, 1])
def test_a_force_sensor_that_reads_a_constant_is_named(foot):
    window = standing()
    stuck = window.carried.wrench.copy()
    stuck[:, foot] = stuck[0, foot]
    found = check_sensors(with_wrenches(window, stuck))
    assert found == (
        f"the force sensor of the {('left', 'right')[foot]} foot reads a constant "
        "while the weight shifts",
    )


@pytest.mark.parametrize(
    ("rotation", "words"),
    [
        (
            np.diag([1.0, -1.0, -1.0]),
            "the IMU is turned by 180 degrees about its x axis, upside down",
        ),
        (
            np.diag([-1.0, 1.0, -1.0]),
            "the IMU is turned by 180 degrees about its y axis, upside down",
        ),
        (
            np.diag([-1.0, -1.0, 1.0]),
            "the IMU is turned by 180 degrees about its z axis",
        ),
        (Z90, "the IMU is turned by 90 degrees about its z axis"),
        (Z90.T, "the IMU is turned by 90 degrees about its z axis"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_turned_imu_is_named(rotation, words, seed):
    window = standing(seed)
    turned_one = window._replace(
        specific_force=window.specific_force @ rotation.T,
        angular_velocity=window.angular_velocity @ rotation.T,
    )
    assert check_sensors(turned_one) == (words,)


def test_flipped_signs_of_the_imu_are_named():
    window = standing()
    found = check_sensors(window._replace(angular_velocity=-window.angular_velocity))
    assert found == ("the IMU has the opposite sign (angular velocity alone)",)
    found = check_sensors(window._replace(specific_force=-window.specific_force))
    assert found == ("the IMU has the opposite sign (acceleration alone)",)
    one = window.angular_velocity * [1.0, -1.0, 1.0]
    assert check_sensors(window._replace(angular_velocity=one)) == (
        "the IMU has the opposite sign of angular velocity y",
    )


def test_two_faults_of_two_sensors_are_two_sentences():
    window = with_wrench(standing(), 1, Z90, Z90)
    found = check_sensors(window._replace(specific_force=-window.specific_force))
    assert found == (
        "the force sensor of the right foot is turned by 90 degrees about its z axis",
        "the IMU has the opposite sign (acceleration alone)",
    )


def test_nonsense_that_no_mounting_explains_is_said_so():
    window = standing()
    rng = np.random.default_rng(1)
    wild = with_wrenches(
        window, window.carried.wrench + 300.0 * rng.standard_normal((T, 2, 6))
    )
    assert check_sensors(wild)[0].startswith("the force sensors do not add up")
    wild = window._replace(
        specific_force=window.specific_force + 5.0 * rng.standard_normal((T, 3))
    )
    assert check_sensors(wild)[0].startswith(
        "the IMU does not say what the joints expect"
    )


def without_force_sensors(window):
    return with_wrenches(window, np.full((T, 2, 6), np.nan))


def test_a_robot_without_force_sensors_is_asked_for_its_imu_alone():
    window = without_force_sensors(standing())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_sensors(window) == ()
        turned_one = window._replace(
            specific_force=window.specific_force @ Z90.T,
            angular_velocity=window.angular_velocity @ Z90.T,
        )
        assert check_sensors(turned_one) == (
            "the IMU is turned by 90 degrees about its z axis",
        )
        with pytest.raises(InvalidParameter, match="weight shift"):
            check_sensors(without_force_sensors(standing(shift=0.001)))


def test_a_force_sensor_that_sometimes_says_no_number_is_not_an_absent_one():
    window = standing()
    wrenches = window.carried.wrench.copy()
    wrenches[5:] = np.nan
    with pytest.raises(InvalidParameter, match=r"CheckWindow\.wrench"):
        check_sensors(with_wrenches(window, wrenches))


def test_too_little_motion_is_refused_instead_of_judged():
    with pytest.raises(InvalidParameter, match="shift further sideways"):
        check_sensors(standing(shift=0.002))
    with pytest.raises(InvalidParameter, match="sway by 3 degrees"):
        check_sensors(standing(sway=0.002))
    window = standing()
    broken = window.specific_force.copy()
    broken[5, 1] = math.nan
    with pytest.raises(InvalidParameter, match=r"specific_force.*finite"):
        check_sensors(window._replace(specific_force=broken))


def test_every_mounting_is_another_one():
    every = [*turned(), *flipped("force", "moment")]
    assert len(turned()) == 23
    keys = {(tuple(one.force.ravel()), tuple(one.moment.ravel())) for one in every}
    assert len(keys) == len(every)
    assert all(one.words for one in every)


def loop(ticks_late, seed=0, noise=5e-3, period=1e-3):
    """Joints that are damped by what their noisy sensors say, and answer a number of
    ticks later."""
    rng = np.random.default_rng(seed)
    joints = 12
    velocity = np.zeros(joints)
    torques = []
    seen = []
    for tick in range(2000):
        if tick >= ticks_late:
            velocity = 0.995 * velocity + 0.01 * torques[tick - ticks_late]
        seen.append(velocity + noise * rng.normal(size=joints))
        torques.append(-10.0 * seen[-1])
    time = period * np.arange(2000)
    still = np.zeros((2000, joints))
    none = np.zeros((2000, 3))
    return SwayRecord(
        time=time,
        joint_position=still,
        joint_velocity=np.array(seen),
        force_torque=np.zeros((2000, 2, 6)),
        specific_force=none,
        angular_velocity=none,
        torques=np.array(torques),
    )


@pytest.mark.parametrize("ticks_late", [2, 3, 5, 8])
@pytest.mark.parametrize("period", [1e-3, 2e-3])
def test_the_time_from_a_torque_to_its_effect_is_measured_within_a_period(
    ticks_late, period
):
    for seed in range(3):
        late = answer_delay(loop(ticks_late, seed, period=period))
        # torques change a speed within a tick
        assert abs(late / period - (ticks_late - 1)) < 0.7


def test_joints_that_buzz_with_their_torques_tell_no_delay():
    """Gears that stick and a stiff controller shake at 110 Hz: every period looks like
    an answer."""
    rng = np.random.default_rng(0)
    time = np.arange(T) / 1000.0
    phase = rng.uniform(0.0, 2.0 * math.pi, 6)
    buzz = 220.0 * math.pi * time[:, None] + phase
    velocity = 0.1 * np.sin(buzz) + 5e-3 * rng.standard_normal((T, 6))
    torques = 3.0 * np.cos(buzz) + 0.1 * rng.standard_normal((T, 6))
    record = loop(2)._replace(joint_velocity=velocity, torques=torques)
    assert answer_delay(record) is None


def test_joints_that_do_not_answer_tell_no_delay():
    for seed in range(3):
        record = loop(4, seed)
        chance = np.random.default_rng(seed).normal(size=record.torques.shape)
        assert answer_delay(record._replace(torques=chance)) is None
    assert answer_delay(loop(4, noise=0.0)) is None

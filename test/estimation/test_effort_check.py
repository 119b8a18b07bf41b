# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques that are not what they pass for, and IMUs, are named before the first number
of friction; right ones are left alone."""

import math

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.effort_check import (
    ENOUGH,
    LAG_COUNT,
    LEADS,
    OLD,
    OLDEST,
    STANDING_TIME,
    TIPPING,
    UNKNOWN_AGE,
    UNSURE,
    Age,
    EffortCheck,
    EffortSample,
    age_faults,
    age_of,
    standing_faults,
    turn_faults,
)
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import leg_gears

JOINTS = 5
NAMES = [f"{side} {joint}" for side in ("left", "right") for joint in range(JOINTS)]
COULOMB = np.full((2, JOINTS), 1.0)
SIDES = ("left", "right")
UP = np.array([0.0, 0.0, GRAVITY])
NORMALS = np.array([[0.0, 0.0, 1.0]] * 2)
DT = 1e-3
SAMPLES = 1000.0  # of swings
STEP = 0.5  # [s] of a swing, and of standing on both feet before it


class Motion:
    """Made-up legs that swing in turn, 0.5 s each, and stand in between.

    What is asked of each joint is its own sum of sines; motors give it but for unknown
    friction, and noise of the motors turns the joints of the swinging leg.
    """

    def __init__(self, seed, duration=4.0):
        rng = np.random.default_rng(seed)
        count = round(duration / DT)
        time = DT * np.arange(count)[:, None, None, None]
        pace = rng.uniform(6.0, 20.0, (2, JOINTS, 4))
        phase = rng.uniform(0.0, math.tau, (2, JOINTS, 4))
        size = rng.uniform(4.0, 25.0, (2, JOINTS, 1))
        self.expected = (size * np.sin(pace * time + phase)).sum(axis=-1)
        self.expected += rng.uniform(-1.0, 1.0, (2, JOINTS)) * size[..., 0]
        swung = np.arange(count) // round(STEP / DT)
        self.swinging = np.where(swung % 2 == 1, swung // 2 % 2, -1)
        self.shaken = rng.standard_normal((count, 2, JOINTS))
        slow = np.sin(5.0 * time[..., 0] + phase[..., 0])
        speed = slow + np.cumsum(0.02 * self.shaken, axis=0)
        self.speed = speed + 5e-3 * rng.standard_normal(speed.shape)
        friction = rng.uniform(-1.0, 1.0, (2, JOINTS)) * np.sign(slow)
        self.torque = self.expected + friction + self.shaken
        self.noise = np.zeros_like(speed)
        self.by_load = np.zeros_like(speed)

    def judged(self, torque=None, felt=UP):
        """The check after these torques."""
        told = self.torque if torque is None else torque
        check = EffortCheck(NAMES, COULOMB, DT)
        for tick, swinging in enumerate(self.swinging):
            check.step(
                EffortSample(
                    torque=told[tick],
                    asked=self.expected[tick] + self.noise[tick],
                    friction=np.zeros((2, JOINTS)),
                    by_load=self.by_load[tick],
                    speed=self.speed[tick],
                    felt=felt,
                    turn=np.zeros((2, 3)),
                    normals=NORMALS,
                    swinging=int(swinging),
                    resting=bool(swinging < 0),
                ),
                DT,
            )
        return check


def later(values, samples):
    """The values some samples later; before 0: earlier."""
    return np.roll(values, samples, axis=0)


@pytest.mark.parametrize("seed", range(8))
def test_right_torques_are_left_alone_and_their_age_is_none(seed):
    check = Motion(seed).judged()
    assert check.judged
    assert check.faults == ()
    assert abs(check.age.value) < UNSURE


@pytest.mark.parametrize("seed", range(4))
def test_gears_that_take_a_share_of_the_load_take_none_of_the_noise_of_what_is_asked(
    seed,
):
    """40 kg m^2 above a joint make 200 N m of 5 mrad/s in a millisecond."""
    motion = Motion(seed)
    motion.by_load = 0.1 * np.sign(motion.speed)
    motion.torque += motion.by_load * np.abs(motion.expected)
    rng = np.random.default_rng(seed)
    noise = 200.0 * rng.standard_normal(motion.noise.shape)
    motion.noise = np.diff(noise, axis=0, prepend=0.0)
    check = motion.judged()
    assert check.judged
    assert check.faults == ()


@pytest.mark.parametrize("joint", range(2 * JOINTS))
def test_a_joint_with_the_opposite_sign_is_named(joint):
    motion = Motion(joint)
    wrong = motion.torque.copy()
    wrong[:, joint // JOINTS, joint % JOINTS] *= -1.0
    assert motion.judged(wrong).faults == (
        f"the torque of {NAMES[joint]} has the opposite sign",
    )


def test_all_joints_with_the_opposite_sign_are_one_fault():
    motion = Motion(0)
    assert motion.judged(-motion.torque).faults == (
        "the torques of all joints of the legs have the opposite sign",
    )


@pytest.mark.parametrize("seed", range(6))
def test_two_joints_that_are_exchanged_are_named(seed):
    motion = Motion(seed)
    one, other = np.sort(
        np.random.default_rng(seed).choice(2 * JOINTS, 2, replace=False)
    )
    order = np.arange(2 * JOINTS)
    order[[one, other]] = other, one
    wrong = motion.torque.reshape(-1, 2 * JOINTS)[:, order].reshape(motion.torque.shape)
    assert motion.judged(wrong).faults == (
        f"the torques of {NAMES[one]} and {NAMES[other]} are exchanged",
    )


def test_exchanged_legs_are_one_fault():
    motion = Motion(0)
    assert motion.judged(motion.torque[:, ::-1]).faults == (
        "the torques of the left and the right leg are exchanged",
    )


@pytest.mark.parametrize("samples", [-4, -2, 0, 2, 3, 5, 9])
def test_the_age_of_torques_is_found_within_a_part_of_a_sample(samples):
    motion = Motion(1)
    check = motion.judged(later(motion.torque, samples))
    assert check.age.value == pytest.approx(DT * samples, abs=UNSURE)
    if samples >= 4:
        assert "ms older than the encoders" in check.faults[0]
    elif samples < 0:
        assert "commanded" in check.faults[0]
    else:
        assert check.faults == ()


def test_an_age_is_refused_beyond_what_is_compensated_and_a_lead_beyond_what_is_unsure():
    assert age_faults(Age(OLD, 1e-4), 1e-3) == ()
    assert age_faults(Age(OLD + 2.0 * UNSURE, 1e-4), 1e-3) != ()
    assert age_faults(Age(-0.5 * LEADS, 1e-4), 1e-3) == ()
    assert age_faults(Age(-2.0 * LEADS, 1e-4), 1e-3) != ()


def test_a_sole_that_rolls_as_it_lands_is_no_gyroscope_that_is_turned():
    """Which adds the turn of the base again where it should take it away."""
    assert turn_faults(0.59, 0.58) == ()
    assert turn_faults(math.sqrt(2.0) * 0.58, 0.58) != ()
    assert turn_faults(2.0 * 0.58, 0.58) != ()
    assert turn_faults(0.04, 0.58) == ()


@pytest.mark.parametrize(("period", "judged"), [(2e-3, True), (5e-3, False)])
def test_an_age_is_judged_as_finely_as_samples_come(period, judged):
    assert age_faults(Age(-1.1 * LEADS, 1e-4), period) == ()
    assert bool(age_faults(Age(-2.0 * LEADS, 1e-4), period)) == judged


@pytest.mark.parametrize("value", [-1.9e-3, -4e-3, 6e-3])
def test_an_age_that_joints_do_not_agree_about_is_no_fault(value):
    # leaving out one joint moves the age of the simulated T1 by 5 ms: nothing is known
    assert age_faults(Age(value, 5e-3), DT) == ()
    assert age_faults(Age(value, 1e-3), DT) != ()


def test_joints_without_a_common_peak_leave_the_age_unknown():
    # one joint says 6 ms late, another one 4 ms ahead, the rest nothing
    lagged = np.zeros((4, LAG_COUNT))
    lagged[0, OLDEST - 6] = 1.0
    lagged[1, OLDEST + 4] = 0.9
    age = age_of(lagged, SAMPLES, DT)
    assert age.sd > UNKNOWN_AGE
    assert age_faults(age, DT) == ()


def test_the_age_is_the_place_of_the_peak():
    lags = np.arange(LAG_COUNT)
    for place in (3.0, 12.4, 18.5):
        bump = np.exp(-(((lags - place) / 1.5) ** 2))
        age = age_of(np.tile(bump, (4, 1)), SAMPLES, DT)
        assert age.value == pytest.approx((OLDEST - place) * DT, abs=2e-4)
        assert age.sd == pytest.approx(0.0, abs=1e-9)


def test_a_correlation_that_is_as_high_far_from_its_peak_leaves_the_age_unknown():
    """Slow motion of a light robot: no part is fast enough to tell the instant."""
    lags = np.arange(LAG_COUNT)
    flat = np.tile(0.4 + 0.02 * np.exp(-(((lags - 18.0) / 1.5) ** 2)), (12, 1))
    age = age_of(flat, 320.0, DT)
    assert age.value < -LEADS
    assert age.sd > UNKNOWN_AGE
    assert age_faults(age, DT) == ()
    assert age_of(flat, 1e5, DT).sd < UNKNOWN_AGE


def test_torques_of_a_motor_before_its_gear_and_masses_that_are_wrong_are_told_apart():
    motion = Motion(2)
    before_gear = motion.judged(motion.torque / 14.0).faults
    assert "0.071 times" in before_gear[0]
    assert "gears" in before_gear[0]
    light = motion.judged(0.6 * motion.torque).faults
    assert "0.60 times" in light[0]
    assert "masses" in light[0]
    assert motion.judged(0.9 * motion.torque).faults == ()


def test_a_joint_whose_torque_stands_still_or_is_zero_is_named():
    motion = Motion(3)
    silent = motion.torque.copy()
    silent[:, 1, 2] = 0.0
    assert motion.judged(silent).faults == (
        f"the torque of {NAMES[JOINTS + 2]} reads zero while its motion asks one",
    )
    stuck = motion.torque.copy()
    stuck[:, 0, 1] = 20.0
    assert motion.judged(stuck).faults[0].startswith(f"the torque of {NAMES[1]} is ")


def test_zero_torques_are_named_while_the_robot_stands():
    motion = Motion(0, duration=2.0 * STANDING_TIME)
    check = motion.judged(0.0 * motion.torque)
    assert not check.judged
    assert check.faults[0].startswith("the torques of all joints of the legs read zero")


def test_torques_that_are_not_numbers_are_a_fault_if_that_lasts():
    check = EffortCheck(NAMES, COULOMB, DT)
    nothing = np.full((2, JOINTS), math.nan)
    assert check.there(np.zeros((2, JOINTS)), DT)
    for _ in range(round(0.5 * STANDING_TIME / DT)):
        assert not check.there(nothing, DT)
    assert check.faults == ()
    for _ in range(round(STANDING_TIME / DT)):
        check.there(nothing, DT)
    assert "are not there" in check.faults[0]


@pytest.mark.parametrize(
    ("felt", "words"),
    [
        (0.0 * UP, "must hold gravity"),
        (UP / GRAVITY, "is in g"),
        (0.7 * UP, "and gravity is"),
        (UP[[2, 0, 1]], "90 degrees from the normals"),
        (-UP, "180 degrees from the normals"),
    ],
)
def test_an_imu_without_gravity_in_g_or_turned_is_named_while_the_robot_stands(
    felt, words
):
    (sentence,) = standing_faults(felt, NORMALS.sum(axis=0), 1.0)
    assert words in sentence
    assert Motion(0, duration=2.0 * STANDING_TIME).judged(felt=felt).faults == (
        sentence,
    )


def test_an_imu_that_feels_gravity_along_the_soles_normals_is_right():
    leant = np.array([math.sin(0.3), 0.0, math.cos(0.3)])
    assert standing_faults(GRAVITY * leant, NORMALS.sum(axis=0), 1.0) == ()


def test_nothing_passes_before_each_leg_has_swung_but_a_wrong_sign_is_named_at_once():
    motion = Motion(0, duration=2.0 * STEP)
    wrong = motion.torque.copy()
    wrong[:, 0, 0] *= -1.0
    right = motion.judged()
    assert not right.judged
    assert right.faults == ()
    assert right._state.blocks.swings[2].max() >= ENOUGH
    check = motion.judged(wrong)
    assert not check.judged
    assert check.faults == (f"the torque of {NAMES[0]} has the opposite sign",)


def swayed(turn_by):
    """The check of a robot that sways on both feet with its IMU turned."""
    check = EffortCheck(NAMES, COULOMB, DT)
    rng = np.random.default_rng(0)
    still = np.zeros((2, JOINTS))
    for tick in range(1000):
        rate = 0.2 * np.array([math.sin(6.0 * DT * tick), math.cos(4.0 * DT * tick), 0])
        by_both = turn_by @ rate - rate
        check.step(
            EffortSample(
                torque=still + 1.0,
                asked=still,
                friction=still,
                by_load=still,
                speed=still,
                felt=UP,
                turn=np.array([by_both, -rate]) + 5e-3 * rng.standard_normal((2, 3)),
                normals=NORMALS,
                swinging=-1,
                resting=True,
            ),
            DT,
        )
    return check.faults


def test_a_gyroscope_turned_about_the_vertical_or_of_the_opposite_sign_is_named():
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert swayed(np.eye(3)) == ()
    assert swayed(np.array([[1.0, -0.1, 0.0], [0.1, 1.0, 0.0], [0, 0, 1]])) == ()
    for turn in (quarter, quarter.T, quarter @ quarter, -np.eye(3)):
        (sentence,) = swayed(turn)
        assert "the IMU is turned" in sentence


@pytest.mark.parametrize(
    ("pace", "named"), [(-0.5 * TIPPING, True), (-1.5 * TIPPING, False)]
)
def test_soles_that_turn_with_a_tipping_body_show_nothing_of_its_gyroscope(pace, named):
    """Both rest against each other, and both turn; a slow one is a gyroscope's sign.

    Ankles that turn by half of what the gyroscope says leave the soles the other half
    on top of it: three times what they turn themselves.
    """
    g1 = load_humanoid("g1")
    observer = JointTorqueWrenches(g1, leg_gears(g1), DT)
    ankles = [g1.robot.joints.index(f"{side}_ankle_pitch_joint") for side in SIDES]
    position = g1.posture.copy()
    velocity = np.zeros(len(position))
    velocity[ankles] = 0.5 * pace
    rate = np.array([0.0, pace, 0.0])
    for _ in range(400):
        position[ankles] += DT * velocity[ankles]
        observer.step(position, velocity, velocity + 1.0, rate, UP, DT)
    assert bool(observer.check.faults) is named
    assert all("the IMU is turned" in fault for fault in observer.check.faults)


def test_of_a_sign_and_an_exchange_the_one_that_fits_both_joints_is_named():
    """What joint 1 asks looks like half of what joint 0 asks, of the other sign."""
    motion = Motion(4)
    one, other = 0, 1
    motion.expected[:, 0, other] = -0.6 * motion.expected[:, 0, one]
    motion.expected[:, 0, other] += np.sin(9.0 * DT * np.arange(len(motion.expected)))
    motion.torque[:, 0, other] = motion.expected[:, 0, other]
    wrong = motion.torque.copy()
    wrong[:, 0, [one, other]] = motion.torque[:, 0, [other, one]]
    assert motion.judged(wrong).faults == (
        f"the torques of {NAMES[one]} and {NAMES[other]} are exchanged",
    )
    turned = motion.torque.copy()
    turned[:, 0, one] *= -1.0
    assert motion.judged(turned).faults == (
        f"the torque of {NAMES[one]} has the opposite sign",
    )

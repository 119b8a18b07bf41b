# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Wrenches of the floor from encoders, motor torques and one IMU: found exactly where
nothing errs, and hardly worse where gears rub as gears do."""

from dataclasses import replace

import numpy as np
import pytest
from estimation.standing_on_one_leg import (
    LANDS,
    PERIOD,
    STANDS,
    Recording,
    swing_and_land,
)

from biped_slip.estimation import base_noise
from biped_slip.estimation.gear_friction import LegGears
from biped_slip.estimation.joint_torque_wrench import (
    BASE_FORCE,
    BASE_MOMENT,
    JointTorqueWrenches,
    base_variance,
    effort_sample,
    wrench_step,
)
from biped_slip.estimation.swing_finder import carried_alone
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import leg_gears

SLIDE = slice(round((LANDS + 0.03) / PERIOD), round((LANDS + 0.05) / PERIOD))
SWING = slice(round((STANDS + 0.3) / PERIOD), round(LANDS / PERIOD))


@pytest.fixture(scope="module")
def g1():
    return load_humanoid("g1")


@pytest.fixture(scope="module")
def landings(g1):
    return {mu: swing_and_land(g1, mu) for mu in (0.1, 0.4)}


def played(g1, one: Recording, gears: LegGears | None = None):
    """Return wrenches (T, 2, 6), feet in the air (T, 2) and the last state."""
    observer = JointTorqueWrenches(g1, gears or leg_gears(g1), PERIOD)
    wrenches = []
    air = []
    for sample in zip(
        one.position, one.velocity, one.torque, one.rate, one.felt, strict=True
    ):
        found = observer.step(*sample, PERIOD)
        wrenches.append(found.wrench.copy())
        air.append(found.in_air.copy())
    return np.array(wrenches), np.array(air), observer


def without_friction(g1) -> LegGears:
    """Gears that rub by hardly anything."""
    gears = leg_gears(g1)
    small = np.full_like(gears.coulomb, 1e-2)
    return gears._replace(coulomb=small, viscous=small, load=1e-3 * small)


def rubbing(g1, one: Recording, share=1.0, constant=0.0, load=0.05) -> Recording:
    """Motors that also move their gears, and currents of a wrong scale."""
    friction = np.sign(one.velocity) * (
        share * g1.gears.coulomb + load * np.abs(one.torque)
    )
    torque = one.torque + friction + share * g1.gears.viscous * one.velocity
    return replace(one, torque=(1.0 + constant) * torque)


def ratio(wrenches) -> float:
    """Ratio of impulses over the slide."""
    slide = wrenches[SLIDE, 0]
    return float(slide[:, 0].sum() / slide[:, 2].sum())


def test_without_friction_both_wrenches_are_those_of_inverse_dynamics(g1, landings):
    for one in landings.values():
        wrenches, _, _ = played(g1, one, without_friction(g1))
        # the middle of two samples, through the low pass: in the air and in a slide
        for ticks in (SWING, SLIDE):
            apart = wrenches[ticks] - one.wrench[ticks]
            assert np.abs(apart[..., :3]).max() < 2.0
            assert np.abs(apart[..., 3:]).max() < 0.3


def test_the_swing_is_found_without_being_told(g1, landings):
    for one in landings.values():
        _, air, _ = played(g1, rubbing(g1, one))
        assert not air[: round(STANDS / PERIOD)].any()
        assert air[SWING, 0].mean() > 0.95
        assert not air[:, 1].any()
        assert not air[round((LANDS + 0.015) / PERIOD) :, 0].any()


def test_the_swing_is_found_by_a_base_that_is_known_to_err_four_times_as_much(
    g1, landings, monkeypatch
):
    """An Atlas' does so by its inertia; here speeds do."""
    rng = np.random.default_rng(0)
    one = rubbing(g1, landings[0.4])
    noise = 4.0 * base_noise.SPEED_NOISE
    noisy = replace(
        one,
        velocity=one.velocity + noise * rng.standard_normal(one.velocity.shape),
        rate=one.rate + noise * rng.standard_normal(one.rate.shape),
    )
    monkeypatch.setattr(base_noise, "SPEED_NOISE", noise)
    _, air, _ = played(g1, noisy)
    assert not air[: round(STANDS / PERIOD)].any()
    assert air[SWING, 0].mean() > 0.95


@pytest.mark.parametrize("mu", [0.1, 0.4])
@pytest.mark.parametrize("share", [0.5, 1.0, 1.5])
def test_coulomb_friction_that_differs_from_the_makers_changes_no_mu(
    g1, landings, mu, share
):
    wrenches, _, _ = played(g1, rubbing(g1, landings[mu], share=share))
    assert ratio(wrenches) == pytest.approx(mu, abs=0.006 + 0.01 * mu)


@pytest.mark.parametrize("mu", [0.1, 0.4])
@pytest.mark.parametrize("constant", [-0.05, 0.05])
def test_wrong_torque_constants_scale_forces_and_leave_mu(g1, landings, mu, constant):
    wrenches, _, _ = played(g1, rubbing(g1, landings[mu], constant=constant))
    assert ratio(wrenches) == pytest.approx(mu, abs=0.006 + 0.04 * mu)


def test_the_zero_of_the_swing_is_what_finds_friction(g1, landings):
    one = rubbing(g1, landings[0.1], share=1.5)
    wrenches, _, _observer = played(g1, one)
    with_zero = abs(ratio(wrenches) - 0.1)
    unaware = JointTorqueWrenches(g1, leg_gears(g1), PERIOD)
    found = []
    for sample in zip(
        one.position, one.velocity, one.torque, one.rate, one.felt, strict=True
    ):
        unaware.state.zero.torque[:] = 0.0
        unaware.state.gears.theta[:] = observer_start(g1)
        found.append(unaware.step(*sample, PERIOD).wrench.copy())
    assert abs(ratio(np.array(found)) - 0.1) > 3.0 * with_zero + 0.01


def observer_start(g1):
    """Friction as the maker has it."""
    return JointTorqueWrenches(g1, leg_gears(g1), PERIOD).state.gears.theta


def test_a_carrying_legs_torque_is_as_uncertain_as_the_base_makes_it(g1, landings):
    """By one equation of the base after the other, through the wrench on the sole."""
    _, _, observer = played(g1, landings[0.1])
    share = observer.state.body.base_share[1]
    column = observer.state.body.leg_share[1, :, 3]
    sd = g1.weight * np.repeat([BASE_FORCE, BASE_MOMENT], 3)
    parts = [column @ carried_alone(one, share) for one in np.diag(sd)]
    found = base_variance(share, column, g1.weight)
    assert found == pytest.approx(float(np.sum(np.square(parts))))


def test_a_base_that_errs_teaches_the_carrying_ankle_little(g1, landings):
    """A body whose centre is off by 5 mm: 1.6 N m as long as the foot stands."""
    one = rubbing(g1, landings[0.1])
    _, _, right = played(g1, one)
    off = replace(one, torque=one.torque.copy())
    off.torque[:, right.legs[1, 4]] += 5e-3 * g1.weight
    _, _, wrong = played(g1, off)
    offset = (wrong.state.gears.theta - right.state.gears.theta)[1, 4, 4]
    assert 0.0 < abs(offset) < 0.2 * 5e-3 * g1.weight


def test_noise_that_witnesses_the_other_foot_changes_nothing_of_what_is_asked(
    g1, landings
):
    """As long as the swing is under way, the same leg carries."""
    one = rubbing(g1, landings[0.4])
    begun = {name: value[: SWING.stop] for name, value in vars(one).items()}
    _, air, observer = played(g1, replace(one, **begun))
    assert air[-1].tolist() == [True, False]
    sample = observer._effort
    arguments = observer.state, observer._settings, observer.found, 0, sample
    assert effort_sample(*arguments) == 0
    asked = sample.asked.copy()
    steady = observer.state.unexplained.steady
    share = observer.state.body.base_share[0]
    steady[:] = share.T @ np.array([0.0, 0.0, g1.weight, 0.0, 0.0, 0.0])
    assert effort_sample(*arguments) == 1
    np.testing.assert_array_equal(sample.asked, asked)


def test_what_a_gantry_carries_contradicts_the_legs(g1, landings):
    one = landings[0.1]
    _, _, observer = played(g1, rubbing(g1, one))
    assert not observer.contradicted
    hanging = replace(one, torque=np.zeros_like(one.torque))
    _, _, observer = played(g1, hanging)
    assert observer.contradicted


@pytest.mark.compiled
def test_the_kernel_is_the_plain_python_it_was_made_from(g1, landings):
    one = rubbing(g1, landings[0.4])
    quick = JointTorqueWrenches(g1, leg_gears(g1), PERIOD)
    slow = JointTorqueWrenches(g1, leg_gears(g1), PERIOD)
    slow._step = wrench_step.py_func
    for sample in list(
        zip(one.position, one.velocity, one.torque, one.rate, one.felt, strict=True)
    )[550:650]:
        a = quick.step(*sample, PERIOD)
        b = slow.step(*sample, PERIOD)
        np.testing.assert_allclose(a.wrench, b.wrench, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-9, atol=1e-12)

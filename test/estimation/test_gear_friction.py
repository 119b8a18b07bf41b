# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction of gears is learnt from swings, and an unlearnt one stays uncertain."""

import numpy as np
import pytest

from biped_slip.estimation.gear_friction import (
    COULOMB_NOISE,
    ERROR_TIME,
    GEAR_LEARNING_TIME,
    STICKING,
    TERMS,
    LegGears,
    friction_terms,
    friction_torque,
    friction_variance,
    learn_joint,
    makers_friction,
)

MAKER = LegGears(
    coulomb=np.full((2, 1), 2.0),
    viscous=np.full((2, 1), 0.2),
    load=np.full((2, 1), 0.05),
    limit=np.full((2, 1), 100.0),
)


def terms_at(torque: float, speed: float) -> np.ndarray:
    """phi of one sample."""
    terms = np.empty(TERMS)
    friction_terms(torque, speed, terms)
    return terms


def test_a_fast_joint_loses_coulomb_viscous_and_a_share_of_its_load():
    theta = np.array([0.0, 2.0, 0.2, 0.05, 0.0])
    assert friction_torque(terms_at(30.0, 1.5), theta) == pytest.approx(
        2.0 + 0.2 * 1.5 + 0.05 * 30.0
    )
    assert friction_torque(terms_at(-30.0, -1.5), theta) == pytest.approx(
        -(2.0 + 0.2 * 1.5 + 0.05 * 30.0)
    )


def test_swings_teach_friction_that_differs_from_the_makers():
    rng = np.random.default_rng(3)
    known = makers_friction(MAKER)
    theta = known.theta[0, 0]
    covariance = known.covariance[0, 0]
    true = np.array([-0.04, 1.2, 0.3, 0.08, 0.3])
    start = np.diag(covariance).copy()
    for _ in range(4000):
        terms = terms_at(rng.normal(0.0, 15.0), rng.normal(0.0, 2.0))
        taken = friction_torque(terms, true) + 0.3 * rng.standard_normal()
        learn_joint(theta, covariance, terms, taken, 2.0, 0.0)
    apart = np.abs(theta - true)
    assert np.all(apart < 4.0 * np.sqrt(np.diag(covariance)))
    assert apart[1] < 0.15
    assert np.all(np.diag(covariance) < start)


def test_only_a_change_of_friction_is_uncertain_and_reversal_by_twice_coulombs():
    known = makers_friction(MAKER)
    covariance = known.covariance[0, 0]
    forward = terms_at(10.0, 2.0)
    assert friction_variance(forward, forward, covariance) == 0.0
    coulomb = friction_variance(terms_at(0.0, 2.0), terms_at(0.0, -2.0), covariance)
    expected = (2.0 * 0.5 * 2.0) ** 2 + (4.0 * 0.5 * 0.2) ** 2
    assert coulomb == pytest.approx(expected)


def test_learning_returns_by_how_much_the_friction_of_the_sample_has_changed():
    known = makers_friction(MAKER)
    theta = known.theta[0, 0]
    terms = terms_at(12.0, 1.0)
    before = friction_torque(terms, theta)
    changed = learn_joint(theta, known.covariance[0, 0], terms, before + 1.0, 2.0, 0.0)
    assert 0.0 < changed < 1.0
    assert friction_torque(terms, theta) - before == pytest.approx(changed)


def taught(terms: np.ndarray, times: int, unknown: float = 0.0) -> tuple[float, float]:
    """Change and variance of phi . theta by a sample 1 N m off, met that many times."""
    known = makers_friction(MAKER)
    theta = known.theta[0, 0]
    covariance = known.covariance[0, 0]
    before = friction_torque(terms, theta)
    for _ in range(times):
        learn_joint(theta, covariance, terms, before + 1.0, 2.0, unknown)
    return friction_torque(terms, theta) - before, float(terms @ covariance @ terms)


def test_a_swing_teaches_once_however_often_it_is_sampled():
    terms = terms_at(0.0, 3.0)
    changed, variance = taught(terms, round(ERROR_TIME / GEAR_LEARNING_TIME))
    prior = float(terms @ makers_friction(MAKER).covariance[0, 0] @ terms)
    noise = (COULOMB_NOISE * 2.0) ** 2
    assert changed == pytest.approx(prior / (prior + noise))
    assert variance == pytest.approx(prior * noise / (prior + noise))


def test_a_torque_that_the_base_alone_tells_teaches_by_its_own_variance():
    terms = terms_at(0.0, 3.0)
    changed, _ = taught(terms, 30, unknown=4.0)
    prior = float(terms @ makers_friction(MAKER).covariance[0, 0] @ terms)
    assert changed == pytest.approx(prior / (prior + (COULOMB_NOISE * 2.0) ** 2 + 4.0))
    assert changed < 0.5 * taught(terms, 30)[0]


def test_a_joint_that_hardly_turns_teaches_less_than_one_that_slides():
    slow = terms_at(0.0, 0.03)
    prior = float(slow @ makers_friction(MAKER).covariance[0, 0] @ slow)
    changed, _ = taught(slow, 30)
    sliding = prior / (prior + (COULOMB_NOISE * 2.0) ** 2)
    at_rest = prior / (prior + (COULOMB_NOISE**2 + STICKING**2) * 2.0**2)
    assert at_rest < changed < 0.5 * (at_rest + sliding)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot that lands sliding tells the friction of its foothold; one that sticks tells what it holds."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.touchdown import NO_PLATEAU, STUCK, TouchdownConfig, TouchdownEstimator
from biped_slip.friction_estimation.types import NO_MEASUREMENT, EstimateState, FootMeasurement

WEIGHT, PERIOD, SIGMA = 900.0, 1e-3, 2.7
CONFIG = TouchdownConfig(force_sigma=SIGMA, residual_offset=0.3)


def sample(tangential, normal, velocity, across=0.0):
    """A foot that moves along x; friction holds it back."""
    return FootMeasurement(0, tangential, across, normal, 0.0, 0.0, velocity, 0.0, 0.0, 0.0, 0.0, 0.0)


def landing(rng, mu, slide=20, offset=(0.0, 0.0), speed=-0.2, cross_talk=0.0, stop=30):
    """A swing, an impact that slides, and a foot that comes to rest under a third of its friction."""
    loads = [*(0.2 * WEIGHT * np.sin(np.linspace(0.2, 2.9, slide))), *np.full(stop, 0.1 * WEIGHT)]
    for _ in range(200):
        yield sample(*(np.array(offset) + SIGMA * rng.standard_normal(2)), -0.5)
    for k, load in enumerate(loads):
        sliding = k < slide
        force = mu * load if sliding else 0.3 * mu * load
        noise = SIGMA * rng.standard_normal(3)
        yield sample(force + cross_talk * load + offset[0] + noise[0], load + offset[1] + noise[1],
                     speed if sliding else 0.0, noise[2])  # fmt: skip


def answered(samples, config=CONFIG, weight=WEIGHT):
    """The last answer and state."""
    estimator = TouchdownEstimator(config, weight)
    state = estimator.initial_state()
    for one in samples:
        state, answer = estimator.step(state, one, PERIOD)
    return state, answer


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.3, 0.8])
def test_the_ratio_of_impulses_is_mu_and_its_spread_what_the_noise_says(mu):
    errors, sigmas = [], []
    for seed in range(60):
        state, answer = answered(landing(np.random.default_rng([seed, 7]), mu, offset=(2.0, -2.0)))
        assert answer.usable
        assert answer.mu_low < answer.mu < answer.mu_high
        errors.append(answer.mu - mu)
        sigmas.append(state.sigma)
    assert abs(np.mean(errors)) < 0.002
    assert 0.4 * np.mean(sigmas) < np.std(errors) < 1.2 * np.mean(sigmas)
    assert np.mean(np.array(errors) > 0.014 + 2.0 * np.mean(sigmas)) <= 0.02


def test_it_is_known_within_milliseconds_of_touchdown():
    state, _ = answered(landing(np.random.default_rng(3), 0.4))
    assert state.answered_after < 0.02


def test_a_foot_that_sticks_gives_no_mu_but_what_it_held():
    state, answer = answered(landing(np.random.default_rng(5), 0.3, speed=0.0, stop=120))
    assert not answer.usable
    assert math.isnan(answer.mu)
    assert answer.state_code == EstimateState.NOT_IDENTIFIABLE
    assert state.doubt == STUCK
    assert 0.2 < answer.witnessed < 0.3


def test_the_stop_is_not_summed():
    """A regularised contact holds a foot that is being stopped with less than mu."""
    rng = np.random.default_rng(11)
    slide = [*landing(rng, 0.5, slide=16, stop=0)]
    braked = [sample(0.1 * 120.0, 120.0, v) for v in np.linspace(-0.1, -0.07, 10)]
    _, answer = answered([*slide, *braked])
    assert answer.mu == pytest.approx(0.5, abs=0.02)


def test_noise_across_the_slide_adds_nothing_to_mu():
    rng = np.random.default_rng(2)
    errors = []
    for _ in range(20):
        samples = [one._replace(force_y=25.0 * rng.standard_normal()) for one in landing(rng, 0.1)]
        errors.append(answered(samples)[1].mu - 0.1)
    assert abs(np.mean(errors)) < 0.004


def test_cross_talk_enters_one_to_one_and_its_bound_covers_it():
    _, plain = answered(landing(np.random.default_rng(8), 0.2))
    _, wrong = answered(landing(np.random.default_rng(8), 0.2, cross_talk=0.01))
    assert wrong.mu - plain.mu == pytest.approx(0.01, abs=0.002)
    assert wrong.mu_low < 0.2


def test_two_floors_under_one_slide_are_no_plateau():
    rng = np.random.default_rng(4)
    first = [*landing(rng, 0.8, slide=20, stop=0)]
    second = [sample(0.1 * 150.0 + SIGMA * rng.standard_normal(), 150.0, -0.2) for _ in range(2)]
    rising = [sample(x * 150.0, 150.0, -0.2) for x in np.linspace(0.8, 1.6, 30)]  # ploughing
    assert answered([*first, *second])[0].mu == pytest.approx(0.8, abs=0.05)
    assert answered([*first, *rising])[0].doubt == NO_PLATEAU


def test_a_foot_that_bounces_is_still_landing_and_one_that_lifts_begins_anew():
    rng = np.random.default_rng(6)
    bounce = [sample(0.0, 0.0, -0.2) for _ in range(10)]
    state, _ = answered([*landing(rng, 0.3, stop=0), *bounce])
    assert state.in_contact
    assert state.mu == pytest.approx(0.3, abs=0.03)
    state, answer = answered([*landing(rng, 0.3), *(sample(0.0, 0.0, 0.5) for _ in range(60))])
    assert not state.in_contact
    assert answer.state_code == EstimateState.NO_CONTACT


def test_a_sample_that_is_not_finite_changes_nothing():
    estimator = TouchdownEstimator(CONFIG, WEIGHT)
    before = answered(landing(np.random.default_rng(1), 0.3))[0]
    after, answer = estimator.step(before, NO_MEASUREMENT, PERIOD)
    assert answer.state_code == EstimateState.INVALID_INPUT
    np.testing.assert_equal(after, before)

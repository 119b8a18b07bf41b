# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A single sample without load, as a physics engine's contact gives now and then, is no
lift-off; two are."""

import math

import pytest

from biped_slip.friction_estimation.registry import make_estimator
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.friction_estimation.types import EstimateState, FootMeasurement

# [N], [-], [m] of presliding at the friction limit
LOAD = 300.0
MU = 0.5
STIFFNESS = 2e-4
SETTLED = (EstimateState.NOT_IDENTIFIABLE, EstimateState.USABLE)


def stance(ticks, dt, dropped=()):
    """A loaded foot whose ratio rises to 0.8 of the limit; presliding after Dahl's
    curve."""
    for tick in range(1, ticks + 1):
        ratio = 0.8 * MU * min(tick * dt / 0.4, 1.0)
        load = 0.006 * LOAD if tick in dropped else LOAD
        slip = -STIFFNESS * math.log(1.0 - ratio / MU)
        zeros = (0.0,) * 4
        yield FootMeasurement(
            round(1e9 * tick * dt),
            -ratio * load,
            0.0,
            load,
            slip,
            0.0,
            0.0,
            0.0,
            *zeros,
        )


def codes(dt, dropped=(), ticks=500):
    estimator = make_estimator("interval", EstimatorSettings(body_weight=LOAD))
    state = estimator.initial_state()
    answers = []
    for measured in stance(ticks, dt, dropped):
        state, answer = estimator.step(state, measured, dt)
        answers.append(answer)
    return answers


def test_a_contact_outlives_one_dropped_sample_and_goes_on_as_without_it():
    with_drop = codes(1e-3, dropped=(300,))
    without = codes(1e-3)
    assert with_drop[298].state_code in SETTLED
    assert with_drop[299].state_code in SETTLED
    # nothing is said of a sample without load
    assert math.isnan(with_drop[299].force_ratio)
    assert with_drop[310].state_code == without[310].state_code
    assert with_drop[499].mu_low == pytest.approx(without[499].mu_low, abs=0.02)
    assert with_drop[499].mu_demonstrated == pytest.approx(
        without[499].mu_demonstrated, rel=0.02
    )


def test_two_samples_without_load_are_a_lift_off():
    answers = codes(1e-3, dropped=(300, 301))
    assert answers[300].state_code == EstimateState.NO_CONTACT
    assert answers[310].state_code == EstimateState.SETTLING


def test_at_a_lower_rate_one_is():
    answers = codes(5e-3, dropped=(80,), ticks=100)
    assert answers[78].state_code in SETTLED
    assert answers[79].state_code == EstimateState.NO_CONTACT

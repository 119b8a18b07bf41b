# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the interval must never claim: more than the ends of its grid, less than what
was held, the past as present."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    IntervalConfig,
    MotionNoise,
    SoleModel,
)
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.types import NO_MEASUREMENT, EstimateState

PERIOD = 1e-3
LOAD = 400.0
SHIPPED = SoleModel(calibrated=True)


def measurement(ratio=0.0, x=0.0, normal=LOAD):
    return NO_MEASUREMENT._replace(
        force_x=-ratio * normal,
        force_y=0.0,
        force_normal=normal,
        displacement_x=x,
        displacement_y=0.0,
    )


def ramp(mu, to, seconds=0.5, s_p=1e-3, sigma=2e-6, seed=1, normal=LOAD):
    rng = np.random.default_rng(seed)
    for k in range(round(seconds / PERIOD)):
        share = to * min(k * PERIOD / seconds, 1.0)
        yield measurement(
            share * mu,
            -s_p / 3.0 * math.log(1.0 - share) + sigma * rng.standard_normal(),
            normal,
        )


def estimator(**fields):
    fields = {"motion": MotionNoise(sigma=2e-6), "sole": SHIPPED, **fields}
    return IntervalEstimator(IntervalConfig(**fields), body_weight=LOAD)


def run(one, samples):
    state = one.initial_state()
    answers = []
    for sample in samples:
        state, answer = one.step(state, sample, PERIOD)
        answers.append(answer)
    return state, answers


def test_below_the_grid_nothing_is_certified_but_what_was_held():
    _, answers = run(estimator(), ramp(0.03, 0.97))
    known = [a for a in answers if not math.isnan(a.mu_low)]
    assert max(a.mu_low for a in known) <= 0.03
    assert not any(a.usable for a in known)


def test_above_the_grid_the_upper_end_is_open():
    _, answers = run(estimator(), ramp(2.2, 0.9))
    assert math.isinf(answers[-1].mu_high)
    assert not any(a.usable for a in answers)
    assert answers[-1].mu_low <= 2.2


def test_the_interval_is_never_below_what_was_held():
    for seed in range(5):
        _, answers = run(estimator(), ramp(0.5, 0.95, seed=seed))
        held = 0.0
        for answer in answers:
            if math.isnan(answer.mu_low):
                continue
            held = max(held, answer.mu_demonstrated)
            assert answer.mu_demonstrated == held
            assert answer.mu_low >= held
            assert answer.mu_high >= held
            assert answer.mu_median >= answer.mu_low


def test_a_peak_shorter_than_twenty_milliseconds_is_not_held():
    samples = list(ramp(0.5, 0.2))
    samples[300:310] = [
        sample._replace(force_x=-0.45 * LOAD) for sample in samples[300:310]
    ]
    _, answers = run(estimator(sole=SoleModel()), samples)
    assert answers[-1].mu_demonstrated < 0.12


def test_what_was_held_is_less_by_what_the_force_sensor_may_add():
    held = []
    for offset in (0.0, 20.0):
        _, answers = run(
            estimator(force=ForceNoise(sigma=0.0, offset=offset)), ramp(0.5, 0.8)
        )
        held.append(answers[-1].mu_demonstrated)
    assert held[0] - held[1] == pytest.approx(
        20.0 * math.hypot(1.0, 0.4) / LOAD, rel=0.02
    )


def test_an_interval_that_the_foot_refutes_is_withdrawn_and_says_why():
    """The motion is that of a contact of mu 0.2, the force holds 0.45 all the same: the
    marker is not the patch."""
    false = list(ramp(0.2, 0.93, seconds=0.4))
    more = [
        measurement(0.186 + 0.264 * k / 300, false[-1].displacement_x + 1e-7 * k)
        for k in range(300)
    ]
    one = estimator()
    state, answers = run(one, false + more)
    assert answers[-1].mu_low >= 0.4
    assert math.isinf(answers[-1].mu_high)
    assert not answers[-1].usable
    assert one.doubt(state) != ""


def test_a_foot_that_grips_again_is_not_bound_by_its_slide():
    slide = [measurement(0.1, 2e-4 * k) for k in range(100)]
    rest = [measurement(0.0, 1e-6 * (-1) ** k) for k in range(150)]
    grip = [measurement(min(0.1 + 1e-3 * k, 0.3), 0.02 + 1e-7 * k) for k in range(400)]
    _, answers = run(estimator(), rest + slide + grip)
    assert answers[200].slipping
    assert answers[-1].mu_demonstrated > 0.25
    assert answers[-1].mu_high >= answers[-1].mu_demonstrated
    assert EstimateState(answers[-1].state_code) is not EstimateState.USABLE


def test_the_force_ratio_of_a_light_foot_is_its_ratio():
    one = IntervalEstimator(IntervalConfig(), body_weight=1.0)
    _, answer = one.step(one.initial_state(), measurement(0.4, normal=0.5), PERIOD)
    assert answer.force_ratio == pytest.approx(0.4)


@pytest.mark.parametrize("turned", ["force", "motion", "neither"])
def test_a_turned_sign_is_named_and_nothing_is_certified_with_it(turned):
    one = estimator()
    signs = {"force": (-1.0, 1.0), "motion": (1.0, -1.0), "neither": (1.0, 1.0)}[turned]
    turned_ramp = (
        s._replace(
            force_x=signs[0] * s.force_x, displacement_x=signs[1] * s.displacement_x
        )
        for s in ramp(0.6, 0.9)
    )
    state, answers = run(one, turned_ramp)
    assert ("sign" in one.doubt(state)) == (turned != "neither")
    assert answers[-1].usable == (turned == "neither")
    if turned != "neither":
        assert answers[-1].mu_low == answers[-1].mu_demonstrated
        assert math.isinf(answers[-1].mu_high)


def test_cross_talk_that_is_told_lowers_what_is_certain_by_as_much():
    _, silent = run(estimator(), ramp(0.6, 0.9))
    _, told_of = run(estimator(force=ForceNoise(cross_talk=0.03)), ramp(0.6, 0.9))
    assert told_of[-1].mu_demonstrated == pytest.approx(
        silent[-1].mu_demonstrated - 0.03, abs=1e-6
    )
    assert told_of[-1].mu_low <= silent[-1].mu_low - 0.02
    assert told_of[-1].mu_high >= silent[-1].mu_high + 0.02

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.settings import SlipBasedConfig
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator
from biped_slip.friction_estimation.types import NO_MEASUREMENT, EstimateState

DT = 1e-3
SENSED = NO_MEASUREMENT._replace(
    force_x=-10.0, force_y=0.0, force_normal=100.0, velocity_x=0.0, velocity_y=0.0
)


def run(measurements, config=None):
    estimator = SlipBasedEstimator(config)
    state = estimator.initial_state()
    answers = []
    for measurement in measurements:
        state, answer = estimator.step(state, measurement, DT)
        answers.append(answer)
    return answers


def slide(mu, count=200, **changes):
    return [SENSED._replace(force_x=-mu * 100.0, velocity_x=0.1, **changes)] * count


def test_there_is_no_estimate_before_the_foot_has_slipped():
    answers = run([SENSED._replace(force_x=-f) for f in np.linspace(0.0, 60.0, 500)])
    assert all(math.isnan(answer.mu) and not answer.usable for answer in answers)
    assert answers[-1].state_code == EstimateState.NOT_IDENTIFIABLE
    assert answers[-1].mu_demonstrated == pytest.approx(0.6)


@pytest.mark.parametrize("mu", [0.05, 0.4, 1.1])
def test_during_a_slip_mu_is_the_force_ratio_and_afterwards_the_last_value_is_kept(mu):
    answers = run([*slide(mu), *[SENSED] * 50])
    assert answers[199].slipping
    assert answers[199].mu == pytest.approx(mu, rel=1e-12)
    assert not answers[-1].slipping
    assert answers[-1].mu == pytest.approx(mu, rel=1e-12)
    assert answers[-1].state_code == EstimateState.USABLE


def test_a_new_contact_knows_nothing_of_the_last_one():
    lifted = SENSED._replace(force_x=0.0, force_normal=0.0)
    answers = run([*slide(0.3), *[lifted] * 5, *[SENSED] * 5])
    assert answers[202].state_code == EstimateState.NO_CONTACT
    assert math.isnan(answers[-1].mu)


def test_contact_begins_and_ends_at_different_loads():
    config = SlipBasedConfig(contact_on=50.0, contact_off=20.0)
    loads = [40.0, 60.0, 30.0, 10.0, 30.0]
    answers = run(
        [SENSED._replace(force_normal=load, force_x=-1.0) for load in loads], config
    )
    assert [answer.state_code == EstimateState.NO_CONTACT for answer in answers] == [
        True,
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["force_x", "force_normal"])
def test_a_sample_that_is_not_finite_is_answered_as_invalid_and_changes_nothing(
    field, bad
):
    broken = SENSED._replace(**{field: bad})
    with_it = run([*slide(0.3), broken, *slide(0.3, 5)])
    without = run([*slide(0.3), *slide(0.3, 5)])
    assert with_it[200].state_code == EstimateState.INVALID_INPUT
    assert with_it[-1] == pytest.approx(without[-1], nan_ok=True)


def test_settling_after_touchdown_hides_the_slide_of_the_landing():
    answers = run(slide(0.3, 300), SlipBasedConfig(settle_time=0.1))
    assert answers[50].state_code == EstimateState.SETTLING
    assert not any(answer.slipping for answer in answers[:100])
    assert answers[-1].slipping


def test_without_motion_a_force_plateau_under_a_changing_load_is_a_slip_once_the_ratio_has_dropped():
    blind = NO_MEASUREMENT._replace(force_y=math.nan)
    loads = np.linspace(900.0, 200.0, 400)
    ratios = np.where(np.arange(400) < 100, np.linspace(0.0, 1.4, 400), 0.3)
    answers = run(
        [
            blind._replace(force_x=-u * load, force_normal=load)
            for u, load in zip(ratios, loads, strict=True)
        ]
    )
    assert answers[-1].slipping
    assert answers[-1].mu == pytest.approx(0.3, rel=1e-9)


def test_the_direction_of_the_slip_does_not_matter():
    for heading in np.linspace(0.0, 6.0, 7):
        c = math.cos(heading)
        s = math.sin(heading)
        turned = SENSED._replace(
            force_x=-40.0 * c, force_y=-40.0 * s, velocity_x=0.1 * c, velocity_y=0.1 * s
        )
        assert run([turned] * 200)[-1].mu == pytest.approx(0.4, rel=1e-12)


def test_inverted_hysteresis_is_refused():
    with pytest.raises(InvalidParameter, match="contact_off"):
        SlipBasedConfig(contact_on=5.0, contact_off=6.0)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval where it knows; the ratio of a slide where motion is not measured."""

import numpy as np

from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.interval_or_slip import (
    BothStates,
    IntervalOrSlipEstimator,
    choose,
    interval_or_slip_step,
)
from biped_slip.friction_estimation.settings import SlipBasedConfig
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator
from biped_slip.friction_estimation.types import (
    NAN,
    NO_ESTIMATE,
    EstimateState,
    FootMeasurement,
)

LOAD = 350.0
MU = 0.3
PERIOD = 1e-3


def both():
    return IntervalOrSlipEstimator(
        IntervalEstimator(IntervalConfig(), body_weight=LOAD),
        SlipBasedEstimator(SlipBasedConfig()),
    )


def blind_pull(k):
    """A pull whose displacement nobody measures: the ratio rises to mu in half a
    second, then the foot slides."""
    ratio = min(MU, MU * k / 500)
    speed = 0.2 if k > 500 else 0.0
    return FootMeasurement(
        stamp_ns=k,
        force_x=-ratio * LOAD,
        force_y=0.0,
        force_normal=LOAD,
        displacement_x=NAN,
        displacement_y=NAN,
        velocity_x=speed,
        velocity_y=0.0,
        moment_normal=0.0,
        centre_of_pressure_x=0.0,
        centre_of_pressure_y=0.0,
        angular_rate=NAN,
    )


def test_a_blind_foot_is_not_identifiable_until_it_slides_and_then_has_the_ratio_of_its_slide():
    one = both()
    state = one.initial_state()
    words = []
    mus = []
    for k in range(1200):
        state, answer = one.step(state, blind_pull(k), PERIOD)
        words.append(EstimateState(answer.state_code))
        mus.append(answer.mu)
    first = words.index(EstimateState.SLIPPING)
    assert set(words[100:first]) == {EstimateState.NOT_IDENTIFIABLE}
    assert first > 500
    assert np.isnan(mus[:first]).all()
    np.testing.assert_allclose(mus[-1], MU, rtol=1e-3)


def test_the_compiled_form_answers_as_the_class_does():
    one = both()
    other = both()
    state = one.initial_state()
    also = other.initial_state()
    for k in range(700):
        state, answer = one.step(state, blind_pull(k), PERIOD)
        also, same = interval_or_slip_step(also, other.settings, blind_pull(k), PERIOD)
        np.testing.assert_array_equal(answer, same)
    assert isinstance(also, BothStates)


def test_what_the_interval_knows_is_never_overruled():
    slid = NO_ESTIMATE._replace(mu=0.2, state_code=int(EstimateState.USABLE))
    for word in set(EstimateState) - {EstimateState.NOT_IDENTIFIABLE}:
        known = NO_ESTIMATE._replace(mu=0.5, state_code=int(word))
        assert choose(known, slid).mu == 0.5
    assert (
        choose(
            NO_ESTIMATE._replace(state_code=int(EstimateState.NOT_IDENTIFIABLE)), slid
        ).mu
        == 0.2
    )

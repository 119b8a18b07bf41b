# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The thesis' estimator (A.4)."""

import math

import numpy as np
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.rls import ThesisEstimator, rls_update
from biped_slip.friction_estimation.settings import RlsConfig
from biped_slip.friction_estimation.types import NO_MEASUREMENT, EstimateState

DT = 1e-3
NORMAL = 5.05 * 9.81


def sample(u, v, normal=NORMAL):
    return NO_MEASUREMENT._replace(
        force_x=-u * normal, force_normal=normal, velocity_x=v
    )


def ramp(mu, s_p, rate=17.0 / NORMAL):
    """Samples of a block that is pulled by a growing force, until 95 % of mu."""
    for k in range(1, round(0.95 * mu / rate / DT)):
        u = k * DT * rate
        yield k * DT, sample(u, s_p / 3 * rate / (mu - u))


@pytest.mark.parametrize(
    ("mu", "s_p", "converged"),
    [(1.0, 1e-3, 0.86), (0.4, 1e-3, 0.63), (0.75, 5e-3, 0.54)],
)
def test_clean_ramps_converge_when_their_table_says(mu, s_p, converged):
    estimator = ThesisEstimator()
    state = estimator.initial_state()
    last_outside = 0.0
    for time, measurement in ramp(mu, s_p):
        state, estimate = estimator.step(state, measurement, DT)
        if not abs(estimate.mu / mu - 1.0) < 0.05:
            last_outside = time
    assert last_outside == pytest.approx(converged, rel=0.05)
    assert estimate.mu == pytest.approx(mu, rel=1e-4)
    assert estimate.s_p == pytest.approx(s_p, rel=1e-3)


def test_the_printed_flag_rises_at_tick_n_whatever_the_estimate():
    """Its residual limit of 230 1/s is far above any clean residual (A.4)."""
    estimator = ThesisEstimator()
    state = estimator.initial_state()
    flags = []
    for _, measurement in ramp(1.0, 1e-3):
        state, estimate = estimator.step(state, measurement, DT)
        flags.append(estimate.flag)
    assert flags.index(True) == 20


def test_the_update_is_that_of_a_batch_least_squares_without_forgetting():
    rng = np.random.default_rng(0)
    state = ThesisEstimator(RlsConfig(initial_covariance=1e12)).initial_state()
    u = np.cumsum(rng.normal(size=60)) * 1e-2
    v = rng.normal(size=60) * 1e-2
    state = state._replace(u=u[0], v=v[0])
    for k in range(1, 60):
        state, _ = rls_update(state, u[k], v[k], DT, 1.0)
    mean_u = 0.5 * (u[1:] + u[:-1])
    mean_v = 0.5 * (v[1:] + v[:-1])
    theta = np.linalg.lstsq(
        np.stack([np.abs(mean_v) * mean_u, mean_v], 1), np.diff(u) / DT, rcond=None
    )[0]
    np.testing.assert_allclose([state.a1, state.a2], theta, rtol=1e-4)


def test_with_the_sign_of_the_ground_force_flipped_the_estimate_has_no_meaning():
    """u = +F_x/F_n would converge to −mu (A.2 iii): such an estimate is reported as
    unknown."""
    estimator = ThesisEstimator()
    state = estimator.initial_state()
    for _, measurement in ramp(0.4, 1e-3):
        state, estimate = estimator.step(
            state, measurement._replace(force_x=-measurement.force_x), DT
        )
    assert math.isnan(estimate.mu)


def test_it_forgets_when_the_foot_leaves_the_ground():
    estimator = ThesisEstimator()
    state = estimator.initial_state()
    for _, measurement in ramp(0.4, 1e-3):
        state, _ = estimator.step(state, measurement, DT)
    state, estimate = estimator.step(state, sample(0.0, 0.0, normal=0.5), DT)
    assert estimate.state_code == EstimateState.NO_CONTACT
    np.testing.assert_equal(state, estimator.initial_state())


@pytest.mark.parametrize(
    "bad", [{"force_x": math.nan}, {"velocity_x": math.inf}, {"force_normal": math.nan}]
)
def test_a_bad_sample_changes_nothing_and_is_named(bad):
    estimator = ThesisEstimator()
    state = estimator.initial_state()
    for _, measurement in list(ramp(0.4, 1e-3))[:100]:
        state, _ = estimator.step(state, measurement, DT)
    after, estimate = estimator.step(state, measurement._replace(**bad), DT)
    assert after == state
    assert estimate.state_code == EstimateState.INVALID_INPUT
    assert not estimate.usable


def test_a_stamp_that_stands_still_is_bad_input():
    estimator = ThesisEstimator()
    state, _ = estimator.step(estimator.initial_state(), sample(0.1, 1e-4), DT)
    after, estimate = estimator.step(state, sample(0.1, 1e-4), 0.0)
    assert after == state
    assert estimate.state_code == EstimateState.INVALID_INPUT


def test_parameters_outside_their_range_are_refused():
    with pytest.raises(InvalidParameter, match=r"RlsConfig.forgetting is 1.5.*<= 1"):
        RlsConfig(forgetting=1.5)

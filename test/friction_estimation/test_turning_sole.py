# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A moment about the vertical uses friction, too: what it does to the certificate of a
sole that turns."""

import math

import numpy as np
import pytest
from friction_estimation.turning_sole import ARM, FORCE_NOISE, WEIGHT, turning_stance

from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    GateConfig,
    IntervalConfig,
    SlipConfig,
)
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator

pytestmark = pytest.mark.compiled
STANCES = 40
CONFIG = IntervalConfig(
    force=ForceNoise(sigma=FORCE_NOISE, offset=FORCE_NOISE),
    gate=GateConfig(carry_sole=False),
    slip=SlipConfig(moment_arm=ARM),
)


def certified(stance):
    """Largest certificate of a stance over its mu."""
    estimator = IntervalEstimator(CONFIG, body_weight=WEIGHT)
    state = estimator.initial_state()
    largest = 0.0
    for measurement in stance.measurements:
        state, estimate = estimator.step(state, measurement, 1e-3)
        if math.isfinite(estimate.mu_low):
            largest = max(largest, estimate.mu_low / stance.mu)
    return largest


@pytest.fixture(scope="module")
def turned():
    return [turning_stance(seed) for seed in range(STANCES)]


@pytest.fixture(scope="module")
def spun():
    return [turning_stance(seed, spun=True) for seed in range(STANCES)]


def test_force_and_moment_share_one_limit_surface(turned, spun):
    """The ellipse through mu N and mu N times the arm is that of even pressure to some
    percent."""
    assert max(stance.combined.max() for stance in turned + spun) < 1.05
    sliding = [stance for stance in spun if np.ptp(stance.yaw) > 0.1]
    assert len(sliding) > 5
    assert min(stance.combined.max() for stance in sliding) > 0.9


def test_without_a_moment_no_sole_turns_and_the_certificate_holds():
    stances = [turning_stance(seed, turning=0.0) for seed in range(STANCES)]
    assert max(np.ptp(stance.yaw) for stance in stances) < 1e-9
    assert sum(certified(stance) > 1.0 for stance in stances) <= 1


def test_the_certificate_of_a_sole_that_a_moment_turns_is_wrong_in_few_stances(turned):
    """Claimed are 5 %: of 40 stances up to 5 may then be wrong (with 95 % certainty)."""
    assert np.median([np.ptp(stance.yaw) for stance in turned]) > 2e-3
    assert sum(certified(stance) > 1.0 for stance in turned) <= 5


def test_the_certificate_of_a_sole_that_spins_is_wrong_in_few_stances(spun):
    assert sum(certified(stance) > 1.0 for stance in spun) <= 5


def test_the_ratio_of_a_slip_counts_the_moment(spun):
    """Forces alone would say a third of mu of a sole that spins; with the moment it is
    mu, and not above."""
    answers = [certified(stance) for stance in spun if np.ptp(stance.yaw) > 0.1]
    assert 0.8 < np.median(answers) < 1.0

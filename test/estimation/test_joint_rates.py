# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities of joints from positions alone."""

import numpy as np
import pytest

from biped_slip.estimation.joint_rates import GAP, RATE_TIME, JointRates


def rates(positions, period):
    made = JointRates()
    return np.array(
        [made.step(round(1e9 * period * k), q) for k, q in enumerate(positions)]
    )


@pytest.mark.parametrize("period", [1e-3, 2e-3, 5e-3])
def test_a_joint_that_turns_evenly_has_its_speed_from_the_second_sample_on(period):
    time = period * np.arange(40)
    found = rates(np.outer(time, [0.5, -2.0]), period)
    assert not found[0].any()
    np.testing.assert_allclose(found[1:], np.tile([0.5, -2.0], (39, 1)), rtol=1e-6)


@pytest.mark.parametrize("period", [1e-3, 2e-3, 5e-3])
def test_they_are_late_by_half_of_the_time_over_which_they_are_taken(period):
    time = period * np.arange(60)
    found = rates((0.5 * 3.0 * time**2)[:, None], period)
    taken = period * np.ceil(RATE_TIME / period)  # whole periods
    np.testing.assert_allclose(found[20:, 0], 3.0 * (time[20:] - 0.5 * taken))


def test_noise_of_an_encoder_grows_by_root_two_over_that_time():
    noise = 1.5e-5 * np.random.default_rng(0).normal(size=(20_000, 1))
    found = rates(noise, 1e-3)[10:]
    assert found.std() == pytest.approx(np.sqrt(2.0) * 1.5e-5 / RATE_TIME, rel=0.03)


def test_over_a_gap_nothing_is_said():
    made = JointRates()
    made.step(0, np.array([0.0]))
    later = round(1e9 * (GAP + 0.01))
    assert made.step(later, np.array([1.0])) == 0.0
    after = made.step(later + 1_000_000, np.array([1.001]))
    assert after == pytest.approx(1.0)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocities of joints from positions alone."""

import numpy as np
import pytest

from biped_slip.estimation.joint_rates import HALF_TIME, JointRates
from biped_slip.estimation.readings import RawReadings

NO_FEET = np.full((2, 6), np.nan)


def rates(positions, period):
    """Samples with velocities, of positions (samples, joints)."""
    made = JointRates(period)
    found = [
        made.step(
            RawReadings(
                stamp_ns=round(1e9 * period * k),
                joint_position=position,
                joint_velocity=np.full(len(position), np.nan),
                imu=np.full(6, float(k)),
                foot_imus=NO_FEET,
                force_torque=NO_FEET,
            )
        )
        for k, position in enumerate(positions)
    ]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("period", [1e-3, 2e-3, 5e-3])
def test_a_parabola_has_its_own_velocities_at_their_own_instants(period):
    time = period * np.arange(40)
    coefficients = np.array([3.0, -20.0])
    found = rates(0.5 * np.outer(time**2, coefficients), period)
    for one in found:
        now = 1e-9 * one.stamp_ns
        np.testing.assert_allclose(one.joint_velocity, coefficients * now, atol=1e-9)
        np.testing.assert_allclose(one.joint_position, 0.5 * coefficients * now**2)


@pytest.mark.parametrize(("period", "late"), [(1e-3, 2), (2e-3, 1), (5e-3, 1)])
def test_what_goes_with_a_position_is_given_with_it_some_samples_later(period, late):
    found = rates(np.zeros((10, 1)), period)
    assert len(found) == 10 - 2 * late
    assert [one.imu[0] for one in found] == [late + k for k in range(len(found))]
    assert [1e-9 * one.stamp_ns for one in found] == pytest.approx(
        [period * (late + k) for k in range(len(found))]
    )


def test_noise_of_an_encoder_grows_by_root_two_over_the_span():
    noise = 1.5e-5 * np.random.default_rng(0).normal(size=(20_000, 1))
    found = np.array([one.joint_velocity for one in rates(noise, 1e-3)])
    expected = np.sqrt(2.0) * 1.5e-5 / (2.0 * HALF_TIME)
    assert found.std() == pytest.approx(expected, rel=0.03)

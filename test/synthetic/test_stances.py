# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest

from synthetic import contacts
from synthetic.stances import Sensors, StanceKind, draw, observe

P2 = Sensors(
    kind="position",
    sigma=5e-6,
    quantisation=5e-6,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)
V2 = Sensors(
    kind="velocity",
    sigma=1e-3,
    quantisation=0.0,
    force_sigma=1.0,
    force_offset=1.0,
    latency=1,
)


def test_the_generator_gives_the_study_s_check_values():
    rng = np.random.default_rng(2001)
    stances = draw(rng, 2000, StanceKind())
    np.testing.assert_allclose(
        stances.mu[:3], [0.128753, 0.906462, 0.141923], atol=5e-7
    )
    np.testing.assert_allclose(
        1e3 * stances.s_p[:3], [0.985531, 0.334994, 1.233089], atol=5e-7
    )
    assert stances.length[:3].tolist() == [427, 361, 442]
    assert stances.kind[:3].tolist() == [0, 0, 0]
    seen = observe(rng, stances, P2, False)
    assert 1e6 * stances.displacement[0, 200, 0] == pytest.approx(233.657, abs=5e-4)
    assert 1e6 * seen.displacement[0, 200, 0] == pytest.approx(235.0, abs=5e-4)
    assert seen.ratio[0, 200, 0] == pytest.approx(0.073392, abs=5e-7)


def test_the_generator_gives_the_study_s_values_of_other_seeds():
    stances = draw(np.random.default_rng(2002), 2000, StanceKind())
    assert stances.mu[0] == pytest.approx(1.038259, abs=5e-7)
    assert stances.length[0] == 566
    rng = np.random.default_rng(2005)
    stances = draw(rng, 2000, StanceKind())
    assert stances.mu[0] == pytest.approx(1.022658, abs=5e-7)
    seen = observe(rng, stances, V2, False)
    assert 1e6 * seen.displacement[0, 200, 0] == pytest.approx(-118.739, abs=5e-4)


@pytest.mark.parametrize("planar", [False, True])
def test_the_load_peaks_at_the_wanted_share(planar):
    stances = draw(
        np.random.default_rng(1), 50, StanceKind(planar=planar, largest_share=0.6)
    )
    inside = np.arange(600) < stances.length[:, None]
    np.testing.assert_allclose(np.max(stances.share * inside, axis=1), 0.6)


def test_a_fixed_value_leaves_the_other_draws_alone():
    free = draw(np.random.default_rng(4), 20, StanceKind())
    fixed = draw(np.random.default_rng(4), 20, StanceKind(mu=0.3, load=(30.0, 60.0)))
    np.testing.assert_array_equal(free.s_p, fixed.s_p)
    np.testing.assert_array_equal(free.kind, fixed.kind)
    assert np.all(fixed.mu == 0.3)


def ramp(mu, share=0.9, samples=2000):
    return np.linspace(0.0, share * mu, samples)


@pytest.mark.parametrize("shape", [1.0 / 3.0, 0.75, 1.0, 1.5])
def test_the_dahl_family_follows_its_closed_form(shape):
    mu = 0.5
    s_p = 1e-3
    moved = np.zeros((2000, 2))
    contacts.dahl(np.column_stack([ramp(mu), np.zeros(2000)]), mu, s_p, shape, moved)
    exact = (
        -math.log(0.1) if shape == 1.0 else (1.0 - 0.1 ** (1.0 - shape)) / (1.0 - shape)
    )
    assert moved[-1, 0] == pytest.approx(s_p / 3.0 * exact, rel=1e-5)


def test_the_second_order_law_peaks_at_mu_and_slides_at_eight_tenths():
    mu = 0.5
    s_p = 1e-3
    f_1, f_2 = contacts.virgin_peak_coefficients(mu)
    x = np.linspace(0.0, 5e-3, 100000)
    eps = s_p / 3.0
    u = f_1 * (1.0 - np.exp(-x / (eps * contacts.ETA))) - f_2 * (1.0 - np.exp(-x / eps))
    assert u.max() == pytest.approx(mu, rel=1e-5)
    assert u[-1] == pytest.approx(0.8 * mu, rel=1e-5)
    moved = np.zeros(2000)
    contacts.bliman_sorine(ramp(mu), f_1, f_2, s_p, moved)
    assert moved[-1] == pytest.approx(
        np.interp(0.9 * mu, u[: u.argmax()], x[: u.argmax()]), rel=1e-3
    )


def test_lugre_loaded_slowly_is_the_first_order_law_up_to_its_stribeck_peak():
    mu = 0.5
    s_p = 1e-3
    moved = np.zeros(20000)
    contacts.lugre(ramp(mu, 0.5, 20000), mu, s_p, 1e-3, moved)
    assert moved[-1] == pytest.approx(-s_p / 3.0 * math.log(0.5), rel=0.02)


def test_the_force_form_is_the_ratio_form_at_a_constant_load():
    mu = 0.5
    s_p = 1e-3
    moved = np.zeros(2000)
    contacts.force_form(ramp(mu), np.full(2000, 300.0), mu, s_p, moved)
    assert moved[-1] == pytest.approx(-s_p / 3.0 * math.log(0.1), rel=1e-4)


def test_series_compliance_adds_its_own_motion():
    stiff = draw(np.random.default_rng(6), 3, StanceKind())
    soft = draw(
        np.random.default_rng(6), 3, StanceKind(law=contacts.Law(stiffness=2e5))
    )
    added = soft.displacement - stiff.displacement
    np.testing.assert_allclose(
        added, stiff.ratio * stiff.normal[..., None] / 2e5, atol=1e-12
    )


def test_latency_delays_forces_only_and_noise_comes_before_it():
    stances = draw(np.random.default_rng(7), 4, StanceKind())
    prompt = observe(np.random.default_rng(8), stances, P2._replace(latency=0), False)
    late = observe(np.random.default_rng(8), stances, P2._replace(latency=3), False)
    np.testing.assert_array_equal(late.force[:, 3:], prompt.force[:, :-3])
    np.testing.assert_array_equal(late.displacement, prompt.displacement)


def test_an_integrated_velocity_drifts_as_its_noise_says():
    stances = draw(np.random.default_rng(9), 300, StanceKind())
    seen = observe(np.random.default_rng(10), stances, V2, False)
    error = (seen.displacement - stances.displacement)[:, 400, 0]
    assert np.std(error) == pytest.approx(1e-3 * 1e-3 * math.sqrt(400), rel=0.15)


def test_a_twice_integrated_acceleration_drifts_as_its_bias_says():
    stances = draw(np.random.default_rng(9), 300, StanceKind())
    sensors = Sensors("imu", noise_density=0.0, bias=0.02)
    seen = observe(np.random.default_rng(10), stances, sensors, False)
    error = (seen.displacement - stances.displacement)[:, 400, 0]
    assert np.std(error) == pytest.approx(0.5 * 0.02 * 0.4**2, rel=0.04)

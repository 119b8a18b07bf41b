# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floors as they are: each property of a surface against its closed form, alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.friction_laws.bristle_laws import ElastoPlasticConfig, SurfaceConfig
from biped_slip.friction_laws.law import FRESH

DT = 1e-4
MU = 0.5


def slide(law, velocity, loads, mu=MU, dt=DT):
    """Force (steps, 2) over load of a point that slides at a velocity (2,) from the
    first contact on."""
    memory = FRESH
    found = []
    packed = law.packed
    for load in loads:
        memory, x, y = type(law).step(
            memory, velocity[0], velocity[1], load, mu, packed, dt
        )
        found.append((x / load, y / load))
    return np.array(found)


@given(st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_plain_surface_is_elasto_plastic(seed):
    rng = np.random.default_rng(seed)
    ours = FRESH
    theirs = FRESH
    for slip_x, slip_y, load in zip(
        *rng.normal(0.0, 0.05, (2, 20)), rng.uniform(1.0, 100.0, 20), strict=True
    ):
        ours, *first = SurfaceConfig.step(
            ours, slip_x, slip_y, load, MU, SurfaceConfig().packed, 1e-3
        )
        theirs, *second = ElastoPlasticConfig.step(
            theirs, slip_x, slip_y, load, MU, ElastoPlasticConfig().packed, 1e-3
        )
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("load", [2.5, 5.0, 50.0, 200.0])
def test_rubber_slides_at_a_ratio_that_falls_with_a_power_of_the_load(load):
    law = SurfaceConfig(load_exponent=0.1, reference_load=50.0)
    ratio = slide(law, (0.1, 0.0), np.full(1000, load))[-1, 0]
    assert ratio == pytest.approx(MU * (load / 50.0) ** -0.1, rel=1e-6)


def test_the_ratio_of_a_static_peak_is_reached_slowly_and_gone_at_speed():
    law = SurfaceConfig(static_ratio=1.4, stribeck_velocity=0.01)
    creeping = slide(law, (1e-5, 0.0), np.full(4000, 50.0), dt=0.1)[:, 0]
    assert creeping.max() == pytest.approx(1.4 * MU, rel=1e-3)
    for speed in (0.005, 0.02, 0.1):
        found = slide(law, (speed, 0.0), np.full(3000, 50.0), dt=1e-3)[-1, 0]
        assert found == pytest.approx(law.steady_ratio(speed, MU), rel=1e-4)


def test_a_film_is_squeezed_out_in_the_time_of_stefans_equation():
    """From h_0 far above the roughness the film reaches it after t = 3 pi eta n R^4 /
    (4 F h_r^2), and half is dry."""
    law = SurfaceConfig(film=1e-4, film_viscosity=0.01, roughness=5e-6, film_share=0.1)
    for load in (5.0, 50.0):
        time = 3.0 * np.pi * 0.01 * 20.0 * 5e-3**4 / (4.0 * load * 5e-6**2)
        steps = 2000
        found = slide(law, (0.1, 0.0), np.full(50 * steps, load), dt=time / steps)[:, 0]
        assert found[steps] / MU == pytest.approx(0.1 + 0.9 * 0.5, abs=2e-3)
        assert found[steps // 20] / MU < 0.2
        assert found[-1] / MU > 0.98


def test_ploughing_has_no_plateau_until_its_length():
    law = SurfaceConfig(ploughing=20.0, plough_length=0.02)
    speed = 0.1
    found = slide(law, (speed, 0.0), np.full(4000, 50.0))[:, 0]
    travel = speed * DT * np.arange(1, 4001)
    np.testing.assert_allclose(
        found[500:], MU + 20.0 * np.minimum(travel, 0.02)[500:], atol=2e-3
    )


@pytest.mark.parametrize("grain", [0.0, 0.6])
def test_anisotropic_friction_lies_on_an_ellipse_and_is_normal_to_it(grain):
    law = SurfaceConfig(across=0.5, grain=grain)
    c = np.cos(grain)
    s = np.sin(grain)
    for angle in np.linspace(0.0, 2.0 * np.pi, 9):
        velocity = 0.1 * np.array([np.cos(angle), np.sin(angle)])
        force = (
            np.array([[c, s], [-s, c]]) @ slide(law, velocity, np.full(1000, 50.0))[-1]
        )
        along, across = np.array([[c, s], [-s, c]]) @ velocity
        assert np.hypot(force[0] / MU, force[1] / (0.5 * MU)) == pytest.approx(
            1.0, rel=1e-6
        )
        normal = np.array([force[0] / MU**2, force[1] / (0.5 * MU) ** 2])
        assert normal[0] * across - normal[1] * along == pytest.approx(0.0, abs=1e-6)
        assert normal @ (along, across) > 0.0


def test_a_foot_that_lifts_finds_its_film_and_its_trace_anew():
    law = SurfaceConfig(film=1e-5, ploughing=10.0)
    loads = np.full(500, 50.0)
    np.testing.assert_array_equal(
        slide(law, (0.1, 0.0), loads), slide(law, (0.1, 0.0), loads)
    )
    memory, _, _ = SurfaceConfig.step(FRESH, 0.1, 0.0, 50.0, MU, law.packed, 0.01)
    assert memory.second_x == pytest.approx(0.5)
    assert memory.second_y == pytest.approx(1e-3)


def test_a_point_that_begins_to_flow_has_a_force():
    """The share that flows begins as a half sine: within 1e-8 of break-away it rounds
    to 0, and 1/0 is no force."""
    law = ElastoPlasticConfig()
    packed = ElastoPlasticConfig().packed
    begin = law.breakaway * MU
    for ratio in begin * (1.0 + np.concatenate(([0.0], np.geomspace(1e-16, 1e-2, 60)))):
        memory, x, y = law.step(
            FRESH._replace(x=ratio), 1e-12, 0.0, 100.0, MU, packed, DT
        )
        assert np.isfinite([memory.x, memory.y, x, y]).all()
        assert memory.x == pytest.approx(ratio, rel=1e-9)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""First-order Bliman–Sorine friction (A.2)."""

import functools
import math

import numpy as np
import pytest

from biped_slip.friction_laws.bristle_laws import BlimanSorineConfig
from biped_slip.friction_laws.law import FRESH

MU = 0.6
S_P = 1e-3


@functools.cache
def law(s_p, damping_ratio=0.0):
    return BlimanSorineConfig(s_p=s_p, damping_ratio=damping_ratio)


def ratio_step(u, v, mu, s_p, dt):
    """Force ratio after dt of sliding along x."""
    return law(s_p).step(FRESH._replace(x=u), v, 0.0, 1.0, mu, law(s_p).packed, dt)[0].x


def damped_ratio(u, v, mu, s_p, damping_ratio):
    """Force per newton of load with the damper."""
    config = law(s_p, damping_ratio)
    return config.step(FRESH._replace(x=u), v, 0.0, 1.0, mu, config.packed, 0.0)[1]


def pulled(mu, s_p, distance, steps):
    u = 0.0
    dt = 1e-3
    for _ in range(steps):
        u = ratio_step(u, distance / (steps * dt), mu, s_p, dt)
    return u


def test_ninety_five_percent_are_reached_at_s_p():
    assert pulled(MU, S_P, S_P, 1) == pytest.approx(MU * (1 - math.exp(-3)), rel=1e-12)


def test_the_path_matters_not_its_pace():
    assert pulled(MU, S_P, 0.4 * S_P, 1) == pytest.approx(
        pulled(MU, S_P, 0.4 * S_P, 97), rel=1e-12
    )


@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_steady_sliding_resists_motion_with_mu(direction):
    assert ratio_step(0.0, direction, MU, S_P, 1.0) == pytest.approx(direction * MU)


def test_a_reversal_unloads_along_the_same_law():
    u = ratio_step(MU, -1.0, MU, S_P, 0.5 * S_P)
    assert u == pytest.approx(-MU + 2 * MU * math.exp(-1.5))


def test_the_step_follows_the_rate():
    u = 0.23
    v = -0.004
    h = 1e-7
    slope = (ratio_step(u, v, MU, S_P, h) - u) / h
    assert slope == pytest.approx(3.0 / S_P * (MU * v - abs(v) * u), rel=1e-5)


def test_friction_never_gains_energy_over_closed_cycles():
    """Resisting force times velocity, integrated over any closed path at constant load,
    is not negative."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        steps = rng.normal(size=200) * S_P
        steps = np.concatenate([steps, [-steps.sum()]])
        u = 0.0
        work = 0.0
        for _ in range(3):  # after the first round the state is periodic
            work = 0.0
            for dx in np.repeat(steps / 50, 50):
                after = ratio_step(u, dx, MU, S_P, 1.0)
                work += 0.5 * (u + after) * dx
                u = after
        assert work > 0.0


def test_a_still_foot_keeps_its_force():
    assert ratio_step(0.31, 0.0, MU, S_P, 10.0) == 0.31


def test_the_damper_leaves_sliding_and_rest_alone_and_keeps_the_cone():
    assert damped_ratio(MU, 0.3, MU, S_P, 0.5) == pytest.approx(MU)
    assert damped_ratio(0.2, 0.0, MU, S_P, 0.5) == 0.2
    assert damped_ratio(0.1, 0.3, MU, S_P, 0.5) == MU
    assert damped_ratio(0.1, 0.3, MU, S_P, 0.0) == 0.1


def test_the_damping_ratio_is_that_of_the_supported_mass_on_its_contact():
    """A mass on the presliding spring, small amplitudes: the envelope decays as
    exp(−ratio·omega·t)."""
    ratio = 0.1
    omega = math.sqrt(3 * MU * 9.81 / S_P)
    dt = 1e-6
    u = 0.0
    v = 1e-4
    crossings = []
    peak = []
    for k in range(200_000):
        a = -9.81 * damped_ratio(u, v, MU, S_P, ratio)
        v += a * dt
        before = u
        u = ratio_step(u, v, MU, S_P, dt)
        if before < 0.0 <= u:
            crossings.append(k * dt)
            peak.append(v)
    period = 2 * math.pi / (omega * math.sqrt(1 - ratio**2))
    assert crossings[1] - crossings[0] == pytest.approx(period, rel=1e-3)
    assert math.log(peak[0] / peak[1]) == pytest.approx(
        ratio * omega * period, rel=0.01
    )

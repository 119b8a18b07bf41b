# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Iwan's contact against Masing's closed form, a force-driven solution of its own,
rheology and energy."""

import math

import numpy as np
import pytest

from biped_slip.friction_laws.hysteresis_laws import (
    IWAN_YIELDS,
    IwanConfig,
    stiffnesses,
)
from biped_slip.friction_laws.law import FRESH
from synthetic import contacts

N = 40.0
MU = 0.6
S_P = 3e-3
PLAIN = IwanConfig(s_p=S_P, damping_ratio=0.0)
OPTIONS = (
    {},
    {"creep_share": 0.5, "creep_time": 0.05},
    {"load_exponent": 1.0},
    {"load_exponent": 0.5, "creep_share": 2.0, "creep_time": 0.002},
)


def go(law, way, memory=FRESH, steps=50, normal=N):
    """Memory and force after a straight way (2,) [m] at 1 cm/s."""
    dt = math.hypot(*way) / 0.01 / steps
    for _ in range(steps):
        memory, x, y = law.step(
            memory, *(np.array(way) / (steps * dt)), normal, MU, law.packed, dt
        )
    return memory, np.array([x, y])


def dahl(way):
    """Force [N] of a first pull by a way [m]."""
    return MU * N * (1.0 - math.exp(-3.0 * way / S_P))


@pytest.mark.parametrize("heading", [0.0, 1.1])
def test_a_first_pull_is_dahls_curve_but_for_the_chords_between_yields(heading):
    along = np.array([math.cos(heading), math.sin(heading)])
    for way in np.linspace(0.1e-3, 6e-3, 25):
        _, force = go(PLAIN, way * along)
        assert force @ along == pytest.approx(dahl(way), abs=0.012 * MU * N)
        assert force @ [-along[1], along[0]] == pytest.approx(0.0, abs=1e-9)


def test_every_reversal_follows_the_pull_curve_scaled_by_two_and_closes_its_loop():
    ways = (2.5e-3, -1.6e-3, 0.9e-3, -0.9e-3)
    memory = FRESH
    forces = []
    for way in ways:
        memory, force = go(PLAIN, (way, 0.0), memory)
        forces.append(force[0])
    first = [go(PLAIN, (0.5 * abs(way), 0.0))[1][0] for way in ways]
    assert forces[0] - forces[1] == pytest.approx(2.0 * first[1], rel=1e-9)
    assert forces[2] - forces[1] == pytest.approx(2.0 * first[2], rel=1e-9)
    assert forces[3] == pytest.approx(forces[1], rel=1e-9)


def test_a_plane_path_is_the_motion_that_its_forces_ask_for():
    """The law driven by motion against the lab's solution driven by force, which
    searches for the motion."""
    rng = np.random.default_rng(8)
    velocity = 0.01 * np.cumsum(rng.normal(0.0, 0.1, (400, 2)), axis=0)
    memory = FRESH
    ratio = np.zeros((401, 2))
    for k, v in enumerate(velocity):
        memory, x, y = PLAIN.step(memory, v[0], v[1], N, MU, PLAIN.packed, 1e-3)
        ratio[k + 1] = x / (MU * N), y / (MU * N)
    held = np.flatnonzero(np.hypot(*ratio.T) > 0.98)
    # at the limit the force no longer says how far the foot went
    last = int(held[0]) if held.size else 401
    moved = np.zeros((last, 2))
    contacts.parallel(
        ratio[:last],
        np.full(last, S_P / 3),
        np.array(IWAN_YIELDS),
        np.array(stiffnesses(IWAN_YIELDS)),
        moved,
    )
    assert last > 100
    np.testing.assert_allclose(
        moved, 1e-3 * np.cumsum(np.vstack([[0, 0], velocity]), axis=0)[:last], atol=2e-7
    )


def test_under_a_held_load_the_creeping_layer_approaches_its_share_with_its_time():
    law = IwanConfig(s_p=S_P, damping_ratio=0.0, creep_share=0.5, creep_time=0.04)
    ratio = 0.2
    dt = 1e-4
    memory = FRESH
    place = [0.0]
    # the motion that keeps the force at its ratio, from the law's own stiffness
    for _ in range(4000):
        velocity = 0.0
        for _ in range(20):
            _, x, _ = law.step(memory, velocity, 0.0, N, MU, law.packed, dt)
            velocity += (ratio * N - x) / (law.presliding_stiffness(N, MU) * dt)
        memory, x, _ = law.step(memory, velocity, 0.0, N, MU, law.packed, dt)
        place.append(place[-1] + velocity * dt)
    late = np.array(place[1:]) - place[1]
    time = dt * np.arange(late.size)
    final = 0.5 * S_P / 3.0 * ratio / MU
    np.testing.assert_allclose(
        late, final * (1.0 - np.exp(-time / 0.04)), atol=0.01 * final
    )


def test_stiffness_grows_with_the_load_as_its_exponent_says():
    for exponent in (0.0, 0.4, 1.0):
        law = IwanConfig(
            s_p=S_P, damping_ratio=0.0, load_exponent=exponent, reference_load=N
        )
        for load in (0.5 * N, 3.0 * N):
            _, force = go(law, (1e-6, 0.0), normal=load)
            grown = force[0] / go(law, (1e-6, 0.0))[1][0]
            assert grown == pytest.approx((load / N) ** (1.0 - exponent), rel=1e-9)
            assert force[0] / 1e-6 == pytest.approx(
                law.presliding_stiffness(load, MU), rel=1e-9
            )


@pytest.mark.parametrize("options", OPTIONS)
def test_no_path_in_the_plane_gains_energy(options):
    law = IwanConfig(**options)
    dt = 1e-5
    rng = np.random.default_rng(5)
    memory = FRESH
    stored = 0.0
    knots = rng.normal(0.0, 0.05, (8, 2))
    for k in range(20000):
        x, y = (
            np.interp(k, 3000.0 * np.arange(8), knots[:, axis]) for axis in range(2)
        )
        memory, force_x, force_y = law.step(memory, x, y, N, MU, law.packed, dt)
        before = stored
        stored = law.stored_energy(memory, N, MU, law.packed)
        assert (
            before + (force_x * x + force_y * y) * dt - stored
            > -2e-3 * MU * N * math.hypot(x, y) * dt - 1e-12
        )


@pytest.mark.parametrize("options", OPTIONS)
def test_a_slide_is_coulombs_whatever_creeps(options):
    law = IwanConfig(**options)
    _, force = go(law, (0.05, -0.02), steps=4000)
    np.testing.assert_allclose(
        force, MU * N * np.array([0.05, -0.02]) / math.hypot(0.05, 0.02), rtol=1e-6
    )


@pytest.mark.parametrize("options", OPTIONS)
def test_a_preloaded_contact_rests_with_its_load(options):
    law = IwanConfig(**options)
    memory, force, _ = law.step(
        law.preloaded(-0.4, N, MU), 0.0, 0.0, N, MU, law.packed, 0.01
    )
    assert force == pytest.approx(-0.4 * N)
    assert law.step(memory, 0.0, 0.0, N, MU, law.packed, 0.3)[1] == pytest.approx(
        -0.4 * N
    )

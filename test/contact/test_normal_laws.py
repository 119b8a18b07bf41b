# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What every normal law of the family must do under a load, at touchdown and at
separation."""

import math

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.contact.normal_laws import (
    NORMAL_LAWS,
    BoundedPenetrationConfig,
    HuntCrossleyConfig,
    LinearConfig,
    RestitutionConfig,
)
from biped_slip.errors import InvalidParameter


def drop(law, mass, speed, seconds, dt=1e-6):
    """Penetration and force over time of a body that touches down at a speed [m/s]."""
    d = 0.0
    rate = speed
    depth = []
    force = []
    packed = law.packed
    for _ in range(int(seconds / dt)):
        f = law.force(d, rate, speed, packed)
        rate += (GRAVITY - f / mass) * dt
        d += rate * dt
        depth.append(d)
        force.append(f)
    return np.array(depth), np.array(force)


@pytest.mark.parametrize("name", NORMAL_LAWS)
@pytest.mark.parametrize("load", [1.0, 30.0, 400.0])
def test_the_steady_penetration_carries_the_load(name, load):
    law = NORMAL_LAWS[name]()
    depth = law.steady_penetration(load)
    assert law.force(depth, 0.0, 0.1, law.packed) == pytest.approx(load, rel=1e-9)
    step = 1e-6 * depth
    slope = law.force(depth + step, 0.0, 0.1, law.packed) - law.force(
        depth - step, 0.0, 0.1, law.packed
    )
    assert slope / (2.0 * step) == pytest.approx(law.normal_stiffness(load), rel=1e-5)


@pytest.mark.parametrize("name", NORMAL_LAWS)
def test_a_clamped_law_never_attracts_and_pushes_nothing_in_the_air(name):
    law = NORMAL_LAWS[name]()
    rng = np.random.default_rng(1)
    for depth, rate, impact in rng.uniform(
        [-1e-3, -3.0, 0.0], [5e-3, 3.0, 3.0], (500, 3)
    ):
        force = law.force(depth, rate, impact, law.packed)
        assert force >= 0.0
        assert force == 0.0 or depth > 0.0


def test_without_the_clamp_the_linear_law_pulls_at_fast_separation():
    law = LinearConfig(clamp=False)
    assert law.force(1e-4, -1.0, 1.0, law.packed) < 0.0


@pytest.mark.parametrize("name", NORMAL_LAWS)
def test_the_force_starts_at_touchdown_as_the_law_promises(name):
    law = NORMAL_LAWS[name]()
    first = law.force(1e-12, 1.0, 1.0, law.packed)
    assert (first < 1e-3) == law.continuous_at_touchdown


@pytest.mark.parametrize("name", NORMAL_LAWS)
def test_a_drop_never_comes_back_with_more_energy(name):
    depth, _ = drop(NORMAL_LAWS[name](), 5.0, 0.4, 0.05)
    assert depth.min() >= -(0.4**2) / (2.0 * GRAVITY) * (1.0 + 1e-3)


@pytest.mark.parametrize(("mass", "static"), [(10.0, 0.836e-3), (50.0, 1.677e-3)])
def test_bounded_penetration_rests_where_measured(mass, static):
    law = BoundedPenetrationConfig()
    assert law.steady_penetration(mass * GRAVITY) == pytest.approx(static, rel=1e-3)
    assert law.steady_penetration(1e9) < law.depth


def test_bounded_penetration_stays_finite_beyond_its_depth():
    law = BoundedPenetrationConfig()
    assert math.isfinite(law.force(5.0 * law.depth, 0.0, 0.0, law.packed))


def test_hunt_crossley_dissipates_like_its_small_damping_expansion():
    """e = 1 − b v/(2k)·(4/3)/… for a linear spring: e ≈ 1 − 2 b v/(3 k) to first order
    in v."""
    law = HuntCrossleyConfig(stiffness=5e4, damping=2e3)
    speed = 0.05
    mass = 1.0
    d = 0.0
    rate = speed
    dt = 1e-7
    d += rate * dt
    while d > 0.0:
        rate -= law.force(d, rate, speed, law.packed) / mass * dt
        d += rate * dt
    assert -rate / speed == pytest.approx(
        1.0 - 2.0 * 2e3 * speed / (3.0 * 5e4), abs=1e-5
    )


@pytest.mark.parametrize("wanted", [0.98, 0.95])
def test_the_restitution_law_rebounds_with_its_coefficient_when_that_is_near_one(
    wanted,
):
    law = RestitutionConfig(restitution=wanted)
    d = 0.0
    rate = 0.5
    dt = 1e-7
    mass = 1.0
    speed = 0.5
    d += rate * dt
    while d > 0.0:
        rate -= law.force(d, rate, speed, law.packed) / mass * dt
        d += rate * dt
    assert -rate / speed == pytest.approx(wanted, abs=0.01)


POSITIVE = ("stiffness", "depth", "damping", "damping_depth")
REFUSED = [
    (n, f)
    for n, kind in NORMAL_LAWS.items()
    for f in POSITIVE
    if f in kind.__dataclass_fields__
]


@pytest.mark.parametrize(("name", "field"), REFUSED)
def test_a_negative_parameter_is_refused_with_its_name(name, field):
    with pytest.raises(InvalidParameter, match=f"{field} is -1"):
        NORMAL_LAWS[name](**{field: -1.0})


def test_a_penetration_bound_of_zero_is_refused():
    with pytest.raises(
        InvalidParameter, match=r"depth is 0.0, but must be finite and > 0 "
    ):
        BoundedPenetrationConfig(depth=0.0)

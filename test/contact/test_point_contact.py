# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A point foot on an inclined floor with patches (A.7)."""

import math

import numpy as np
import pytest

from biped_slip.contact.ground import GroundConfig, friction_at, height_along_normal
from biped_slip.contact.normal_laws import HuntCrossleyConfig, hunt_crossley_force
from biped_slip.contact.point_contact import (
    FREE_POINT,
    PointMemory,
    PointMotion,
    contact_law,
    planar_point,
)
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.law import FRESH

LAW = contact_law("hunt_crossley + bliman_sorine")


def at(u, x, z, vx, vz, ground, dt=0.0):
    """Force on a point foot with friction state u, and what it remembers after dt."""
    memory = PointMemory(0.0, FRESH._replace(x=u))
    return planar_point(LAW)(
        memory, memory, PointMotion(x, z, vx, vz), ground, LAW.packed, dt
    )


def test_each_patch_has_its_friction_up_to_its_edge():
    ground = GroundConfig(mu=(1.0, 0.4, 0.7), edges=(2.25, 3.0)).ground()
    assert [friction_at(ground, x) for x in (-5.0, 2.25, 2.26, 3.0, 99.0)] == [
        1.0,
        1.0,
        0.4,
        0.4,
        0.7,
    ]


def test_patches_and_edges_must_fit():
    with pytest.raises(InvalidParameter, match="one fewer than mu"):
        GroundConfig(mu=(1.0,), edges=(1.0,))
    with pytest.raises(InvalidParameter, match="rising"):
        GroundConfig(mu=(1.0, 0.5, 0.2), edges=(2.0, 1.0))
    with pytest.raises(InvalidParameter, match="mu"):
        GroundConfig(mu=(-0.1, 0.4))


def test_the_normal_force_is_the_printed_law_and_never_pulls():
    law = HuntCrossleyConfig().packed
    assert hunt_crossley_force(1e-3, 0.1, 0.0, law) == pytest.approx(
        5e4 * 1e-3 + 3.5e4 * 1e-3 * 0.1
    )
    assert hunt_crossley_force(1e-3, -5.0, 0.0, law) == 0.0
    assert hunt_crossley_force(-1e-9, 1.0, 0.0, law) == 0.0


def test_general_exponents_agree_with_the_linear_law_where_they_meet():
    linear = HuntCrossleyConfig().packed
    general = HuntCrossleyConfig(stiffness_exponent=1.0 + 1e-12).packed
    for depth, rate in ((1e-3, 0.2), (2e-4, -0.3)):
        assert hunt_crossley_force(depth, rate, 0.0, general) == pytest.approx(
            hunt_crossley_force(depth, rate, 0.0, linear), rel=1e-9
        )


def test_a_foot_pressed_straight_into_an_incline_is_pushed_along_its_normal():
    slope = 0.2
    ground = GroundConfig(slope=slope).ground()
    x = 1e-3 * math.sin(slope)
    z = -1e-3 * math.cos(slope)
    force, _ = at(0.0, x, z, 0.0, 0.0, ground)
    assert height_along_normal(ground, x, z) == pytest.approx(-1e-3)
    assert force.normal == pytest.approx(50.0)
    np.testing.assert_allclose(
        [force.x, force.z], [-50.0 * math.sin(slope), 50.0 * math.cos(slope)]
    )


@pytest.mark.parametrize("velocity", [-0.4, 0.4])
def test_friction_opposes_sliding_and_takes_power_from_the_foot(velocity):
    ground = GroundConfig().ground()
    force, _ = at(math.copysign(1.0, velocity), 0.0, -1e-3, velocity, 0.0, ground)
    assert force.x * velocity < 0.0
    assert abs(force.x) == pytest.approx(1.0 * force.normal)


def test_the_friction_state_is_forgotten_in_flight():
    ground = GroundConfig().ground()
    force, memory = at(0.7, 0.0, 1e-3, 1.0, 0.0, ground, dt=1e-4)
    assert force[:3] == (0.0, 0.0, 0.0)
    assert memory == FREE_POINT


def test_a_block_on_an_incline_below_mu_stays():
    """Load ramped over 1 s, then 10 s at 0.5 mu: less than 0.1 micrometre per second of
    creep."""
    ground = GroundConfig(mu=(0.6,), edges=()).ground()
    dt = 1e-4
    mass = 3.4
    mu = 0.6
    x = 0.0
    v = 0.0
    z = -mass * 9.81 / 5e4
    w = 0.0
    u = 0.0
    trace = []
    for k in range(110_000):
        pull = min(1.0, k * dt) * 0.5 * mu * mass * 9.81
        force, memory = at(u, x, z, v, w, ground, dt)
        v += dt * (force.x + pull) / mass
        w += dt * (force.z - mass * 9.81) / mass
        u = memory.friction.x
        x = x + dt * v
        z = z + dt * w
        trace.append(x)
    assert abs(trace[-1] - trace[20_000]) / 9.0 < 1e-7

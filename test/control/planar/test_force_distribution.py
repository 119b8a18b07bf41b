# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot forces of both torsos, unlimited and limited (A.8, A.9)."""

import math

import numpy as np
import pytest

from biped_slip.control.planar.foot_forces import (
    distribute_through_hip,
    distribute_with_moment,
    pendulum_rate,
)
from biped_slip.control.planar.posture import Posture
from biped_slip.control.planar.virtual_model import BodyForce

FREE = (math.inf, math.inf)
BOTH = (True, True)
LEFT = (True, False)


def posture(hip_s=0.1, hip_n=0.8, feet=(0.4, -0.3)):
    return Posture(
        slope=0.0,
        hip_s=hip_s,
        hip_n=hip_n,
        hip_velocity_s=0.0,
        hip_velocity_n=0.0,
        lean=0.0,
        lean_rate=0.0,
        foot_s=feet,
        foot_n=(0.0, 0.0),
        foot_velocity_s=(0.0, 0.0),
        foot_velocity_n=(0.0, 0.0),
        knee=(0.5, 0.5),
    )


def wrench_about_hip(forces, p):
    tangential = np.array(forces.tangential)
    normal = np.array(forces.normal)
    moment = ((np.array(p.foot_s) - p.hip_s) * normal + p.hip_n * tangential).sum()
    return tangential.sum(), normal.sum(), moment


@pytest.mark.parametrize("feet", [(0.4, -0.3), (-0.3, 0.4)])
def test_unlimited_forces_give_the_wanted_force_and_pass_through_the_hip(feet):
    """Equations (6.11) and (6.12) hold after the correction of (6.13)–(6.14)."""
    p = posture(feet=feet)
    forces = distribute_through_hip(p, BodyForce(3.0, 33.0, 0.0), BOTH, FREE, 0.0)
    np.testing.assert_allclose(wrench_about_hip(forces, p), [3.0, 33.0, 0.0], atol=1e-9)


def test_no_foot_pulls_on_the_floor():
    for tangential in (-60.0, 60.0):
        for distribute in (distribute_through_hip, distribute_with_moment):
            forces = distribute(
                posture(), BodyForce(tangential, 33.0, 0.0), BOTH, FREE, 0.0
            )
            assert min(forces.normal) >= 0.0
            assert sum(forces.normal) == pytest.approx(33.0)


def test_an_idle_foot_keeps_its_minimum_load():
    forces = distribute_through_hip(
        posture(), BodyForce(60.0, 33.0, 0.0), BOTH, FREE, 2.0
    )
    assert min(forces.normal) == pytest.approx(2.0)


def test_single_support_carries_everything_on_the_stance_foot():
    forces = distribute_through_hip(
        posture(), BodyForce(3.0, 33.0, 0.0), LEFT, FREE, 0.0
    )
    assert forces.tangential == (3.0, 0.0)
    assert forces.normal == (33.0, 0.0)
    assert forces.wanted_ratio[0] == pytest.approx(1 / 11)
    assert math.isnan(forces.wanted_ratio[1])


@pytest.mark.parametrize("distribute", [distribute_through_hip, distribute_with_moment])
@pytest.mark.parametrize("seed", range(50))
def test_forces_stay_inside_both_cones_whatever_is_wanted(distribute, seed):
    rng = np.random.default_rng(seed)
    p = posture(
        rng.uniform(-0.3, 0.3), rng.uniform(0.5, 1.0), tuple(rng.uniform(-0.6, 0.6, 2))
    )
    wanted = BodyForce(rng.normal(0, 20), rng.uniform(0.1, 60), rng.normal(0, 5))
    limits = tuple(rng.uniform(0.01, 0.8, 2))
    for stance in (BOTH, LEFT, (False, True)):
        forces = distribute(p, wanted, stance, limits, 2.0)
        for tangential, normal, limit in zip(
            forces.tangential, forces.normal, limits, strict=True
        ):
            assert abs(tangential) <= limit * normal + 1e-9


@pytest.mark.parametrize("tangential", [-4.0, 0.0, 2.0])
def test_a_pitching_torso_gets_force_and_moment_while_the_floor_allows(tangential):
    p = posture()
    wanted = BodyForce(tangential, 33.0, 1.5)
    forces = distribute_with_moment(p, wanted, BOTH, (0.5, 0.5), 0.0)
    np.testing.assert_allclose(wrench_about_hip(forces, p), wanted, atol=1e-9)


@pytest.mark.parametrize("seed", range(100))
def test_when_the_floor_allows_less_weight_and_pitch_still_hold_if_any_traction_allows_it(
    seed,
):
    rng = np.random.default_rng(seed)
    p = posture(rng.uniform(-0.1, 0.1), 0.8, (0.4, -0.4))
    limits = tuple(rng.uniform(0.05, 0.3, 2))
    wanted = BodyForce(
        rng.uniform(10, 40) * rng.choice([-1, 1]), 33.0, rng.uniform(-1, 1)
    )
    tangential, normal, moment = wrench_about_hip(
        distribute_with_moment(p, wanted, BOTH, limits, 0.0), p
    )
    assert normal == pytest.approx(33.0)
    assert abs(tangential) <= abs(wanted.tangential)
    assert moment == pytest.approx(wanted.moment, abs=1e-6)


@pytest.mark.parametrize("seed", range(100))
def test_traction_is_as_large_as_both_cones_together_allow(seed):
    """Brute force over all splits finds no larger traction that keeps weight and
    moment."""
    rng = np.random.default_rng(seed)
    p = posture(rng.uniform(-0.1, 0.1), 0.8, (0.4, -0.4))
    limits = tuple(rng.uniform(0.05, 0.3, 2))
    forces = distribute_with_moment(p, BodyForce(100.0, 33.0, 0.5), BOTH, limits, 0.0)
    share = np.linspace(0.0, 1.0, 20001)
    left = 33.0 * share
    right = 33.0 * (1 - share)
    traction = (
        0.5 - ((p.foot_s[0] - p.hip_s) * left + (p.foot_s[1] - p.hip_s) * right)
    ) / p.hip_n
    possible = traction[np.abs(traction) <= limits[0] * left + limits[1] * right]
    assert sum(forces.tangential) == pytest.approx(possible.max(), abs=0.02)


def test_in_single_support_the_force_passes_the_hip_but_for_the_moment():
    p = posture(hip_s=0.1, feet=(0.0, -0.5))
    forces = distribute_with_moment(p, BodyForce(99.0, 33.0, 2.0), LEFT, FREE, 0.0)
    assert wrench_about_hip(forces, p)[2] - (-0.6 * 0.0) == pytest.approx(2.0)


def test_the_pendulum_falls_at_the_textbook_rate():
    assert pendulum_rate(posture(hip_n=0.8)) == pytest.approx(math.sqrt(9.81 / 0.8))

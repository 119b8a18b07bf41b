# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing on two points: the hip comes to rest over the middle, inside both cones."""

import math

import numpy as np
import pytest
from planar_postures import resting

from biped_slip.constants import GRAVITY
from biped_slip.control.planar.foot_forces import pendulum_rate
from biped_slip.control.planar.posture import balance_point
from biped_slip.control.planar.standing import (
    stand_with_pitch,
    stand_without_pitch,
    standing_pressure,
    standing_traction,
)
from biped_slip.control.planar.virtual_model import BodyForce

MASS = 3.4
WEIGHT = MASS * GRAVITY
FREE = (math.inf, math.inf)
FORCE = BodyForce(0.0, WEIGHT, 0.0)
BOTH = [stand_without_pitch, stand_with_pitch]


def posture(hip=0.0, speed=0.0, feet=(0.3, -0.3), slope=0.0):
    return resting(hip, speed, feet, slope=slope)


@pytest.mark.parametrize("stand", BOTH)
@pytest.mark.parametrize("slope", [-0.2, 0.0, 0.16])
def test_at_rest_over_the_middle_both_feet_bear_half_and_hold_the_slope(stand, slope):
    hip = 0.7 * math.tan(slope)  # its balance point is in the middle
    normal = WEIGHT * math.cos(slope)
    at = posture(hip, slope=slope)
    forces = stand(at, FORCE._replace(normal=normal), MASS, FREE, 2.0)
    assert forces.normal == pytest.approx((0.5 * normal, 0.5 * normal))
    assert sum(forces.tangential) == pytest.approx(WEIGHT * math.sin(slope))
    ratios = np.array(forces.tangential) / np.array(forces.normal)
    assert ratios == pytest.approx(math.tan(slope))  # the least that holds it


@pytest.mark.parametrize("start", [(0.2, 0.0), (-0.25, 0.3), (0.1, -0.4)])
def test_the_hip_comes_to_rest_over_the_middle_critically_damped(start):
    """b'' = -w^2 b - 2 w b' has the solution (b0 + (v0 + w b0) t) exp(-w t)."""
    rate = pendulum_rate(posture())
    x = start[0]
    v = start[1]
    dt = 1e-4
    for _ in range(10_000):
        at = posture(x, v)
        v += standing_traction(at, MASS, standing_pressure(at)) / MASS * dt
        x += v * dt
    expected = (start[0] + start[1] + rate * start[0]) * math.exp(-rate)
    assert x == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("stand", BOTH)
def test_forces_stay_inside_both_cones_and_no_foot_pulls(stand, seed):
    rng = np.random.default_rng(seed)
    at = posture(
        rng.uniform(-0.6, 0.6),
        rng.normal(0.0, 1.0),
        tuple(rng.uniform(-0.5, 0.5, 2)),
        rng.uniform(-0.2, 0.2),
    )
    limits = tuple(rng.uniform(0.02, 0.8, 2))
    forces = stand(at, FORCE, MASS, limits, 2.0)
    assert sum(forces.normal) == pytest.approx(WEIGHT)
    assert min(forces.normal) >= 2.0 - 1e-9
    for tangential, normal, limit in zip(
        forces.tangential, forces.normal, limits, strict=True
    ):
        assert abs(tangential) <= limit * normal + 1e-9


@pytest.mark.parametrize("stand", BOTH)
def test_forces_are_those_of_a_mirrored_robot_mirrored(stand):
    forces = stand(posture(0.1, 0.2), FORCE, MASS, (0.3, 0.1), 2.0)
    mirrored = stand(
        posture(-0.1, -0.2, feet=(-0.3, 0.3)), FORCE, MASS, (0.3, 0.1), 2.0
    )
    assert mirrored.normal == pytest.approx(forces.normal)
    assert mirrored.tangential == pytest.approx([-f for f in forces.tangential])


@pytest.mark.parametrize("speed", [-2.0, -0.7, 0.7, 2.0])
def test_the_centre_of_pressure_of_a_torso_that_pitches_stays_between_the_feet(speed):
    """Hip and traction are in balance with the torso's moment, 0 here."""
    at = posture(0.05, speed)
    forces = stand_with_pitch(at, FORCE, MASS, FREE, 0.0)
    pressure = np.dot(at.foot_s, forces.normal) / WEIGHT
    assert -0.3 <= pressure <= 0.3
    traction = sum(forces.tangential)
    assert pressure == pytest.approx(balance_point(at) - 0.7 * traction / WEIGHT)


def test_the_foot_that_holds_more_takes_what_the_other_one_cannot():
    at = posture(-0.1, 0.0)
    wanted = sum(stand_without_pitch(at, FORCE, MASS, FREE, 2.0).tangential)
    forces = stand_without_pitch(at, FORCE, MASS, (math.inf, 0.02), 2.0)
    assert forces.tangential[1] == pytest.approx(0.02 * forces.normal[1])
    assert sum(forces.tangential) == pytest.approx(wanted)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How the floor rises under soles: from soles that lie flat, and from no others."""

import math

import numpy as np
import pytest

from biped_slip.estimation.sole_motion import FLAT_TIME, FloorRise, SoleFrames
from biped_slip.friction_estimation.types import NO_MEASUREMENT
from biped_slip.robots.humanoid import load_humanoid

DT = 1e-3


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def soles_on(slope, heading=0.0, roll_rate=0.0):
    """Both soles flat on a floor that rises along x by ``slope``."""
    normal = np.array([-slope, 0.0, 1.0]) / math.hypot(1.0, slope)
    ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
    ahead -= normal * (normal @ ahead)
    ahead /= np.linalg.norm(ahead)
    turn = np.column_stack((ahead, np.cross(normal, ahead), normal))
    velocity = np.zeros((2, 6))
    velocity[:, 3] = roll_rate
    return SoleFrames(
        position=np.zeros((2, 3)),
        rotation=np.stack((turn, turn)),
        velocity=velocity,
        turned=np.zeros(2),
        twist=np.zeros((2, 2)),
        reach=np.ones((2, 2)),
    )


def bearing(load, x=0.0, y=0.0):
    return NO_MEASUREMENT._replace(
        force_normal=load, centre_of_pressure_x=x, centre_of_pressure_y=y
    )


def found_by(talos, soles, measured, seconds=0.1):
    floor = FloorRise(talos)
    for _ in range(round(seconds / DT)):
        floor.step(soles, measured, DT)
    return floor.rise.copy()


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.5])
def test_soles_that_lie_flat_tell_the_floor_whatever_they_head_for(talos, heading):
    both = bearing(0.5 * talos.weight), bearing(0.5 * talos.weight)
    np.testing.assert_allclose(
        found_by(talos, soles_on(0.18, heading), both), [[0.18, 0.0]] * 2, atol=1e-12
    )


def test_a_sole_on_its_edge_or_turning_or_light_or_for_a_moment_tells_nothing(talos):
    half = 0.5 * talos.weight
    weight = talos.weight
    for left, seconds, rate in (
        (bearing(half, x=0.095), 0.1, 0.0),
        (bearing(half, y=-0.06), 0.1, 0.0),
        (bearing(half), 0.1, 1.0),
        (bearing(0.1 * weight), 0.1, 0.0),
        (bearing(half), 0.5 * FLAT_TIME, 0.0),
    ):
        found = found_by(
            talos, soles_on(0.18, 0.0, rate), (left, bearing(0.1 * weight)), seconds
        )
        np.testing.assert_array_equal(found, np.zeros((2, 2)))


def test_soles_that_sink_or_roll_by_three_degrees_stand_on_a_level_floor(talos):
    both = bearing(0.5 * talos.weight), bearing(0.5 * talos.weight)
    np.testing.assert_array_equal(
        found_by(talos, soles_on(0.05), both), np.zeros((2, 2))
    )


def test_a_narrow_sole_leans_further_aside_on_a_level_floor_than_ahead():
    g1 = load_humanoid("g1")
    both = bearing(0.5 * g1.weight), bearing(0.5 * g1.weight)
    np.testing.assert_array_equal(
        found_by(g1, soles_on(0.1, math.pi / 2), both), np.zeros((2, 2))
    )
    np.testing.assert_allclose(
        found_by(g1, soles_on(0.1), both), [[0.1, 0.0]] * 2, atol=1e-12
    )
    np.testing.assert_allclose(
        found_by(g1, soles_on(0.176, math.pi / 2), both), [[0.176, 0.0]] * 2, atol=1e-12
    )


def test_a_foot_in_the_air_expects_the_floor_of_the_other(talos):
    found = found_by(talos, soles_on(-0.15), (bearing(talos.weight), bearing(0.0)))
    np.testing.assert_allclose(found, [[-0.15, 0.0]] * 2, atol=1e-12)

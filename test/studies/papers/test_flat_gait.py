# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The walking pattern on flat feet, the motion of a whole robot along it, and what
rigid soles must give."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.robots.humanoid import load_humanoid
from studies.papers.gait import FlatGaitConfig, Stand, cart_table, pattern
from studies.papers.motion import rigid_demand, support, whole_motion

GAIT = FlatGaitConfig(
    steps=2, step=0.15, swing=0.6, double_support=0.2, rest=0.2, shift=0.5
)
STAND = Stand(np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]]), np.array([0.03, 0.0]), 0.8)
PERIOD = 5e-3


@pytest.fixture(scope="module")
def walk():
    return whole_motion(load_humanoid("surena3"), GAIT, 2e-3)


def test_feet_stand_still_while_they_carry_load_and_end_side_by_side():
    walk = pattern(GAIT, STAND, PERIOD)
    for foot in range(2):
        loaded = walk.share[:, foot] > 0.0
        both = loaded[1:] & loaded[:-1]
        assert np.abs(np.diff(walk.soles[:, foot], axis=0)[both]).max() == 0.0
    assert walk.soles[-1, :, 0] == pytest.approx(GAIT.step)
    assert walk.share.sum(axis=1) == pytest.approx(1.0)


def test_the_cart_of_a_resting_zero_moment_point_rests_and_of_a_moved_one_follows_its_equation():
    time = np.arange(0.0, 4.0, PERIOD)
    zmp = np.column_stack((0.1 * (time > 2.0), 0.0 * time))
    com = cart_table(zmp, np.full(len(time), 0.8), PERIOD)
    acceleration = np.diff(com[:, 0], n=2) / PERIOD**2
    assert com[1:-1, 0] - 0.8 / GRAVITY * acceleration == pytest.approx(
        zmp[1:-1, 0], abs=1e-9
    )
    assert not com[:, 1].any()


def test_the_whole_robots_zero_moment_point_is_the_planned_one(walk):
    humanoid = load_humanoid("surena3")
    coarse = walk.every(20)
    demand = rigid_demand(humanoid, coarse, shared=True)
    found = support(humanoid, coarse.pattern.soles, demand.wrenches)
    assert np.abs(found.zmp - coarse.pattern.zmp).max() < 0.015
    assert found.inside.all()


def test_rigid_soles_carry_the_weight_and_what_accelerates_the_robot(walk):
    humanoid = load_humanoid("surena3")
    coarse = walk.every(20)
    for shared in (False, True):
        demand = rigid_demand(humanoid, coarse, shared)
        assert demand.wrenches[0, :, 2].sum() == pytest.approx(
            humanoid.weight, rel=1e-3
        )
    unloaded = coarse.pattern.share == 0.0
    assert not demand.wrenches[unloaded].any()


def test_a_point_outside_the_loaded_sole_is_seen():
    humanoid = load_humanoid("surena3")
    soles = np.zeros((2, 2, 3))
    wrenches = np.zeros((2, 2, 6))
    wrenches[:, 0, 2] = 500.0
    # pushes 0.2 m ahead of the sole's origin; the toe ends at 0.165 m
    wrenches[1, 0, 4] = -500.0 * 0.2
    assert support(humanoid, soles, wrenches).inside.tolist() == [True, False]

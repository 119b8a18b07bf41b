# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What landings teach about the height at which the next one will be."""

import numpy as np
import pytest

from biped_slip.control.whole_body.footsteps import (
    MOST_FLOOR_OFFSET,
    SWING,
    TRANSFER,
    Foothold,
    SolePoses,
    SteppingConfig,
    standing,
    touch_after,
)

HOLDS = (Foothold(0.0, 0.085, 0.0), Foothold(0.0, -0.085, 0.0))
MIDDLE = np.zeros((2, 2))
LEVEL = SolePoses(HOLDS, (0.0, 0.0), MIDDLE)
STILL = standing(LEVEL, SteppingConfig().packed)


def landings(count, left, right):
    """Expected heights after so many landings of each foot at a height over the other
    one."""
    touch = np.zeros(2)
    for _ in range(count):
        for foot, height in ((0, left), (1, right)):
            before = STILL._replace(phase=SWING, swing=foot)
            now = STILL._replace(phase=TRANSFER, swing=1 - foot)
            heights = (height, 0.0) if foot == 0 else (0.0, height)
            touch = touch_after(touch, before, now, SolePoses(HOLDS, heights, MIDDLE))
    return touch


def test_each_foot_learns_where_it_meets_the_floor():
    """The left one lower than the right one: what a base believed to roll makes of a
    level floor."""
    assert landings(6, -0.002, 0.004) == pytest.approx([-0.002, 0.004], abs=1e-4)


def test_one_step_up_is_not_a_floor_that_rises_for_ever():
    assert np.all(np.abs(landings(20, 0.1, -0.1)) <= MOST_FLOOR_OFFSET)
    assert abs(landings(1, 0.02, 0.0)[0]) < 0.02


def test_a_foot_in_the_air_teaches_nothing():
    touch = np.array([0.001, -0.001])
    flying = STILL._replace(phase=SWING, swing=0)
    assert touch_after(
        touch, flying, flying, SolePoses(HOLDS, (0.05, 0.0), MIDDLE)
    ) == pytest.approx(touch)

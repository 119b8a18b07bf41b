# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floors change under a robot at drawn moments, and are its own again when put back."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")

from biped_slip.contact.ground import friction_at
from studies.faults.live_floors import (
    LENGTHS,
    MU,
    RARELY,
    SHORTEST,
    drawn_spills,
    no_spills,
    spill_around,
)
from studies.stop_and_go import SPILLED, Job, sound_walk, spills_of, try_one

MOMENTS = 20


def test_spills_come_every_third_of_a_second_to_three_and_are_of_walked_floors():
    spills = drawn_spills(100_000, np.random.default_rng(0))
    moments = np.flatnonzero(~np.isnan(spills[:, 0]))
    between = np.diff(moments)
    assert moments[0] < SHORTEST
    assert SHORTEST <= between.min() < between.max() < RARELY
    for column, (low, high) in enumerate((LENGTHS, MU)):
        drawn = spills[moments, column]
        assert low <= drawn.min() < drawn.max() <= high
    assert np.isnan(no_spills(5)).all()


def test_a_spill_changes_the_floor_under_the_base_until_the_walk_is_put_back():
    sound = sound_walk("thesis", MOMENTS)
    restore = sound.moments[0][1]
    restore()
    world = sound.robot.world
    x = float(world.plant.state.q[0])
    before = friction_at(world.plant.ground, x)
    spill_around(world, np.array([np.nan, np.nan]))
    assert friction_at(world.plant.ground, x) == before
    spill_around(world, np.array([1.0, 0.55]))
    assert friction_at(world.plant.ground, x) == 0.55
    assert friction_at(world.plant.ground, x + 0.51) != 0.55
    restore()
    assert friction_at(world.plant.ground, x) == before
    assert not world.spilled


@pytest.mark.parametrize("robot", ["thesis", "torso"])
def test_a_walk_goes_on_under_drawn_speeds_on_drawn_floors(robot):
    for number in (0, 5):
        outcome = try_one(Job(robot, SPILLED, number, 10.0), MOMENTS)
        assert not np.isnan(spills_of(SPILLED, 10_000, number)).all()
        assert outcome.sound, outcome

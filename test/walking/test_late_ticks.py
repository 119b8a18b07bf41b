# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids whose computer is too slow: torques act late, some readings are never seen,
some are incomplete."""

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="pinocchio is not installed")

from biped_slip.control.supervisor import Mode
from biped_slip.control.tick_time import Steady
from biped_slip.estimation.readings import Problem
from synthetic.guarded_walk import sensed, walker


def hurried(robot, seed, ticks, inject=lambda readings: readings):
    """Walk with torques that act two ticks late, and up to three more, as chance has
    it."""
    way, guarded = walk = walker(robot, seed)
    guarded.start()
    rng = np.random.default_rng(seed)
    torques = np.zeros_like(guarded.torques)
    while way.world.plant.ticks < ticks and guarded.mode != Mode.FAULT:
        readings = inject(sensed(way.read()))
        before = torques
        torques = guarded.step(
            readings, steady=Steady(1e-9 * readings.stamp_ns, 0.0)
        ).torques
        for acting in (
            *[before] * 2,
            *[torques] * int(rng.choice([0, 1, 2, 3], p=[0.5, 0.3, 0.15, 0.05])),
        ):
            way.advance(acting)
            way.read()
    return walk


@pytest.mark.parametrize("robot", ["g1", "talos", "surena3"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_robot_whose_ticks_come_late_is_neither_stopped_nor_shaken(robot, seed):
    walk = hurried(robot, seed, 3000)
    assert walk.guarded.mode != Mode.FAULT, str(walk.guarded.problem)
    assert not walk.fell


@pytest.mark.parametrize("robot", ["thesis_sensors", "g1", "talos"])
def test_after_readings_that_cannot_be_used_no_joint_is_said_to_move_otherwise(robot):
    """The joints go on meanwhile: held against one period's velocity they would have
    moved too far."""
    way, guarded = walk = walker(robot, 0)
    guarded.start()
    late = Problem("stale input", "r_ankle/wrench is late")
    rng = np.random.default_rng(0)
    found = set()
    while walk.world.plant.ticks < 3000 and guarded.mode != Mode.FAULT:
        for lost in [True] * int(rng.integers(1, 4)) + [False] * 50:
            way.advance(
                guarded.step(sensed(way.read()), late if lost else None).torques
            )
            found |= (
                set() if lost or guarded.problem is None else {guarded.problem.name}
            )
    assert found <= {"stale input"}
    assert not walk.fell


def turned(readings):
    """Turn the base's accelerometer over."""
    imu = readings.raw.imu.copy()
    imu[3:] *= -1.0
    return readings._replace(raw=readings.raw._replace(imu=imu))


@pytest.mark.parametrize("robot", ["g1", "talos", "surena3"])
def test_a_turned_accelerometer_is_named_where_ticks_come_late_too(robot):
    problem = hurried(robot, 0, 1000, turned).guarded.problem
    assert problem is not None
    assert problem.name == "wrong twist"

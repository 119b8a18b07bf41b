# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A walker that is watched: what its joints get when its sensors are not believed, for
any walker and any watch."""

from typing import NamedTuple

import numpy as np
import pytest

from biped_slip.control.supervisor import (
    Mode,
    Supervisor,
    SupervisorConfig,
    TorqueLimits,
)
from biped_slip.control.tick_time import Steady
from biped_slip.estimation.readings import Judged, Problem
from biped_slip.friction_estimation.types import NO_ESTIMATE
from biped_slip.walking.guarded import GuardedController

PERIOD = 1e-3
SPEED_LIMIT = 10.0
LIMITS = np.array([60.0, 40.0])
LOST = Problem("stale input", "imu/data is late")


class Readings(NamedTuple):
    stamp_ns: int
    joint_position: np.ndarray
    joint_velocity: np.ndarray


class Record(NamedTuple):
    torques: object
    estimates: tuple


class Pushing:
    """A walker that wants one torque."""

    moving = True
    wanted = LIMITS / 2
    estimates = (NO_ESTIMATE, NO_ESTIMATE)

    def reset(self):
        """Nothing to forget."""

    def step(self, readings, estimates=None):
        return Record(self.wanted, self.estimates)


class Blind:
    """A judge to whom every number is one."""

    def judge(self, readings):
        return Judged(readings)


class Trusting:
    """A watch that finds nothing."""

    def __init__(self):
        self.doubted = np.zeros(2)

    def reset(self):
        """Nothing to forget."""

    def retune(self, config):
        """Nothing to tune."""

    def step(self, readings, dt, torques):
        return None


@pytest.fixture
def guarded():
    supervisor = Supervisor(TorqueLimits(("hip", "knee"), LIMITS), SupervisorConfig())
    made = GuardedController(
        Pushing(), Blind(), Trusting(), supervisor, np.full(2, SPEED_LIMIT), PERIOD
    )
    made.start()
    return made


def turning(tick, speed, measured=None):
    """Readings of joints that turn evenly."""
    speed = np.array(speed)
    return Readings(
        round(1e9 * PERIOD * tick),
        speed * PERIOD * tick,
        speed if measured is None else np.array(measured),
    )


def damped(guarded, speed, measured=None, ticks=5):
    """Torques after a walk of some ticks, when something is wrong."""
    for tick in range(ticks):
        guarded.step(turning(tick, speed, measured))
    return guarded.step(turning(ticks, speed, measured), LOST).torques


def test_a_joint_whose_two_sensors_agree_is_damped(guarded):
    np.testing.assert_allclose(damped(guarded, [2.0, -3.0]), [-2.0, 3.0])


def test_a_joint_whose_encoder_the_watch_doubts_is_not_damped(guarded):
    """It may be another joint's: damped by that one's motion, a joint that falls is
    driven."""
    guarded._watch.doubted = np.array([0.0, 1.0])
    np.testing.assert_allclose(damped(guarded, [2.0, -3.0]), [-2.0, 0.0])


def test_a_negated_velocity_is_not_damped(guarded):
    assert not damped(guarded, [2.0, -3.0], [-2.0, 3.0]).any()


@pytest.mark.parametrize("speed", [SPEED_LIMIT + 0.1, 1e9, np.inf, np.nan])
def test_when_one_velocity_is_beyond_its_limit_none_is_believed(guarded, speed):
    for tick in range(5):
        guarded.step(turning(tick, [2.0, -3.0]))
    injected = turning(5, [2.0, -3.0])._replace(joint_velocity=np.array([2.0, speed]))
    assert not guarded.step(injected, LOST).torques.any()
    beyond = turning(6, [2.0, SPEED_LIMIT + 0.1])
    assert not guarded.step(beyond, LOST).torques.any()


def test_velocities_of_another_instant_are_not_damped_and_the_next_ones_are_compared_anew(
    guarded,
):
    for tick in range(5):
        guarded.step(turning(tick, [2.0, -3.0]))
    assert not guarded.step(
        turning(5, [2.0, -3.0]), LOST, known_velocity=False
    ).torques.any()
    assert not guarded.step(turning(6, [2.0, -3.0]), LOST).torques.any()
    assert guarded.step(turning(7, [2.0, -3.0]), LOST).torques.all()


def test_before_the_second_reading_no_velocity_is_known(guarded):
    assert not guarded.step(turning(0, [2.0, -3.0]), LOST).torques.any()


def test_the_watch_is_told_all_the_time_since_it_saw_a_reading(guarded, monkeypatch):
    told = []
    monkeypatch.setattr(
        guarded._watch, "step", lambda readings, dt, torques: told.append(dt)
    )
    for tick in range(8):
        guarded.step(turning(tick, [2.0, -3.0]), LOST if tick in (3, 5, 6) else None)
    np.testing.assert_allclose(told[1:], [PERIOD, PERIOD, 2 * PERIOD, 3 * PERIOD])


def test_a_stall_of_the_process_is_a_fault_and_a_stall_before_the_start_is_none(
    guarded,
):
    guarded.step(turning(0, [2.0, -3.0]), steady=Steady(9.0, 5.0))
    assert guarded.mode == Mode.WALKING
    guarded.step(turning(1, [2.0, -3.0]), steady=Steady(9.1, 0.099))
    assert (guarded.mode, guarded.problem.name) == (Mode.FAULT, "own stall")
    guarded.start()
    guarded.step(turning(2, [2.0, -3.0]), steady=Steady(9.9, 0.8))
    assert guarded.mode == Mode.WALKING


def test_a_torque_builds_up_by_no_more_than_two_periods_allow_however_long_the_gap(
    guarded,
):
    allowed = 2.0 * 2.0 * PERIOD / SupervisorConfig().reversal_time * LIMITS
    guarded.step(turning(0, [0.0, 0.0]), LOST)
    first = guarded.step(turning(400, [0.0, 0.0]), steady=Steady(0.4, 0.4)).torques
    assert np.all(np.abs(first) <= allowed)


@pytest.mark.parametrize(
    "wanted",
    ["much", [1.0, 2.0], LIMITS + 0j, np.array([1, 2]), np.array([None, None]), 3.0],
)
def test_torques_that_are_no_array_of_numbers_are_a_failure_of_the_controller(
    guarded, wanted
):
    assert np.any(guarded.step(turning(1, [2.0, -3.0])).torques)
    guarded.controller.wanted = wanted
    answer = guarded.step(turning(2, [2.0, -3.0]))
    assert (guarded.mode, guarded.problem.name) == (Mode.FAULT, "controller failure")
    assert "array of float64" in guarded.problem.detail
    assert answer.torques.dtype == np.float64
    assert np.all(answer.torques * turning(2, [2.0, -3.0]).joint_velocity <= 0.0)


@pytest.mark.parametrize("estimates", [(), (NO_ESTIMATE,), (NO_ESTIMATE,) * 3])
def test_estimates_that_are_no_pair_are_a_failure_of_the_controller(guarded, estimates):
    guarded.controller.estimates = estimates
    guarded.step(turning(1, [2.0, -3.0]))
    assert guarded.problem.name == "controller failure"

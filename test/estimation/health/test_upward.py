# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Up follows the gyroscope through a step and gravity in the long run; what can't be
believed changes nothing."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.humanoid_health import (
    FASTEST_TURN,
    PULLED,
    HumanoidWatch,
    upward,
)
from biped_slip.estimation.readings import HumanoidReadings
from biped_slip.robots.humanoid import IMU, load_humanoid
from biped_slip.walking.humanoid import standing_readings

UP = np.array([0.0, 0.0, 1.0])
STILL = np.zeros(3)
DT = 1e-3


def tilt(angle):
    """Up in the axes of a body that has rolled about x by an angle [rad]."""
    return np.array([0.0, np.sin(angle), np.cos(angle)])


def test_a_roll_of_every_step_is_followed_whatever_the_acceleration_that_goes_with_it():
    up = UP
    worst = 0.0
    for tick in range(1, 5000):
        phase = 2.0 * np.pi * tick * DT
        angle = 0.2 * np.sin(phase)
        rate = 0.4 * np.pi * np.cos(phase)
        felt = GRAVITY * tilt(angle) + np.array([0.0, 1.5 * np.sin(phase), 0.0])
        up = upward(up, np.array([rate, 0.0, 0.0]), felt, DT)
        worst = max(worst, float(np.linalg.norm(up - tilt(angle))))
    assert worst < 0.04


def test_a_lasting_tilt_is_learnt_with_the_time_constant():
    up = UP
    for _ in range(round(PULLED / DT)):
        up = upward(up, STILL, GRAVITY * tilt(0.1), DT)
    assert np.arcsin(up[1]) == pytest.approx(0.1 * (1.0 - np.exp(-1.0)), rel=0.01)
    assert np.linalg.norm(up) == pytest.approx(1.0)


@pytest.mark.parametrize("felt", [np.full(3, np.nan), np.array([np.inf, 0.0, 0.0])])
def test_no_specific_force_changes_nothing(felt):
    np.testing.assert_array_equal(upward(tilt(0.3), STILL, felt, DT), tilt(0.3))


@pytest.mark.parametrize("rate", [np.nan, np.inf, 1.01 * FASTEST_TURN])
def test_a_turn_that_nobody_makes_changes_nothing(rate):
    np.testing.assert_array_equal(
        upward(tilt(0.3), np.array([0.0, rate, 0.0]), GRAVITY * UP, DT), tilt(0.3)
    )


def test_in_free_fall_the_gyroscope_alone_counts():
    up = tilt(0.3)
    for _ in range(100):
        up = upward(up, np.array([1.0, 0.0, 0.0]), STILL, DT)
    np.testing.assert_allclose(up, tilt(0.4), atol=1e-4)


def test_soles_of_a_robot_that_rolls_are_as_high_as_they_are_in_the_world():
    """Taken for upright, both soles would be level, and a lifted foot of a robot that
    rolls the lower one."""
    humanoid = load_humanoid("talos")
    watch = HumanoidWatch(humanoid, HealthConfig())
    raw = next(standing_readings(humanoid)).raw
    up = tilt(0.25)
    turn = humanoid.model.frames[humanoid.model.getFrameId(IMU)].placement.rotation
    raw = raw._replace(imu=np.concatenate((STILL, turn.T @ (GRAVITY * up))))
    for _ in range(5000):
        watch.step(HumanoidReadings(raw), DT)
    left, right = watch._body.soles @ watch._up
    across = np.subtract(*watch._body.soles[:, 1])  # the left foot is on the left
    assert across > 0.1
    assert left - right == pytest.approx(across * np.sin(0.25), rel=0.02)

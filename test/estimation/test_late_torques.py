# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques whose age is known are taken with the body of then."""

import numpy as np
import pytest

from biped_slip.estimation.effort_check import Age
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import leg_gears

DT = 1e-3
LATE = 3


@pytest.fixture(scope="module")
def g1():
    return load_humanoid("g1")


def wrenches(g1, age, late):
    """Vertical forces of a robot whose joints, torques and base move, torques late by
    so many samples and taken to be of an age."""
    rng = np.random.default_rng(0)
    observer = JointTorqueWrenches(g1, leg_gears(g1), DT)
    observer.check.judged = True
    observer.check.age = age
    joints = len(g1.posture)
    phase = rng.uniform(0.0, 2.0 * np.pi, joints)
    pace = rng.uniform(20.0, 40.0, joints)
    found = []
    for tick in range(500):
        then = DT * (tick - late)
        found.append(
            observer.step(
                position=g1.posture + 0.01 * np.sin(pace * DT * tick + phase),
                velocity=0.01 * pace * np.cos(pace * DT * tick + phase),
                torque=20.0 * np.sin(pace * then + 2.0 * phase),
                rate=np.zeros(3),
                felt=np.array([0.0, 0.0, 9.81 + np.sin(30.0 * DT * tick)]),
                dt=DT,
            )
            .wrench[:, 2]
            .copy()
        )
    return np.array(found)


def test_late_torques_with_a_known_age_give_the_forces_of_then(g1):
    punctual = wrenches(g1, Age(value=0.0, sd=1e-4), 0)[200:-LATE]
    unknown = wrenches(g1, Age(value=0.0, sd=1e-4), LATE)[200 + LATE :]
    known = wrenches(g1, Age(value=LATE * DT, sd=1e-4), LATE)[200 + LATE :]
    assert np.abs(known - punctual).max() < 0.1
    assert np.abs(unknown - punctual).max() > 5.0


def test_an_age_that_may_be_chance_moves_nothing(g1):
    right = wrenches(g1, Age(value=0.0, sd=1e-4), 0)
    for age in (Age(value=1e-3, sd=1e-4), Age(value=2e-3, sd=1e-3)):
        np.testing.assert_array_equal(wrenches(g1, age, 0), right)


def test_without_torques_the_forces_stay_and_the_torques_are_named(g1):
    observer = JointTorqueWrenches(g1, leg_gears(g1), DT)
    joints = len(g1.posture)
    up = np.array([0.0, 0.0, 9.81])
    still = np.zeros(joints)
    for _ in range(20):
        observer.step(g1.posture, still, still + 1.0, np.zeros(3), up, DT)
    before = observer.found.wrench.copy()
    for _ in range(150):
        observer.step(g1.posture, still, np.full(joints, np.nan), np.zeros(3), up, DT)
    np.testing.assert_array_equal(observer.found.wrench, before)
    assert not observer.trusted
    assert "are not there" in observer.check.faults[0]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints and the body's IMU tell what IMUs in the soles would read."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.estimation.felt_soles import FeltSoles
from biped_slip.robots.humanoid import IMU, load_humanoid
from biped_slip.robots.robot import SOLES

PERIOD = 1e-3


@pytest.fixture(scope="module")
def g1():
    return load_humanoid("g1")


def motion(g1, time):
    """Coordinates, velocities and accelerations of a body that moves at all joints."""
    model = g1.robot.model
    rng = np.random.default_rng(0)
    start = 0.3 * rng.standard_normal(model.nv)
    rate = rng.standard_normal(model.nv)
    faster = 5.0 * rng.standard_normal(model.nv)
    way = start + rate * time + 0.5 * faster * time**2
    way[:6] = 0.0  # the base turns and moves by its velocity alone, for one instant
    q = pin.integrate(model, g1.standing(), way)
    return q, rate + faster * time, faster


def felt(model, frame, q, v, a):
    """Reading of an IMU at a frame by Pinocchio: angular velocity, specific force."""
    data = model.createData()
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    turning = pin.getFrameVelocity(model, data, frame, pin.LOCAL).angular
    moving = pin.getFrameClassicalAcceleration(model, data, frame, pin.LOCAL).linear
    up = data.oMf[frame].rotation.T @ np.array([0.0, 0.0, 9.81])
    return np.concatenate([turning, moving + up])


def test_a_body_that_moves_at_all_joints_feels_in_its_soles_what_pinocchio_says(g1):
    model = g1.robot.model
    soles = FeltSoles(g1.robot)
    found = None
    for tick in range(2):
        q, v, a = motion(g1, tick * PERIOD)
        imu = felt(model, model.getFrameId(IMU), q, v, a)
        found = soles.step(q[7:], v[6:], v[3:6], imu[3:], PERIOD)
    # between both samples
    q, v, a = motion(g1, 0.5 * PERIOD)
    expected = [felt(model, model.getFrameId(name), q, v, a) for name in SOLES]
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=0.02)


def test_the_sum_over_a_landing_keeps_the_noise_of_its_two_ends_alone(g1):
    rng = np.random.default_rng(1)
    soles = FeltSoles(g1.robot)
    noisy = FeltSoles(g1.robot)
    q = g1.standing()
    n = len(g1.robot.joints)
    up = np.array([0.0, 0.0, 9.81])
    apart = []
    for _ in range(200):
        noise = 5e-3 * rng.standard_normal(n)
        still = soles.step(q[7:], np.zeros(n), np.zeros(3), up, PERIOD)
        apart.append(noisy.step(q[7:], noise, np.zeros(3), up, PERIOD) - still)
    each = np.array(apart)[1:, 0, 3]
    assert each.std() > 1.0  # [m/s^2]
    assert abs(each.sum() * PERIOD) < 0.02  # [m/s]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rigid contact, its feasibility, and the identification of
drives."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.errors import BipedSlipError
from studies.papers.mechanics import (
    Drive,
    consistency,
    feasibility,
    identify_drive,
    inverse_dynamics,
    joint_torque,
)

SOLE = np.array([(-0.1, -0.05), (0.1, -0.05), (0.1, 0.05), (-0.1, 0.05)])


@pytest.fixture(scope="module")
def humanoid():
    model = pin.buildSampleModelHumanoidRandom()
    rng = np.random.default_rng(2)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v = rng.normal(0.0, 0.2, model.nv)
    a = rng.normal(0.0, 0.5, model.nv)
    data = model.createData()
    demand = pin.rnea(model, data, q, v, a)
    pin.computeJointJacobians(model, data, q)
    joints = [model.getJointId(name) for name in ("rleg6_joint", "lleg6_joint")]
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    return demand, np.array(
        [pin.getJointJacobian(model, data, joint, axes) for joint in joints]
    )


def test_single_support_has_one_answer_that_satisfies_the_dynamics(humanoid):
    demand, jacobians = humanoid
    answer = inverse_dynamics(demand, jacobians[:1])
    assert answer.residual < 1e-8
    rebuilt = (
        np.concatenate((np.zeros(6), answer.torques))
        + jacobians[0].T @ answer.wrenches[0]
    )
    np.testing.assert_allclose(rebuilt, demand, atol=1e-8)


def test_double_support_is_the_answer_of_least_norm(humanoid):
    demand, jacobians = humanoid
    answer = inverse_dynamics(demand, jacobians)
    assert answer.residual < 1e-8
    norm = np.linalg.norm(np.concatenate((answer.torques, answer.wrenches.ravel())))
    rng = np.random.default_rng(0)
    joints = len(demand) - 6
    matrix = np.hstack(
        (
            np.vstack((np.zeros((6, joints)), np.eye(joints))),
            jacobians[0].T,
            jacobians[1].T,
        )
    )
    null = np.eye(matrix.shape[1]) - np.linalg.pinv(matrix) @ matrix
    assert np.linalg.matrix_rank(null, tol=1e-8) == 6
    particular = np.concatenate((answer.torques, answer.wrenches.ravel()))
    for _ in range(20):
        other = particular + null @ rng.normal(0.0, 1.0, matrix.shape[1])
        assert np.linalg.norm(other) >= norm


@pytest.mark.parametrize(
    ("wrench", "words"),
    [
        ((10.0, 0.0, 100.0, 1.0, -2.0, 0.0), (True, True, True)),
        ((10.0, 0.0, -5.0, 0.0, 0.0, 0.0), (False, False, False)),
        ((60.0, 30.0, 100.0, 0.0, 0.0, 0.0), (True, False, True)),
        ((0.0, 0.0, 100.0, 0.0, -11.0, 0.0), (True, True, False)),
    ],
)
def test_a_wrench_is_checked_for_push_cone_and_zero_moment_point(wrench, words):
    found = feasibility(np.array(wrench), 0.5, SOLE)
    assert (found.unilateral, found.inside_cone, found.zmp_in_sole) == words
    assert found.feasible == all(words)


def test_the_zero_moment_point_is_where_the_force_has_no_moment():
    point = np.array([0.03, -0.02, 0.0])
    force = np.array([5.0, -3.0, 80.0])
    found = feasibility(np.concatenate((force, np.cross(point, force))), 0.5, SOLE)
    np.testing.assert_allclose(found.zmp, point[:2], atol=1e-12)


def test_a_drive_is_identified_exactly_without_noise_and_within_its_noise_with():
    truth = Drive(8.1, 87.0, 24.8)
    time = np.linspace(0.0, 4.0, 2000)
    velocity = 0.5 * np.sin(3.0 * time) + 0.2 * np.cos(7.0 * time)
    acceleration = 1.5 * np.cos(3.0 * time) - 1.4 * np.sin(7.0 * time)
    torque = (
        truth.inertia * acceleration
        + truth.viscosity * velocity
        + truth.coulomb * np.sign(velocity)
    )
    np.testing.assert_allclose(
        identify_drive(velocity, acceleration, torque), truth, rtol=1e-10
    )
    noisy = torque + np.random.default_rng(1).normal(0.0, 2.0, 2000)
    np.testing.assert_allclose(
        identify_drive(velocity, acceleration, noisy), truth, rtol=0.05
    )
    current = torque / (0.05 * 3.0 * 120.0)
    np.testing.assert_allclose(joint_torque(current, 0.05, 3.0, 120.0), torque)


def test_a_motion_that_does_not_tell_the_parameters_apart_is_refused():
    with pytest.raises(BipedSlipError, match="3 parameters"):
        identify_drive(np.full(50, 0.3), np.zeros(50), np.full(50, 20.0))


def test_the_consistency_measure_uses_the_population_deviation():
    runs = [
        Drive(10.51, 116.48, 24.34),
        Drive(9.84, 105.00, 25.25),
        Drive(1.37, 88.11, 26.34),
        Drive(13.017, 58.32, 24.20),
        Drive(5.96, 68.77, 24.04),
    ]
    found = consistency(runs)
    np.testing.assert_allclose(found.mean, [8.14, 87.34, 24.83], rtol=1e-3)
    np.testing.assert_allclose(found.deviation, [4.07, 21.67, 0.86], rtol=5e-3)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rigid contact, and the agreement of identified drives."""

import numpy as np
import pinocchio as pin
import pytest

from studies.papers.mechanics import (
    Drive,
    consistency,
    inverse_dynamics,
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

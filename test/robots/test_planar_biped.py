# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped agrees with the thesis' matrices and with Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest
from robots import thesis_matrices as thesis

from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import (
    JOINTS,
    leg_angles,
    leg_lengths,
    leg_rates,
    planar_biped,
    standing_coordinates,
)
from biped_slip.robots.robot import SOLES, Robot, Root, load_robot

LEGS = leg_lengths(planar_biped("thesis"))


@pytest.fixture(params=range(5))
def random_state(request):
    rng = np.random.default_rng(request.param)
    return (
        rng.uniform(-3, 3, 7),
        rng.uniform(-5, 5, 7),
        rng.uniform(-20, 20, 7),
        rng.uniform(-50, 50, (2, 6)),
    )


def test_mass_matrix_and_bias_are_the_thesis_ones(random_state):
    q = random_state[0][:6]
    v = random_state[1][:6]
    mass, bias = model_functions(planar_biped("thesis")).dynamics_terms(q, v)
    np.testing.assert_allclose(mass, thesis.mass_matrix(q), atol=1e-9)
    np.testing.assert_allclose(bias, thesis.bias(q, v), atol=1e-9)


def test_foot_jacobians_are_the_thesis_ones(random_state):
    q = random_state[0][:6]
    jacobian = model_functions(planar_biped("thesis")).sole_jacobians(q)
    np.testing.assert_allclose(jacobian[[0, 2, 3, 5]], thesis.jacobian(q), atol=1e-9)


def test_accelerations_solve_the_thesis_equations_of_motion(random_state):
    q = random_state[0][:6]
    v = random_state[1][:6]
    tau = random_state[2][:6]
    wrenches = random_state[3]
    acceleration = model_functions(planar_biped("thesis")).joint_acceleration(
        q, v, tau, wrenches
    )
    forces = wrenches[:, [0, 2]].ravel()
    # a moment about y turns the shank with the foot: its row is (0, 0, -1, -1)
    planar_moments = np.zeros(6)
    planar_moments[[2, 3]], planar_moments[[4, 5]] = -wrenches[0, 4], -wrenches[1, 4]
    expected = np.linalg.solve(
        thesis.mass_matrix(q),
        tau + thesis.jacobian(q).T @ forces + planar_moments - thesis.bias(q, v),
    )
    np.testing.assert_allclose(acceleration, expected, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("variant", ["thesis", "torso"])
def test_generated_functions_equal_pinocchio(variant, random_state):
    robot = planar_biped(variant)
    functions = model_functions(robot)
    model = robot.model
    data = model.createData()
    nv = model.nv
    q = random_state[0][:nv]
    v = random_state[1][:nv]
    tau = random_state[2][:nv]
    wrenches = random_state[3]
    ids = [model.getFrameId(sole) for sole in robot.soles]
    pin.computeJointJacobians(model, data, q)
    pin.forwardKinematics(model, data, q, v)
    pin.updateFramePlacements(model, data)
    jacobians = [
        pin.getFrameJacobian(model, data, i, pin.LOCAL_WORLD_ALIGNED) for i in ids
    ]
    positions, velocities = functions.sole_motion(q, v)
    rotations = functions.sole_rotations(q)
    for foot, i in enumerate(ids):
        np.testing.assert_allclose(positions[foot], data.oMf[i].translation, atol=1e-12)
        np.testing.assert_allclose(velocities[foot], jacobians[foot] @ v, atol=1e-12)
        np.testing.assert_allclose(
            rotations[3 * foot : 3 * foot + 3], data.oMf[i].rotation, atol=1e-12
        )
    generalized = tau + sum(j.T @ w for j, w in zip(jacobians, wrenches, strict=True))
    expected = pin.aba(model, data, q, v, generalized)
    np.testing.assert_allclose(
        functions.joint_acceleration(q, v, tau, wrenches),
        expected,
        rtol=1e-9,
        atol=1e-9,
    )
    mass, bias = functions.dynamics_terms(q, v)
    np.testing.assert_allclose(mass, pin.crba(model, data, q), atol=1e-12)
    np.testing.assert_allclose(bias, pin.nonLinearEffects(model, data, q, v), atol=1e-9)


def test_a_straight_leg_down_has_hip_minus_half_pi_and_its_sole_upright():
    robot = planar_biped("torso")
    q = np.array([0.0, 1.0, 0.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])
    positions, _ = model_functions(robot).sole_motion(q, np.zeros(7))
    np.testing.assert_allclose(positions, np.zeros((2, 3)), atol=1e-12)
    np.testing.assert_allclose(
        model_functions(robot).sole_rotations(q)[:3], np.eye(3), atol=1e-12
    )


def test_knees_bend_with_positive_angles_and_swing_the_foot_forward():
    functions = model_functions(planar_biped("thesis"))
    straight = np.array([0.0, 1.0, -np.pi / 2, 0.0, -np.pi / 2, 0.0])
    bent = straight + np.array([0.0, 0.0, 0.0, 0.3, 0.0, 0.0])
    assert (
        functions.sole_motion(bent, np.zeros(6))[0][0, 0]
        > functions.sole_motion(straight, np.zeros(6))[0][0, 0]
    )


def test_torques_on_the_torso_variant_react_on_the_torso():
    """Without ground and gravity's moment, internal torques keep the angular momentum
    about the centre of mass."""
    robot = planar_biped("torso")
    model = robot.model
    data = robot.model.createData()
    q = np.array([0.0, 0.8, 0.2, -1.4, 0.4, -2.0, 0.7])
    tau = np.zeros(7)
    tau[3:] = 3.0, -2.0, 5.0, 1.0
    a = model_functions(robot).joint_acceleration(q, np.zeros(7), tau, np.zeros((2, 6)))
    momentum_rate = pin.computeCentroidalMomentumTimeVariation(
        model, data, q, np.zeros(7), a
    )
    assert abs(momentum_rate.angular[1]) < 1e-12
    assert abs(a[2]) > 1.0


@pytest.mark.parametrize("seed", range(5))
def test_leg_angles_put_the_foot_where_asked(seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.6, 0.6)
    z = rng.uniform(-0.75, -0.3)
    thigh, knee = leg_angles(x, z, 1.0, LEGS)
    assert knee > 0.0
    foot = 0.5 * np.array(
        [np.cos(thigh) + np.cos(thigh + knee), np.sin(thigh) + np.sin(thigh + knee)]
    )
    np.testing.assert_allclose(foot, [x, z], atol=1e-12)


def test_a_foot_out_of_reach_is_aimed_at_along_its_direction():
    thigh, knee = leg_angles(3.0, -4.0, 0.98, LEGS)
    foot = 0.5 * np.array(
        [np.cos(thigh) + np.cos(thigh + knee), np.sin(thigh) + np.sin(thigh + knee)]
    )
    np.testing.assert_allclose(foot, 0.98 * np.array([0.6, -0.8]), atol=1e-12)


def test_leg_rates_are_the_derivative_of_leg_angles():
    x = 0.2
    z = -0.7
    vx = 0.3
    vz = -0.4
    h = 1e-6
    before = leg_angles(x - h * vx, z - h * vz, 1.0, LEGS)
    after = leg_angles(x + h * vx, z + h * vz, 1.0, LEGS)
    expected = (np.array(after) - np.array(before)) / (2 * h)
    np.testing.assert_allclose(
        leg_rates(*leg_angles(x, z, 1.0, LEGS), vx, vz, LEGS), expected, rtol=1e-6
    )


def test_standing_coordinates_put_both_soles_on_their_points():
    for variant in ("thesis", "torso"):
        robot = planar_biped(variant)
        q = standing_coordinates(robot, (0.1, 0.7), ((0.5, 0.0), (-0.4, 0.05)))
        positions, _ = model_functions(robot).sole_motion(q, np.zeros_like(q))
        np.testing.assert_allclose(
            positions[:, [0, 2]], [[0.5, 0.0], [-0.4, 0.05]], atol=1e-12
        )


def test_wrong_robots_are_refused_with_a_sentence():
    urdf = planar_biped("thesis").urdf
    with pytest.raises(UnknownName, match=r"l_ankle.*known: l_hip"):
        Robot(urdf, Root.SAGITTAL, ("l_hip", "l_ankle", "r_hip", "r_knee"), SOLES)
    with pytest.raises(UnknownName, match="l_toe"):
        Robot(urdf, Root.SAGITTAL, JOINTS, ("l_toe", "r_sole"))
    with pytest.raises(InvalidParameter, match="order"):
        Robot(urdf, Root.SAGITTAL, ("r_hip", "r_knee", "l_hip", "l_knee"), SOLES)
    with pytest.raises(BipedSlipError, match="not a valid URDF"):
        Robot("<robot", Root.SAGITTAL, JOINTS, SOLES)
    with pytest.raises(BipedSlipError, match="can't be read"):
        load_robot("/nowhere.urdf", Root.SAGITTAL, JOINTS, SOLES)
    with pytest.raises(InvalidParameter, match="hip to foot"):
        standing_coordinates(
            planar_biped("thesis"), (0.0, 1.2), ((0.5, 0.0), (-0.5, 0.0))
        )
    with pytest.raises(InvalidParameter, match="variant"):
        planar_biped("centaur")

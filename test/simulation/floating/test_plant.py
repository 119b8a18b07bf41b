# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floating-base plant: generated dynamics, and the physics of the whole."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.floating.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.floating.scenario import FloatingScenarioConfig
from biped_slip.simulation.floating.terrain_config import TerrainConfig
from biped_slip.simulation.floating.world import FloatingWorld


def holding_torques(humanoid):
    """Joint torques (n,) of the standing posture, the soles sharing the weight in the sense of least squares."""
    model, data, q = humanoid.model, humanoid.model.createData(), humanoid.standing()
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    frames = [model.getFrameId(sole) for sole in humanoid.robot.soles]
    jacobian = np.vstack([pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in frames])
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return (gravity - jacobian.T @ wrenches)[6:]


class Holding:
    """Keeps the standing posture; gains grow with the rotor inertia and the weight."""

    def __init__(self, humanoid):
        self.posture, self.forward = humanoid.posture, holding_torques(humanoid)
        self.stiffness, self.damping = 3.4 * humanoid.weight, 0.07 * humanoid.weight

    def __call__(self, position, velocity):
        return self.forward + self.stiffness * (self.posture - position) - self.damping * velocity


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def random_state(model, seed):
    rng = np.random.default_rng(seed)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    return q, rng.normal(size=model.nv), 10 * rng.normal(size=model.nv), 100 * rng.normal(size=(2, 6))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["talos", "g1", "bolt"])
def test_generated_functions_equal_pinocchio(name):
    robot = load_humanoid(name).robot
    generated, reference = floating_functions(robot), floating_functions(robot, compiled=False)
    if not generated.compiled:
        pytest.skip("no compiler, or compilation is off")
    for seed in range(5):
        q, v, tau, wrenches = random_state(robot.model, seed)
        one, two = np.empty(robot.model.nv), np.empty(robot.model.nv)
        generated.functions["forward_dynamics"](q, v, tau, wrenches, one)
        reference.functions["forward_dynamics"](q, v, tau, wrenches, two)
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-10 * np.abs(two).max())
        shapes = (2, 3), (2, 3, 3), (2, 6)
        ours, theirs = [np.empty(shape) for shape in shapes], [np.empty(shape) for shape in shapes]
        generated.functions["sole_kinematics"](q, v, *ours)
        reference.functions["sole_kinematics"](q, v, *theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)


@pytest.mark.compiled
def test_without_a_compiler_the_motion_is_the_same(talos):
    terrain = TerrainConfig(mu=0.3, slope_x=0.1)
    plants = [FloatingPlant(talos, terrain, FloatingPlantConfig(), compiled) for compiled in (True, False)]
    control = Holding(talos)
    for plant in plants:
        plant.place(talos.standing(yaw=0.3, height=0.02))
        for _ in range(100):
            plant.advance(control(plant.state.q[7:], plant.state.v[6:]), np.array([20.0, 5.0, 0.0, 0.0, 0.0, 1.0]))
    for one, two in zip(plants[0].state, plants[1].state, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-10)


@pytest.mark.parametrize("name", ["talos", "g1"])
def test_a_humanoid_stands_until_the_time_is_over(name):
    humanoid = load_humanoid(name)
    control = Holding(humanoid)
    world = FloatingWorld(humanoid, FloatingScenarioConfig(duration=0.3))
    while not world.ended:
        readings = world.read()
        assert readings.is_finite()
        world.advance(control(readings.joint_position, readings.joint_velocity))
    assert not world.fell
    assert world.log.length == 300
    assert np.abs(world.log.sole_position[-1] - world.log.sole_position[0]).max() < 1e-3

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floating-base plant: generated dynamics, motors and joints."""

import numpy as np
import pinocchio as pin
import pytest
from simulation.humanoid.pinocchio_functions import with_pinocchio
from simulation.humanoid.standing import Standing

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.model_functions import floating_functions
from biped_slip.simulation.humanoid.joints import JointConfig
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def random_state(model, seed):
    rng = np.random.default_rng(seed)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    return (
        q,
        rng.normal(size=model.nv),
        10 * rng.normal(size=model.nv),
        100 * rng.normal(size=(2, 6)),
    )


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["talos", "g1", "bolt"])
def test_generated_functions_equal_pinocchio(name):
    robot = load_humanoid(name).robot
    generated = floating_functions(robot)
    reference = with_pinocchio(robot)
    for seed in range(5):
        q, v, tau, wrenches = random_state(robot.model, seed)
        one = np.empty(robot.model.nv)
        two = np.empty(robot.model.nv)
        generated.forward_dynamics(generated.generated, q, v, tau, wrenches, one)
        reference["forward_dynamics"](None, q, v, tau, wrenches, two)
        np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-10 * np.abs(two).max())
        shapes = (2, 3), (2, 3, 3), (2, 6)
        ours = [np.empty(shape) for shape in shapes]
        theirs = [np.empty(shape) for shape in shapes]
        generated.sole_kinematics(generated.generated, q, v, *ours)
        reference["sole_kinematics"](None, q, v, *theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
        shapes = (6,), (2, 6), (2, 6)
        ours = [np.empty(shape) for shape in shapes]
        theirs = [np.empty(shape) for shape in shapes]
        generated.sensor_readings(generated.generated, q, v, two, wrenches, *ours)
        reference["sensor_readings"](None, q, v, two, wrenches, *theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.abs(b).max())
        shapes = (3, 3), (3,), (6,), (2, 3), (2, 3, 3)
        ours = [np.empty(shape) for shape in shapes]
        theirs = [np.empty(shape) for shape in shapes]
        generated.body_kinematics(generated.generated, q[7:], v[6:], *ours)
        reference["body_kinematics"](None, q[7:], v[6:], *theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-11)
        shapes = ((6,), (6,), (6,), (3,), (3,), (2, 3), (2, 3), (2, 3), (2, 3))
        imus = wrenches[::-1].copy()
        ours = [np.empty(shape) for shape in shapes]
        theirs = [np.empty(shape) for shape in shapes]
        sensed = (q[7:], v[6:], tau[:6], wrenches, imus)
        generated.carried_body(generated.generated, sensed, tuple(ours))
        reference["carried_body"](None, sensed, theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.abs(b).max())


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["talos", "g1", "bolt"])
def test_generated_terms_of_the_whole_body_equal_pinocchio(name):
    robot = load_humanoid(name).robot
    generated = floating_functions(robot)
    reference = with_pinocchio(robot)
    nv = robot.model.nv
    shapes = (
        (nv, nv),
        (nv,),
        (2, 6, nv),
        (2, 6),
        (2, 3),
        (2, 3, 3),
        (2, 6),
        (3,),
        (3,),
        (3,),
    )
    for seed in range(5):
        q, v, _, _ = random_state(robot.model, seed)
        ours = [np.empty(shape) for shape in shapes]
        theirs = [np.empty(shape) for shape in shapes]
        generated.whole_body_terms(generated.generated, (q, v), tuple(ours))
        reference["whole_body_terms"](None, (q, v), theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.abs(b).max())


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seed"), [("talos", 0), ("g1", 1), ("surena3", 2)])
def test_without_a_compiler_the_motion_is_the_same(name, seed):
    humanoid = load_humanoid(name)
    rng = np.random.default_rng(seed)
    scenario = FloatingScenarioConfig.from_mapping(
        {
            "duration": 1.0,
            "start": {"yaw": rng.uniform(-3.0, 3.0), "height": 0.005},
            "pushes": {
                "each": [[0.3, 0.1, *rng.uniform(-0.1, 0.1, 3) * humanoid.weight]]
            },
            "terrain": {
                "mu": rng.uniform(0.3, 0.9),
                "slope_x": rng.uniform(-0.05, 0.05),
                "bump_height": 0.01,
                "bump_spacing": rng.uniform(0.3, 0.6),
                "patches": [[-1, 1, 0, 1, 0.2]],
                "extent": [-1, 1, -1, 1],
            },
        }
    )
    ends = []
    for compiled in (True, False):
        world = FloatingWorld(humanoid, scenario, compiled=compiled)
        control = Standing(humanoid)
        while not world.ended:
            world.advance(control(world.read()))
        ends.append(
            (world.plant.state, world.plant.sensor_readings(world.plant.observe()))
        )
    (one, sensors), (two, others) = ends
    np.testing.assert_allclose(one.q, two.q, atol=1e-10)
    np.testing.assert_allclose(one.v, two.v, atol=1e-9)
    for a, b in zip(sensors, others, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * humanoid.weight)


def falling(talos, **changes):
    """A plant in free fall with all joints at rest: nothing moves but by the motors."""
    plant = FloatingPlant(talos, TerrainConfig(), FloatingPlantConfig(**changes))
    plant.place(talos.standing(height=100.0))
    return plant


def test_a_motor_gives_no_more_than_its_limit(talos):
    one = falling(talos)
    two = falling(talos)
    one.advance(10.0 * talos.efforts)
    two.advance(talos.efforts)
    np.testing.assert_array_equal(one.state.v, two.state.v)
    np.testing.assert_array_equal(one.state.torque, talos.efforts)


def test_a_motor_with_a_lag_follows_its_command_exponentially(talos):
    plant = falling(talos, joints=JointConfig(motor_lag=5e-3, full_torque=0.99))
    for _ in range(7):
        plant.advance(1e-3 * talos.efforts)
    np.testing.assert_allclose(
        plant.state.torque,
        1e-3 * talos.efforts * (1.0 - np.exp(-7.0 / 5.0)),
        rtol=1e-12,
    )


def test_a_motor_has_no_torque_left_at_its_speed_limit(talos):
    plant = falling(talos)
    joint = talos.robot.joints.index("arm_left_6_joint")
    plant.around.joints.high[:] = 1e6
    torques = np.zeros(len(talos.robot.joints))
    torques[joint] = 100.0
    speeds = []
    for _ in range(400):
        plant.advance(torques)
        speeds.append(plant.state.v[6 + joint])
    limit = talos.model.velocityLimit[6 + joint]
    assert 0.8 * limit < max(speeds) < limit


@pytest.mark.compiled
def test_a_stop_holds_the_joint_and_never_pulls_it(talos):
    plant = falling(talos)
    joint = talos.robot.joints.index("leg_left_4_joint")
    torques = np.zeros(len(talos.robot.joints))
    torques[joint] = -50.0
    angles = []
    for _ in range(1500):
        plant.advance(torques)
        angles.append(plant.state.q[7 + joint])
    low = talos.model.lowerPositionLimit[7 + joint]
    give = 0.02 * 50.0 / talos.efforts[joint]
    assert angles[-1] == pytest.approx(low - give, abs=0.2 * give)
    assert min(angles) > low - 0.1


def test_coulomb_friction_holds_a_joint_below_its_limit_and_brakes_it_above(talos):
    joint = talos.robot.joints.index("arm_left_6_joint")
    coulomb = talos.model.friction[6 + joint]
    assert coulomb > 0.0
    travel = []
    for share in (0.5, 3.0):
        plant = falling(talos)
        torques = np.zeros(len(talos.robot.joints))
        torques[joint] = share * coulomb
        for _ in range(200):
            plant.advance(torques)
        travel.append(abs(plant.state.q[7 + joint]))
    assert travel[0] < 1e-3 < 0.05 < travel[1]


@pytest.mark.compiled
def test_the_error_falls_with_the_square_of_the_step(talos):
    ends = []
    for step in (200_000, 100_000, 50_000, 25_000):
        plant = FloatingPlant(talos, TerrainConfig(), FloatingPlantConfig(step_ns=step))
        # stops and limits are not smooth
        plant.around.joints.stiffness[:] = 0.0
        plant.around.joints.speed[:] = 1e9
        plant.place(
            talos.standing(height=100.0),
            np.random.default_rng(0).normal(size=talos.model.nv),
        )
        for _ in range(50):
            plant.advance(0.1 * talos.efforts)
        ends.append(np.concatenate((plant.state.q, plant.state.v)))
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    # against a finer run, not against the truth
    assert errors[0] / errors[1] == pytest.approx(63.0 / 15.0, rel=0.1)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Physics of a humanoid on the floor: weight, momentum, energy, invariance."""

import numpy as np
import pinocchio as pin
import pytest
from simulation.humanoid.standing import Standing, stand

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def world_of(humanoid, **scenario):
    return FloatingWorld(humanoid, FloatingScenarioConfig.from_mapping(scenario))


@pytest.mark.compiled
def test_at_rest_the_floor_carries_the_weight(talos):
    log = stand(world_of(talos, duration=8.0), Standing(talos))
    carried = log.wrench[-1, :, :3].sum(axis=0)
    np.testing.assert_allclose(
        carried, [0.0, 0.0, talos.weight], atol=1e-6 * talos.weight
    )
    assert np.abs(log.sole_velocity[-1]).max() < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_momentum_changes_by_the_forces_from_outside(talos, seed):
    rng = np.random.default_rng(seed)
    model = talos.model
    data = talos.model.createData()
    plant = FloatingPlant(talos, TerrainConfig(mu=0.5), FloatingPlantConfig())
    plant.place(talos.standing(yaw=1.0, height=0.005), 0.3 * rng.normal(size=model.nv))
    push = np.array([100.0, -50.0, 20.0, 3.0, 2.0, 1.0])
    for _ in range(40):
        plant.advance(20.0 * rng.normal(size=model.nv - 6), push)
    truth = plant.observe()
    assert truth.soles.normal.max() > 100.0
    q = plant.state.q
    v = plant.state.v
    rate = pin.computeCentroidalMomentumTimeVariation(
        model, data, q, v, truth.acceleration
    ).vector
    force = push[:3] - talos.weight * np.eye(3)[2]
    moment = push[3:] + np.cross(q[:3] - data.com[0], push[:3])
    for place, wrench in zip(truth.soles.position, truth.soles.wrench, strict=True):
        force = force + wrench[:3]
        moment = moment + wrench[3:] + np.cross(place - data.com[0], wrench[:3])
    np.testing.assert_allclose(rate[:3], force, atol=1e-7)
    np.testing.assert_allclose(rate[3:], moment, atol=1e-6)


def energy(humanoid, plant):
    return pin.computeMechanicalEnergy(
        humanoid.model, humanoid.model.createData(), plant.state.q, plant.state.v
    )


@pytest.mark.compiled
def test_energy_changes_by_the_power_of_floor_and_motors(talos):
    errors = []
    for step in (100_000, 50_000):
        config = FloatingPlantConfig(control_period_ns=step, step_ns=step)
        plant = FloatingPlant(talos, TerrainConfig(mu=0.3), config)
        plant.place(talos.standing(height=0.01))
        plant.around.joints.stiffness[:] = 0.0
        torques = 0.1 * talos.efforts
        begin = energy(talos, plant)
        work = 0.0
        last = None
        for _ in range(round(0.1e9 / step)):
            plant.advance(torques)
            soles = plant.observe().soles
            joints = plant.around.joints
            v = plant.state.v
            braking = joints.viscous * v[6:] + plant.state.friction
            power = (
                np.sum(soles.wrench * soles.velocity)
                + (plant.state.torque - braking) @ v[6:]
            )
            work += 1e-9 * step * (power if last is None else 0.5 * (power + last))
            last = power
        change = energy(talos, plant) - begin
        assert abs(change) > 5.0
        errors.append(abs(work - change))
    assert errors[1] < 0.05
    assert errors[1] < 0.7 * errors[0]


def test_the_floor_only_takes_energy_from_a_sliding_foot(talos):
    plant = FloatingPlant(talos, TerrainConfig(mu=0.2), FloatingPlantConfig())
    plant.place(
        talos.standing(),
        np.concatenate(([1.0, 0.3, 0.0], np.zeros(talos.model.nv - 3))),
    )
    for _ in range(50):
        plant.advance(np.zeros(talos.model.nv - 6))
        soles = plant.observe().soles
        assert np.all(
            np.sum(soles.wrench[:, :2] * soles.velocity[:, :2], axis=1) <= 0.0
        )


def moved(q, x, y, yaw):
    """Coordinates of the whole world turned about its origin and moved."""
    turn = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, yaw), np.array([x, y, 0.0]))
    place = turn * pin.XYZQUATToSE3(q[:7])
    return np.concatenate((pin.SE3ToXYZQUAT(place), q[7:]))


@pytest.mark.parametrize("height", [0.0, 0.02])
@pytest.mark.compiled
def test_moving_and_turning_the_world_moves_nothing_else(talos, height):
    x = 3.0
    y = -2.0
    yaw = 0.7
    logs = [
        stand(
            world_of(talos, duration=1.0, start={**place, "height": height}),
            Standing(talos),
        )
        for place in ({}, {"x": x, "y": y, "yaw": yaw})
    ]
    first, second = logs
    shifted = np.array([moved(q, x, y, yaw) for q in first.q[::50]])
    np.testing.assert_allclose(shifted, second.q[::50], atol=1e-6)
    np.testing.assert_allclose(first.v, second.v, atol=1e-6)


@pytest.mark.compiled
def test_turning_a_slope_with_the_robot_changes_nothing(talos):
    ends = []
    for slopes, yaw in ((("slope_x", 0.05), 0.0), (("slope_y", 0.05), 0.5 * np.pi)):
        world = world_of(
            talos,
            duration=0.3,
            terrain={slopes[0]: slopes[1]},
            start={"yaw": yaw, "height": 0.01},
        )
        log = stand(world, Standing(talos))
        ends.append(log.v[-1])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)

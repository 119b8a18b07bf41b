# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The same robot, controller and scenario on MuJoCo's rigid bodies and contact."""

import numpy as np
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    chosen_scenario,
    start_state,
)
from biped_slip.simulation.planar.walk import Walk

pytest.importorskip("mujoco")


def scenario(name="thesis", **contact):
    return ScenarioConfig.from_mapping(
        {**chosen_scenario(name).to_mapping(), "contact": {"law": "mujoco", **contact}}
    )


@pytest.mark.parametrize("variant", ["thesis", "torso"])
def test_in_flight_mujoco_and_we_accelerate_alike(variant):
    chosen = scenario()
    robot = planar_biped(variant)
    rng = np.random.default_rng(3)
    plant = Plant(robot, chosen.ground, chosen.plant)
    for _ in range(20):
        q = rng.uniform(-1.0, 1.0, robot.model.nq)
        v = rng.normal(0.0, 2.0, robot.model.nv)
        q[1] = 3.0
        plant.place(q, v)
        ours = model_functions(robot).joint_acceleration(
            q, v, np.zeros(robot.model.nv), np.zeros((2, 6))
        )
        np.testing.assert_allclose(plant.acceleration(), ours, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("slope", [0.0, 0.1, -0.1])
def test_the_floor_carries_a_body_without_legs_to_move_by_its_weight(slope):
    """A straddled robot whose joints are held stiffly: the floor's force settles at the
    weight, on any slope."""
    mapping = scenario().to_mapping()
    chosen = ScenarioConfig.from_mapping(
        {**mapping, "ground": {"mu": [1.0], "edges": [], "slope": slope}}
    )
    robot = planar_biped("thesis")
    plant = Plant(robot, chosen.ground, chosen.plant)
    start = start_state(chosen, robot)
    plant.place(start.q, np.zeros_like(start.v))
    held = start.q[2:].copy()
    for _ in range(1500):
        plant.advance(300.0 * (held - plant.state.q[2:]) - 5.0 * plant.state.v[2:])
    assert plant.contact().force.sum(axis=0) == pytest.approx(
        [0.0, robot.mass * GRAVITY], abs=0.5
    )
    assert np.all(plant.contact().normal > 0.0)


@pytest.mark.parametrize("mu", [0.2, 0.7])
def test_a_sliding_foot_is_braked_by_the_mu_of_its_patch(mu):
    mapping = scenario().to_mapping()
    chosen = ScenarioConfig.from_mapping(
        {**mapping, "ground": {"mu": [mu], "edges": []}}
    )
    robot = planar_biped("thesis")
    plant = Plant(robot, chosen.ground, chosen.plant)
    start = start_state(chosen, robot)
    v = np.zeros_like(start.v)
    v[0] = 2.0
    plant.place(start.q, v)
    held = start.q[2:].copy()
    ratios = []
    for _ in range(80):
        plant.advance(300.0 * (held - plant.state.q[2:]) - 5.0 * plant.state.v[2:])
        contact = plant.contact()
        sliding = (contact.normal > 5.0) & (contact.slip_velocity > 0.05)
        ratios += list(-contact.force[sliding, 0] / contact.normal[sliding])
    assert len(ratios) > 20
    np.testing.assert_allclose(ratios, mu, rtol=1e-3)


@pytest.mark.compiled
def test_the_robot_takes_its_first_steps_upright_on_mujocos_floor():
    chosen = scenario()
    walk = Walk(chosen, planar_policy("oracle", chosen))
    for _ in range(3000):
        walk.tick()
    assert walk.height() > 0.6
    assert walk.log.q[2999, 0] > 0.5
    assert np.mean(walk.log.normal[1000:3000].sum(axis=1)) == pytest.approx(
        walk.robot.mass * GRAVITY, rel=0.05
    )

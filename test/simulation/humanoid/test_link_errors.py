# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot each of whose links errs by itself moves as one that is described so."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.sensor_config import UnmodelledConfig
from biped_slip.simulation.humanoid.link_errors import (
    heavier_links,
    link_errors,
    taken_by_links,
)
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.unmodelled import drawn_unmodelled


def described(model, share, shift):
    """The same robot with the errors in its bodies."""
    other = model.copy()
    for k, body in enumerate(heavier_links(model, share, shift), start=1):
        other.inertias[k] = body
    return other


def drawn(model, seed):
    rng = np.random.default_rng(seed)
    bodies = model.njoints - 1
    return (
        rng.uniform(-0.05, 0.05, bodies),
        rng.uniform(-5e-3, 5e-3, (bodies, 3)),
        rng,
    )


@pytest.mark.parametrize("robot", ["bolt", "g1", "talos"])
def test_errors_take_the_difference_of_two_inverse_dynamics(robot):
    model = load_humanoid(robot).model
    share, shift, rng = drawn(model, 0)
    other = described(model, share, shift)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v, acceleration = rng.normal(size=(2, model.nv))
    wanted = pin.rnea(other, other.createData(), q, v, acceleration) - pin.rnea(
        model, model.createData(), q, v, acceleration
    )
    taken = np.empty(model.nv)
    taken_by_links(link_errors(model, share, shift), q, v, acceleration, taken)
    np.testing.assert_allclose(taken, wanted, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_robot_in_the_air_accelerates_as_the_one_described(seed):
    bolt = load_humanoid("bolt")
    model = bolt.model
    plant = FloatingPlant(bolt, TerrainConfig(), FloatingPlantConfig(), compiled=False)
    config = UnmodelledConfig(link_mass=0.05, link_centre=5e-3)
    found = drawn_unmodelled(config, plant.anatomy, np.random.default_rng(seed))
    plant.differ(found)
    rng = np.random.default_rng(seed)
    q = bolt.standing(height=0.5)
    v = rng.normal(size=model.nv)
    plant.place(q, v)
    plant.state.torque[:] = rng.normal(size=model.nv - 6)
    torques = np.concatenate((np.zeros(6), plant.state.torque))
    torques[6:] -= plant.around.joints.viscous * v[6:]
    other = described(model, found.link_mass, found.link_centre)
    wanted = pin.aba(other, other.createData(), q, v, torques)
    without = pin.aba(model, model.createData(), q, v, torques)
    got = plant.observe().acceleration
    far = np.abs(without - wanted).max()
    assert far > 0.1
    np.testing.assert_allclose(got, wanted, atol=2e-3 * far)


def test_links_without_errors_are_none():
    bolt = load_humanoid("bolt")
    plant = FloatingPlant(bolt, TerrainConfig(), FloatingPlantConfig(), compiled=False)
    config = UnmodelledConfig(mass=0.05)
    plant.differ(drawn_unmodelled(config, plant.anatomy, np.random.default_rng(0)))
    assert plant.around.links.mass.size == 0

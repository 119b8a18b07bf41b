# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' robots: their descriptions carry what the papers print."""

import numpy as np
import pinocchio as pin
import pytest
from simulation.humanoid.standing import Standing, stand

from biped_slip.robots.description import read_description
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.plant import sole_points
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


@pytest.mark.parametrize(
    ("name", "mass", "velocities"),
    [
        ("surena3", 88.0, 18),
        ("hanavan_walker", 75.0, 12),
        ("two_sole_biped", None, 20),
        ("human38", 84.0728, 38),
    ],
)
def test_masses_and_degrees_of_freedom_are_the_papers(name, mass, velocities):
    model = pin.buildModelFromXML(
        read_description(f"urdf/{name}.urdf"), pin.JointModelFreeFlyer()
    )
    assert model.nv == velocities
    if mass is not None:
        assert sum(inertia.mass for inertia in model.inertias) == pytest.approx(
            mass, abs=2e-3
        )


def test_surena_has_the_printed_masses_and_lengths():
    model = load_humanoid("surena3").model
    data = model.createData()
    masses = {name: model.inertias[i].mass for i, name in enumerate(model.names)}
    assert masses["root_joint"] == pytest.approx(17.800 + 36.234)
    assert masses["l_knee"] == pytest.approx(4.561)
    assert masses["l_ankle_pitch"] == pytest.approx(2.236)
    assert masses["l_ankle_roll"] == pytest.approx(3.859)
    assert masses["l_hip_yaw"] + masses["l_hip_roll"] + masses[
        "l_hip_pitch"
    ] == pytest.approx(6.327)
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    left, right = (
        data.oMf[model.getFrameId(sole)].translation for sole in ("l_sole", "r_sole")
    )
    np.testing.assert_allclose(left - right, [0.0, 0.230, 0.0], atol=1e-12)
    assert 0.967 - left[2] == pytest.approx(1.900)  # standing straight, head over soles


@pytest.mark.parametrize(
    ("name", "points"),
    [("surena3", 16), ("hanavan_walker", 18), ("two_sole_biped", 4), ("human38", 4)],
)
def test_soles_lie_in_the_feets_outline_with_the_papers_points(name, points):
    humanoid = load_humanoid(name)
    grid = sole_points(humanoid)
    assert grid.shape == (2, points, 3)
    np.testing.assert_allclose(
        grid[0, :, 0].min(), min(x for x, _ in humanoid.polygon(0))
    )
    np.testing.assert_allclose(
        np.sort(grid[0, :, 1]), np.sort(-grid[1, :, 1]), atol=1e-12
    )
    model = humanoid.model
    data = humanoid.model.createData()
    pin.centerOfMass(model, data, humanoid.standing())
    assert grid[0, :, 0].min() < data.com[0][0] < grid[0, :, 0].max()


@pytest.mark.parametrize("name", ["surena3", "two_sole_biped", "human38"])
@pytest.mark.compiled
def test_the_papers_robots_stand(name):
    humanoid = load_humanoid(name)
    world = FloatingWorld(humanoid, FloatingScenarioConfig(duration=1.0))
    log = stand(world, Standing(humanoid))
    assert not world.fell
    assert log.wrench[-1, :, 2].sum() == pytest.approx(humanoid.weight, rel=1e-3)


@pytest.mark.compiled
def test_a_planar_walker_that_falls_in_its_plane_stays_there():
    humanoid = load_humanoid("hanavan_walker")
    world = FloatingWorld(humanoid, FloatingScenarioConfig(duration=0.3))
    log = stand(world, lambda readings: np.zeros(len(humanoid.robot.joints)))
    assert np.abs(log.q[-1, 7:] - humanoid.posture).max() > 0.01
    assert abs(log.q[-1, 3]) < 1e-3
    assert abs(log.q[-1, 5]) < 1e-3
    assert abs(log.q[-1, 1]) < 2e-3

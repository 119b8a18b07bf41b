# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A whole robot on contact rules that solve for all of its points together."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.robots.humanoid import load_humanoid
from studies.papers.gait import FlatGaitConfig
from studies.papers.motion import PointForces, rigid_demand, walk_stepped, whole_motion
from studies.papers.rengifo import linearised
from studies.papers.rodic import MU, complementarity

GAIT = FlatGaitConfig(steps=1, step=0.05, swing=0.2, rest=0.05, shift=0.25)
STILL = slice(0, 40)  # before the walk begins


@pytest.fixture(scope="module")
def course():
    humanoid = load_humanoid("two_sole_biped")
    motion = whole_motion(humanoid, GAIT, 1e-3)
    return humanoid, motion, rigid_demand(humanoid, motion, shared=True)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "rule", [linearised(-1e-4), complementarity], ids=["feedback", "complementarity"]
)
def test_the_ground_carries_a_standing_robot_and_follows_the_rigid_soles_through_a_step(
    course, rule
):
    humanoid, motion, demand = course
    walk = walk_stepped(
        humanoid, motion, demand, rule, held=(0, 1, 3, 4, 5), aimed=(2,), sunk=1e-6
    )
    vertical = walk.foot_forces[:, :, 2].sum(axis=1)
    assert vertical[STILL].mean() == pytest.approx(humanoid.weight, rel=0.01)
    assert vertical.mean() == pytest.approx(humanoid.weight, rel=0.02)
    assert np.abs(walk.q[:, :3] - motion.q[:, :3]).max() < 5e-3


@pytest.mark.compiled
def test_complementarity_pushes_only_within_its_box_of_friction(course):
    humanoid, motion, demand = course
    forces = walk_stepped(
        humanoid, motion, demand, complementarity, held=(0, 1, 3, 4, 5), aimed=(2,)
    ).forces
    assert forces[..., 2].min() >= -1e-9
    assert (np.abs(forces[..., :2]) - MU * forces[..., 2:]).max() < 1e-6


def test_without_ground_a_robot_falls_freely(course):
    humanoid, motion, demand = course

    def nothing(space, height, velocity, dt):
        none = np.zeros_like(velocity)
        return PointForces(none, none, height <= 0.0)

    few = motion._replace(
        **{name: getattr(motion, name)[:40] for name in ("q", "v", "acceleration")},
        pattern=type(motion.pattern)(*(part[:40] for part in motion.pattern)),
    )
    gone = demand._replace(wrenches=np.zeros_like(demand.wrenches))
    walk = walk_stepped(humanoid, few, gone, nothing)
    assert not walk.forces.any()
    model = humanoid.model
    height = [float(pin.centerOfMass(model, model.createData(), q)[2]) for q in walk.q]
    assert np.diff(height, n=2) == pytest.approx(-GRAVITY * 1e-6, rel=0.02)

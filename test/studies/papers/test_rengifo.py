# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rengifo's contact against closed forms, Pinocchio and the measured table of resting
penetrations."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.contact.feedback_linearised import FeedbackConfig, linearising_forces
from studies.papers.motion import robot_contact_space
from studies.papers.rengifo import (
    ball_force,
    brick_friction,
    planar_foot_at_rest,
    restitution,
)


def bounce(k_p, k_v, speed=1.0, dt=1e-6, gravity=0.0):
    z = 0.0
    v = -speed
    seconds = 0.0
    while (z <= 0.0) and seconds < 5.0:
        v += (ball_force(1.0, gravity, z, v, k_p, k_v) - gravity) * dt
        z += v * dt
        seconds += dt
    return v / speed, seconds


@pytest.mark.parametrize(
    ("k_p", "k_v", "e"), [(500, 250, 0.0867), (1e4, 100, 0.5463), (1e6, 0.0, 1.0)]
)
def test_the_ball_rebounds_with_the_restitution_of_its_gains(k_p, k_v, e):
    assert restitution(k_p, k_v) == pytest.approx(e, rel=1e-3)
    assert bounce(k_p, k_v)[0] == pytest.approx(e, rel=2e-3)


@pytest.mark.parametrize(
    ("k_p", "e", "seconds"), [(1.0, 2.00e-4, 1.574), (5.0, 4.47e-4, 0.706)]
)
@pytest.mark.compiled
def test_strong_damping_gives_the_asymptotic_restitution_and_contact_time(
    k_p, e, seconds
):
    assert restitution(k_p, 5000.0) == pytest.approx(e, rel=2e-3)
    assert bounce(k_p, 5000.0, dt=2e-6)[1] == pytest.approx(seconds, rel=0.01)


def test_a_brick_stops_where_energy_says_without_a_velocity_threshold():
    angle = math.radians(20.0)
    v = 1.0
    x = 0.0
    dt = 1e-5
    for _ in range(400_000):
        friction = brick_friction(1.0, GRAVITY, angle, v, 0.8, 250.0)
        v += (GRAVITY * math.sin(angle) - friction) * dt
        x += v * dt
    assert x == pytest.approx(0.1244, rel=2e-3)
    assert friction == pytest.approx(GRAVITY * math.sin(angle), rel=1e-6)


def test_accelerations_with_the_forces_are_those_pinocchio_computes_and_those_desired():
    model = pin.buildSampleModelHumanoidRandom()
    data = model.createData()
    rng = np.random.default_rng(4)
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v = rng.normal(0.0, 0.3, model.nv)
    tau = rng.normal(0.0, 5.0, model.nv)
    tips = [
        model.addFrame(
            pin.Frame(f"p{k}", joint, 0, pin.SE3.Random(), pin.FrameType.OP_FRAME)
        )
        for k, joint in enumerate((model.njoints - 1, model.njoints // 2))
    ]
    data = model.createData()
    space, position, velocity = robot_contact_space(model, data, q, v, tau, tips)
    np.testing.assert_allclose(
        space.free_joints,
        pin.aba(model, model.createData(), q, v, tau),
        rtol=1e-7,
        atol=1e-7,
    )
    config = FeedbackConfig()
    height = np.full(2, -1e-4)
    forces = linearising_forces(
        space,
        height,
        velocity,
        np.full(2, 1e9),
        config.k_p,
        config.k_v,
        config.resting_height,
        1e-10,
    )
    pushing = forces[:, 2] > 0.0
    joints = space.free_joints + space.to_joints @ forces.ravel()
    other = model.createData()
    pin.forwardKinematics(model, other, q, v, joints)
    for k in range(2):
        # nothing was projected away: the points accelerate as desired
        if np.all(pushing):
            axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            found = pin.getFrameClassicalAcceleration(
                model, other, tips[k], axes
            ).linear
            wanted = -config.k_v * np.array(
                [*velocity[k, :2], min(0.0, velocity[k, 2])]
            )
            wanted[2] += config.k_p * (config.resting_height - height[k])
            np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())
    assert position.shape == (2, 3)


MEASURED = [
    (1e-6, 1e-4, 78, 0.00, 70.5),
    (0.0, 1e-4, 64, 10.6, 71.0),
    (-1e-6, 1e-4, 0, 29.05, 69.05),
    (1e-6, 1e-3, 70, 0.00, 85.1),
    (0.0, 1e-3, 66, 10.5, 87.7),
    (-1e-6, 1e-3, 0, 29.05, 69.05),
]


@pytest.mark.parametrize(("resting_height", "dt", "changes", "low", "high"), MEASURED)
@pytest.mark.compiled
def test_only_a_negative_resting_height_keeps_a_loaded_foot_on_the_ground(
    resting_height, dt, changes, low, high
):
    foot = planar_foot_at_rest(resting_height, dt, seconds=3.0)
    # round-off decides on which of its points the foot rolls: only many is certain
    if resting_height == 0.0:
        assert foot.changes > 20
    else:
        assert foot.changes == changes
    assert foot.normal.min() == pytest.approx(low, abs=0.5)
    assert foot.normal.max() == pytest.approx(high, rel=0.02)

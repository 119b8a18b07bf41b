# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction of joints and their gears against its closed forms: sliding, presliding, the
peak at rest, and work."""

import math

import numpy as np
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.joints import JointConfig, joint_physics
from biped_slip.simulation.humanoid.plant import FloatingState, generalized_forces
from biped_slip.simulation.joint_friction import friction_level, joint_friction

COULOMB = 2.4  # [N m]
BRISTLE = 5e-4  # [rad]
DT = 1e-4  # [s]


def level(torque=0.0, rate=1.0, static=1.0, load=0.0):
    return friction_level(torque, rate, COULOMB, static, 0.05, load)


def bristle_after(rates, dt=DT):
    """Torque after each rate of a joint, from rest, and the work done against it."""
    torque = 0.0
    torques = []
    work = []
    for rate in rates:
        middle, torque = joint_friction(torque, rate, COULOMB, 1.0 / BRISTLE, dt)
        torques.append(torque)
        work.append(middle * rate * dt)
    return np.array(torques), np.array(work)


def test_a_bristle_bends_as_a_spring_that_gives_way_at_the_coulomb_torque():
    rate = 0.01
    torques, _ = bristle_after(np.full(2000, rate))
    way = rate * DT * np.arange(1, 2001)
    np.testing.assert_allclose(
        torques, COULOMB * (1.0 - np.exp(-way / BRISTLE)), rtol=1e-9
    )
    stiffness = torques[0] / way[0]
    assert stiffness == pytest.approx(COULOMB / BRISTLE, rel=2e-3)


@pytest.mark.parametrize("rate", [-3.0, -0.2, 0.2, 3.0])
@pytest.mark.parametrize("torque", [-40.0, 0.0, 40.0])
def test_a_sliding_gear_takes_coulomb_friction_and_its_share_of_the_load(rate, torque):
    torques, _ = bristle_after(np.full(1000, rate))
    found = torques[-1] * level(torque, rate, static=1.0, load=0.06)
    wanted = math.copysign(COULOMB + 0.06 * abs(torque), rate)
    assert found == pytest.approx(wanted, rel=1e-6)


def test_the_peak_at_rest_fades_over_the_stribeck_rate():
    assert level(rate=0.0, static=1.4) == pytest.approx(1.4)
    assert level(rate=0.05, static=1.4) == pytest.approx(1.0 + 0.4 / math.e)
    assert level(rate=-0.05, static=1.4) == level(rate=0.05, static=1.4)
    assert level(rate=0.3, static=1.4) == pytest.approx(1.0)


def test_a_joint_of_coulomb_friction_alone_has_the_level_one_to_the_last_digit():
    rng = np.random.default_rng(0)
    for torque, rate in rng.normal(scale=30.0, size=(100, 2)):
        assert level(torque, rate) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_friction_never_gives_back_more_work_than_it_took(seed):
    """Dahl's bristle is passive: the work from rest is at least that of its spring,
    f^2 / (2 k), whatever the motion."""
    rng = np.random.default_rng(seed)
    corners = rng.normal(scale=0.5, size=200)
    rates = np.repeat(corners, 10)
    torques, work = bristle_after(rates)
    kept = torques**2 / (2.0 * COULOMB / BRISTLE)
    assert np.all(np.cumsum(work) >= kept - 1e-2 * kept.max())
    assert work.sum() > 10.0 * COULOMB * BRISTLE  # it has slid as well


@pytest.mark.parametrize("rate", [-1.0, 1.0])
def test_a_joint_gets_the_torque_of_its_motor_less_the_friction_of_its_gear(rate):
    bolt = load_humanoid("bolt")
    joints = len(bolt.robot.joints)
    physics = joint_physics(bolt, JointConfig())._replace(
        coulomb=np.full(joints, 0.3),
        viscous=np.full(joints, 0.02),
        static=np.full(joints, 1.3),
        static_rate=np.full(joints, 0.5),
        load=np.full(joints, 0.08),
        per_angle=np.full(joints, 1e4),
    )
    motor = np.linspace(-1.0, 1.0, joints)
    v = np.zeros(6 + joints)
    v[6:] = rate
    now = FloatingState(
        q=bolt.standing(),
        v=v,
        contact=np.zeros((2, 1, 1)),
        friction=math.copysign(0.3, rate) * np.ones(joints),  # it slides
        torque=motor,
    )
    forces = np.empty(6 + joints)
    generalized_forces(now, np.zeros(joints), np.zeros(6), physics, DT, forces)
    peak = 0.3 * (1.0 + 0.3 * math.exp(-4.0))
    rubbing = math.copysign(1.0, rate) * (peak + 0.08 * np.abs(motor))
    np.testing.assert_allclose(forces[6:], motor - rubbing - 0.02 * rate, rtol=1e-12)

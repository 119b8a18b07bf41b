# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ground's wrench behind an ankle's force sensor: at rest in closed form, moving against Pinocchio."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.estimation.humanoid_observer import FootBody, FootMotion, centre_of_pressure, ground_wrench_in_sole

G = 9.81


def foot(mass=1.5, seed=None):
    rng = np.random.default_rng(seed)
    if seed is None:
        return FootBody(mass, np.array([0.02, 0.0, 0.03]), 1e-3 * np.eye(3), np.eye(3), np.array([0.0, 0.0, 0.08]))
    root = rng.normal(size=(3, 3))
    return FootBody(mass, 0.05 * rng.normal(size=3), 1e-2 * root @ root.T, pin.exp3(rng.normal(size=3)),
                    0.1 * rng.normal(size=3))  # fmt: skip


def rest():
    return FootMotion(np.array([0.0, 0.0, G]), np.zeros(3), np.zeros(3))


def test_at_rest_the_ground_carries_what_the_ankle_feels_and_the_foots_weight_at_its_place():
    reading = np.array([12.0, -3.0, 300.0, 4.0, -6.0, 0.5])
    found = ground_wrench_in_sole(reading, foot(), rest())
    weight = 1.5 * G
    np.testing.assert_allclose(found[:3], [12.0, -3.0, 300.0 + weight])
    lever = np.cross([0.0, 0.0, 0.08], reading[:3]) + np.cross([0.02, 0.0, 0.03], [0.0, 0.0, weight])
    np.testing.assert_allclose(found[3:], reading[3:] + lever)


def test_in_free_flight_the_ankle_feels_the_foot_and_the_ground_nothing():
    """A foot that swings freely with the leg: its inertia is in the sensor, the ground's wrench is zero."""
    rng = np.random.default_rng(2)
    body = foot(seed=3)
    motion = FootMotion(rng.normal(size=3) + np.array([0.0, 0.0, G]), rng.normal(size=3), 5.0 * rng.normal(size=3))
    felt = sensed(np.zeros(6), body, motion)
    assert np.linalg.norm(felt) > 1.0
    np.testing.assert_allclose(ground_wrench_in_sole(felt, body, motion), 0.0, atol=1e-12)


def sensed(ground, body, motion):
    """What the sensor reads for a wrench of the ground (6,) in the sole, by Pinocchio's spatial algebra."""
    inertia = pin.Inertia(body.mass, body.centre_of_mass, body.inertia)
    velocity = pin.Motion(np.zeros(3), motion.angular_velocity)
    spatial = pin.Motion(motion.specific_force, motion.angular_acceleration)  # the origin itself is at rest now
    needed = inertia * spatial + velocity.cross(inertia * velocity)
    at_sole = pin.Force(ground) - needed
    return pin.SE3(body.sensor_rotation, body.sensor_position).actInv(at_sole).vector


@pytest.mark.parametrize("seed", range(5))
def test_it_undoes_what_a_moving_foot_adds_by_an_independent_implementation(seed):
    rng = np.random.default_rng(seed)
    body = foot(mass=rng.uniform(0.3, 4.0), seed=seed)
    motion = FootMotion(10.0 * rng.normal(size=3), 3.0 * rng.normal(size=3), 20.0 * rng.normal(size=3))
    ground = 100.0 * rng.normal(size=6)
    np.testing.assert_allclose(ground_wrench_in_sole(sensed(ground, body, motion), body, motion), ground, atol=1e-9)


def test_the_centre_of_pressure_is_where_the_normal_force_makes_no_moment():
    place = np.array([0.07, -0.03, 0.0])
    force = np.array([20.0, 5.0, 400.0])
    wrench = np.concatenate([force, np.cross(place, force) + np.array([0.0, 0.0, 2.0])])
    np.testing.assert_allclose(centre_of_pressure(wrench, 10.0), place[:2], atol=1e-12)
    for load, known in ((5.0, False), (10.0, False), (math.nextafter(10.0, 11.0), True)):
        found = centre_of_pressure(np.array([0.0, 0.0, load, 1.0, 1.0, 0.0]), 10.0)
        assert np.isfinite(found).all() == np.isfinite(found).any() == known

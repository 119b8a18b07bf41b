# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From sensor readings back to coordinates and to what the feet measure."""

import math

import numpy as np
import pytest

from biped_slip.estimation.planar_feet import FloorConfig, odometry_motion
from biped_slip.estimation.readings import robot_state
from biped_slip.friction_estimation.rls import ThesisEstimator
from biped_slip.friction_estimation.types import EstimateState
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.plant import Plant
from biped_slip.simulation.planar.scenario import SensorConfig, chosen_scenario
from biped_slip.simulation.planar.sensors import Sensors
from biped_slip.simulation.planar.walk import Walk
from biped_slip.walking.planar import FrictionObserver


def walked(name, ticks=40):
    scenario = chosen_scenario(name)
    walk = Walk(scenario, planar_policy("oracle", scenario))
    for _ in range(ticks):
        walk.tick()
    return walk


@pytest.mark.parametrize("name", ["thesis", "traction"])
def test_ideal_sensors_give_back_the_plants_coordinates(name):
    walk = walked(name)
    state = robot_state(walk.sensors.read(), walk.robot.root_size)
    np.testing.assert_allclose(state.q, walk.plant.state.q, atol=1e-12)
    np.testing.assert_allclose(state.v, walk.plant.state.v, atol=1e-12)


@pytest.mark.parametrize("name", ["thesis", "traction"])
def test_feet_measure_the_true_force_and_sliding_about_the_floors_own_normal(name):
    walk = walked(name)
    readings = walk.sensors.read()
    motion = odometry_motion(walk.robot, FloorConfig(walk.scenario.ground.slope))
    measured = motion.measure(robot_state(readings, walk.robot.root_size), readings)
    true = walk.plant.contact()
    for foot in (0, 1):
        assert measured[foot].force_normal == pytest.approx(true.normal[foot], abs=1e-9)
        tangential = math.hypot(*true.force[foot]) ** 2 - true.normal[foot] ** 2
        assert measured[foot].force_x ** 2 == pytest.approx(tangential, abs=1e-6)
        assert measured[foot].velocity_x == pytest.approx(
            true.slip_velocity[foot], abs=1e-12
        )


def test_at_rest_the_inertial_sensor_reads_plus_g():
    scenario = chosen_scenario("torso")
    plant = Plant(
        Walk(scenario, planar_policy("none", scenario)).robot,
        scenario.ground,
        scenario.plant,
    )
    plant.place(np.array([0.0, 5.0, 0.3, -1.5, 0.2, -1.6, 0.3]), np.zeros(7))
    readings = Sensors(plant, SensorConfig(), np.random.default_rng(0)).read()
    # in free fall nothing is felt
    np.testing.assert_allclose(readings.specific_force_in_base, 0.0, atol=1e-9)
    walk = walked("traction", 1)
    felt = (
        Sensors(walk.plant, SensorConfig(), np.random.default_rng(0))
        .read()
        .specific_force_in_base
    )
    acceleration = walk.plant.acceleration()
    np.testing.assert_allclose(
        np.linalg.norm(felt),
        np.hypot(acceleration[0], acceleration[1] + 9.81),
        rtol=1e-9,
    )


def test_noise_has_the_stated_size_and_latency_the_stated_age():
    walk = walked("thesis")
    config = SensorConfig(
        force_noise=0.5, joint_position_noise=1e-3, force_latency=2e-3
    )
    sensors = Sensors(walk.plant, config, np.random.default_rng(1))
    samples = [sensors.read() for _ in range(2000)]
    forces = np.array([s.wrench_ground_on_foot_in_sole[0, 0] for s in samples[10:]])
    joints = np.array([s.joint_position[0] for s in samples])
    assert forces.std() == pytest.approx(0.5, rel=0.1)
    assert joints.std() == pytest.approx(1e-3, rel=0.1)
    np.testing.assert_array_equal(
        forces[0], samples[10].wrench_ground_on_foot_in_sole[0, 0]
    )


def test_a_bad_reading_is_answered_as_such_and_the_observer_goes_on():
    walk = walked("thesis")
    observer = FrictionObserver(
        walk.robot, ThesisEstimator(), odometry_motion(walk.robot)
    )
    good = walk.sensors.read()
    observer.step(good)
    wrench = good.wrench_ground_on_foot_in_sole.copy()
    wrench[0, 2] = math.nan
    bad = good._replace(
        stamp_ns=good.stamp_ns + 1_000_000, wrench_ground_on_foot_in_sole=wrench
    )
    left, right = observer.step(bad).estimates
    assert left.state_code == EstimateState.INVALID_INPUT
    assert right.state_code != EstimateState.INVALID_INPUT
    again = observer.step(good._replace(stamp_ns=good.stamp_ns + 2_000_000)).estimates
    assert again[0].state_code != EstimateState.INVALID_INPUT

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of a humanoid: what they read, and their bias, noise, age and rate."""

import numpy as np
import pinocchio as pin
import pytest
from simulation.humanoid.standing import Standing

from biped_slip.constants import GRAVITY
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.sensor_config import DeliveryConfig
from biped_slip.simulation.humanoid.plant import FloatingPlant, FloatingPlantConfig
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.sensors import Channel, Channels, ideal_readings
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.simulation.humanoid.world import FloatingWorld


@pytest.fixture(scope="module")
def talos():
    return load_humanoid("talos")


def landed(humanoid, seed=0):
    """A plant in the middle of a landing, everything moving."""
    rng = np.random.default_rng(seed)
    plant = FloatingPlant(humanoid, TerrainConfig(mu=0.5), FloatingPlantConfig())
    plant.place(
        humanoid.standing(yaw=0.5, height=0.003),
        0.3 * rng.normal(size=humanoid.model.nv),
    )
    for _ in range(30):
        plant.advance(20.0 * rng.normal(size=humanoid.model.nv - 6))
    return plant


@pytest.mark.compiled
def test_a_standing_robot_feels_gravity_and_the_weight_above_its_ankles(talos):
    world = FloatingWorld(talos, FloatingScenarioConfig(duration=1.0))
    control = Standing(talos)
    while not world.ended:
        world.advance(control(world.read()))
    truth = world.plant.observe()
    imu, foot_imus, force_torque = world.plant.sensor_readings(truth)
    assert np.linalg.norm(imu[3:]) == pytest.approx(GRAVITY, rel=1e-3)
    np.testing.assert_allclose(foot_imus, [[0, 0, 0, 0, 0, GRAVITY]] * 2, atol=0.02)
    foot = talos.model.inertias[talos.model.getJointId("leg_left_6_joint")].mass
    assert force_torque[:, 2].sum() == pytest.approx(
        talos.weight - 2 * foot * GRAVITY, rel=1e-3
    )


def test_the_force_sensor_reads_newton_and_euler_of_the_foot_beneath_it(talos):
    plant = landed(talos)
    truth = plant.observe()
    assert truth.soles.normal.max() > 50.0
    _, _, force_torque = plant.sensor_readings(truth)
    model, data = talos.model, talos.model.createData()
    h = 1e-6

    def momentum(q, v, foot):
        """Momentum (6,) of the foot's link in the world, about the world's origin."""
        pin.forwardKinematics(model, data, q, v)
        return data.oMi[foot].act(model.inertias[foot] * data.v[foot]).vector

    for side, (name, frame) in enumerate(
        (("leg_left_6_joint", "l_ft"), ("leg_right_6_joint", "r_ft"))
    ):
        foot = model.getJointId(name)
        (q, v) = plant.state[:2]
        later = momentum(
            pin.integrate(model, q, h * v), v + h * truth.acceleration, foot
        )
        before = momentum(
            pin.integrate(model, q, -h * v), v - h * truth.acceleration, foot
        )
        rate = (later - before) / (2 * h)
        pin.framesForwardKinematics(model, data, q)
        inertia = model.inertias[foot]
        weight = np.array([0.0, 0.0, -inertia.mass * GRAVITY])
        middle = data.oMi[foot].act(inertia.lever)
        force = truth.soles.wrench[side, :3]
        place = truth.soles.position[side]
        ground = np.concatenate(
            (force, truth.soles.wrench[side, 3:] + np.cross(place, force))
        )
        from_leg = rate - ground - np.concatenate((weight, np.cross(middle, weight)))
        sensor = data.oMf[model.getFrameId(frame)]
        expected = -sensor.actInv(pin.Force(from_leg)).vector
        np.testing.assert_allclose(
            force_torque[side], expected, atol=1e-4 * np.abs(expected).max()
        )


def test_an_accelerometer_reads_the_second_derivative_of_its_place(talos):
    plant = landed(talos)
    imu, _, _ = plant.sensor_readings(plant.observe())
    model, data, (q, v), acceleration = (
        talos.model,
        talos.model.createData(),
        plant.state[:2],
        plant.observe().acceleration,
    )
    frame = model.getFrameId("imu")
    h = 1e-6

    def velocity(sign):
        pin.forwardKinematics(
            model,
            data,
            pin.integrate(model, q, sign * h * v),
            v + sign * h * acceleration,
        )
        pin.updateFramePlacement(model, data, frame)
        return pin.getFrameVelocity(model, data, frame, pin.LOCAL_WORLD_ALIGNED)

    change = (velocity(1).linear - velocity(-1).linear) / (2 * h)
    pin.framesForwardKinematics(model, data, q)
    expected = data.oMf[frame].rotation.T @ (change + GRAVITY * np.eye(3)[2])
    np.testing.assert_allclose(imu[3:], expected, atol=1e-4 * np.abs(expected).max())


def test_ideal_readings_are_those_of_sensors_in_base_and_soles():
    # its IMU is in the base, and nothing turns below its soles but the lower legs
    bolt = load_humanoid("bolt")
    plant = landed(bolt)
    truth = plant.observe()
    readings = ideal_readings(plant, truth)
    (imu, _, _) = plant.sensor_readings(truth)
    np.testing.assert_allclose(readings.angular_velocity_in_base, imu[:3], atol=1e-12)
    np.testing.assert_allclose(readings.specific_force_in_base, imu[3:], atol=1e-9)
    for side in range(2):
        turned = truth.soles.rotation[side].T @ truth.soles.wrench[side, :3]
        np.testing.assert_allclose(
            readings.wrench_ground_on_foot_in_sole[side, :3], turned, atol=1e-9
        )


def test_a_channel_adds_its_bias_and_noise():
    rng = np.random.default_rng(0)
    channel = Channel(np.full(3, 0.2), np.full(3, 0.5), DeliveryConfig(), rng)
    channels = Channels([channel], rng, 1e-3)
    samples = np.array([channels.read(np.arange(3.0)) for _ in range(4000)])
    assert np.all(np.abs(channel.bias) <= 0.5)
    np.testing.assert_allclose(
        samples.mean(axis=0), np.arange(3) + channel.bias, atol=0.02
    )
    np.testing.assert_allclose(samples.std(axis=0), 0.2, rtol=0.05)


def test_a_channel_is_late_and_slow():
    none = np.zeros(1)
    rng = np.random.default_rng(0)
    channels = Channels(
        [Channel(none, none, DeliveryConfig(latency=2e-3, sample_period=3e-3), rng)],
        rng,
        1e-3,
    )
    read = [channels.read(np.array([float(tick)]))[0] for tick in range(10)]
    assert read == [0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 6.0, 6.0]


def test_sensors_read_together_are_those_read_one_by_one():
    """Two fast ones with noise, one without, one late and slow: each number as by the
    rule for its sensor alone."""
    rng = np.random.default_rng(3)
    other = np.random.default_rng(3)
    noises = (0.1, 0.2, 0.0, 0.3)
    kinds = [DeliveryConfig()] * 3 + [DeliveryConfig(latency=1e-3, sample_period=2e-3)]
    each = [
        Channel(np.full(2, s), np.ones(2), kind, rng)
        for s, kind in zip(noises, kinds, strict=True)
    ]
    channels = Channels(each, rng, 1e-3)
    bias = [other.uniform(-1.0, 1.0, 2) for _ in noises]
    last = np.zeros(2)
    late = []
    for tick in range(6):
        true = tick + np.arange(8.0)
        wanted = []
        for k, noise in enumerate(noises):
            if k == 3 and tick % 2:
                wanted.append(last)
                continue
            drawn = other.standard_normal(2) if noise > 0.0 else 0.0
            wanted.append(true[2 * k : 2 * k + 2] + bias[k] + noise * drawn)
        last = wanted[3]
        late.append(last)
        wanted[3] = late[max(tick - 1, 0)]
        np.testing.assert_array_equal(channels.read(true), np.concatenate(wanted))


def test_the_same_seed_gives_the_same_readings(talos):
    config = {
        "duration": 0.01,
        "sensors": {
            "imu": {"gyro_noise": 0.01, "accelerometer_bias": 0.1},
            "force_torque": {"force_noise": 0.003, "delivery": {"latency": 1e-3}},
            "encoders": {"position_noise": 1e-4},
        },
    }
    runs = []
    for seed in (1, 1, 2):
        world = FloatingWorld(talos, FloatingScenarioConfig.from_mapping(config), seed)
        readings = []
        while not world.ended:
            readings.append(np.concatenate([np.ravel(part) for part in world.sense()]))
            world.advance(np.zeros(len(talos.robot.joints)))
        runs.append(np.array(readings))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert np.nanmax(np.abs(runs[0] - runs[2])) > 0.0


def test_encoders_before_the_gear_show_its_twist_in_whole_counts(talos):
    sensors = {"encoders": {"gear_stiffness": 2e4, "position_resolution": 1e-4}}
    world = FloatingWorld(
        talos,
        FloatingScenarioConfig.from_mapping({"duration": 0.01, "sensors": sensors}),
    )
    torques = 0.1 * talos.efforts
    world.advance(torques)
    shown = world.sense().joint_position
    state = world.plant.state
    np.testing.assert_allclose(shown, state.q[7:] + torques / 2e4, atol=0.5e-4 + 1e-12)
    np.testing.assert_allclose(shown / 1e-4, np.round(shown / 1e-4), atol=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_encoders_before_a_gear_with_play_show_the_flank_on_which_the_torque_lies(
    talos, side
):
    sensors = {"encoders": {"backlash": 2e-3}}
    config = FloatingScenarioConfig.from_mapping({"duration": 0.01, "sensors": sensors})
    world = FloatingWorld(talos, config)
    for torques, share in ((side * 0.1, side), (side * 0.005, 0.5 * side), (0.0, 0.0)):
        world.advance(torques * talos.efforts)
        apart = world.sense().joint_position - world.plant.state.q[7:]
        np.testing.assert_allclose(apart, share * 1e-3, atol=1e-12)

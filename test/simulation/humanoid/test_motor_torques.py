# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motors that say their currents, IMUs that are mounted askew, and sensors that are not
there."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.health import judge_of
from biped_slip.estimation.readings import HumanoidReadings, Judged
from biped_slip.robots.sensor_config import (
    FloatingSensorConfig,
    ImuConfig,
    MotorTorqueConfig,
)
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.humanoid.sensors import (
    MotorTorques,
    TrueBody,
    fill_body,
    mountings,
)
from biped_slip.simulation.humanoid.walk import HumanoidTrack


def motor_torques(**sizes):
    config = MotorTorqueConfig(present=True, **sizes)
    efforts = np.array([20.0, 80.0, 140.0])
    return MotorTorques(efforts, config, 1e-3, np.random.default_rng(0))


def test_a_current_shows_the_torque_of_its_motor_times_the_error_of_its_constant():
    gains = np.array(
        [
            MotorTorques(
                np.full(4, 50.0),
                MotorTorqueConfig(present=True, constant=0.05),
                1e-3,
                np.random.default_rng(seed),
            ).read(np.full(4, 10.0), np.zeros(4))
            / 10.0
            for seed in range(250)
        ]
    )
    assert 0.95 <= gains.min() < 0.951
    assert 1.049 < gains.max() <= 1.05
    assert gains.mean() == pytest.approx(1.0, abs=4.0 * 0.05 / np.sqrt(3.0 * 1000))
    sensor = motor_torques(constant=0.05)
    for torque in ([1.0, -2.0, 3.0], [0.0, 7.0, -50.0]):
        shown = sensor.read(np.array(torque), np.zeros(3))
        np.testing.assert_allclose(shown, sensor.gain * torque)


def test_ripple_is_a_wave_over_the_angle_of_the_joint():
    sensor = motor_torques(ripple=0.005, ripple_angle=0.02)
    assert np.all((sensor.turn >= 0.004) & (sensor.turn <= 0.02))
    angles = np.linspace(0.0, 0.02, 401)
    still = np.zeros(3)
    shown = np.array([sensor.read(still, np.full(3, angle)) for angle in angles])
    np.testing.assert_allclose(
        np.abs(shown).max(axis=0), 0.005 * np.array([20.0, 80.0, 140.0]), rtol=0.01
    )
    one = 0.0123
    np.testing.assert_allclose(
        sensor.read(still, one * np.ones(3)),
        sensor.read(still, one + sensor.turn),
        atol=1e-9,
    )


def test_noise_and_counts_of_currents():
    noisy = motor_torques(noise=0.002)
    shown = np.array([noisy.read(np.full(3, 5.0), np.zeros(3)) for _ in range(4000)])
    np.testing.assert_allclose(
        shown.std(axis=0), 0.002 * np.array([20.0, 80.0, 140.0]), rtol=0.06
    )
    counts = motor_torques(resolution=0.05).read(np.array([0.06, -0.12, 7.01]), 0.0)
    np.testing.assert_allclose(counts, [0.05, -0.1, 7.0], atol=1e-12)


def test_a_walk_with_currents_reads_motors_and_nothing_in_ankles_and_feet():
    config = chosen_walk("g1", "currents")
    world = HumanoidTrack(config, seed=2)
    gains = world._sensors._motors.gain
    efforts = world.humanoid.efforts
    # ripple, five sd of noise, half a count
    most = (0.005 + 5.0 * 0.002) * efforts + 0.026
    for tick in range(5):
        raw = world.sense()
        torque = world.plant.state.torque
        assert np.all(np.abs(raw.joint_torque - gains * torque) <= most)
        assert np.isnan(raw.force_torque).all()
        assert np.isnan(raw.foot_imus).all()
        assert np.isfinite(raw.imu).all()
        world.advance(0.01 * tick * efforts)
    absent = config.walking.absent_sensors
    readings = HumanoidReadings(raw)
    robot = world.robot
    assert isinstance(judge_of(robot, None, absent).judge(readings), Judged)
    assert judge_of(robot).judge(readings).name == "input not finite"


def test_sensors_that_are_there_have_no_currents_unless_named():
    world = HumanoidTrack(chosen_walk("g1", "ankles"), seed=2)
    raw = world.sense()
    assert np.isnan(raw.joint_torque).all()
    assert np.isfinite(raw.force_torque).all()


def test_an_imu_askew_turns_rate_and_specific_force_alike():
    base = ImuConfig(alignment=5e-3)
    angles = []
    for seed in range(200):
        mounted = mountings(base, ImuConfig(), np.random.default_rng(seed))
        true = np.array([0.1, -0.2, 0.3, 1.0, 2.0, 9.0])
        feet = np.ones((2, 6))
        body = TrueBody(
            imu=true, foot_imus=feet, force_torque=feet, soles=np.zeros((2, 3))
        )
        read = np.empty(36)
        fill_body(body, mounted, read)
        shown = read[:6]
        np.testing.assert_array_equal(read[6:18], feet.ravel())
        turn = mounted.turns[0][:3, :3]
        np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
        np.testing.assert_allclose(
            shown, np.concatenate((turn @ true[:3], turn @ true[3:]))
        )
        angles.append(pin.log3(turn))
    assert 0.0049 < np.abs(angles).max() <= 5e-3
    assert np.std(angles) == pytest.approx(5e-3 / np.sqrt(3.0), rel=0.1)


def test_a_humanoid_without_an_imu_in_its_body_is_refused():
    with pytest.raises(InvalidParameter, match=r"imu.present.*attitude"):
        FloatingSensorConfig.from_mapping({"imu": {"present": False}})

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""TALOS in simulation shifts its weight and sways on giving soles: what is made of its
raw sensors, right and wrong."""

from itertools import islice
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest
from simulation.humanoid.standing import Standing

from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.humanoid_observer import HumanoidObserver, body_frames
from biped_slip.estimation.readings import RawReadings
from biped_slip.estimation.sensor_self_test import (
    FootNames,
    check_standing,
    sway_record,
    sway_sample,
)
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU, load_humanoid
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.scenario import FloatingScenarioConfig
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.walking.humanoid import standing_readings

INERTIAL = {
    "gyro_noise": 5e-3,
    "gyro_bias": 5e-3,
    "accelerometer_noise": 0.02,
    "accelerometer_bias": 0.03,
}
SENSORS = {
    "encoders": {"position_noise": 1.5e-5, "velocity_noise": 5e-3},
    "imu": INERTIAL,
    "foot_imu": INERTIAL,
    "force_torque": {
        "force_noise": 3e-3,
        "moment_noise": 3e-4,
        "force_bias": 3e-3,
        "moment_bias": 1e-4,
    },
}
# ticks
SETTLED = 1500
DURATION = 3500
# [rad] of hips and ankles: a third of the weight, and plus or minus 3 degrees
SHIFT = 0.04
SWAY = 0.06


class Swayed(NamedTuple):
    humanoid: object
    observer: HumanoidObserver
    raw: list
    readings: list
    errors: np.ndarray  # velocity (3), up in the base (3), wrenches (12)


@pytest.fixture(scope="module")
def swayed():
    humanoid = load_humanoid("talos")
    scenario = FloatingScenarioConfig.from_mapping(
        {"duration": 1e-3 * DURATION, "sensors": SENSORS}
    )
    world = FloatingWorld(humanoid, scenario, seed=1)
    control = Standing(humanoid)
    observer = HumanoidObserver(
        humanoid.robot,
        body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU),
    )
    place = {joint: index for index, joint in enumerate(humanoid.robot.joints)}
    rolls, ankles, hips = (
        [place[f"leg_{side}_{k}_joint"] for side in ("left", "right")]
        for k in (2, 6, 3)
    )
    standing = control.posture.copy()
    raws = []
    readings = []
    errors = []
    while not world.ended:
        truth = world.plant.observe()
        time = 1e-9 * world.plant.stamp_ns
        raws.append(world.sense())
        readings.append(observer.step(raws[-1]))
        q = world.plant.state.q
        v = world.plant.state.v
        up, seen = (
            pin.Quaternion(a).matrix()[2]
            for a in (q[3:7], readings[-1].orientation_base_in_world)
        )
        wrench = np.matmul(
            truth.soles.wrench.reshape(2, 2, 3), truth.soles.rotation
        ).reshape(12)
        wrong = readings[-1].wrench_ground_on_foot_in_sole.ravel() - wrench
        errors.append(
            np.concatenate(
                [readings[-1].linear_velocity_in_base - v[:3], seen - up, wrong]
            )
        )
        ramp = np.clip(2.0 * (time - 1.0), 0.0, 1.0)
        posture = standing.copy()
        posture[rolls] += SHIFT * ramp * np.sin(np.pi * (time - 1.0))
        posture[ankles] -= SHIFT * ramp * np.sin(np.pi * (time - 1.0))
        posture[hips] += SWAY * ramp * np.sin(np.pi * (time - 1.0) + 1.2)
        control.posture = posture
        world.advance(control(readings[-1]))
    return Swayed(
        humanoid=humanoid,
        observer=observer,
        raw=raws,
        readings=readings,
        errors=np.array(errors)[SETTLED:],
    )


def test_velocity_tilt_and_ground_wrenches_follow_the_truth(swayed):
    """Limits: of drift on soles that tilt; of the accelerometer's bias, 0.03 m/s^2; of
    bias and noise, 0.3 % each."""
    velocity, up, wrench = np.split(np.sqrt(np.mean(swayed.errors**2, axis=0)), [3, 6])
    assert velocity.max() < 0.01
    assert up.max() < 0.012
    assert wrench.reshape(2, 6)[:, :3].max() < 0.01 * swayed.humanoid.weight
    assert wrench.reshape(2, 6)[:, 3:].max() < 1.0


def checked(swayed, inject):
    swayed.observer.reset()
    raws = [inject(raw) for raw in swayed.raw]
    none = np.zeros(len(swayed.humanoid.robot.joints))
    samples = [
        sway_sample(1e-9 * raw.stamp_ns, raw, swayed.observer.step(raw), none)
        for raw in raws
    ]
    feet = FootNames(SOLES, FORCE_SENSORS)
    return check_standing(
        swayed.humanoid.model, feet, sway_record(np.array(samples[SETTLED:]))
    )


def test_right_sensors_pass(swayed):
    assert checked(swayed, lambda raw: raw) == ()


def test_exchanged_force_sensors_are_named(swayed):
    found = checked(
        swayed, lambda raw: raw._replace(force_torque=raw.force_torque[::-1].copy())
    )
    assert found == ("the force sensors of the left and the right foot are exchanged",)


def test_a_force_sensor_turned_by_90_degrees_is_named(swayed):
    def inject(raw):
        wrench = raw.force_torque.copy()
        wrench[1] = wrench[1, [1, 0, 2, 4, 3, 5]] * [-1.0, 1.0, 1.0, -1.0, 1.0, 1.0]
        return raw._replace(force_torque=wrench)

    assert checked(swayed, inject) == (
        "the force sensor of the right foot is turned by 90 degrees about its z axis",
    )


def test_a_force_sensor_with_flipped_signs_is_named(swayed):
    def inject(raw):
        return raw._replace(force_torque=raw.force_torque * np.array([[-1.0], [1.0]]))

    assert checked(swayed, inject) == (
        "the force sensor of the left foot has the opposite sign (force and moment)",
    )


def test_a_force_sensor_that_reads_a_constant_is_named(swayed):
    held = swayed.raw[300].force_torque[0]

    def inject(raw):
        return raw._replace(force_torque=np.array([held, raw.force_torque[1]]))

    assert checked(swayed, inject) == (
        "the force sensor of the left foot reads a constant while the weight shifts",
    )


def test_an_imu_upside_down_is_named(swayed):
    (found,) = checked(
        swayed,
        lambda raw: raw._replace(imu=raw.imu * [1.0, -1.0, -1.0, 1.0, -1.0, -1.0]),
    )
    assert "upside down" in found


def test_an_imu_on_a_torso_that_turns_says_that_the_base_below_it_rests():
    humanoid = load_humanoid("talos")
    model = humanoid.model
    data = model.createData()
    frame = model.getFrameId(IMU)
    observer = HumanoidObserver(
        humanoid.robot, body_frames(model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
    )
    torso = humanoid.robot.joints.index("torso_1_joint")
    q = humanoid.standing()
    v = np.zeros(model.nv)
    a = np.zeros(model.nv)
    posture = humanoid.posture
    half = np.array([0.0, 0.0, 0.5 * humanoid.weight, 0.0, 0.0, 0.0])
    rest = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 9.81]] * 2)
    worst = np.zeros(3)
    turned = 0.3
    rate = 2.0 * np.pi
    for tick in range(1200):
        t = max(1e-3 * tick - 0.3, 0.0)
        q[7 + torso] = posture[torso] + turned * np.sin(0.5 * rate * t) ** 2
        v[6 + torso] = 0.5 * turned * rate * np.sin(rate * t)
        a[6 + torso] = 0.5 * turned * rate**2 * np.cos(rate * t) if t > 0.0 else 0.0
        pin.forwardKinematics(model, data, q, v, a)
        place = pin.updateFramePlacement(model, data, frame)
        felt = pin.getFrameClassicalAcceleration(
            model, data, frame
        ).linear + place.rotation.T @ [0.0, 0.0, 9.81]
        imu = np.hstack([pin.getFrameVelocity(model, data, frame).angular, felt])
        raw = RawReadings(
            stamp_ns=tick * 1_000_000,
            joint_position=q[7:].copy(),
            joint_velocity=v[6:].copy(),
            imu=imu,
            foot_imus=rest,
            force_torque=np.array([half, half]),
        )
        seen = observer.step(raw)
        upright = pin.Quaternion(seen.orientation_base_in_world).matrix()
        wrong = (
            np.abs(seen.linear_velocity_in_base).max(),
            np.abs(seen.angular_velocity_in_base).max(),
        )
        worst = np.maximum(worst, [*wrong, np.abs(upright - np.eye(3)).max()])
    assert worst == pytest.approx([0.0, 0.0, 0.0], abs=5e-3)


def learnt(humanoid, gyro_bias, seed, config=None, load=1.0, turning=0.0):
    """Bias about the vertical that an observer knows after standing, and what it is
    [rad/s]; a waist that turns."""
    rng = np.random.default_rng(seed)
    frames = body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
    observer = HumanoidObserver(humanoid.robot, frames, config)
    joints = humanoid.robot.joints
    for readings in islice(standing_readings(humanoid), 202):
        imu = readings.raw.imu.copy()
        velocity = readings.raw.joint_velocity.copy()
        imu[:3] += gyro_bias + INERTIAL["gyro_noise"] * rng.standard_normal(3)
        if turning:
            velocity[joints.index("torso_1_joint")] = turning
            imu[:3] += observer._frames.imu_turn.T @ [0.0, 0.0, turning]
        force_torque = load * readings.raw.force_torque
        observer.step(
            readings.raw._replace(
                imu=imu, joint_velocity=velocity, force_torque=force_torque
            )
        )
    base = observer._filter.state.base
    return (
        base.rotation[2] @ base.gyro_bias,
        base.rotation[2] @ observer._frames.imu_turn @ gyro_bias,
        base,
    )


@pytest.mark.parametrize("robot", ["talos", "g1"])
def test_a_robot_that_stands_learns_its_gyroscopes_bias_about_the_vertical_before_any_foot_twists(
    robot,
):
    """After 0.2 s, as well as so much noise lets."""
    humanoid = load_humanoid(robot)
    rng = np.random.default_rng(7)
    errors = []
    doubts = []
    for seed in range(12):
        known, true, base = learnt(humanoid, rng.uniform(-5e-3, 5e-3, 3), seed)
        errors.append(known - true)
        doubts.append(
            base.rotation[2] @ base.covariance[15:18, 15:18] @ base.rotation[2]
        )
    assert np.sqrt(doubts) == pytest.approx(1.7e-4 / np.sqrt(0.2), rel=0.05)
    assert 0.4 < np.mean(np.square(errors) / doubts) < 2.2


@pytest.mark.parametrize("config", [{"start_time": 0.0}, {"gyro_density": 0.01}])
def test_a_mean_that_says_little_leaves_the_doubt_as_it_was_and_no_noise_for_a_bias(
    config,
):
    known, _, base = learnt(
        load_humanoid("g1"), np.zeros(3), 3, FloatingBaseConfig(**config)
    )
    doubt = base.rotation[2] @ base.covariance[15:18, 15:18] @ base.rotation[2]
    assert doubt <= 5.001e-3**2
    assert abs(known) < 1e-3


def test_a_waist_that_turns_over_a_base_at_rest_is_no_bias_and_a_robot_that_hangs_learns_none():
    known, _, _ = learnt(load_humanoid("talos"), np.zeros(3), 0, turning=0.01)
    assert abs(known) < 2e-3
    known, true, _ = learnt(
        load_humanoid("g1"), np.array([0.0, 0.0, 4e-3]), 0, load=0.0
    )
    assert abs(known) < 0.2 * true


def test_a_turn_at_the_start_is_no_bias():
    known, true, _ = learnt(load_humanoid("g1"), np.array([0.0, 0.0, 0.05]), 0)
    assert true == pytest.approx(0.05, rel=0.01)
    assert abs(known) < 0.005

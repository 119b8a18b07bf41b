# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ground's wrench behind an ankle's force sensor: at rest in closed form, moving
against Pinocchio."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.humanoid_observer import (
    FootBody,
    FootImus,
    FootMotion,
    HumanoidObserver,
    Mount,
    body_frames,
    ground_wrench_in_sole,
    motion_then,
)
from biped_slip.estimation.readings import RawReadings
from biped_slip.robots.humanoid import FOOT_IMUS, FORCE_SENSORS, IMU, load_humanoid
from biped_slip.robots.robot import SOLES

G = 9.81


def foot(mass=1.5, seed=None):
    rng = np.random.default_rng(seed)
    if seed is None:
        return FootBody(
            mass=mass,
            centre_of_mass=np.array([0.02, 0.0, 0.03]),
            inertia=1e-3 * np.eye(3),
            sensor_rotation=np.eye(3),
            sensor_position=np.array([0.0, 0.0, 0.08]),
        )
    root = rng.normal(size=(3, 3))
    return FootBody(
        mass=mass,
        centre_of_mass=0.05 * rng.normal(size=3),
        inertia=1e-2 * root @ root.T,
        sensor_rotation=pin.exp3(rng.normal(size=3)),
        sensor_position=0.1 * rng.normal(size=3),
    )


def rest():
    return FootMotion(np.array([0.0, 0.0, G]), np.zeros(3), np.zeros(3))


def test_at_rest_the_ground_carries_what_the_ankle_feels_and_the_foots_weight_at_its_place():
    reading = np.array([12.0, -3.0, 300.0, 4.0, -6.0, 0.5])
    found = ground_wrench_in_sole(reading, foot(), rest())
    weight = 1.5 * G
    np.testing.assert_allclose(found[:3], [12.0, -3.0, 300.0 + weight])
    lever = np.cross([0.0, 0.0, 0.08], reading[:3]) + np.cross(
        [0.02, 0.0, 0.03], [0.0, 0.0, weight]
    )
    np.testing.assert_allclose(found[3:], reading[3:] + lever)


def test_in_free_flight_the_ankle_feels_the_foot_and_the_ground_nothing():
    """A foot that swings freely with the leg: its inertia is in the sensor, the
    ground's wrench is zero."""
    rng = np.random.default_rng(2)
    body = foot(seed=3)
    motion = FootMotion(
        rng.normal(size=3) + np.array([0.0, 0.0, G]),
        rng.normal(size=3),
        5.0 * rng.normal(size=3),
    )
    felt = sensed(np.zeros(6), body, motion)
    assert np.linalg.norm(felt) > 1.0
    np.testing.assert_allclose(
        ground_wrench_in_sole(felt, body, motion), 0.0, atol=1e-12
    )


def sensed(ground, body, motion):
    """What the sensor reads for a wrench of the ground (6,) in the sole, by Pinocchio's
    spatial algebra."""
    inertia = pin.Inertia(body.mass, body.centre_of_mass, body.inertia)
    velocity = pin.Motion(np.zeros(3), motion.angular_velocity)
    # the origin itself is at rest now
    spatial = pin.Motion(motion.specific_force, motion.angular_acceleration)
    needed = inertia * spatial + velocity.cross(inertia * velocity)
    at_sole = pin.Force(ground) - needed
    return pin.SE3(body.sensor_rotation, body.sensor_position).actInv(at_sole).vector


@pytest.mark.parametrize("seed", range(5))
def test_it_undoes_what_a_moving_foot_adds_by_an_independent_implementation(seed):
    rng = np.random.default_rng(seed)
    body = foot(mass=rng.uniform(0.3, 4.0), seed=seed)
    motion = FootMotion(
        10.0 * rng.normal(size=3), 3.0 * rng.normal(size=3), 20.0 * rng.normal(size=3)
    )
    ground = 100.0 * rng.normal(size=6)
    np.testing.assert_allclose(
        ground_wrench_in_sole(sensed(ground, body, motion), body, motion),
        ground,
        atol=1e-9,
    )


DT = 1e-3


def felt_by_imu(motion, mount):
    """Reading (6,) of an IMU in a sole that moves so, by the kinematics of a rigid
    body."""
    w = motion.angular_velocity
    arm = mount.position
    felt = (
        motion.specific_force
        + np.cross(motion.angular_acceleration, arm)
        + np.cross(w, np.cross(w, arm))
    )
    return np.concatenate([mount.rotation.T @ w, mount.rotation.T @ felt])


def pitching(tick):
    """A foot that lands: for 15 ms it pitches faster and faster, while the ground
    pushes it up and back."""
    alpha = np.array([3.0, 35.0, -8.0])
    return FootMotion(
        np.array([-6.0, 1.0, G + 4.0]) + 0.1 * tick, alpha * DT * tick, alpha
    )


def pushed(tick):
    """Wrench (6,) of the ground on it."""
    normal = 150.0 + 5.0 * tick
    return np.array([-0.1 * normal, 2.0, normal, 1.0, -0.05 * normal, 0.3])


def test_without_its_angular_acceleration_a_foot_reads_false_friction_by_the_lever_from_imu_to_mass():
    body = foot(seed=4)
    mount = Mount(pin.exp3(np.array([0.3, -1.0, 2.0])), np.array([0.04, -0.01, 0.06]))
    motion = pitching(7)
    before = pitching(6)
    now, then = (
        np.array([felt_by_imu(one, mount)] * 2) for one in (pitching(9), motion)
    )
    imus = FootImus(now, then, np.array([felt_by_imu(before, mount)] * 2))
    reading = sensed(pushed(7), body, motion)
    found = motion_then(imus, 1, mount, DT)
    np.testing.assert_allclose(np.concatenate(found), np.concatenate(motion), atol=1e-9)
    np.testing.assert_allclose(
        ground_wrench_in_sole(reading, body, found), pushed(7), atol=1e-9
    )
    blind = motion_then(imus._replace(before=then), 1, mount, DT)
    error = ground_wrench_in_sole(reading, body, blind)[:3] - pushed(7)[:3]
    alpha = motion.angular_acceleration
    np.testing.assert_allclose(
        error,
        body.mass * np.cross(alpha, mount.position - body.centre_of_mass),
        atol=1e-9,
    )
    assert np.linalg.norm(error) > 1.0


@pytest.mark.parametrize("age", [0, 1, 3])
def test_the_observer_takes_the_foots_motion_at_the_instant_of_its_late_force_sensor(
    age,
):
    """TALOS stands, then its left foot pitches: exact from the third sample of the
    motion on, that of the force."""
    humanoid = load_humanoid("talos")
    frames = body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
    config = FloatingBaseConfig(force_age=age * DT, start_time=0.01)
    observer = HumanoidObserver(humanoid.robot, frames, config)
    joints = humanoid.standing()
    upright = np.array([0.0, 0.0, G])
    imu = np.concatenate([np.zeros(3), frames.imu_turn.T @ upright])
    standing = np.array([0.0, 0.0, 0.5 * humanoid.weight, 0.0, 0.0, 0.0])

    def moves(tick):
        return rest() if tick < 0 else pitching(tick)

    def force(tick):
        return standing if tick < 0 else pushed(tick)

    for tick in range(-20, 15):
        felt = [
            felt_by_imu(one, mount)
            for one, mount in zip((moves(tick), rest()), frames.foot_imus, strict=True)
        ]
        late = tick - age
        wrenches = [
            sensed(wrench, body, motion)
            for wrench, body, motion in zip(
                (force(late), standing), frames.feet, (moves(late), rest()), strict=True
            )
        ]
        readings = observer.step(
            RawReadings(
                stamp_ns=round(1e6 * (tick + 20)),
                joint_position=joints,
                joint_velocity=np.zeros(len(joints)),
                imu=imu,
                foot_imus=np.array(felt),
                force_torque=np.array(wrenches),
            )
        )
        if late < 0 or late >= 2:
            found = readings.wrench_ground_on_foot_in_sole
            np.testing.assert_allclose(found, [force(late), standing], atol=1e-6)


def test_inertia_that_passes_the_sensors_low_pass_leaves_the_floors_forces_filtered_alike():
    """The floor stops a foot: with inertia that does not lag, the friction of its first
    milliseconds is lost."""
    humanoid = load_humanoid("talos")
    lag = 1.0 / (math.tau * 150.0)
    frames = body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
    joints = humanoid.standing()
    imu = np.concatenate([np.zeros(3), frames.imu_turn.T @ np.array([0.0, 0.0, G])])
    kept = math.exp(-DT / lag)
    still = np.zeros(3)

    def moves(tick):
        return FootMotion(
            np.array([30.0 if 0 <= tick < 8 else 0.0, 0.0, G]), still, still
        )

    def ground(tick):
        normal = 20.0 * min(max(tick, 0), 8)
        return np.array([0.8 * normal, 0.0, normal, 0.0, 0.0, 0.0])

    worst = {}
    for told in (lag, 0.0):
        observer = HumanoidObserver(
            humanoid.robot, frames, FloatingBaseConfig(force_lag=told, start_time=0.01)
        )
        shown = None
        ratios = []
        for tick in range(-20, 12):
            felt = np.array(
                [felt_by_imu(moves(tick), mount) for mount in frames.foot_imus]
            )
            true = np.array(
                [sensed(ground(tick), body, moves(tick)) for body in frames.feet]
            )
            shown = true if shown is None else true + kept * (shown - true)
            raw = RawReadings(
                stamp_ns=round(1e6 * (tick + 20)),
                joint_position=joints,
                joint_velocity=np.zeros(len(joints)),
                imu=imu,
                foot_imus=felt,
                force_torque=shown,
            )
            wrench = observer.step(raw).wrench_ground_on_foot_in_sole[0]
            ratios += [wrench[0] / wrench[2]] if tick > 0 else []
        worst[told] = np.abs(np.array(ratios) - 0.8).max()
    assert worst[lag] < 1e-6
    assert worst[0.0] > 0.2

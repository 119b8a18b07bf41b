# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ground's forces are held against what moves the body: wrong wrenches show, no
motion does."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.humanoid_health import no_carried_body
from biped_slip.estimation.residuals import (
    APART,
    FORCE_WINDOW,
    ground_balance,
    new_balance,
)
from biped_slip.estimation.signals import Balance, WatchedRobot, WatchLimits
from biped_slip.robots.humanoid import FORCE_SENSORS, IMU
from biped_slip.robots.model_functions import floating_functions

MASS = 40.0
DT = 1e-3
WEIGHT = MASS * GRAVITY
UP = np.array([0.0, 0.0, 1.0])


ROBOT = WatchedRobot(
    lower=np.zeros(0),
    upper=np.zeros(0),
    speed=np.zeros(0),
    effort=np.zeros(0),
    weight=WEIGHT,
    height=1.0,
    slope=0.0,
    force_offset=0.0,
)
LIMITS = WatchLimits(ROBOT, HealthConfig(imbalance=99.0, disagreeing_gain=0.0).packed)


def excesses(forces, felt, speeds, dt=DT):
    """Force (n, 3) along and across the weight that the motion does not explain, mean
    over some 50 ms [N]."""
    memory = new_balance()
    found = []
    none = np.zeros(3)
    for load, feels, speed in zip(forces, felt, speeds, strict=True):
        rows = (
            np.concatenate((each, none)) for each in (load, MASS * feels, MASS * speed)
        )
        ground_balance(memory, Balance(*rows, UP), LIMITS, dt)
        found.append(memory.account.sums[:3, APART] / FORCE_WINDOW)
    return np.array(found)


def swaying(n=4000):
    """Force, specific force and relative speed of a body whose mass moves about its
    IMU, which moves itself."""
    t = DT * np.arange(n)[:, None]
    # [m/s^2]
    base = np.hstack(
        [3.0 * np.sin(7.0 * t), 2.0 * np.cos(5.0 * t), 4.0 * np.sin(11.0 * t)]
    )
    speed = np.hstack(
        [0.2 * np.sin(9.0 * t), 0.1 * np.sin(3.0 * t), 0.15 * np.cos(6.0 * t)]
    )
    change = np.hstack(
        [1.8 * np.cos(9.0 * t), 0.3 * np.cos(3.0 * t), -0.9 * np.sin(6.0 * t)]
    )
    felt = base + GRAVITY * UP
    return MASS * (felt + change), felt, speed


def test_forces_that_move_the_body_leave_nothing():
    assert np.abs(excesses(*swaying())[500:]).max() < 2e-3 * WEIGHT


def test_what_a_wrench_says_too_much_stands_there_after_some_time_constants():
    forces, felt, speeds = swaying()
    for error in ([0.0, 0.0, 50.0], [0.0, 0.0, -50.0], [40.0, 30.0, 0.0]):
        wrong = (
            forces + np.where(np.arange(len(forces)) >= 2000, 1.0, 0.0)[:, None] * error
        )
        along, *across = excesses(wrong, felt, speeds)[
            2000 + round(6 * FORCE_WINDOW / DT)
        ]
        assert along == pytest.approx(error[2], abs=2.0)
        assert across == pytest.approx(error[:2], abs=2.0)


def test_without_the_motion_of_the_limbs_it_would_not_balance():
    forces, felt, speeds = swaying()
    assert np.abs(excesses(forces, felt, 0.0 * speeds)[500:]).max() > 0.05 * WEIGHT


@pytest.mark.parametrize("late", [20, 40])
def test_a_load_that_comes_late_is_an_excess_as_it_changes(late):
    """A foot takes over a body's weight in 100 ms; its force is told late."""
    n = 1000
    share = np.clip((np.arange(n) - 500) / 100.0, 0.0, 1.0)
    told = 1.0 - share + np.concatenate((np.zeros(late), share[:-late]))
    seen = excesses(
        told[:, None] * WEIGHT * UP, np.tile(GRAVITY * UP, (n, 1)), np.zeros((n, 3))
    )
    assert np.abs(seen[:500]).max() < 1e-9 * WEIGHT
    assert 0.6 * late / 100.0 < -seen[:, 0].min() / WEIGHT < late / 100.0


def test_the_length_of_a_tick_changes_little():
    forces, felt, speeds = swaying()
    forces = forces + np.array([0.0, 0.0, 60.0])
    every = excesses(forces, felt, speeds)
    third = excesses(forces[::3], felt[::3], speeds[::3], 3 * DT)
    assert np.abs(every[::3] - third)[200:].max() < 0.02 * WEIGHT


STILL_FEET = np.zeros((2, 6))


@pytest.fixture(scope="module")
def talos():
    from biped_slip.robots.humanoid import load_humanoid

    return load_humanoid("talos")


def carried(robot, position, velocity, imu, wrenches, foot_imus=STILL_FEET):
    """The body above the force sensors, as they say."""
    functions = floating_functions(robot)
    body = no_carried_body()
    functions.carried_body(
        functions.generated,
        (position, velocity, imu, wrenches, foot_imus),
        (*body.balance, *body[1:]),
    )
    return body


def test_a_humanoid_that_stands_is_carried_by_what_its_sensors_say(talos):
    from itertools import islice

    from biped_slip.walking.humanoid import standing_readings

    (readings,) = islice(standing_readings(talos), 1)
    raw = readings.raw
    balance = carried(
        talos.robot, raw.joint_position, raw.joint_velocity, raw.imu, raw.force_torque
    ).balance
    assert balance.load[:3] == pytest.approx(
        balance.carried[:3], abs=1e-6 * talos.weight
    )
    assert np.abs(balance.load[3:]).max() < 0.01 * talos.weight, (
        "half of the weight on each sensor, no moment: a cm off"
    )
    assert np.linalg.norm(balance.carried) < talos.weight - 1.0 * GRAVITY, (
        "the feet are not carried"
    )


@pytest.mark.parametrize("turning", [np.zeros(3), np.array([0.3, -0.4, 0.5])])
def test_the_carried_body_moves_as_its_differenced_positions_say(talos, turning):
    """The speed is the derivative of the way from IMU to centre of mass, of a base that
    turns, too."""
    rng = np.random.default_rng(3)
    joints = len(talos.robot.joints)
    position = talos.standing()[7:]
    velocity = 0.5 * rng.standard_normal(joints)
    model = talos.model.copy()
    for name in FORCE_SENSORS:
        model.inertias[model.frames[model.getFrameId(name)].parentJoint] = (
            pin.Inertia.Zero()
        )
    data, imu, step = model.createData(), model.getFrameId(IMU), 1e-6
    q, rates = (
        np.concatenate((pin.neutral(model)[:7], position)),
        np.concatenate((np.zeros(3), turning, velocity)),
    )

    def lever(time):
        moved = pin.integrate(model, q, time * rates)
        centre = pin.centerOfMass(model, data, moved).copy()
        return centre - pin.updateFramePlacement(model, data, imu).translation

    pin.forwardKinematics(model, data, q, rates)
    gyro = pin.getFrameVelocity(model, data, imu, pin.LOCAL).angular
    imu_reading = np.concatenate((gyro, np.zeros(3)))
    body = carried(
        talos.robot, position.copy(), velocity, imu_reading, np.zeros((2, 6))
    )
    assert body.turning == pytest.approx(turning, abs=1e-12)
    mass = sum(inertia.mass for inertia in model.inertias)
    assert body.balance.momentum[:3] / mass == pytest.approx(
        (lever(step) - lever(-step)) / (2.0 * step), abs=1e-6
    )


def test_the_velocity_between_base_and_feet_changes_as_their_accelerometers_say(talos):
    """Whatever the base does: it turns, is pushed, stands on no floor."""
    rng = np.random.default_rng(4)
    functions = floating_functions(talos.robot)
    step = 1e-5
    q = talos.standing()
    v = 0.5 * rng.standard_normal(talos.model.nv)
    acceleration = 3.0 * rng.standard_normal(talos.model.nv)
    swings = []
    for time in (-step, 0.0, step):
        there = pin.integrate(talos.model, q, time * v)
        rates = v + time * acceleration
        imu = np.zeros(6)
        foot_imus = np.zeros((2, 6))
        wrenches = np.zeros((2, 6))
        functions.sensor_readings(
            functions.generated,
            there,
            rates,
            acceleration,
            wrenches.copy(),
            imu,
            foot_imus,
            wrenches,
        )
        body = carried(
            talos.robot, there[7:].copy(), rates[6:].copy(), imu, wrenches, foot_imus
        )
        swings.append(body.swing.copy())
        if time == 0.0:
            pull = body.pull.copy()
    assert np.abs(pull).max() > 1.0
    np.testing.assert_allclose((swings[2] - swings[0]) / (2.0 * step), pull, atol=1e-3)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques that act late and joints that rub: led, predicted and compensated."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.control.actuation import (
    REVERSAL_TIME,
    ActuationConfig,
    FrictionState,
    MotorLead,
    MotorState,
    delay,
    friction_step,
    lead_compensated,
)
from biped_slip.control.supervisor import (
    Supervisor,
    SupervisorConfig,
    TickInput,
    TorqueLimits,
)
from biped_slip.control.whole_body.tasks import predicted

DT = 1e-3
LAG = 5e-3
LARGEST = np.array([100.0, 100.0])


def motor(torque, command, lag=LAG):
    """A motor of first order after one period, in closed form."""
    return command + (torque - command) * math.exp(-DT / lag)


def test_led_torques_reach_a_step_within_a_few_periods_where_the_motor_alone_needs_many():
    torque = np.zeros(2)
    plain = np.zeros(2)
    driven = MotorState(np.zeros(2), np.zeros(2))
    wanted = np.array([10.0, -5.0])
    for _ in range(3):
        driven = lead_compensated(driven, wanted, LARGEST, LAG, DT)
        torque = motor(torque, driven.command)
        plain = motor(plain, wanted)
    np.testing.assert_allclose(torque, (1.0 - math.exp(-3.0)) * wanted, rtol=1e-9)
    np.testing.assert_allclose(driven.torque, torque, rtol=1e-9)
    assert np.all(np.abs(plain) < 0.5 * np.abs(wanted))


def test_a_led_command_stays_inside_what_the_motors_can_give_and_the_prediction_knows_it():
    torque = np.zeros(2)
    driven = MotorState(np.zeros(2), np.zeros(2))
    for _ in range(4):
        driven = lead_compensated(driven, np.array([90.0, 90.0]), LARGEST, LAG, DT)
        torque = motor(torque, driven.command)
        assert np.all(driven.command <= LARGEST)
    np.testing.assert_allclose(driven.torque, torque, rtol=1e-9)


def test_the_supervisor_changes_no_command_of_motors_that_lag():
    rng = np.random.default_rng(5)
    limits = TorqueLimits(("one", "two"), LARGEST)
    motors = MotorLead(ActuationConfig(lag=5 * DT), LARGEST)
    supervisor = Supervisor(limits, SupervisorConfig())
    supervisor.start()
    changes = []
    for _ in range(500):
        wanted = rng.uniform(-1.0, 1.0, 2) * LARGEST
        before = supervisor.state.torques
        command = motors.command(wanted, DT)
        assert np.array_equal(
            supervisor.step(TickInput(command, np.zeros(2), True, None), DT), command
        )
        changes.append(
            np.max(np.abs(command - before * (before * command > 0.0)) / LARGEST)
        )
    assert max(changes) == pytest.approx(2.0 * DT / REVERSAL_TIME), (
        "the lead wanted to build up faster"
    )


@pytest.mark.parametrize(("lag", "dt"), [(0.0, DT), (LAG, 0.0)])
def test_without_lag_or_time_a_command_is_the_wanted_torque_to_the_last_bit(lag, dt):
    wanted = np.array([math.pi, -math.e])
    acting, command = lead_compensated(
        MotorState(np.array([1.0, 2.0]), np.zeros(2)), wanted, LARGEST, lag, dt
    )
    assert np.array_equal(command, wanted)
    assert np.array_equal(acting, wanted)


def test_a_motor_faster_than_a_period_is_not_slowed_down():
    driven = lead_compensated(
        MotorState(np.zeros(2), np.zeros(2)), np.array([10.0, 1.0]), LARGEST, 1e-4, DT
    )
    np.testing.assert_allclose(driven.command, [10.0, 1.0])


def test_motors_remember_what_acts_after_the_dead_time():
    motors = MotorLead(ActuationConfig(dead_time=2 * DT), LARGEST)
    assert motors.acting is None
    acted = []
    for k in range(5):
        motors.command(np.full(2, float(k)), DT)
        acted.append(motors.acting[0])
    assert acted == [
        0.0,
        0.0,
        0.0,
        1.0,
        2.0,
    ]  # the first commands act as given: nothing is known before them


def test_what_is_left_of_the_delay_is_age_dead_time_and_a_period_of_the_lag():
    assert delay(0.0, 0.0, 0.0, DT) == 0.0
    assert delay(LAG, 2e-3, 0.0, DT) == pytest.approx(3e-3)
    assert delay(LAG, 2e-3, 3e-3, 4 * DT) == pytest.approx(9e-3)


def test_friction_of_a_joint_is_found_from_its_motion_and_only_as_far_as_friction_goes():
    """A joint of inertia 2 under torque, rubbing with 3 N m: p' = tau - 3."""
    inertia = np.array([[2.0]])
    rubbing = 3.0
    torque = np.array([7.0])
    for largest, found in ((10.0, -rubbing), (1.0, -1.0)):
        state = FrictionState(np.zeros(1), np.zeros(1))
        speed = 0.0
        for _ in range(300):
            speed += DT * (torque[0] - rubbing) / inertia[0, 0]
            state = friction_step(
                state,
                np.array([speed]),
                torque,
                inertia,
                np.zeros(1),
                np.array([largest]),
                DT,
            )
        assert state.friction[0] == pytest.approx(found, rel=1e-6)


def test_a_model_that_explains_everything_leaves_no_friction():
    rng = np.random.default_rng(1)
    root = rng.normal(size=(8, 8))
    mass = root @ root.T + 8.0 * np.eye(8)
    bias = rng.normal(size=8)
    state = FrictionState(np.zeros(8), np.zeros(2))
    velocity = np.zeros(8)
    for _ in range(50):
        torque = rng.normal(size=2)
        velocity = velocity + DT * np.linalg.solve(
            mass, np.concatenate((np.zeros(6), torque)) - bias
        )
        state = friction_step(state, velocity, torque, mass, bias, LARGEST, DT)
    np.testing.assert_allclose(state.friction, 0.0, atol=1e-8)


def test_coordinates_are_predicted_as_pinocchio_integrates_them():
    model = pin.buildSampleModelHumanoid()
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
        v = rng.normal(size=model.nv)
        ours = predicted(q, v, 3e-3)
        theirs = pin.integrate(model, q, 3e-3 * v)
        # of second order in the time
        np.testing.assert_allclose(ours, theirs, atol=2e-5)

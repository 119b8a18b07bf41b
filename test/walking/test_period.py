# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The control period is a parameter: robots walk at 1, 2 and 4 ms, and what filters
know does not depend on it."""

import math
from collections import deque

import numpy as np
import pytest

from biped_slip.control.supervisor import joint_motion, no_past
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.planar_feet import (
    UNSEEN,
    Steadiness,
    differenced,
    steadiness,
)
from biped_slip.estimation.readings import whole_periods
from biped_slip.friction_estimation.rls import ThesisEstimator
from biped_slip.friction_estimation.settings import TouchdownConfig
from biped_slip.friction_estimation.touchdown import TouchdownEstimator
from biped_slip.friction_estimation.types import NO_MEASUREMENT, FootMeasurement
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.simulation.humanoid.world import FloatingWorld
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.simulation.planar.walk import run_walk

PERIODS = (1e-3, 2e-3, 4e-3)
WEIGHT = 900.0  # [N]


def walked(period):
    scenario = chosen_scenario("thesis_sensors", seed=11, period=period)
    assert scenario.walking.period == pytest.approx(period)
    assert scenario.plant.step_ns == chosen_scenario("thesis_sensors").plant.step_ns
    return run_walk(scenario, "touchdown", 11)


def test_the_planar_biped_walks_as_far_at_each_period_and_its_estimator_knows_the_floor():
    walks = [walked(period) for period in PERIODS]
    assert [walk.log.time[1] for walk in walks] == pytest.approx(PERIODS)
    assert not any(walk.summary.fell for walk in walks)
    way = [walk.log.q[-1, 0] - walk.log.q[0, 0] for walk in walks]
    assert way == pytest.approx([way[0]] * 3, rel=0.05)
    for walk in walks:
        known = walk.log.estimate("mu")
        errors = np.abs(known / walk.log.mu_true - 1.0)[
            np.isfinite(known) & (walk.log.normal > 0.3 * walk.log.weight)
        ]
        assert np.median(errors) < 0.1


@pytest.mark.parametrize("period", PERIODS)
def test_talos_walks_at_each_period(period):
    mapping = {
        **chosen_walk("talos", period=period).to_mapping(),
        "distance": 1.2,
        "patch": {"length": 0.0},
    }
    walk = HumanoidWalk(HumanoidWalkConfig.from_mapping(mapping), "touchdown", 5)
    walk.run()
    assert walk.world.plant.stamp_ns == round(1e9 * period) * walk.world.plant.ticks
    assert not walk.world.fell
    assert walk.world.log.q[walk.world.log.length - 1, 0] > 1.1


@pytest.mark.parametrize("period", PERIODS)
def test_the_push_of_a_walk_has_the_same_impulse_at_each_period(period, monkeypatch):
    mapping = {
        **chosen_walk("g1", period=period).to_mapping(),
        "push": {"force": 0.05, "duration": 0.2},
    }
    track = HumanoidTrack(HumanoidWalkConfig.from_mapping(mapping), 3)
    forces = []
    track.plant.state.q[0] = track.patch[1]
    monkeypatch.setattr(
        FloatingWorld,
        "advance",
        lambda self, torques, push: forces.append(np.sum(push)),
    )
    for _ in range(round(1.0 / period)):
        track.advance(np.zeros(0))
    assert abs(period * sum(forces)) == pytest.approx(
        0.05 * 0.2 * track.humanoid.weight
    )


def test_a_period_that_no_robot_can_be_controlled_at_is_refused():
    with pytest.raises(InvalidParameter, match=r"period is 0.1, but must be .*<= 0.01"):
        chosen_walk("talos", period=0.1)


def test_a_time_takes_whole_periods():
    assert [whole_periods(2e-3, period) for period in PERIODS] == [2, 1, 1]
    assert whole_periods(0.0, 1e-3) == 0
    assert whole_periods(2.02e-3, 1e-3) == 2  # which stamps are not exact to


def sliding_landing(mu, dt):
    """A foot whose load falls smoothly from a half sine while it slides at 0.2 m/s for
    40 ms, then stands."""
    for k in range(round(0.4 / dt)):
        time = k * dt - 0.2
        slides = 0.0 < time < 0.04
        load = (
            0.4 * WEIGHT * math.sin(math.pi * time / 0.04)
            if slides
            else 0.2 * WEIGHT * (time >= 0.04)
        )
        force = mu * load if slides else 0.3 * mu * load
        speed = -0.2 if time < 0.04 else 0.0
        yield FootMeasurement(
            stamp_ns=0,
            force_x=force,
            force_y=0.0,
            force_normal=load,
            displacement_x=0.0,
            displacement_y=0.0,
            velocity_x=speed,
            velocity_y=0.0,
            moment_normal=0.0,
            centre_of_pressure_x=0.0,
            centre_of_pressure_y=0.0,
            angular_rate=0.0,
        )


@pytest.mark.parametrize("period", PERIODS)
def test_a_touchdown_is_answered_alike_at_each_period(period):
    estimator = TouchdownEstimator(TouchdownConfig(residual_offset=0.3), WEIGHT)
    state = estimator.initial_state()
    for sample in sliding_landing(0.4, period):
        state, answer = estimator.step(state, sample, period)
    assert answer.mu == pytest.approx(0.4, abs=0.01)


def ramp(dt):
    """A block pulled by a force that grows until 95 % of its friction: ratio and
    velocity of a Dahl contact."""
    mu = 0.6
    s_p = 2e-3
    rate = 0.35
    for k in range(1, round(0.95 * mu / rate / dt)):
        u = k * dt * rate
        yield NO_MEASUREMENT._replace(
            force_x=-50.0 * u, force_normal=50.0, velocity_x=s_p / 3 * rate / (mu - u)
        )


def test_the_thesis_estimator_forgets_and_trusts_in_time_not_in_samples():
    raised = []
    weights = []
    for period in PERIODS:
        estimator = ThesisEstimator()
        state = estimator.initial_state()
        flags = []
        for sample in ramp(period):
            state, answer = estimator.step(state, sample, period)
            flags.append(answer.flag)
        raised.append(flags.index(True) * period)
        weights.append(period / state.p22)  # each sample stands for a period
    assert raised == pytest.approx([raised[0]] * 3, abs=PERIODS[-1])
    assert weights == pytest.approx([weights[0]] * 3, rel=0.1)


def responses(step, seconds=0.2):
    """The last value of a filter that is stepped at each period."""
    return [step(period, round(seconds / period)) for period in PERIODS]


def test_a_differenced_position_and_a_steady_speed_are_found_alike_at_each_period():
    def velocity(dt, count):
        state = UNSEEN
        for k in range(count):
            state, found = differenced(state, 0.3 * k * dt, dt)
        return found

    def steady(dt, count):
        state = Steadiness(0.0, 0.0, 0.0)
        for _ in range(count):
            state = steadiness(state, 0.3, True, 0.05, dt)
        return state.steady

    assert responses(velocity) == pytest.approx([0.3] * 3, rel=1e-3)
    assert responses(steady) == pytest.approx([steady(1e-3, 200)] * 3, abs=0.01)


def test_damped_velocities_are_differenced_over_the_same_time():
    """A velocity that is measured too fast is bounded by the way of the last
    milliseconds, in which it rises."""

    def damped(dt, count):
        past = no_past(1)
        limits = np.array([99.0])
        for k in range(count):
            _, velocity = joint_motion(
                *past,
                np.array([(k * dt) ** 2]),
                np.array([10.0]),
                limits,
                np.zeros(1),
                True,
                dt,
            )
        return velocity[0]

    assert responses(damped) == pytest.approx([damped(1e-3, 200)] * 3, rel=0.02)


def test_a_late_force_belongs_to_the_sample_of_that_age():
    from biped_slip.estimation.floating_base import FloatingBaseConfig
    from biped_slip.estimation.humanoid_observer import HumanoidObserver

    class Observer(HumanoidObserver):
        def __init__(self, age):
            self._config = FloatingBaseConfig(force_age=age)
            self._past = deque()

    for period in PERIODS:
        observer = Observer(2e-3)
        for k in range(9):
            imus = observer._foot_imus(
                round(1e9 * k * period), np.full((2, 6), float(k))
            )
        late = whole_periods(2e-3, period)
        assert [one[0, 0] for one in imus] == [8.0, 8.0 - late, 7.0 - late]

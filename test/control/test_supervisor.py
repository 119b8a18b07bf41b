# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a controller wants and whatever goes wrong, the joints get finite torques within limits, or damping."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.supervisor import (
    Demand,
    Mode,
    SupervisorConfig,
    TorqueLimits,
    asked_to_stop,
    idle,
    started,
    supervise,
)
from biped_slip.estimation.problem import Problem

CONFIG = SupervisorConfig()
LIMITS = TorqueLimits(("hip", "knee"), np.array([60.0, 40.0]))
DT = 1e-3
WELL = Demand(np.array([10.0, -5.0]), np.array([1.0, -2.0]), True, None)
LOST = Problem("stale input", "imu/data is late")
FALL = Problem("fall", "the base is down", severe=True)


def run(state, demand, ticks=1):
    for _ in range(ticks):
        state, torques = supervise(state, demand, LIMITS, CONFIG, DT)
    return state, torques


def walking():
    return run(started(idle(2)), WELL, 5)[0]


def test_without_a_start_the_torques_are_zero():
    state, torques = run(idle(2), WELL, 3)
    assert state.mode == Mode.IDLE
    assert not torques.any()


def test_what_is_wanted_passes_when_all_is_well():
    state, torques = run(started(idle(2)), WELL._replace(moving=False))
    assert state.mode == Mode.STANDING
    np.testing.assert_array_equal(torques, WELL.torques)
    assert run(state, WELL)[0].mode == Mode.WALKING


def test_a_problem_is_damped_at_once_and_survived_within_the_grace():
    state, torques = run(walking(), WELL._replace(problem=LOST))
    assert (state.mode, state.problem) == (Mode.SAFE_STOP, LOST)
    np.testing.assert_allclose(torques, -CONFIG.damping * WELL.velocity)
    state, torques = run(state, WELL)
    assert state.mode == Mode.WALKING
    np.testing.assert_array_equal(torques, WELL.torques)


@pytest.mark.parametrize(("problem", "ticks"), [(LOST, 51), (FALL, 1)])
def test_a_lasting_or_severe_problem_is_a_fault_until_recovery(problem, ticks):
    state, _ = run(walking(), WELL._replace(problem=problem), ticks)
    assert (state.mode, state.problem) == (Mode.FAULT, problem)
    state, _ = run(state, WELL, 10)
    assert (state.mode, state.problem) == (Mode.FAULT, problem)
    state, torques = run(started(state), WELL)
    assert state.mode == Mode.WALKING
    np.testing.assert_array_equal(torques, WELL.torques)


def test_a_problem_that_comes_back_every_second_tick_is_a_fault_in_the_end():
    state = walking()
    for _ in range(60):
        state, _ = run(state, WELL._replace(problem=LOST))
        state, _ = run(state, WELL)
    assert state.mode == Mode.FAULT


def test_the_damping_fades_to_exactly_zero():
    state, before = run(walking(), WELL._replace(problem=FALL))
    for _ in range(round(CONFIG.damping_time / DT) + 1):
        state, torques = run(state, WELL)
        assert np.all(np.abs(torques) <= np.abs(before) + 1e-12)
        before = torques
    assert not before.any()


def test_without_a_known_velocity_the_joints_are_let_go():
    for velocity in (None, np.array([math.nan, 1.0])):
        _, torques = run(walking(), Demand(None, velocity, True, LOST))
        assert not torques.any()


def test_a_stop_that_is_asked_for_damps_and_ends_idle():
    state, torques = run(asked_to_stop(walking()), WELL)
    assert state.mode == Mode.SAFE_STOP
    assert np.all(torques * WELL.velocity < 0.0)
    state, torques = run(state, WELL, round(CONFIG.damping_time / DT))
    assert state.mode == Mode.IDLE
    assert not torques.any()
    assert asked_to_stop(state) == state


def test_torques_that_are_not_finite_never_pass():
    state, torques = run(walking(), WELL._replace(torques=np.array([1.0, math.nan])))
    assert state.problem.name == "torque not finite"
    assert "knee" in state.problem.detail
    assert np.isfinite(torques).all()


def test_a_torque_that_wants_its_limit_for_long_is_a_fault():
    wanted = WELL._replace(torques=np.array([0.0, -40.0]))
    state, _ = run(walking(), wanted, 299)
    assert state.mode == Mode.WALKING
    state, _ = run(state, wanted, 3)
    assert (state.mode, state.problem.name) == (Mode.FAULT, "torque limit")


def test_a_full_reversal_takes_the_reversal_time():
    state = run(started(idle(2)), WELL._replace(torques=np.array([60.0, 40.0])), 5)[0]
    back = WELL._replace(torques=np.array([-60.0, -40.0]))
    torques = [run(state, back, ticks)[1] for ticks in (1, 2)]
    np.testing.assert_allclose(torques, [[-30.0, -20.0], [-60.0, -40.0]])


ANY = st.floats(allow_nan=True, allow_infinity=True)
PAIR = st.one_of(st.none(), st.tuples(ANY, ANY).map(np.array))
DEMANDS = st.builds(Demand, PAIR, PAIR, st.booleans(), st.sampled_from([None, None, LOST, FALL]))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(DEMANDS, st.floats(0.0, 0.1), st.sampled_from([None, started, asked_to_stop])), max_size=12))
def test_every_torque_is_finite_and_within_limits_and_rates_and_damps_when_stopped(ticks):
    state = started(idle(2))
    for demand, dt, act in ticks:
        state = act(state) if act else state
        before = state.torques
        state, torques = supervise(state, demand, LIMITS, CONFIG, dt)
        assert np.isfinite(torques).all()
        assert np.all(np.abs(torques) <= LIMITS.torques)
        build_up = np.abs(torques) - np.where(before * torques > 0.0, np.abs(before), 0.0)
        assert np.all(build_up <= 2.0 * dt / CONFIG.reversal_time * LIMITS.torques + 1e-9)
        if state.mode not in (Mode.STANDING, Mode.WALKING) and torques.any():  # damping: against the motion
            assert np.all(np.sign(torques) * np.sign(demand.velocity) <= 0.0)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever a controller wants and whatever goes wrong, the joints get finite torques
within limits, or damping."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.actuation import limited_torques
from biped_slip.control.supervisor import (
    POWER_TIME,
    SOLVER_TOLERANCE,
    Mode,
    Supervisor,
    SupervisorConfig,
    TickInput,
    TorqueLimits,
    all_within,
    driven_energy,
    idle,
    joint_beyond_limit,
    started,
    stop_requested,
    supervise,
)
from biped_slip.estimation.readings import Problem

CONFIG = SupervisorConfig()
LIMITS = TorqueLimits(("hip", "knee"), np.array([60.0, 40.0]))
DT = 1e-3
WELL = TickInput(np.array([10.0, -5.0]), np.array([1.0, -2.0]), True, None)
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
        _, torques = run(walking(), TickInput(None, velocity, True, LOST))
        assert not torques.any()


def test_a_stop_that_is_asked_for_damps_and_ends_idle():
    state, torques = run(stop_requested(walking()), WELL)
    assert state.mode == Mode.SAFE_STOP
    assert np.all(torques * WELL.velocity < 0.0)
    state, torques = run(state, WELL, round(CONFIG.damping_time / DT))
    assert state.mode == Mode.IDLE
    assert not torques.any()
    assert stop_requested(state) == state


def test_torques_that_are_not_finite_never_pass():
    state, torques = run(walking(), WELL._replace(torques=np.array([1.0, math.nan])))
    assert state.problem.name == "torque not finite"
    assert "knee" in state.problem.detail
    assert np.isfinite(torques).all()


def test_a_torque_that_wants_more_than_its_limit_for_long_is_a_fault():
    wanted = WELL._replace(torques=np.array([0.0, -40.1]))
    state, _ = run(walking(), wanted, 99)
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
TURNED = st.one_of(
    st.none(),
    st.tuples(ANY, ANY, ANY, ANY).map(lambda four: np.array(four).reshape(2, 2)),
)
INPUTS = st.builds(
    TickInput,
    PAIR,
    PAIR,
    st.booleans(),
    st.sampled_from([None, None, LOST, FALL]),
    TURNED,
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            INPUTS,
            st.floats(0.0, 0.1),
            st.sampled_from([None, started, stop_requested]),
        ),
        max_size=12,
    )
)
def test_every_torque_is_finite_and_within_limits_and_rates_and_damps_when_stopped(
    ticks,
):
    state = started(idle(2))
    for demand, dt, act in ticks:
        state = act(state) if act else state
        before = state.torques
        state, torques = supervise(state, demand, LIMITS, CONFIG, dt)
        assert np.isfinite(torques).all()
        assert np.all(np.abs(torques) <= LIMITS.torques)
        build_up = np.abs(torques) - np.where(
            before * torques > 0.0, np.abs(before), 0.0
        )
        assert np.all(
            build_up <= 2.0 * dt / CONFIG.reversal_time * LIMITS.torques + 1e-9
        )
        # damping: against the motion
        if state.mode not in (Mode.STANDING, Mode.WALKING) and torques.any():
            assert np.all(np.sign(torques) * np.sign(demand.velocity) <= 0.0)


@pytest.mark.parametrize("joint", [0, 1])
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_the_joint_whose_torque_is_not_finite_is_named_whichever_it_is(joint, wrong):
    torques = WELL.torques.copy()
    torques[joint] = wrong
    state, sent = run(walking(), WELL._replace(torques=torques))
    assert (state.mode, state.problem.name) == (Mode.SAFE_STOP, "torque not finite")
    assert LIMITS.joints[joint] in state.problem.detail
    assert np.isfinite(sent).all()


@pytest.mark.parametrize("joint", [0, 1])
def test_each_joint_may_want_more_than_its_limit_only_for_so_long(joint):
    torques = WELL.torques.copy()
    torques[joint] = -1.01 * LIMITS.torques[joint]
    state, _ = run(
        walking(), WELL._replace(torques=torques), round(CONFIG.limit_time / DT) + 2
    )
    assert (state.mode, state.problem.name) == (Mode.FAULT, "torque limit")
    assert LIMITS.joints[joint] in state.problem.detail


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_controller_that_answers_for_other_joints_is_damped(count):
    state, sent = run(walking(), WELL._replace(torques=np.ones(count)))
    assert (state.mode, state.problem.name) == (Mode.SAFE_STOP, "no torques")
    np.testing.assert_allclose(sent, -CONFIG.damping * WELL.velocity)


def test_the_damping_fades_evenly_to_nothing():
    config = SupervisorConfig(damping=3.0)
    state = walking()
    demand = WELL._replace(problem=FALL)
    for tick in range(400):
        state, torques = supervise(state, demand, LIMITS, config, DT)
        share = max(1.0 - tick * DT / config.damping_time, 0.0)
        np.testing.assert_allclose(torques, -3.0 * share * WELL.velocity, atol=1e-9)


def test_asking_again_does_not_begin_the_damping_again():
    state, _ = run(stop_requested(walking()), WELL, 100)
    assert stop_requested(state).stopped == state.stopped > 0.09
    state, _ = run(walking(), WELL._replace(problem=LOST), 20)
    assert stop_requested(state).stopped == state.stopped > 0.015


def test_torques_build_up_over_the_time_that_is_said_and_not_over_the_ticks():
    wanted = WELL._replace(torques=np.array([50.0, -30.0]))
    for build_up in (0.0, 1e-4, 5e-4):
        _, torques = supervise(started(idle(2)), wanted, LIMITS, CONFIG, DT, build_up)
        np.testing.assert_allclose(
            np.abs(torques), 2.0 * build_up / CONFIG.reversal_time * LIMITS.torques
        )


def test_a_supervisor_rests_before_the_start_and_once_a_fault_is_damped():
    supervisor = Supervisor(LIMITS, CONFIG)
    assert supervisor.resting
    supervisor.start()
    assert not supervisor.resting
    supervisor.step(WELL, DT)
    assert not supervisor.resting
    for _ in range(round(CONFIG.damping_time / DT)):
        supervisor.step(WELL._replace(problem=FALL), DT)
    assert not supervisor.resting
    supervisor.step(WELL, DT)
    supervisor.step(WELL, DT)
    assert supervisor.resting
    supervisor.start()
    supervisor.stop()
    assert supervisor.state.mode == Mode.SAFE_STOP
    supervisor.step(WELL._replace(velocity=None), DT)
    assert supervisor.resting


def test_a_torque_that_changes_sign_starts_from_zero_and_one_that_does_not_from_where_it_was():
    limits = np.array([10.0, 10.0, 10.0])
    step = 0.1
    sent = limited_torques(
        np.array([0.5, 0.5, -0.5]), np.array([9.0, -9.0, 0.8]), limits, step
    )
    np.testing.assert_allclose(sent, [1.5, -1.0, 0.8])
    small = limited_torques(
        np.array([0.5, 0.5, 0.0]), np.array([0.6, 0.0, 0.3]), limits, step
    )
    np.testing.assert_allclose(small, [0.6, 0.0, 0.3])
    reversed_ = limited_torques(
        np.array([3.0, -3.0]), np.array([-4.0, 4.0]), limits[:2], step
    )
    np.testing.assert_allclose(reversed_, [-1.0, 1.0])
    kept = limited_torques(np.array([0.5]), np.array([0.9]), limits[:1], 0.01)
    np.testing.assert_allclose(kept, [0.6], err_msg="from where it was")
    assert (
        limited_torques(np.array([0.5]), np.array([0.0]), limits[:1], 1e-3)[0] == 0.0
    ), "it may drop at once"


@pytest.mark.parametrize("value", [2.0, -2.0])
def test_a_value_is_within_its_limit_whatever_its_sign(value):
    assert all_within(np.array([value]), np.array([2.0]))
    assert not all_within(np.array([value, 0.0]), np.array([1.9, 1.0]))
    assert not all_within(np.array([math.nan]), np.array([2.0]))


def test_the_joint_at_its_limit_is_found_and_none_where_there_is_none():
    limits = np.array([2.0, 3.0])
    assert joint_beyond_limit(np.array([1.9, -2.9]), limits) == -1
    assert joint_beyond_limit(np.array([1.9, -3.0]), limits) == -1
    assert joint_beyond_limit(np.array([1.9, -3.001]), limits) == 1
    assert joint_beyond_limit(np.array([-2.0, math.nan]), limits) == 3
    assert joint_beyond_limit((1.0 + SOLVER_TOLERANCE) * limits, limits) == -1, (
        "what a solver may miss it by"
    )


def test_a_recovery_forgets_everything_and_a_walk_remembers_no_stop():
    fresh = (Mode.STANDING, None, 0.0, 0.0, 0.0, False)
    faulted, _ = run(walking(), WELL._replace(problem=FALL), 9)
    assert started(faulted)[:-2] == started(idle(2))[:-2] == fresh
    assert not np.any(started(faulted).energy)
    survived, _ = run(run(walking(), WELL._replace(problem=LOST), 9)[0], WELL)
    assert (survived.problem, survived.stopped, survived.at_limit) == (None, 0.0, 0.0)


def test_a_problem_may_last_for_the_grace_and_no_tick_longer():
    config = SupervisorConfig(grace=4 * 2.0**-10)
    tick = 2.0**-10
    state = started(idle(2))
    for _ in range(4):
        state, _ = supervise(state, WELL._replace(problem=LOST), LIMITS, config, tick)
        assert state.mode == Mode.SAFE_STOP
    state, _ = supervise(state, WELL._replace(problem=LOST), LIMITS, config, tick)
    assert state.mode == Mode.FAULT


@pytest.mark.parametrize(("good", "mode"), [(400, Mode.SAFE_STOP), (100, Mode.FAULT)])
def test_good_time_forgives_a_tenth_of_itself(good, mode):
    state, _ = run(walking(), WELL._replace(problem=LOST), 40)
    state, _ = run(state, WELL, good)
    assert run(state, WELL._replace(problem=LOST), 40)[0].mode == mode


@pytest.mark.parametrize(
    "trouble",
    [
        WELL._replace(problem=LOST),
        WELL._replace(torques=None),
        WELL._replace(torques=np.ones(3)),
        WELL._replace(torques=np.array([math.nan, 0.0])),
        WELL,
    ],
)
def test_whatever_comes_between_the_time_at_a_limit_begins_anew(trouble):
    wanted = WELL._replace(torques=np.array([0.0, -40.1]))
    state = walking()
    for _ in range(2):
        state, _ = run(state, wanted, 99)
        assert state.mode == Mode.WALKING
        state, _ = run(state, trouble)
    assert run(state, wanted, 98)[0].mode == Mode.WALKING


def test_a_torque_may_want_more_than_its_limit_for_the_time_at_the_limit_and_no_tick_longer():
    config = SupervisorConfig(limit_time=4 * 2.0**-10)
    tick = 2.0**-10
    state = started(idle(2))
    modes = []
    for _ in range(5):
        state, _ = supervise(
            state, WELL._replace(torques=np.array([70.0, 0.0])), LIMITS, config, tick
        )
        modes.append(state.mode)
    assert modes == [Mode.WALKING] * 4 + [Mode.FAULT]


def test_the_damping_time_is_over_to_the_tick():
    config = SupervisorConfig(damping_time=4 * 2.0**-10)
    tick = 2.0**-10
    state = stop_requested(walking())
    modes = []
    for _ in range(4):
        state, _ = supervise(state, WELL, LIMITS, config, tick)
        modes.append(state.mode)
    assert modes == [Mode.SAFE_STOP] * 3 + [Mode.IDLE]
    supervisor = Supervisor(LIMITS, config)
    resting = []
    supervisor.start()
    for _ in range(5):
        supervisor.step(WELL._replace(problem=FALL), tick)
        resting.append(supervisor.resting)
    assert resting == [False] * 4 + [True]


def test_work_is_torque_times_way_and_forgotten_within_fifty_milliseconds():
    energy = driven_energy(
        np.array([1.0, 0.0]),
        np.array([10.0, -5.0]),
        np.array([[0.01, 0.01], [0.02, -0.02]]),
        5e-3,
    )
    np.testing.assert_allclose(
        energy, [0.8 + 0.2, 0.1], err_msg="the account that means more work counts"
    )
    np.testing.assert_allclose(
        driven_energy(energy, np.zeros(2), np.full((2, 2), math.nan), POWER_TIME), 0.0
    )
    late = driven_energy(energy, np.full(2, 10.0), np.full((2, 2), 2.0), 0.4)
    np.testing.assert_allclose(
        late / POWER_TIME, 20.0 / 0.4, err_msg="a stall's work is spread over the stall"
    )


@pytest.mark.parametrize("account", [0, 1])
@pytest.mark.parametrize("joint", [0, 1])
def test_a_joint_that_is_driven_with_too_much_power_for_fifty_milliseconds_is_damped_whatever_the_cause(
    joint, account
):
    limits = LIMITS._replace(power=50.0)
    turned = np.zeros((2, 2))
    torques = np.where(np.arange(2) == joint, 20.0, 0.0)
    state = walking()
    demand = WELL._replace(torques=torques)
    state, _ = run(state, demand, 20)
    for power, mode in (
        (49.0, Mode.WALKING),
        (-200.0, Mode.WALKING),
        (100.0, Mode.FAULT),
    ):
        turned[account, joint] = power * DT / 20.0
        turned[1 - account, joint] = min(turned[account, joint], 0.0)
        for _ in range(100):
            state, sent = supervise(
                state, demand._replace(turned=turned.copy()), limits, CONFIG, DT
            )
        assert state.mode == mode
    assert state.problem.name == "joint power"
    assert LIMITS.joints[joint] in state.problem.detail
    assert np.all(sent * WELL.velocity <= 0.0)


@pytest.mark.parametrize(
    ("limits", "seconds"), [(0.99, math.inf), (1.2, 0.045), (2.0, 0.018), (5.0, 0.006)]
)
def test_a_fifth_more_power_than_allowed_is_stopped_within_fifty_milliseconds_and_much_more_sooner(
    limits, seconds
):
    energy = np.zeros(1)
    ticks = 0
    while energy[0] <= POWER_TIME and ticks < 1000:
        energy = driven_energy(energy, np.ones(1), np.full((2, 1), limits * DT), DT)
        ticks = ticks + 1
    assert (
        ticks * DT == pytest.approx(seconds, abs=0.002)
        if seconds < 1.0
        else ticks == 1000
    )


def test_after_trouble_a_joint_gets_less_power_and_as_before_once_that_is_forgiven():
    limits, wanted = (
        LIMITS._replace(power=50.0),
        WELL._replace(torques=np.array([20.0, 0.0])),
    )
    driven = wanted._replace(turned=np.full((2, 2), 45.0 * DT / 20.0) * [1.0, 0.0])

    def supervised(state, demand, ticks):
        for _ in range(ticks):
            state, _ = supervise(state, demand, limits, CONFIG, DT)
        return state

    troubled = supervised(walking(), WELL._replace(problem=LOST), 40)
    assert supervised(troubled, driven, 200).problem.name == "joint power"
    assert (
        supervised(supervised(troubled, wanted, 500), driven, 200).mode == Mode.WALKING
    )

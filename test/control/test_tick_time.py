# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Torques build up over time that has passed by both clocks; a stall is ridden through,
named, or a fault."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.supervisor import (
    SupervisorConfig,
    TickInput,
    TorqueLimits,
    idle,
    started,
    supervise,
)
from biped_slip.control.tick_time import (
    MOST_PERIODS,
    OwnStall,
    Steady,
    TimeState,
    tick_time,
)

CONFIG = SupervisorConfig()
PERIOD = 1e-3
LONGEST = 0.5
LIMITS = TorqueLimits(("hip",), np.array([60.0]))


def ticks(stamps, clock=None, stalls=None):
    """What each reading stands for; times in milliseconds."""
    state = TimeState()
    told = []
    for k, stamp in enumerate(stamps):
        steady = (
            None
            if clock is None
            else Steady(1e-3 * clock[k], 1e-3 * stalls[k] if stalls else 0.0)
        )
        state, tick = tick_time(
            state, round(1e6 * stamp), steady, PERIOD, LONGEST, CONFIG
        )
        told.append(tick)
    return told


@pytest.mark.parametrize("clock", [None, [0, 1, 2, 3]])
def test_with_even_ticks_both_times_are_the_period(clock):
    for tick in ticks([5, 6, 7, 8], clock):
        assert tick.control == pytest.approx(PERIOD)
        assert tick.build_up == pytest.approx(PERIOD)
        assert tick.problem is None


def test_the_longest_step_says_nothing_any_more():
    assert ticks([0, 1e3 * LONGEST])[-1].control == PERIOD
    assert ticks([0, 1e3 * LONGEST - 1])[-1].control == pytest.approx(LONGEST - 1e-3)


def test_in_lockstep_the_build_up_is_the_control_time_to_the_last_bit():
    for tick in ticks([0, 1, 2, 3]):
        assert tick.build_up == tick.control


@pytest.mark.parametrize("clock", [None, [0, 1, 2]])
@pytest.mark.parametrize(("jump", "severe"), [(30, False), (60, True), (400, True)])
def test_stamps_that_run_ahead_are_named_and_give_torques_no_time(clock, jump, severe):
    tick = ticks([0, 1, 1 + jump], clock)[-1]
    assert (tick.problem.name, tick.problem.severe) == ("stamp gap", severe)
    assert f"{jump - 1} ms" in tick.problem.detail
    assert tick.build_up <= MOST_PERIODS * PERIOD


@pytest.mark.parametrize(
    ("stall", "severe"), [(5, None), (19, None), (30, False), (50, True), (450, True)]
)
def test_an_own_stall_is_ridden_through_or_named_and_gives_torques_no_time(
    stall, severe
):
    tick = ticks([0, 1, 1 + stall], [0, 1, 1 + stall], [0, 0, stall])[-1]
    assert (None if tick.problem is None else tick.problem.severe) == severe
    assert tick.problem is None or (
        tick.problem.name == "own stall" and f"{stall} ms" in tick.problem.detail
    )
    assert tick.build_up <= MOST_PERIODS * PERIOD


def test_what_happened_before_the_first_reading_is_no_stall():
    assert ticks([0], [0], [900])[0].problem is None


def test_stamps_that_run_faster_than_the_steady_clock_let_torques_build_up_by_the_clock():
    told = ticks([0, 1, 2, 3, 4], [0, 0.1, 0.2, 0.3, 0.4])
    assert [tick.build_up for tick in told[1:]] == pytest.approx([1e-4] * 4)
    assert [tick.control for tick in told[1:]] == pytest.approx([1e-3] * 4)


def dyadic_ticks(stamps, clock, stalls=None, period=0.25, clock_rate=0.125):
    """What each reading stands for, at times [s] of which floating point knows every
    digit."""
    config = SupervisorConfig(
        ridden_stall=0.25, longest_stall=0.5, clock_rate=clock_rate
    )
    state = TimeState()
    told = []
    for k, stamp in enumerate(stamps):
        steady = Steady(clock[k], stalls[k] if stalls else 0.0) if clock else None
        state, tick = tick_time(
            state, round(1e9 * stamp), steady, period, 100.0, config
        )
        told.append(tick)
    return told


def test_a_stall_as_long_as_may_be_ridden_through_is_and_one_of_the_longest_is_a_fault():
    times = [0.0, 0.25, 0.5]
    named = [
        dyadic_ticks(times, times, [0.0, 0.0, stall])[-1].problem
        for stall in (0.25, 0.375, 0.5)
    ]
    assert [problem and problem.severe for problem in named] == [None, False, True]


@pytest.mark.parametrize("clock", [None, [0.0, 0.25]])
def test_stamps_ahead_by_as_much_as_may_be_ridden_through_are_and_by_the_longest_stall_they_are_a_fault(
    clock,
):
    named = [
        dyadic_ticks([0.0, 0.25 + ahead], clock, clock_rate=100.0)[-1].problem
        for ahead in (0.25, 0.375, 0.5)
    ]
    assert [problem and problem.severe for problem in named] == [None, False, True]


def test_the_clocks_are_compared_as_soon_as_half_a_second_has_passed_and_another_rate_is_a_fault():
    told = dyadic_ticks([0.0, 0.0625, 0.125], [0.0, 0.125, 0.375], period=0.125)
    assert [tick.problem for tick in told[:2]] == [None, None]
    assert (told[2].problem.name, told[2].problem.severe) == ("clock rate", True)


@pytest.mark.parametrize(
    ("stamped", "wrong"), [(0.875, False), (0.75, True), (1.125, False), (1.25, True)]
)
def test_the_largest_share_by_which_a_clock_may_run_wrong_is_believed(stamped, wrong):
    """Stamps so many times the steady clock, which ticks every second."""
    told = dyadic_ticks([0.0, stamped], [0.0, 1.0], period=1.0)[-1]
    assert (told.problem is not None and told.problem.name == "clock rate") == wrong


def test_readings_that_come_in_bunches_lose_no_time():
    clock = [0, 1.9, 2.0, 3.9, 4.0]
    assert sum(tick.build_up for tick in ticks(range(5), clock)[1:]) == pytest.approx(
        4e-3
    )


TIMES = st.one_of(
    st.floats(-1e12, 1e12), st.sampled_from([math.nan, math.inf, -math.inf])
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**9), st.floats(0.0, 1.0), st.sampled_from([-60.0, 60.0])
        ),
        max_size=30,
    )
)
def test_whatever_the_clocks_say_a_torque_builds_up_by_no_more_than_steady_time_allows(
    steps,
):
    """From stand to any tick: twice the limit a reversal time, and what two periods
    allow on top."""
    time = TimeState()
    control = 0
    now = 0.0
    torques = np.zeros(1)
    built = 0.0
    start = None
    state = started(idle(1))
    for ahead, pause, wanted in steps:
        control = control + ahead
        now = now + pause
        start = now if start is None else start
        time, tick = tick_time(time, control, Steady(now, 0.0), PERIOD, LONGEST, CONFIG)
        before = torques
        inputs = TickInput(np.array([wanted]), np.zeros(1), True, None)
        state, torques = supervise(
            state, inputs, LIMITS, CONFIG, tick.control, tick.build_up
        )
        built += max(
            0.0,
            abs(torques[0]) - (abs(before[0]) if before[0] * torques[0] > 0.0 else 0.0),
        )
        allowed = (
            2.0
            / CONFIG.reversal_time
            * (now - start + (1 + MOST_PERIODS) * PERIOD)
            * LIMITS.torques[0]
        )
        assert built <= allowed + 1e-6


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(-(10**19), 10**19), TIMES, TIMES), max_size=10))
def test_no_time_whatsoever_makes_a_tick_without_a_finite_time(steps):
    state = TimeState()
    for stamp, now, stall in steps:
        state, tick = tick_time(
            state, stamp, Steady(now, stall), PERIOD, LONGEST, CONFIG
        )
        assert 0.0 < tick.control < LONGEST
        assert 0.0 <= tick.build_up <= MOST_PERIODS * PERIOD


def test_a_loop_that_waits_or_works_loses_no_time_and_one_that_stands_still_does():
    loop = OwnStall(tolerance=0.002)
    loop.waits(0.0, 0.004)
    loop.looks(7.0)  # nothing has been answered yet
    loop.answers(7.0)
    loop.waits(7.001, 0.004)  # a millisecond of work
    loop.looks(7.105)  # the process was stopped for a tenth of a second
    assert loop.longest == pytest.approx(0.1)
    assert loop.lost == pytest.approx(0.1)
    loop.answers(7.105)
    loop.waits(7.105, 0.004)
    loop.looks(7.107)  # a message came
    assert (loop.lost, loop.longest) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("rate", "wrong"),
    [(0.05, True), (0.1, True), (0.6, False), (1.4, False), (2.0, True), (4.0, True)],
)
def test_stamps_of_another_rate_than_the_clock_are_named_within_a_second(rate, wrong):
    clock = np.arange(1000)
    named = [
        tick.problem is not None and tick.problem.name
        for tick in ticks(rate * clock, clock)
    ]
    assert any(named) == wrong
    assert set(named) <= {False, "clock rate"}
    assert not any(named[:499])


def test_a_clock_that_runs_rightly_again_is_believed_again():
    clock = np.arange(2200.0)
    stamps = np.where(clock < 600, 2.0 * clock, clock + 600.0)
    named = [tick.problem is not None for tick in ticks(stamps, clock)]
    assert any(named[500:1100])
    assert not any(named[1600:])


def test_before_the_first_answer_a_loop_loses_nothing_however_long_it_stands():
    loop = OwnStall(2e-3)
    for now in (0.0, 1.0, 5.0):
        loop.waits(now, 1e-3)
        loop.looks(now + 0.5)
    assert (loop.lost, loop.longest) == (0.0, 0.0)
    loop.answers(10.0)
    loop.waits(10.001, 1e-3)
    loop.looks(10.1)
    assert loop.lost == loop.longest == pytest.approx(0.098)
    loop.waits(10.15, 1e-3)
    assert loop.lost == pytest.approx(0.148)
    assert loop.longest == pytest.approx(0.098)
    loop.reset()
    assert (loop.lost, loop.longest) == (0.0, 0.0)
    loop.looks(20.0)
    assert (loop.lost, loop.longest) == (0.0, 0.0)


def test_a_loop_may_take_its_tolerance_and_what_is_longer_is_lost_as_a_whole():
    loop = OwnStall(tolerance=0.25)
    loop.answers(1.0)
    loop.looks(1.25)
    assert loop.lost == 0.0
    loop.looks(1.75)
    assert loop.lost == 0.5

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ticks of a robot's counter become evenly spaced times of our clock, whatever the
network does; missing, repeated and new ticks are named."""

import numpy as np
import pytest

from biped_slip.robots.unitree.ticks import (
    LEARNT,
    LOST_MESSAGE,
    RESTARTED,
    STALE,
    UNKNOWN_TICKS,
    WRAP,
    TickClock,
    ticked,
)

PERIOD = 2_000_000  # [ns] of the robot's messages
BEGIN = 1_700_000_000_000_000_000  # [ns] our clock's first time
KNOWN = LEARNT + 1  # messages after which there are stamps


def heard(ticks, arrivals, clock=UNKNOWN_TICKS):
    """Every answer to messages, and the clock after them."""
    answers = []
    for tick, arrival in zip(ticks, arrivals, strict=True):
        clock, answer = ticked(clock, int(tick) % WRAP, int(arrival))
        answers.append(answer)
    return answers, clock


def messages(count, first=1000, step=2, delays=None, rate=1.0):
    ticks = first + step * np.arange(count)
    arrivals = BEGIN + np.round(rate * PERIOD * np.arange(count)).astype(int)
    return ticks, arrivals if delays is None else arrivals + delays


def stamps(answers):
    return np.array([one.stamp_ns for one in answers if one.stamp_ns is not None])


@pytest.mark.parametrize("step", [2, 1])
def test_stamps_are_evenly_spaced_though_messages_are_delayed(step):
    """Two ticks of 1 ms a message, or one of 2 ms: stamps are 2 ms apart and no later
    than the arrival, where arrivals scatter by 0.3 ms."""
    rng = np.random.default_rng(1)
    delays = rng.exponential(3e5, 2000).astype(int)
    ticks, arrivals = messages(2000, step=step, delays=delays)
    answers, clock = heard(ticks, arrivals)
    found = stamps(answers)
    assert len(found) == 2000 - LEARNT
    assert clock.unit_ns == PERIOD // step
    gaps = np.diff(found[200:])
    assert np.diff(arrivals).std() > 4e5
    assert gaps.std() < 2e4
    assert np.abs(gaps - PERIOD).max() < 1e5
    assert (found <= arrivals[LEARNT:]).all()
    assert (arrivals[LEARNT:] - found)[200:].min() < 1e5
    assert clock.lost == 0


@pytest.mark.parametrize("rate", [0.999, 1.001, 1.01])
def test_a_clock_of_another_rate_is_followed(rate):
    answers, _ = heard(*messages(5000, rate=rate))
    found = stamps(answers)
    assert np.diff(found).min() > 0
    last = BEGIN + rate * PERIOD * 4999
    assert abs(found[-1] - last) < 1.1 * PERIOD
    assert not any(one.fault for one in answers)


def test_messages_that_waited_at_the_start_do_not_decide_the_unit():
    """Sixteen of the first messages come at once: their mean would be 0.84 ms."""
    ticks, arrivals = messages(1000)
    arrivals[:16] = arrivals[16]
    _, clock = heard(ticks, arrivals)
    assert clock.unit_ns == 1_000_000


def test_a_counter_of_an_unknown_unit_is_followed_by_its_mean():
    _, clock = heard(*messages(3000, step=7))
    assert clock.unit_ns == pytest.approx(PERIOD / 7, rel=0.01)


def test_missing_messages_are_counted_and_the_state_is_taken():
    ticks, arrivals = messages(400)
    there = np.delete(np.arange(400), [200, 300, 301])
    answers, clock = heard(ticks[there], arrivals[there])
    assert [one.fault for one in answers if one.fault] == [LOST_MESSAGE, LOST_MESSAGE]
    assert clock.lost == 3
    assert len(stamps(answers)) == len(there) - LEARNT


def test_jitter_of_a_counter_is_no_missing_message():
    """Ticks of 1 ms that are read a little early or late: steps of 1, 2 and 3."""
    rng = np.random.default_rng(5)
    ticks, arrivals = messages(2000)
    jitter = rng.integers(0, 2, 2000)
    answers, clock = heard(ticks + jitter, arrivals)
    assert clock.lost == 0
    assert not any(one.fault for one in answers)


def test_a_repeated_tick_is_no_new_state():
    ticks, arrivals = messages(KNOWN + 2)
    ticks[-1] = ticks[-2]
    answers, clock = heard(ticks, arrivals)
    assert answers[-1].fault == STALE
    assert answers[-1].stamp_ns is None
    assert clock.tick == ticks[-2]


def test_the_counter_may_wrap():
    ticks, arrivals = messages(400, first=WRAP - 500)
    answers, clock = heard(ticks, arrivals)
    assert not any(one.fault for one in answers)
    assert (np.diff(stamps(answers)) > 0).all()
    assert clock.lost == 0


def test_a_restarted_robot_is_learnt_anew_and_stamps_still_rise():
    ticks, arrivals = messages(600)
    ticks[300:] = 2 * np.arange(300)
    answers, _ = heard(ticks, arrivals)
    assert [one.fault for one in answers if one.fault] == [RESTARTED]
    found = stamps(answers)
    assert len(found) == 600 - 2 * LEARNT
    assert (np.diff(found) > 0).all()


def test_a_clock_that_is_set_by_a_second_is_learnt_anew():
    ticks, arrivals = messages(600)
    arrivals[300:] += 1_000_000_000
    answers, clock = heard(ticks, arrivals)
    assert [one.fault for one in answers if one.fault] == [RESTARTED]
    assert abs(clock.stamp_ns - arrivals[-1]) < PERIOD


GIVEN = TickClock(given_ns=1_000_000)


@pytest.mark.parametrize("rate", [8.0, 0.25])
def test_a_given_unit_makes_the_times_of_a_simulation_whatever_its_speed(rate):
    """Eight times slower than the clock with pauses, or four times faster: stamps are
    2 ms apart, for so far the ticks are, and no jump of half a second begins anew."""
    delays = np.zeros(2000, dtype=int)
    delays[900:] += 3_000_000_000
    answers, clock = heard(*messages(2000, rate=rate, delays=delays), GIVEN)
    found = stamps(answers)
    assert len(found) == 2000 - LEARNT
    assert (np.diff(found) == PERIOD).all()
    assert clock.lost == 0
    assert not any(one.fault for one in answers)


def test_a_simulation_that_waits_repeats_its_tick_without_a_fault():
    """The vendor's simulator writes by the clock, and says its time again where the
    physics have not moved on."""
    ticks, arrivals = messages(400)
    answers, clock = heard(np.repeat(ticks, 3), np.repeat(arrivals, 3), GIVEN)
    assert not any(one.fault for one in answers)
    assert (np.diff(stamps(answers)) == PERIOD).all()
    assert clock.lost == 0


def test_a_simulation_that_begins_anew_or_loses_messages_is_named_with_a_given_unit():
    ticks, arrivals = messages(900)
    ticks[600:] = 2 * np.arange(300)
    there = np.delete(np.arange(900), [300])
    answers, clock = heard(ticks[there], arrivals[there], GIVEN)
    faults = [one.fault for one in answers if one.fault]
    assert faults == [LOST_MESSAGE, RESTARTED]
    assert clock.lost == 1
    assert (np.diff(stamps(answers)) > 0).all()

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pace: which commands are walked, how fast changes are followed, when it stands."""

import numpy as np
import pytest
from planar_postures import resting

from biped_slip.control.planar.gait import (
    DOUBLE_SUPPORT,
    LEFT_SWING,
    RIGHT_SWING,
    GaitConfig,
    GaitState,
    wants_to_lift,
)
from biped_slip.control.planar.pace import (
    PRESSURE_EDGE,
    SETTLED,
    Pace,
    can_stand,
    next_pace,
    stands,
)

GAIT = GaitConfig()
PACKED = GAIT.packed
DT = 1e-3
RATE = 3.7  # [1/s]


def posture(hip=0.0, speed=0.0, feet=(0.3, -0.3)):
    return resting(hip, speed, feet)


LANDED = GaitState(
    phase=DOUBLE_SUPPORT,
    time=0.0,
    lift_s=0.0,
    lift_n=0.0,
    target_s=0.0,
    swing_time=0.5,
)
STANDS = Pace(0.0)


def after(pace, command, phase=DOUBLE_SUPPORT, at=None, rate=0.0, time=0.0):
    state = LANDED._replace(phase=phase, time=time)
    return next_pace(pace, command, state, at or posture(), rate, PACKED, DT)


@pytest.mark.parametrize("rate", [0.0, RATE])
@pytest.mark.parametrize("command", [0.5, 0.7, 2.0])
def test_the_first_command_is_followed_at_once_and_a_constant_one_for_ever(
    command, rate
):
    pace = Pace()
    for _ in range(100):
        pace = after(pace, command, rate=rate)
        assert pace == Pace(command, 0.0)


@pytest.mark.parametrize("phase", [LEFT_SWING, RIGHT_SWING])
@pytest.mark.parametrize("command", [-1.0, 0.0, 0.1, 0.5, 2.0])
def test_a_step_that_is_under_way_ends_as_it_began(phase, command):
    assert after(Pace(0.8), command, phase).speed == 0.8


@pytest.mark.parametrize("command", [0.0, -0.5, GAIT.walking_speed])
def test_a_command_of_no_speed_backwards_or_too_slow_to_walk_is_to_stand(command):
    pace = after(Pace(0.5), command)
    assert pace == Pace(0.0, 0.0)
    assert stands(DOUBLE_SUPPORT, pace)
    assert not stands(LEFT_SWING, pace)


def test_no_change_of_command_is_followed_faster_than_the_gait_can():
    rng = np.random.default_rng(1)
    pace = Pace(0.5)
    for _ in range(2000):
        before = pace.speed
        pace = after(pace, rng.uniform(GAIT.stride_speed, 2.0))
        assert abs(pace.speed - before) <= GAIT.speed_change * DT + 1e-12
        assert pace.speed >= GAIT.stride_speed


def test_a_changed_command_is_reached_after_its_difference_over_the_rate_of_change():
    pace = Pace(0.5)
    ticks = 0
    while pace.speed != 0.8:
        pace = after(pace, 0.8)
        ticks += 1
    assert ticks == pytest.approx(0.3 / GAIT.speed_change / DT, abs=1)


@pytest.mark.parametrize("hip", [-0.2, 0.0, 0.1])
def test_a_pendulum_can_stand_if_its_capture_point_is_behind_the_front_foot(hip):
    """From the fastest speed that can be held, the hip comes to rest over a centre of
    pressure at the edge: x' = -rate (x - edge) is its stable part."""
    edge = 0.3 - PRESSURE_EDGE * 0.6
    fastest = RATE * (edge - hip)
    assert can_stand(STANDS, LANDED, posture(hip, 0.99 * fastest), RATE, PACKED)
    assert not can_stand(STANDS, LANDED, posture(hip, 1.01 * fastest), RATE, PACKED)
    assert can_stand(
        STANDS, LANDED, posture(hip, 1.01 * fastest), 0.0, PACKED
    )  # driven: always
    x = hip
    v = 0.99 * fastest
    for _ in range(20000):
        v += RATE**2 * (x - edge) * 1e-4
        x += v * 1e-4
        if v <= 0.0:
            break
    assert x < edge


@pytest.mark.parametrize("rear", [0, 1])
def test_a_driven_hip_whose_rear_leg_is_used_up_takes_a_step_before_it_stands(rear):
    """On a slippery floor it brakes too slowly for the stance that it has; one that
    moves back, or whose front leg is straight, is held."""
    feet = (-0.3, 0.3) if rear == 0 else (0.3, -0.3)
    straight = (0.02, 0.5) if rear == 0 else (0.5, 0.02)
    at = posture(speed=0.2, feet=feet)._replace(knee=straight)
    for before in (0.0, 0.5):
        assert after(Pace(before), 0.0, at=at).speed == GAIT.stride_speed
        back = at._replace(hip_velocity_s=-0.1)
        assert after(Pace(before), 0.0, at=back).speed == 0.0
        front = at._replace(knee=straight[::-1])
        assert after(Pace(before), 0.0, at=front).speed == 0.0


def test_a_pendulum_that_walks_begins_to_stand_as_a_foot_lands_and_not_later():
    late = GAIT.minimum_double_support + DT
    assert after(Pace(0.5), 0.0, rate=RATE).speed == 0.0
    assert after(Pace(0.5), 0.0, rate=RATE, time=late).speed == 0.5
    assert after(Pace(0.0), 0.0, rate=RATE, time=late).speed == 0.0  # stands already
    assert after(Pace(0.5), 0.0, time=late).speed == 0.0  # a driven hip at any time


def test_a_pendulum_that_both_feet_cannot_hold_walks_a_step_before_it_stands():
    fast = posture(hip=0.2, speed=0.8)
    assert after(Pace(0.5), 0.0, at=fast, rate=RATE).speed == 0.5
    # pushed while it stands
    assert after(Pace(0.0), 0.0, at=fast, rate=RATE).speed == GAIT.stride_speed


def test_a_pendulum_starts_from_the_middle_and_with_the_speed_of_its_stride():
    settled = Pace(0.0, wished=SETTLED)
    start = after(settled, 0.5, at=posture(), rate=RATE)
    assert start.speed == GAIT.stride_speed
    beside = posture(hip=0.2)
    assert after(settled, 0.5, at=beside, rate=RATE).speed == 0.0


@pytest.mark.parametrize(
    "due",
    [posture(hip=0.35), posture()._replace(knee=(0.5, 0.02))],
    ids=["past its front foot", "a leg is straight"],
)
@pytest.mark.parametrize("before", [Pace(0.0, wished=SETTLED), Pace(0.2)])
def test_a_driven_hip_that_only_a_step_holds_sets_off_as_fast_as_one_may_begin(
    due, before
):
    """Both feet behind it can only push it on: while its pace rose to the stride's
    speed it reached twice that, and stretched its rear knee past the end of its
    range."""
    pace = after(before, 0.5, at=due)
    assert pace.speed == GAIT.stride_speed
    assert wants_to_lift(due, pace.speed, 0.0, PACKED)
    between = after(before, 0.5)
    assert between.speed == pytest.approx(before.speed + GAIT.speed_change * DT)
    assert not wants_to_lift(posture(), between.speed, 0.0, PACKED)


def test_a_pendulum_that_is_pushed_off_its_feet_sets_off_without_waiting():
    """It would fall: standing can't hold it, whatever is commanded."""
    pushed = posture(hip=0.2, speed=0.8)
    assert after(STANDS, 0.5, at=pushed, rate=RATE).speed >= GAIT.stride_speed


@pytest.mark.parametrize("rate", [0.0, RATE])
@pytest.mark.parametrize("command", [0.5, 2.0])
def test_who_stands_sets_off_once_that_was_commanded_for_a_while(command, rate):
    pace = STANDS
    ticks = 0
    while pace.speed == 0.0:
        pace = after(pace, command, rate=rate)
        ticks += 1
    assert ticks * DT == pytest.approx(SETTLED, abs=1.5 * DT)
    assert after(pace, 0.0, rate=rate).speed == 0.0  # to stop counts at once


@pytest.mark.parametrize("rate", [0.0, RATE])
@pytest.mark.parametrize("share", [1e-3, 0.01, 0.5, 0.99])
def test_a_command_that_toggles_faster_than_a_start_takes_stands(share, rate):
    """Of each 0.2 s it is high for a share, a tick at least, and low for the rest."""
    pace = STANDS
    period = round(SETTLED / DT)
    for tick in range(20 * period):
        high = tick % period < max(1, round(share * period))
        pace = after(pace, 0.5 if high else 0.0, rate=rate)
        assert pace.speed == 0.0


@pytest.mark.parametrize("period", [2, 20, 300])  # ticks
@pytest.mark.parametrize("low", [0.1, 0.3, 0.4999])
def test_a_command_that_trembles_about_the_strides_speed_is_walked(low, period):
    """Each time it was fast for a tick, the way that it was ahead was forgotten: at
    0.4999 and 0.5001 m/s in turn a robot stood for ever."""
    pace = STANDS
    hip = 0.0
    time = 30.0
    for tick in range(round(time / DT)):
        command = low if tick % period < period // 2 else 0.5001
        pace = after(pace, command, at=posture(speed=pace.speed))
        hip += pace.speed * DT
    assert hip >= 0.5 * low * time - GAIT.stride
    assert hip <= 0.5001 * time


@pytest.mark.parametrize("command", [0.05, 0.2, 0.4])
def test_a_slow_command_is_walked_by_steps_and_pauses_as_fast_on_average(command):
    """A hip that moves at the followed speed keeps up with the command within a
    stride."""
    pace = Pace(0.0)
    hip = 0.0
    time = 60.0
    speeds = set()
    for _ in range(round(time / DT)):
        pace = after(pace, command, at=posture(speed=pace.speed))
        hip += pace.speed * DT
        speeds.add(pace.speed)
    assert hip == pytest.approx(command * time, abs=GAIT.stride)
    assert {0.0, GAIT.stride_speed} <= speeds
    assert max(speeds) == GAIT.stride_speed


def test_a_robot_that_was_held_back_does_not_make_up_for_more_than_a_stride():
    pace = Pace(0.0)
    for _ in range(60_000):
        pace = after(pace, 0.3, LEFT_SWING)
    assert pace.behind == pytest.approx(GAIT.stride)
    assert after(pace, 0.0).behind == 0.0


def test_what_is_commanded_in_the_meantime_leaves_a_finite_pace():
    rng = np.random.default_rng(2)
    pace = Pace()
    for _ in range(5000):
        at = posture(rng.uniform(-0.5, 0.5), rng.normal(0.0, 0.5))
        phase = int(rng.integers(3))
        pace = after(pace, rng.uniform(-2.0, 2.0), phase, at, RATE)
        assert 0.0 <= pace.speed <= 2.0
        assert abs(pace.behind) <= GAIT.stride

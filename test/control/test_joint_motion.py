# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Damping takes power out of a joint even when its velocity, or its position, says the
opposite of what it does."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.supervisor import (
    KEPT_TICKS,
    TICK_WINDOW,
    damping_torques,
    joint_motion,
    no_past,
)

DT = 1e-3
WHOLE = round(TICK_WINDOW / DT)  # ticks


def moved(past, position, velocity, dt=DT, known=True):
    """Agreed velocity of one reading, None where none is known, and the joints'
    rotation."""
    limits = np.full(len(position), math.inf)
    rotation, both = joint_motion(
        *past,
        np.array(position),
        np.array(velocity),
        limits,
        np.zeros_like(limits),
        known,
        dt,
    )
    return None if np.isnan(both).any() else both, rotation


def kept(past):
    """Ages of the readings that are remembered."""
    return past[0][np.isfinite(past[0])]


def agreed(positions, velocities, dt=DT):
    """What is agreed upon at each reading."""
    past = no_past(len(positions[0]))
    return [
        moved(past, q, v, dt)[0] for q, v in zip(positions, velocities, strict=True)
    ]


def steady(speeds, ticks=8):
    """Positions and velocities of joints that turn evenly."""
    speeds = np.array(speeds)
    return [0.3 + speeds * k * DT for k in range(ticks)], [speeds] * ticks


def test_an_even_motion_is_agreed_upon_from_the_second_reading_on():
    found = agreed(*steady([2.0, -0.5, 0.0]))
    assert found[0] is None
    for both in found[1:]:
        np.testing.assert_allclose(both, [2.0, -0.5, 0.0], atol=1e-9)


@pytest.mark.parametrize("factor", [-1.0, -3.0, 0.0])
def test_a_velocity_that_its_position_contradicts_is_not_damped(factor):
    positions, velocities = steady([2.0, -0.5])
    for both in agreed(positions, [factor * v for v in velocities])[1:]:
        np.testing.assert_array_equal(both, [0.0, 0.0])


def test_only_the_joint_that_contradicts_itself_goes_without():
    positions, velocities = steady([2.0, -0.5])
    both = agreed(positions, [v * [-1.0, 1.0] for v in velocities])[-1]
    np.testing.assert_allclose(both, [0.0, -0.5])


@pytest.mark.parametrize("factor", [0.2, 1.0, 5.0])
def test_of_two_speeds_the_smaller_is_taken(factor):
    positions, velocities = steady([2.0])
    assert agreed(positions, [factor * v for v in velocities])[-1][0] == pytest.approx(
        min(2.0, 2.0 * factor)
    )


def test_a_stuck_encoder_gives_no_velocity():
    _, velocities = steady([2.0])
    assert agreed([[0.3]] * len(velocities), velocities)[-1] == 0.0


def test_a_position_that_is_not_finite_is_forgotten():
    past = no_past(2)
    moved(past, [0.0, 0.0], [1.0, 1.0])
    assert moved(past, [0.0, math.nan], [1.0, 1.0])[0] is None, "one joint is enough"
    assert not len(kept(past))


@pytest.mark.parametrize("dt", [DT, 1e-4])
def test_no_more_is_remembered_than_the_window(dt):
    past = no_past(1)
    for k in range(50):
        moved(past, [k * dt], [1.0], dt)
        assert np.all(np.diff(kept(past)) > 0.0)
        np.testing.assert_allclose(
            past[1][: len(kept(past)), 0],
            dt * (k - np.arange(len(kept(past)))),
            atol=1e-12,
        )
    assert kept(past)[-1] == pytest.approx(
        (min(round(TICK_WINDOW / dt), KEPT_TICKS) - 1) * dt
    )


def test_joints_turn_by_the_difference_of_their_positions_and_by_their_velocity_within_the_limits():
    past = no_past(2)
    assert np.isnan(moved(past, [0.0, 0.5], [1.0, 2.0])[1]).all(), (
        "before the second reading"
    )
    limits = np.full(2, 5.0)
    rotation = joint_motion(
        *past,
        np.array([0.1, 0.502]),
        np.array([1.0, -9.0]),
        limits,
        np.zeros(2),
        True,
        DT,
    )[0]
    np.testing.assert_allclose(rotation, [[5.0 * DT, 2.0 * DT], [DT, -5.0 * DT]])
    assert not len(kept(past)), "a joint was beyond its limit"
    assert np.isnan(moved(past, [0.0, 0.0], [1.0, 1.0])[1]).all()
    assert np.isnan(moved(past, [0.0, 0.0], [1.0, 1.0], known=False)[1]).all()


def swings(rate, wrong):
    """Positions, measured and true velocities of a joint that swings, one of its two
    sensors wrong."""
    time = np.arange(2000) * DT
    q = np.sin(rate * time) / rate
    v = np.cos(rate * time)
    return {
        "velocity": (q, -v, v),
        "position": (-q, v, v),
        "slow clock": (q, 10.0 * v, v),
    }[wrong]


@pytest.mark.parametrize("wrong", ["velocity", "position", "slow clock"])
@pytest.mark.parametrize("rate", [3.0, 30.0])
def test_damping_a_swinging_joint_takes_power_out_of_it_whichever_sensor_is_wrong(
    rate, wrong
):
    q, measured, true = swings(rate, wrong)
    found = agreed(q[:, None], measured[:, None])
    power = np.array(
        [-float(both[0]) * v for both, v in zip(found[1:], true[1:], strict=True)]
    )
    turn = 0.5 * DT * rate  # [rad/s] speed in the tick in which the joint turns round
    assert power.max() <= turn**2
    assert np.count_nonzero(power > 1e-12) <= np.count_nonzero(np.diff(np.sign(true)))


FINITE = st.floats(-1e3, 1e3)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=12), st.floats(1e-5, 0.5)
)
def test_the_damping_is_never_stronger_than_that_of_the_measured_velocity_nor_with_it(
    readings, dt
):
    positions, velocities = zip(*(([q], [v]) for q, v in readings), strict=True)
    for both, velocity in zip(
        agreed(positions, velocities, dt), velocities, strict=True
    ):
        if both is not None:
            torque = damping_torques(both, 1.0)
            most = abs(velocity[0])
            assert torque[0] * velocity[0] <= 0.0
            assert abs(torque[0]) <= most


def test_a_joint_that_has_just_turned_round_is_not_damped_in_either_direction():
    positions = [
        [0.0],
        [0.001],
        [0.002],
        [0.003],
        [0.0029],
    ]  # up for three ticks, down for one
    assert agreed(positions, [[1.0]] * 4 + [[-0.1]])[-1] == 0.0
    assert agreed(positions, [[1.0]] * 5)[-1] == 0.0
    assert agreed([*positions[:4], [0.003]], [[1.0]] * 5)[-1] == pytest.approx(0.75)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_joint_whose_encoder_shows_no_step_in_the_last_tick_goes_on_in_either_direction(
    sign,
):
    positions = [[0.0], [0.001 * sign], [0.002 * sign], [0.003 * sign], [0.003 * sign]]
    assert agreed(positions, [[sign]] * 5)[-1] == pytest.approx(0.75 * sign)


def test_of_two_readings_of_one_instant_no_velocity_is_known():
    past = no_past(2)
    moved(past, [0.0, 0.0], [1.0, 1.0])
    assert moved(past, [0.1, 0.1], [1.0, 1.0], 0.0)[0] is None


def test_it_is_what_whole_arrays_say():
    """Beside the same in NumPy, on random motions that turn round and measurements with
    any sign."""
    rng = np.random.default_rng(11)
    past = no_past(7)
    seen = []
    for _ in range(200):
        position, velocity = np.cumsum(rng.normal(size=(2, 7)), axis=0)
        found = moved(past, position, velocity)[0]
        seen.append(position)
        if found is None:
            continue
        first = seen[-1 - min(WHOLE, len(seen) - 1)]
        last = seen[-2]
        age = DT * min(WHOLE, len(seen) - 1)
        differenced = (position - first) / age
        slower = np.sign(velocity) * np.minimum(np.abs(velocity), np.abs(differenced))
        one_way = (velocity * differenced > 0.0) & (velocity * (position - last) >= 0.0)
        np.testing.assert_allclose(found, np.where(one_way, slower, 0.0), rtol=1e-12)

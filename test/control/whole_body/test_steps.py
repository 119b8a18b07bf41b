# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Footsteps inside the leg's limits, and a swing foot that touches down without speed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.whole_body.footsteps import (
    Foothold,
    FootstepConfig,
    next_foothold,
)
from biped_slip.control.whole_body.swing_path import (
    ARRIVAL_SHARE,
    Swing,
    SwingPoint,
    arc,
    swing_step,
)

STEPS = FootstepConfig(width=0.17)


def swing(time, lift_z, smooth):
    """A swing of 0.6 s at a time [s]."""
    return Swing(
        time=time, duration=0.6, lift_z=lift_z, apex=0.06, sinking=0.1, smooth=smooth
    )


def in_frame(hold, stance):
    """Foothold in the stance foot's frame."""
    c = math.cos(stance.yaw)
    s = math.sin(stance.yaw)
    dx = hold.x - stance.x
    dy = hold.y - stance.y
    return c * dx + s * dy, c * dy - s * dx, hold.yaw - stance.yaw


@given(
    st.floats(-2, 2),
    st.floats(-1, 1),
    st.floats(-2, 2),
    st.sampled_from((1.0, -1.0)),
    st.floats(-3, 3),
)
@settings(max_examples=100, deadline=None)
def test_no_command_leads_a_foot_out_of_its_limits(forward, left, turn, side, yaw):
    stance = Foothold(1.0, -2.0, yaw)
    ahead, aside, turned = in_frame(
        next_foothold(stance, side, forward, left, turn, STEPS.width, STEPS.packed),
        stance,
    )
    bound = 0.5 * STEPS.width  # the body's middle turns, the foot goes around it
    assert abs(ahead) <= STEPS.length + bound
    assert -STEPS.inward - bound <= side * aside - STEPS.width <= STEPS.outward + 1e-9
    assert abs(turned) <= STEPS.turn + 1e-12


def test_two_steps_straight_ahead_keep_the_feet_parallel_and_apart():
    left = Foothold(0.0, 0.085, 0.0)
    right = next_foothold(left, -1.0, 0.4, 0.0, 0.0, 0.17, STEPS.packed)
    assert right == pytest.approx((0.4, -0.085, 0.0))
    assert next_foothold(
        right, 1.0, 0.4, 0.0, 0.0, 0.17, STEPS.packed
    ) == pytest.approx((0.8, 0.085, 0.0))


@pytest.mark.parametrize("left", [-0.09, -0.02, 0.02, 0.09])
def test_steps_aside_go_as_far_as_commanded_though_a_foot_may_hardly_go_inward(left):
    """Where the feet may come 30 mm nearer, steps of 90 mm aside are 150 mm out and 30
    mm in: two of them are 180 mm. Nearer ones are alike."""
    assert STEPS.inward == 0.03
    hold = Foothold(0.0, 0.085, 0.0)
    ways = []
    for side in (-1.0, 1.0, -1.0, 1.0):
        other = next_foothold(hold, side, 0.0, left, 0.0, 0.17, STEPS.packed)
        ways.append(other.y - hold.y)
        hold = other
    assert ways[0] + ways[1] == pytest.approx(2.0 * left)
    assert ways[:2] == pytest.approx(ways[2:])
    assert min(abs(way) for way in ways) >= 0.17 - STEPS.inward - 1e-12
    if abs(left) <= STEPS.inward:
        assert ways[0] == pytest.approx(left - 0.17)


def test_a_full_turn_of_small_steps_comes_back_to_where_it_began():
    hold = Foothold(0.0, 0.085, 0.0)
    side = -1.0
    count = 64
    start = hold
    for _ in range(count):
        hold = next_foothold(hold, side, 0.0, 0.0, math.tau / count, 0.17, STEPS.packed)
        side = -side
    assert (hold.x, hold.y) == pytest.approx((start.x, start.y), abs=1e-9)


@pytest.mark.parametrize("smooth", [False, True])
def test_the_swing_foot_lands_on_a_foothold_that_moved_without_speed(smooth):
    zero = np.zeros(4)
    point = SwingPoint(np.array([0.0, 0.1, 0.02, 0.0]), zero, zero)
    dt = 1e-3
    target = np.array([0.8, 0.1, 0.05, 0.2])
    highest = 0.0
    for k in range(1, 601):
        if k == 300:
            target = np.array([0.9, 0.15, 0.05, 0.25])
        point = swing_step(point, target, swing(k * dt, 0.02, smooth), dt)
        highest = max(highest, point.position[2])
    assert point.position == pytest.approx(target, abs=1e-6)
    assert point.velocity == pytest.approx(zero, abs=1e-6)
    assert highest > 0.08


def test_a_smooth_swing_begins_and_ends_without_acceleration_and_moves_as_its_rates_say():
    zero = np.zeros(4)
    dt = 1e-3
    target = np.array([0.8, 0.1, 0.0, 0.0])
    point = SwingPoint(np.array([0.0, 0.1, 0.0, 0.0]), zero, zero)
    path = []
    for k in range(1, 571):
        point = swing_step(point, target, swing(k * dt, 0.0, True), dt)
        path.append((point.position[0], point.velocity[0], point.acceleration[0]))
    x, v, a = np.array(path).T
    way = 0.8
    time = ARRIVAL_SHARE * 0.6
    # of a polynomial of fifth degree from rest to rest
    largest = 10.0 / np.sqrt(3.0) * way / time**2
    assert abs(a[0]) < 0.02 * largest
    assert abs(a[-1]) < 0.02 * largest
    assert np.abs(a).max() == pytest.approx(largest, rel=1e-2)
    assert v.max() == pytest.approx(1.875 * way / time, rel=1e-2)
    assert np.gradient(x, dt)[1:-1] == pytest.approx(v[1:-1], abs=1e-3)
    assert np.gradient(v, dt)[1:-1] == pytest.approx(a[1:-1], abs=0.05)


def test_the_rates_of_the_arc_are_its_derivatives():
    for share in (0.1, 0.37, 0.8):
        h = 1e-5
        before, middle, after = (arc(share + d, 0.06, 0.6) for d in (-h, 0.0, h))
        assert middle[1] == pytest.approx(
            (after[0] - before[0]) / (2 * h * 0.6), rel=1e-5
        )
        assert middle[2] == pytest.approx(
            (after[1] - before[1]) / (2 * h * 0.6), rel=1e-5
        )


def test_a_foot_that_finds_no_floor_sinks_on():
    zero = np.zeros(4)
    point = SwingPoint(np.array([0.5, 0.1, 0.0, 0.0]), zero, zero)
    late = swing_step(
        point, np.array([0.5, 0.1, 0.0, 0.0]), swing(0.7, 0.0, False), 1e-3
    )
    assert late.position[2] == pytest.approx(-0.01)
    assert late.velocity[2] == pytest.approx(-0.1)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Velocity commands from outside: obeyed inside of the limits, for a while."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biped_slip.control.friction_governor import STILL_TWIST, Twist
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.walking.humanoid import HumanoidSequencer, chosen_walking
from biped_slip.walking.planar import PlanarController
from biped_slip.walking.steering import Steering, TwistLimits

SECOND = 1_000_000_000  # [ns]
LIMITS = TwistLimits(forward=0.6, backward=0.3, aside=0.1, turn=0.4)
FORWARD = Twist(0.5, 0.0, 0.0)
PARTS = st.floats(-10.0, 10.0)


def test_before_the_first_command_a_robot_walks_as_it_does_by_itself():
    steering = Steering(LIMITS)
    assert steering.twist(5 * SECOND) is None
    steering.take(STILL_TWIST, 6 * SECOND)
    assert steering.twist(6 * SECOND) == STILL_TWIST
    assert steering.twist(60 * SECOND) == STILL_TWIST  # and never again by itself


def test_a_robot_that_is_to_be_steered_stands_from_its_start():
    steering = Steering(LIMITS, from_start=True)
    assert steering.twist(0) == STILL_TWIST
    steering.take(FORWARD, SECOND)
    assert steering.twist(SECOND) == FORWARD


def test_a_command_holds_until_the_next_and_for_half_a_second_at_most():
    steering = Steering(LIMITS)
    steering.take(FORWARD, SECOND)
    assert steering.twist(SECOND + SECOND // 2) == FORWARD
    assert steering.twist(SECOND + SECOND // 2 + 1) == STILL_TWIST
    steering.take(FORWARD, 2 * SECOND)
    assert steering.twist(2 * SECOND) == FORWARD
    assert steering.twist(SECOND) == STILL_TWIST  # a clock that jumps back


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e6])
def test_no_number_and_none_that_anything_walks_are_as_if_they_had_not_come(
    part, value
):
    steering = Steering(LIMITS)
    steering.take(FORWARD, SECOND)
    wrong = list(FORWARD)
    wrong[part] = value
    steering.take(Twist(*wrong), 2 * SECOND)
    assert steering.problem is not None
    assert ("forward", "left", "turn")[part] in str(steering.problem)
    assert steering.twist(SECOND + 1) == FORWARD
    assert steering.twist(2 * SECOND) == STILL_TWIST  # it renews nothing
    steering.take(STILL_TWIST, 2 * SECOND)
    assert steering.problem is None


def test_a_command_that_comes_again_after_it_ran_out_is_named_and_obeyed():
    """Published once a second it was walked for half of the time, without a word."""
    steering = Steering(LIMITS)
    for second in range(1, 4):
        steering.take(FORWARD, second * SECOND)
        assert steering.twist(second * SECOND) == FORWARD
        assert (steering.problem is not None) == (second > 1)
    assert "velocity_timeout" in str(steering.problem)


@pytest.mark.parametrize("other", [STILL_TWIST, Twist(0.4, 0.0, 0.0)])
def test_who_commands_something_else_after_a_pause_is_no_slow_sender(other):
    steering = Steering(LIMITS)
    for stamp, twist in ((1, FORWARD), (2, other), (9, FORWARD)):
        steering.take(twist, stamp * SECOND)
        assert steering.problem is None


def test_a_robot_that_was_commanded_to_stand_may_be_commanded_so_again_at_any_time():
    steering = Steering(LIMITS)
    for stamp in (1, 2, 9):
        steering.take(STILL_TWIST, stamp * SECOND)
        assert steering.problem is None


@given(PARTS, PARTS, PARTS)
def test_what_is_walked_is_inside_of_the_limits_and_what_is_inside_is_walked(
    forward, left, turn
):
    asked = Twist(forward, left, turn)
    steering = Steering(LIMITS)
    steering.take(asked, SECOND)
    found = steering.twist(SECOND)
    assert -LIMITS.backward <= found.forward <= LIMITS.forward
    assert abs(found.left) <= LIMITS.aside
    assert abs(found.turn) <= LIMITS.turn
    assert (steering.problem is None) == (found == asked)
    assert LIMITS.clipped(found) == found
    assert all(one * other >= 0.0 for one, other in zip(asked, found, strict=True))


def test_who_is_clipped_hears_of_the_limits_in_one_sentence_whatever_was_asked():
    steering = Steering(LIMITS)
    found = set()
    for asked in (Twist(5.0, 0.0, 0.0), Twist(0.0, 1.0, 0.0), Twist(-1.0, 0.0, 2.0)):
        steering.take(asked, SECOND)
        found.add(str(steering.problem))
    (sentence,) = found
    assert "-0.30 to 0.60 m/s forward, 0.10 m/s aside, 0.40 rad/s" in sentence


def test_the_planar_biped_walks_forward_alone():
    planar = chosen_scenario("thesis").walking
    limits = PlanarController.twist_limits.fget(SimpleNamespace(_config=planar))
    assert limits == TwistLimits(max(planar.speed.value), 0.0, 0.0, 0.0)
    steering = Steering(limits)
    steering.take(Twist(0.3, 0.2, -0.1), SECOND)
    assert steering.twist(SECOND) == Twist(0.3, 0.0, 0.0)
    assert "forward alone; the rest is left out" in str(steering.problem)


@pytest.mark.parametrize("robot", ["talos", "g1", "surena3", "bolt"])
def test_a_humanoid_takes_steps_of_its_commands_that_its_feet_may_take(robot):
    """Two steps aside together are as wide as one foot may go out and the other in."""
    config = chosen_walking(robot)
    limits = HumanoidSequencer.twist_limits.fget(SimpleNamespace(config=config))
    steps = config.controller.steps
    time = steps.single_support + steps.double_support
    assert limits.forward == config.speed
    assert 0.0 < limits.backward < limits.forward
    assert 0.0 < 2.0 * limits.aside * time < steps.outward + steps.inward
    assert 0.0 < limits.turn * time < steps.turn

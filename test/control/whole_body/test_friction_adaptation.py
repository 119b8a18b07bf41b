# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The force ratio that a gait needs: closed form against the pendulum integrated over a plan of many steps."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.whole_body.controller import _ahead
from biped_slip.control.whole_body.footsteps import (
    ALONG,
    Command,
    FootstepConfig,
    SteppingConfig,
    SwingPoint,
    dcm_reference,
    swing_step,
)
from biped_slip.control.whole_body.friction_adaptation import (
    BRISK,
    STRONGEST,
    AdaptationConfig,
    AdaptationState,
    LegLimits,
    PatternConfig,
    Pendulum,
    adaptation_step,
    after_transfer,
    allowed_command,
    allowed_ratio,
    cautious_gait,
    change_of_speed,
    fastest_within,
    force_limits,
    found_in_transfer,
    least_demand,
    lifting_limits,
    lifts_behind,
    limit_under,
    pattern_at,
    patterns_for,
    peak_ratio,
    rolled,
    sway_offset,
    swing_acceleration,
    too_much,
    transfer_offset,
    unseen_speed,
    way_since_slope,
    while_standing,
)
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.types import NO_ESTIMATE, NO_MEASUREMENT, EstimateState

HEIGHT = 0.82
OMEGA = math.sqrt(9.81 / HEIGHT)
PENDULUM = Pendulum(HEIGHT, OMEGA)


def ratio_of_a_walk(length, width, single, double, roll=0.0):
    """Largest |c - p|/z in the middle of a long walk whose DCM follows its plan."""
    toe = np.array([0.5 * roll * length, 0.0])
    zmps, durations, under = [np.array([0.0, 0.5 * width]) - toe], [], np.array([0.0, 0.5 * width])
    for k in range(1, 13):
        zmps.append(under + toe)
        under = np.array([k * length, (0.5 if k % 2 == 0 else -0.5) * width])
        zmps.append(under - toe)
        durations += [single, double]
    zmps, durations = np.array(zmps), np.array(durations)
    dcm = dcm_reference(zmps, durations, OMEGA)
    centre, largest, dt = dcm.copy(), 0.0, 2e-4
    for i, duration in enumerate(durations):
        for j in range(round(duration / dt)):
            zmp = zmps[i] + (j + 0.5) * dt / duration * (zmps[i + 1] - zmps[i])
            dcm = zmp + (dcm - zmp) * math.exp(OMEGA * dt)
            centre = dcm + (centre - dcm) * math.exp(-OMEGA * dt)
            if 10 <= i < 14:
                largest = max(largest, float(np.hypot(*(centre - zmp))) / HEIGHT)
        dcm = dcm_reference(zmps[i + 1 :], durations[i + 1 :], OMEGA)  # the unstable mode is not what is tested
    return largest


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.6, 0.3), (0.8, 0.15)])
def test_the_closed_form_is_the_peak_of_a_long_walk(single, double):
    expected = ratio_of_a_walk(0.5, 0.17, single, double)
    assert peak_ratio(0.5, 0.17, single, double, PENDULUM) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("single", "double"), [(0.6, 0.06), (0.9, 0.3)])
def test_a_pivot_that_rolls_from_heel_to_toe_needs_less_as_the_closed_form_says(single, double):
    expected = ratio_of_a_walk(0.5, 0.17, single, double, roll=0.25)
    rolling = peak_ratio(0.5, 0.17, single, double, PENDULUM._replace(roll=0.25))
    assert rolling == pytest.approx(expected, rel=0.01)
    assert rolling < 0.85 * peak_ratio(0.5, 0.17, single, double, PENDULUM)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize(("single", "double"), [(0.7, 0.1), (0.9, 0.3), (1.1, 0.5)])
def test_force_and_moment_together_are_nowhere_much_larger_than_where_they_are_looked_at(single, double, smooth):
    turning = 0.02
    steady = PENDULUM._replace(roll=0.2, turning=turning, smooth=smooth)
    along = transfer_offset(0.5, single, double, steady)
    across = sway_offset(0.17, single, double, steady)
    time = np.linspace(0.0, 0.5 * ALONG * single, 200)
    half = 0.5 * single
    x = along * np.sinh(OMEGA * (half - time)) / np.sinh(OMEGA * half)
    y = across * np.cosh(OMEGA * (half - time)) / np.cosh(OMEGA * half)
    pushes = [0.5 * swing_acceleration(t / (ALONG * single), single, smooth) for t in time]
    needed = np.hypot(np.hypot(x, y) / HEIGHT, turning * np.array(pushes)).max()
    planned = peak_ratio(0.5, 0.17, single, double, steady)
    assert planned == pytest.approx(needed, rel=0.05)
    assert planned <= needed * (1.0 + 1e-6)


def test_the_swing_foot_accelerates_as_planned():
    point, dt = SwingPoint(np.zeros(4), np.zeros(4), np.zeros(4)), 1e-3
    largest, target = 0.0, np.array([1.0, 0.0, 0.0, 0.0])  # two steps of half a metre
    for k in range(1, 900):
        point = swing_step(point, target, k * dt, 0.9, 0.05, 0.0, 0.1, True, dt)
        largest = max(largest, abs(point.acceleration[0]))
    assert 0.5 * swing_acceleration(STRONGEST, 0.9, True) == pytest.approx(largest, rel=0.01)


def test_without_double_support_the_centre_is_half_a_step_away():
    assert peak_ratio(0.5, 0.17, 0.6, 0.0, PENDULUM) == pytest.approx(math.hypot(0.25, 0.085) / HEIGHT)


def table(**changes):
    """Patterns of a robot with soles of 0.16 m."""
    steps = FootstepConfig(width=0.17, single_support=0.8, double_support=0.1)
    return patterns_for(steps, SteppingConfig(), PatternConfig(**changes), 0.08, PENDULUM)


PATTERNS, STEPS, CONFIG = table(), FootstepConfig(width=0.17).packed, AdaptationConfig().packed


def test_from_a_speed_on_single_supports_are_short_and_below_it_those_that_ask_least():
    quick = table(shortest_single_support=0.4, quick_single_support=0.4, quick_from=0.3)
    free = table(shortest_single_support=0.4)
    slow, fast = quick.speed < 0.3, quick.speed >= 0.3
    assert np.all(quick.single_support[fast] == 0.4)
    assert quick.single_support[slow] == pytest.approx(free.single_support[: slow.sum()])
    assert quick.ratio[slow] == pytest.approx(free.ratio[: slow.sum()])
    assert np.any(quick.single_support[slow] > 0.4)


def gait_at(limit, command=0.6):
    """The steady gait of a command [m/s] under a limit."""
    allowed = allowed_command(Command(command), AdaptationState(limit, math.inf), CONFIG, PATTERNS)
    return cautious_gait(allowed, allowed, STEPS, PATTERNS)


def speed_of(gait):
    return gait.forward / (gait.single_support + gait.double_support)


@given(st.floats(0.05, 0.8))
@settings(max_examples=50, deadline=None)
def test_a_gait_never_needs_more_than_its_limit_allows(limit):
    gait = gait_at(limit)
    rolling = PENDULUM._replace(roll=gait.roll / gait.forward if gait.forward > 0.0 else 0.0)
    needed = peak_ratio(gait.forward, 0.15, gait.single_support, gait.double_support, rolling)
    assert gait.still or needed <= 1.03 * allowed_ratio(limit, CONFIG)  # between rows of the table
    assert gait.still or gait.ratio <= allowed_ratio(limit, CONFIG) + 1e-9


def test_a_better_floor_never_makes_a_walk_slower():
    speeds = [speed_of(gait_at(limit)) for limit in np.linspace(0.03, 0.8, 40)]
    assert np.all(np.diff(speeds) >= -1e-9)
    assert speeds[-1] == pytest.approx(0.6)
    assert speeds[0] < 0.2


def test_who_knows_nothing_more_than_what_is_assumed_keeps_a_distance_from_it():
    assert allowed_ratio(CONFIG.assumed, CONFIG) == CONFIG.unknown < CONFIG.share * CONFIG.assumed
    assert allowed_ratio(0.6, CONFIG) == pytest.approx(CONFIG.share * 0.6)
    assert allowed_ratio(0.05, CONFIG) == pytest.approx(CONFIG.share * 0.05)


def test_a_floor_that_is_seen_ahead_is_walked_as_fast_as_its_share_allows():
    wanted = Command(0.6, 0.0, 0.0, 0.0, 0.0)
    for limit in (0.12, CONFIG.assumed, 0.6):
        unseen = AdaptationState(limit, math.inf, math.inf)
        fast = allowed_command(wanted, unseen._replace(seen=limit), CONFIG, PATTERNS).forward
        slow = allowed_command(wanted, unseen, CONFIG, PATTERNS).forward
        assert fast >= slow
        assert pattern_at(PATTERNS, fast).ratio <= CONFIG.share * limit + 1e-9
    assert fast == slow  # above twice what is assumed a floor that is known to hold is no assumption, either


@given(st.floats(0.0, 4.0), st.floats(0.05, 1.0), st.booleans())
@settings(max_examples=50, deadline=None)
def test_near_a_slope_nothing_that_is_known_of_the_friction_makes_a_walk_faster_than_its_end_allows(way, limit, sees):
    wanted = Command(0.6, 0.2, 0.1)
    state = AdaptationState(limit, math.inf, limit if sees else math.inf)
    level = allowed_command(wanted, state, CONFIG, PATTERNS)
    near = allowed_command(wanted, state, CONFIG, PATTERNS, 0.0, way)
    speed = math.hypot(level.forward, level.left)
    if way > CONFIG.slope_reach or speed <= CONFIG.slope_speed:
        assert near == level
    else:
        assert math.hypot(near.forward, near.left) == pytest.approx(CONFIG.slope_speed)
        assert near.forward * level.left == pytest.approx(near.left * level.forward)  # the same way


def test_the_way_behind_a_slope_counts_from_where_it_ends_and_without_one_there_is_none():
    walking, dt = Command(0.3, 0.4), 0.1
    way = way_since_slope(math.inf, 0.0, walking, dt)
    assert way == math.inf
    assert way_since_slope(way, 0.17, walking, dt) == 0.0
    assert way_since_slope(0.0, 0.0, walking, dt) == pytest.approx(0.05)
    assert way_since_slope(0.7, 0.0, Command(), dt) == 0.7  # who rests on a landing is no further from its end


def test_on_ice_steps_are_short_and_most_of_the_time_both_feet_carry():
    rough, ice = gait_at(0.8), gait_at(0.06)
    assert ice.double_support > 2.0 * ice.single_support * rough.double_support / rough.single_support
    assert ice.double_support > ice.single_support
    assert ice.forward < rough.forward


def test_a_floor_that_cannot_hold_the_sway_stops_the_walk():
    assert gait_at(0.01).still
    assert not gait_at(0.8).still


def test_what_is_chosen_asks_no_more_than_any_other_pattern_of_the_grid_that_legs_can_follow():
    speed, singles, doubles = 0.4, np.linspace(0.4, 0.8, 9), np.linspace(0.1, 1.5, 29)
    best = least_demand(speed, 0.15, singles, doubles, LegLimits(1.8, 4.0, 0.27, 0.08), PENDULUM)
    length = speed * (best.single_support + best.double_support)
    assert 2.0 * length <= min(1.8, 4.0 * best.single_support) * best.single_support
    assert lifts_behind(length, best.single_support, best.double_support, PENDULUM._replace(roll=best.roll)) <= 0.27
    for single, double in ((0.4, 0.1), (0.4, 0.2), (0.6, 0.2), (0.8, 0.1), (0.5, 0.3)):
        step = speed * (single + double)
        rolling = PENDULUM._replace(roll=rolled(step, single, double, 0.08))
        if 2.0 * step <= min(1.8, 4.0 * single) * single and lifts_behind(step, single, double, rolling) <= 0.27:
            other = peak_ratio(step, 0.15, single, double, rolling) + BRISK * (single + double)
            assert best.ratio + BRISK * (best.single_support + best.double_support) <= other + 1e-9


def test_no_floor_makes_a_walk_faster_than_its_legs_can_follow():
    slow_legs = patterns_for(STEPS, SteppingConfig(), PatternConfig(swing_speed=1.2), 0.08, PENDULUM)
    fastest = fastest_within(slow_legs, 10.0)
    pattern = pattern_at(slow_legs, fastest)
    assert 0.3 < fastest < fastest_within(PATTERNS, 10.0)
    assert 2.0 * fastest * (pattern.single_support + pattern.double_support) <= 1.2 * pattern.single_support + 1e-9
    with pytest.raises(InvalidParameter, match="must be enough for the slowest steps"):
        patterns_for(STEPS, SteppingConfig(), PatternConfig(swing_speed=0.01), 0.08, PENDULUM)


def test_a_walk_that_gets_slower_keeps_its_quick_beat_until_it_is_slow():
    slow = Command(0.1)
    braking = cautious_gait(Command(0.6), slow, STEPS, PATTERNS)
    assert braking.double_support == pytest.approx(pattern_at(PATTERNS, 0.6).double_support)
    assert cautious_gait(slow, slow, STEPS, PATTERNS).double_support > 2.0 * braking.double_support


def test_speed_changes_no_faster_than_the_feet_hold():
    assert change_of_speed(0.3, limit_under((True, True), (0.8, 0.8)), CONFIG) == pytest.approx(0.3)
    assert change_of_speed(0.3, limit_under((True, False), (0.8, 0.05)), CONFIG) == pytest.approx(0.3)
    assert change_of_speed(0.3, limit_under((True, True), (0.8, 0.05)), CONFIG) == pytest.approx(
        CONFIG.braking * 0.05 * 9.81, rel=0.01
    )


def test_a_step_under_way_is_not_held_back_by_a_floor_that_holds_less_than_it_needs():
    fast, slow = gait_at(0.8), gait_at(0.06)
    assert lifting_limits((0.05, 0.8), fast, CONFIG) == pytest.approx((CONFIG.underway * fast.ratio, 0.8))
    assert lifting_limits((0.06, 0.06), slow, CONFIG) == pytest.approx((0.06, 0.06))


def test_its_forces_ask_no_floor_for_more_than_it_is_known_to_hold():
    limits, lifting, rough = (0.05, 0.8), (0.12, 0.8), AdaptationState(0.8, 1.0)
    assert force_limits(limits, lifting, (0.05, 0.8), rough, CONFIG) == pytest.approx(limits)
    rocking = AdaptationConfig(insist=2.0).packed
    assert force_limits(limits, lifting, (0.05, 0.8), rough, rocking) == pytest.approx((0.1, 0.8))


def test_behind_ice_a_floor_that_nobody_knows_is_taken_for_ice_until_it_has_held_more():
    on_ice, default = AdaptationState(0.08, 1.0), (0.2, 0.2)
    assert force_limits(default, default, (0.0, 0.1), on_ice, CONFIG) == pytest.approx((0.08, CONFIG.beyond * 0.1))
    assert force_limits(default, default, (0.0, 0.19), on_ice, CONFIG) == pytest.approx((0.08, 0.2))


def test_steps_are_planned_anew_where_the_foot_that_has_landed_holds_far_less_than_they_need():
    fast, slow = gait_at(0.8), gait_at(0.06)
    assert too_much(fast, slow, 0.06, True, CONFIG)
    assert not too_much(fast, slow, 0.06, False, CONFIG)  # neither asked nor loaded
    assert not too_much(fast, slow, 0.8, True, CONFIG)  # ice is ahead, not under it
    assert not too_much(slow, slow, 0.06, True, CONFIG)
    assert not too_much(fast, fast, 0.06, True, CONFIG)  # none is slower: again and again would change nothing


def test_a_foot_that_has_landed_only_lowers_what_is_expected_and_only_asked_or_loaded():
    least = 0.5 * CONFIG.unknown / CONFIG.share
    assert found_in_transfer(AdaptationState(0.2, 1.0), 0.1, True, CONFIG).expected == 0.1
    assert found_in_transfer(AdaptationState(0.2, 1.0), 0.01, True, CONFIG).expected == pytest.approx(least)
    assert found_in_transfer(AdaptationState(0.05, 1.0), 0.2, True, CONFIG).expected == 0.05
    assert found_in_transfer(AdaptationState(0.2, 1.0), 0.1, False, CONFIG).expected == 0.2


def test_the_expectation_falls_at_once_and_rises_by_what_one_step_can_change():
    assert after_transfer(AdaptationState(0.5, 1.0), 0.1, 0.1, CONFIG).expected == 0.1
    assert after_transfer(AdaptationState(0.2, 1.0), 0.5, 0.5, CONFIG).expected == pytest.approx(0.2 + CONFIG.rise)


def test_a_floor_that_nobody_knows_yet_hardly_raises_the_expectation_that_ice_has_left():
    on_ice, default = AdaptationState(0.08, 1.0), 0.2
    assert after_transfer(on_ice, default, 0.0, CONFIG).expected == pytest.approx(CONFIG.explore * 0.08)
    assert after_transfer(on_ice, default, 0.09, CONFIG).expected == pytest.approx(CONFIG.beyond * 0.09)
    assert after_transfer(on_ice, 0.08, 0.0, CONFIG).expected == 0.08  # it slid
    assert after_transfer(on_ice, default, 0.2, CONFIG).expected == pytest.approx(0.08 + CONFIG.rise)


def test_what_is_known_of_the_floor_ahead_counts_before_a_foot_is_on_it():
    assert adaptation_step(AdaptationState(0.7, 1.0), False, True, 0.7, 0.1, 1e-3).expected == 0.1
    assert adaptation_step(AdaptationState(0.7, 1.0), False, True, 0.7, math.inf, 1e-3).expected == 0.7


def test_who_is_sure_of_a_floor_seen_ahead_walks_it_faster_and_no_other():
    wanted, sure, limit = Command(2.0), AdaptationConfig(sure=1.2).packed, 0.15
    ahead, guessed = AdaptationState(limit, math.inf, limit), AdaptationState(limit, math.inf, math.inf)
    fast, usual = (allowed_command(wanted, ahead, config, PATTERNS).forward for config in (sure, CONFIG))
    assert fast == pytest.approx(fastest_within(PATTERNS, 1.2 * CONFIG.share * limit))
    assert fast > usual
    assert allowed_command(wanted, guessed, sure, PATTERNS) == allowed_command(wanted, guessed, CONFIG, PATTERNS)


def test_a_better_floor_seen_ahead_counts_from_the_next_step_on_and_not_in_mid_step():
    seen = adaptation_step(AdaptationState(0.1, 1.0), False, True, 0.7, 0.6, 1e-3)
    landed = adaptation_step(seen, False, False, 0.7, math.inf, 1e-3)
    assert (seen.expected, landed.expected) == (0.1, 0.1)
    assert after_transfer(landed, 0.7, 0.7, CONFIG).expected == 0.6


def test_a_foot_that_lifts_behind_does_not_forget_what_the_other_one_saw_ahead():
    saw_ice = AdaptationState(0.1, 1.0, 0.1)
    lifted = after_transfer(saw_ice, 0.7, 0.7, CONFIG)
    assert adaptation_step(lifted, False, True, 0.7, 0.7, 1e-3).expected == 0.1


def test_what_is_found_under_a_foot_that_carries_alone_is_expected_at_once_of_the_next():
    assert adaptation_step(AdaptationState(0.2, 1.0), False, True, 0.07, math.inf, 1e-3).expected == 0.07
    assert adaptation_step(AdaptationState(0.2, 1.0), False, False, 0.07, math.inf, 1e-3).expected == 0.2


def test_a_robot_that_stands_goes_on_when_the_floor_is_found_to_hold_more():
    assert while_standing(AdaptationState(0.02, 1.0), (0.3, 0.2)).expected == 0.2
    assert while_standing(AdaptationState(0.2, 1.0), (0.02, 0.3)).expected == 0.2


def test_a_foot_that_bounces_in_its_landing_is_not_the_way_ahead():
    light = NO_MEASUREMENT._replace(force_normal=0.0)
    known = NO_ESTIMATE._replace(mu=0.8, usable=True)
    bouncing = known._replace(state_code=int(EstimateState.NO_CONTACT))
    seen = known._replace(state_code=int(EstimateState.USABLE))
    assert _ahead((light, light), (bouncing, NO_ESTIMATE), (0.7, 0.2), 900.0) == math.inf
    assert _ahead((light, light), (bouncing, seen), (0.7, 0.3), 900.0) == 0.3


def test_the_speed_of_an_unseen_floor_is_the_sum_of_what_the_toe_and_its_friction_stop():
    toe = 0.1
    assert unseen_speed(toe, HEIGHT, OMEGA, 0.0) == pytest.approx(toe * math.sqrt(9.81 / HEIGHT))
    assert unseen_speed(0.0, HEIGHT, OMEGA, 0.05) == pytest.approx(0.05 * math.sqrt(9.81 * HEIGHT))
    both = unseen_speed(toe, HEIGHT, OMEGA, 0.05)
    assert both == pytest.approx(OMEGA * toe + 0.05 * math.sqrt(9.81 * HEIGHT))


def test_the_speed_of_unseen_floors_bounds_what_is_not_seen_ahead_and_nothing_else():
    state, wanted = AdaptationState(0.8, math.inf), Command(0.6)
    free = allowed_command(wanted, state, CONFIG, PATTERNS).forward
    assert free > 0.4
    bounded = allowed_command(wanted, state, CONFIG, PATTERNS, 0.0, math.inf, 0.4)
    assert bounded.forward == pytest.approx(0.4)
    assert allowed_command(Command(0.3), state, CONFIG, PATTERNS, 0.0, math.inf, 0.4).forward == pytest.approx(0.3)
    seen = state._replace(seen=0.8)
    assert allowed_command(wanted, seen, CONFIG, PATTERNS, 0.0, math.inf, 0.4).forward > 0.4

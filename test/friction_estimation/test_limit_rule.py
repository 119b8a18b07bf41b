# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import math

import pytest

from biped_slip.friction_estimation.limits import LimitRule, LimitRuleConfig
from biped_slip.friction_estimation.types import (
    NAN,
    NO_ESTIMATE,
    NO_MEASUREMENT,
    EstimateState,
    FootMeasurement,
)

UNKNOWN = NO_ESTIMATE._replace(
    state_code=int(EstimateState.NOT_IDENTIFIABLE),
    mu_demonstrated=0.0,
    mu_q05=0.06,
    mu_median=0.2,
)
RELEASED = UNKNOWN._replace(
    mu=0.5,
    mu_low=0.05,
    mu_q05=0.44,
    mu_median=0.5,
    usable=True,
    state_code=int(EstimateState.USABLE),
)


def limits(estimates, dt=1e-3, rule=None):
    rule = rule or LimitRule()
    state = rule.initial_state()
    found = []
    for estimate in estimates:
        state, limit = rule.step(state, estimate, NO_MEASUREMENT, dt)
        found.append(limit)
    return found


def test_in_the_air_and_before_anything_is_known_it_is_the_default():
    assert limits([NO_ESTIMATE, UNKNOWN, UNKNOWN._replace(mu_demonstrated=NAN)]) == [
        0.2,
        0.2,
        0.2,
    ]


def test_released_it_is_the_smaller_of_quantile_and_share_of_the_median():
    assert limits([RELEASED]) == [pytest.approx(0.85 * 0.5)]
    assert limits([RELEASED._replace(mu_q05=0.3)]) == [0.3]


def test_a_step_above_what_was_held_is_allowed_but_none_above_the_share_of_the_median():
    assert limits(
        [RELEASED._replace(mu_demonstrated=0.25, mu_low=0.25, mu_q05=0.3)]
    ) == [pytest.approx(1.3 * 0.25)]
    assert limits([RELEASED._replace(mu_demonstrated=0.4, mu_low=0.4, mu_q05=0.3)]) == [
        pytest.approx(0.85 * 0.5)
    ]


def test_what_is_certified_but_was_not_held_yet_allows_no_step():
    assert limits(
        [RELEASED._replace(mu_demonstrated=0.2, mu_low=0.35, mu_q05=0.3)]
    ) == [0.35]
    assert limits(
        [RELEASED._replace(mu_demonstrated=NAN, mu_low=0.35, mu_q05=0.3)]
    ) == [0.35]


def test_before_it_is_usable_a_quantile_counts_up_to_the_default_only():
    doubtful = RELEASED._replace(usable=False)
    assert limits([doubtful]) == [0.2]
    assert limits([doubtful._replace(mu_q05=0.1)]) == [0.1]
    assert limits([doubtful._replace(mu_low=0.25)]) == [0.25]
    assert limits([doubtful._replace(mu_low=0.25, mu_demonstrated=0.25)] * 500)[
        -1
    ] == pytest.approx(1.3 * 0.25)


@pytest.mark.parametrize("released", [False, True])
def test_a_load_that_follows_the_limit_is_never_held_back_for_good(released):
    """Cones take a tenth off the limit, the noise's bound 3 % off the demonstrated
    friction; data say nothing."""
    rule = LimitRule()
    state = rule.initial_state()
    limit = 0.2
    ratios = []
    for _ in range(2500):
        ratios.append(0.9 * limit)
        held = 0.97 * min(ratios[-20:])
        estimate = UNKNOWN._replace(mu_demonstrated=held, mu_low=held)
        if released:
            estimate = RELEASED._replace(
                mu_demonstrated=held, mu_low=held, mu_q05=held, mu_median=0.8
            )
        state, limit = rule.step(state, estimate, NO_MEASUREMENT, 1e-3)
    assert limit > (0.85 * 0.8 - 1e-9 if released else 0.8)


@pytest.mark.parametrize("known", [UNKNOWN, RELEASED._replace(usable=False)])
def test_until_an_estimate_is_usable_it_rises_only_while_the_load_presses_against_it_and_slowly(
    known,
):
    held = known._replace(mu_demonstrated=0.25, mu_low=0.2)
    pressed = held._replace(force_ratio=0.9 * 0.25)
    loose = held._replace(force_ratio=0.5 * 0.2)
    found = limits([pressed] * 100 + [loose] * 100 + [pressed._replace(usable=True)])
    assert found[99] == pytest.approx(0.2 + 0.5 * 0.1)
    assert found[199] == found[99]
    if not math.isnan(known.mu):
        assert found[200] == pytest.approx(0.85 * 0.5)


def test_before_release_it_climbs_above_what_was_held_but_slowly():
    found = limits([UNKNOWN._replace(mu_demonstrated=0.4)] * 1000)
    assert found[99] == pytest.approx(0.2 + 0.5 * 0.1)
    assert found[-1] == pytest.approx(1.3 * 0.4)


def test_the_climb_does_not_depend_on_the_rate_of_the_samples():
    fast = limits([UNKNOWN._replace(mu_demonstrated=0.5)] * 200)
    slow = limits([UNKNOWN._replace(mu_demonstrated=0.5)] * 40, 5e-3)
    assert fast[-1] == pytest.approx(slow[-1])


def test_a_slippery_floor_lowers_it_at_once():
    assert (
        limits([UNKNOWN, RELEASED._replace(mu=0.1, mu_q05=0.08, mu_median=0.1)])[-1]
        == 0.08
    )


def test_if_told_so_only_a_usable_estimate_goes_below_the_default():
    rule = LimitRule(LimitRuleConfig(lower_when_usable=True))
    low = RELEASED._replace(mu=0.1, mu_q05=0.08, mu_median=0.1)
    assert limits([low._replace(usable=False)], rule=rule) == [0.2]
    assert limits([low._replace(usable=True)], rule=rule) == [0.08]


def test_lift_off_forgets_it():
    assert limits([RELEASED, NO_ESTIMATE, UNKNOWN])[1:] == [0.2, 0.2]


def test_its_numbers_are_parameters():
    rule = LimitRule(LimitRuleConfig(mu_default=0.1, median_share=0.5))
    assert limits([UNKNOWN, RELEASED], rule=rule) == [0.1, 0.25]


def slid(ratio, speed, told=True, seconds=0.1, misjudged=0.0, seen=True):
    """Limit after a foot has moved against its friction; ``ratio`` is a function of the
    way [m]."""
    rule = LimitRule(LimitRuleConfig(lower_when_usable=True, lower_when_sliding=told))
    dt = 1e-3
    way = 0.0
    state = rule.initial_state()
    for _ in range(round(seconds / dt)):
        way += speed * dt
        x = way if seen else NAN
        foot = FootMeasurement(
            stamp_ns=0,
            force_x=-400.0 * ratio(way),
            force_y=0.0,
            force_normal=400.0,
            displacement_x=x,
            displacement_y=0.0,
            velocity_x=speed + misjudged,
            velocity_y=0.0,
            moment_normal=0.0,
            centre_of_pressure_x=0.0,
            centre_of_pressure_y=0.0,
            angular_rate=0.0,
        )
        state, limit = rule.step(state, UNKNOWN, foot, dt)
    return limit


def test_a_foot_that_slides_holds_what_it_was_measured_to_hold_before_any_interval_is_usable():
    assert slid(lambda way: 0.05, 0.1) == pytest.approx(0.85 * 0.05)
    assert slid(lambda way: 0.05, 0.1, told=False) == 0.2


def test_a_foot_that_rests_or_whose_friction_still_grows_with_its_way_is_not_taken_to_slide():
    assert slid(lambda way: 0.05, 0.005) == 0.2
    assert slid(lambda way: 5.0 * way, 0.1) == 0.2  # a spring: 0.05 after 10 mm


def test_a_foot_whose_speed_is_misjudged_and_whose_place_stays_is_not_taken_to_slide():
    assert slid(lambda way: 0.05, 0.002, misjudged=0.1) == 0.2


def test_what_a_slide_taught_lasts_as_long_as_the_contact():
    rule = LimitRule(LimitRuleConfig(lower_when_sliding=True))
    dt = 1e-3
    state = rule.initial_state()
    moving = FootMeasurement(
        stamp_ns=0,
        force_x=-20.0,
        force_y=0.0,
        force_normal=400.0,
        displacement_x=0.0,
        displacement_y=0.0,
        velocity_x=0.1,
        velocity_y=0.0,
        moment_normal=0.0,
        centre_of_pressure_x=0.0,
        centre_of_pressure_y=0.0,
        angular_rate=0.0,
    )
    resting = moving._replace(velocity_x=0.0, force_x=-4.0)
    slide = [moving._replace(displacement_x=1e-4 * k) for k in range(100)]
    for foot in slide + [resting._replace(displacement_x=0.01)] * 100:
        state, limit = rule.step(state, UNKNOWN, foot, dt)
    assert limit == pytest.approx(0.85 * 0.05)
    state, limit = rule.step(state, NO_ESTIMATE, resting, dt)
    state, limit = rule.step(state, UNKNOWN, resting, dt)
    assert limit == 0.2


def test_a_sole_that_is_felt_but_has_no_place_is_judged_by_the_way_that_its_speed_has_gathered():
    assert slid(lambda way: 0.05, 0.1, seen=False) == pytest.approx(0.85 * 0.05)
    assert slid(lambda way: 0.05, 0.005, seen=False) == 0.2

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a sole at rest is seen to hold, and how far that lifts a limit that is too low."""

import pytest

from biped_slip.friction_estimation.limits import (
    GRIP_FACTOR,
    LimitRule,
    LimitRuleConfig,
)
from biped_slip.friction_estimation.sliding import NO_GRIP, grip_step
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FootMeasurement,
)

DT = 1e-3
TOO_LOW = NO_ESTIMATE._replace(
    mu=0.03,
    mu_low=0.0,
    mu_q05=0.02,
    mu_median=0.03,
    mu_high=0.04,
    usable=True,
    mu_demonstrated=0.0,
    state_code=int(EstimateState.USABLE),
)


def after(state, ratio, seconds, load=400.0, sliding=False):
    for _ in range(round(seconds / DT)):
        state = grip_step(state, ratio * load, load, sliding, DT)
    return state


def test_a_ratio_that_is_borne_for_long_is_held_and_stays_so_when_less_is_asked():
    state = after(NO_GRIP, 0.1, 0.2)
    assert state.held == pytest.approx(0.1, rel=1e-3)
    assert after(state, 0.01, 0.2).held == state.held


def test_a_moment_of_more_says_next_to_nothing():
    state = after(NO_GRIP, 0.04, 0.2)
    assert after(state, 0.4, 0.001).held < 0.06


def test_a_slide_refutes_what_was_held():
    assert after(after(NO_GRIP, 0.1, 0.2), 0.1, 0.001, sliding=True) == NO_GRIP


def test_what_was_held_under_little_load_is_forgotten_under_more():
    light = after(NO_GRIP, 0.1, 0.2, load=100.0)
    assert after(light, 0.02, 0.2, load=190.0).held == light.held
    assert after(light, 0.02, 0.2, load=210.0).held == pytest.approx(0.02, rel=1e-3)


def walked(mu, wanted, seconds=1.0):
    """Limits and slides of a foot on a floor of ``mu`` that is asked for what it may
    bear of the ``wanted`` ratio."""
    rule = LimitRule(LimitRuleConfig(lower_when_usable=True, lower_when_sliding=True))
    load = 800.0
    state = rule.initial_state()
    limit = 0.02
    way = 0.0
    limits = []
    for _ in range(round(seconds / DT)):
        asked = min(limit, wanted)
        speed = 0.1 if asked > mu else 0.0
        way += speed * DT
        foot = FootMeasurement(
            stamp_ns=0,
            force_x=-min(asked, mu) * load,
            force_y=0.0,
            force_normal=load,
            displacement_x=way,
            displacement_y=0.0,
            velocity_x=speed,
            velocity_y=0.0,
            moment_normal=0.0,
            centre_of_pressure_x=0.0,
            centre_of_pressure_y=0.0,
            angular_rate=0.0,
        )
        state, limit = rule.step(state, TOO_LOW, foot, DT)
        limits.append(limit)
    return limits


def test_a_limit_below_what_the_sole_bears_gives_way_step_by_step():
    limits = walked(mu=0.5, wanted=0.1)
    assert limits[0] == pytest.approx(0.02)
    assert limits[-1] == pytest.approx(GRIP_FACTOR * 0.1, rel=1e-2)


def test_it_never_passes_the_default_limit_and_never_far_the_floor():
    assert max(walked(mu=0.5, wanted=0.5)) == pytest.approx(0.2)
    assert max(walked(mu=0.05, wanted=0.1)) < 1.2 * 0.05

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A friction governor lets through what the floor holds, never more than the command,
and says why."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biped_slip.control.friction_governor import (
    BIN_WIDTH,
    STILL_TWIST,
    CommandFrictionConfig,
    FootLoad,
    FrictionGovernor,
    FrictionGovernorConfig,
    Reason,
    Twist,
    first_required,
    first_state,
    floor_step,
    foot_load,
    governor_step,
    quantile,
    required_ratio,
    share_within,
    unknown_floor,
    updated,
)
from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState

DT = 0.01
CONFIG = FrictionGovernorConfig()
NOTHING = FootLoad(math.nan, math.nan, NO_ESTIMATE)
FAST = Twist(1.0, 0.0, 0.0)


def known(mu, ratio=0.2, load=0.5):
    """A loaded foot on a floor whose friction is known."""
    estimate = NO_ESTIMATE._replace(
        mu=mu,
        mu_low=mu,
        mu_q05=mu,
        mu_median=mu,
        mu_high=mu,
        usable=True,
        force_ratio=ratio,
        state_code=int(EstimateState.USABLE),
    )
    return FootLoad(ratio, load, estimate)


def unsure(ratio=0.2, load=0.5, slipping=False):
    """A loaded foot on a floor that nobody knows."""
    code = EstimateState.SLIPPING if slipping else EstimateState.NOT_IDENTIFIABLE
    estimate = NO_ESTIMATE._replace(
        force_ratio=ratio, slipping=slipping, state_code=int(code)
    )
    return FootLoad(ratio, load, estimate)


IN_THE_AIR = unsure(math.nan, 0.0)


def governed(feet, command, seconds, governor=None):
    """Answers of a governor that sees the same for so long."""
    governor = governor or FrictionGovernor()
    return governor, [
        governor.step(command, feet, DT) for _ in range(round(seconds / DT))
    ]


def walked(governor, left, right, seconds, command=FAST):
    """Feet that stand by turns, 0.3 s each; answers."""
    answers = []
    for tick in range(round(seconds / DT)):
        first = (tick * DT) % 0.6 < 0.3
        answers.append(
            governor.step(
                command, (left, IN_THE_AIR) if first else (IN_THE_AIR, right), DT
            )
        )
    return answers


def at_speed(command):
    """A governor whose floor is known to be good, and that lets a command through."""
    governor, _ = governed((known(1.5), known(1.5)), STILL_TWIST, 0.5)
    return governed((known(1.5), known(1.5)), command, 0.5, governor)


def test_everything_passes_at_once_on_a_floor_known_to_hold():
    _, answers = at_speed(FAST)
    assert [answer.twist for answer in answers] == [FAST] * len(answers)
    assert answers[-1].reason is Reason.NONE
    assert answers[-1].sentence == "passes"


@given(
    st.lists(
        st.tuples(
            st.floats(-2, 2),
            st.floats(-1, 1),
            st.floats(-2, 2),
            st.floats(0.01, 1.0),
            st.booleans(),
        ),
        min_size=1,
        max_size=60,
    ),
)
@settings(max_examples=60, deadline=None)
def test_no_command_is_ever_raised_or_turned_to_another_direction(steps):
    governor = FrictionGovernor()
    for forward, left, turn, mu, usable in steps:
        command = Twist(forward, left, turn)
        foot = known(mu) if usable else unsure(mu)
        twist = governor.step(command, (foot, foot), DT).twist
        for out, wanted in zip(twist, command, strict=True):
            assert abs(out) <= abs(wanted) + 1e-12
            assert out * wanted >= 0.0
        np.testing.assert_allclose(np.cross(twist, command), 0.0, atol=1e-9)


@pytest.mark.parametrize("command", [FAST, Twist(-0.7, 0.2, 0.3), Twist(0.0, 0.0, 1.0)])
def test_a_better_floor_lets_no_less_through(command):
    ends = [
        governed((known(mu), known(mu)), command, 3.0)[1][-1].twist.pace
        for mu in np.linspace(0.05, 0.9, 18)
    ]
    assert np.all(np.diff(ends) >= 0.0)
    assert ends[0] == 0.0
    assert ends[-1] == command.pace


def test_what_goes_through_asks_for_no_more_than_the_floor_holds():
    governor, answers = governed((known(0.3), known(0.3)), FAST, 3.0)
    passed = answers[-1].twist
    assert 0.0 < passed.forward < 1.0
    assert required_ratio(
        governor.state.required, passed.speed, passed.turn
    ) == pytest.approx(0.3)
    assert answers[-1].reason is Reason.SLIPPERY
    assert "known to hold 0.30" in answers[-1].sentence


def test_the_worse_foot_decides():
    _, answers = governed((known(0.9), known(0.25)), FAST, 3.0)
    alone = governed((known(0.25), known(0.25)), FAST, 3.0)[1]
    assert answers[-1].twist == alone[-1].twist
    assert answers[-1].foot == 1


@pytest.mark.parametrize("speed", [0.3, 1.0, 2.0])
def test_ice_stops_it_in_bounded_time_at_the_configured_deceleration(speed):
    command = Twist(speed, 0.0, 0.0)
    governor, _ = at_speed(command)
    _, answers = governed((known(0.05), known(0.05)), command, 3.0, governor)
    paces = np.array([speed, *(answer.twist.pace for answer in answers)])
    assert np.all(np.diff(paces) >= -CONFIG.deceleration * DT - 1e-12)
    within = speed / CONFIG.deceleration + CONFIG.settled + 2 * DT
    assert paces[math.ceil(within / DT) + 1] == 0.0
    assert answers[-1].reason is Reason.NOT_EVEN_STANDING


def test_a_command_that_falls_itself_goes_through_at_once():
    governor, _ = at_speed(FAST)
    assert governor.step(STILL_TWIST, (known(0.9), known(0.9)), DT).twist == STILL_TWIST


def test_speed_is_given_back_no_faster_than_configured():
    governor, _ = governed((known(0.05), known(0.05)), FAST, 2.0)
    _, answers = governed((known(0.9), known(0.9)), FAST, 4.0, governor)
    paces = np.array([answer.twist.pace for answer in answers])
    assert np.all(np.diff(paces) <= CONFIG.acceleration * DT + 1e-12)
    assert paces[-1] == 1.0


def test_without_any_sensor_it_lets_through_what_an_unknown_floor_is_taken_to_hold():
    _, answers = governed((NOTHING, NOTHING), FAST, 20.0)
    expected = (
        CONFIG.assumed_friction - CONFIG.required.stand
    ) / CONFIG.required.per_speed
    assert {round(answer.twist.forward, 9) for answer in answers} == {
        round(expected, 9)
    }
    assert answers[-1].reason is Reason.UNKNOWN


def test_who_hears_nothing_any_more_takes_a_good_floor_for_an_unknown_one_but_not_ice_for_a_good_one():
    for mu, held in ((0.9, CONFIG.assumed_friction), (0.1, 0.1)):
        governor, _ = governed((known(mu), known(mu)), FAST, 1.0)
        _, answers = governed((NOTHING, NOTHING), FAST, CONFIG.timeout + 3.0, governor)
        assert answers[-1].holds == pytest.approx(held)
        assert not answers[-1].known


def test_what_was_held_without_a_slide_lets_speed_grow_until_all_goes_through():
    """Each stance holds what its speed asks for; nobody knows the floor."""
    governor = FrictionGovernor()
    answer = None
    for stance in range(60):
        ratio = 0.15 + 0.35 * governor.state.twist.speed
        feet = (
            (unsure(ratio), IN_THE_AIR)
            if stance % 2 == 0
            else (IN_THE_AIR, unsure(ratio))
        )
        answer = governed(feet, FAST, 0.3, governor)[1][-1]
    assert answer.twist == FAST
    assert not answer.known


def test_a_stance_that_slid_says_no_more_than_what_it_reached():
    floor = unknown_floor(CONFIG)
    for _ in range(30):
        floor, _ = floor_step(
            floor, unsure(0.345, slipping=True), (0.5, 0.0), CONFIG, DT
        )
    floor, stance = floor_step(floor, IN_THE_AIR, (0.5, 0.0), CONFIG, DT)
    assert stance.slid
    assert floor.holds == pytest.approx(0.35)  # the upper edge of its bin
    assert stance.speed == pytest.approx(0.5)


def test_one_step_onto_ice_is_enough():
    governor = FrictionGovernor()
    walked(governor, known(0.9), known(0.9), 3.0)
    before = governor.state.twist.pace
    answers = walked(governor, known(0.08), known(0.9), 0.3)
    assert before == 1.0
    assert answers[-1].twist.pace < before - 0.3
    assert answers[-1].foot == 0


def test_a_controller_that_must_keep_moving_is_slowed_down_to_its_least_speed_only():
    governor = FrictionGovernor(FrictionGovernorConfig(minimum_speed=0.4))
    _, answers = governed((known(0.05), known(0.05)), FAST, 4.0, governor)
    assert answers[-1].twist.forward == pytest.approx(0.4)
    slow = Twist(0.2, 0.0, 0.0)
    assert (
        governed((known(0.05), known(0.05)), slow, 1.0, governor)[1][-1].twist == slow
    )


def test_a_command_that_is_no_number_stops():
    _, answers = governed((known(0.9), known(0.9)), Twist(math.nan, 0.0, 0.0), 0.1)
    assert answers[-1].twist == STILL_TWIST
    assert answers[-1].reason is Reason.NO_NUMBER


def test_a_foot_whose_numbers_are_none_teaches_nothing():
    floor, stance = floor_step(
        unknown_floor(CONFIG),
        FootLoad(math.nan, 0.5, NO_ESTIMATE),
        (1.0, 0.0),
        CONFIG,
        DT,
    )
    assert stance is None
    assert floor.ratios.sum() == 0.0


def test_demand_is_found_from_the_stances_of_a_walk():
    """Stances of a known law: the prior is forgotten in favour of them."""
    config = CommandFrictionConfig(weight=0.1)
    rng = np.random.default_rng(3)
    required = first_required(config)
    for _ in range(400):
        speed = rng.uniform(0.0, 1.0)
        turn = rng.uniform(0.0, 1.0)
        ratio = 0.1 + 0.5 * speed + 0.2 * turn + rng.normal(0.0, 0.02)
        required = updated(required, config, speed, turn, ratio, False)
    np.testing.assert_allclose(required.coefficients, [0.1, 0.5, 0.2], atol=0.02)


def test_demand_never_falls_with_speed_whatever_was_seen():
    config = CommandFrictionConfig()
    rng = np.random.default_rng(4)
    required = first_required(config)
    for _ in range(200):
        speed = rng.uniform(0.0, 1.0)
        required = updated(required, config, speed, 0.0, 0.5 - 0.3 * speed, False)
    assert np.all(required.coefficients >= 0.0)
    assert required_ratio(required, 1.0, 0.0) >= required_ratio(required, 0.2, 0.0)


def test_a_slide_below_the_prediction_does_not_make_a_speed_look_cheap():
    config = CommandFrictionConfig()
    required = first_required(config)
    assert updated(required, config, 1.0, 0.0, 0.1, True) is required
    assert required_ratio(
        updated(required, config, 1.0, 0.0, 0.9, True), 1.0, 0.0
    ) > required_ratio(required, 1.0, 0.0)


def test_a_share_asks_for_exactly_the_budget():
    required = first_required(CommandFrictionConfig())
    command = Twist(0.8, 0.3, 0.5)
    share = share_within(0.3, required, command)
    part = command.scaled(share)
    assert 0.0 < share < 1.0
    assert required_ratio(required, part.speed, part.turn) == pytest.approx(0.3)


def test_a_quantile_is_that_of_the_samples_up_to_a_bin():
    samples = np.random.default_rng(5).gamma(4.0, 0.04, 4000)
    ratios, _ = np.histogram(samples, bins=100, range=(0.0, 100 * BIN_WIDTH))
    assert quantile(ratios.astype(float), 0.9) == pytest.approx(
        np.quantile(samples, 0.9), abs=BIN_WIDTH
    )


def test_a_force_becomes_ratio_and_share_of_the_weight():
    load = foot_load((3.0, 4.0, 50.0), NO_ESTIMATE, 200.0)
    assert load.force_ratio == pytest.approx(0.1)
    assert load.load_share == pytest.approx(0.25)
    assert math.isnan(foot_load((0.0, 0.0, 0.0), NO_ESTIMATE, 200.0).force_ratio)


def test_a_step_leaves_its_state_as_it_was():
    state = first_state(CONFIG)
    before = state.floors[0].ratios.copy()
    governor_step(state, FAST, (unsure(0.2), unsure(0.2)), CONFIG, DT)
    np.testing.assert_array_equal(state.floors[0].ratios, before)

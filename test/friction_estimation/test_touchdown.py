# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A foot that lands sliding tells the friction of its foothold; one that sticks tells
what it holds."""

import math
from dataclasses import replace

import numpy as np
import pytest

from biped_slip.friction_estimation.limits import FloorLimit, LimitRuleConfig
from biped_slip.friction_estimation.settings import TouchdownConfig
from biped_slip.friction_estimation.touchdown import (
    CHANGES,
    EDGE,
    NO_PLATEAU,
    SIGMAS,
    STUCK,
    TOO_SHORT,
    TouchdownEstimator,
    on_other_slope,
    touchdown_step,
)
from biped_slip.friction_estimation.types import (
    NAN,
    NO_CONTEXT,
    NO_ESTIMATE,
    NO_MEASUREMENT,
    EstimateState,
    FootMeasurement,
    Rise,
)

WEIGHT = 900.0
PERIOD = 1e-3
SIGMA = 2.7
CONFIG = TouchdownConfig(load_factor=1.0, force_sigma=SIGMA, residual_offset=0.3)


def sample(tangential, normal, velocity, across=0.0):
    """A foot that moves along x; friction holds it back."""
    return FootMeasurement(
        stamp_ns=0,
        force_x=tangential,
        force_y=across,
        force_normal=normal,
        displacement_x=0.0,
        displacement_y=0.0,
        velocity_x=velocity,
        velocity_y=0.0,
        moment_normal=0.0,
        centre_of_pressure_x=0.0,
        centre_of_pressure_y=0.0,
        angular_rate=0.0,
    )


def landing(rng, mu, slide=20, offset=(0.0, 0.0), speed=-0.2, cross_talk=0.0, stop=30):
    """A swing, an impact that slides, and a foot that comes to rest under a third of
    its friction."""
    loads = [
        *(0.2 * WEIGHT * np.sin(np.linspace(0.2, 2.9, slide))),
        *np.full(stop, 0.1 * WEIGHT),
    ]
    for _ in range(200):
        yield sample(*(np.array(offset) + SIGMA * rng.standard_normal(2)), -0.5)
    for k, load in enumerate(loads):
        sliding = k < slide
        force = mu * load if sliding else 0.3 * mu * load
        noise = SIGMA * rng.standard_normal(3)
        yield sample(
            force + cross_talk * load + offset[0] + noise[0],
            load + offset[1] + noise[1],
            speed if sliding else 0.0,
            noise[2],
        )


def answered(samples, config=CONFIG, weight=WEIGHT, behind=NAN):
    """The last answer and state; the other foot stands behind, on a floor of that
    friction."""
    estimator = TouchdownEstimator(config, weight)
    context = NO_CONTEXT._replace(friction_behind=behind)
    state = estimator.initial_state()
    for one in samples:
        state, answer = estimator.step(state, one, PERIOD, context)
    return state, answer


@pytest.mark.parametrize("mu", [0.05, 0.1, 0.3, 0.8])
def test_the_ratio_of_impulses_is_mu_and_its_spread_what_the_noise_says(mu):
    errors = []
    sigmas = []
    for seed in range(60):
        state, answer = answered(
            landing(np.random.default_rng([seed, 7]), mu, offset=(2.0, -2.0))
        )
        assert answer.usable
        assert answer.mu_low < answer.mu < answer.mu_high
        errors.append(answer.mu - mu)
        sigmas.append(state.answer.sigma)
    assert abs(np.mean(errors)) < 0.002
    assert 0.4 * np.mean(sigmas) < np.std(errors) < 1.2 * np.mean(sigmas)
    assert np.mean(np.array(errors) > 0.014 + 2.0 * np.mean(sigmas)) <= 0.02


def test_it_is_known_within_milliseconds_of_touchdown():
    slide = 20
    speed = -0.25
    samples = [*landing(np.random.default_rng(3), 0.4, speed=speed, slide=slide)]
    _, answer = answered(samples)
    assert 0.0 < answer.known_after < 0.02
    loads = [
        one.force_normal for one in samples[200 : 200 + slide]
    ]  # 200 samples of the swing before
    assert answer.test_load == pytest.approx(np.mean(loads), rel=5e-3)
    assert answer.test_speed == pytest.approx(-speed)
    assert answer.test_travel == pytest.approx(-slide * PERIOD * speed, rel=1e-9)


def late_landing(slides, mu=0.4, age=1):
    """A foot that slides with weight for that many samples, whose forces come late."""
    speeds = [*np.linspace(-0.8, -0.2, slides), *np.zeros(40)]
    forces = [(mu * 300.0, 300.0)] * slides + [(0.2 * mu * 300.0, 300.0)] * 40
    swing = [sample(0.0, 0.0, -0.8)] * 200
    late = [*[(0.0, 0.0)] * age, *forces]
    return swing + [
        sample(*force, speed) for force, speed in zip(late, speeds, strict=False)
    ]


@pytest.mark.parametrize("slides", [2, 3, 8])
def test_a_force_that_comes_late_is_paired_with_the_speed_of_when_it_acted(slides):
    """With the speed of now the last sample of every slide would pass for rest, and
    of a slide of two samples one would be left, which answers nothing."""
    paired = replace(CONFIG, driven_share=0.2, force_age=PERIOD)
    state, answer = answered(late_landing(slides), paired)
    assert state.slide.samples == slides
    assert answer.mu == pytest.approx(0.4, abs=1e-9)
    assert answer.test_speed == pytest.approx(0.8)
    unpaired, unknown = answered(late_landing(slides), replace(CONFIG, force_age=0.0))
    assert unpaired.slide.samples < slides
    assert math.isnan(unknown.mu) == (slides == 2)


def test_an_age_of_half_a_sample_pairs_with_the_mean_of_two_speeds():
    config = replace(CONFIG, driven_share=0.2, force_age=0.5 * PERIOD)
    state, _ = answered([sample(0.0, 0.0, -0.4), sample(0.0, 0.0, -0.8)], config)
    assert state.motion.speed == pytest.approx(0.6)
    assert state.motion.velocity_x == -0.8
    blind = replace(CONFIG, force_age=5.0 * PERIOD)  # the oldest that is known
    state, _ = answered([sample(0.0, 0.0, -0.4), sample(0.0, 0.0, -0.8)], blind)
    assert state.motion.speed == pytest.approx(0.4)


def test_a_velocity_that_comes_back_is_paired_with_itself():
    config = replace(CONFIG, force_age=PERIOD)
    state, _ = answered([sample(0.0, 0.0, NAN), sample(0.0, 0.0, -0.8)], config)
    assert state.motion.speed == pytest.approx(0.8)


def test_a_foot_that_sticks_gives_no_mu_but_what_it_held():
    state, answer = answered(
        landing(np.random.default_rng(5), 0.3, speed=0.0, stop=120)
    )
    assert not answer.usable
    assert math.isnan(answer.mu)
    assert answer.state_code == EstimateState.NOT_IDENTIFIABLE
    assert state.answer.doubt == STUCK
    # of 20 ms, which count by their share of a sustained load
    assert 0.15 < answer.mu_demonstrated < 0.3


def test_noise_of_a_foot_in_the_air_begins_no_contact():
    rng = np.random.default_rng(21)
    swing = (sample(*(SIGMA * rng.standard_normal(2)), -0.5) for _ in range(5000))
    estimator = TouchdownEstimator(CONFIG, WEIGHT)
    state = estimator.initial_state()
    for one in swing:
        state, answer = estimator.step(state, one, PERIOD)
        assert not state.footing.in_contact
        assert math.isnan(answer.mu)


@pytest.mark.parametrize("reach", [0.0, 0.1])
def test_a_foot_that_meets_a_ledge_in_its_slide_reads_too_high_and_a_sole_is_certified_by_less(
    reach,
):
    slide = landing(np.random.default_rng(3), 0.3, slide=20, stop=0)
    ledge = [sample(2.0 * 120.0, 120.0, v) for v in np.linspace(-0.19, -0.02, 6)]
    state, answer = answered([*slide, *ledge], replace(CONFIG, reach=reach))
    assert answer.mu > 0.4
    assert state.answer.doubt == NO_PLATEAU
    # the rest of its slide has the ledge in it, too: a point has no other end to go by
    assert (answer.mu_low < 0.3) == (reach > 0.0)


def test_a_foot_that_slides_off_an_edge_is_certified_by_the_floor_it_comes_to():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        first = [*landing(rng, 0.3, slide=12, stop=0)]
        second = [
            sample(0.05 * 120.0 + SIGMA * rng.standard_normal(), 120.0, -0.2)
            for _ in range(30)
        ]
        state, answer = answered([*first, *second], replace(CONFIG, reach=0.1))
        assert state.answer.doubt == NO_PLATEAU
        assert answer.mu_low < 0.06


@pytest.mark.parametrize("reach", [0.0, 0.1])
def test_the_stop_is_not_summed(reach):
    """A regularised contact holds a foot that is being stopped with less than mu."""
    rng = np.random.default_rng(11)
    slide = [*landing(rng, 0.5, slide=16, stop=0)]
    braked = [sample(0.1 * 120.0, 120.0, v) for v in np.linspace(-0.1, -0.07, 10)]
    _, answer = answered([*slide, *braked], replace(CONFIG, reach=reach))
    assert answer.mu == pytest.approx(0.5, abs=0.02)


def test_samples_that_bear_less_by_turns_raise_the_upper_bound_more_than_the_lower():
    """A sole that half sticks in every other sample: their mean is less than mu, which
    the interval still holds."""
    mu = 0.5
    samples = [sample(0.0, 0.0, -0.5)] * 200
    for k in range(20):
        load = 0.2 * WEIGHT
        share = 1.0 if k % 2 else 0.8
        samples.append(sample(share * mu * load, load, -0.5))
    state, answer = answered(samples)
    assert answer.mu == pytest.approx(0.9 * mu, rel=0.03)
    assert answer.mu_high > mu
    even = [*samples[:200]]
    even += [sample(answer.mu * 0.2 * WEIGHT, 0.2 * WEIGHT, -0.5)] * 20
    calm_state, calm = answered(even)
    assert calm_state.answer.less == pytest.approx(0.0, abs=1e-3)
    # below, by what 20 samples leave unknown of their mean
    of_mean = SIGMAS * state.answer.less / math.sqrt(20)
    assert 0.0 < calm.mu_low - answer.mu_low < of_mean
    assert answer.mu_high - calm.mu_high > state.answer.less
    assert calm.mu_high < answer.mu_high - 0.03
    assert state.answer.less == pytest.approx(0.1 * mu, rel=0.3)


def test_noise_across_the_slide_adds_nothing_to_mu():
    rng = np.random.default_rng(2)
    errors = []
    for _ in range(20):
        samples = [
            one._replace(force_y=25.0 * rng.standard_normal())
            for one in landing(rng, 0.1)
        ]
        errors.append(answered(samples)[1].mu - 0.1)
    assert abs(np.mean(errors)) < 0.004


def test_cross_talk_enters_one_to_one_and_its_bound_covers_it():
    _, plain = answered(landing(np.random.default_rng(8), 0.2))
    _, wrong = answered(landing(np.random.default_rng(8), 0.2, cross_talk=0.01))
    assert wrong.mu - plain.mu == pytest.approx(0.01, abs=3e-4)
    assert wrong.mu_low < 0.2


def test_two_floors_under_one_slide_are_no_plateau():
    rng = np.random.default_rng(4)
    first = [*landing(rng, 0.8, slide=20, stop=0)]
    second = [
        sample(0.1 * 150.0 + SIGMA * rng.standard_normal(), 150.0, -0.2)
        for _ in range(2)
    ]
    rising = [
        sample(x * 150.0, 150.0, -0.2) for x in np.linspace(0.8, 1.6, 30)
    ]  # ploughing
    assert answered([*first, *second])[0].answer.mu == pytest.approx(0.8, abs=0.01)
    assert answered([*first, *rising])[0].answer.doubt == NO_PLATEAU


def test_a_foot_that_bounces_is_still_landing_and_one_that_lifts_begins_anew():
    rng = np.random.default_rng(6)
    bounce = [sample(0.0, 0.0, -0.2) for _ in range(10)]
    state, _ = answered([*landing(rng, 0.3, stop=0), *bounce])
    assert state.footing.in_contact
    assert state.answer.mu == pytest.approx(0.3, abs=0.01)
    state, answer = answered(
        [*landing(rng, 0.3), *(sample(0.0, 0.0, 0.5) for _ in range(110))]
    )
    assert not state.footing.in_contact
    assert answer.state_code == EstimateState.NO_CONTACT


def test_a_sample_that_is_not_finite_changes_nothing():
    estimator = TouchdownEstimator(CONFIG, WEIGHT)
    before = answered(landing(np.random.default_rng(1), 0.3))[0]
    after, answer = estimator.step(before, NO_MEASUREMENT, PERIOD)
    assert answer.state_code == EstimateState.INVALID_INPUT
    np.testing.assert_equal(after, before)


# Made-up slides: what they measure must not depend on heading, load profile, offset;
# noise makes no bias.

LOADS = {
    "impact": 0.2 * WEIGHT * np.sin(np.linspace(0.2, 2.9, 20)),
    "level": np.full(20, 120.0),
    "rising": np.linspace(60.0, 200.0, 20),
    "two bumps": 60.0 + 100.0 * np.abs(np.sin(np.linspace(0.3, 6.0, 20))),
}
FINE = TouchdownConfig(
    force_sigma=1e-6, residual_offset=0.0, cross_talk=0.0, alignment=0.0
)
REACH = 0.1  # [m] of the sole, heel to toe: -0.1 to 0.1


def made_up(
    mu,
    loads,
    heading=math.pi,
    offset=(0.0, 0.0, 0.0),
    sigma=0.0,
    rng=None,
    speed=0.2,
    turning=(),
    place=(),
):
    """A swing, then a slide; ``mu``, ``turning`` [N m] and ``place`` of the centre of
    pressure [m] may vary over it."""
    c = math.cos(heading)
    s = math.sin(heading)
    moments = turning or np.zeros(len(loads))
    places = place if len(place) else np.zeros(len(loads))

    def noisy():
        return np.array(offset) + (sigma * rng.standard_normal(3) if sigma else 0.0)

    for _ in range(200):
        x, y, n = noisy()
        yield FootMeasurement(
            stamp_ns=0,
            force_x=x,
            force_y=y,
            force_normal=n,
            displacement_x=0.0,
            displacement_y=0.0,
            velocity_x=0.3 * c,
            velocity_y=0.3 * s,
            moment_normal=0.0,
            centre_of_pressure_x=NAN,
            centre_of_pressure_y=NAN,
            angular_rate=0.0,
        )
    for load, ratio, moment, where in zip(
        loads, np.broadcast_to(mu, len(loads)), moments, places, strict=True
    ):
        x, y, n = np.array([-ratio * load * c, -ratio * load * s, load]) + noisy()
        yield FootMeasurement(
            stamp_ns=0,
            force_x=x,
            force_y=y,
            force_normal=n,
            displacement_x=0.0,
            displacement_y=0.0,
            velocity_x=speed * c,
            velocity_y=speed * s,
            moment_normal=moment,
            centre_of_pressure_x=where,
            centre_of_pressure_y=0.0,
            angular_rate=0.0,
        )


@pytest.mark.parametrize("profile", LOADS)
@pytest.mark.parametrize("mu", [0.05, 0.4, 1.2])
def test_without_noise_it_is_mu_for_any_load_heading_and_offset(mu, profile):
    for heading in (0.0, 0.7, math.pi, -2.1):
        state, answer = answered(
            made_up(mu, LOADS[profile], heading, offset=(3.0, -2.0, 4.0)), FINE
        )
        assert answer.mu == pytest.approx(mu, rel=1e-9)
        assert (state.answer.doubt, state.answer.worse) == (0, 0.0)


def test_a_slide_turned_about_the_normal_gives_the_same_answer_with_noise():
    rng = np.random.default_rng(9)
    turn = 1.1
    c = math.cos(turn)
    s = math.sin(turn)
    first = [*made_up(0.3, LOADS["impact"], 0.2, sigma=SIGMA, rng=rng)]
    second = [
        one._replace(
            force_x=c * one.force_x - s * one.force_y,
            force_y=s * one.force_x + c * one.force_y,
            velocity_x=c * one.velocity_x - s * one.velocity_y,
            velocity_y=s * one.velocity_x + c * one.velocity_y,
        )
        for one in first
    ]
    assert answered(second)[1].mu == pytest.approx(answered(first)[1].mu, rel=1e-12)


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.8])
def test_errors_are_as_large_as_the_stated_sigma_and_the_bound_is_above_mu_in_a_fortieth(
    mu,
):
    """Noise, and what it leaves of the zero (0.21 N in 0.1 s): errors over sigma are
    chi-square; 4 sigma of chance."""
    count = 300
    config = TouchdownConfig(
        force_sigma=SIGMA, residual_offset=0.21, cross_talk=0.0, alignment=0.0
    )
    scaled = []
    above = 0
    for seed in range(count):
        rng = np.random.default_rng([seed, 30])
        state, answer = answered(
            made_up(mu, LOADS["impact"], sigma=SIGMA, rng=rng), config
        )
        assert answer.usable
        scaled.append((answer.mu - mu) / state.answer.sigma)
        above += answer.mu_low > mu
    chi_square = float(np.sum(np.square(scaled)))
    assert chi_square < count + 4.0 * math.sqrt(2.0 * count)
    # nor are they claimed to be much larger than they are
    assert chi_square > 0.5 * count
    assert above <= 0.025 * count + 4.0 * math.sqrt(0.025 * 0.975 * count)


def test_on_ice_noise_as_large_as_friction_makes_it_no_more_slippery_and_no_less():
    """The length of a small noisy force, or the samples of it that look large, would
    say 0.009 too much."""
    errors = []
    for seed in range(200):
        rng = np.random.default_rng([seed, 5])
        slide = made_up(
            0.05, LOADS["impact"], rng.uniform(-3.0, 3.0), sigma=2.7, rng=rng
        )
        errors.append(answered(slide)[1].mu - 0.05)
    assert abs(np.mean(errors)) < 0.003


def test_friction_that_turns_the_sole_counts_as_a_sum_that_noise_does_not_rectify():
    arm = 0.07
    config = TouchdownConfig(force_sigma=0.5, residual_offset=0.0, moment_arm=arm)
    loads = LOADS["level"]
    turning = 0.3 * arm * loads  # beside 0.4 along the slide: together 0.5
    assert answered(made_up(0.4, loads, turning=tuple(turning)), config)[
        1
    ].mu == pytest.approx(0.5, rel=1e-9)
    to_and_fro = 0.3 * arm * loads * (-1.0) ** np.arange(len(loads))
    assert answered(made_up(0.4, loads, turning=tuple(to_and_fro)), config)[
        1
    ].mu == pytest.approx(0.4, rel=1e-9)


def rolled(rng, heel, toe, sigma=SIGMA, count=40):
    """A landing whose centre of pressure rolls from heel to toe over the edge of a
    patch under the middle."""
    place = np.linspace(-REACH, REACH, count)
    share = 0.5 * (1.0 + place / REACH)  # of the load on the toe's half
    return made_up(
        heel + (toe - heel) * share,
        np.full(count, 150.0),
        sigma=sigma,
        rng=rng,
        place=place,
    )


EDGED = TouchdownConfig(
    force_sigma=SIGMA, residual_offset=0.0, reach=REACH, cross_talk=0.0, alignment=0.0
)


@pytest.mark.parametrize(("heel", "toe"), [(0.5, 0.1), (0.1, 0.5), (0.8, 0.3)])
def test_an_edge_under_the_sole_is_asked_at_heel_and_toe_and_the_worse_one_counts(
    heel, toe
):
    low = []
    for seed in range(100):
        state, answer = answered(
            rolled(np.random.default_rng([seed, 1]), heel, toe), EDGED
        )
        assert state.answer.doubt == EDGE
        assert answer.mu == pytest.approx(
            0.5 * (heel + toe), abs=4.0 * state.answer.sigma
        )
        assert answer.mu_median == pytest.approx(
            min(heel, toe), abs=4.0 * state.answer.sigma
        )
        low.append(answer.mu_low > min(heel, toe))
        assert answer.mu_demonstrated == 0.0
    assert np.mean(low) <= 0.025 + 4.0 * math.sqrt(0.025 * 0.975 / len(low))


def stepped(heel, toe, count=40):
    """A landing over an edge under the middle: its pressure is linear along the sole,
    which lifts nowhere."""
    place = np.linspace(-REACH, REACH, count) / 3.0
    return list(rolled_by(heel + (toe - heel) * (0.5 + 0.75 * place / REACH), place))


@pytest.mark.parametrize("heel", [0.1, 0.15, 0.4])
def test_a_heel_worse_than_the_sole_stands_on_the_floor_of_the_foot_behind_it(heel):
    config = replace(FINE, reach=REACH)
    line = answered(stepped(heel, 0.8), config)[1].mu_median
    # a line overshoots a step
    assert line < heel - 0.1 * (0.8 - heel) or line == pytest.approx(0.05)
    assert answered(stepped(heel, 0.8), config, behind=heel)[
        1
    ].mu_median == pytest.approx(heel, abs=1e-4)


def test_the_floor_behind_says_nothing_of_a_worse_toe_or_a_better_heel_and_no_more_than_half_of_a_third_floor():
    config = replace(FINE, reach=REACH)
    for slide, behind in (
        (stepped(0.8, 0.15), 0.8),
        (stepped(0.8, 0.15), 0.15),
        (stepped(0.15, 0.8), 0.6),
    ):
        assert (
            answered(slide, config, behind=behind)[1].mu_median
            == answered(slide, config)[1].mu_median
        )
    known, line = (
        answered(stepped(0.3, 0.8), config, behind=behind)[1] for behind in (0.5, NAN)
    )
    assert known.mu_median - known.mu == pytest.approx(0.5 * (line.mu_median - line.mu))


def test_one_floor_under_a_rolling_sole_is_no_edge():
    found = [
        answered(rolled(np.random.default_rng([seed, 2]), 0.4, 0.4), EDGED)[
            0
        ].answer.doubt
        for seed in range(300)
    ]
    assert np.mean([doubt == EDGE for doubt in found]) <= 0.01


def test_what_the_worse_end_holds_is_exact_without_noise_and_no_less_than_ice():
    config = replace(FINE, reach=REACH)
    for heel, toe in ((0.5, 0.1), (0.1, 0.5)):
        # it rolls by a fifth of the sole, which tells of all of it
        place = np.linspace(-0.02, 0.02, 20)
        mu = 0.3 + (toe - heel) / (2.0 * REACH) * place
        slide = rolled_by(mu, place)
        assert answered(slide, config)[1].mu_median == pytest.approx(0.1, abs=1e-4)
    steep = rolled_by(0.3 + 5.0 * place, place)
    assert answered(steep, config)[1].mu_median == pytest.approx(0.05)


def rolled_by(mu, place):
    return made_up(mu, np.full(len(place), 150.0), place=place)


def test_a_sole_that_stands_on_its_heel_or_its_toe_asks_no_other_end():
    config = replace(FINE, reach=REACH)
    for end, edge in ((0.85, False), (-0.85, False), (0.6, True), (-0.6, True)):
        place = end * REACH + np.linspace(-0.01, 0.01, 20)
        state, answer = answered(
            rolled_by(0.5 - 4.0 * (place - end * REACH), place), config
        )
        assert (state.answer.doubt == EDGE) == edge
        assert edge or answer.mu_median == answer.mu == pytest.approx(0.5)


@pytest.mark.parametrize("mu", [0.3, 0.5])
@pytest.mark.parametrize("angle", [-0.17, 0.1])
@pytest.mark.parametrize("speed", [-0.3, 0.4])
def test_a_slope_that_was_not_expected_is_taken_out_of_the_answer_once_it_is_known(
    mu, angle, speed
):
    """Forces of a foot that slides along a slope, resolved along level ground."""
    back = -math.copysign(1.0, speed)
    level_floor = Rise(x=0.0, y=0.0)
    rise = Rise(x=math.tan(angle), y=0.0)
    load = 150.0
    along = mu * load * back
    up = load
    level = (
        math.cos(angle) * along - math.sin(angle) * up,
        math.sin(angle) * along + math.cos(angle) * up,
    )
    state, answer = answered(
        [sample(0.0, 0.0, -0.5)] * 200 + [sample(*level, speed)] * 20, FINE
    )
    assert abs(answer.mu - mu) > 0.05
    known = on_other_slope(state, level_floor, rise)
    assert known.answer.mu == pytest.approx(mu, abs=1e-9)
    assert known.held <= state.held
    again = on_other_slope(known, rise, level_floor)
    assert again.answer.mu == pytest.approx(answer.mu, abs=1e-9)


def test_a_foot_in_the_air_brings_no_floor_onto_the_next_slope():
    state, _ = answered(
        [*landing(np.random.default_rng(3), 0.3), *[sample(0.0, 0.0, 0.0)] * 5]
    )
    known = on_other_slope(state, Rise(x=0.0, y=0.0), Rise(x=0.2, y=0.0))
    np.testing.assert_equal(known, state)


def test_a_bounce_keeps_the_answer_and_a_longer_flight_forgets_it():
    rng = np.random.default_rng(6)
    slide = [*landing(rng, 0.3, stop=0)]
    answer_of = answered(slide)[1].mu
    for gap, kept in ((99, True), (102, False)):
        again = [
            *(sample(0.0, 0.0, 0.0) for _ in range(gap)),
            *(sample(8.0, 90.0, 0.0) for _ in range(5)),
        ]
        answer = answered([*slide, *again])[1]
        assert (answer.mu == answer_of) == kept
        assert math.isnan(answer.mu) != kept


def test_a_slide_under_weight_takes_the_answers_place_after_a_millimetre_and_no_sooner():
    """Landed on 0.6, slid 60 ms later under half of the weight on 0.2: 1 mm at 0.1 m/s
    are 10 samples."""
    before = [*landing(np.random.default_rng(4), 0.6, stop=100)]
    slipping = [sample(0.2 * 450.0, 450.0, -0.1)] * 40
    kept = answered(before)[1].mu
    assert answered([*before, *slipping[:9]])[1].mu == kept
    state, answer = answered([*before, *slipping])
    assert answer.mu == pytest.approx(0.2, abs=5e-3)
    assert answer.slipping
    assert state.held == 0.0  # what it held before it slid is no bound any more
    rested = [sample(0.1 * 450.0, 450.0, 0.0)] * 60
    state, answer = answered([*before, *slipping, *rested])
    assert answer.mu == pytest.approx(0.2, abs=5e-3)
    assert 0.07 < state.held <= 0.1


def test_a_light_foot_that_is_dragged_after_its_landing_does_not_slip():
    before = [*landing(np.random.default_rng(4), 0.6, stop=100)]
    dragged = [sample(0.1 * 200.0, 200.0, -0.1)] * 60  # under 0.22 of the weight
    answer = answered([*before, *dragged])[1]
    assert answer.mu == answered(before)[1].mu
    assert not answer.slipping


def test_a_slide_with_too_little_impulse_says_so():
    state, answer = answered(
        made_up(0.3, np.full(3, 40.0), sigma=SIGMA, rng=np.random.default_rng(1))
    )
    assert (state.answer.doubt, answer.usable) == (TOO_SHORT, False)


def test_what_a_stuck_foot_held_is_what_it_bore_less_noise():
    load = 300.0
    sigma = SIGMA / 300.0
    for seed in range(100):
        rng = np.random.default_rng([seed, 3])
        swing = landing(rng, 0.6, slide=0, stop=0)
        stuck = (
            sample(0.4 * load + SIGMA * rng.standard_normal(), load, 0.0)
            for _ in range(150)
        )
        state, answer = answered([*swing, *stuck])
        assert (state.answer.doubt, answer.usable) == (STUCK, False)
        assert 0.4 - 4.0 * sigma < answer.mu_demonstrated < 0.4 + 1.5 * sigma


@pytest.mark.parametrize(
    ("swing", "load", "samples", "least", "most"),
    [
        (100, 300.0, 100, 0.45, 0.5),
        (100, 80.0, 100, 0.0, 0.0),  # a light load: newtons of offset are a large ratio
        (100, 300.0, 1, 0.0, 0.06),  # a spike is no hold
    ],
)
def test_what_counts_as_held_is_borne_under_load_for_a_while_by_a_sensor_whose_zero_is_known(
    swing, load, samples, least, most
):
    bears = [sample(0.5 * load, load, 0.0)] * samples
    let_go = [sample(0.0, load, 0.0)] * 30
    _, answer = answered(
        [*(sample(0.0, 0.0, 0.3) for _ in range(swing)), *bears, *let_go]
    )
    assert least <= answer.mu_demonstrated <= most


def test_motion_or_moment_that_is_not_measured_is_no_slide_and_no_moment():
    slide = [*made_up(0.3, LOADS["level"])]
    blind = [one._replace(velocity_x=NAN, velocity_y=NAN) for one in slide]
    assert math.isnan(answered(blind)[1].mu)
    config = TouchdownConfig(moment_arm=0.07)
    flat = [
        one._replace(moment_normal=NAN, velocity_y=NAN, force_y=NAN) for one in slide
    ]
    assert answered(flat, config)[1].mu == pytest.approx(0.3, rel=1e-6)


def test_what_is_certified_is_said_of_full_load_and_mu_of_the_test():
    config = TouchdownConfig(load_factor=1.0)
    soft = TouchdownConfig()
    hard, rubber = (
        answered(made_up(0.5, LOADS["level"]), one)[1] for one in (config, soft)
    )
    assert rubber.mu == hard.mu
    assert rubber.mu_median == hard.mu_median
    for name in ("mu_low", "mu_q05"):
        assert getattr(rubber, name) == pytest.approx(0.8 * getattr(hard, name))


def test_a_mass_that_is_not_known_widens_the_answer_by_its_momentum():
    unsure = TouchdownConfig(force_sigma=1e-6, residual_offset=0.0, unknown_mass=0.08)
    state, _ = answered(made_up(0.4, LOADS["level"], speed=0.2), unsure)
    impulse = PERIOD * float(np.sum(LOADS["level"]))
    assert state.answer.sigma == pytest.approx(
        math.hypot(1.0, 0.4) * 0.08 * CHANGES * 0.2 / impulse
    )


def heavier(rng, mu, mass, steps=4, heading=0.0):
    """Steps of a foot that is heavier by ``mass`` [kg] than thought: it swings, lands
    sliding, slows down, rests."""
    aloft = 400
    load = 80.0
    phase = np.linspace(0.0, math.pi, aloft)
    for _ in range(steps):
        swing = 1.2 * np.sin(phase) - 0.35 * (1.0 - np.cos(phase)) / 2.0
        slide = np.linspace(-0.35, -0.2, 60)
        speed = np.concatenate([swing, slide, np.zeros(120)])
        rate = np.gradient(speed, PERIOD)
        rate[aloft + 58 :] = 0.0
        for k, (v, a) in enumerate(zip(speed, rate, strict=True)):
            held = mu * load if aloft <= k < aloft + 60 else 0.0
            normal = load if k >= aloft else 0.0
            noise = SIGMA * rng.standard_normal(3)
            c = math.cos(heading)
            s = math.sin(heading)
            f = held - mass * a
            yield FootMeasurement(
                stamp_ns=0,
                force_x=f * c + 2.0 + noise[0],
                force_y=f * s - 1.0 + noise[1],
                force_normal=normal + noise[2],
                displacement_x=0.0,
                displacement_y=0.0,
                velocity_x=v * c,
                velocity_y=v * s,
                moment_normal=0.0,
                centre_of_pressure_x=0.0,
                centre_of_pressure_y=0.0,
                angular_rate=0.0,
            )


@pytest.mark.parametrize("heading", [0.0, 2.0])
@pytest.mark.parametrize("mass", [0.08, 0.0, -0.08])
def test_swings_weigh_the_foot_so_that_its_mass_is_no_friction(mass, heading):
    config = replace(CONFIG, unknown_mass=0.08)
    errors = []
    sigmas = []
    for seed in range(25):
        state, answer = answered(
            [*heavier(np.random.default_rng([seed, 3]), 0.1, mass, heading=heading)][
                :-120
            ],
            config,
        )
        assert state.mass_error.mass == pytest.approx(
            -mass, abs=5.0 * state.mass_error.sigma
        )
        errors.append((answer.mu - 0.1) / state.answer.sigma)
        sigmas.append(state.mass_error.sigma)
    # of 25 within two of their own sigmas, 5 % are outside
    assert np.mean(np.abs(errors) > 2.0) <= 0.2
    assert abs(np.mean(errors)) < 1.0
    assert max(sigmas) < 0.25 * config.unknown_mass
    walks = (
        [*heavier(np.random.default_rng([seed, 3]), 0.1, mass)][:-120]
        for seed in range(9)
    )
    blind = [answered(walk)[1].mu - 0.1 for walk in walks]
    # who takes the mass for known errs with it
    assert mass == 0.0 or np.mean(blind) * mass < 0.0


def lagging(seed, mu, share, mass=3.9, steps=3, span=240.0):
    """Steps of a foot whose sensor lags behind its load, inertia included, by a
    ``share`` of each change."""
    before = 0.0
    bent = 0.0
    walks = (
        heavier(np.random.default_rng([seed, 5]), mu, one, steps) for one in (mass, 0.0)
    )
    for one, other in zip(*walks, strict=True):
        inertia = other.force_x - one.force_x
        load = one.force_x  # what the sensor carries: friction less inertia
        change = load - before
        before = load
        aim = math.copysign(1.0, change)
        bent = aim + (bent - aim) * math.exp(-abs(change) / span)
        yield one._replace(force_x=load - share * span * bent + inertia)


def test_hysteresis_of_a_heavy_foot_is_within_the_interval_of_who_states_it():
    stated = replace(CONFIG, unknown_mass=0.2, lagging_mass=0.008 * 3.9)
    answers = [
        answered([*lagging(seed, 0.1, 0.008)][:-120], stated)[1] for seed in range(20)
    ]
    assert np.mean([one.mu_low > 0.1 for one in answers]) <= 0.05


def test_a_reading_that_lags_widens_the_answer_by_a_share_of_the_swings_inertia():
    swing = [sample(0.0, 0.0, 10.0 * PERIOD * k) for k in range(200)]  # 10 m/s^2
    config = replace(FINE, lagging_mass=0.03)
    loads = np.full(20, 120.0)
    state, _ = answered(
        [*swing, *(sample(0.4 * load, load, -0.2) for load in loads)], config
    )
    assert state.answer.sigma == pytest.approx(
        math.hypot(1.0, 0.4) * 0.03 * math.sqrt(2.0) * 10.0 / 120.0, rel=1e-4
    )


@pytest.mark.parametrize("place", [-0.1, 0.0, 0.04])
def test_a_moment_that_leaks_counts_by_its_arm(place):
    leak = 0.1
    loads = LOADS["level"]
    shown = [
        one._replace(force_x=one.force_x + leak * place * one.force_normal)
        for one in made_up(0.3, loads, heading=0.0, place=np.full(loads.size, place))
    ]
    exact = replace(
        CONFIG, force_sigma=1e-9, residual_offset=0.0, cross_talk=0.0, alignment=0.0
    )
    state, answer = answered(shown, replace(exact, moment_leak=leak))
    assert state.answer.sigma == pytest.approx(
        leak * abs(place) / math.sqrt(3.0), abs=1e-9
    )
    assert abs(answer.mu - 0.3) <= SIGMAS * state.answer.sigma + 1e-9


def test_a_moment_that_leaks_is_no_edge():
    loads = np.full(40, 150.0)
    place = np.linspace(-0.08, 0.08, 40)
    shown = [
        one._replace(force_x=one.force_x + 0.1 * x * one.force_normal)
        for one, x in zip(
            made_up(0.3, loads, place=place),
            [*np.zeros(200), *place, *np.zeros(999)],
            strict=False,
        )
    ]
    certain = replace(EDGED, force_sigma=0.3, residual_offset=0.0)
    assert answered(shown, certain)[0].answer.doubt == EDGE
    assert answered(shown, replace(certain, moment_leak=0.1))[0].answer.doubt != EDGE


@pytest.mark.compiled
def test_the_kernel_is_the_plain_python_it_was_made_from():
    rng = np.random.default_rng(12)
    settings = TouchdownEstimator(EDGED, WEIGHT).settings
    context = NO_CONTEXT._replace(cross_talk=0.002, friction_behind=0.3)
    for samples in (
        rolled(rng, 0.5, 0.2),
        landing(rng, 0.3, stop=120),
        heavier(rng, 0.3, 0.1),
    ):
        quick = slow = TouchdownEstimator.start
        for one in samples:
            quick, answer = touchdown_step(quick, settings, one, PERIOD, context)
            slow, expected = touchdown_step.py_func(
                slow, settings, one, PERIOD, context
            )
            np.testing.assert_allclose(answer, expected, rtol=1e-12)
        np.testing.assert_allclose(
            [
                *quick.slide[:-1],
                *quick.slide.spread,
                *quick.footing.zero,
                *quick.mass_error,
            ],
            [
                *slow.slide[:-1],
                *slow.slide.spread,
                *slow.footing.zero,
                *slow.mass_error,
            ],
            rtol=1e-12,
        )


KNOWN = NO_ESTIMATE._replace(
    mu=0.5,
    mu_low=0.42,
    mu_q05=0.44,
    mu_median=0.5,
    usable=True,
    mu_demonstrated=0.0,
    state_code=int(EstimateState.USABLE),
)


def test_a_foot_that_has_stood_since_the_start_has_demonstrated_nothing():
    """No swing has told its sensor's zero, whatever it bears."""
    for aloft in (0, 1, 20):  # milliseconds from which it is set down
        _, answer = answered(
            [*[sample(0.0, 0.0, 0.0)] * aloft, *[sample(0.5 * 300.0, 300.0, 0.0)] * 100]
        )
        assert math.isnan(answer.mu_demonstrated)


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (NO_ESTIMATE, 0.2),  # in the air: the default
        # on the floor since the start: whatever ice holds
        (
            KNOWN._replace(usable=False, mu_demonstrated=NAN),
            0.06,
        ),
        (NO_ESTIMATE._replace(mu_demonstrated=0.15), 0.2),
        (NO_ESTIMATE._replace(mu_demonstrated=0.35), 0.35),  # stuck: what it held
        (KNOWN._replace(usable=False), 0.2),
        (KNOWN, 0.85 * 0.5),  # the share of the median is the smaller one
        (KNOWN._replace(mu_q05=0.3), 0.3),  # the quantile is
        (KNOWN._replace(mu_q05=0.07, mu_median=0.1), 0.07),  # below the default at once
        # uncertain, as on an edge: what ice holds
        (
            KNOWN._replace(mu_q05=0.0, mu_median=0.05),
            0.04,
        ),
        (KNOWN._replace(mu_q05=0.02, mu_median=0.04), 0.85 * 0.04),
        (KNOWN._replace(mu_q05=0.02, mu_median=0.05, mu_demonstrated=0.045), 0.045),
        (KNOWN._replace(mu_demonstrated=0.47), 0.47),  # it has held more since
        (KNOWN._replace(mu_demonstrated=NAN), min(0.85 * 0.5, 0.44)),
    ],
)
def test_the_limit_of_a_known_floor_is_its_quantile_a_share_of_the_median_or_what_was_held_since(
    estimate, expected
):
    limit = FloorLimit(LimitRuleConfig(mu_default=0.2, median_share=0.85))
    _, found = limit.step(limit.initial_state(), estimate, NO_MEASUREMENT, PERIOD)
    assert found == pytest.approx(expected)


STANDS = KNOWN._replace(usable=False, mu_demonstrated=NAN)


def limits_on(ways, estimates):
    """Limits of a foot that is at these places [m], sample by sample."""
    limit = FloorLimit(LimitRuleConfig())
    state = limit.initial_state()
    found = []
    for way, estimate in zip(ways, estimates, strict=True):
        measurement = NO_MEASUREMENT._replace(displacement_x=0.6 * way)
        measurement = measurement._replace(displacement_y=0.2 + 0.8 * way)
        state, value = limit.step(state, estimate, measurement, PERIOD)
        found.append(value)
    return found


def test_a_foot_that_creeps_where_it_stands_may_push_less():
    """Its first load moves it: the floor holds less than what was taken for safe."""
    found = limits_on([0.0, 2e-3, -2e-3, 4e-3, 0.0], [STANDS] * 5)
    assert found == pytest.approx([0.06, 0.06, 0.06, 0.04, 0.04])


def test_what_crept_is_ice_until_the_floor_has_answered():
    estimates = [STANDS, STANDS, NO_ESTIMATE, STANDS, KNOWN, STANDS]
    found = limits_on([0.0, 5e-3, NAN, 0.1, 0.1, 0.1], estimates)
    assert found == pytest.approx([0.06, 0.04, 0.2, 0.04, 0.85 * 0.5, 0.06])


def test_where_the_other_foot_has_stepped_a_place_is_no_creeping():
    """Both soles are compared with each other, and one of them has moved."""
    found = limits_on([0.0, NAN, 0.1, 0.12], [STANDS] * 4)
    assert found == pytest.approx([0.06] * 4)


def test_a_foot_that_lands_is_no_foot_that_creeps():
    """A slide at landing asks the floor; a place is looked at since the start alone."""
    found = limits_on([0.0, NAN, 0.1, 0.12], [STANDS, NO_ESTIMATE, STANDS, STANDS])
    assert found == pytest.approx([0.06, 0.2, 0.06, 0.06])


def test_a_force_that_is_older_than_the_speed_counts_once_the_foot_slid_when_it_was_felt():
    """A foot that sticks bears less than mu: forces of that time, shown as it slides
    on, would read low."""
    delay = 3
    speeds = [-0.3] * 203 + [0.0] * 8 + [-0.3] * 12
    forces = (
        [(0.0, 0.0)] * (200 + delay)
        + [(60.0, 150.0)] * 3
        + [(30.0, 150.0)] * 8
        + [(60.0, 150.0)] * 12
    )
    samples = [
        sample(*force, speed)
        for force, speed in zip(forces, speeds + speeds[-delay:], strict=True)
    ]
    late = answered(samples, replace(CONFIG, force_delay=delay * PERIOD))[1]
    assert late.mu == pytest.approx(0.4, abs=1e-6)
    assert answered(samples)[1].mu < 0.38


def test_what_is_learnt_of_cross_talk_narrows_the_interval_and_unequal_scales_widen_it():
    samples = [*landing(np.random.default_rng(8), 0.5)]
    wide = answered(samples)[1]
    estimator = TouchdownEstimator(CONFIG, WEIGHT)
    context = NO_CONTEXT._replace(cross_talk=0.001)
    state = estimator.initial_state()
    for one in samples:
        state, narrow = estimator.step(state, one, PERIOD, context)
    scaled = answered(samples, replace(CONFIG, gain=0.02))[1]
    assert wide.mu_low < narrow.mu_low < narrow.mu == wide.mu == scaled.mu
    expected = 4.0 * (0.01**2 + 0.004**2) / 3.0 - 4.0 * 0.001**2
    assert (wide.mu - wide.mu_low) ** 2 - (
        narrow.mu - narrow.mu_low
    ) ** 2 == pytest.approx(expected, rel=1e-6)
    assert (scaled.mu - scaled.mu_low) ** 2 - (
        wide.mu - wide.mu_low
    ) ** 2 == pytest.approx(4.0 * 2.0 / 3.0 * (0.02 * wide.mu) ** 2, rel=1e-6)


LOW_PASS = 5e-3
FILTERED = replace(CONFIG, force_low_pass=LOW_PASS, force_delay=LOW_PASS)


def turning_landing(mu=0.25, turn=120.0):
    """A foot whose slide turns by that rate [rad/s], its forces through a low pass."""
    share = 1.0 - math.exp(-PERIOD / LOW_PASS)
    shown = np.zeros(3)
    swing = sample(0.0, 0.0, 0.5)
    yield from [swing] * 200
    for k in range(20):
        heading = turn * PERIOD * k
        way = np.array([math.cos(heading), math.sin(heading)])
        load = 400.0 if k < 6 else 100.0
        shown = shown + share * (np.array([*(-mu * load * way), load]) - shown)
        yield swing._replace(
            force_x=shown[0],
            force_y=shown[1],
            force_normal=shown[2],
            velocity_x=0.5 * way[0],
            velocity_y=0.5 * way[1],
        )


def test_friction_through_a_low_pass_is_sought_along_the_motion_of_when_it_acted():
    """Along the motion of now a slide that turns shows too little."""
    _, answer = answered(turning_landing(), FILTERED)
    assert answer.mu == pytest.approx(0.25, abs=1e-6)
    _, of_now = answered(turning_landing(), replace(FILTERED, force_low_pass=0.0))
    assert of_now.mu < 0.22


def test_a_foot_that_another_witness_sees_in_the_air_is_in_no_contact():
    """A load of noise would else keep the contact, and its answer, through a swing."""
    estimator = TouchdownEstimator(CONFIG, WEIGHT)
    state = estimator.initial_state()
    for one in landing(np.random.default_rng(3), 0.3):
        state, answer = estimator.step(state, one, PERIOD, NO_CONTEXT)
    assert answer.usable
    noisy = sample(0.0, 0.05 * WEIGHT, 0.5)
    _, kept = estimator.step(state, noisy, PERIOD, NO_CONTEXT)
    assert kept.usable
    _, ended = estimator.step(state, noisy, PERIOD, NO_CONTEXT._replace(in_air=True))
    assert ended.state_code == int(EstimateState.NO_CONTACT)


def hopping(speed, aloft=300):
    """A landing on 0.06 whose foot then bears nothing for so many samples, moving at
    that speed, and comes down lightly, driven along by less than friction."""
    yield from landing(np.random.default_rng(4), 0.06, slide=60)
    yield from [sample(0.0, 0.0, speed)] * aloft
    yield from [sample(0.01 * 0.08 * WEIGHT, 0.08 * WEIGHT, -0.07)] * 40


@pytest.mark.parametrize(
    ("speed", "stays"), [(0.0, True), (-0.05, True), (-0.3, False), (NAN, False)]
)
def test_a_foot_that_neither_bears_nor_moves_still_stands_where_it_landed(speed, stays):
    """Let go of at once, it bears nothing for a tenth of a second and is not lifted;
    what it is dragged by as it comes down again is less than friction."""
    _, answer = answered(hopping(speed), replace(CONFIG, lifted_speed=0.06))
    assert (answer.mu == pytest.approx(0.06, abs=0.01)) is stays
    _, by_load = answered(hopping(speed))
    assert not by_load.mu > 0.03


def test_a_foot_seen_in_the_air_ends_its_contact_however_slowly_it_moves():
    estimator = TouchdownEstimator(replace(CONFIG, lifted_speed=0.06), WEIGHT)
    state = estimator.initial_state()
    for one in landing(np.random.default_rng(4), 0.06, slide=60):
        state, _ = estimator.step(state, one, PERIOD, NO_CONTEXT)
    lifted = NO_CONTEXT._replace(in_air=True)
    _, answer = estimator.step(state, sample(0.0, 0.0, 0.0), PERIOD, lifted)
    assert answer.state_code == int(EstimateState.NO_CONTACT)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floor under the last steps: which answers it is taken from, and their mean."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.contact_state import NO_FOOT_CONTACT
from biped_slip.friction_estimation.recent_floor import (
    HALF_WIDTHS,
    MOST_ANSWERS,
    NO_FLOOR,
    recent_floor,
    with_answer,
)
from biped_slip.friction_estimation.types import NO_ESTIMATE


def estimate(mu, half, usable=True):
    return NO_ESTIMATE._replace(
        mu=mu, mu_median=mu, mu_low=mu - half, mu_high=mu + half, usable=usable
    )


def answers(*given):
    """Of stances (foot, touchdown, mu, half width), answered 10 ns after touchdown."""
    kept = ()
    for foot, touchdown, mu, half in given:
        contact = NO_FOOT_CONTACT._replace(touchdown_ns=touchdown)
        kept = with_answer(kept, foot, touchdown + 10, estimate(mu, half), contact)
    return kept


def test_before_the_first_answer_nothing_is_known():
    assert recent_floor(()) == NO_FLOOR
    assert math.isnan(NO_FLOOR.mu)


def test_one_answer_is_the_floor():
    floor = recent_floor(answers((0, 1000, 0.4, 0.1)))
    assert floor.mu == pytest.approx(0.4)
    assert (floor.mu_low, floor.mu_high) == pytest.approx((0.3, 0.5))
    assert (floor.answers, floor.answered_ns) == (1, 1010)


def test_equal_answers_keep_their_interval_for_their_errors_may_be_one():
    steps = [(k % 2, 1000 * k, 0.4, 0.1) for k in range(1, 5)]
    floor = recent_floor(answers(*steps))
    assert floor.mu == pytest.approx(0.4)
    assert (floor.mu_low, floor.mu_high) == pytest.approx((0.3, 0.5))


def test_a_sharp_answer_weighs_by_the_square_of_its_interval():
    floor = recent_floor(answers((0, 1000, 0.40, 0.04), (1, 2000, 0.41, 0.02)))
    assert floor.mu == pytest.approx((0.40 + 4.0 * 0.41) / 5.0)
    assert floor.mu_high - floor.mu == pytest.approx((0.04 + 4.0 * 0.02) / 5.0)


def test_answers_that_differ_by_more_than_they_say_widen_the_interval_by_birges_ratio():
    floor = recent_floor(answers((0, 1000, 0.2, 0.05), (1, 2000, 0.6, 0.05)))
    birge = HALF_WIDTHS * np.sqrt(2 * (0.2 / 0.05) ** 2)
    assert floor.mu == pytest.approx(0.4)
    assert floor.mu_high - 0.4 == pytest.approx(birge * 0.05)
    assert floor.mu_low == 0.0  # no floor has less


def test_only_the_last_answers_count_of_whichever_foot():
    steps = [(0, 1000, 0.9, 0.05)] + [(1, 1000 * k, 0.3, 0.05) for k in range(2, 6)]
    floor = recent_floor(answers(*steps))
    assert floor.answers == MOST_ANSWERS == 4
    assert floor.mu == pytest.approx(0.3)
    assert floor.answered_ns == 5010


def test_a_stance_has_one_answer_its_last():
    kept = answers((0, 1000, 0.5, 0.1), (1, 2000, 0.4, 0.1))
    contact = NO_FOOT_CONTACT._replace(touchdown_ns=1000)
    kept = with_answer(kept, 0, 3000, estimate(0.42, 0.1), contact)
    floor = recent_floor(kept)
    assert floor.answers == 2
    assert floor.mu == pytest.approx(0.41)
    assert floor.answered_ns == 2010  # when a stance was answered first


@pytest.mark.parametrize(
    "poor",
    [
        NO_ESTIMATE,
        estimate(0.4, 0.1, usable=False),
        estimate(0.4, math.inf),
    ],
)
def test_an_estimate_without_a_usable_interval_is_no_answer(poor):
    assert with_answer((), 0, 10, poor, NO_FOOT_CONTACT) == ()


def test_intervals_cover_the_floor_however_many_steps_share_an_error():
    """Each robot errs by one error in all of its landings and by another in each."""
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(2000):
        errors = rng.normal() * 0.03 + 0.03 * rng.normal(size=4)
        half = 1.96 * math.hypot(0.03, 0.03)
        steps = [(k % 2, 1000 * k + 1, 0.4 + e, half) for k, e in enumerate(errors)]
        floor = recent_floor(answers(*steps))
        inside += floor.mu_low <= 0.4 <= floor.mu_high
    assert inside >= 0.95 * 2000

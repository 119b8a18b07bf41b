# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is told of listening to policies: answers of landings, floors that change."""

import math

import pytest

from biped_slip.friction_estimation.types import NO_ESTIMATE
from studies.policies import PolicyJob
from studies.policy_friction import (
    NO_ANSWER,
    Answer,
    Footfall,
    Heard,
    rows,
    steps_until_known,
)

JOB = PolicyJob("folder", "walker", "here", 1.0, 12.0, 0, onto=0.25)
DRY = Answer(0.95, 0.8, 1.05)
ICE = Answer(0.24, 0.2, 0.27)


def heard(truth, answers):
    """A walk whose three sources said the same."""
    return Heard(
        job=JOB,
        time=12.0,
        truth=tuple(truth),
        both=tuple(answers),
        ankles=tuple(answers),
        currents=tuple(answers),
        fault="",
    )


@pytest.mark.parametrize(
    ("answers", "steps"),
    [
        ([DRY, ICE, ICE, DRY], [1, 1]),
        ([DRY, DRY, ICE, DRY], [2, 1]),  # what the floor before held is no answer
        ([DRY, NO_ANSWER, ICE, DRY], [2, 1]),
        ([DRY, ICE, ICE, NO_ANSWER], [1, 2]),  # one more than there were
    ],
)
def test_a_floor_is_known_again_with_the_step_whose_interval_holds_it(answers, steps):
    assert steps_until_known(heard([1.0, 0.25, 0.25, 1.0], answers), "both") == steps


def test_a_floor_that_stays_is_never_another_one():
    walk = heard([1.0, 1.0], [DRY, NO_ANSWER])
    assert steps_until_known(walk, "currents") == []
    assert math.isnan(rows([walk])[0].again)


def test_each_answer_is_compared_with_the_floor_under_its_sole():
    walk = heard([1.0, 0.25, 1.0], [DRY, ICE, ICE])
    row = rows([walk])[0]
    assert row.answered == 1.0
    assert row.excluded == pytest.approx(1.0 / 3.0)  # ice where it was dry
    assert row.high == 0.0
    assert row.again == 2


def test_a_landing_keeps_the_last_answer_of_its_first_tenth_of_a_second():
    foot = Footfall()
    known = NO_ESTIMATE._replace(mu=0.3, mu_low=0.2, mu_high=0.4)
    for tick in range(1200, 1400):
        load = 0.0 if tick < 1250 else 100.0
        said = NO_ESTIMATE if tick < 1260 else known._replace(mu=0.001 * tick)
        foot.step(1e-3 * tick, load, 0.25, {"both": said})
    (landed,) = foot.found
    assert landed.truth == 0.25
    assert landed.time == pytest.approx(1.25)
    assert landed.answers["both"].mu == pytest.approx(1.35)
    assert math.isnan(landed.answers["currents"].mu)

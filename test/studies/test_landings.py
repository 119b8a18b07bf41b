# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding landings: the truth that answers are held against, and what is known before a
foot carries."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.types import NO_ESTIMATE
from studies.landings import (
    DRY,
    FLOORS,
    LEAST,
    MOST,
    NAN,
    Floor,
    Job,
    Known,
    Landing,
    Walked,
    Watch,
    drawn_floors,
    kinetic_ratio,
    rows,
    walk_once,
)

WEIGHT = 100.0
NOTHING = Known(NO_ESTIMATE, "stuck")
SOMETHING = Known(NO_ESTIMATE._replace(mu=0.3, mu_low=0.28), "none")


def test_the_truth_is_the_kinetic_ratio_under_full_load():
    load = 55.0
    truth = {
        name: kinetic_ratio(floor, floor.mu, load) for name, floor in FLOORS.items()
    }
    assert kinetic_ratio(Floor(0.37), 0.37, load) == 0.37
    # rubber's mu is that at full load, a peak has passed
    for name in (
        "rubber",
        "static peak",
    ):
        assert truth[name] == pytest.approx(FLOORS[name].mu, rel=1e-3)
    assert truth["loose"] == pytest.approx(0.3 + 20.0 * 0.005, abs=5e-3)
    assert truth["oil film"] < 0.5 * FLOORS["oil film"].mu
    # in grain axes the slip back is (1, -0.6)/sqrt 2, the force along it (1 + 0.36)/2
    # over its length
    slope = 0.6**2
    assert truth["grained"] == pytest.approx(
        0.5 * (1.0 + slope) / math.sqrt(2.0 * (1.0 + slope)), rel=1e-3
    )


def test_drawn_floors_are_log_uniform_and_more_of_them_begin_with_the_same():
    floors = drawn_floors(4000, np.random.default_rng(3))
    assert drawn_floors(20, np.random.default_rng(3)) == floors[:20]
    assert min(floors) >= LEAST
    assert max(floors) <= MOST
    middle = math.sqrt(LEAST * MOST)
    assert np.mean(np.array(floors) < middle) == pytest.approx(0.5, abs=0.03)


def followed(loads, known_from):
    """Ticks and what was known of each landing of the left foot; the right one swings."""
    watch = Watch(WEIGHT)
    found = []
    for tick, load in enumerate(loads):
        known = SOMETHING if tick >= known_from else NOTHING
        found += [
            (tick, borne)
            for foot, borne in watch.landed((load, 0.0), (known, NOTHING))
            if foot == 0
        ]
    return found


STANDING = [60.0] * 300
SWING = [0.0] * 60
# impact, bounce, a light slide, weight
LANDING = [40.0] * 10 + [0.0] * 5 + [8.0] * 30 + [60.0] * 100


def test_a_landing_is_a_step_and_counts_once_and_not_the_standing_start():
    found = followed(STANDING + SWING + LANDING + SWING + LANDING, 0)
    first = len(STANDING + SWING) + 45 + 20 - 1
    assert [tick for tick, _ in found] == [first, first + len(LANDING + SWING)]


def test_known_is_what_was_known_as_the_weight_began_to_come_impacts_left_out():
    touchdown = len(STANDING + SWING)
    for delay, known, after in ((12, True, 12.0), (45, True, 45.0), (46, False, NAN)):
        ((_, borne),) = followed(STANDING + SWING + LANDING, touchdown + delay)
        np.testing.assert_equal(borne.after, after)
        assert math.isfinite(borne.known.estimate.mu) == known


def test_a_foot_that_never_bears_a_quarter_has_not_landed():
    assert followed(STANDING + SWING + [0.24 * WEIGHT] * 300, 0) == []


def test_rows_count_answers_and_certificates_above_the_truth_a_floor_and_in_total():
    landings = (
        Landing(truth=0.3, answer=0.31, low=0.28, doubt="none", after=20.0),
        Landing(truth=0.3, answer=0.35, low=0.32, doubt="none", after=30.0),
        Landing(truth=0.3, answer=NAN, low=NAN, doubt="stuck", after=NAN),
    )
    walks = [
        Walked(
            Job(robot="planar", floor=DRY, mu=0.3, seed=0, sensors="", seconds=1.0),
            False,
            landings,
        ),
        Walked(
            Job(robot="planar", floor=DRY, mu=0.1, seed=0, sensors="", seconds=1.0),
            True,
            (Landing(truth=0.1, answer=0.1, low=0.08, doubt="none", after=50.0),),
        ),
    ]
    ice, dry, total = rows(walks)
    assert (dry.mu, dry.landings, dry.known, dry.after, dry.above) == (
        0.3,
        3,
        2 / 3,
        25.0,
        0.5,
    )
    assert dry.doubts == "none 2, stuck 1"
    assert dry.error == pytest.approx(0.03)
    assert (ice.mu, ice.error, ice.fell) == (0.1, 0.0, 1)
    assert (
        total.floor,
        total.fell,
        total.walks,
        total.landings,
        total.known,
        total.after,
    ) == (
        "all",
        1,
        2,
        4,
        0.75,
        30,
    )


def test_rivals_are_compared_with_the_same_truth():
    landings = (
        Landing(
            truth=0.3,
            answer=0.31,
            low=0.28,
            doubt="none",
            after=5.0,
            rivals=(0.35, NAN),
        ),
        Landing(
            truth=0.1, answer=0.1, low=0.08, doubt="none", after=5.0, rivals=(0.11, NAN)
        ),
    )
    row, _ = rows(
        [
            Walked(
                job=Job(
                    robot="planar",
                    floor=DRY,
                    mu=0.3,
                    seed=0,
                    sensors="",
                    seconds=1.0,
                    onto=0.1,
                ),
                fell=False,
                landings=landings,
                slip=0.002,
                speed=0.4,
            )
        ]
    )
    assert row.rivals == "thesis 2 of 2, +0.030 +- 0.020; slip 0 of 2"
    assert (row.floor, row.slip, row.speed) == ("dry onto 0.1 after", 0.002, 0.4)


@pytest.mark.slow
def test_the_planar_biped_knows_a_slippery_patch_by_each_landing_and_does_not_slide():
    """Onto 0.1, on MuJoCo's floor: the truth of a landing is that of its place."""
    pytest.importorskip("mujoco")
    walked = walk_once(
        Job(
            robot="planar",
            floor=DRY,
            mu=0.8,
            seed=1,
            sensors="realistic",
            seconds=6.0,
            onto=0.1,
            contact="mujoco",
        )
    )
    assert {one.truth for one in walked.landings} == {0.8, 0.1}
    assert not walked.fell
    assert all(abs(one.answer - one.truth) < 0.05 for one in walked.landings)
    assert walked.slip < 0.01
    assert all(len(one.rivals) == 2 for one in walked.landings)


@pytest.mark.slow
def test_the_planar_biped_knows_a_dry_floor_and_overrates_rubber():
    """A light foot on rubber slides at more than a loaded one: the answer is of the
    load of the test."""
    for floor, mu, low, high in ((DRY, 0.3, -0.02, 0.02), ("rubber", 0.5, 0.02, 0.15)):
        walked = walk_once(
            Job(
                robot="planar",
                floor=floor,
                mu=mu,
                seed=1,
                sensors="realistic",
                seconds=5.0,
            )
        )
        row, _ = rows([walked])
        assert not walked.fell
        assert row.landings >= 4
        assert low < row.error < high

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding landings on floors as they are: the truth that answers are held against, and when they are read."""

import math

import pytest

from studies.floors import FLOORS, NAN, Job, Landing, Walked, Watch, kinetic_ratio, rows, surface, walk_once


def test_the_truth_is_the_kinetic_ratio_under_full_load():
    load = 55.0
    truth = {name: kinetic_ratio(surface(floor, load), floor.mu, load) for name, floor in FLOORS.items()}
    for name in ("dry 0.1", "dry 0.8", "rubber", "static peak"):  # rubber's mu is that at full load, a peak has passed
        assert truth[name] == pytest.approx(FLOORS[name].mu, rel=1e-3)
    assert truth["loose"] == pytest.approx(0.3 + 20.0 * 0.005, abs=5e-3)
    assert truth["oil film"] < 0.5 * FLOORS["oil film"].mu
    slope = 0.6**2  # in grain axes the slip back is (1, -0.6)/sqrt 2, the force along it (1 + 0.36)/2 over its length
    assert truth["grained"] == pytest.approx(0.5 * (1.0 + slope) / math.sqrt(2.0 * (1.0 + slope)), rel=1e-3)


def test_an_answer_is_read_40_ms_after_touchdown_and_bounces_are_no_landings():
    watch, found = Watch(), []
    loads = [10.0] * 30 + [0.0] * 60 + [5.0] * 3 + [0.0] * 5 + [20.0] * 100 + [0.0] * 60 + [9.0] * 20
    for tick, load in enumerate(loads):
        found += [tick for foot in watch.landed((load, 0.0)) if foot == 0]
    assert found == [90 + 40]


def test_a_row_counts_answers_and_certificates_above_the_truth():
    landings = (Landing(0.3, 0.31, 0.28, "none"), Landing(0.3, 0.35, 0.32, "none"), Landing(0.3, NAN, NAN, "stuck"))
    (row,) = rows([Walked(Job("planar", "dry 0.3", 0, "", 1.0), False, landings)])
    assert (row.landings, row.answered, row.above, row.doubts) == (3, 2 / 3, 0.5, "none 2, stuck 1")
    assert row.error == pytest.approx(0.03)


@pytest.mark.slow
def test_the_planar_biped_knows_a_dry_floor_and_overrates_rubber():
    """A light foot on rubber slides at more than a loaded one: the answer is of the load of the test."""
    for floor, low, high in (("dry 0.3", -0.02, 0.02), ("rubber", 0.02, 0.1)):
        walked = walk_once(Job("planar", floor, 1, "realistic", 5.0))
        (row,) = rows([walked])
        assert not walked.fell
        assert row.landings >= 4
        assert low < row.error < high

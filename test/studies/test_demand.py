# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What walks ask of the floor beside the pendulum's least: the table from walks that
are made up, and its file."""

import math

import pytest

from biped_slip.control.whole_body.gait_patterns import Pendulum, peak_ratio
from studies.demand import (
    DEMAND,
    DemandJob,
    DemandOutcome,
    Steps,
    demand_table,
    walker_of,
)

STEPS = Steps(0.5, 0.4, 0.11)


def outcome(speed, peak, fell=False, seed=0):
    """One walk as it might have ended."""
    return DemandOutcome(
        job=DemandJob("talos", 0.4, "interval", seed),
        fell=fell,
        speed=speed,
        peak=peak,
        steps=STEPS,
    )


def test_a_row_is_the_mean_of_the_walks_that_did_not_fall_beside_the_least_for_their_speed():
    walks = [
        outcome(0.38, 0.16),
        outcome(0.42, 0.18, seed=1),
        outcome(0.1, 0.9, fell=True, seed=2),
    ]
    (row,) = demand_table(walks)
    assert (row.runs, row.fell, row.commanded) == (3, 1, 0.4)
    assert (row.speed, row.peak) == (pytest.approx(0.4), pytest.approx(0.17))
    assert 0.0 < row.any_steps <= row.same_steps
    walker = walker_of("talos")
    time = STEPS.single_support + STEPS.double_support
    roll = 2.0 * walker.half_length / (0.4 * time)
    pendulum = Pendulum(walker.height, math.sqrt(9.81 / walker.height), roll)
    straight = peak_ratio(
        0.4 * time, walker.width, STEPS.single_support, STEPS.double_support, pendulum
    )
    # a ZMP that goes straight is one of those that the program chooses from
    assert row.same_steps < straight


def test_where_every_walk_fell_nothing_is_claimed():
    (row,) = demand_table([outcome(0.1, 0.9, fell=True)])
    assert all(math.isnan(value) for value in (row.speed, row.peak, row.same_steps))


def test_a_walk_in_the_file_is_found_and_one_at_another_speed_is_not(tmp_path):
    path = tmp_path / "demand.jsonl"
    walked = outcome(0.4, 0.2)
    DEMAND.file(path).add(walked)
    assert DEMAND.file(path).find(walked.job) == walked
    assert DEMAND.file(path).find(DemandJob("talos", 0.5, "interval", 0)) is None

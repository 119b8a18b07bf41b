# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the closed loop count what they say they count."""

import math

import pytest

from biped_slip.simulation.planar.job import PlanarJob, PlanarOutcome
from biped_slip.simulation.planar.summary import StanceEstimate, WalkSummary
from studies.estimator import closed_loop
from studies.estimator.closed_loop import CONSTANT, FLAT, UPHILL


def contact(mu, released=True, demand=None, known=None, limit=0.5, low=0.4, alone=None):
    return StanceEstimate(
        foot="left",
        start=0.0,
        end=1.0,
        mu_true=mu,
        mu_hat=None,
        demand_time=demand,
        mu_at_demand=known,
        usable_from=None,
        alone_from=alone,
        released_from=0.2 if released else None,
        limit_at_release=limit if released else None,
        mean_limit=limit,
        largest_limit=limit if released else None,
        largest_low=low,
    )


def outcome(scenario, limit, seed, passed, contacts=(), mu=0.5, slip=0.0):
    summary = WalkSummary(False, 12.0, 6.0, slip, (), tuple(contacts), 0.0)
    return PlanarOutcome(PlanarJob(scenario, limit, seed), summary, passed, (1.0, mu))


def test_passes_are_counted_in_bands_of_the_patch():
    walks = [
        outcome(FLAT, "none", 0, True, mu=0.7),
        outcome(FLAT, "none", 1, False, mu=0.3, slip=0.01),
        outcome(FLAT, "none", 2, True, mu=0.3),
        outcome(FLAT, "none", 3, True, mu=0.4),
    ]
    (row,) = closed_loop.passes(walks)
    assert (row.runs, row.passed, row.slipped) == (4, 3, 1)
    assert row.by_patch == ((1, 2), (1, 1), (1, 1))


def test_stances_are_counted_on_their_own_floor():
    stances = [
        contact(1.0, limit=0.8),
        contact(0.5, limit=0.4, demand=0.5, known=0.45),
        contact(0.5, limit=0.6, demand=0.5, low=0.55),
        contact(0.5, released=False, limit=0.2),
    ]
    start, patch = closed_loop.floors([outcome(FLAT, "interval", 0, True, stances)])
    assert (start.floor, start.stances, start.released, start.limit_at_release) == (
        "start",
        1,
        1.0,
        0.8,
    )
    assert math.isnan(start.in_time)
    assert (patch.stances, patch.demanded) == (3, 2)
    assert patch.released == pytest.approx(2 / 3)
    assert patch.limit_at_release == pytest.approx(1.0)
    assert patch.limit_over_stance == pytest.approx((0.8 + 1.2 + 0.4) / 3)
    assert (patch.in_time, patch.limit_above_mu, patch.low_above_mu) == (0.5, 0.5, 0.5)
    assert patch.largest_low == pytest.approx(1.1)


def test_release_counts_against_the_moment_the_foot_carries_all():
    stances = [
        contact(1.0),
        contact(1.0, alone=0.3),
        contact(1.0, alone=0.1),
        contact(1.0, alone=0.3, released=False),
    ]
    start, _ = closed_loop.floors([outcome(FLAT, "interval", 0, True, stances)])
    assert start.before_weight == pytest.approx(1 / 3)


def test_a_limit_without_an_estimate_behind_it_is_never_released():
    for row in closed_loop.floors([outcome(FLAT, CONSTANT, 0, True, [contact(1.0)])]):
        assert math.isnan(row.released)


def test_the_interval_is_held_against_the_oracle_uphill():
    walks = [outcome(FLAT, "interval", seed, seed > 0) for seed in range(20)]
    walks += [outcome(UPHILL, CONSTANT, seed, seed < 5) for seed in range(20)]
    walks += [outcome(UPHILL, "oracle", seed, seed < 10) for seed in range(20)]
    walks += [outcome(UPHILL, "interval", seed, seed < 9) for seed in range(20)]
    flat, constant, uphill = closed_loop.requirements(closed_loop.passes(walks))
    assert (flat.ours, flat.met) == (0.95, True)
    assert (constant.ours, constant.met) == (0.25, False)
    assert (uphill.ours, uphill.met) == (pytest.approx(0.9), True)


def test_every_limit_meets_the_same_floors():
    jobs = closed_loop.jobs(3, 100)
    assert len(jobs) == 2 * 6 * 3
    assert {job.seed for job in jobs} == {100, 101, 102}


def test_the_limit_seldom_passes_mu_where_soles_remember_reversals():
    """Walks of 12 s on Iwan's contact onto mu .25 to 1, their feet on presliding alone."""
    walks = [
        PlanarJob(
            FLAT, "interval", seed, (("plant.contact", "hunt_crossley + iwan"),)
        ).run()
        for seed in range(40, 50)
    ]
    assert all(walk.passed for walk in walks)
    _, patch = closed_loop.floors(walks)
    # 2 % are wanted; stances of one walk are alike
    assert patch.limit_above_mu <= 0.02 + 0.04

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The lowest mu counts only while every higher one passes, too."""

from biped_slip.simulation.planar.job import PlanarOutcome
from biped_slip.simulation.planar.summary import WalkSummary
from studies.estimator import closed_loop
from studies.estimator.closed_loop import FLAT


def test_four_of_five_at_it_and_above():
    assert closed_loop.lowest([(0.6, 5), (0.4, 4), (0.3, 4), (0.2, 3)]) == 0.3
    assert closed_loop.lowest([(0.6, 5), (0.4, 3), (0.3, 5)]) == 0.6
    assert closed_loop.lowest([(0.6, 3), (0.4, 5)]) is None


def test_it_goes_down_until_too_few_replicas_pass():
    """Replicas that pass above a mu that is each limit's own; seed 0 always fails."""
    bounds = {"constant:0.2": 9.0, "thesis": 0.55, "interval": 0.17, "oracle": 0.0}
    upright = WalkSummary(False, 12.0, 6.0, 0.0, (), (), 0.0)
    walked = []

    def walk(jobs):
        walked.extend(jobs)
        floors = [dict(job.changes)["ground.mu"] for job in jobs]
        return [
            PlanarOutcome(
                job, upright, job.seed > 0 and floor[1] > bounds[job.limit], floor
            )
            for job, floor in zip(jobs, floors, strict=True)
        ]

    rows = {row.limit: row for row in closed_loop.search(walk) if row.scenario == FLAT}
    assert {limit: row.lowest for limit, row in rows.items()} == {
        "constant:0.2": None,
        "thesis": 0.6,
        "interval": 0.18,
        "oracle": closed_loop.TRIED[-1],
    }
    assert rows["thesis"].passed == ((1.0, 4), (0.8, 4), (0.6, 4), (0.5, 0))
    assert len(rows["constant:0.2"].passed) == 1
    assert {dict(job.changes)["ground.mu"][0] for job in walked} == set(
        closed_loop.START.values()
    )
    assert not walked[0].nominal().spread.last_mu


def test_variations_change_what_they_name_and_nothing_else():
    noisy = closed_loop.force_noise()[-1]
    (job, *_) = closed_loop.varied_jobs([noisy], 1)
    changed = job.nominal()
    plain = closed_loop.replicas(FLAT, "interval", 0.4, 0)[0].nominal()
    assert changed.sensors.force_noise == changed.interval.force.sigma > 0.9
    assert (
        changed.sensors.foot_displacement_noise == plain.sensors.foot_displacement_noise
    )

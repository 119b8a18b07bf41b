# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The lowest mu counts only while every higher one passes, too."""

from biped_slip.simulation.campaign import Outcome
from biped_slip.simulation.summary import WalkSummary
from biped_slip.studies import loop_variations, lowest_mu
from biped_slip.studies.closed_loop import FLAT


def test_four_of_five_at_it_and_above():
    assert lowest_mu.lowest([(0.6, 5), (0.4, 4), (0.3, 4), (0.2, 3)]) == 0.3
    assert lowest_mu.lowest([(0.6, 5), (0.4, 3), (0.3, 5)]) == 0.6
    assert lowest_mu.lowest([(0.6, 3), (0.4, 5)]) is None


def test_replicas_are_counted_at_their_mu():
    jobs = [job for job in lowest_mu.jobs() if job.scenario == FLAT and job.limit == "interval"]
    assert [job.nominal().ground.mu for job in jobs[:: lowest_mu.REPLICAS]] == [(1.0, mu) for mu in lowest_mu.TRIED]
    upright = WalkSummary(False, 12.0, 6.0, 0.0, (), (), 0.0)
    (row,) = lowest_mu.rows([Outcome(j, upright, j.nominal().ground.mu[1] > 0.2, j.nominal().ground.mu) for j in jobs])
    assert row.lowest == 0.22
    assert dict(row.passed)[0.2] == 0


def test_variations_change_what_they_name_and_nothing_else():
    noisy = loop_variations.force_noise()[-1]
    (job, *_) = loop_variations.jobs([noisy], 1)
    changed, plain = job.nominal(), lowest_mu.jobs()[0].nominal()
    assert changed.sensors.force_noise == changed.interval.force.sigma > 0.9
    assert changed.sensors.foot_displacement_noise == plain.sensors.foot_displacement_noise
    off, on = (loop_variations.jobs([v], 1)[0].nominal() for v in loop_variations.probing())
    assert (off.controller.probing.enabled, on.controller.probing.enabled) == (False, True)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances, slides and demands are read from a log as defined."""

import json

import numpy as np
import pytest

from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.summary import WalkSummary, summarise
from biped_slip.simulation.stances import stances

TIME = np.arange(0.0, 1.0, 1e-3)


def log_with(normal_left, x_left):
    log = WalkLog(planar_biped("thesis"), TIME.size)
    log.length = TIME.size
    log.time[:] = TIME
    log.normal[:, 0] = normal_left
    log.foot_x[:, 0] = x_left
    log.foot_vx[:, 0] = np.gradient(x_left, TIME)
    log.mu_true[:] = 0.4
    return log


def loaded(*spans):
    normal = np.zeros(TIME.size)
    for start, end in spans:
        normal[(start <= TIME) & (end > TIME)] = 20.0
    return normal


def test_short_gaps_are_bridged_and_short_contacts_left_out():
    spans = [
        (TIME[s.start], TIME[s.stop - 1])
        for s in stances(TIME, loaded((0.1, 0.3), (0.315, 0.5), (0.6, 0.65)))
    ]
    np.testing.assert_allclose(spans, [(0.1, 0.499)])


def test_slides_are_measured_without_landing_and_lift_off():
    # half a metre within the first 50 ms after landing
    x = np.where(TIME < 0.14, 0.5, 0.0)
    x = x + 0.03 * np.clip((TIME - 0.3) / 0.1, 0.0, 1.0) + 0.2 * (TIME > 0.49)
    summary = summarise(log_with(loaded((0.1, 0.5)), x), False, 0.0)
    assert summary.max_stance_slip == pytest.approx(0.03)
    (slip,) = summary.slips
    assert slip.foot == "left"
    assert (slip.start, slip.end) == pytest.approx((0.3, 0.4), abs=3e-3)
    assert slip.distance == pytest.approx(0.03, rel=0.03)


def test_the_estimate_in_force_at_the_time_of_demand_is_the_last_flagged_one():
    log = log_with(loaded((0.1, 0.9)), np.zeros(TIME.size))
    log.foot_x[:, 1] = 0.5  # the left foot is the rear one
    log.wanted_ratio[:, 0] = TIME  # passes 0.9 · 0.4 at 0.36 s
    fields = FrictionEstimate._fields
    log.estimates[:, 0, fields.index("mu")] = np.where(TIME < 0.3, 0.38, 0.9)
    log.estimates[:, 0, fields.index("flag")] = (TIME > 0.2) & (TIME < 0.3)
    log.estimates[:, 0, fields.index("usable")] = TIME > 0.25
    (contact,) = summarise(log, False, 0.0).contacts
    assert contact.demand_time == pytest.approx(0.361)
    assert contact.mu_at_demand == pytest.approx(0.38)
    assert contact.usable_from == pytest.approx(0.251)


def test_release_is_when_the_limit_begins_to_follow_an_estimate():
    log = log_with(loaded((0.1, 0.9)), np.zeros(TIME.size))
    fields = FrictionEstimate._fields
    known = TIME > 0.5
    log.limit[:, 0] = np.where(known, 0.3 + 0.1 * (TIME > 0.7), 0.2)
    log.estimates[:, 0, fields.index("mu")] = np.where(known, 0.4, np.nan)
    log.estimates[:, 0, fields.index("mu_q05")] = 0.3
    log.estimates[:, 0, fields.index("mu_low")] = np.where(TIME > 0.3, 0.25, np.nan)
    (contact,) = summarise(log, False, 0.0).contacts
    assert contact.released_from == pytest.approx(0.501)
    assert (
        contact.limit_at_release,
        contact.largest_limit,
        contact.largest_low,
    ) == pytest.approx((0.3, 0.4, 0.25))
    assert contact.mean_limit == pytest.approx(
        (0.4 * 0.2 + 0.2 * 0.3 + 0.2 * 0.4) / 0.8, abs=1e-3
    )


def test_a_summary_survives_a_detour_through_json():
    x = 0.03 * np.clip((TIME - 0.3) / 0.1, 0.0, 1.0)
    summary = summarise(log_with(loaded((0.1, 0.5)), x), False, 0.0)
    assert summary.slips
    assert (
        WalkSummary.from_mapping(json.loads(json.dumps(summary.to_mapping())))
        == summary
    )


def test_an_empty_log_is_a_fall_at_once():
    summary = summarise(WalkLog(planar_biped("thesis"), 5).trim(), True, 0.0)
    assert summary.fell
    assert summary.contacts == ()

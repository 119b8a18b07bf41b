# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What joints between both feet could know at best, and the stances of a walk that are
asked for it."""

import math

import numpy as np
import pytest

from biped_slip.friction_estimation.types import FrictionEstimate
from studies.estimator.sensing import (
    Followed,
    Meeting,
    Seen,
    judged,
    path,
    pushed,
    walk_bound,
)

SEEN = Seen(2e-5, 1.0)


def meeting(largest, samples=150, mu=0.5):
    """Feet of 300 N that push against each other with half a sine up to a share of
    their limit."""
    ratio = np.zeros((samples, 2))
    ratio[:, 0] = largest * mu * np.sin(np.linspace(0.0, math.pi, samples))
    normal = np.full(samples, 300.0)
    return Meeting(
        ratio=ratio, normal=normal, other_ratio=-ratio, other_normal=normal, other_mu=mu
    )


def test_the_path_along_a_line_is_dahls_curve():
    """x = (s_p/3) ln 1/(1 - u/mu)."""
    ratio = np.zeros((4000, 2))
    ratio[:, 1] = np.linspace(0.0, 0.45, 4000)
    moved, soft = path(ratio, 0.5, 1e-3)
    assert moved[-1] == pytest.approx((0.0, 1e-3 / 3.0 * math.log(10.0)), rel=1e-3)
    assert soft[-1] == pytest.approx(1.0 / (1.0 - 0.81), rel=1e-2)


def test_what_is_learnt_grows_with_the_load_and_with_the_sensor():
    bounds = [walk_bound([meeting(share)], 0.5, SEEN) for share in (0.3, 0.6, 0.9)]
    assert bounds[0] > 3.0 * bounds[1] > 9.0 * bounds[2]
    other_floor = walk_bound([meeting(0.6)._replace(other_mu=0.5001)], 0.5, SEEN)
    assert other_floor > 20.0 * bounds[1], (
        "of two like feet on floors of their own nobody sees which gave way"
    )
    assert walk_bound([meeting(0.6)], 0.5, Seen(1e-4, 1.0)) > 2.0 * bounds[1]
    assert walk_bound([], 0.5, SEEN) == math.inf


def test_feet_that_push_against_each_other_go_to_the_weaker_limit_and_no_further():
    idle = meeting(0.1)
    tried, force = pushed(idle._replace(other_mu=0.3), 0.5, 0.9)
    assert force == pytest.approx((0.27 + 0.05) * 300.0, abs=5.0), (
        "against what they carry already"
    )
    assert np.abs(tried.other_ratio).max() <= 0.27 + 1e-9
    assert tried.ratio[:, 0] * 300.0 == pytest.approx(-tried.other_ratio[:, 0] * 300.0)
    harder, _ = pushed(idle, 0.5, 0.9)
    assert walk_bound([harder], 0.5, SEEN) < 0.2 * walk_bound([idle], 0.5, SEEN)


def test_a_stance_is_judged_by_its_load_its_certificate_and_when_it_was_usable():
    ticks = 700
    time = np.arange(ticks) * 1e-3
    normal = np.full((ticks, 2), 200.0)
    normal[600:] = 0.0
    ratio = np.zeros((ticks, 2, 2))
    said = np.zeros((ticks, 2, len(FrictionEstimate._fields)))
    ratio[:, 0, 0] = np.linspace(0.0, 0.35, ticks)
    fields = FrictionEstimate._fields
    said[250:, 0, fields.index("usable")] = 1.0
    said[400:, 0, fields.index("mu_low")] = 0.33
    said[:, 0, fields.index("mu_demonstrated")] = 0.1
    mu = np.full((ticks, 2), 0.3)
    limit = np.full((ticks, 2), 0.2)
    moved = np.zeros((ticks, 2, 2))
    walk = Followed(
        time=time,
        ratio=ratio,
        normal=normal,
        mu=mu,
        said=said,
        limit=limit,
        moved=moved,
        weight=400.0,
        seen=SEEN,
    )
    left, right = judged(walk, 0.0)
    assert left.demanded
    assert left.in_time
    assert left.over == pytest.approx(1.1)
    assert left.held == pytest.approx(1.0 / 3.0)
    assert (right.demanded, right.in_time, right.over) == (False, False, 0.0)
    assert left.bound < 0.1

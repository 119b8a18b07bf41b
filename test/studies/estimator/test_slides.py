# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A slide is found by its motion where mu varies along it, and a constant force ratio
is none."""

import pytest

from studies.estimator import certificate
from studies.estimator.conditions import P2, P3

COUNT = 100


@pytest.mark.parametrize("sensors", [P2, P3], ids=["5 um", "20 um"])
def test_slides_over_a_mu_that_varies_are_found_and_seldom_before_they_begin(sensors):
    slow, before = certificate.sliding(sensors, 0.02, COUNT, seed=21)
    fast, _ = certificate.sliding(sensors, 0.2, COUNT, seed=22)
    assert slow >= 0.8 - 0.1
    assert fast >= 0.98
    assert before <= 0.05


@pytest.mark.parametrize(
    "share",
    [(0.2, 0.8), (certificate.HELD, certificate.HELD)],
    ids=["slope", "controller"],
)
def test_a_ratio_that_stays_is_no_slide(share):
    assert certificate.standing(P2, share, 2 * COUNT, seed=23) <= 0.01

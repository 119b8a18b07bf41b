# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Divergent component of motion: closed form against integration, convergence, what only a foothold can take."""

import math

import numpy as np
import pytest

from biped_slip.control.whole_body.footsteps import dcm_before, dcm_reference, uncontrollable_error, wanted_zmp

OMEGA = 3.4


def integrated(dcm, zmp_from, zmp_to, duration, steps=20000):
    """``xi' = omega (xi - p)`` by the midpoint rule, an independent way."""
    dt = duration / steps
    for i in range(steps):
        middle = zmp_from + (i + 0.5) / steps * (zmp_to - zmp_from)
        half = dcm + 0.5 * dt * OMEGA * (dcm - (zmp_from + i / steps * (zmp_to - zmp_from)))
        dcm = dcm + dt * OMEGA * (half - middle)
    return dcm


def test_the_closed_form_is_what_integration_gives():
    start, end = np.array([0.1, -0.05]), np.array([0.4, 0.08])
    target = np.array([0.35, 0.02])
    dcm = dcm_before(target, start, end, 0.6, OMEGA)
    assert integrated(dcm, start, end, 0.6) == pytest.approx(target, abs=1e-6)


def test_a_plan_that_ends_at_rest_ends_on_its_last_pivot():
    zmps = np.array([[0.0, 0.0], [0.0, 0.1], [0.0, 0.1], [0.5, -0.1], [0.5, -0.1], [0.5, 0.0]])
    durations = np.array([0.3, 0.6, 0.1, 0.6, 0.8])
    dcm = dcm_reference(zmps, durations, OMEGA)
    for i, duration in enumerate(durations):
        dcm = integrated(dcm, zmps[i], zmps[i + 1], duration)
    assert dcm == pytest.approx(zmps[-1], abs=1e-4)


def test_standing_over_the_pivot_is_its_own_reference():
    zmps = np.array([[0.2, 0.1], [0.2, 0.1]])
    assert dcm_reference(zmps, np.array([1.0]), OMEGA) == pytest.approx([0.2, 0.1])


def test_the_feedback_lets_the_error_decay_at_its_gain():
    error, zmp, gain = np.array([0.03, -0.02]), np.zeros(2), 4.0
    rate = OMEGA * (error - wanted_zmp(error, np.zeros(2), zmp, OMEGA, gain))
    assert rate == pytest.approx(-gain * error)


@pytest.mark.parametrize("error", [0.0, 0.01, -0.04, 0.2])
def test_what_the_pivot_cannot_correct_is_what_is_left_under_full_reach(error):
    reach, remaining = 0.05, 0.4
    left = uncontrollable_error(error, reach, remaining, OMEGA)
    best = error * math.exp(OMEGA * remaining) - math.copysign(reach, error) * (math.exp(OMEGA * remaining) - 1.0)
    expected = best if best * error > 0.0 else 0.0
    assert left == pytest.approx(expected, abs=1e-12)

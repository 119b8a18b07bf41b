# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Divergent component of motion: closed form against integration, convergence."""

import numpy as np
import pytest

from biped_slip.control.whole_body.dcm import dcm_before, wanted_zmp

OMEGA = 3.4


def integrated(dcm, zmp_from, zmp_to, duration, steps=20000):
    """``xi' = omega (xi - p)`` by the midpoint rule, an independent way."""
    dt = duration / steps
    for i in range(steps):
        middle = zmp_from + (i + 0.5) / steps * (zmp_to - zmp_from)
        half = dcm + 0.5 * dt * OMEGA * (
            dcm - (zmp_from + i / steps * (zmp_to - zmp_from))
        )
        dcm = dcm + dt * OMEGA * (half - middle)
    return dcm


def test_the_closed_form_is_what_integration_gives():
    start = np.array([0.1, -0.05])
    end = np.array([0.4, 0.08])
    target = np.array([0.35, 0.02])
    dcm = dcm_before(target, start, end, 0.6, OMEGA)
    assert integrated(dcm, start, end, 0.6) == pytest.approx(target, abs=1e-6)


def test_standing_over_the_zmp_is_its_own_reference():
    zmp = np.array([0.2, 0.1])
    assert dcm_before(zmp, zmp, zmp, 1.0, OMEGA) == pytest.approx(zmp)


def test_the_feedback_lets_the_error_decay_at_its_gain():
    error = np.array([0.03, -0.02])
    zmp = np.zeros(2)
    gain = 4.0
    rate = OMEGA * (error - wanted_zmp(error, np.zeros(2), zmp, OMEGA, gain))
    assert rate == pytest.approx(-gain * error)

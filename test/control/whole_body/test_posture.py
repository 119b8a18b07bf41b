# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints that come back to a posture, and a waist that must not swing up."""

import numpy as np
import pytest

from biped_slip.control.whole_body.tasks import GainConfig, posture_acceleration

NOBODY = np.zeros(0, dtype=np.int64)
SECOND = np.array([1])


def path_of(damping, share=1.0, seconds=3.0, dt=1e-3):
    """Angles of a joint and a waist that are let go at 1 rad, of whose wish only a
    ``share`` is granted."""
    gains = GainConfig(waist_damping=damping).packed
    angle = np.ones(2)
    rate = np.zeros(2)
    angles = []
    for _ in range(round(seconds / dt)):
        rate += (
            dt * share * posture_acceleration(np.zeros(2), angle, rate, SECOND, gains)
        )
        angle = angle + dt * rate
        angles.append(angle)
    return np.array(angles)


def test_joints_come_back_without_swinging_over():
    joint = path_of(20.0)[:, 0]
    assert joint[-1] == pytest.approx(0.0, abs=1e-6)
    assert joint.min() > -1e-3


def test_a_waist_with_the_damping_of_joints_moves_like_one():
    angles = path_of(20.0)
    np.testing.assert_allclose(angles[:, 0], angles[:, 1], atol=1e-12)
    some = np.array([0.3, -0.2])
    gains = GainConfig().packed
    plain, with_waist = (
        posture_acceleration(some, some[::-1].copy(), some, w, gains)
        for w in (NOBODY, SECOND)
    )
    np.testing.assert_allclose(plain, with_waist)


def test_a_waist_that_is_granted_a_twentieth_needs_more_damping_not_to_swing_over():
    assert path_of(20.0, 0.05)[:, 1].min() < -0.3
    assert path_of(80.0, 0.05)[:, 1].min() > -0.1

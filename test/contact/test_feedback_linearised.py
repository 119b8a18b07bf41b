# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The feedback-linearised contact: cone, least norm, gains that are refused."""

import math

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.constants import GRAVITY
from biped_slip.contact.feedback_linearised import (
    FeedbackConfig,
    contact_space,
    linearising_forces,
    project_on_cone,
)
from biped_slip.errors import InvalidParameter


def test_the_cone_projection_keeps_the_direction_and_never_pulls():
    rng = np.random.default_rng(0)
    for force in rng.normal(0.0, 10.0, (200, 3)):
        kept = project_on_cone(force, 0.6)
        assert kept[2] == max(force[2], 0.0)
        assert math.hypot(kept[0], kept[1]) <= 0.6 * kept[2] + 1e-12
        assert kept[0] * force[1] == pytest.approx(kept[1] * force[0], abs=1e-9)
        assert kept[0] * force[0] >= 0.0


def test_redundant_points_get_the_forces_of_least_norm():
    """Four corners of a box: rank 6 of 12; the resultant still lifts the box as
    desired."""
    corners = np.array([(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.05, 0.05)])
    jacobian = np.vstack(
        [np.hstack((np.eye(3), -pin.skew(corner))) for corner in corners]
    )
    mass = np.diag([5.0, 5.0, 5.0, 0.01, 0.02, 0.02])
    weight = np.array([0.0, 0.0, -5.0 * GRAVITY, 0.0, 0.0, 0.0])
    space = contact_space(mass, weight, np.zeros(6), jacobian, np.zeros(12))
    forces = linearising_forces(
        space, np.zeros(4), np.zeros((4, 3)), np.full(4, 0.7), 500.0, 250.0, 0.0, 1e-10
    )
    np.testing.assert_allclose(forces, [[0.0, 0.0, 5.0 * GRAVITY / 4]] * 4, atol=1e-9)


def test_gains_without_meaning_are_refused():
    with pytest.raises(InvalidParameter, match="k_p is -1"):
        FeedbackConfig(k_p=-1.0)
    with pytest.raises(InvalidParameter, match="k_v is 0"):
        FeedbackConfig(k_v=0.0)

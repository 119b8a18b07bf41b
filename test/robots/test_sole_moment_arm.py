# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The moment that a sole's area holds against closed forms and random points."""

import numpy as np
import pytest

from biped_slip.robots.humanoid import moment_arm


def test_a_disc_holds_two_thirds_of_its_radius():
    angle = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
    assert moment_arm(
        0.1 * np.column_stack((np.cos(angle), np.sin(angle)))
    ) == pytest.approx(0.2 / 3.0, rel=1e-4)


@pytest.mark.parametrize("half", [(0.1, 0.065), (0.13, 0.03)])
def test_a_box_holds_the_mean_distance_of_its_points_wherever_its_frame_is(half):
    points = np.random.default_rng(0).uniform(-1.0, 1.0, (200_000, 2)) * half
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + (0.03, -0.01)
    mean = np.linalg.norm(points, axis=1).mean()
    assert moment_arm(corners) == pytest.approx(mean, rel=3e-3)
    assert moment_arm(corners[::-1]) == pytest.approx(moment_arm(corners), rel=1e-12)


def test_a_point_holds_none():
    assert moment_arm(np.zeros((1, 2))) == 0.0

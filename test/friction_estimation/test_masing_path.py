# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The path of a contact that remembers its reversals, against closed forms and against
springs with sliders."""

import itertools

import numpy as np
import pytest

from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import IntervalConfig, SoleModel
from biped_slip.friction_estimation.interval.grid import follow_load, masing_path
from biped_slip.friction_estimation.interval.model import build
from synthetic import contacts

WEIGHT = 350.0


def walked(course, node=40, shape=1.0, axes=2):
    """Path of one node under a course of the force ratio in units of its mu, shape
    (samples, 2)."""
    sole = SoleModel(calibrated=True, shape=shape, least_shape=0.0, masing=1.0)
    model = build(IntervalConfig(sole=sole, axes=axes), WEIGHT)
    filters = grid.new_filters(model)
    grid.touch_down(filters, model)
    path = np.zeros_like(filters.path)
    found = []
    for u in model.mu[node] * np.asarray(course, dtype=float):
        follow_load(filters, model, u[0], u[1])
        masing_path(filters, model, filters.play, u[0], u[1], path)
        found.append(path[:, node].copy())
    return np.array(found)


def on_a_line(levels, count=40):
    """Straight from one level to the next, from 0."""
    ends = np.append(0.0, levels)
    along = np.concatenate(
        [np.linspace(a, b, count + 1)[1:] for a, b in itertools.pairwise(ends)]
    )
    return np.column_stack([along, 0.0 * along])


@pytest.mark.parametrize("shape", [0.4, 1.0, 1.7])
@pytest.mark.parametrize("axes", [1, 2])
def test_a_first_load_follows_the_pull_curve_exactly(shape, axes):
    course = on_a_line([0.95])
    v = course[:, 0]
    exact = (
        -np.log(1.0 - v)
        if shape == 1.0
        else (1.0 - (1.0 - v) ** (1.0 - shape)) / (1.0 - shape)
    )
    np.testing.assert_allclose(
        walked(course, shape=shape, axes=axes)[:, 0], exact, rtol=1e-9
    )


def test_a_reversal_doubles_the_pull_curve_and_a_closed_loop_is_forgotten():
    course = on_a_line([0.9, -0.3, 0.5, -0.3])
    path = walked(course)[:, 0]
    top = -np.log(0.1)
    # from 0.9 down to -0.3
    assert path[79] == pytest.approx(top + 2.0 * np.log(1.0 - 0.6), abs=0.03)
    # up again to 0.5
    assert path[119] - path[79] == pytest.approx(-2.0 * np.log(1.0 - 0.4), abs=0.03)
    assert path[159] == pytest.approx(path[79], abs=1e-9)  # and back: the loop closes
    beyond = walked(on_a_line([0.9, -0.3, 0.5, -0.3, 0.95]))[-1, 0]
    # past the largest load nothing is remembered
    assert beyond == pytest.approx(-np.log(0.05), rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_in_the_plane_it_moves_nearly_as_springs_with_sliders_do(seed):
    """Plays in series and sliders in parallel are the same on a line alone; under loads
    that turn, nearly."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0.0, 1.0, 300)
    waves = [
        rng.normal()
        * np.sin(rng.uniform(2.0, 12.0) * time + np.array([[0.0], [0.7 * k]]))
        for k in range(3)
    ]
    course = np.sum(waves, axis=0).T
    course = (
        0.9 * (course - course[0]) / np.max(np.linalg.norm(course - course[0], axis=1))
    )
    yields, stiffness = contacts.elements("iwan")
    moved = np.zeros_like(course)
    contacts.parallel(course, np.ones(300), yields, stiffness, moved)
    assert np.max(np.abs(walked(course) - moved)) < 0.15 * np.max(
        np.linalg.norm(moved, axis=1)
    )


def test_a_turned_load_turns_the_path():
    course = np.column_stack(
        [
            np.sin(np.linspace(0.0, 5.0, 60)) * 0.7,
            np.cos(np.linspace(0.0, 3.0, 60)) * 0.4 - 0.4,
        ]
    )
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    np.testing.assert_allclose(
        walked(course @ turn.T), walked(course) @ turn.T, atol=1e-12
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts and contacts as complementarity problems, against measured tables, brute
force and published problems."""

import itertools
import math

import numpy as np
import pytest
from quantecon.optimize.lcp_lemke import lcp_lemke

from biped_slip.contact.complementarity import (
    box_problem,
    box_response,
    contact_forces,
    impact,
)

CORNERS = np.array([(x, y, -0.05) for x in (-0.12, 0.12) for y in (-0.05, 0.05)])
INERTIA = np.diag(
    [5.0] * 3 + [5 / 3 * (0.05**2 + 0.05**2)] + [5 / 3 * (0.12**2 + 0.05**2)] * 2
)


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def jacobian(points):
    return np.vstack([np.hstack((np.eye(3), -skew(point))) for point in points])


def collide(
    velocity,
    mu,
    points=CORNERS,
    restitution=0.0,
    circular=False,
    ground=None,
    inertia=INERTIA,
):
    """Body velocity after an impact, and the answer at the points."""
    j = jacobian(points)
    surface = np.zeros((len(points), 3)) if ground is None else ground
    answer = impact(
        j @ np.linalg.solve(inertia, j.T),
        (j @ velocity).reshape(-1, 3),
        surface,
        np.full(len(points), mu),
        restitution,
        circular,
    )
    return velocity + np.linalg.solve(inertia, j.T @ answer.forces.ravel()), answer


MEASURED = [  # D.2: velocity before, mu, points, velocity after, sums of L_N, L_l, L_t
    ((0, 0, -1, 0, 0, 0), 0.5, 4, (0, 0, 0, 0, 0, 0), (5.0, 0.0, 0.0)),
    ((0.2, 0, -1, 0, 0, 0), 0.5, 4, (0, 0, 0, 0, 0, 0), (5.0, -1.0, 0.0)),
    ((1.5, 0, -1, 0, 0, 0), 0.5, 4, (1.0, 0, 0, 0, 0, 0), (5.0, -2.5, 0.0)),
    ((1, 0.5, -1, 0, 0, 0), 0.1, 4, (0.9, 0.4, 0, 0, 0, 0), (5.0, -0.5, -0.5)),
    ((0.5, 0, -0.5, 0, -3, 0), 0.1, 4, (0.45, 0, 0, 0, 0, 0), (2.5, -0.25, 0.0)),
    (
        (0.5, 0, -0.5, 0, 3, 0),
        0.1,
        2,
        (0.4962, 0, -0.4618, 0, 3.8481, 0),
        (0.1911, -0.0191, 0.0),
    ),
]


@pytest.mark.parametrize(("before", "mu", "points", "after", "sums"), MEASURED)
def test_the_measured_impacts_of_a_free_box(before, mu, points, after, sums):
    found, answer = collide(np.array(before, dtype=float), mu, CORNERS[:points])
    assert answer.solved
    np.testing.assert_allclose(found, after, atol=1e-4)
    total = answer.forces.sum(axis=0)
    np.testing.assert_allclose([total[2], total[0], total[1]], sums, atol=1e-3)


def brute_force(a, b, tolerance=1e-9):
    """Any solution of 0 <= x ⟂ A x + b >= 0 by trying every set of active unknowns."""
    size = len(b)
    for active in itertools.product((False, True), repeat=size):
        chosen = np.flatnonzero(active)
        x = np.zeros(size)
        if len(chosen):
            try:
                x[chosen] = np.linalg.solve(a[np.ix_(chosen, chosen)], -b[chosen])
            except np.linalg.LinAlgError:
                continue
        if np.all(x >= -tolerance) and np.all(a @ x + b >= -tolerance):
            return x
    return None


def test_single_point_impacts_agree_with_brute_force_enumeration():
    rng = np.random.default_rng(8)
    for _ in range(40):
        point = rng.uniform(-0.1, 0.1, (1, 3)) - [0, 0, 0.1]
        j = jacobian(point)
        response = j @ np.linalg.solve(INERTIA, j.T)
        start = rng.normal(0.0, 1.0, 3) - [0, 0, 1]
        mu = rng.uniform(0.0, 1.0, 1)
        a, b = box_problem(response, start, mu, np.zeros((1, 2)))
        assert a.shape == (9, 9)
        expected = brute_force(a, b)
        answer = box_response(response, start, mu, np.zeros((1, 2)))
        force = np.array(
            [expected[1] - expected[3], expected[2] - expected[4], expected[0]]
        )
        np.testing.assert_allclose(
            answer.motion[0], start + response @ force, atol=1e-7
        )


PUBLISHED = [  # matrix, vector, solution
    # [Murty1988], section 1.1
    (
        [[2.0, 1.0], [1.0, 2.0]],
        [-5.0, -6.0],
        [4.0 / 3.0, 7.0 / 3.0],
    ),
    # [Murty1988], ch. 2
    (
        [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 2.0, 1.0]],
        [-8.0, -12.0, -14.0],
        [8.0, 0.0, 0.0],
    ),
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0], [0.0, 0.0]),
]


@pytest.mark.parametrize(("matrix", "vector", "solution"), PUBLISHED)
def test_the_solver_solves_published_problems(matrix, vector, solution):
    answer = lcp_lemke(np.array(matrix), np.array(vector))
    assert answer.success
    np.testing.assert_allclose(answer.z, solution, atol=1e-12)


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
@pytest.mark.compiled
def test_ten_thousand_random_impacts_never_gain_energy_and_respect_friction_and_the_ground(
    circular, restitution
):
    rng = np.random.default_rng(17)
    worst = -math.inf
    count = 10_000 if restitution == 0.0 and not circular else 1000
    for _ in range(count):
        points = CORNERS[rng.permutation(4)[: rng.integers(1, 5)]] + rng.normal(
            0.0, 0.01, 3
        )
        velocity = rng.normal(0.0, 1.0, 6) * [1, 1, 1, 3, 3, 3]
        mu = rng.uniform(0.0, 1.0)
        after, answer = collide(velocity, mu, points, restitution, circular)
        assert answer.solved
        before = 0.5 * velocity @ INERTIA @ velocity
        worst = max(worst, (0.5 * after @ INERTIA @ after - before) / before)
        assert answer.forces[:, 2].min() >= -1e-9
        bound = (
            np.linalg.norm(answer.forces[:, :2], axis=1)
            if circular
            else np.abs(answer.forces[:, :2]).max(axis=1)
        )
        assert np.all(bound <= mu * answer.forces[:, 2] + 1e-8)
        if restitution == 0.0:
            assert answer.motion[:, 2].min() >= -1e-7
    assert worst <= 1e-10


def test_box_friction_errs_in_direction_and_size_by_up_to_root_two_and_the_cone_does_not():
    mu = 0.1
    speed = 1.0
    for angle in np.linspace(0.0, math.pi / 2, 7):
        heading = np.array([math.cos(angle), math.sin(angle)])
        velocity = np.array([*(speed * heading), -1.0, 0.0, 0.0, 0.0])
        inertia = np.diag([5.0, 5.0, 5.0, 1e9, 1e9, 1e9])
        _, box = collide(velocity, mu, inertia=inertia)
        _, cone = collide(velocity, mu, circular=True, inertia=inertia)
        friction = box.forces[:, :2].sum(axis=0)
        assert (
            mu * 5.0 * (1.0 - 1e-9)
            <= np.linalg.norm(friction)
            <= math.sqrt(2.0) * mu * 5.0 * (1.0 + 1e-9)
        )
        np.testing.assert_allclose(
            cone.forces[:, :2].sum(axis=0), -mu * 5.0 * heading, atol=1e-8
        )


def test_an_impact_on_a_moving_ground_is_the_impact_seen_from_the_ground():
    belt = np.tile([0.7, -0.2, 0.1], (4, 1))
    velocity = np.array([0.2, 0.0, -1.0, 0.5, -1.0, 0.3])
    moving, _ = collide(velocity, 0.3, ground=belt)
    shifted = np.concatenate((belt[0], np.zeros(3)))
    still, _ = collide(velocity - shifted, 0.3)
    np.testing.assert_allclose(moving, still + shifted, atol=1e-9)


def test_restitution_of_a_central_impact_is_newtons():
    after, _ = collide(np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]), 0.3, restitution=0.4)
    np.testing.assert_allclose(after, [0, 0, 0.4, 0, 0, 0], atol=1e-9)


@pytest.mark.parametrize("push", [2.0, 30.0])
def test_contact_between_impacts_holds_a_box_below_the_friction_limit_and_lets_it_slide_above(
    push,
):
    j = jacobian(CORNERS)
    # pushed at the height of the ground
    load = np.array([push, 0.0, -5.0 * 9.81, 0.0, -0.05 * push, 0.0])
    response = j @ np.linalg.solve(INERTIA, j.T)
    free = j @ np.linalg.solve(INERTIA, load)
    answer = contact_forces(
        response, free, np.zeros((4, 3)), np.full(4, 0.5), 1e-3, 1e-3, False
    )
    acceleration = np.linalg.solve(INERTIA, load + j.T @ answer.forces.ravel())
    expected = max(push - 0.5 * 5.0 * 9.81, 0.0) / 5.0
    np.testing.assert_allclose(acceleration, [expected, 0, 0, 0, 0, 0], atol=1e-8)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rodić, Addi and Dalleau's contact as complementarity problems (D): a box that lands on its corners, a walk."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.complementarity import box_problem, impact
from biped_slip.lab.papers import rodic_walk
from biped_slip.lab.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "rodic"
MASS, HALF = 5.0, (0.12, 0.05, 0.05)  # [kg], [m]
CORNERS = np.array([(x, y, -HALF[2]) for x in (-HALF[0], HALF[0]) for y in (-HALF[1], HALF[1])])  # the heel first
PERSON = 84.0728  # [kg] (D.3)

CASES = (  # velocity before (vx, vy, vz, wx, wy, wz), mu, points, velocity after, sums of L_N, L_l, L_t
    ((0.0, 0.0, -1.0, 0.0, 0.0, 0.0), 0.5, 4, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (5.0, 0.0, 0.0)),
    ((0.2, 0.0, -1.0, 0.0, 0.0, 0.0), 0.5, 4, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), (5.0, -1.0, 0.0)),
    ((1.5, 0.0, -1.0, 0.0, 0.0, 0.0), 0.5, 4, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (5.0, -2.5, 0.0)),
    ((1.0, 0.5, -1.0, 0.0, 0.0, 0.0), 0.1, 4, (0.9, 0.4, 0.0, 0.0, 0.0, 0.0), (5.0, -0.5, -0.5)),
    ((0.5, 0.0, -0.5, 0.0, -3.0, 0.0), 0.1, 4, (0.45, 0.0, 0.0, 0.0, 0.0, 0.0), (2.5, -0.25, 0.0)),
    ((0.5, 0.0, -0.5, 0.0, 3.0, 0.0), 0.1, 2, (0.4962, 0.0, -0.4618, 0.0, 3.8481, 0.0), (0.19, -0.0191, 0.0)),
)


class BoxImpact(NamedTuple):
    """What an impact did to the box."""

    velocity: Array  # (6,) after [m/s, rad/s]
    impulse: Array  # (3,) sum over the points, l, t, N [N s]
    energy: float  # change of kinetic energy [J]
    size: int  # of the complementarity problem


def inertia() -> Array:
    """Generalized inertia (6, 6) of a uniform box."""
    a, b, c = HALF
    return np.diag([MASS] * 3 + [MASS / 3 * (b * b + c * c), MASS / 3 * (a * a + c * c), MASS / 3 * (a * a + b * b)])


def land(velocity: Array, mu: float, points: int, circular: bool = False) -> BoxImpact:
    """The box with a velocity (6,) meets the ground with its first corners."""
    corners, masses = CORNERS[:points], inertia()
    jacobian = np.vstack([np.hstack((np.eye(3), -_skew(corner))) for corner in corners])
    response, before = jacobian @ np.linalg.solve(masses, jacobian.T), (jacobian @ velocity).reshape(-1, 3)
    friction = np.full(points, mu)
    answer = impact(response, before, np.zeros_like(before), friction, 0.0, circular)
    after = velocity + np.linalg.solve(masses, jacobian.T @ answer.forces.ravel())
    matrix, _ = box_problem(response, before.ravel(), friction, np.zeros((points, 2)))
    energy = 0.5 * float(after @ masses @ after - velocity @ masses @ velocity)
    return BoxImpact(after, answer.forces.sum(axis=0), energy, len(matrix))


def _skew(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def _impact_rows() -> list[Row]:
    rows = []
    for k, (before, mu, points, after, sums) in enumerate(CASES, start=1):
        found, case = land(np.array(before), mu, points), f"impact {k}, mu = {mu:g}, {points} points"
        for name, value, expected in zip(("vx", "vy", "vz", "wx", "wy", "wz"), found.velocity, after, strict=True):
            unit = "m/s" if name[0] == "v" else "rad/s"
            if expected != 0.0 or name in ("vx", "vz"):
                rows.append(row(PAPER, f"{case}: {name}", float(value), expected=expected, unit=unit, absolute=1e-4))
        for name, value, expected in zip(("L_N", "L_l", "L_t"), found.impulse[[2, 0, 1]], sums, strict=True):
            rows.append(row(PAPER, f"{case}: sum {name}", float(value), expected=expected, unit="N s", absolute=1e-4))
        rows.append(row(PAPER, f"{case}: energy gained", max(found.energy, 0.0), expected=0.0, unit="J", absolute=1e-9))
    return rows


def _figures() -> tuple[Figure, ...]:
    """Friction impulse over the heading of the slide: the box of the paper, and the circular cone."""
    angles = np.linspace(0.0, 2.0 * math.pi, 181)
    box, cone = np.empty((len(angles), 2)), np.empty((len(angles), 2))
    for k, angle in enumerate(angles):
        velocity = np.array([3.0 * math.cos(angle), 3.0 * math.sin(angle), -1.0, 0.0, 0.0, 0.0])
        box[k], cone[k] = land(velocity, 0.1, 4).impulse[:2], land(velocity, 0.1, 4, True).impulse[:2]
    return (
        Figure(
            "rodic-friction",
            "Friction impulse of a sliding landing, mu = 0.1",
            "longitudinal [N s]",
            "transversal [N s]",
            (Curve("box (as in the paper)", box[:, 0], box[:, 1]), Curve("circular cone", cone[:, 0], cone[:, 1])),
        ),
    )


def reproduce() -> Reproduction:
    """All rows and figures of the impact and the walk."""
    rows = [
        row(PAPER, "size of the problem of one foot", land(np.array(CASES[0][0]), 0.5, 4).size, printed=20.0),
        row(PAPER, "force per foot, standing", PERSON * GRAVITY / 2.0, printed=412.0, unit="N"),
        *_impact_rows(),
        *rodic_walk.rows(),
    ]
    source = "Rodić, Addi and Dalleau, Modeling of impact phenomena (D)"
    return Reproduction(PAPER, source, tuple(rows), (*_figures(), *rodic_walk.figures()))

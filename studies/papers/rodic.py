# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rodić et al.'s person makes four half-steps on soles with mu = 0.1 (D.3).

The forces are by complementarity (D.1, D.2).

38 degrees of freedom with arms, neck and toes frozen, eight contact points, 1 kHz. The
paper's motion was recorded and is not printed: the pattern here starts from rest and
reaches its 1.25 m/s. Mu = 0.1 can't push a body forward that fast, so the motion is
prescribed as in the paper; a guide holds the base but for its height and gives what is
missing.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.complementarity import (
    Response,
    box_problem,
    contact_forces,
    impact,
)
from biped_slip.contact.feedback_linearised import ContactSpace
from biped_slip.contact.point_contact import ComplementarityConfig
from biped_slip.robots.humanoid import load_humanoid
from studies.papers.gait import FlatGaitConfig, StanceCurves, joined, stance_curves
from studies.papers.motion import (
    PointForces,
    RigidDemand,
    Stepped,
    WholeMotion,
    landings,
    part_of_points,
    rigid_demand,
    walk_stepped,
    whole_motion,
)
from studies.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "rodic"
GAIT = FlatGaitConfig(  # a cycle of 0.44 s is 1.25 m/s; the rest: choices
    steps=4,
    first=0.5,
    step=0.55,
    swing=0.34,
    double_support=0.10,
    rest=0.3,
    shift=0.4,
    rise=0.03,
    lower=0.12,
    width=0.15,
)
# [s], [-] (D.3)
STEP = 1e-3
MU = 0.1
HELD = (0, 1, 3, 4, 5)  # the base's axes on the guide: all but its height
AIMED = (2,)  # the legs answer for the height
CONFIG = ComplementarityConfig()
YIELDING = (
    1e-5,
    1e-4,
    1e-6,
    1e-3,
)  # of the mean response: parts the forces of points in a plane, not unique (choice)
STANDING = 0.2  # [s] of the rest before the walk


class Walked(NamedTuple):
    """The motion, what rigid soles that stick would give, and what happened."""

    motion: WholeMotion
    demand: RigidDemand
    walk: Stepped


@cache
def walked() -> Walked:
    """Walk the four half-steps."""
    humanoid = load_humanoid("human38")
    motion = whole_motion(humanoid, GAIT, STEP)
    demand = rigid_demand(humanoid, motion, shared=True)
    return Walked(
        motion,
        demand,
        walk_stepped(humanoid, motion, demand, complementarity, HELD, AIMED),
    )


def complementarity(
    space: ContactSpace, height: Array, velocity: Array, dt: float
) -> PointForces:
    """Find impulses on points striking the floor, then forces on those resting on it.

    The equations are (32)-(53), (44)-(48).
    """
    impulses = np.zeros_like(velocity)
    forces = np.zeros_like(velocity)
    closed = height <= CONFIG.gap_tolerance
    struck = np.flatnonzero(closed & (velocity[:, 2] <= 0.0))
    if np.any(velocity[struck, 2] < -CONFIG.rate_tolerance):
        mu, still, before = (
            np.full(len(struck), MU),
            np.zeros((len(struck), 3)),
            velocity[struck],
        )
        impulses[struck] = _solved(
            space,
            struck,
            lambda part: impact(
                part.response, before, still, mu, CONFIG.restitution, False
            ),
        )
        velocity = velocity + (space.response @ impulses.ravel()).reshape(-1, 3)
    resting = np.flatnonzero(closed & (velocity[:, 2] <= CONFIG.rate_tolerance))
    if len(resting):
        mu = np.full(len(resting), MU)
        now = velocity[resting]
        forces[resting] = _solved(
            space,
            resting,
            lambda part: contact_forces(
                part.response, part.free, now, mu, dt, CONFIG.rate_tolerance, False
            ),
        )
    return PointForces(impulses, forces, closed)


def _solved(
    space: ContactSpace,
    points: NDArray[np.intp],
    problem: Callable[[ContactSpace], Response],
) -> Array:
    """Solve a problem on some points, as rigid as the pivoting can solve it.

    The answer is (n, 3).
    """
    part = part_of_points(space, points)
    mean = float(np.trace(part.response)) / len(part.response)
    for give in YIELDING:
        found = problem(
            part._replace(
                response=part.response + give * mean * np.eye(len(part.response))
            )
        )
        if found.solved:
            break
    return found.forces


def stances() -> StanceCurves:
    """Whole stances between two swings, both feet."""
    walk = walked().walk
    weight = load_humanoid("human38").weight
    forces = walk.foot_forces
    return joined(
        [
            stance_curves(walk.time, forces[:, foot, 2], forces[:, foot, 0], weight)
            for foot in range(2)
        ]
    )


def _walk_rows() -> list[Row]:
    """Compare with what the paper prints of figure 11."""
    both = walked()
    forces = both.walk.foot_forces
    time = both.walk.time
    standing = forces[(time > GAIT.rest - STANDING) & (time < GAIT.rest), :, 2].mean(
        axis=0
    )
    curves = stances()
    cycle = GAIT.swing + GAIT.double_support
    landed = len(landings(both.walk.touching, round(0.5 * GAIT.swing / STEP)))
    middle = GAIT.rest + GAIT.shift + GAIT.swing + cycle * np.array([1.0, 2.0])
    x = np.interp(middle, time, both.walk.place[:, :, 0].mean(axis=1))
    peaks = np.abs(forces).max(axis=(0, 1))
    shaped = float(np.mean([hump.m_shaped for hump in curves.humps]))
    lost = np.abs(both.walk.guide[:, 0]).max() / load_humanoid("human38").weight
    return [
        row(PAPER, "walk: half-steps", landed, printed=4.0),
        row(
            PAPER,
            "walk: speed between the full half-steps",
            float(x[1] - x[0]) / cycle,
            printed=1.25,
            unit="m/s",
        ),
        row(
            PAPER,
            "walk: force on the left foot, standing",
            float(standing[0]),
            printed=412.0,
            unit="N",
        ),
        row(
            PAPER,
            "walk: force on the right foot, standing",
            float(standing[1]),
            printed=412.0,
            unit="N",
        ),
        row(
            PAPER,
            "walk: share of stances with an M-shaped normal force",
            shaped,
            printed=1.0,
        ),
        row(
            PAPER,
            "walk: highest normal force",
            1e-3 * float(peaks[2]),
            printed=1.0,
            unit="kN",
            relative=0.2,
        ),
        row(
            PAPER,
            "walk: highest forward force",
            float(peaks[0]),
            printed=100.0,
            unit="N",
            relative=0.2,
        ),
        row(
            PAPER,
            "walk: highest lateral force",
            float(peaks[1]),
            printed=100.0,
            unit="N",
            relative=0.2,
        ),
        row(PAPER, "walk: largest force of the guide over weight", float(lost)),
    ]


def figures() -> tuple[Figure, ...]:
    """Draw the forces of both feet as in figure 11, and one stance as in figure 12."""
    walk = walked().walk
    forces, curves = walk.foot_forces, stances()
    share = np.linspace(0.0, 1.0, curves.normal.shape[1])

    def feet(axis: int) -> tuple[Curve, ...]:
        return tuple(
            Curve(name, walk.time, forces[:, foot, axis])
            for foot, name in enumerate(("left", "right"))
        )

    return (
        Figure(
            name="rodic-walk-normal",
            title="Four half-steps, mu = 0.1",
            x_label="time [s]",
            y_label="normal force [N]",
            curves=feet(2),
        ),
        Figure(
            name="rodic-walk-forward",
            title="Four half-steps, mu = 0.1",
            x_label="time [s]",
            y_label="forward force [N]",
            curves=feet(0),
        ),
        Figure(
            name="rodic-walk-stances",
            title="Stances between two swings",
            x_label="share of the stance",
            y_label="body weights",
            curves=(
                *(
                    Curve(f"stance {k + 1}", share, curve)
                    for k, curve in enumerate(curves.normal)
                ),
                Curve("weight", share, np.ones_like(share)),
            ),
        ),
    )


# Rodić, Addi and Dalleau's contact as complementarity problems (D): a box that lands on
# its corners, a walk.

# [kg], [m]
MASS = 5.0
HALF = (0.12, 0.05, 0.05)
# the heel first
CORNERS = np.array(
    [(x, y, -HALF[2]) for x in (-HALF[0], HALF[0]) for y in (-HALF[1], HALF[1])]
)
PERSON = 84.0728  # [kg] (D.3)

# velocity before (vx, vy, vz, wx, wy, wz), mu, points, velocity after, sums of L_N,
# L_l, L_t
CASES = (
    (
        (0.0, 0.0, -1.0, 0.0, 0.0, 0.0),
        0.5,
        4,
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (5.0, 0.0, 0.0),
    ),
    (
        (0.2, 0.0, -1.0, 0.0, 0.0, 0.0),
        0.5,
        4,
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (5.0, -1.0, 0.0),
    ),
    (
        (1.5, 0.0, -1.0, 0.0, 0.0, 0.0),
        0.5,
        4,
        (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        (5.0, -2.5, 0.0),
    ),
    (
        (1.0, 0.5, -1.0, 0.0, 0.0, 0.0),
        0.1,
        4,
        (0.9, 0.4, 0.0, 0.0, 0.0, 0.0),
        (5.0, -0.5, -0.5),
    ),
    (
        (0.5, 0.0, -0.5, 0.0, -3.0, 0.0),
        0.1,
        4,
        (0.45, 0.0, 0.0, 0.0, 0.0, 0.0),
        (2.5, -0.25, 0.0),
    ),
    (
        (0.5, 0.0, -0.5, 0.0, 3.0, 0.0),
        0.1,
        2,
        (0.4962, 0.0, -0.4618, 0.0, 3.8481, 0.0),
        (0.19, -0.0191, 0.0),
    ),
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
    return np.diag(
        [MASS] * 3
        + [
            MASS / 3 * (b * b + c * c),
            MASS / 3 * (a * a + c * c),
            MASS / 3 * (a * a + b * b),
        ]
    )


def land(velocity: Array, mu: float, points: int, circular: bool = False) -> BoxImpact:
    """Let the box meet the ground with its first corners at a velocity (6,)."""
    corners = CORNERS[:points]
    masses = inertia()
    jacobian = np.vstack([np.hstack((np.eye(3), -_skew(corner))) for corner in corners])
    response = jacobian @ np.linalg.solve(masses, jacobian.T)
    before = (jacobian @ velocity).reshape(-1, 3)
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
        found = land(np.array(before), mu, points)
        case = f"impact {k}, mu = {mu:g}, {points} points"
        for name, value, expected in zip(
            ("vx", "vy", "vz", "wx", "wy", "wz"), found.velocity, after, strict=True
        ):
            unit = "m/s" if name[0] == "v" else "rad/s"
            if expected != 0.0 or name in ("vx", "vz"):
                rows.append(
                    row(
                        PAPER,
                        f"{case}: {name}",
                        float(value),
                        expected=expected,
                        unit=unit,
                        absolute=1e-4,
                    )
                )
        for name, value, expected in zip(
            ("L_N", "L_l", "L_t"), found.impulse[[2, 0, 1]], sums, strict=True
        ):
            rows.append(
                row(
                    PAPER,
                    f"{case}: sum {name}",
                    float(value),
                    expected=expected,
                    unit="N s",
                    absolute=1e-4,
                )
            )
        rows.append(
            row(
                PAPER,
                f"{case}: energy gained",
                max(found.energy, 0.0),
                expected=0.0,
                unit="J",
                absolute=1e-9,
            )
        )
    return rows


def _figures() -> tuple[Figure, ...]:
    """Draw the friction impulse over the heading of the slide.

    Both the box of the paper and the circular cone are drawn.
    """
    angles = np.linspace(0.0, 2.0 * math.pi, 181)
    box = np.empty((len(angles), 2))
    cone = np.empty((len(angles), 2))
    for k, angle in enumerate(angles):
        velocity = np.array(
            [3.0 * math.cos(angle), 3.0 * math.sin(angle), -1.0, 0.0, 0.0, 0.0]
        )
        box[k], cone[k] = (
            land(velocity, 0.1, 4).impulse[:2],
            land(velocity, 0.1, 4, True).impulse[:2],
        )
    return (
        Figure(
            name="rodic-friction",
            title="Friction impulse of a sliding landing, mu = 0.1",
            x_label="longitudinal [N s]",
            y_label="transversal [N s]",
            curves=(
                Curve("box (as in the paper)", box[:, 0], box[:, 1]),
                Curve("circular cone", cone[:, 0], cone[:, 1]),
            ),
        ),
    )


def reproduce() -> Reproduction:
    """All rows and figures of the impact and the walk."""
    rows = [
        row(
            PAPER,
            "size of the problem of one foot",
            land(np.array(CASES[0][0]), 0.5, 4).size,
            printed=20.0,
        ),
        row(
            PAPER,
            "force per foot, standing",
            PERSON * GRAVITY / 2.0,
            printed=412.0,
            unit="N",
        ),
        *_impact_rows(),
        *_walk_rows(),
    ]
    source = "Rodić, Addi and Dalleau, Modeling of impact phenomena (D)"
    return Reproduction(PAPER, source, tuple(rows), (*_figures(), *figures()))

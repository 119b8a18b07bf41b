# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bruneau and Ouezdou's distributed foot (B): the drop from 30 cm, the pull test, and the articulated biped."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.free_body import FreeBodyConfig, Motion, simulate
from biped_slip.contact.laws import contact_law
from biped_slip.contact.sole import sole_grid
from biped_slip.contact.terrain import slope
from biped_slip.lab.papers import bruneau_walk
from biped_slip.lab.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "bruneau"
MASS, LANDING, LAMBDA_D = 75.0, 2.426, 0.4  # [kg], [m/s], [-]
WEIGHT = MASS * GRAVITY
FOOT = ((-0.12, -0.05), (0.12, -0.05), (0.12, 0.05), (-0.12, 0.05))  # [m]
PULL = np.array([[0.05, 0, 0, 0], [0.2, WEIGHT, 0, 0], [0.41, 0, 0, 0], [0.7, 0, 0, 0]])  # [s, N], reconstructed (B.3)


def sole(points: int) -> Array:
    """18 points per foot; 36 stand for two feet that do the same."""
    return np.tile(sole_grid(FOOT, 6, 3), (points // 18, 1))


@cache
def landing(points: int, mass: float = MASS, damping: float = 450.0) -> Motion:
    """A rigid block that lands flat."""
    law = contact_law("bruneau", {"normal": {"damping": damping}})
    return simulate(
        law, slope(0.0, LAMBDA_D), sole(points), FreeBodyConfig(mass, rotates=False),
        position=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, -LANDING), duration=0.15, dt=2e-6,
    )  # fmt: skip


@cache
def pulled(points: int) -> Motion:
    """The same block standing and pulled at the ankles."""
    law = contact_law("bruneau")
    rest = law.normal.steady_penetration(WEIGHT / points)
    return simulate(
        law, slope(0.0, LAMBDA_D), sole(points), FreeBodyConfig(MASS, rotates=False),
        position=(0.0, 0.0, -rest), pull=PULL, duration=0.7, dt=1e-5,
    )  # fmt: skip


def settled(motion: Motion, weight: float) -> float:
    """Time after the maximum at which the force first is at 110 % of the weight [s]."""
    top = int(motion.normal.argmax())
    below = int(np.argmax(motion.normal[top:] < 1.1 * weight))
    return float(motion.time[top + below] - motion.time[top])


def _landing_rows() -> list[Row]:
    expected = {36: (32.7, 44.5, 0.11, 0.030, 0.94, 11.8), 18: (16.6, 22.6, 0.24, 0.050, 0.87, 22.2)}
    rows = []
    for points, (peak, times, at, after, undershoot, sink) in expected.items():
        motion, case = landing(points), f"drop, {points} points"
        top = int(motion.normal.argmax())
        printed = 0.012 if points == 36 else None
        rows += [
            row(PAPER, f"{case}: peak force", 1e-3 * motion.normal[top], expected=peak, unit="kN"),
            row(PAPER, f"{case}: peak over weight", motion.normal[top] / WEIGHT, expected=times),
            row(PAPER, f"{case}: time of the peak", 1e3 * motion.time[top], expected=at, unit="ms", absolute=0.005),
            row(PAPER, f"{case}: 110 % of the weight after the peak", settled(motion, WEIGHT), expected=after,
                printed=printed, unit="s", absolute=0.0005),
            row(PAPER, f"{case}: lowest force after the peak over weight", motion.normal[top:].min() / WEIGHT,
                expected=undershoot, absolute=0.005),
            row(PAPER, f"{case}: deepest sink", -1e3 * motion.position[:, 2].min(), expected=sink, unit="mm"),
        ]  # fmt: skip
    light = landing(36, 25.0)
    rows += [
        row(PAPER, "drop, 36 points, 25 kg: peak force", 1e-3 * light.normal.max(), expected=32.0, unit="kN"),
        row(PAPER, "drop, 36 points, 25 kg: 110 % of the weight after the peak", settled(light, 25.0 * GRAVITY),
            expected=0.0124, unit="s"),
        row(PAPER, "drop, 36 points, 25 kg: deepest sink", -1e3 * light.position[:, 2].min(), expected=4.2, unit="mm"),
    ]  # fmt: skip
    for damping, peak, after in ((1300.0, 92.0, 0.013), (1900.0, 134.0, 0.009)):
        motion, case = landing(36, MASS, damping), f"drop, 36 points, mu_n = {damping:g}"
        rows.append(row(PAPER, f"{case}: peak force", 1e-3 * motion.normal.max(), expected=peak, unit="kN"))
        rows.append(
            row(PAPER, f"{case}: 110 % of the weight after the peak", settled(motion, WEIGHT), expected=after,
                unit="s", absolute=0.0005)
        )  # fmt: skip
    return rows


def _pull_rows() -> list[Row]:
    rows, law = [], contact_law("bruneau")
    for points, sink in ((18, 10.3), (36, 5.8)):
        depth = 1e3 * law.normal.steady_penetration(WEIGHT / points)
        rows.append(row(PAPER, f"standing, {points} points: static sink", depth, expected=sink, unit="mm"))
    for points, start, stop, creep in ((36, 0.157, 0.497, 0.79), (18, 0.159, 0.505, 1.58)):
        motion, case = pulled(points), f"pull, {points} points"
        ratio = motion.tangential / motion.normal
        first = int(np.argmax(ratio >= 0.7))
        last = first + int(np.argmax(motion.velocity[first:, 0] <= 0.0))
        both = points == 36
        rows += [
            row(PAPER, f"{case}: slip begins", motion.time[first], expected=start, printed=0.156 if both else None,
                unit="s", absolute=0.0016),
            row(PAPER, f"{case}: slip ends", motion.time[last], expected=stop, printed=0.496 if both else None,
                unit="s", absolute=0.0016),
            row(PAPER, f"{case}: creep before the slip", 1e3 * motion.position[first, 0], expected=creep, unit="mm"),
        ]  # fmt: skip
        if both:
            slide = ratio[first + 1100 : last - 200]  # between the two blends
            rows += [
                row(PAPER, f"{case}: lowest ratio of the slide", slide.min(), expected=0.400, printed=0.4),
                row(PAPER, f"{case}: highest ratio of the slide", slide.max(), expected=0.426),
                row(PAPER, f"{case}: distance slid", motion.position[-1, 0], expected=0.11, unit="m"),
                row(PAPER, f"{case}: highest speed", motion.velocity[:, 0].max(), expected=0.53, unit="m/s"),
                row(PAPER, f"{case}: final force ratio", ratio[-1], expected=0.0, printed=0.0, absolute=0.001),
            ]
    return rows


def reproduce(human: str | Path | None = None) -> Reproduction:
    """All rows and figures.

    Args:
        human: a recorded walk over force plates, beside which the biped's is put.
    """
    drop, pull = landing(36), pulled(36)
    shown = drop.time < 0.06
    figures = (
        Figure("bruneau-drop", "Drop from 30 cm, 75 kg", "time [s]", "normal force [N]", tuple(
            Curve(f"{points} points", landing(points).time[shown], landing(points).normal[shown]) for points in (36, 18)
        )),
        Figure("bruneau-pull", "Pull test, 36 points", "time [s]", "force ratio, displacement [0.1 m], pull [weight]", (
            Curve("lambda_g", pull.time, pull.tangential / pull.normal),
            Curve("displacement", pull.time, 10.0 * pull.position[:, 0]),
            Curve("pull", pull.time, np.interp(pull.time, PULL[:, 0], PULL[:, 1]) / WEIGHT),
        )),
    )  # fmt: skip
    walk_rows, walk_figures = bruneau_walk.results(human)
    rows = (*_landing_rows(), *_pull_rows(), *walk_rows)
    return Reproduction(
        PAPER, "Bruneau and Ouezdou, Distributed ground/walking robot interaction (B)", rows, figures + walk_figures
    )

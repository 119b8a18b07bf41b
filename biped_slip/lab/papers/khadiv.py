# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Khadiv et al. (E): a ball dropped on two normal laws, and the identification of a drive."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
from scipy.optimize import brentq

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.bounded_penetration import BoundedPenetrationConfig
from biped_slip.contact.drive_identification import Drive, consistency
from biped_slip.contact.hunt_crossley import HuntCrossleyConfig
from biped_slip.contact.normal_law import NormalForce, NormalLaw
from biped_slip.lab.papers import khadiv_walk
from biped_slip.lab.papers.rows import Curve, Figure, Reproduction, Row, row, settling_time

PAPER = "khadiv"
COMPARISON = HuntCrossleyConfig(stiffness=1.17e5, damping=2.8e6)  # E.2, k d + c d ḋ
PROPOSED = BoundedPenetrationConfig()  # E.3
AS_PRINTED = BoundedPenetrationConfig(damping=3.0e5)
STEP = 1.0e-6  # [s]
EVERY = 20  # recorded steps
WINDOW = 0.4  # [s] in which E.3 settles: what is at its end counts as final

EXPERIMENTS = (  # knee drive, E.6
    Drive(10.51, 116.48, 24.34),
    Drive(9.84, 105.00, 25.25),
    Drive(1.37, 88.11, 26.34),
    Drive(13.017, 58.32, 24.20),
    Drive(5.96, 68.77, 24.04),
)
LINKS = {"foot": 3859, "ankle": 2236, "shank": 4561, "thigh": 6327}  # [g], one leg (E.5)


class Drop(NamedTuple):
    """A ball that touches the ground at time 0."""

    time: Array  # (n,) [s]
    depth: Array  # (n,) [m]
    peak: float  # largest depth [m]
    final: float  # depth at the end [m]
    settled_5: float  # [s] within 5 % of the final depth
    settled_2: float  # [s] within 2 %


def fall_on(normal_force: NormalForce) -> Callable[[float, float, Any, float, int, int, Array], None]:
    """The ball's fall into a surface, its depth recorded."""

    @kernel
    def fall(mass: float, speed: float, law: Any, dt: float, steps: int, every: int, depth: Array) -> None:
        d, rate = 0.0, speed
        for k in range(steps):
            if k % every == 0:
                depth[k // every] = d
            rate += (GRAVITY - normal_force(d, rate, speed, law) / mass) * dt
            d += rate * dt

    return fall


def drop(law: NormalLaw, mass: float, speed: float, seconds: float = WINDOW) -> Drop:
    """A ball of a mass [kg] that meets the surface at a speed [m/s] (E.4 (20))."""
    steps = round(seconds / STEP)
    depth = np.empty(steps // EVERY)
    fall_on(type(law).force)(mass, speed, law.packed, STEP, steps, EVERY, depth)
    time, final = np.asarray(STEP * EVERY * np.arange(len(depth)), dtype=float), float(depth[-1])
    return Drop(
        time,
        depth,
        float(depth.max()),
        final,
        settling_time(time, depth, final, 0.05),
        settling_time(time, depth, final, 0.02),
    )


def _millimetres(
    quantity: str, metres: float, expected: float, printed: float | None = None, rounding: float = 0.0
) -> Row:
    return row(PAPER, quantity, 1e3 * metres, expected=expected, printed=printed, unit="mm", absolute=rounding)


def _seconds(quantity: str, seconds: float, expected: float, rounding: float = 0.0006) -> Row:
    return row(PAPER, quantity, seconds, expected=expected, unit="s", absolute=rounding)


SWEEP = (  # law, name, mass, speed, expected peak [mm], settled 5 %, settled 2 %
    (COMPARISON, "comparison law", 10.0, 0.0, 0.864, 0.020, 0.044),
    (COMPARISON, "comparison law", 50.0, 0.0, 4.17, 0.175, 0.248),
    (COMPARISON, "comparison law", 10.0, 0.75, 2.20, 0.102, 0.116),
    (COMPARISON, "comparison law", 10.0, 0.8, 2.28, 0.104, 0.119),
    (COMPARISON, "comparison law", 10.0, 2.2, 3.85, 0.154, 0.168),
    (PROPOSED, "proposed law", 10.0, 0.0, 0.858, 0.020, 0.039),
    (PROPOSED, "proposed law", 50.0, 0.0, 1.92, 0.050, 0.067),
    (PROPOSED, "proposed law", 10.0, 0.75, 1.92, 0.029, 0.037),
    (PROPOSED, "proposed law", 10.0, 0.8, 1.95, 0.044, 0.052),
)


def _sweep_rows() -> list[Row]:
    rows = []
    for law, name, mass, speed, peak, settled_5, settled_2 in SWEEP:
        found, case = drop(law, mass, speed), f"{name}, {mass:g} kg, {speed:g} m/s"
        rows.append(_millimetres(f"{case}: deepest penetration", found.peak, peak, rounding=0.006))
        rows.append(_seconds(f"{case}: settled within 5 %", found.settled_5, settled_5))
        rows.append(_seconds(f"{case}: settled within 2 %", found.settled_2, settled_2))
    for mass, peak, final in ((20.0, 1.346, 1.267), (30.0, 1.643, 1.480), (40.0, 1.819, 1.601)):
        found, case = drop(PROPOSED, mass, 0.0), f"proposed law, {mass:g} kg, 0 m/s"
        rows.append(_millimetres(f"{case}: deepest penetration", found.peak, peak))
        rows.append(_millimetres(f"{case}: final penetration", PROPOSED.steady_penetration(mass * GRAVITY), final))
    return rows


def _printed_rows() -> list[Row]:
    """The two-digit numbers of the paper's text, to its rounding."""
    fast, compared = drop(PROPOSED, 10.0, 0.75), drop(COMPARISON, 10.0, 0.75)
    printed, rebound = drop(AS_PRINTED, 10.0, 0.0, 1.0), drop(AS_PRINTED, 10.0, 0.75)
    heavier = drop(AS_PRINTED, 50.0, 0.0, 1.5)
    light, heavy = (PROPOSED.steady_penetration(mass * GRAVITY) for mass in (10.0, 50.0))
    deepest, bounce = 1e3 * PROPOSED.steady_penetration(1e9), -1e3 * float(rebound.depth.min())
    return [
        _millimetres("proposed law, 10 kg: final penetration", light, 0.836, 0.8, 0.05),
        _millimetres("proposed law, 50 kg: final penetration", heavy, 1.677, 1.7, 0.05),
        _millimetres("proposed law, 10 kg, 0.75 m/s: deepest, as printed", fast.peak, 1.92, 1.9, 0.05),
        _millimetres("comparison law, 10 kg, 0.75 m/s: deepest, as printed", compared.peak, 2.20, 2.2, 0.05),
        row(PAPER, "largest impact speed of the sweep", _speed_of_the_sweep(), printed=2.2, unit="m/s"),
        row(PAPER, "damping b_z of the proposed law", _damping(), printed=3.0e5, unit="N s/m^2"),
        row(PAPER, "deepest penetration l_0 in the text", deepest, printed=0.2, unit="mm"),
        _millimetres("b_z as printed, 10 kg, 0 m/s: deepest penetration", printed.peak, 1.33),
        row(PAPER, "b_z as printed, 10 kg, 0 m/s: settled within 5 %", printed.settled_5, expected=0.23, unit="s"),
        row(PAPER, "b_z as printed, 10 kg, 0 m/s: settled within 2 %", printed.settled_2, expected=0.30, unit="s"),
        row(PAPER, "b_z as printed, 50 kg, 0 m/s: settled within 5 %", heavier.settled_5, expected=0.52, unit="s"),
        row(PAPER, "b_z as printed, 50 kg, 0 m/s: settled within 2 %", heavier.settled_2, expected=0.70, unit="s"),
        row(PAPER, "b_z as printed, 10 kg, 0.75 m/s: rebound", bounce, expected=21.0, unit="mm"),
        _millimetres("proposed law, 10 kg, 2.2 m/s: deepest penetration", drop(PROPOSED, 10.0, 2.2).peak, 2.00),
    ]


SHAPES: dict[str, tuple[Callable[[float], float], float, float]] = {  # F(s)/(k l_0), static mm of 10 and 50 kg (E.3)
    "k (2 l0/pi) tan(pi d/2 l0)": (lambda s: 2.0 / math.pi * math.tan(0.5 * math.pi * s), 0.836, 1.677),
    "k d/(1 - (d/l0)^2)": (lambda s: s / (1.0 - s * s), 0.817, 1.633),
    "k d/sqrt(1 - d/l0)": (lambda s: s / math.sqrt(1.0 - s), 0.769, 1.746),
    "-k l0 ln(1 - d/l0)": (lambda s: -math.log(1.0 - s), 0.775, 1.828),
    "k d/(1 - d/l0)": (lambda s: s / (1.0 - s), 0.658, 1.421),
    "k d/sqrt(1 - (d/l0)^2)": (lambda s: s / math.sqrt(1.0 - s * s), 0.88, 1.85),
    "k l0 atanh(d/l0)": (math.atanh, 0.91, 1.97),
}


def _shape_rows() -> list[Row]:
    """Static depths of the stiffness shapes that were tried for the lost formula (E.3)."""
    rows, scale = [], PROPOSED.stiffness * PROPOSED.depth
    for name, (shape, light, heavy) in SHAPES.items():
        for mass, expected in ((10.0, light), (50.0, heavy)):
            share = brentq(lambda s, load=mass * GRAVITY / scale, f=shape: f(s) - load, 0.0, 1.0 - 1e-12)
            rows.append(_millimetres(f"shape {name}, {mass:g} kg: static depth", share * PROPOSED.depth, expected))
    return rows


def _speed_of_the_sweep() -> float:
    """Impact speed [m/s] at which the comparison law is as deep as printed, 2.2 mm."""
    return float(brentq(lambda speed: drop(COMPARISON, 10.0, speed, 0.05).peak - 2.2e-3, 0.5, 1.0, xtol=1e-3))


def _damping() -> float:
    """Damping b_z [N s/m^2] with which 10 kg settle within 5 % in the 0.020 s of E.3; log-spaced search."""
    tried = (3.0e5, 1.0e6, 3.0e6)
    return next(b for b in tried if drop(BoundedPenetrationConfig(damping=b), 10.0, 0.0).settled_5 <= 0.025)


def _drive_rows() -> list[Row]:
    found, rows = consistency(list(EXPERIMENTS)), []
    printed = ((8.14, 2.07, 25.43), (87.34, 21.67, 24.8), (24.83, 0.86, 3.47))
    for k, (name, unit) in enumerate((("J", "kg m^2"), ("b", "N m s/rad"), ("c", "N m"))):
        mean, deviation, measure = printed[k]
        rows.append(row(PAPER, f"drive {name}: mean", float(found.mean[k]), printed=mean, unit=unit))
        rows.append(
            row(PAPER, f"drive {name}: standard deviation", float(found.deviation[k]), printed=deviation, unit=unit)
        )
        rows.append(
            row(PAPER, f"drive {name}: consistency", 100.0 * float(found.measure[k]), printed=measure, unit="%")
        )
    total = 2 * sum(LINKS.values()) + 17800 + 36234
    rows.append(row(PAPER, "mass of the robot", total / 1000.0, printed=88.0, unit="kg"))
    return rows


def _figure(name: str, title: str, cases: list[tuple[str, Drop]]) -> Figure:
    shown = round(0.3 / (STEP * EVERY))
    curves = tuple(Curve(label, found.time[:shown], 1e3 * found.depth[:shown]) for label, found in cases)
    return Figure(name, title, "time [s]", "penetration [mm]", curves)


def reproduce() -> Reproduction:
    """All rows and figures of the ball tests, the drive and the walk."""
    figures: list[Figure] = []
    for law, name in ((COMPARISON, "comparison"), (PROPOSED, "proposed")):
        by_mass = [(f"{mass:g} kg", drop(law, mass, 0.0)) for mass in (10.0, 20.0, 30.0, 40.0, 50.0)]
        by_speed = [(f"{speed:g} m/s", drop(law, 10.0, speed)) for speed in (0.0, 0.25, 0.5, 0.75)]
        figures.append(_figure(f"khadiv-mass-{name}", f"Ball at rest on the surface, {name} law", by_mass))
        figures.append(_figure(f"khadiv-speed-{name}", f"10 kg ball, {name} law", by_speed))
    walk_rows, walk_figures = khadiv_walk.results(consistency(list(EXPERIMENTS)).mean)
    rows = (*_printed_rows(), *_shape_rows(), *_sweep_rows(), *_drive_rows(), *walk_rows)
    return Reproduction(PAPER, "Khadiv et al., Rigid vs compliant contact, 2019 (E)", rows, (*figures, *walk_figures))

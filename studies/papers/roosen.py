# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Roosen's thesis (A): friction curves, and the estimator before slip.

The block on the force plate and the planar walk are here, too.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import butter, lfilter

from biped_slip.compile.arrays import AnyArray
from biped_slip.constants import GRAVITY
from biped_slip.friction_estimation.rls import ThesisEstimator, rls_update
from biped_slip.friction_laws.bristle_laws import (
    REVERSAL_FACTOR,
    VIRGIN,
    BlimanSorineConfig,
    BlimanSorineSecondOrderConfig,
    DahlConfig,
    LuGreConfig,
)
from biped_slip.friction_laws.law import FRESH, FrictionLaw
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.summary import WalkSummary, summarise
from biped_slip.simulation.planar.walk import Walk
from studies.papers.rows import Curve, Figure, Reproduction, Row, row

PAPER = "roosen"
PERIOD = 1.0e-3  # [s] of the estimator
SUBSTEPS = 20  # of the block's integration within it
FORGETTING = 0.99
CUT_OFF = 3.54  # [Hz] of the experiment's low-pass filter (A.5)
BLOCK = 5.05  # [kg]


class Samples(NamedTuple):
    """A block on its floor, sampled with the estimator's period."""

    time: AnyArray  # (n,) [s]
    x: AnyArray  # (n,) [m]
    v: AnyArray  # (n,) [m/s]
    ratio: AnyArray  # (n,) resisting force over load


class Material(NamedTuple):
    """A sheet under the block on the force plate, as tabulated (A.5)."""

    name: str
    start: float  # [s] of the pull
    slip: float  # [s]
    static: float  # mu_s
    coulomb: float  # mu_c
    removed: float  # [s] the pull ends
    estimate: float  # printed final value of the estimator
    lead: float  # [s] printed time between reaching it and slip


MATERIALS = (
    Material(
        name="neoprene",
        start=0.0,
        slip=2.9,
        static=1.0,
        coulomb=0.75,
        removed=3.5,
        estimate=1.0,
        lead=0.4,
    ),
    Material(
        name="rubber",
        start=0.25,
        slip=1.1,
        static=1.25,
        coulomb=0.93,
        removed=1.5,
        estimate=1.1,
        lead=0.25,
    ),
    Material(
        name="foam",
        start=0.7,
        slip=2.4,
        static=0.72,
        coulomb=0.70,
        removed=2.7,
        estimate=0.7,
        lead=0.45,
    ),
)
LOAD = 49.5  # [N] on the plate
# [m] s_e and s_p of the sheets (choice: thick soft sheets)
PEAK_AT = 3.0e-3
SETTLED_AT = 15.0e-3
# standard deviations of marker [m] and force ratio (choice)
POSITION_NOISE = 1.0e-5
RATIO_NOISE = 0.01


def pull_block(law: FrictionLaw, mu: float, load: float, force: AnyArray) -> Samples:
    """Pull a block of BLOCK kg under ``load`` [N] by ``force`` (n,) [N].

    The force is constant within each period.
    """
    memory = FRESH
    x = 0.0
    v = 0.0
    h = PERIOD / SUBSTEPS
    out = np.empty((len(force), 3))
    packed = law.packed
    for k, pull in enumerate(force):
        out[k] = x, v, law.step(memory, v, 0.0, load, mu, packed, 0.0)[1] / load
        for _ in range(SUBSTEPS):
            memory, resisting, _ = law.step(memory, v, 0.0, load, mu, packed, h)
            v += (pull - resisting) / BLOCK * h
            x += v * h
    return Samples(PERIOD * np.arange(len(force)), *out.T)


class Estimate(NamedTuple):
    """The thesis' estimator over a series."""

    mu: AnyArray  # (n,) NaN where a_1 >= 0
    residual: AnyArray  # (n,) e [1/s]


def estimate(velocity: AnyArray, ratio: AnyArray) -> Estimate:
    """Recursive least squares over samples of v and u (A.4)."""
    state = (
        ThesisEstimator()
        .initial_state()
        ._replace(u=float(ratio[0]), v=float(velocity[0]))
    )
    mu = np.full(len(ratio), math.nan)
    residual = np.zeros(len(ratio))
    for k in range(1, len(ratio)):
        state, residual[k] = rls_update(
            state, float(ratio[k]), float(velocity[k]), PERIOD, FORGETTING
        )
        if state.a1 < 0.0:
            mu[k] = -state.a2 / state.a1
    return Estimate(mu, residual)


def settled_from(values: AnyArray, target: float, share: float = 0.05) -> int:
    """First index from which all values stay within a share of the target."""
    outside = np.flatnonzero(~(np.abs(values - target) <= share * abs(target)))
    return int(outside[-1]) + 1 if len(outside) else 0


def _path(
    law: FrictionLaw, mu: float, distance: float, samples: int = 2000, back: float = 0.0
) -> tuple[AnyArray, AnyArray]:
    """Return displacement and force at load 1 along a pull from rest.

    The pull may also come after sliding ``back`` metres the other way.
    """
    memory = FRESH
    step = distance / samples
    if back > 0.0:
        memory = law.step(memory, -1.0, 0.0, 1.0, mu, law.packed, back)[0]
    force = np.empty(samples)
    for k in range(samples):
        memory, force[k], _ = law.step(memory, 1.0, 0.0, 1.0, mu, law.packed, step)
    return step * np.arange(1, samples + 1), force


def _curve_rows() -> list[Row]:
    first = BlimanSorineConfig(s_p=1e-3, damping_ratio=0.0)
    dahl = DahlConfig(stiffness=3.0e3, damping_ratio=0.0)
    second = BlimanSorineSecondOrderConfig(
        weakening=1.0, length_ratio=0.2, length=1e-3, damping_ratio=0.0
    )
    x, virgin = _path(second, 0.75, 3e-3, 6000)
    _, reversal = _path(second, 0.75, 3e-3, 6000, back=0.1)
    lugre = LuGreConfig(static_ratio=1.5, viscosity=0.4)  # the values of A.2
    slow = lugre.step(FRESH, 2.0e-3, 0.0, 1.0, 1.0, lugre.packed, 1.0)[1]
    return [
        row(
            PAPER,
            "first order: F(s_p)/F_c",
            _path(first, 1.0, 1e-3)[1][-1],
            expected=0.9502,
            printed=0.95,
        ),
        row(
            PAPER,
            "Dahl alpha = 1: F(s_p)/F_c",
            _path(dahl, 1.0, 1e-3)[1][-1],
            expected=1.0 - math.exp(-3.0),
        ),
        row(
            PAPER,
            "LuGre: steady force at 2 mm/s",
            slow,
            expected=1.0 + 0.5 * math.exp(-4.0) + 0.0008,
            unit="N",
        ),
        row(
            PAPER,
            "second order: peak from rest",
            virgin.max(),
            expected=1.08740,
            printed=1.42481,
            unit="N",
        ),
        row(
            PAPER,
            "second order: peak at a reversal",
            reversal.max(),
            expected=1.42481,
            printed=1.42481,
            unit="N",
        ),
        row(
            PAPER,
            "second order: formula with c = 1",
            0.75 * second.peak(VIRGIN),
            expected=1.08740,
            unit="N",
        ),
        row(
            PAPER,
            "second order: formula with c = 2",
            0.75 * second.peak(REVERSAL_FACTOR),
            expected=1.42481,
            unit="N",
        ),
        row(
            PAPER,
            "second order: displacement at the peak",
            1e3 * x[virgin.argmax()],
            expected=0.57565,
            unit="mm",
        ),
    ]


CLEAN = (  # mu, s_p [m], time of u = 0.95 mu, time converged, u/mu then; A.4
    (1.0, 1e-3, 2.77, 0.86, 0.30),
    (0.4, 1e-3, 1.12, 0.63, 0.53),
    (0.75, 5e-3, 2.10, 0.54, 0.24),
)


def _estimator_rows() -> list[Row]:
    rows = []
    for mu, s_p, full, converged, share in CLEAN:
        case = f"estimator, mu = {mu:g}, s_p = {s_p:g} m"
        force = 17.0 * PERIOD * np.arange(3200)
        block = pull_block(
            BlimanSorineConfig(s_p=s_p, damping_ratio=0.0), mu, BLOCK * GRAVITY, force
        )
        found = estimate(block.v, block.ratio)
        end = int(np.argmax(block.ratio >= 0.95 * mu))
        from_here = settled_from(found.mu[:end], mu)
        rows += [
            row(
                PAPER, f"{case}: u = 0.95 mu", block.time[end], expected=full, unit="s"
            ),
            row(
                PAPER,
                f"{case}: converged to 5 %",
                block.time[from_here],
                expected=converged,
                unit="s",
            ),
            row(
                PAPER,
                f"{case}: u/mu when converged",
                block.ratio[from_here] / mu,
                expected=share,
                absolute=0.006,
            ),
        ]
        if mu == 1.0:
            small = np.flatnonzero(np.abs(found.residual[1:]) < 230.0)
            raised = PERIOD * (int(small[19]))  # the 20th residual below eps in a row
            rows.append(
                row(
                    PAPER,
                    f"{case}: largest e",
                    np.abs(found.residual[:end]).max(),
                    expected=0.53,
                    unit="1/s",
                )
            )
            rows.append(
                row(
                    PAPER,
                    f"{case}: flag with eps = 230, N = 20",
                    raised,
                    expected=0.019,
                    unit="s",
                )
            )
            rows += _noise_rows(block)
    return rows


def _noise_rows(block: Samples) -> list[Row]:
    """Take the median over seeds of the estimate at u = 0.69 under white noise.

    It is accepted within the seeds' 5 to 95 %.
    """
    rows = []
    at = int(np.argmax(block.ratio >= 0.69))
    for noise_v, noise_u, expected in ((1e-6, 1e-4, 0.984), (1e-5, 1e-3, 0.958)):
        values = []
        for seed in range(25):
            rng = np.random.default_rng(seed)
            velocity = block.v[: at + 1] + rng.normal(0.0, noise_v, at + 1)
            values.append(
                estimate(
                    velocity, block.ratio[: at + 1] + rng.normal(0.0, noise_u, at + 1)
                ).mu[-1]
            )
        name = f"estimator with noise {noise_v:g} m/s, {noise_u:g}: median at u = 0.69"
        low, high = np.quantile(values, (0.05, 0.95))
        rows.append(
            row(
                PAPER,
                name,
                float(np.median(values)),
                expected=expected,
                absolute=0.5 * float(high - low),
            )
        )
    return rows


class PlateRun(NamedTuple):
    """One material on the force plate.

    It holds what was filtered, and what the estimator made of it.
    """

    block: Samples
    ratio: AnyArray  # (n,) filtered
    found: Estimate
    value: float  # estimate when slip starts
    lead: float  # [s]


@cache
def plate(material: Material, seed: int = 0) -> PlateRun:
    """Make a synthetic force-plate run (A.5).

    It takes the second-order law, a tabulated ramp, a causal low-pass filter and the
    estimator.
    """
    law = BlimanSorineSecondOrderConfig.fit(
        material.coulomb, material.static, PEAK_AT, SETTLED_AT, VIRGIN
    )
    time = PERIOD * np.arange(round((material.removed + 0.3) / PERIOD))
    rate = material.static * LOAD / (material.slip - material.start)
    pulling = (time >= material.start) & (time < material.removed)
    block = pull_block(
        law,
        material.coulomb,
        LOAD,
        np.where(pulling, rate * (time - material.start), 0.0),
    )
    rng = np.random.default_rng(seed)
    position = block.x + rng.normal(0.0, POSITION_NOISE, len(time))
    ratio = block.ratio + rng.normal(0.0, RATIO_NOISE, len(time))
    b, a = butter(2, CUT_OFF, fs=1.0 / PERIOD)
    smooth_x = lfilter(b, a, position - position[0])
    smooth_u = lfilter(b, a, ratio)
    found = estimate(np.diff(smooth_x, prepend=smooth_x[0]) / PERIOD, smooth_u)
    at = round(material.slip / PERIOD)
    value = float(found.mu[at])
    return PlateRun(
        block=block,
        ratio=smooth_u,
        found=found,
        value=value,
        lead=(at - settled_from(found.mu[:at], value)) * PERIOD,
    )


def _plate_rows() -> list[Row]:
    rows = []
    for material in MATERIALS:
        runs = [plate(material, seed) for seed in range(5)]
        block = runs[0].block
        name = f"plate, {material.name}"
        ramp = material.static * LOAD / (material.slip - material.start)
        printed_ramp = {"neoprene": 17.1, "rubber": 72.8, "foam": 21.0}[material.name]
        at_peak = float(block.time[block.ratio.argmax()])
        value, lead = (
            float(np.median([getattr(run, field) for run in runs]))
            for field in ("value", "lead")
        )
        rows += [
            row(PAPER, f"{name}: mean ramp", ramp, printed=printed_ramp, unit="N/s"),
            row(
                PAPER,
                f"{name}: slip starts",
                at_peak,
                printed=material.slip,
                unit="s",
                absolute=0.1,
            ),
            row(
                PAPER,
                f"{name}: mu_s",
                float(block.ratio.max()),
                printed=material.static,
            ),
            row(
                PAPER,
                f"{name}: estimate at slip",
                value,
                printed=material.estimate,
                relative=0.05,
            ),
            row(
                PAPER,
                f"{name}: lead over slip",
                lead,
                printed=material.lead,
                unit="s",
                absolute=0.1,
            ),
        ]
    return rows


@cache
def walk(kind: str) -> tuple[WalkLog, WalkSummary]:
    """Walk the planar biped in the thesis' scenario (A.10).

    It walks with a kind of slip prevention.
    """
    scenario = ScenarioConfig()
    loop = Walk(scenario, planar_policy(kind, scenario))
    log = loop.run()
    return log, summarise(log, loop.fell, 0.0)


def _walk_rows() -> list[Row]:
    rows = []
    for kind, slides in (("none", True), ("thesis", False)):
        log, summary = walk(kind)
        case = "walk without prevention" if slides else "walk with prevention"
        bad = summary.fell or summary.max_stance_slip > 0.05
        rows.append(
            row(
                PAPER,
                f"{case}: falls or slides over 5 cm (1 = yes)",
                float(bad),
                printed=float(slides),
            )
        )
        if not slides:
            rows.append(
                row(
                    PAPER, f"{case}: walks", float(log.time[-1]), printed=12.0, unit="s"
                )
            )
            slippery = [
                c.mu_hat
                for c in summary.contacts
                if c.mu_true < 0.5 and c.mu_hat is not None
            ]
            limit = 0.9 * float(np.median(slippery)) if slippery else math.nan
            rows.append(
                row(
                    PAPER,
                    f"{case}: limit on the slippery floor",
                    limit,
                    printed=0.36,
                    relative=0.05,
                )
            )
        else:
            start = summary.slips[0].start if summary.slips else math.nan
            rows.append(row(PAPER, f"{case}: first slip", start, printed=8.2, unit="s"))
    return rows


def _figures() -> tuple[Figure, ...]:
    second = BlimanSorineSecondOrderConfig(
        weakening=1.0, length_ratio=0.2, length=1e-3, damping_ratio=0.0
    )
    laws: list[tuple[str, FrictionLaw, float]] = [
        ("Dahl, alpha = 1", DahlConfig(stiffness=3.0e3, damping_ratio=0.0), 1.0),
        ("Bliman-Sorine, first order", BlimanSorineConfig(damping_ratio=0.0), 1.0),
        ("Bliman-Sorine, second order", second, 0.75),
    ]
    curves = [(name, *_path(law, mu, 4e-3)) for name, law, mu in laws]
    figures = [
        Figure(
            name="roosen-laws",
            title="Pull from rest",
            x_label="displacement [mm]",
            y_label="friction [N]",
            curves=tuple(Curve(name, 1e3 * x, force) for name, x, force in curves),
        ),
    ]
    for material in MATERIALS:
        run = plate(material)
        shown = np.where(np.abs(run.found.mu) < 2.0, run.found.mu, math.nan)
        figures.append(
            Figure(
                name=f"roosen-{material.name}",
                title=f"Block on {material.name}",
                x_label="time [s]",
                y_label="force ratio, estimate",
                curves=(
                    Curve("F_r/F_n", run.block.time, run.ratio),
                    Curve("estimate", run.block.time, shown),
                ),
            )
        )
    for kind, name in (("none", "without"), ("thesis", "with")):
        log, _ = walk(kind)
        ratio: Any = np.where(
            log.normal > 1.0,
            np.abs(log.tangential) / np.maximum(log.normal, 1.0),
            math.nan,
        )
        figures.append(
            Figure(
                name=f"roosen-walk-{name}",
                title=f"Planar walk {name} prevention",
                x_label="time [s]",
                y_label="force ratio",
                curves=(
                    Curve("left", log.time, ratio[:, 0]),
                    Curve("right", log.time, ratio[:, 1]),
                ),
            )
        )
    return tuple(figures)


def reproduce() -> Reproduction:
    """All rows and figures of the thesis."""
    rows = (*_curve_rows(), *_estimator_rows(), *_plate_rows(), *_walk_rows())
    return Reproduction(
        PAPER,
        "Roosen, Ground-contact friction estimation and slip prevention (A)",
        rows,
        _figures(),
    )

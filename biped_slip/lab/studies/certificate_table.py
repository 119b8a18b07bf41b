# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the certificate keeps its word over whole stances, and what that costs, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.interval import IntervalConfig, IntervalEstimator, SoleModel
from biped_slip.lab.studies.changing_floors import dropped
from biped_slip.lab.studies.conditions import P2
from biped_slip.lab.studies.following import BODY_WEIGHT
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.lab.studies.sensing import Observed, Sensors, observe, told
from biped_slip.lab.studies.sensor_faults import CROSS_TALK, FAULTS, FaultKind
from biped_slip.lab.studies.stances import SAMPLES, Stances
from biped_slip.lab.studies.steps import Answers, follow_feet
from biped_slip.lab.studies.walking_stances import HUMAN, Walk, draw

SEED = 91000
FIRST, LAST = 80, 40  # samples after touchdown, and before lift-off, that are not judged: ringing and unloading
SHIPPED, UNKNOWN = SoleModel(calibrated=True), SoleModel()
CREEP = 0.05  # [s]
DAHL = Contact()
TRUTHS = (
    ("Dahl", Walk()),
    ("Bliman-Sorine 2", Walk(Contact("bliman_sorine"))),
    ("elasto-plastic 0.3", Walk(Contact("elasto_plastic", 0.3))),
    ("LuGre below break-away", Walk(Contact("lugre"), largest_share=(0.5, 0.8))),
    ("Iwan", Walk(Contact("iwan"))),
    ("Maxwell slip", Walk(Contact("maxwell_slip"))),
    ("Dahl 2-D", Walk(planar=True)),
    ("elasto-plastic 0.3 2-D", Walk(Contact("elasto_plastic", 0.3), planar=True)),
    ("Iwan 2-D", Walk(Contact("iwan"), planar=True)),
    ("Maxwell slip 2-D", Walk(Contact("maxwell_slip"), planar=True)),
    ("Iwan, human double hump", Walk(Contact("iwan"), profile=HUMAN)),
    ("Iwan, braking to 0.8 first", Walk(Contact("iwan"), profile=1, brake=(0.7, 0.9))),
    ("Dahl, bulk stiffness", Walk(Contact(bulk=True))),
    ("Iwan, bulk stiffness", Walk(Contact("iwan", bulk=True))),
    ("Dahl, creep 50 ms", Walk(Contact(creep=CREEP))),
    ("Iwan, creep 50 ms", Walk(Contact("iwan", creep=CREEP))),
    ("Iwan, legs 2e5 N/m", Walk(Contact("iwan", stiffness=2e5))),
    ("Dahl, mu 0.02 to 0.06", Walk(mu=(0.02, 0.06))),
    ("Dahl, mu 1.2 to 2.5", Walk(mu=(1.2, 2.5))),
)


class Found(NamedTuple):
    """Shares of stances; times in ms."""

    wrong: float  # low above mu at any time of the whole stance
    far: float  # by more than a tenth
    worst: float  # largest low over mu
    high_below: float  # high below mu while usable
    usable: tuple[float, float]  # when the load first reaches 0.7 and 0.9 of the limit, of those that do
    bounded: float  # a finite high at any time
    width: float  # median of the narrowest high over low, of those
    lead: float  # median time from the first usable answer to 0.9 of the limit or the stance's end [ms]
    over_limit: float = NAN  # the control rule's limit, once it follows an estimate, above mu at any time


def judged(stances: Stances) -> AnyArray:
    """Samples at which answers are judged, shape (stances, samples)."""
    sample = np.arange(SAMPLES)
    return (sample >= FIRST) & (sample < stances.length[:, None] - LAST)


def judge(stances: Stances, low: AnyArray, high: AnyArray, usable: AnyArray, mu: AnyArray | None = None) -> Found:
    """Score answers given sample by sample, shape (stances, samples); NaN where there is none."""
    inside, rows = judged(stances), np.arange(stances.mu.size)
    mu = np.broadcast_to(stances.mu[:, None], inside.shape) if mu is None else mu
    over = np.nan_to_num(np.where(inside, low / mu, 0.0))
    said = inside & (usable > 0.0)
    at = []
    for share in (0.7, 0.9):
        reached = inside & (stances.share >= share)
        some = reached.any(axis=1)
        at.append(float(np.mean(said[rows, reached.argmax(axis=1)][some])) if some.any() else NAN)
    late = inside & (stances.share >= 0.9)
    end = np.where(late.any(axis=1), late.argmax(axis=1), stances.length - LAST)
    early = said & (np.arange(SAMPLES) < end[:, None])
    spoke = early.any(axis=1)
    finite = inside & np.isfinite(high) & (low > 0.0)
    ratio = np.where(finite, high, 1.0) / np.where(finite, low, 1.0)
    narrowest = np.min(np.where(finite, ratio, np.inf), axis=1)[finite.any(axis=1)]
    return Found(
        wrong=float(np.mean(over.max(axis=1) > 1.0)),
        far=float(np.mean(over.max(axis=1) > 1.1)),
        worst=float(over.max()),
        high_below=float(np.mean((said & (high < mu)).any(axis=1))),
        usable=(at[0], at[1]),
        bounded=float(np.mean(finite.any(axis=1))),
        width=float(np.median(narrowest)) if narrowest.size else NAN,
        lead=float(np.median((end - early.argmax(axis=1))[spoke])) if spoke.any() else NAN,
    )


def realise(walk: Walk, sensors: Sensors, count: int, seed: int) -> tuple[Stances, Observed]:
    """Stances of a walk and what their sensors show."""
    rng = np.random.default_rng(seed)
    stances = draw(rng, count, walk)
    return stances, observe(rng, stances, sensors, walk.planar)


def answers(seen: Observed, config: IntervalConfig) -> Answers:
    """The whole estimator, every stance a fresh foot."""
    one = IntervalEstimator(config, body_weight=BODY_WEIGHT)
    return follow_feet([one.initial_state() for _ in range(seen.normal.shape[0])], one.settings, seen)


def measure(walk: Walk, sensors: Sensors, sole: SoleModel, count: int, seed: int = SEED) -> Found:
    """Scores of the interval estimator over whole stances."""
    stances, seen = realise(walk, sensors, count, seed)
    said = answers(seen, told(sensors, walk.planar, sole))
    in_force = judged(stances) & (said.released > 0.0) & ~(said.slipping > 0.0)
    over = (in_force & (said.limit > stances.mu[:, None])).any(axis=1)
    return judge(stances, said.low, said.high, said.usable)._replace(over_limit=float(np.mean(over)))


def truths(count: int, seed: int = SEED) -> list[Row]:
    """Every contact with the shipped sole, P2, and with a sole of which nothing is known."""
    rows = []
    for name, walk in TRUTHS:
        for label, sole in (("shipped", SHIPPED), ("unknown", UNKNOWN)):
            found = measure(walk, P2, sole, count, seed)
            rows.append(Row(f"{name}, {label}: low > mu in the stance", 0.05, True, "", found.wrong))
            rows.append(Row(f"{name}, {label}: largest low/mu", NAN, True, "", found.worst))
            rows.append(Row(f"{name}, {label}: control rule's limit > mu", NAN, True, "", found.over_limit))
            if sole is SHIPPED:
                rows.append(Row(f"{name}, {label}: high < mu while usable", NAN, True, "", found.high_below))
                rows.append(Row(f"{name}, {label}: usable at 0.7", NAN, False, "", found.usable[0]))
                rows.append(Row(f"{name}, {label}: usable at 0.9", NAN, False, "", found.usable[1]))
                rows.append(Row(f"{name}, {label}: lead to 0.9 [ms]", NAN, False, "", found.lead))
    return rows


class Faulty(NamedTuple):
    """Shares of stances with a fault that nobody told of."""

    wrong: float  # low above mu at any time
    withdrawn: float  # withdrawn at the end, or never usable
    handled: float  # withdrawn, or right throughout


def faulty(
    kind: FaultKind, level: float, count: int, seed: int = SEED, contact: Contact = DAHL, cross_talk: float = 0.0
) -> Faulty:
    """Scores with a fault at a share of its level; ``cross_talk`` is what the estimator is told of it."""
    rng = np.random.default_rng(seed)
    stances = draw(rng, count, Walk(contact))
    seen = kind.fault(rng, stances, observe(rng, stances, P2, False), level * kind.level)
    config = told(P2, False, SHIPPED)
    said = answers(seen, replace(config, force=replace(config.force, cross_talk=cross_talk)))
    inside = judged(stances)
    last = stances.length - LAST - 1
    silent = np.isinf(said.high[np.arange(count), last]) | ~(inside & (said.usable > 0.0)).any(axis=1)
    wrong = (inside & (said.low > stances.mu[:, None])).any(axis=1)
    return Faulty(float(np.mean(wrong)), float(np.mean(silent)), float(np.mean(silent | ~wrong)))


def faults(count: int, seed: int = SEED) -> list[Row]:
    """Undeclared errors at half, once and twice their level (Dahl; once on Iwan; P2, shipped sole)."""
    rows = []
    for kind in FAULTS:
        for level in (0.5, 1.0, 2.0):
            found = faulty(kind, level, count, seed)
            label, least = f"{kind.name}, x {level:g}", 0.8 if level >= 1.0 else NAN
            rows.append(Row(f"{label}: low > mu in the stance", 0.1, True, "", found.wrong))
            rows.append(Row(f"{label}: withdrawn or silent", NAN, False, "", found.withdrawn))
            rows.append(Row(f"{label}: withdrawn, silent or right throughout", least, False, "", found.handled))
        found = faulty(kind, 1.0, count, seed, Contact("iwan"))
        rows.append(Row(f"{kind.name}, on Iwan: low > mu in the stance", 0.1, True, "", found.wrong))
    for level in (1.0, 2.0):
        share = level * CROSS_TALK.level
        found = faulty(CROSS_TALK, level, count, seed, cross_talk=share)
        rows.append(Row(f"cross-talk {share:.0%}, told: low > mu in the stance", 0.05, True, "", found.wrong))
    return rows


def changes(count: int, seed: int = SEED) -> list[Row]:
    """Floors that get slippery under a planted foot: shares of stances wrong for longer than 50 ms."""
    rows = []
    for name, factor, slow in (
        ("to a half", 0.5, False),
        ("to a quarter", 0.25, False),
        ("by 20 %, slowly", 0.8, True),
    ):
        rng = np.random.default_rng(seed)
        stances, mu = dropped(rng, draw(rng, count, Walk(largest_share=(0.2, 0.97))), factor, slow)
        said = answers(observe(rng, stances, P2, False), told(P2, False, SHIPPED))
        wrong = (judged(stances) & (said.low > mu)).sum(axis=1)
        rows.append(Row(f"mu falls {name}: wrong for more than 50 ms", 0.05, True, "", float(np.mean(wrong > 50))))
        rows.append(Row(f"mu falls {name}: wrong for a moment", NAN, True, "", float(np.mean(wrong > 0))))
    return rows

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The control rule on a ramp to 0.99 of the limit: whether it stops the load in time, and not too early (study 7.9)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.limit_rule import LimitRuleConfig
from biped_slip.lab.studies import conditions, truths
from biped_slip.lab.studies.following import Course, follow
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.lab.studies.sensing import Sensors, told
from biped_slip.lab.studies.stances import StanceKind, Stances

SEED = 9000
REACTION = 10  # samples from the decision until the load stops rising
TOO_LATE, TOO_EARLY = 0.95, 0.5  # of the limit
SENSORS = {"P1": conditions.P1, "P2": conditions.P2, "P3": conditions.P3, "V2": conditions.V2, "P4": conditions.P4}
STUDY = {
    "P1": (".000", ".000"),
    "P2": (".000", ".005"),
    "P3": (".000", ".004"),
    "V2": (".008", ".010"),
    "P4": (".149", ".112"),
}


class Held(NamedTuple):
    """Shares of stances and the median level at which the load stopped, in mu."""

    late: float
    early: float
    level: float


def hold(stances: Stances, course: Course, ratio: AnyArray) -> Held:
    """Stop 10 ms after the measured ratio reaches the limit of a released estimate."""
    rule = LimitRuleConfig()
    times = np.array([course.sample(block) for block in range(course.low.shape[1])])
    measured = np.hypot(ratio[:, times, 0], ratio[:, times, 1])
    beyond = np.fmax(np.fmax(course.q05, course.low), rule.witnessed_factor * course.witnessed)
    limit = np.fmin(beyond, rule.median_share * course.median)
    over = (course.released > 0.0) & (measured >= limit)
    last = stances.length - 1
    stop = np.where(over.any(axis=1), times[over.argmax(axis=1)] + REACTION, last)
    level = stances.share[np.arange(stop.size), np.minimum(stop, last)]
    return Held(float(np.mean(level >= TOO_LATE)), float(np.mean(level < TOO_EARLY)), float(np.median(level)))


def measure(sensors: Sensors, count: int, law: truths.Law = truths.FIRST_ORDER, calibrated: bool = False) -> Held:
    """Ramps (profile 0) to 0.99 of the limit."""
    sole = conditions.CALIBRATED_SOLE if calibrated else conditions.KNOWN_SOLE
    condition = conditions.Condition("ramp", SEED, sensors, StanceKind(profile=0, largest_share=0.99, law=law), sole)
    stances, seen = condition.realise(count)
    return hold(stances, follow(seen, stances.length, told(sensors, False, sole)), seen.ratio)


def rows(count: int) -> list[Row]:
    """Each sensor on the first order truth, and P2 with the calibrated-shape version on the others."""
    found = []
    for name, sensors in SENSORS.items():
        held = measure(sensors, count)
        found.append(Row(f"{name}: not held before 0.95 mu", NAN, True, STUDY[name][0], held.late))
        found.append(Row(f"{name}: held below 0.5 mu", NAN, True, STUDY[name][1], held.early))
        found.append(Row(f"{name}: median hold level [mu]", NAN, False, ".88", held.level))
    for condition in conditions.OTHER_TRUTHS:
        held = measure(conditions.P2, count, condition.kind.law, calibrated=True)
        found.append(Row(f"P2, {condition.name}: not held before 0.95 mu", NAN, True, "", held.late))
        found.append(Row(f"P2, {condition.name}: held below 0.5 mu", NAN, True, "", held.early))
    return found

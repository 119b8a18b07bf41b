# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics of steps per condition, and per foot, since left and right differ in most people [Chang2012b]_."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path
from typing import Iterable, NamedTuple, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.distributions import fits
from biped_slip.gait_laboratory.slip_class import CLASSES
from biped_slip.gait_laboratory.step import Step
from biped_slip.recordings.series import FloatArray

QUANTITIES = (
    *("required", "rcof_acceptance", "rcof_push_off", "rcof_acceptance_fore_aft", "rcof_push_off_fore_aft"),
    *("rcof_largest", "rcof_10_90", "stance_s", "speed_m_s", "slip_distance_m", "slip_peak_velocity_m_s"),
)
TESTED = ("required", "rcof_acceptance", "rcof_push_off")
BOTH = "all feet"


class Group(NamedTuple):
    """What steps have in common; ``foot`` is left, right, another name, or ``all feet``."""

    shoe: str
    floor: str
    condition: str
    subject: str
    foot: str

    @property
    def words(self) -> str:
        """For headings."""
        return ", ".join(part for part in (self.condition, self.floor, self.shoe, self.foot) if part) or "all steps"


class Distribution(NamedTuple):
    """One quantity of one group."""

    quantity: str
    steps: int
    people: int
    mean: float
    deviation: float  # standard, between all steps
    q05: float
    median: float
    q95: float
    best_fit: str  # family with the largest p; empty where it wasn't tested
    best_p: float
    normal_p: float
    normal_refused: bool  # the steps don't come from a normal distribution


class Condition(NamedTuple):
    """Everything about one group."""

    group: Group
    steps: int
    judged: int
    slips: dict[str, int]  # steps of every class; only those whose motion is known
    distributions: tuple[Distribution, ...]

    def of(self, quantity: str) -> Distribution | None:
        """The distribution of a quantity, or None where it is never known."""
        return next((one for one in self.distributions if one.quantity == quantity), None)


def groups_of(step: Step) -> tuple[Group, Group]:
    """The groups that a step counts in: its own foot's, and both feet's."""
    common = step.shoe, step.floor, step.condition, step.subject
    return Group(*common, step.foot), Group(*common, BOTH)


def conditions(steps: Iterable[Step]) -> list[Condition]:
    """Statistics of every group, in the order of first appearance; only numbers are kept of a step."""
    values: dict[Group, dict[str, list[float]]] = {}
    people: dict[Group, set[str]] = {}
    total: Counter[Group] = Counter()
    judged: Counter[Group] = Counter()
    slips: dict[Group, Counter[str]] = {}
    for step in steps:
        for group in groups_of(step):
            total[group] += 1
            held = values.setdefault(group, {name: [] for name in QUANTITIES})
            people.setdefault(group, set())
            slips.setdefault(group, Counter())
            if step.excluded:
                continue
            judged[group] += 1
            people[group].add(step.person)
            slips[group].update([step.slip_class] if step.slip_class else [])
            for name in QUANTITIES:
                held[name].append(getattr(step, name))
    order = {group._replace(foot=""): place for place, group in reversed(list(enumerate(values)))}
    return [
        Condition(
            group,
            total[group],
            judged[group],
            {name: slips[group][name] for name in CLASSES},
            tuple(
                one for name in QUANTITIES if (one := _distribution(name, held[name], len(people[group]))) is not None
            ),
        )
        for group, held in sorted(values.items(), key=lambda item: (order[item[0]._replace(foot="")], _place(item[0])))
    ]


def _place(group: Group) -> int:
    """Left, right, others, both."""
    places = {"left": 0, "right": 1, BOTH: 3}
    return places.get(group.foot, 2)


def _distribution(quantity: str, values: Sequence[float], people: int) -> Distribution | None:
    known: FloatArray = np.array([value for value in values if math.isfinite(value)])
    if not len(known):
        return None
    q05, median, q95 = (float(q) for q in np.quantile(known, [0.05, 0.5, 0.95]))
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else math.nan
    family, best, normal, refused = _tested(known) if quantity in TESTED else ("", math.nan, math.nan, False)
    mean = float(np.mean(known))
    return Distribution(quantity, len(known), people, mean, deviation, q05, median, q95, family, best, normal, refused)


def _tested(values: FloatArray) -> tuple[str, float, float, bool]:
    try:
        found = fits(values)
    except BipedSlipError:
        return "", math.nan, math.nan, False
    normal = next(one for one in found if one.family == "normal")
    best = "" if math.isnan(found[0].p) else "none" if found[0].refused else found[0].family
    return best, found[0].p, normal.p, normal.refused


def write_conditions(path: Path, found: Sequence[Condition]) -> None:
    """One line per group and quantity."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*Group._fields, "steps_recorded", "steps_judged", *Distribution._fields])
        for one in found:
            for row in one.distributions:
                cells = ["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row]
                writer.writerow([*one.group, one.steps, one.judged, *cells])

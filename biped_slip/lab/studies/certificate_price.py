# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a certificate that keeps its word costs: what is known when, beside the union of two profile least squares.

The union is told that alpha is 1, that legs are stiff and that the sole does not damp. The interval estimator is shown
as shipped, which is told none of this, and told the same.
"""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.friction_estimation.interval import SoleModel
from biped_slip.lab.studies import profile_least_squares
from biped_slip.lab.studies.certificate_table import SHIPPED, Found, answers, judge, realise
from biped_slip.lab.studies.conditions import P1, P2, P3, V2
from biped_slip.lab.studies.following import START, WIDTH
from biped_slip.lab.studies.memory_truths import Contact
from biped_slip.lab.studies.profile_least_squares import Ends
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.lab.studies.sensing import Observed, Sensors, told
from biped_slip.lab.studies.stances import SAMPLES, Stances
from biped_slip.lab.studies.walking_stances import Walk

OTHER_SEED = 92000
SENSORS = (("P1", P1), ("P2", P2), ("P3", P3), ("V2", V2))
SHARE_OF_UNION = 0.85
TOLD_ALIKE = SoleModel(calibrated=True, least_shape=0.0, compliance_spread=0.0, lag_spread=0.0)  # either rule, too
THRESHOLDS = (2.0, 3.0, 4.0, 6.0, 8.0, 11.0, 16.0, 22.0, 32.0, 45.0, 64.0)


def prices(count: int, seed: int) -> list[Row]:
    """Usable answers, lead and width of the estimator as shipped, told what the union is told, and of the union."""
    rows = []
    for name, sensors in SENSORS:
        threshold = calibrated_threshold(sensors, count, OTHER_SEED) if sensors.kind == "position" else NAN
        for truth in ("dahl", "iwan"):
            stances, seen = realise(Walk(Contact(truth)), sensors, count, seed)
            union = NAN, NAN
            if sensors.kind == "position":
                theirs = union_of_fits(stances, seen, sensors, threshold)
                union = theirs.usable
                rows += _rows(f"{name}, {truth}, union", theirs, (NAN, NAN))
            least = SHARE_OF_UNION * union[0], SHARE_OF_UNION * union[1]
            for label, sole in (("shipped", SHIPPED), ("told what the union is told", TOLD_ALIKE)):
                said = answers(seen, told(sensors, False, sole))
                found = judge(stances, said.low, said.high, said.usable)
                rows += _rows(f"{name}, {truth}, {label}", found, least, 0.05)
                rows.append(Row(f"{name}, {truth}, {label}: finite high", NAN, False, "", found.bounded))
                rows.append(Row(f"{name}, {truth}, {label}: narrowest high/low, median", NAN, True, "", found.width))
    return rows


def _rows(label: str, found: Found, least: tuple[float, float], most: float = NAN) -> list[Row]:
    return [
        Row(f"{label}: low > mu in the stance", most, True, "", found.wrong),
        Row(f"{label}: usable at 0.7", least[0], False, "", found.usable[0]),
        Row(f"{label}: usable at 0.9", least[1], False, "", found.usable[1]),
        Row(f"{label}: lead to 0.9 [ms]", NAN, False, "", found.lead),
    ]


def ends_of_fits(stances: Stances, seen: Observed, sensors: Sensors, threshold: float, rules: str = "both") -> Ends:
    """Smallest and largest mu left at every sample, by Dahl's rule, Masing's or both."""
    dahl, masing = (profile_least_squares.follow(stances, seen, sensors, rule, threshold) for rule in (False, True))
    ends = {"dahl": dahl, "masing": masing}.get(rules) or profile_least_squares.union(dahl, masing)
    return Ends(*(_by_sample(values) for values in ends))


def union_of_fits(stances: Stances, seen: Observed, sensors: Sensors, threshold: float, rules: str = "both") -> Found:
    """Scores of profile least squares by Dahl's rule, Masing's or both."""
    low, high = ends_of_fits(stances, seen, sensors, threshold, rules)
    return judge(stances, low, high, high < profile_least_squares.USABLE_RATIO * low)


def calibrated_threshold(sensors: Sensors, count: int, seed: int) -> float:
    """Least threshold at which the union is wrong in at most 5 % of Dahl and of Iwan stances."""
    sets = [realise(Walk(Contact(truth)), sensors, count, seed + k) for k, truth in enumerate(("dahl", "iwan"))]
    for threshold in THRESHOLDS:
        if all(union_of_fits(*one, sensors, threshold).wrong <= 0.05 for one in sets):
            return threshold
    return THRESHOLDS[-1]


def _by_sample(blocks: AnyArray) -> AnyArray:
    """Values after every block as they stand at every sample."""
    values = np.full((blocks.shape[0], SAMPLES), np.nan)
    for block in range(blocks.shape[1]):
        first = START + WIDTH * (block + 1) - 1
        values[:, first : first + WIDTH] = blocks[:, block, None]
    return values

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The study's acceptance table, row by row: required, measured by the study, measured here (study 9)."""

from __future__ import annotations

from typing import Callable, Iterator

from biped_slip.lab.studies import conditions, cramer_rao, holding, steps
from biped_slip.lab.studies.conditions import (
    ACCEPTANCE,
    COMPLIANT,
    IDLE,
    OTHER_TRUTHS,
    Condition,
)
from biped_slip.lab.studies.estimator_speed import speed
from biped_slip.lab.studies.following import follow
from biped_slip.lab.studies.row import NAN, Row
from biped_slip.lab.studies.scores import Score, score
from biped_slip.lab.studies.sensing import told
from biped_slip.lab.studies.thesis import PRINTED, TUNED, judge

EARLY = {  # usable at SHARES, 95th percentile of the error at 0.7, lead [ms]: required, the study's (study 9)
    "P1": ((0.25, 0.97, 0.99), (".32", "1.0", "1.0"), (0.06, ".04"), (105.0, "122")),
    "P2": ((0.12, 0.70, 0.99), (".17", ".77", "1.0"), (0.09, ".06"), (80.0, "94")),
    "P2 2-D": ((0.12, 0.70, 0.99), (".24", ".80", "1.0"), None, None),
    "P3": ((NAN, 0.35, 0.97), (".06", ".41", ".99"), (0.10, ".07"), (52.0, "61")),
    "V2": ((NAN, 0.22, 0.88), (".02", ".27", ".93"), (0.18, ".14"), (40.0, "48")),
}
COMPLIANT_STUDY = ((".003", ".99"), (".008", ".99"), (".030", ".97"))


def measure(condition: Condition, count: int) -> Score:
    """Scores of the interval estimator under one condition."""
    stances, seen = condition.realise(count)
    return score(stances, follow(seen, stances.length, told(condition.sensors, condition.kind.planar, condition.sole)))


def thesis(condition: Condition, count: int) -> Iterator[Row]:
    """The thesis' estimator on the same stances: as printed, and tuned (study 3)."""
    stances, seen = condition.realise(count)
    printed, tuned = (judge(stances, seen, condition.sensors.kind, tuning) for tuning in (PRINTED, TUNED))
    name = f"{condition.name}: thesis"
    yield Row(f"{name} as printed: flagged value > 1.1 mu", NAN, True, "", printed.danger)
    yield Row(f"{name} tuned: flagged value > 1.1 mu", NAN, True, "", tuned.danger)
    yield Row(f"{name} tuned: flagged and right at 0.7", NAN, False, "", tuned.right[1])


def acceptance(condition: Condition, found: Score) -> Iterator[Row]:
    """Rows of one of the ten conditions."""
    name = condition.name
    yield Row(f"{name}: low > mu at any time", 0.05, True, ".001-.019", found.low_above_mu)
    yield Row(f"{name}: low > 1.1 mu at any time", 0.01, True, "<= .002", found.low_far_above_mu)
    yield Row(f"{name}: usable median > 1.1 mu at any time", 0.07, True, ".005-.050", found.median_far_above_mu)
    if name not in EARLY:
        return
    usable, study, error, lead = EARLY[name]
    for index, share in enumerate((0.5, 0.7, 0.9)):
        yield Row(f"{name}: usable at {share} of the limit", usable[index], False, study[index], found.usable[index])
    if error is not None and lead is not None:
        yield Row(f"{name}: 95 % error at 0.7 when usable", error[0], True, error[1], found.error[1])
        yield Row(f"{name}: median lead to 0.9 [ms]", lead[0], False, lead[1], found.lead)


def idle(count: int) -> Iterator[Row]:
    """Confidence without excitation."""
    found = measure(IDLE, count)
    yield Row("never above 0.3: ever usable", 0.02, True, "<= .008", found.usable_ever)


def other_truths(count: int) -> Iterator[Row]:
    """Truths that the calibrated-shape version does not carry, and series compliance."""
    for condition in OTHER_TRUTHS:
        yield Row(
            f"{condition.name}: low > mu at any time", 0.05, True, "<= .008", measure(condition, count).low_above_mu
        )
    for condition, study in zip(COMPLIANT, COMPLIANT_STUDY, strict=True):
        found = measure(condition, count)
        yield Row(f"{condition.name}: low > mu at any time", 0.05, True, study[0], found.low_above_mu)
        yield Row(f"{condition.name}: usable at 0.9", 0.93, False, study[1], found.usable[2])


def damped(count: int) -> Iterator[Row]:
    """A sole that damps its presliding: with the lag state, and without it, as the study's estimator is."""
    for condition in conditions.DAMPED:
        found = measure(condition, count)
        without = measure(condition._replace(sole=conditions.KNOWN_SOLE), count)
        yield Row(f"{condition.name}: low > mu at any time", 0.05, True, "", found.low_above_mu)
        yield Row(f"{condition.name}: usable at 0.7", NAN, False, "", found.usable[1])
        yield Row(f"{condition.name}, no lag state: low > mu at any time", NAN, True, "", without.low_above_mu)


def sensitivity(count: int) -> Iterator[Row]:
    """The study's sensitivity paragraph, its bold cells included."""
    study = (
        ".008",
        ".006",
        ".001",
        ".074",
        ".001",
        ".058",
        ".012",
        ".037",
        "-",
        ".074",
        ".141",
        ".110",
        ".005",
        ".038",
    )
    for condition, printed in zip(conditions.SENSITIVITY, study, strict=True):
        found = measure(condition, count)
        yield Row(f"{condition.name}: low > mu at any time", 0.05, True, printed, found.low_above_mu)
        yield Row(f"{condition.name}: usable at 0.7", NAN, False, "", found.usable[1])


def efficiency(count: int) -> tuple[list[cramer_rao.Cell], list[Row]]:
    """Errors over the Cramer-Rao bound, all cells, and the row that judges the oracle."""
    cells = cramer_rao.cells(count)
    judged = [cell for cell in cells if cell.bound < cramer_rao.LARGEST_BOUND]
    worst = max(cell.least_squares for cell in judged)
    return cells, [Row(f"least squares sd / bound, worst of {len(judged)} cells", 1.25, True, ".9-1.2", worst)]


def all_rows(count: int, show: Callable[[str, list[Row]], None]) -> bool:
    """Measure everything; hands each finished section to ``show`` and returns whether all required rows are met."""
    met = True

    def section(title: str, rows: list[Row]) -> None:
        nonlocal met
        show(title, rows)
        met = met and all(row.met for row in rows)

    for condition in ACCEPTANCE:
        rows = list(acceptance(condition, measure(condition, count)))
        if not condition.kind.planar:
            rows += list(thesis(condition, count))
        section(condition.name, rows)
    section("no excitation", list(idle(count)))
    section("other truths", list(other_truths(max(count * 3 // 10, 20))))
    section("damped soles", list(damped(max(count * 3 // 10, 20))))
    section("sensitivity", list(sensitivity(count // 2)))
    cells, rows = efficiency(max(count // 5, 20))
    for cell in cells:
        name = f"s_x {1e6 * cell.sensors.sigma:.0f} um, s_p {1e3 * cell.s_p:.1f} mm, at {cell.share}"
        rows.append(Row(f"{name}: bound [%]", NAN, True, "", 100.0 * cell.bound))
        rows.append(Row(f"{name}: least squares / bound", NAN, True, "", cell.least_squares))
        rows.append(Row(f"{name}: interval's median / bound", NAN, True, "", cell.interval))
    section("Cramer-Rao", rows)
    section("stopping a ramp", holding.rows(count // 2))
    section("memory of the sole", steps.memory(max(count // 5, 20)))
    section("slips", steps.slips(max(count // 5, 20)))
    section("speed", list(speed()))
    return met

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of all walks: what was drawn beside what came of it.

It holds no times of day and no durations of computing: the same campaign gives the same table, whoever walked it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

from scipy.stats import binomtest

from biped_slip.errors import MissingExtra
from biped_slip.simulation.campaign import groups
from biped_slip.simulation.planar.campaign import Job, Outcome

CONFIDENCE = 0.95


def drawn(job: Job) -> dict[str, Any]:
    """What was drawn for a walk, one entry a number: the items of a list are called ``name[0]``, ``name[1]``."""
    flat: dict[str, Any] = {}
    for name, value in job.changes:
        items = {f"{name}[{i}]": item for i, item in enumerate(value)} if isinstance(value, tuple) else {name: value}
        flat.update(items)
    return flat


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """One row a walk, in the order of the jobs; ``row`` is what ``--rerun`` takes."""
    return [
        {
            "row": index,
            "scenario": outcome.job.scenario,
            "limit": outcome.job.limit,
            "seed": outcome.job.seed,
            **drawn(outcome.job),
            "passed": outcome.passed,
            "fell": outcome.summary.fell,
            "end_time": outcome.summary.end_time,
            "distance": outcome.summary.distance,
            "max_stance_slip": outcome.summary.max_stance_slip,
            "slides": len(outcome.summary.slips),
            "stances": len(outcome.summary.contacts),
        }
        for index, outcome in enumerate(outcomes)
    ]


def worst_first(outcomes: Sequence[Outcome]) -> list[int]:
    """Rows of the table: walks that fell, the shortest first; then those that slid furthest."""

    def how_bad(row: int) -> tuple[bool, float]:
        summary = outcomes[row].summary
        return not summary.fell, summary.distance if summary.fell else -summary.max_stance_slip

    return sorted(range(len(outcomes)), key=how_bad)


def write_parquet(path: Path, outcomes: Sequence[Outcome]) -> None:
    """The table as Parquet.

    Raises:
        MissingExtra: without pyarrow.
    """
    try:
        from pyarrow import Table
        from pyarrow.parquet import write_table
    except ImportError as error:
        raise MissingExtra("a table in Parquet", "campaigns") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(Table.from_pylist(rows(outcomes)), path)


@dataclass(frozen=True)
class PassRate:
    """How many walks of a group passed, with the exact (Clopper–Pearson) interval of the share."""

    scenario: str
    limit: str
    passed: int
    walks: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Of the walks that passed."""
        return self.passed / self.walks


def pass_rate(scenario: str, limit: str, group: Sequence[Outcome]) -> PassRate:
    """The pass rate of some walks."""
    passed = sum(outcome.passed for outcome in group)
    interval = binomtest(passed, len(group)).proportion_ci(CONFIDENCE)
    return PassRate(scenario, limit, passed, len(group), float(interval.low), float(interval.high))


def pass_rates(outcomes: Sequence[Outcome]) -> list[PassRate]:
    """One per scenario and limit, in the order of first appearance."""
    return [pass_rate(scenario, limit, group) for (scenario, limit), group in groups(outcomes).items()]

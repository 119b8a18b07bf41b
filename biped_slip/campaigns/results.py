# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The table of all walks of a campaign, pass rates, and the HTML page about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import numpy as np
from scipy.stats import binomtest

from biped_slip.reports.figures import png_bytes, stacked_axes
from biped_slip.reports.html import heading, paragraph, picture, table, write_page
from biped_slip.simulation.campaign import groups
from biped_slip.simulation.planar.walk import Job, Outcome
from biped_slip.simulation.walk import write_table

# The table of all walks: what was drawn beside what came of it.
#
# It holds no times of day and no durations of computing: the same campaign gives the same table, whoever walked it.

CONFIDENCE = 0.95


def drawn(job: Job) -> dict[str, Any]:
    """What was drawn for a walk, one entry a number: the items of a list are called ``name[0]``, ``name[1]``."""
    flat: dict[str, Any] = {}
    for name, value in job.changes:
        flat |= {f"{name}[{i}]": item for i, item in enumerate(value)} if isinstance(value, tuple) else {name: value}
    return flat


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """One row a walk, in the order of the jobs; ``row`` is what ``--rerun`` takes."""
    return [
        {
            "row": index,
            **{name: getattr(outcome.job, name) for name in ("scenario", "limit", "seed")},
            **drawn(outcome.job),
            "passed": outcome.passed,
            **{name: getattr(outcome.summary, name) for name in ("fell", "end_time", "distance", "max_stance_slip")},
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
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, rows(outcomes))


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


# The summary of a campaign as one HTML page: pass rates with their intervals, and over everything that was drawn.

BINS = 6
FAILURES_SHOWN = 20


def write_campaign_page(path: Path, title: str, outcomes: Sequence[Outcome]) -> Path:
    """Store the page; returns where it is."""
    rates = [
        (f"{rate.scenario}, {rate.limit}", f"{rate.passed}/{rate.walks}", rate.share, rate.low, rate.high)
        for rate in pass_rates(outcomes)
    ]
    share = f"{100 * CONFIDENCE:.0f} %"
    pieces = [
        heading("Passes"),
        paragraph("A walk passes if it stays upright, gets far enough and no stance foot slides by 1 cm."),
        table(["scenario, limit", "passed", "share", f"{share} from", "to"], rates),
    ]
    for name in numeric(outcomes):
        pieces += [heading(f"Over {name}"), picture(png_bytes(share_over(name, outcomes)), f"{share} intervals")]
    failures = [(i, outcomes[i]) for i in worst_first(outcomes) if not outcomes[i].passed]
    words = "The worst first; `biped-slip campaign ... --rerun ROW` walks one again, with its report and scene."
    shown = failure_table(failures[:FAILURES_SHOWN])
    return write_page(path, title, [*pieces, heading(f"Failures: {len(failures)}"), paragraph(words, "note"), shown])


def numeric(outcomes: Sequence[Outcome]) -> list[str]:
    """What was drawn from more than one number."""
    values: dict[str, set[Any]] = {}
    for outcome in outcomes:
        for name, value in drawn(outcome.job).items():
            values.setdefault(name, set()).add(value)
    return [
        name for name, found in values.items() if len(found) > 1 and {type(value) for value in found} <= {int, float}
    ]


def share_over(name: str, outcomes: Sequence[Outcome]) -> Any:
    """Share of passes in equal bins of one drawn number; one row a scenario, one line a limit."""
    scenarios = list(dict.fromkeys(outcome.job.scenario for outcome in outcomes))
    limits = list(dict.fromkeys(outcome.job.limit for outcome in outcomes))
    values = np.array([float(drawn(outcome.job)[name]) for outcome in outcomes])
    edges = np.linspace(values.min(), values.max(), BINS + 1)
    bins = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, BINS - 1)
    figure, axes = stacked_axes([f"{scenario}\nshare passed" for scenario in scenarios], abscissa=name, width=7.0)
    for axis, scenario in zip(axes, scenarios, strict=True):
        for k, limit in enumerate(limits):
            points = []
            for index in range(BINS):
                group = [
                    outcome for outcome, place in zip(outcomes, bins, strict=True)
                    if place == index and (outcome.job.scenario, outcome.job.limit) == (scenario, limit)
                ]  # fmt: skip
                if group:
                    middle = 0.5 * (edges[index] + edges[index + 1])
                    shift = (k - 0.5 * (len(limits) - 1)) * 0.1 * (edges[1] - edges[0])
                    points.append((middle + shift, pass_rate(scenario, limit, group)))
            x, shares = [x for x, _ in points], [rate.share for _, rate in points]
            spread = [[r.share - r.low for _, r in points], [r.high - r.share for _, r in points]]
            axis.errorbar(x, shares, yerr=spread, marker="o", markersize=3, linewidth=1.0, capsize=2, label=limit)
        axis.set_ylim(-0.05, 1.05)
    axes[0].legend(ncols=len(limits), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def failure_table(failures: Sequence[tuple[int, Outcome]]) -> str:
    """The first failures, with the row that runs each again."""
    shown = []
    for index, outcome in failures:
        job, summary = outcome.job, outcome.summary
        each = (f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in drawn(job).items())
        slip, words = 1e3 * summary.max_stance_slip, ", ".join(each)
        shown.append((index, f"{job.scenario}, {job.limit}", summary.fell, summary.distance, slip, words))
    return table(["row", "scenario, limit", "fell", "distance [m]", "largest slip [mm]", "drawn"], shown)

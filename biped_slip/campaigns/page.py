# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The summary of a campaign as one HTML page: pass rates with their intervals, and over everything that was drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

import numpy as np

from biped_slip.campaigns.results import CONFIDENCE, drawn, pass_rate, pass_rates, worst_first
from biped_slip.reports.figures import png_bytes, stacked_axes
from biped_slip.reports.html import heading, paragraph, picture, table, write_page
from biped_slip.simulation.planar.campaign import Outcome

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
    pieces += [
        heading(f"Failures: {len(failures)}"),
        paragraph(words, "note"),
        failure_table(failures[:FAILURES_SHOWN]),
    ]
    return write_page(path, title, pieces)


def numeric(outcomes: Sequence[Outcome]) -> list[str]:
    """What was drawn from more than one number."""
    values: dict[str, set[Any]] = {}
    for outcome in outcomes:
        for name, value in drawn(outcome.job).items():
            values.setdefault(name, set()).add(value)
    return [
        name
        for name, found in values.items()
        if len(found) > 1 and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in found)
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
                    outcome
                    for outcome, place in zip(outcomes, bins, strict=True)
                    if place == index and (outcome.job.scenario, outcome.job.limit) == (scenario, limit)
                ]
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
    columns = ["row", "scenario, limit", "fell", "distance [m]", "largest slip [mm]", "drawn"]
    return table(
        columns,
        [
            (
                index,
                f"{outcome.job.scenario}, {outcome.job.limit}",
                outcome.summary.fell,
                outcome.summary.distance,
                1e3 * outcome.summary.max_stance_slip,
                ", ".join(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
                          for name, value in drawn(outcome.job).items()),
            )
            for index, outcome in failures
        ],
    )  # fmt: skip

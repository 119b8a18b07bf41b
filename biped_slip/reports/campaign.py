# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The page of a campaign: pass rates, also over what was drawn, and its failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.reports.figures import png_bytes, stacked_axes
from biped_slip.reports.html import heading, paragraph, picture, write_page
from biped_slip.reports.html import table as html_table
from biped_slip.simulation.planar.campaign_plan import drawn
from biped_slip.simulation.planar.campaign_table import (
    CONFIDENCE,
    PassRate,
    pass_rate,
    pass_rates,
    worst_first,
)
from biped_slip.simulation.planar.job import PlanarOutcome

HISTOGRAM_BINS = 6
FAILURES_SHOWN = 20


def write_campaign_page(
    path: Path, title: str, outcomes: Sequence[PlanarOutcome]
) -> Path:
    """Write the page of a campaign; return its path."""
    rates = [
        (
            f"{rate.scenario}, {rate.limit}",
            f"{rate.passed}/{rate.walks}",
            rate.share,
            rate.low,
            rate.high,
        )
        for rate in pass_rates(outcomes)
    ]
    share = f"{100 * CONFIDENCE:.0f} %"
    pieces = [
        heading("Passes"),
        paragraph(
            "A walk passes if it stays upright, gets far enough and no stance foot "
            "slides by 1 cm."
        ),
        html_table(
            ["scenario, limit", "passed", "share", f"{share} from", "to"], rates
        ),
    ]
    for name in numeric(outcomes):
        pieces += [
            heading(f"Over {name}"),
            picture(png_bytes(share_over(name, outcomes)), f"{share} intervals"),
        ]
    failures = [
        (i, outcomes[i]) for i in worst_first(outcomes) if not outcomes[i].passed
    ]
    words = (
        "The worst first; `biped-slip campaign ... --rerun ROW` walks one again, "
        "with its report and scene."
    )
    shown = failure_table(failures[:FAILURES_SHOWN])
    return write_page(
        path,
        title,
        [
            *pieces,
            heading(f"Failures: {len(failures)}"),
            paragraph(words, "note"),
            shown,
        ],
    )


def numeric(outcomes: Sequence[PlanarOutcome]) -> list[str]:
    """List the drawn parameters that vary and are numbers."""
    values: dict[str, set[Any]] = {}
    for outcome in outcomes:
        for name, value in drawn(outcome.job).items():
            values.setdefault(name, set()).add(value)
    return [
        name
        for name, found in values.items()
        if len(found) > 1 and {type(value) for value in found} <= {int, float}
    ]


def share_over(name: str, outcomes: Sequence[PlanarOutcome]) -> Any:
    """Draw the share of passes in equal bins of one drawn number.

    There is one row a scenario, and one line a limit.
    """
    scenarios = list(dict.fromkeys(outcome.job.scenario for outcome in outcomes))
    limits = list(dict.fromkeys(outcome.job.limit for outcome in outcomes))
    values = np.array([float(drawn(outcome.job)[name]) for outcome in outcomes])
    edges = np.linspace(values.min(), values.max(), HISTOGRAM_BINS + 1)
    bins = np.clip(
        np.searchsorted(edges, values, side="right") - 1, 0, HISTOGRAM_BINS - 1
    )
    figure, axes = stacked_axes(
        [f"{scenario}\nshare passed" for scenario in scenarios],
        abscissa=name,
        width=7.0,
    )
    for axis, scenario in zip(axes, scenarios, strict=True):
        for k, limit in enumerate(limits):
            rates = _binned_rates(scenario, limit, outcomes, bins)
            shift = (k - 0.5 * (len(limits) - 1)) * 0.1 * (edges[1] - edges[0])
            middles = [0.5 * (edges[b] + edges[b + 1]) + shift for b in rates]
            _draw_rates(axis, middles, list(rates.values()), limit)
        axis.set_ylim(-0.05, 1.05)
    axes[0].legend(ncols=len(limits), loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def _binned_rates(
    scenario: str, limit: str, outcomes: Sequence[PlanarOutcome], bins: AnyArray
) -> dict[int, PassRate]:
    """Compute the pass rate in each bin that has walks of a scenario and limit."""
    groups: dict[int, list[PlanarOutcome]] = {}
    for outcome, index in zip(outcomes, bins, strict=True):
        if (outcome.job.scenario, outcome.job.limit) == (scenario, limit):
            groups.setdefault(int(index), []).append(outcome)
    return {
        index: pass_rate(scenario, limit, groups[index]) for index in sorted(groups)
    }


def _draw_rates(
    axis: Any, places: Sequence[float], rates: Sequence[PassRate], label: str
) -> None:
    """Draw pass rates with their intervals."""
    axis.errorbar(
        places,
        [rate.share for rate in rates],
        yerr=[
            [rate.share - rate.low for rate in rates],
            [rate.high - rate.share for rate in rates],
        ],
        marker="o",
        markersize=3,
        linewidth=1.0,
        capsize=2,
        label=label,
    )


def failure_table(failures: Sequence[tuple[int, PlanarOutcome]]) -> str:
    """List the first failures, with the row that runs each again."""
    shown = []
    for index, outcome in failures:
        job = outcome.job
        summary = outcome.summary
        each = (
            f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}"
            for k, v in drawn(job).items()
        )
        slip = 1e3 * summary.max_stance_slip
        words = ", ".join(each)
        shown.append(
            (
                index,
                f"{job.scenario}, {job.limit}",
                summary.fell,
                summary.distance,
                slip,
                words,
            )
        )
    return html_table(
        [
            "row",
            "scenario, limit",
            "fell",
            "distance [m]",
            "largest slip [mm]",
            "drawn",
        ],
        shown,
    )

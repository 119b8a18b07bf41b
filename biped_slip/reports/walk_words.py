# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What came out of walks, in sentences and tables."""

from __future__ import annotations

from typing import Any

from biped_slip.reports.html import table
from biped_slip.reports.walk_figures import Walks
from biped_slip.simulation.summary import WalkSummary

SLID = 0.01  # [m] slides below it are not worth a sentence


def sentence(name: str, summary: WalkSummary) -> str:
    """One walk in one sentence."""
    end = "fell" if summary.fell else "still stood"
    slides = [slip for slip in summary.slips if slip.distance >= SLID]
    words = (
        f"a stance foot slid {len(slides)} time{'s' if len(slides) > 1 else ''} by "
        f"{1e3 * SLID:.0f} mm or more (most in one stance: {1e3 * summary.max_stance_slip:.0f} mm)"
        if slides
        else f"no stance foot slid by {1e3 * SLID:.0f} mm (most: {1e3 * summary.max_stance_slip:.1f} mm)"
    )
    return (
        f"Slip prevention “{name}”: the robot {end} after {summary.end_time:.1f} s "
        f"and {summary.distance:.2f} m; {words}."
    )


def overview_table(walks: Walks, required_distance: float) -> str:
    """One row per walk."""
    columns = (
        "slip prevention",
        "fell",
        "end [s]",
        "distance [m]",
        "slides",
        "largest slip in a stance [mm]",
        "passes",
    )
    rows: list[tuple[Any, ...]] = []
    for name, (_, summary) in walks.items():
        rows.append(
            (
                name,
                summary.fell,
                summary.end_time,
                summary.distance,
                len(summary.slips),
                1e3 * summary.max_stance_slip,
                summary.passes(required_distance),
            )
        )
    return table(columns, rows)


def contact_table(summary: WalkSummary) -> str:
    """One row per stance: what the floor was and what was known of it when."""
    columns = (
        "foot",
        "stance [s]",
        "true mu",
        "last estimate",
        "usable from [s]",
        "load wants 0.9 mu at [s]",
        "estimate then",
        "usable in time",
    )
    rows: list[tuple[Any, ...]] = []
    for c in summary.contacts:
        in_time = None if c.demand_time is None else c.usable_from is not None and c.usable_from <= c.demand_time
        rows.append(
            (
                c.foot,
                f"{c.start:.2f} to {c.end:.2f}",
                c.mu_true,
                two_digits(c.mu_hat),
                two_digits(c.usable_from),
                two_digits(c.demand_time),
                two_digits(c.mu_at_demand),
                in_time,
            )
        )
    return table(columns, rows)


def two_digits(value: float | None) -> str | None:
    """A number to the second decimal, None stays unknown."""
    return None if value is None else f"{value:.2f}"

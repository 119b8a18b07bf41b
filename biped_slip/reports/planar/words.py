# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What came out of walks, in sentences and tables."""

from __future__ import annotations

from typing import Any

from biped_slip.reports.html import table
from biped_slip.reports.planar.figures import Walks
from biped_slip.simulation.planar.summary import Contact, WalkSummary

RIGHT = 0.1  # share of the true mu by which an estimate may differ and still counts as right


def usable_in_time(contact: Contact) -> bool | None:
    """Whether the estimate was usable before the load asked for it; None when it never asked."""
    if contact.demand_time is None:
        return None
    return contact.usable_from is not None and contact.usable_from <= contact.demand_time


def stance_sentence(summary: WalkSummary) -> str:
    """How often an estimate came in time, and how often it was right then."""
    asked = [contact for contact in summary.contacts if contact.demand_time is not None]
    in_time = sum(usable_in_time(contact) is True for contact in asked)
    right = sum(
        contact.mu_at_demand is not None and abs(contact.mu_at_demand - contact.mu_true) <= RIGHT * contact.mu_true
        for contact in asked
    )
    return (
        f"{len(summary.contacts)} stances; the load asked for 0.9 mu in {len(asked)}; by then the estimate called "
        f"itself usable in {in_time} and was within {100 * RIGHT:.0f} % of the true mu in {right}"
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
        "from [s]",
        "to [s]",
        "true mu",
        "last estimate",
        "usable from [s]",
        "0.9 mu wanted at [s]",
        "estimate then",
        "usable before",
    )
    rows: list[tuple[Any, ...]] = []
    for c in summary.contacts:
        rows.append(
            (
                c.foot,
                two_digits(c.start),
                two_digits(c.end),
                c.mu_true,
                two_digits(c.mu_hat),
                two_digits(c.usable_from),
                two_digits(c.demand_time),
                two_digits(c.mu_at_demand),
                usable_in_time(c),
            )
        )
    return table(columns, rows)


def two_digits(value: float | None) -> str | None:
    """A number to the second decimal, None stays unknown."""
    return None if value is None else f"{value:.2f}"

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of steps: curves with their bands, required friction per condition, slips, chances."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from biped_slip.gait_laboratory.required_friction import NAMES, POINTS, Band
from biped_slip.gait_laboratory.slip_chance import ChanceRow
from biped_slip.gait_laboratory.statistics import BOTH, Condition
from biped_slip.gait_laboratory.step import CLASSES, Step
from biped_slip.recordings.series import FloatArray
from biped_slip.reports.figures import ESTIMATE, FOOT_COLOURS, LIMIT, MUTED, SLIP, single_axes, stacked_axes

SIDES = dict(zip(("left", "right"), FOOT_COLOURS, strict=True))
LABELS = ["fore-aft [BW]", "lateral [BW]", "normal [BW]", "|shear| / normal [-]"]  # of ``NAMES``
MOST_ROWS = 24  # of a picture with one row a condition


def curves_figure(title: str, bands: Mapping[str, Band]) -> Any:
    """Mean and one standard deviation of the curves of each foot over the stance."""
    figure, axes = stacked_axes(LABELS, title=title, abscissa="share of the stance [%]", width=8.0)
    share = np.linspace(0.0, 100.0, POINTS)
    for foot, band in bands.items():
        colour = SIDES.get(foot, MUTED)
        count = int(band.count.max())
        for axis, middle, spread in zip(axes, band.middle, band.spread, strict=True):
            axis.plot(share, middle, color=colour, label=f"{foot}, {count} steps")
            axis.fill_between(share, middle - spread, middle + spread, color=colour, alpha=0.18, linewidth=0.0)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
    inner = [band.middle[NAMES.index("ratio"), 5:-5] for band in bands.values()]  # without the edges of the stance
    top = max((float(np.nanmax(ratio)) for ratio in inner if np.isfinite(ratio).any()), default=0.0)
    axes[-1].set_ylim(0.0, min(1.4 * top, 1.0) or 1.0)
    return figure


def steps_figure(stances: Sequence[tuple[Step, FloatArray]]) -> Any:
    """Force ratio of every step of a trial, RCOF marked at weight acceptance and at push-off."""
    figure, axes = single_axes("share of the stance [%]", "|shear| / normal [-]", title="required friction", width=8.0)
    share, top = np.linspace(0.0, 100.0, POINTS), 0.0
    for step, curves in stances:
        colour = SIDES.get(step.foot, MUTED)
        axes.plot(share, curves[NAMES.index("ratio")], color=colour, linewidth=1.0, alpha=0.8)
        for percent, value, mark in (
            (step.acceptance_percent, step.rcof_acceptance, "o"),
            (step.push_off_percent, step.rcof_push_off, "s"),
        ):
            axes.plot([percent], [value], mark, color=colour, markersize=6, markerfacecolor="white")
            top = max(top, value) if np.isfinite(value) else top
    axes.plot([], [], "o", color=MUTED, markerfacecolor="white", label="weight acceptance")
    axes.plot([], [], "s", color=MUTED, markerfacecolor="white", label="push-off")
    for foot, colour in SIDES.items():
        axes.plot([], [], color=colour, label=foot)
    axes.set_ylim(0.0, max(1.5 * top, 0.3))
    axes.legend(loc="upper center", ncols=4)
    return figure


def conditions_figure(found: Sequence[Condition], quantity: str = "rcof") -> Any | None:
    """5, 50 and 95 % and mean of a quantity, one row a condition and foot; None where it is never known."""
    rows = [(one.group, known) for one in found if (known := one.of(quantity)) is not None][:MOST_ROWS]
    if not rows:
        return None
    figure, axes = single_axes(f"{quantity} [-]", "", width=9.0, height=1.2 + 0.32 * len(rows))
    for place, (group, row) in enumerate(rows):
        colour = SIDES.get(group.foot, MUTED)
        axes.plot([row.q05, row.q95], [place, place], color=colour, linewidth=2.5, solid_capstyle="butt", alpha=0.5)
        axes.plot([row.median], [place], "|", color=colour, markersize=13, markeredgewidth=2.0)
        axes.plot([row.mean], [place], "o", color=colour, markersize=5)
    axes.set_yticks(range(len(rows)), [f"{group.words} (n = {row.steps})" for group, row in rows])
    axes.invert_yaxis()
    axes.set_xlim(left=0.0)
    axes.set_title("bar: 5 to 95 % of the steps, line: median, dot: mean", loc="left")
    return figure


def chance_figure(rows: Sequence[ChanceRow]) -> Any:
    """Chances with their intervals, one row a cell."""
    shown = sorted((row for row in rows if row.foot == BOTH), key=lambda row: -row.chance)[:MOST_ROWS]
    figure, axes = single_axes("chance of a slip at a step", "", width=9.0, height=1.2 + 0.32 * max(len(shown), 1))
    for place, row in enumerate(shown):
        axes.plot([row.low, row.high], [place, place], color=LIMIT, linewidth=2.5, solid_capstyle="butt", alpha=0.6)
        axes.plot([row.chance], [place], "o", color=SLIP, markersize=5)
    names = [", ".join(filter(None, (row.surface, row.person, row.shoe, row.condition))) for row in shown]
    axes.set_yticks(range(len(shown)), names)
    axes.invert_yaxis()
    axes.set_xlim(-0.02, 1.02)
    axes.set_title("all feet; bar: 95 % interval", loc="left")
    return figure


def slips_figure(found: Sequence[Condition]) -> Any | None:
    """Share of steps in every class of slip; None where motion is never known."""
    rows = [one for one in found if one.group.foot == BOTH and any(one.slips.values())][:MOST_ROWS]
    if not rows:
        return None
    figure, axes = single_axes("share of the steps", "", width=9.0, height=1.4 + 0.36 * len(rows))
    colours = (MUTED, ESTIMATE, LIMIT, SLIP)
    for place, one in enumerate(rows):
        total, left = sum(one.slips.values()), 0.0
        for name, colour in zip(CLASSES, colours, strict=True):
            share = one.slips[name] / total
            axes.barh(place, share, left=left, color=colour, height=0.6, label=name if place == 0 else None)
            left += share
    names = [one.group._replace(foot="").words for one in rows]
    counts = [sum(one.slips.values()) for one in rows]
    axes.set_yticks(range(len(rows)), [f"{name} (n = {n})" for name, n in zip(names, counts, strict=True)])
    axes.invert_yaxis()
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4)
    return figure

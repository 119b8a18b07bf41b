# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Curves of one or several walks over time: feet, speeds, force ratios, estimates; one row per walk or per foot."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.figures import (
    ESTIMATE,
    FOOT_COLOURS,
    LIMIT,
    MUTED,
    SLIP,
    TRUTH,
    stacked_axes,
    thinned,
)
from biped_slip.reports.floor import patches
from biped_slip.reports.walk_rows import TRUTH_LOOK, WIDTH, legend_above, rows_of_feet
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.run import WalkResult
from biped_slip.simulation.planar.summary import SLIDING_SPEED
from biped_slip.simulation.stances import FEET, Slip, stances, steady_part

LABELLED_SLIDE = 0.01  # [m] shorter slides are shaded without their length
FASTEST = 1.0  # [m/s] end of the axis of foot speeds
LABEL_GAP = 0.5  # [s] of two slides nearer than this only the longer one shows its length
Walks = Mapping[str, WalkResult]


def feet_figure(walks: Walks, ground: GroundConfig) -> Any:
    """Where the feet are over time, over the patches of the floor; slides shaded with their length."""
    figure, axes = stacked_axes(["foot x [m]"] * len(walks), width=WIDTH, row_height=2.6)
    for axis, (name, walk) in zip(axes, walks.items(), strict=True):
        axis.set_title(f"{name}: places of the feet", loc="left")
        draw_feet(axis, walk, ground)
    legend = [Line2D([], [], color=c, label=f"{foot} foot") for foot, c in zip(FEET, FOOT_COLOURS, strict=True)]
    legend_above(figure, [*legend, slide_swatch()])
    return figure


def draw_feet(axis: Any, walk: WalkResult, ground: GroundConfig, labelled_slide: float = LABELLED_SLIDE) -> None:
    """Feet of one walk on given axes; slides from ``labelled_slide`` [m] on show their length."""
    log = walk.log
    low, high = (float(np.min(log.foot_x)), float(np.max(log.foot_x))) if log.length else (0.0, 1.0)
    low, high = low - 0.5, high + 0.5
    for patch in patches(ground, low, high):
        axis.axhspan(patch.start, patch.end, color=patch.colour, alpha=0.55, linewidth=0.0)
        axis.text(0.005, patch.start, f"mu {patch.mu:g}", transform=axis.get_yaxis_transform(), va="bottom", size=8.0)
    for foot, colour in enumerate(FOOT_COLOURS):
        axis.plot(*thinned(log.time, log.foot_x[:, foot]), color=colour)
    shade_slides(axis, walk)
    for slip in labelled(walk.summary.slips, labelled_slide):
        x = float(np.interp(slip.start, log.time, log.foot_x[:, FEET.index(slip.foot)]))
        place, words = (0.5 * (slip.start + slip.end), x), f"{1e3 * slip.distance:.0f} mm"
        axis.annotate(words, place, (0, -12), textcoords="offset points", ha="center", size=7.5)
    axis.set_ylim(low, high)


def labelled(slips: Sequence[Slip], shortest: float) -> list[Slip]:
    """The slides that show their length: long enough, and no longer one close by."""
    chosen: list[Slip] = []
    for slip in sorted(slips, key=lambda slip: -slip.distance):
        if slip.distance >= shortest and all(abs(slip.start - other.start) >= LABEL_GAP for other in chosen):
            chosen.append(slip)
    return chosen


def speed_figure(walks: Walks) -> Any:
    """Speeds of the feet: what should be zero in stance is drawn strongly, the swing thinly and cut off."""
    figure, axes = stacked_axes(["foot speed [m/s]"] * len(walks), width=WIDTH)
    top = max([0.1, *(1.2 * float(np.nanmax(np.abs(stance_speed(w.log)), initial=0.0)) for w in walks.values())])
    for axis, (name, walk) in zip(axes, walks.items(), strict=True):
        axis.set_title(f"{name}: speed of the feet along x, swing thin and cut off", loc="left")
        strong = stance_speed(walk.log)
        for foot, colour in enumerate(FOOT_COLOURS):
            axis.plot(*thinned(walk.log.time, walk.log.foot_vx[:, foot]), color=colour, linewidth=0.6, alpha=0.4)
            axis.plot(walk.log.time, strong[:, foot], color=colour, linewidth=1.6, label=f"{FEET[foot]} foot in stance")
        axis.axhspan(-SLIDING_SPEED, SLIDING_SPEED, color=MUTED, alpha=0.4, linewidth=0.0, label="counts as standing")
        shade_slides(axis, walk)
        axis.set_ylim(-min(top, FASTEST), min(top, FASTEST))
    legend_above(figure, [*axes[0].get_legend_handles_labels()[0], slide_swatch()])
    return figure


def ratio_figure(walks: Walks) -> Any:
    """Force ratio of each foot against its limit and the true mu."""
    figure, _ = rows_of_feet(walks, "|Ft| / Fn [-]", draw_ratio)
    legend_above(figure, ratio_legend())
    return figure


def draw_ratio(axis: Any, walk: WalkResult, foot: int) -> None:
    """Force ratio of one foot on given axes."""
    log, standing = walk.log, stance_mask(walk.log)[:, foot]
    ratio = np.where(standing, force_ratio(log)[:, foot], np.nan)
    wanted = np.where(standing, np.abs(log.wanted_ratio[:, foot]), np.nan)
    limit = np.where(standing & np.isfinite(log.limit[:, foot]), log.limit[:, foot], np.nan)
    truth = np.where(standing, log.mu_true[:, foot], np.nan)
    axis.plot(*thinned(log.time, wanted), color=MUTED, linewidth=0.9, linestyle=":")
    axis.plot(*thinned(log.time, limit), color=LIMIT, linewidth=1.2)
    axis.plot(*thinned(log.time, ratio), color=FOOT_COLOURS[foot])
    axis.plot(*thinned(log.time, truth), **TRUTH_LOOK)
    shade_slides(axis, walk, foot)
    axis.set_ylim(0.0, highest_mu(log))


def ratio_legend() -> list[Any]:
    """What the curves of a force ratio mean."""
    return [
        Line2D([], [], **TRUTH_LOOK),
        Line2D([], [], color=LIMIT, label="limit"),
        *(Line2D([], [], color=c, label=f"{foot} |Ft| / Fn") for foot, c in zip(FEET, FOOT_COLOURS, strict=True)),
        Line2D([], [], color=MUTED, linestyle=":", label="wanted before the limit"),
        slide_swatch(),
    ]


def estimate_figure(walks: Walks) -> Any:
    """Estimate of each foot against the true mu, with its interval where it has one, and when the load needed it."""
    figure, axes = rows_of_feet(walks, "mu [-]", draw_estimate)
    drawn = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    legend_above(figure, list(drawn.values()))
    return figure


def draw_estimate(axis: Any, walk: WalkResult, foot: int) -> None:
    """Estimate of one foot on given axes."""
    log, standing = walk.log, stance_mask(walk.log)[:, foot]

    def field(name: str, where: NDArray[np.bool_]) -> Array:
        return np.where(where, log.estimate(name)[:, foot], np.nan)

    time, flag, usable = log.time, log.estimate("flag")[:, foot] > 0.0, log.estimate("usable")[:, foot] > 0.0
    for where, alpha, label in ((standing, 0.15, "5 % quantile to upper bound"), (standing & usable, 0.25, "usable")):
        low, high = field("mu_q05", where), field("mu_high", where)
        if np.isfinite(low + high).any():
            axis.fill_between(time, low, high, color=ESTIMATE, alpha=alpha, linewidth=0.0, label=label)
    curves = (
        (field("mu", standing & ~flag), "estimate without flag", {"color": ESTIMATE, "linewidth": 0.7, "alpha": 0.6}),
        (field("mu", standing & flag), "estimate with flag", {"color": ESTIMATE, "linewidth": 1.6}),
        (field("mu_median", standing), "median", {"color": ESTIMATE, "linestyle": "--"}),
        (field("mu_low", standing), "certified lower bound", {"color": LIMIT}),
    )
    for values, label, look in curves:
        if np.isfinite(values).any():
            axis.plot(*thinned(time, values), label=label, **look)
    axis.plot(*thinned(time, np.where(standing, log.mu_true[:, foot], np.nan)), **TRUTH_LOOK)
    for contact in walk.summary.contacts:
        if contact.foot == FEET[foot] and contact.demand_time is not None:
            axis.plot(
                [contact.demand_time], [0.9 * contact.mu_true], "v", color=SLIP, markersize=6, zorder=5,
                label="load wants 0.9 mu",
            )  # fmt: skip
    axis.set_ylim(0.0, highest_mu(log))


def shade_slides(axis: Any, walk: WalkResult, foot: int | None = None) -> None:
    """Mark the times at which a stance foot (or one of both) slid, and the fall."""
    if walk.summary.fell:
        axis.axvline(walk.summary.end_time, color=TRUTH, linestyle=":")
        axis.annotate(
            " fell", (walk.summary.end_time, 0.95), xycoords=axis.get_xaxis_transform(), va="top", size=8.0
        )  # fmt: skip
    for slip in walk.summary.slips:
        if foot is None or slip.foot == FEET[foot]:
            axis.axvspan(slip.start, slip.end, color=SLIP, alpha=0.25, linewidth=0.0)


def slide_swatch() -> Any:
    """Legend entry of a slide."""
    return Swatch(color=SLIP, alpha=0.25, label="slide", linewidth=0.0)


def stance_mask(log: WalkLog) -> NDArray[np.bool_]:
    """Which ticks belong to a stance, (ticks, 2)."""
    mask = np.zeros(log.normal.shape, dtype=bool)
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            mask[stance, foot] = True
    return mask


def stance_speed(log: WalkLog) -> Array:
    """Speed of feet in the steady part of their stances [m/s], NaN elsewhere, (ticks, 2)."""
    speed = np.full(log.foot_vx.shape, np.nan)
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            part = steady_part(stance, log.time)
            speed[part, foot] = log.foot_vx[part, foot]
    return speed


def force_ratio(log: WalkLog) -> Array:
    """Tangential over normal contact force [-], NaN without contact, (ticks, 2)."""
    loaded = log.normal > 0.0
    return np.where(loaded, np.abs(log.tangential) / np.where(loaded, log.normal, 1.0), np.nan)


def highest_mu(log: WalkLog) -> float:
    """Upper end of an axis for force ratios."""
    return 1.35 * max(0.1, float(np.max(log.mu_true, initial=0.0)))

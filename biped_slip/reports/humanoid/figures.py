# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids' walks as pictures: footprints from above, and what the floor has to hold beside what is known of it."""

from __future__ import annotations

from typing import Any, Mapping

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import ESTIMATE, FOOT_COLOURS, LIMIT, SLIP, STYLE, TRUTH, thinned
from biped_slip.reports.floor import floor_colour
from biped_slip.reports.walk_rows import TRUTH_LOOK, WIDTH, legend_above, rows_of_feet
from biped_slip.robots.humanoid_sticks import sole_outline
from biped_slip.simulation.humanoid.summary import LOADED, loaded_stances
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.stances import FEET

LONG_SLIDE = 0.01  # [m] a stance that slid further is marked
AROUND = 0.6  # [m] of floor beside the feet in the view from above
TO_SCALE, HIGHEST_ROW = 0.92, 3.5  # share of the figure's width that axes take; [in] of a row seen from above
HIGHEST = 1.15  # end of the axis of ratios, over all that must be seen
NEARBY = 1.5  # times what must be seen: a true mu below that is shown, too
Walks = Mapping[str, HumanoidWalk]


def footprint_figure(walks: Walks) -> Any:
    """Soles at the beginning and end of each stance from above, the way of the base, the patch; one row per walk."""
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        ways = [walk.world.log.q[:, :2] for walk in walks.values()]
        (start, low), (end, high) = (np.min([w.min(axis=0) for w in ways], axis=0),
                                     np.max([w.max(axis=0) for w in ways], axis=0))  # fmt: skip
        row = TO_SCALE * WIDTH * (high - low + 2.0 * AROUND) / (end - start + 2.0 * AROUND)  # as wide as the figure
        figure = Figure(figsize=(WIDTH, (min(row, HIGHEST_ROW) + 0.4) * len(walks) + 0.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(walks), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (name, walk) in zip(axes, walks.items(), strict=True):
            axis.set_title(f"{name}: from above", loc="left")
            draw_footprints(axis, walk)
            axis.set(xlim=(start - AROUND, end + AROUND), ylim=(low - AROUND, high + AROUND))
            for x, mu in _floor_words(walk):
                axis.text(x, high + AROUND - 0.1, f"mu {mu:g}", size=8.0, va="top")
        axes[-1].set_xlabel("x [m]")
        handles = [Swatch(color=c, alpha=0.6, label=f"{foot} sole") for foot, c in zip(FEET, FOOT_COLOURS, strict=True)]
        base = Line2D([], [], color=TRUTH, linewidth=0.8, label="base")
        slid = Line2D([], [], color=SLIP, linewidth=1.6, label=f"slid by more than {1e3 * LONG_SLIDE:.0f} mm")
        legend_above(figure, [*handles, base, slid])
    return figure


def draw_footprints(axis: Any, walk: HumanoidWalk) -> None:
    """One walk from above on given axes."""
    log, patch = walk.world.log, walk.config.patch
    axis.set(ylabel="y [m]", aspect="equal", facecolor=floor_colour(walk.config.mu))
    if patch.length > 0.0:
        axis.axvspan(*walk.track.patch, color=floor_colour(patch.mu), linewidth=0.0)
    for foot, colour in enumerate(FOOT_COLOURS):
        for part in loaded_stances(walk.track, foot):
            slide = float(np.linalg.norm(np.ptp(log.sole_position[part, foot, :2], axis=0)))
            first, last = (_outline(walk, foot, tick) for tick in (part.start, part.stop - 1))
            slid = slide > LONG_SLIDE
            axis.fill(first[:, 0], first[:, 1], color=colour, alpha=0.6, linewidth=0.0)
            if len(first) <= 2:  # a point foot has no area to fill
                axis.plot(*first[0, :2], "o", color=colour, markersize=3.0)
            if slid:
                axis.plot(last[:, 0], last[:, 1], color=SLIP, linewidth=1.6)
                beside = (0, 12) if foot == 0 else (0, -18)  # over the left sole, under the right one
                axis.annotate(f"{1e3 * slide:.0f} mm", last[0, :2], beside, textcoords="offset points", size=7.0)
    axis.plot(log.q[:, 0], log.q[:, 1], color=TRUTH, linewidth=0.8)
    if walk.world.fell:
        axis.annotate("fell", (float(log.q[-1, 0]), float(log.q[-1, 1])), size=9.0, weight="bold")


def _floor_words(walk: HumanoidWalk) -> list[tuple[float, float]]:
    """Places along x [m] and the friction to be written there."""
    start = [(float(walk.world.log.q[0, 0]) - AROUND + 0.1, walk.config.mu)]
    return start + ([(walk.track.patch[0] + 0.1, walk.config.patch.mu)] if walk.config.patch.length > 0.0 else [])


def _outline(walk: HumanoidWalk, foot: int, tick: int) -> Array:
    log = walk.world.log
    return sole_outline(walk.humanoid.polygon(foot), log.sole_position[tick, foot], log.sole_rotation[tick, foot])


def ratio_figure(walks: Walks) -> Any:
    """Force ratio of each loaded sole, its limit, the certified friction and the true one."""
    figure, _ = rows_of_feet(walks, "|Ft| / Fn [-]", draw_ratio, row_height=2.1)
    colours = zip(FEET, FOOT_COLOURS, strict=True)
    curves = [Line2D([], [], color=colour, label=f"{foot} |Ft| / Fn") for foot, colour in colours]
    limit = Line2D([], [], color=LIMIT, label="limit")
    known = Line2D([], [], color=ESTIMATE, label="certified lower bound")
    legend_above(figure, [Line2D([], [], **TRUTH_LOOK), limit, known, *curves])
    return figure


def draw_ratio(axis: Any, walk: HumanoidWalk, foot: int) -> None:
    """One foot of one walk on given axes."""
    log = walk.world.log
    loaded = log.normal[:, foot] > LOADED * walk.humanoid.weight
    ratio, truth = (np.where(loaded, values, np.nan) for values in (log.ratio[:, foot], log.mu[:, foot]))
    time = np.array([tick.time for tick in walk.ticks])
    carries = np.interp(time, log.time, loaded) > 0.5
    known = [(np.array([getattr(tick, name)[foot] for tick in walk.ticks], dtype=float), colour)
             for name, colour in (("limits", LIMIT), ("mu_low", ESTIMATE))]  # fmt: skip
    top = _top(ratio, truth, *(values[carries & (values < walk.config.mu)] for values, _ in known))
    for values, colour in known:
        values[~carries | ~(values < top)] = np.nan
        axis.plot(*thinned(time, values), color=colour)
    axis.plot(*thinned(log.time, ratio), color=FOOT_COLOURS[foot])
    axis.plot(*thinned(log.time, np.where(truth < top, truth, np.nan)), **TRUTH_LOOK)
    if np.nanmax(truth, initial=0.0) >= top:
        words = f"elsewhere the true mu, {np.nanmax(truth):g}, lies above"
        axis.text(1.0, 0.97, words, transform=axis.transAxes, size=8.0, ha="right", va="top", color=TRUTH)
    axis.set_ylim(0.0, top)


def _top(ratio: Array, truth: Array, *known: Array) -> float:
    """End of the axis: over what is asked but for landings, what is known, and the lowest true mu."""
    asked = float(np.nanquantile(ratio, 0.995)) if np.isfinite(ratio).any() else 0.0
    highest = max((float(values.max(initial=0.0)) for values in known), default=0.0)
    seen, rough = max(asked, highest, float(np.nanmin(truth, initial=1.0))), float(np.nanmax(truth, initial=0.0))
    return HIGHEST * (rough if rough < NEARBY * seen else seen)

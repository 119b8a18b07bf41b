# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Figures in one style, drawn without a display.

They show floor patches, friction cones and rows of curves.
"""

from __future__ import annotations

import io
import math
from itertools import pairwise
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.contact.ground import GroundConfig
from biped_slip.simulation.log import Log
from biped_slip.simulation.stances import BEARING_LOAD, StanceSlide

# A figure function takes data and returns a ``Figure``::
#
#     figure, (top, bottom) = stacked_axes(["force [N]", "ratio [-]"], title="left
# foot")
#     top.plot(time, force, color=LEFT_COLOUR)
#     save_figure(figure, folder / "forces.png")

# colour of each foot wherever feet appear
LEFT_COLOUR = "#0072b2"
RIGHT_COLOUR = "#aa3377"
FOOT_COLOURS = (LEFT_COLOUR, RIGHT_COLOUR)
ESTIMATE, TRUTH, LIMIT, SLIP, MUTED = (
    "#009e73",
    "#222222",
    "#e69f00",
    "#d55e00",
    "#9a9a9a",
)
# in this order where curves have no meaning
SERIES = (
    LEFT_COLOUR,
    LIMIT,
    ESTIMATE,
    RIGHT_COLOUR,
    "#56b4e9",
    SLIP,
    TRUTH,
    MUTED,
)
LONG_SLIDE = 0.01  # [m]; shorter ones are shaded without their length
VECTOR = (".svg", ".pdf")  # endings of files without pixels
DOTS_PER_INCH = 110

STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.prop_cycle": cycler(color=SERIES),
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "pdf.fonttype": 42,
    "svg.hashsalt": "biped_slip",
}


def stacked_axes(
    labels: Sequence[str],
    *,
    title: str = "",
    abscissa: str = "time [s]",
    width: float = 9.0,
    row_height: float = 1.9,
) -> tuple[Any, list[Any]]:
    """Make a figure with one row of axes per label over a shared abscissa.

    Return (figure, axes).

    Args:
        labels: of each row's axis.
        title: over all rows.
        abscissa: label of the shared axis.
        width: [in].
        row_height: [in].
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(
            figsize=(width, row_height * len(labels) + 0.6), layout="constrained"
        )
        FigureCanvasAgg(figure)
        axes = list(figure.subplots(len(labels), 1, sharex=True, squeeze=False)[:, 0])
        for axis, label in zip(axes, labels, strict=True):
            axis.set_ylabel(label)
        axes[-1].set_xlabel(abscissa)
        if title:
            axes[0].set_title(title, loc="left")
    return figure, axes


def single_axes(
    xlabel: str,
    ylabel: str,
    *,
    title: str = "",
    width: float = 5.5,
    height: float = 4.0,
) -> Any:
    """Make a figure with one pair of axes; return (figure, axes).

    Args:
        xlabel: of the abscissa.
        ylabel: of the ordinate.
        title: over the axes.
        width: [in].
        height: [in].
    """
    figure, axes = stacked_axes(
        [ylabel], title=title, abscissa=xlabel, width=width, row_height=height - 0.6
    )
    return figure, axes[0]


def png_bytes(figure: Any) -> bytes:
    """Encode the figure as a PNG, reproducible byte for byte (no creation date)."""
    return _bytes(figure, "png", {"Software": None})


def save_figure(figure: Any, path: str | Path) -> bytes:
    """Store a figure, making its folder, and return the same bytes (for an HTML page).

    Args:
        figure: of matplotlib.
        path: whose ending says what it becomes: one of VECTOR, else PNG.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".svg":
        data = _bytes(figure, "svg", {"Date": None})
    elif target.suffix == ".pdf":
        data = _bytes(figure, "pdf", {"CreationDate": None})
    else:
        data = png_bytes(figure)
    target.write_bytes(data)
    return data


def _bytes(figure: Any, kind: str, metadata: dict[str, Any]) -> bytes:
    for legend in [*figure.legends, *(axes.get_legend() for axes in figure.axes)]:
        if legend is not None:
            legend.get_frame().set(edgecolor="none", facecolor="white", alpha=0.8)
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def thinned(
    time: NDArray[Any], *curves: NDArray[Any], points: int = 4000
) -> tuple[NDArray[Any], ...]:
    """Thin curves to about ``points`` samples that keep every extreme.

    These are the lowest and highest sample of each bin.

    Args:
        time: shape (n,).
        curves: shape (n,) each; NaN stays a gap.
        points: about how many samples to keep.

    Returns:
        (time, curve, ...) of one common shape: the union of the extremes' indices of
        all curves.
    """
    if len(time) <= points:
        return (time, *curves)
    edges = np.linspace(
        0, len(time), max(2, points // (2 * max(1, len(curves)))), dtype=int
    )
    kept = {0, len(time) - 1}
    for curve in curves:
        low = np.where(np.isnan(curve), np.inf, curve)
        high = np.where(np.isnan(curve), -np.inf, curve)
        for first, last in pairwise(edges):
            kept.update(
                (
                    int(first + low[first:last].argmin()),
                    int(first + high[first:last].argmax()),
                )
            )
    index = np.array(sorted(kept))
    return (time[index], *(curve[index] for curve in curves))


# The floor in pictures: patches along x, coloured by their friction from ice blue
# (slippery) to sand (grippy).

# distinct under every common colour blindness
SLIPPERY_COLOUR = (0x56, 0xB4, 0xE9)
GRIPPY = (0xE3, 0xD9, 0xC0)
# [-] mu below and above which the colour no longer changes
ICE_MU = 0.2
RUBBER = 0.8


class Patch(NamedTuple):
    """Patch of floor between two places along x."""

    start: float  # [m] world x
    end: float  # [m] world x
    mu: float
    colour: str  # #rrggbb


def floor_colour(mu: float) -> str:
    """Return the colour of a floor by its friction."""
    share = min(1.0, max(0.0, (mu - ICE_MU) / (RUBBER - ICE_MU)))
    return "#" + "".join(
        f"{round(a + share * (b - a)):02x}"
        for a, b in zip(SLIPPERY_COLOUR, GRIPPY, strict=True)
    )


def patches(ground: GroundConfig, start: float, end: float) -> Iterator[Patch]:
    """List surfaces between two places along x [m], in order.

    Args:
        ground: floor of the scenario.
        start: [m].
        end: [m].
    """
    borders = [-math.inf, *ground.edges, math.inf]
    for low, high, mu in zip(borders, borders[1:], ground.mu, strict=False):
        if high > start and low < end:
            yield Patch(max(low, start), min(high, end), mu, floor_colour(mu))


def floor_height(ground: GroundConfig, x: Array | float) -> Array:
    """Compute the height [m] of the floor at world x [m]."""
    return np.asarray(x * np.tan(ground.slope))


# How friction cones are coloured in side views: by how near the force ratio is to the
# true mu.

# share of the true mu from which on a force ratio counts as near and as at the cone
NEAR_SHARE = 0.7
AT = 0.95
# inside, near and at the cone: distinct to the colour-blind
NEARNESS_COLOURS = (
    "#009e73",
    "#e69f00",
    "#d55e00",
)
MEANINGS = (
    f"force ratio below {NEAR_SHARE:g} mu",
    f"{NEAR_SHARE:g} to {AT:g} mu",
    f"above {AT:g} mu, or the foot slides",
)


def cone_legend() -> list[Any]:
    """Make the legend of the cones' colours."""
    return [
        Swatch(color=c, alpha=0.5, label=m)
        for c, m in zip(NEARNESS_COLOURS, MEANINGS, strict=True)
    ]


# Rows of curves over walks of whatever robot: their width, their legend, the look of
# the truth.

FIGURE_WIDTH = 10.0  # [in]
LEGEND_COLUMNS = 6  # that fit into the width
# under the curves
TRUTH_LOOK: dict[str, Any] = {
    "color": TRUTH,
    "linewidth": 3.2,
    "alpha": 0.5,
    "zorder": 1.5,
    "label": "true mu",
}
AXIS_END = 1.15  # end of the axis over all that must be seen
NEARBY = 1.5  # a true mu below so much of that is seen, too
RATIO_CAPTION = (
    "A foot slides when its force ratio reaches the true mu (grey). Green: what the "
    "robot knew of the floor, from its "
    "landing on; a wide band: a sole across an edge. The controller's limit keeps the "
    "ratio below; dotted: what "
    "the walk would have asked for without it."
)


def ratio_figure(
    logs: Mapping[str, Log], slips: Mapping[str, Sequence[StanceSlide]] | None = None
) -> Any:
    """Draw each loaded foot's force ratio, its limit, certified bounds and true mu.

    There is a row for each foot of each walk.

    Args:
        logs: of walks, by the name of their slip prevention.
        slips: that are shaded, by the same names.
    """
    rows = [(name, foot) for name in logs for foot in (0, 1)]
    figure, axes = stacked_axes(
        ["|Ft| / Fn [-]"] * len(rows), width=FIGURE_WIDTH, row_height=1.8
    )
    for axis, (name, foot) in zip(axes, rows, strict=True):
        axis.set_title(
            f"{prevention(name)}, {FEET[foot]} foot",
            loc="left",
            color=FOOT_COLOURS[foot],
        )
        draw_ratio(axis, logs[name], foot)
        shade_slides(
            axis,
            [slip for slip in (slips or {}).get(name, ()) if slip.foot == FEET[foot]],
        )
    curves = [
        Line2D([], [], color=c, label=f"{foot} |Ft| / Fn")
        for foot, c in zip(FEET, FOOT_COLOURS, strict=True)
    ]
    certified = Swatch(
        color=ESTIMATE,
        alpha=0.4,
        label="certified: interval or lower bound",
        linewidth=0.0,
    )
    limit = Line2D([], [], color=LIMIT, label="limit")
    wanted = Line2D([], [], color=MUTED, linestyle=":", label="wanted before the limit")
    legend_above(
        figure,
        [
            Line2D([], [], **TRUTH_LOOK),
            certified,
            limit,
            *curves,
            wanted,
            slide_swatch(),
        ],
    )
    return figure


def draw_ratio(axis: Any, log: Log, foot: int) -> None:
    """Draw the force ratio of one foot on given axes.

    Args:
        axis: drawn on.
        log: of a walk.
        foot: 0 left, 1 right.
    """
    bears = log.normal[:, foot] > BEARING_LOAD * log.weight
    curves = (
        log.ratio,
        log.mu_true,
        log.limit,
        *log.answers()[1:],
        np.abs(log.wanted_ratio),
    )
    ratio, truth, limit, low, high, wanted = (
        np.where(bears, values[:, foot], np.nan) for values in curves
    )
    top = _top(ratio, truth, limit, low)
    limit, low, high, truth, wanted = (
        np.where(v < top, v, np.nan) for v in (limit, low, high, truth, wanted)
    )
    axis.fill_between(log.time, low, high, color=ESTIMATE, alpha=0.4, linewidth=0.0)
    looks: list[dict[str, Any]] = [
        {"color": MUTED, "linestyle": ":", "linewidth": 0.9},
        {"color": ESTIMATE},
        {"color": LIMIT},
        {"color": FOOT_COLOURS[foot]},
        TRUTH_LOOK,
    ]
    for values, look in zip((wanted, low, limit, ratio, truth), looks, strict=True):
        axis.plot(*thinned(log.time, values), **look)
    highest = float(np.max(log.mu_true[:, foot], initial=0.0))
    if highest >= top:
        words = f"elsewhere the true mu, {highest:g}, lies above"
        axis.text(
            1.0,
            0.97,
            words,
            transform=axis.transAxes,
            size=8.0,
            ha="right",
            va="top",
            color=TRUTH,
        )
    axis.set_ylim(0.0, top)


def _top(ratio: Array, truth: Array, *known: Array) -> float:
    """Choose the end of the axis.

    It lies over required friction but for landings, bounds on ice, and the lowest true
    mu.
    """
    asked = float(np.nanquantile(ratio, 0.995)) if np.isfinite(ratio).any() else 0.0
    rough = float(np.nanmax(truth, initial=0.1))
    highest = max(
        (float(values[values < rough].max(initial=0.0)) for values in known),
        default=0.0,
    )
    shown = max(asked, highest, float(np.nanmin(truth, initial=1.0)))
    return AXIS_END * (rough if rough < NEARBY * shown else shown)


def shade_slides(axis: Any, slips: Sequence[StanceSlide]) -> None:
    """Shade the times at which a stance foot slid."""
    for slip in slips:
        axis.axvspan(slip.start, slip.end, color=SLIP, alpha=0.25, linewidth=0.0)


def slide_swatch() -> Any:
    """Make the legend entry of a slide."""
    return Swatch(color=SLIP, alpha=0.25, label="slide", linewidth=0.0)


def prevention(name: str) -> str:
    """Format a slip policy as a heading, with its name on the command line."""
    return "no slip prevention" if name == "none" else f"slip prevention: {name}"


def legend_above(figure: Any, handles: list[Any]) -> None:
    """Place one legend for all rows over the first one, where it hides no curve.

    It takes two lines when it is long.
    """
    columns = (
        len(handles) if len(handles) <= LEGEND_COLUMNS else math.ceil(len(handles) / 2)
    )
    figure.legend(
        handles=handles, loc="outside upper right", ncols=max(1, columns), frameon=False
    )


# Side views along walks, a row a walk: the robot, its contact forces and their friction
# cones.

PANELS = 6


def film_strip(
    rows: Mapping[str, Sequence[Callable[[Any], None]]], row_height: float, spare: float
) -> Any:
    """Make a figure with a row for each walk, and a legend of cones.

    Each panel is drawn by its function on bare axes.

    Args:
        rows: by the name of the walk, a function per panel that draws on its axes.
        row_height: [in].
        spare: [in] for the legend.
    """
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(
            figsize=(FIGURE_WIDTH, row_height * max(1, len(rows)) + spare),
            layout="constrained",
        )
        FigureCanvasAgg(figure)
        grid = figure.subplots(max(1, len(rows)), PANELS, squeeze=False)
        for axes, (name, panels) in zip(grid, rows.items(), strict=False):
            for axis, draw in zip(axes, panels, strict=True):
                for spine in axis.spines.values():
                    spine.set_visible(False)
                axis.set(xticks=[], yticks=[])
                draw(axis)
            axes[0].set_ylabel(prevention(name).replace(": ", ":\n"))
        legend_above(figure, cone_legend())
    return figure


def draw_force(axis: Any, place: Any, arrow: Any, cone: Any, colour: str) -> None:
    """Draw a contact force (2,) at a place (2,) as a line.

    It is drawn in the cone (2, 2) of the true mu.

    Args:
        axis: drawn on.
        place: where the force acts [m].
        arrow: the force as a length [m].
        cone: (2, 2) upper corners of the friction cone, from the place [m].
        colour: of both.
    """
    corners = np.vstack((place, place + cone))
    end = np.asarray(place) + arrow
    axis.fill(corners[:, 0], corners[:, 1], color=colour, alpha=0.4, linewidth=0.0)
    axis.plot(
        [place[0], end[0]], [place[1], end[1]], color=TRUTH, linewidth=1.2, zorder=4
    )


# Pictures of contact laws side by side: one small picture a law, all on the same axes.

MOST_PANELS = 5


def columns_for(panels: int) -> int:
    """Choose four or five columns leaving the fewest places of the last row empty.

    Fewer panels than that stand in one row.
    """
    if panels < 4:
        return max(panels, 1)
    return min(
        range(4, MOST_PANELS + 1), key=lambda columns: (-panels % columns, columns)
    )


class Panel(NamedTuple):
    """Panel of a gallery: two quantities over time."""

    time: NDArray[Any]  # (n,) [s]
    left: NDArray[Any]  # (n,) on the left axis
    right: NDArray[Any]  # (n,) on the right axis


def gallery(
    panels: Mapping[str, Panel],
    labels: Sequence[str],
    limits: Sequence[tuple[float, float]],
    title: str,
) -> Any:
    """Make a figure with one panel per law.

    ``labels`` are of time, left and right axis, ``limits`` of the latter two.

    Args:
        panels: one a law.
        labels: of both axes.
        limits: of both axes; None fits the data.
        title: over all panels.
    """
    columns = columns_for(len(panels))
    rows = -(-len(panels) // columns)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(12.0, 1.9 * rows + 0.7), layout="constrained")
        FigureCanvasAgg(figure)
        grid = np.asarray(figure.subplots(rows, columns, squeeze=False)).ravel()
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        for place, (axes, (name, panel)) in enumerate(
            zip(grid, panels.items(), strict=False)
        ):
            twin = axes.twinx()
            axes.plot(panel.time, panel.left, color=LEFT_COLOUR)
            twin.plot(panel.time, panel.right, color=RIGHT_COLOUR)
            axes.set_title(name.replace("_", " "), fontsize=9.0)
            axes.set_ylim(*limits[0])
            twin.set_ylim(*limits[1])
            twin.grid(False)
            _label_rim(axes, twin, labels, place, columns, len(panels))
        figure.suptitle(title)
    return figure


def _label_rim(
    axes: Any, twin: Any, labels: Sequence[str], place: int, columns: int, count: int
) -> None:
    """Label the rim of the gallery alone: all panels have the same axes."""
    if place + columns >= count:
        axes.set_xlabel(labels[0])
    else:
        axes.tick_params(labelbottom=False)
    if place % columns == 0:
        axes.set_ylabel(labels[1], color=LEFT_COLOUR)
    else:
        axes.tick_params(labelleft=False)
    if place % columns == columns - 1 or place == count - 1:
        twin.set_ylabel(labels[2], color=RIGHT_COLOUR)
    else:
        twin.tick_params(labelright=False)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and pages of the planar biped's walks: curves, film strip, sentences."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.figures import (
    AT,
    COLOURS,
    ESTIMATE,
    FOOT_COLOURS,
    LIMIT,
    MUTED,
    NEAR,
    PANELS,
    SLIP,
    STYLE,
    TRUTH,
    TRUTH_LOOK,
    draw_force,
    film_strip,
    floor_height,
    legend_above,
    patches,
    rows_of_feet,
    save_figure,
    stacked_axes,
    thinned,
)
from biped_slip.reports.figures import WIDTH as WALK_ROWS_WIDTH
from biped_slip.reports.html import Picture, stance_pieces, table, write_walk_page
from biped_slip.reports.stances import planar_stances
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figures import stick_figure
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import SLIDING_SPEED, WalkLog, WalkResult
from biped_slip.simulation.walk import CONTACT_FORCE, FEET, Slip, stances, steady_part

# Curves of one or several walks over time: feet, speeds, force ratios, estimates; one row per walk or per foot.

LABELLED_SLIDE = 0.01  # [m] shorter slides are shaded without their length
FASTEST = 1.0  # [m/s] end of the axis of foot speeds
LABEL_GAP = 0.5  # [s] of two slides nearer than this only the longer one shows its length
Walks = Mapping[str, WalkResult]


def feet_figure(walks: Walks, ground: GroundConfig) -> Any:
    """Where the feet are over time, over the patches of the floor; slides shaded with their length."""
    figure, axes = stacked_axes(["foot x [m]"] * len(walks), width=WALK_ROWS_WIDTH, row_height=2.6)
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
    figure, axes = stacked_axes(["foot speed [m/s]"] * len(walks), width=WALK_ROWS_WIDTH)
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


# Still pictures of a walk as points: the robot, its contact forces and their friction cones.

CONE_HEIGHT = 0.22  # [m] along the floor's normal
WEIGHT_LENGTH, LONGEST_ARROW = 0.30, 0.45  # [m] arrow of a force as large as the weight; a landing's arrow ends here
FLIGHT = -1


class Frames(NamedTuple):
    """Frames of one walk; places in the world [m], feet left, right on the second axis."""

    time: Array  # (n,) [s]
    trunk: Array  # (n, 2)
    hip: Array  # (n, 2)
    knees: Array  # (n, 2, 2)
    soles: Array  # (n, 2, 2)
    arrows: Array  # (n, 2, 2) contact force as a length
    cones: Array  # (n, 2, 2, 2) upper corners of the cone of the true mu, relative to the sole
    nearness: NDArray[np.int64]  # (n, 2) index into COLOURS, or FLIGHT


def walk_frames(walk: WalkResult, scenario: ScenarioConfig, times: Array) -> Frames:
    """The frames at given times [s]; times after the end of the walk are left out."""
    log, robot, slope = walk.log, planar_biped(scenario.variant), scenario.ground.slope
    last = float(log.time[-1]) if log.length else -1.0
    index = np.searchsorted(log.time, times[times <= last])
    along, up = np.array([np.cos(slope), np.sin(slope)]), np.array([-np.sin(slope), np.cos(slope)])
    force = log.tangential[index, :, None] * along + log.normal[index, :, None] * up
    arrows = force * (WEIGHT_LENGTH / (robot.mass * GRAVITY))
    length = np.linalg.norm(arrows, axis=2, keepdims=True)
    arrows = arrows * np.minimum(1.0, LONGEST_ARROW / np.maximum(length, LONGEST_ARROW))
    sides = np.array([-1.0, 1.0])[None, None, :, None] * log.mu_true[index][:, :, None, None] * along
    figure = stick_figure(robot, log.q[index])
    return Frames(
        log.time[index],
        figure.trunk,
        figure.hip,
        figure.knees,
        figure.soles,
        arrows,
        CONE_HEIGHT * (up + sides),
        _nearness(log, walk, index),
    )


def _nearness(log: WalkLog, walk: WalkResult, index: NDArray[np.int64]) -> NDArray[np.int64]:
    share = force_ratio(log)[index] / np.maximum(log.mu_true[index], 1e-6)
    nearness = (share >= NEAR).astype(np.int64) + (share >= AT)
    for slip in walk.summary.slips:
        during = (log.time[index] >= slip.start) & (log.time[index] <= slip.end)
        nearness[during, FEET.index(slip.foot)] = 2
    return np.where(log.normal[index] > CONTACT_FORCE, nearness, FLIGHT)


# Side views of walks at a few common times: one row per walk.

HALF_WIDTH, HEAD_ROOM, DEPTH = 0.75, 1.15, 0.08  # [m] of a panel beside the hip, over the floor, under it


def filmstrip_figure(walks: Walks, scenario: ScenarioConfig) -> Any:
    """Robot, contact forces and friction cones at times spread over the longest walk."""
    longest = max((float(walk.log.time[-1]) for walk in walks.values() if walk.log.length), default=0.0)
    times = np.linspace(0.0, longest, PANELS + 1)[1:] - 0.25 * longest / PANELS
    rows: dict[str, list[Callable[[Any], None]]] = {}
    for name, walk in walks.items():
        frames = walk_frames(walk, scenario, times)
        drawn: list[Any] = [
            partial(draw_frame, frames=frames, i=i, ground=scenario.ground) for i in range(len(frames.time))
        ]
        ended = [partial(_draw_end, walk=walk), *[lambda axis: None] * PANELS]
        rows[name] = [*drawn, *ended][:PANELS]
    return film_strip(rows, 1.75, 0.5)


def _draw_end(axis: Any, walk: WalkResult) -> None:
    """Say on the first empty panel how the walk ended."""
    words = f"{'fell' if walk.summary.fell else 'ended'} at {walk.summary.end_time:.1f} s"
    axis.text(0.5, 0.4, words, ha="center", transform=axis.transAxes)


def draw_frame(axis: Any, frames: Frames, i: int, ground: GroundConfig) -> None:
    """One frame on given axes, centred on the hip."""
    hip = frames.hip[i]
    left, right = hip[0] - HALF_WIDTH, hip[0] + HALF_WIDTH
    for patch in patches(ground, left, right):
        x = np.array([patch.start, patch.end])
        surface = floor_height(ground, x)
        axis.fill_between(x, surface - DEPTH, surface, color=patch.colour, linewidth=0.0)
        axis.plot(x, surface, color=TRUTH, linewidth=0.6)
    for foot, colour in enumerate(FOOT_COLOURS):
        sole, nearness = frames.soles[i, foot], int(frames.nearness[i, foot])
        if nearness != FLIGHT:
            draw_force(axis, sole, frames.arrows[i, foot], frames.cones[i, foot], COLOURS[nearness])
            axis.plot(*(sole + frames.arrows[i, foot]), "o", color=TRUTH, markersize=3.0, zorder=4)
        leg = np.vstack((hip, frames.knees[i, foot], sole))
        axis.plot(leg[:, 0], leg[:, 1], color=colour, linewidth=2.2, solid_joinstyle="round")
    axis.plot(*np.vstack((hip, frames.trunk[i])).T, color=TRUTH, linewidth=4.0, solid_capstyle="round")
    base = float(floor_height(ground, hip[0]))
    axis.set(xlim=(left, right), ylim=(base - DEPTH - HALF_WIDTH * abs(np.tan(ground.slope)), base + HEAD_ROOM))
    axis.set_aspect("equal")
    axis.set_title(f"{frames.time[i]:.1f} s, {hip[0]:.1f} m", size=8.5)


# One compact picture of several walks side by side: places of the feet over force ratios.

COLUMN_WIDTH, HEIGHT = 4.6, 5.4  # [in]


def comparison_figure(walks: Walks, ground: GroundConfig) -> Any:
    """One column per walk: feet over the patches, then the force ratio of each foot against limit and true mu."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(COLUMN_WIDTH * max(1, len(walks)), HEIGHT), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(
            3, max(1, len(walks)), sharex=True, sharey="row", squeeze=False, height_ratios=(1.5, 1.0, 1.0)
        )
        for column, (name, walk) in enumerate(walks.items()):
            draw_feet(grid[0, column], walk, ground, labelled_slide=math.inf)
            grid[0, column].set_title(
                f"slip prevention: {name} (largest slip {1e3 * walk.summary.max_stance_slip:.0f} mm)", loc="left"
            )
            for foot in (0, 1):
                draw_ratio(grid[1 + foot, column], walk, foot)
            grid[2, column].set_xlabel("time [s]")
        for axis, label in zip(grid[:, 0], ("foot x [m]", *(f"{f} |Ft| / Fn" for f in FEET)), strict=True):
            axis.set_ylabel(label)
        legend_above(figure, ratio_legend())
    return figure


# What came out of walks.


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


# One page on one or several walks over the same floor: what came out, pictures, and the walk itself.


def write_walk_report(directory: Path, results: Mapping[str, WalkResult], scenario: ScenarioConfig,
                      scene: Iterable[str] = ()) -> Path:  # fmt: skip
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        results: walks by the name of their slip prevention.
        scenario: the scenario of all of them.
        scene: pieces that show it in three dimensions.

    Returns:
        The page.
    """
    summaries = {name: walk.summary for name, walk in results.items()}
    pieces = [overview_table(results, scenario.required_distance), *scene]
    pieces += [stance_pieces(name, planar_stances(walk.log)) for name, walk in results.items()]
    save_figure(comparison_figure(results, scenario.ground), directory / "walk.png")
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    title = f"A walk over floors with mu = {floor}"
    return write_walk_page(directory, title, summaries, pieces, _pictures(results, scenario))


def _pictures(results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(results, scenario),
    )
    yield Picture(
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )
    words = "A foot that moves while it stands is sliding."
    yield Picture("speed", "How fast the feet are", words, speed_figure(results))
    yield Picture(
        "ratio",
        "What the floor has to hold",
        "A foot slides when its force ratio reaches the true mu. The limit keeps it below; dotted is what the walk "
        "would have asked for without it.",
        ratio_figure(results),
    )
    yield Picture(
        "estimate",
        "What is known of the floor",
        "The estimate should have found the true mu before the load asks for 0.9 of it (triangles).",
        estimate_figure(results),
    )

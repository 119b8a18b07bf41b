# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and pages of humanoids' walks: footprints, required friction, film strip."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import ground_under
from biped_slip.reports import figures
from biped_slip.reports.html import Picture, fall_pieces, stance_pieces, write_walk_page
from biped_slip.reports.stances import stance_rows
from biped_slip.robots.humanoid import SOLES
from biped_slip.robots.stick_figures import link_lines, sole_outline
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk, loaded_stances, summarise_humanoid
from biped_slip.simulation.walk import FEET, Summary

# Humanoids' walks as pictures: footprints from above, and what the floor has to hold beside what is known of it.

LONG_SLIDE = 0.01  # [m] a stance that slid further is marked
AROUND = 0.6  # [m] of floor beside the feet in the view from above
TO_SCALE, HIGHEST_ROW = 0.92, 3.5  # share of the figure's width that axes take; [in] of a row seen from above
Walked = HumanoidWalk | HumanoidTrack
Walks = Mapping[str, Walked]


def footprint_figure(walks: Walks) -> Any:
    """Draw soles at the beginning and end of each stance from above, the way of the base, the patch; a row per walk."""
    with matplotlib.rc_context({**figures.STYLE, "axes.grid": False}):
        ways = [walk.world.log.q[:, :2] for walk in walks.values()]
        (start, low), (end, high) = (np.min([w.min(axis=0) for w in ways], axis=0),
                                     np.max([w.max(axis=0) for w in ways], axis=0))  # fmt: skip
        row = (
            TO_SCALE * figures.WIDTH * (high - low + 2.0 * AROUND) / (end - start + 2.0 * AROUND)
        )  # as wide as the figure
        figure = Figure(figsize=(figures.WIDTH, (min(row, HIGHEST_ROW) + 0.4) * len(walks) + 0.6), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(walks), 1, sharex=True, squeeze=False)[:, 0]
        for axis, (name, walk) in zip(axes, walks.items(), strict=True):
            axis.set_title(f"{figures.prevention(name)}, from above", loc="left")
            draw_footprints(axis, walk)
            axis.set(xlim=(start - AROUND, end + AROUND), ylim=(low - AROUND, high + AROUND))
            floors = [(start - AROUND, walk.config.mu), (walk.world.patch[0], walk.config.patch.mu)]
            for x, mu in floors if walk.config.patch.length > 0.0 else floors[:1]:
                axis.text(x + 0.1, high + AROUND - 0.1, f"mu {mu:g}", size=8.0, va="top")
        axes[-1].set_xlabel("x [m]")
        handles = [
            Swatch(color=c, alpha=0.6, label=f"{foot} sole") for foot, c in zip(FEET, figures.FOOT_COLOURS, strict=True)
        ]
        base = Line2D([], [], color=figures.TRUTH, linewidth=0.8, label="base")
        slid = Line2D([], [], color=figures.SLIP, linewidth=1.6, label=f"slid by more than {1e3 * LONG_SLIDE:.0f} mm")
        figures.legend_above(figure, [*handles, base, slid])
    return figure


def draw_footprints(axis: Any, walk: Walked) -> None:
    """Draw one walk from above on given axes."""
    log, patch = walk.world.log, walk.config.patch
    axis.set(ylabel="y [m]", aspect="equal", facecolor=figures.floor_colour(walk.config.mu))
    if patch.length > 0.0:
        axis.axvspan(*walk.world.patch, color=figures.floor_colour(patch.mu), linewidth=0.0)
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        for part in loaded_stances(walk.world, foot):
            slide = float(np.linalg.norm(np.ptp(log.sole_position[part, foot, :2], axis=0)))
            first, last = (_outline(walk, foot, tick) for tick in (part.start, part.stop - 1))
            slid = slide > LONG_SLIDE
            axis.fill(first[:, 0], first[:, 1], color=colour, alpha=0.6, linewidth=0.0)
            if len(first) <= 2:  # a point foot has no area to fill
                axis.plot(*first[0, :2], "o", color=colour, markersize=3.0)
            if slid:
                axis.plot(last[:, 0], last[:, 1], color=figures.SLIP, linewidth=1.6)
                beside = (0, 12) if foot == 0 else (0, -18)  # over the left sole, under the right one
                axis.annotate(f"{1e3 * slide:.0f} mm", last[0, :2], beside, textcoords="offset points", size=7.0)
    axis.plot(log.q[:, 0], log.q[:, 1], color=figures.TRUTH, linewidth=0.8)
    if walk.world.fell:
        axis.annotate("fell", (float(log.q[-1, 0]), float(log.q[-1, 1])), size=9.0, weight="bold")


def _outline(walk: Walked, foot: int, tick: int) -> Array:
    log = walk.world.log
    return sole_outline(walk.humanoid.polygon(foot), log.sole_position[tick, foot], log.sole_rotation[tick, foot])


# Side views of humanoids' walks along their floor: links, contact forces and their friction cones.

SAMPLES = 240  # of the floor under a panel
SHOWN = 0.02  # body weights: the force of a sole with less is not drawn
ARROW, CONE = 0.35, 0.25  # of the standing height: a force as large as the weight, and the cone's height
SIZE = 0.58  # half a panel's width, of the height of the robot's base


def filmstrip_figure(walks: Walks) -> Any:
    """Draw robot, contact forces and cones of the true friction at places spread over each walk."""
    rows = {
        name: [partial(draw_frame, walk=walk, tick=tick) for tick in shown_ticks(walk)] for name, walk in walks.items()
    }
    return figures.film_strip(rows, 2.6, 0.4)


def shown_ticks(walk: Walked) -> list[int]:
    """Choose one tick per panel, evenly spread over the way; the last one is the walk's last."""
    x = np.maximum.accumulate(walk.world.log.q[:, 0])
    places = np.linspace(float(x[0]), float(x[-1]), figures.PANELS + 1)[1:-1]
    return [*(int(tick) for tick in np.searchsorted(x, places)), len(x) - 1]


def draw_frame(axis: Any, walk: Walked, tick: int) -> None:
    """Draw one instant on given axes, centred on the base."""
    log, q, humanoid = walk.world.log, walk.world.log.q[tick], walk.humanoid
    tall = float(log.q[0, 2])
    left, right = float(q[0]) - SIZE * tall, float(q[0]) + SIZE * tall
    floor = _draw_floor(axis, walk, float(q[1]), (left, right), tall)
    lines = link_lines(humanoid.model, SOLES, q)
    for line in lines:
        axis.plot(line[:, 0], line[:, 2], color=figures.MUTED, linewidth=2.0, solid_capstyle="round")
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        sole = sole_outline(humanoid.polygon(foot), log.sole_position[tick, foot], log.sole_rotation[tick, foot])
        axis.plot(sole[:, 0], sole[:, 2], color=colour, linewidth=3.0, zorder=3)
        _draw_force(axis, log.wrench[tick, foot] / humanoid.weight, sole.mean(axis=0), float(log.mu[tick, foot]), tall)
    axis.set(
        xlim=(left, right),
        ylim=(floor - 0.1 * tall, max(floor + 1.1 * tall, 0.1 * tall + float(lines[..., 2].max()))),
        aspect="equal",
    )
    end = "\nfell" if walk.world.fell and tick == log.length - 1 else ""
    axis.set_title(f"{log.time[tick]:.1f} s, {q[0]:.1f} m{end}", size=8.5)


def _draw_floor(axis: Any, walk: Walked, y: float, ends: tuple[float, float], tall: float) -> float:
    """Draw the floor along x at a y [m], in the colours of its friction; return its height [m] in the middle."""
    x = np.linspace(*ends, SAMPLES)
    ground = [ground_under(walk.world.plant.around.terrain, float(place), y) for place in x]
    height, mu = np.array([point.height for point in ground]), np.array([point.mu for point in ground])
    for part in np.split(np.arange(SAMPLES), np.flatnonzero(np.diff(mu)) + 1):
        low, high = int(part[0]), min(int(part[-1]) + 2, SAMPLES)
        under = height[low:high] - 0.08 * tall
        axis.fill_between(
            x[low:high], under, height[low:high], color=figures.floor_colour(float(mu[low])), linewidth=0.0
        )
    axis.plot(x, height, color=figures.TRUTH, linewidth=0.6)
    return float(height[SAMPLES // 2])


def _draw_force(axis: Any, wrench: Array, place: Array, mu: float, tall: float) -> None:
    """Draw force [body weights] and moment on a sole as an arrow at its centre of pressure, in the true cone."""
    along, up = float(wrench[0]), float(wrench[2])
    if up < SHOWN:
        return
    share = float(np.hypot(*wrench[:2])) / (mu * up)
    x, floor, height = float(place[0]), float(place[2]), CONE * tall
    colour = figures.COLOURS[int(share >= figures.NEAR) + int(share >= figures.AT)]
    cone = height * np.array([(-mu, 1.0), (mu, 1.0)])
    figures.draw_force(axis, np.array([x, floor]), ARROW * tall * np.array([along, up]), cone, colour)


# One page on one or several walks of a humanoid: what came out, and pictures.


def write_humanoid_report(directory: Path, walks: Walks, scene: Iterable[str] = ()) -> Path:
    """Write ``index.html`` with everything in it, and its pictures beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        walks: that have ended, by the name of their slip prevention.
        scene: pieces that show them in three dimensions.

    Returns:
        The page.
    """
    summaries = {name: summarise_humanoid(walk) for name, walk in walks.items()}
    config = next(iter(walks.values())).config
    floor = f"mu = {config.mu:g}" + (f" with a patch of {config.patch.mu:g}" if config.patch.length > 0.0 else "")
    title = f"{Path(config.robot).stem} walks over {floor}"
    known = [stance_pieces(name, stance_rows(walk.world.log)) for name, walk in walks.items()]
    pieces = [*fall_pieces({name: (walk.world.log, walk.world.fell) for name, walk in walks.items()}), *scene, *known]
    return write_walk_page(directory, title, summaries, pieces, _pictures(walks, summaries))


def _pictures(walks: Walks, summaries: Mapping[str, Summary]) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Lines: contact forces. Cones: where they hold on the true mu, coloured by their margin.",
        filmstrip_figure(walks),
    )
    yield Picture(
        "footprints",
        "Footprints",
        f"Soles as they landed; outlined is where a sole went that slid by more than {1e3 * LONG_SLIDE:.0f} mm.",
        footprint_figure(walks),
    )
    yield Picture(
        "ratio",
        "What the floor has to hold, and what is known of it",
        figures.RATIO_CAPTION,
        figures.ratio_figure(
            {name: walk.world.log for name, walk in walks.items()},
            {name: summary.slips for name, summary in summaries.items()},
        ),
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of humanoids' walks: footprints from above, and side views along the floor.

A side view shows links, contact forces and their cones of true friction, coloured by
how near to its edge a force is.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Mapping

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch as Swatch

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET
from biped_slip.contact.ground import ground_under
from biped_slip.reports import figures
from biped_slip.robots.robot import SOLES
from biped_slip.robots.stick_figures import link_lines, sole_outline
from biped_slip.simulation.humanoid.summary import loaded_stances
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk

SEEN_AROUND = 0.6  # [m] of floor beside the feet in the view from above
TO_SCALE = 0.92  # share of the figure's width that axes take
HIGHEST_ROW = 3.5  # [in] of a row seen from above
WalkedHumanoid = HumanoidWalk | HumanoidTrack
HumanoidWalks = Mapping[str, WalkedHumanoid]


def footprint_figure(walks: HumanoidWalks) -> Any:
    """Draw soles at the beginning and end of each stance from above.

    The way of the base and the patch are drawn, too; each walk has a row.
    """
    with matplotlib.rc_context({**figures.STYLE, "axes.grid": False}):
        ways = [walk.world.log.q[:, :2] for walk in walks.values()]
        low = np.min([way.min(axis=0) for way in ways], axis=0)
        high = np.max([way.max(axis=0) for way in ways], axis=0)
        size = high - low + 2.0 * SEEN_AROUND
        # as wide as the figure
        row = TO_SCALE * figures.FIGURE_WIDTH * size[1] / size[0]
        figure = Figure(
            figsize=(
                figures.FIGURE_WIDTH,
                (min(row, HIGHEST_ROW) + 0.4) * len(walks) + 0.6,
            ),
            layout="constrained",
        )
        FigureCanvasAgg(figure)
        axes = figure.subplots(len(walks), 1, sharex=True, squeeze=False)[:, 0]
        left, bottom = low - SEEN_AROUND
        right, top = high + SEEN_AROUND
        for axis, (name, walk) in zip(axes, walks.items(), strict=True):
            axis.set_title(f"{figures.prevention(name)}, from above", loc="left")
            draw_footprints(axis, walk)
            axis.set(xlim=(left, right), ylim=(bottom, top))
            _write_friction(axis, walk, (left, top))
        axes[-1].set_xlabel("x [m]")
        figures.legend_above(figure, _footprint_legend())
    return figure


def _write_friction(
    axis: Any, walk: WalkedHumanoid, corner: tuple[float, float]
) -> None:
    """Write mu where each floor begins; the corner is the upper left one [m]."""
    left, top = corner
    floors = [(left, walk.config.mu)]
    if walk.config.patch.length > 0.0:
        floors.append((walk.world.patch[0], walk.config.patch.mu))
    for x, mu in floors:
        axis.text(x + 0.1, top - 0.1, f"mu {mu:g}", size=8.0, va="top")


def _footprint_legend() -> list[Any]:
    """List what the legend of footprints explains."""
    soles = [
        Swatch(color=colour, alpha=0.6, label=f"{foot} sole")
        for foot, colour in zip(FEET, figures.FOOT_COLOURS, strict=True)
    ]
    words = f"slid by more than {1e3 * figures.LONG_SLIDE:.0f} mm"
    return [
        *soles,
        Line2D([], [], color=figures.TRUTH, linewidth=0.8, label="base"),
        Line2D([], [], color=figures.SLIP, linewidth=1.6, label=words),
    ]


def draw_footprints(axis: Any, walk: WalkedHumanoid) -> None:
    """Draw one walk from above on given axes."""
    log = walk.world.log
    patch = walk.config.patch
    axis.set(
        ylabel="y [m]", aspect="equal", facecolor=figures.floor_colour(walk.config.mu)
    )
    if patch.length > 0.0:
        axis.axvspan(
            *walk.world.patch, color=figures.floor_colour(patch.mu), linewidth=0.0
        )
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        for part in loaded_stances(walk.world, foot):
            slide = float(
                np.linalg.norm(np.ptp(log.sole_position[part, foot, :2], axis=0))
            )
            first, last = (
                _outline(walk, foot, tick) for tick in (part.start, part.stop - 1)
            )
            slid = slide > figures.LONG_SLIDE
            axis.fill(first[:, 0], first[:, 1], color=colour, alpha=0.6, linewidth=0.0)
            if len(first) <= 2:  # a point foot has no area to fill
                axis.plot(*first[0, :2], "o", color=colour, markersize=3.0)
            if slid:
                axis.plot(last[:, 0], last[:, 1], color=figures.SLIP, linewidth=1.6)
                # over the left sole, under the right one
                beside = (0, 12) if foot == 0 else (0, -18)
                axis.annotate(
                    f"{1e3 * slide:.0f} mm",
                    last[0, :2],
                    beside,
                    textcoords="offset points",
                    size=7.0,
                )
    axis.plot(log.q[:, 0], log.q[:, 1], color=figures.TRUTH, linewidth=0.8)
    if walk.world.fell:
        axis.annotate(
            "fell", (float(log.q[-1, 0]), float(log.q[-1, 1])), size=9.0, weight="bold"
        )


def _outline(walk: WalkedHumanoid, foot: int, tick: int) -> Array:
    log = walk.world.log
    return sole_outline(
        walk.humanoid.polygon(foot),
        log.sole_position[tick, foot],
        log.sole_rotation[tick, foot],
    )


FLOOR_SAMPLES = 240  # of the floor under a panel
SHOWN = 0.02  # body weights: the force of a sole with less is not drawn
ARROW = 0.35  # of the standing height: a force as large as the weight
CONE = 0.25  # of the standing height: a friction cone
PANEL_SHARE = 0.58  # half a panel's width, of the height of the robot's base


def humanoid_filmstrip(walks: HumanoidWalks) -> Any:
    """Draw robot, contact forces and cones of the true friction.

    They are drawn at places spread over each walk.
    """
    rows = {
        name: [
            partial(draw_humanoid, walk=walk, tick=tick) for tick in shown_ticks(walk)
        ]
        for name, walk in walks.items()
    }
    return figures.film_strip(rows, 2.6, 0.4)


def shown_ticks(walk: WalkedHumanoid) -> list[int]:
    """Choose one tick per panel, evenly spread over the way.

    The last one is the walk's last.
    """
    x = np.maximum.accumulate(walk.world.log.q[:, 0])
    places = np.linspace(float(x[0]), float(x[-1]), figures.PANELS + 1)[1:-1]
    return [*(int(tick) for tick in np.searchsorted(x, places)), len(x) - 1]


def draw_humanoid(axis: Any, walk: WalkedHumanoid, tick: int) -> None:
    """Draw the humanoid of one instant on given axes, centred on the base.

    Args:
        axis: drawn on.
        walk: that has ended.
        tick: of the log.
    """
    log = walk.world.log
    q = walk.world.log.q[tick]
    humanoid = walk.humanoid
    tall = float(log.q[0, 2])
    left = float(q[0]) - PANEL_SHARE * tall
    right = float(q[0]) + PANEL_SHARE * tall
    floor = _draw_floor(axis, walk, float(q[1]), (left, right), tall)
    lines = link_lines(humanoid.model, SOLES, q)
    for line in lines:
        axis.plot(
            line[:, 0],
            line[:, 2],
            color=figures.MUTED,
            linewidth=2.0,
            solid_capstyle="round",
        )
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        sole = sole_outline(
            humanoid.polygon(foot),
            log.sole_position[tick, foot],
            log.sole_rotation[tick, foot],
        )
        axis.plot(sole[:, 0], sole[:, 2], color=colour, linewidth=3.0, zorder=3)
        _draw_force(
            axis,
            log.wrench[tick, foot] / humanoid.weight,
            sole.mean(axis=0),
            float(log.mu[tick, foot]),
            tall,
        )
    axis.set(
        xlim=(left, right),
        ylim=(
            floor - 0.1 * tall,
            max(floor + 1.1 * tall, 0.1 * tall + float(lines[..., 2].max())),
        ),
        aspect="equal",
    )
    end = "\nfell" if walk.world.fell and tick == log.length - 1 else ""
    axis.set_title(f"{log.time[tick]:.1f} s, {q[0]:.1f} m{end}", size=8.5)


def _draw_floor(
    axis: Any, walk: WalkedHumanoid, y: float, ends: tuple[float, float], tall: float
) -> float:
    """Draw the floor along x at a y [m], in the colours of its friction.

    Return its height [m] in the middle.
    """
    x = np.linspace(*ends, FLOOR_SAMPLES)
    ground = [
        ground_under(walk.world.plant.around.terrain, float(place), y) for place in x
    ]
    height = np.array([point.height for point in ground])
    mu = np.array([point.mu for point in ground])
    for part in np.split(np.arange(FLOOR_SAMPLES), np.flatnonzero(np.diff(mu)) + 1):
        low = int(part[0])
        high = min(int(part[-1]) + 2, FLOOR_SAMPLES)
        top = height[low:high]
        colour = figures.floor_colour(float(mu[low]))
        axis.fill_between(
            x[low:high], top - 0.08 * tall, top, color=colour, linewidth=0.0
        )
    axis.plot(x, height, color=figures.TRUTH, linewidth=0.6)
    return float(height[FLOOR_SAMPLES // 2])


def _draw_force(axis: Any, wrench: Array, place: Array, mu: float, tall: float) -> None:
    """Draw force [body weights] and moment on a sole as an arrow in the true cone.

    The arrow is at the sole's centre of pressure.
    """
    along = float(wrench[0])
    up = float(wrench[2])
    if up < SHOWN:
        return
    share = float(np.hypot(*wrench[:2])) / (mu * up)
    x = float(place[0])
    floor = float(place[2])
    height = CONE * tall
    colour = figures.NEARNESS_COLOURS[
        int(share >= figures.NEAR_SHARE) + int(share >= figures.AT)
    ]
    cone = height * np.array([(-mu, 1.0), (mu, 1.0)])
    figures.draw_force(
        axis, np.array([x, floor]), ARROW * tall * np.array([along, up]), cone, colour
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Side views of humanoids' walks along their floor: links, contact forces and their friction cones."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from biped_slip.compile.arrays import Array
from biped_slip.contact.terrain import ground_under
from biped_slip.reports.figures import FOOT_COLOURS, MUTED, STYLE, TRUTH
from biped_slip.reports.floor import floor_colour
from biped_slip.reports.friction_cones import AT, COLOURS, NEAR, cone_legend
from biped_slip.reports.humanoid.figures import Walks
from biped_slip.reports.walk_rows import WIDTH, legend_above
from biped_slip.robots.humanoid_config import SOLES
from biped_slip.robots.humanoid_sticks import link_lines, sole_outline
from biped_slip.simulation.humanoid.walk import HumanoidWalk

PANELS = 6
SAMPLES = 240  # of the floor under a panel
SHOWN = 0.02  # body weights: the force of a sole with less is not drawn
ARROW, CONE = 0.35, 0.25  # of the standing height: a force as large as the weight, and the cone's height
SIZE = 0.58  # half a panel's width, of the height of the robot's base


def filmstrip_figure(walks: Walks) -> Any:
    """Robot, contact forces and cones of the true friction at places spread over each walk."""
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(WIDTH, 2.6 * len(walks) + 0.4), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(len(walks), PANELS, squeeze=False)
        for row, (name, walk) in zip(grid, walks.items(), strict=True):
            for axis, tick in zip(row, shown_ticks(walk), strict=True):
                draw_frame(axis, walk, tick)
            row[0].set_ylabel(name)
        legend_above(figure, cone_legend())
    return figure


def shown_ticks(walk: HumanoidWalk) -> list[int]:
    """One tick per panel, evenly spread over the way; the last one is the walk's last."""
    x = np.maximum.accumulate(walk.world.log.q[:, 0])
    places = np.linspace(float(x[0]), float(x[-1]), PANELS + 1)[1:-1]
    return [*(int(tick) for tick in np.searchsorted(x, places)), len(x) - 1]


def draw_frame(axis: Any, walk: HumanoidWalk, tick: int) -> None:
    """One instant on given axes, centred on the base."""
    log, q, humanoid = walk.world.log, walk.world.log.q[tick], walk.humanoid
    tall = float(log.q[0, 2])
    left, right = float(q[0]) - SIZE * tall, float(q[0]) + SIZE * tall
    floor = _draw_floor(axis, walk, float(q[1]), (left, right), tall)
    lines = link_lines(humanoid.model, SOLES, q)
    for line in lines:
        axis.plot(line[:, 0], line[:, 2], color=MUTED, linewidth=2.0, solid_capstyle="round")
    for foot, colour in enumerate(FOOT_COLOURS):
        sole = sole_outline(humanoid.polygon(foot), log.sole_position[tick, foot], log.sole_rotation[tick, foot])
        axis.plot(sole[:, 0], sole[:, 2], color=colour, linewidth=3.0, zorder=3)
        _draw_force(axis, log.wrench[tick, foot] / humanoid.weight, sole.mean(axis=0), float(log.mu[tick, foot]), tall)
    for spine in axis.spines.values():
        spine.set_visible(False)
    axis.set(
        xticks=[],
        yticks=[],
        xlim=(left, right),
        ylim=(floor - 0.1 * tall, max(floor + 1.1 * tall, 0.1 * tall + float(lines[..., 2].max()))),
        aspect="equal",
    )
    end = "\nfell" if walk.world.fell and tick == log.length - 1 else ""
    axis.set_title(f"{log.time[tick]:.1f} s, {q[0]:.1f} m{end}", size=8.5)


def _draw_floor(axis: Any, walk: HumanoidWalk, y: float, ends: tuple[float, float], tall: float) -> float:
    """The floor from end to end along x at a y [m], in the colours of its friction; its height [m] in the middle."""
    x = np.linspace(*ends, SAMPLES)
    ground = [ground_under(walk.world.plant.around.terrain, float(place), y) for place in x]
    height, mu = np.array([point.height for point in ground]), np.array([point.mu for point in ground])
    for part in np.split(np.arange(SAMPLES), np.flatnonzero(np.diff(mu)) + 1):
        low, high = int(part[0]), min(int(part[-1]) + 2, SAMPLES)
        under = height[low:high] - 0.08 * tall
        axis.fill_between(x[low:high], under, height[low:high], color=floor_colour(float(mu[low])), linewidth=0.0)
    axis.plot(x, height, color=TRUTH, linewidth=0.6)
    return float(height[SAMPLES // 2])


def _draw_force(axis: Any, wrench: Array, place: Array, mu: float, tall: float) -> None:
    """Force [body weights] and moment on a sole as an arrow at its centre of pressure, in the cone of the true mu."""
    along, up = float(wrench[0]), float(wrench[2])
    if up < SHOWN:
        return
    share = float(np.hypot(*wrench[:2])) / (mu * up)
    x, floor, height = float(place[0]), float(place[2]), CONE * tall
    colour = COLOURS[int(share >= NEAR) + int(share >= AT)]
    sides = [x, x - mu * height, x + mu * height]
    axis.fill(sides, [floor, floor + height, floor + height], color=colour, alpha=0.4, linewidth=0.0)
    axis.plot([x, x + ARROW * tall * along], [floor, floor + ARROW * tall * up], color=TRUTH, linewidth=1.2, zorder=4)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Side views of walks at a few common times: one row per walk."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from biped_slip.contact.ground import GroundConfig
from biped_slip.reports.figures import FOOT_COLOURS, STYLE, TRUTH
from biped_slip.reports.floor import floor_height, patches
from biped_slip.reports.friction_cones import COLOURS, cone_legend
from biped_slip.reports.planar.figures import Walks
from biped_slip.reports.planar.frames import FLIGHT, Frames, walk_frames
from biped_slip.reports.walk_rows import WIDTH, legend_above
from biped_slip.simulation.planar.scenario import ScenarioConfig

PANELS = 6
HALF_WIDTH, HEAD_ROOM, DEPTH = 0.75, 1.15, 0.08  # [m] of a panel beside the hip, over the floor, under it


def filmstrip_figure(walks: Walks, scenario: ScenarioConfig) -> Any:
    """Robot, contact forces and friction cones at times spread over the longest walk."""
    longest = max((float(walk.log.time[-1]) for walk in walks.values() if walk.log.length), default=0.0)
    times = np.linspace(0.0, longest, PANELS + 1)[1:] - 0.25 * longest / PANELS
    with matplotlib.rc_context({**STYLE, "axes.grid": False}):
        figure = Figure(figsize=(WIDTH, 1.75 * max(1, len(walks)) + 0.5), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(max(1, len(walks)), PANELS, squeeze=False)
        for row, (name, walk) in zip(grid, walks.items(), strict=False):
            frames = walk_frames(walk, scenario, times)
            for i, axis in enumerate(row):
                for spine in axis.spines.values():
                    spine.set_visible(False)
                axis.set(xticks=[], yticks=[])
                if i < len(frames.time):
                    draw_frame(axis, frames, i, scenario.ground)
                elif i == len(frames.time):
                    end = "fell" if walk.summary.fell else "ended"
                    words = f"{end} at {walk.summary.end_time:.1f} s"
                    axis.text(0.5, 0.4, words, ha="center", transform=axis.transAxes)
            row[0].set_ylabel(name)
        legend_above(figure, cone_legend())
    return figure


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
            cone = np.vstack((sole, sole + frames.cones[i, foot]))
            axis.fill(cone[:, 0], cone[:, 1], color=COLOURS[nearness], alpha=0.4, linewidth=0.0)
            arrow = np.vstack((sole, sole + frames.arrows[i, foot]))
            axis.plot(arrow[:, 0], arrow[:, 1], color=TRUTH, linewidth=1.2, zorder=4)
            axis.plot(*arrow[1], "o", color=TRUTH, markersize=3.0, zorder=4)
        leg = np.vstack((hip, frames.knees[i, foot], sole))
        axis.plot(leg[:, 0], leg[:, 1], color=colour, linewidth=2.2, solid_joinstyle="round")
    axis.plot(*np.vstack((hip, frames.trunk[i])).T, color=TRUTH, linewidth=4.0, solid_capstyle="round")
    base = float(floor_height(ground, hip[0]))
    axis.set(xlim=(left, right), ylim=(base - DEPTH - HALF_WIDTH * abs(np.tan(ground.slope)), base + HEAD_ROOM))
    axis.set_aspect("equal")
    axis.set_title(f"{frames.time[i]:.1f} s, {hip[0]:.1f} m", size=8.5)

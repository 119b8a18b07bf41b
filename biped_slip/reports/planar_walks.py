# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of planar walks: where the feet are over time, and side views.

A side view shows the robot as points, contact forces as arrows and the cones in which
the floor's true friction holds them, cut off at landings.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Mapping, NamedTuple, Sequence

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import FEET, GRAVITY
from biped_slip.contact.ground import GroundConfig
from biped_slip.reports import figures
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figures import stick_figure
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import WalkResult
from biped_slip.simulation.stances import CONTACT_FORCE, StanceSlide

# [s] of two slides nearer than this only the longer one shows its length
LABEL_GAP = 0.5
Walks = Mapping[str, WalkResult]


def feet_figure(walks: Walks, ground: GroundConfig) -> Any:
    """Draw the feet over time, over the patches of the floor.

    Slides are shaded, with their length.
    """
    figure, axes = figures.stacked_axes(
        ["foot x [m]"] * len(walks), width=figures.FIGURE_WIDTH, row_height=2.6
    )
    for axis, (name, walk) in zip(axes, walks.items(), strict=True):
        axis.set_title(f"{figures.prevention(name)}; where the feet are", loc="left")
        draw_feet(axis, walk, ground)
    legend = [
        Line2D([], [], color=c, label=f"{foot} foot")
        for foot, c in zip(FEET, figures.FOOT_COLOURS, strict=True)
    ]
    figures.legend_above(figure, [*legend, figures.slide_swatch()])
    return figure


def draw_feet(axis: Any, walk: WalkResult, ground: GroundConfig) -> None:
    """Draw the feet of one walk on given axes; long slides show their length.

    Args:
        axis: drawn on.
        walk: log and summary.
        ground: floor of the scenario.
    """
    log = walk.log
    low, high = (
        (float(np.min(log.foot_x)), float(np.max(log.foot_x)))
        if log.length
        else (0.0, 1.0)
    )
    low = low - 0.5
    high = high + 0.5
    for patch in figures.patches(ground, low, high):
        axis.axhspan(
            patch.start, patch.end, color=patch.colour, alpha=0.55, linewidth=0.0
        )
        axis.text(
            0.005,
            patch.start,
            f"mu {patch.mu:g}",
            transform=axis.get_yaxis_transform(),
            va="bottom",
            size=8.0,
        )
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        axis.plot(*figures.thinned(log.time, log.foot_x[:, foot]), color=colour)
    figures.shade_slides(axis, walk.summary.slips)
    if walk.summary.fell:
        axis.annotate(
            "fell",
            (walk.summary.end_time, high),
            size=9.0,
            weight="bold",
            ha="right",
            va="top",
        )
    for slip in labelled(walk.summary.slips, figures.LONG_SLIDE):
        x = float(np.interp(slip.start, log.time, log.foot_x[:, FEET.index(slip.foot)]))
        place = (0.5 * (slip.start + slip.end), x)
        words = f"{1e3 * slip.distance:.0f} mm"
        axis.annotate(
            words, place, (0, -12), textcoords="offset points", ha="center", size=7.5
        )
    axis.set_ylim(low, high)


def labelled(slips: Sequence[StanceSlide], shortest: float) -> list[StanceSlide]:
    """Choose the slides that show their length.

    They are long enough, and there is no longer one close by.
    """
    chosen: list[StanceSlide] = []
    for slip in sorted(slips, key=lambda slip: -slip.distance):
        if slip.distance >= shortest and all(
            abs(slip.start - other.start) >= LABEL_GAP for other in chosen
        ):
            chosen.append(slip)
    return chosen


CONE_HEIGHT = 0.22  # [m] along the floor's normal
WEIGHT_LENGTH = 0.30  # [m] arrow of a force as large as the weight
LONGEST_ARROW = 0.45  # [m] where a landing's arrow ends
FLIGHT = -1


class BipedFrames(NamedTuple):
    """Frames of one walk, with places in the world [m].

    Feet are on the second axis: left, right.
    """

    time: Array  # (n,) [s]
    trunk: Array  # (n, 2)
    hip: Array  # (n, 2)
    knees: Array  # (n, 2, 2)
    soles: Array  # (n, 2, 2)
    arrows: Array  # (n, 2, 2) contact force as a length
    # (n, 2, 2, 2) upper corners of the cone of the true mu, relative to the sole
    cones: Array
    nearness: NDArray[np.int64]  # (n, 2) index into COLOURS, or FLIGHT


def walk_frames(
    walk: WalkResult, scenario: ScenarioConfig, times: Array
) -> BipedFrames:
    """Collect the frames at given times [s].

    Times after the end of the walk are left out.

    Args:
        walk: log and summary.
        scenario: of the walk.
        times: (n,) [s].
    """
    log = walk.log
    robot = planar_biped(scenario.variant)
    slope = scenario.ground.slope
    last = float(log.time[-1]) if log.length else -1.0
    index = np.searchsorted(log.time, times[times <= last])
    along = np.array([np.cos(slope), np.sin(slope)])
    up = np.array([-np.sin(slope), np.cos(slope)])
    force = log.tangential[index, :, None] * along + log.normal[index, :, None] * up
    arrows = force * (WEIGHT_LENGTH / (robot.mass * GRAVITY))
    length = np.linalg.norm(arrows, axis=2, keepdims=True)
    arrows = arrows * np.minimum(1.0, LONGEST_ARROW / np.maximum(length, LONGEST_ARROW))
    sides = (
        np.array([-1.0, 1.0])[None, None, :, None]
        * log.mu_true[index][:, :, None, None]
        * along
    )
    figure = stick_figure(robot, log.q[index])
    return BipedFrames(
        time=log.time[index],
        trunk=figure.trunk,
        hip=figure.hip,
        knees=figure.knees,
        soles=figure.soles,
        arrows=arrows,
        cones=CONE_HEIGHT * (up + sides),
        nearness=_nearness(log, walk, index),
    )


def _nearness(
    log: WalkLog, walk: WalkResult, index: NDArray[np.int64]
) -> NDArray[np.int64]:
    share = log.ratio[index] / np.maximum(log.mu_true[index], 1e-6)
    nearness = (share >= figures.NEAR_SHARE).astype(np.int64) + (share >= figures.AT)
    for slip in walk.summary.slips:
        during = (log.time[index] >= slip.start) & (log.time[index] <= slip.end)
        nearness[during, FEET.index(slip.foot)] = 2
    return np.where(log.normal[index] > CONTACT_FORCE, nearness, FLIGHT)


# [m] of a panel beside the hip, over the floor, under it
HALF_WIDTH = 0.75
HEAD_ROOM = 1.15
FLOOR_DEPTH = 0.08


def biped_filmstrip(walks: Walks, scenario: ScenarioConfig) -> Any:
    """Draw robot, contact forces and friction cones at several times.

    The times are spread over the longest walk.
    """
    longest = max(
        (float(walk.log.time[-1]) for walk in walks.values() if walk.log.length),
        default=0.0,
    )
    times = (
        np.linspace(0.0, longest, figures.PANELS + 1)[1:]
        - 0.25 * longest / figures.PANELS
    )
    for slip in (
        slip
        for walk in walks.values()
        for slip in walk.summary.slips
        if slip.distance >= figures.LONG_SLIDE
    ):
        # a slide near a picture is in it
        times[np.abs(times - slip.end).argmin()] = slip.end
    rows: dict[str, list[Callable[[Any], None]]] = {}
    for name, walk in walks.items():
        frames = walk_frames(walk, scenario, times)
        drawn: list[Any] = [
            partial(draw_biped, frames=frames, i=i, ground=scenario.ground)
            for i in range(len(frames.time))
        ]
        ended = [partial(_draw_end, walk=walk), *[lambda axis: None] * figures.PANELS]
        rows[name] = [*drawn, *ended][: figures.PANELS]
    return figures.film_strip(rows, 1.75, 0.5)


def _draw_end(axis: Any, walk: WalkResult) -> None:
    """Write on the first empty panel how the walk ended."""
    words = (
        f"{'fell' if walk.summary.fell else 'ended'} at {walk.summary.end_time:.1f} s"
    )
    axis.text(0.5, 0.4, words, ha="center", transform=axis.transAxes)


def draw_biped(axis: Any, frames: BipedFrames, i: int, ground: GroundConfig) -> None:
    """Draw the planar biped of one frame on given axes, centred on the hip.

    Args:
        axis: drawn on.
        frames: of the walk.
        i: number of the frame.
        ground: floor of the scenario.
    """
    hip = frames.hip[i]
    left = hip[0] - HALF_WIDTH
    right = hip[0] + HALF_WIDTH
    for patch in figures.patches(ground, left, right):
        x = np.array([patch.start, patch.end])
        surface = figures.floor_height(ground, x)
        axis.fill_between(
            x, surface - FLOOR_DEPTH, surface, color=patch.colour, linewidth=0.0
        )
        axis.plot(x, surface, color=figures.TRUTH, linewidth=0.6)
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        sole = frames.soles[i, foot]
        nearness = int(frames.nearness[i, foot])
        if nearness != FLIGHT:
            figures.draw_force(
                axis,
                sole,
                frames.arrows[i, foot],
                frames.cones[i, foot],
                figures.NEARNESS_COLOURS[nearness],
            )
            axis.plot(
                *(sole + frames.arrows[i, foot]),
                "o",
                color=figures.TRUTH,
                markersize=3.0,
                zorder=4,
            )
        leg = np.vstack((hip, frames.knees[i, foot], sole))
        axis.plot(
            leg[:, 0], leg[:, 1], color=colour, linewidth=2.2, solid_joinstyle="round"
        )
    axis.plot(
        *np.vstack((hip, frames.trunk[i])).T,
        color=figures.TRUTH,
        linewidth=4.0,
        solid_capstyle="round",
    )
    base = float(figures.floor_height(ground, hip[0]))
    axis.set(
        xlim=(left, right),
        ylim=(
            base - FLOOR_DEPTH - HALF_WIDTH * abs(np.tan(ground.slope)),
            base + HEAD_ROOM,
        ),
    )
    axis.set_aspect("equal")
    axis.set_title(f"{frames.time[i]:.1f} s, {hip[0]:.1f} m", size=8.5)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and pages of the planar biped's walks: curves, film strip, sentences."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import GroundConfig
from biped_slip.reports import figures
from biped_slip.reports.figures import WIDTH as WALK_ROWS_WIDTH
from biped_slip.reports.html import Picture, fall_pieces, stance_pieces, write_walk_page
from biped_slip.reports.stances import stance_rows
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figures import stick_figure
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import WalkLog, WalkResult
from biped_slip.simulation.walk import CONTACT_FORCE, FEET, Slip

# Curves of one or several walks over time: feet, speeds, force ratios, estimates; one row per walk or per foot.

LABELLED_SLIDE = 0.01  # [m] shorter slides are shaded without their length
FASTEST = 1.0  # [m/s] end of the axis of foot speeds
LABEL_GAP = 0.5  # [s] of two slides nearer than this only the longer one shows its length
Walks = Mapping[str, WalkResult]


def feet_figure(walks: Walks, ground: GroundConfig) -> Any:
    """Draw the feet over time, over the patches of the floor; slides shaded with their length."""
    figure, axes = figures.stacked_axes(["foot x [m]"] * len(walks), width=WALK_ROWS_WIDTH, row_height=2.6)
    for axis, (name, walk) in zip(axes, walks.items(), strict=True):
        axis.set_title(f"{figures.prevention(name)}; where the feet are", loc="left")
        draw_feet(axis, walk, ground)
    legend = [Line2D([], [], color=c, label=f"{foot} foot") for foot, c in zip(FEET, figures.FOOT_COLOURS, strict=True)]
    figures.legend_above(figure, [*legend, figures.slide_swatch()])
    return figure


def draw_feet(axis: Any, walk: WalkResult, ground: GroundConfig) -> None:
    """Draw the feet of one walk on given axes; long slides show their length."""
    log = walk.log
    low, high = (float(np.min(log.foot_x)), float(np.max(log.foot_x))) if log.length else (0.0, 1.0)
    low, high = low - 0.5, high + 0.5
    for patch in figures.patches(ground, low, high):
        axis.axhspan(patch.start, patch.end, color=patch.colour, alpha=0.55, linewidth=0.0)
        axis.text(0.005, patch.start, f"mu {patch.mu:g}", transform=axis.get_yaxis_transform(), va="bottom", size=8.0)
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        axis.plot(*figures.thinned(log.time, log.foot_x[:, foot]), color=colour)
    figures.shade_slides(axis, walk.summary.slips)
    if walk.summary.fell:
        axis.annotate("fell", (walk.summary.end_time, high), size=9.0, weight="bold", ha="right", va="top")
    for slip in labelled(walk.summary.slips, LABELLED_SLIDE):
        x = float(np.interp(slip.start, log.time, log.foot_x[:, FEET.index(slip.foot)]))
        place, words = (0.5 * (slip.start + slip.end), x), f"{1e3 * slip.distance:.0f} mm"
        axis.annotate(words, place, (0, -12), textcoords="offset points", ha="center", size=7.5)
    axis.set_ylim(low, high)


def labelled(slips: Sequence[Slip], shortest: float) -> list[Slip]:
    """Choose the slides that show their length: long enough, and no longer one close by."""
    chosen: list[Slip] = []
    for slip in sorted(slips, key=lambda slip: -slip.distance):
        if slip.distance >= shortest and all(abs(slip.start - other.start) >= LABEL_GAP for other in chosen):
            chosen.append(slip)
    return chosen


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
    """Collect the frames at given times [s]; times after the end of the walk are left out."""
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
        log.time[index], figure.trunk, figure.hip, figure.knees, figure.soles, arrows, CONE_HEIGHT * (up + sides),
        _nearness(log, walk, index),
    )  # fmt: skip


def _nearness(log: WalkLog, walk: WalkResult, index: NDArray[np.int64]) -> NDArray[np.int64]:
    share = log.ratio[index] / np.maximum(log.mu_true[index], 1e-6)
    nearness = (share >= figures.NEAR).astype(np.int64) + (share >= figures.AT)
    for slip in walk.summary.slips:
        during = (log.time[index] >= slip.start) & (log.time[index] <= slip.end)
        nearness[during, FEET.index(slip.foot)] = 2
    return np.where(log.normal[index] > CONTACT_FORCE, nearness, FLIGHT)


# Side views of walks at a few common times: one row per walk.

HALF_WIDTH, HEAD_ROOM, DEPTH = 0.75, 1.15, 0.08  # [m] of a panel beside the hip, over the floor, under it


def filmstrip_figure(walks: Walks, scenario: ScenarioConfig) -> Any:
    """Draw robot, contact forces and friction cones at times spread over the longest walk."""
    longest = max((float(walk.log.time[-1]) for walk in walks.values() if walk.log.length), default=0.0)
    times = np.linspace(0.0, longest, figures.PANELS + 1)[1:] - 0.25 * longest / figures.PANELS
    for slip in (slip for walk in walks.values() for slip in walk.summary.slips if slip.distance >= LABELLED_SLIDE):
        times[np.abs(times - slip.end).argmin()] = slip.end  # a slide near a picture is in it
    rows: dict[str, list[Callable[[Any], None]]] = {}
    for name, walk in walks.items():
        frames = walk_frames(walk, scenario, times)
        drawn: list[Any] = [
            partial(draw_frame, frames=frames, i=i, ground=scenario.ground) for i in range(len(frames.time))
        ]
        ended = [partial(_draw_end, walk=walk), *[lambda axis: None] * figures.PANELS]
        rows[name] = [*drawn, *ended][: figures.PANELS]
    return figures.film_strip(rows, 1.75, 0.5)


def _draw_end(axis: Any, walk: WalkResult) -> None:
    """Write on the first empty panel how the walk ended."""
    words = f"{'fell' if walk.summary.fell else 'ended'} at {walk.summary.end_time:.1f} s"
    axis.text(0.5, 0.4, words, ha="center", transform=axis.transAxes)


def draw_frame(axis: Any, frames: Frames, i: int, ground: GroundConfig) -> None:
    """Draw one frame on given axes, centred on the hip."""
    hip = frames.hip[i]
    left, right = hip[0] - HALF_WIDTH, hip[0] + HALF_WIDTH
    for patch in figures.patches(ground, left, right):
        x = np.array([patch.start, patch.end])
        surface = figures.floor_height(ground, x)
        axis.fill_between(x, surface - DEPTH, surface, color=patch.colour, linewidth=0.0)
        axis.plot(x, surface, color=figures.TRUTH, linewidth=0.6)
    for foot, colour in enumerate(figures.FOOT_COLOURS):
        sole, nearness = frames.soles[i, foot], int(frames.nearness[i, foot])
        if nearness != FLIGHT:
            figures.draw_force(axis, sole, frames.arrows[i, foot], frames.cones[i, foot], figures.COLOURS[nearness])
            axis.plot(*(sole + frames.arrows[i, foot]), "o", color=figures.TRUTH, markersize=3.0, zorder=4)
        leg = np.vstack((hip, frames.knees[i, foot], sole))
        axis.plot(leg[:, 0], leg[:, 1], color=colour, linewidth=2.2, solid_joinstyle="round")
    axis.plot(*np.vstack((hip, frames.trunk[i])).T, color=figures.TRUTH, linewidth=4.0, solid_capstyle="round")
    base = float(figures.floor_height(ground, hip[0]))
    axis.set(xlim=(left, right), ylim=(base - DEPTH - HALF_WIDTH * abs(np.tan(ground.slope)), base + HEAD_ROOM))
    axis.set_aspect("equal")
    axis.set_title(f"{frames.time[i]:.1f} s, {hip[0]:.1f} m", size=8.5)


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
    pieces = [*fall_pieces({name: (walk.log, walk.summary.fell) for name, walk in results.items()}), *scene]
    pieces += [stance_pieces(name, stance_rows(walk.log)) for name, walk in results.items()]
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    title = f"A walk over floors with mu = {floor}"
    return write_walk_page(directory, title, summaries, pieces, _pictures(results, scenario))


def _pictures(results: Mapping[str, WalkResult], scenario: ScenarioConfig) -> Iterator[Picture]:
    slides = {name: walk.summary.slips for name, walk in results.items()}
    yield Picture(
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. A foot holds while its force lies in the cone of the true mu.",
        filmstrip_figure(results, scenario),
    )
    yield Picture(
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )
    yield Picture(
        "ratio", "What the floor has to hold, and what is known of it", figures.RATIO_CAPTION,
        figures.ratio_figure({name: walk.log for name, walk in results.items()}, slides),
    )  # fmt: skip

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures and pages of walks, of the planar biped and of humanoids.

They show where feet stood, film strips and force ratios.
"""

from __future__ import annotations

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
from biped_slip.constants import FEET, GRAVITY
from biped_slip.contact.ground import GroundConfig, ground_under
from biped_slip.reports import figures
from biped_slip.reports.html import Picture, write_walk_page
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import SOLES
from biped_slip.robots.stick_figures import link_lines, sole_outline, stick_figure
from biped_slip.simulation.humanoid.summary import loaded_stances, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidTrack, HumanoidWalk
from biped_slip.simulation.planar.log import WalkLog
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.simulation.planar.walk import WalkResult
from biped_slip.simulation.stances import CONTACT_FORCE, StanceSlide

LONG_SLIDE = 0.01  # [m]; shorter ones are shaded without their length

# Curves of one or several walks over time: feet, speeds, force ratios, estimates; one
# row per walk or per foot.

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
    for slip in labelled(walk.summary.slips, LONG_SLIDE):
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


# Still pictures of a walk as points: the robot, its contact forces and their friction
# cones.

CONE_HEIGHT = 0.22  # [m] along the floor's normal
# [m] arrow of a force as large as the weight; a landing's arrow ends here
WEIGHT_LENGTH = 0.30
LONGEST_ARROW = 0.45
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


# Side views of walks at a few common times: one row per walk.

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
        if slip.distance >= LONG_SLIDE
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


# Humanoids' walks as pictures: footprints from above, and what the floor has to hold
# beside what is known of it.

SEEN_AROUND = 0.6  # [m] of floor beside the feet in the view from above
# share of the figure's width that axes take; [in] of a row seen from above
TO_SCALE = 0.92
HIGHEST_ROW = 3.5
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
    words = f"slid by more than {1e3 * LONG_SLIDE:.0f} mm"
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
            slid = slide > LONG_SLIDE
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


# Side views of humanoids' walks along their floor: links, contact forces and their
# friction cones.

FLOOR_SAMPLES = 240  # of the floor under a panel
SHOWN = 0.02  # body weights: the force of a sole with less is not drawn
# of the standing height: a force as large as the weight, and the cone's height
ARROW = 0.35
CONE = 0.25
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


# One page on one or several walks over the same floor: what came out, pictures, and the
# walk itself.


def write_walk_report(
    directory: Path,
    results: Mapping[str, WalkResult],
    scenario: ScenarioConfig,
    scene: Iterable[str] = (),
) -> Path:
    """Write the page of planar walks as ``index.html``.

    Its pictures lie beside it as PNG files.

    Args:
        directory: made when missing; files of an earlier report there are replaced.
        results: walks by the name of their slip prevention.
        scenario: the scenario of all of them.
        scene: pieces that show it in three dimensions.

    Returns:
        The page.
    """
    floor = " and ".join(f"{mu:g}" for mu in scenario.ground.mu)
    title = f"A walk over floors with mu = {floor}"
    return write_walk_page(
        directory, title, results, scene, _biped_pictures(results, scenario)
    )


def _biped_pictures(
    results: Mapping[str, WalkResult], scenario: ScenarioConfig
) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Black: contact forces, cut off at landings. A foot holds while its force "
        "lies in the cone of the true mu.",
        biped_filmstrip(results, scenario),
    )
    yield Picture(
        "feet",
        "Where the feet are",
        "Background: the floor's patches. A foot stands where its line is level; "
        "shaded are slides, with lengths.",
        feet_figure(results, scenario.ground),
    )


def write_humanoid_report(
    directory: Path, walks: HumanoidWalks, scene: Iterable[str] = ()
) -> Path:
    """Write the page of a humanoid's walks, with its pictures.

    The walks are given by the name of their slip prevention.

    Args:
        directory: made when missing.
        walks: by the name of their slip prevention.
        scene: pieces that show them in three dimensions.
    """
    results = {
        name: (walk.world.log, summarise_humanoid(walk)) for name, walk in walks.items()
    }
    config = next(iter(walks.values())).config
    floor = f"mu = {config.mu:g}" + (
        f" with a patch of {config.patch.mu:g}" if config.patch.length > 0.0 else ""
    )
    title = f"{Path(config.robot).stem} walks over {floor}"
    return write_walk_page(directory, title, results, scene, _humanoid_pictures(walks))


def _humanoid_pictures(walks: HumanoidWalks) -> Iterator[Picture]:
    yield Picture(
        "filmstrip",
        "Side views",
        "Lines: contact forces. Cones: where they hold on the true mu, coloured by "
        "their margin.",
        humanoid_filmstrip(walks),
    )
    yield Picture(
        "footprints",
        "Footprints",
        "Soles as they landed; outlined is where a sole went that slid by more than "
        f"{1e3 * LONG_SLIDE:.0f} mm.",
        footprint_figure(walks),
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks side by side as one moving picture (GIF).

It is drawn without a browser, for pages that run no program.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon
from scipy.spatial import ConvexHull

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError
from biped_slip.reports.figures import MUTED, SLIP, STYLE, floor_colour
from biped_slip.view.scene import (
    FEET_COLOURS,
    KNOWN_COLOURS,
    KNOWN_WORDS,
    PLATE,
    REMEMBERED,
    SHOWN_NUMBERS,
    WHOLE_WALK,
    Colour,
    FloorPiece,
    FootprintTrail,
    Scene,
    SceneInstant,
    SceneSource,
    ShownSpan,
    joint_frames,
    known,
    landing_streak,
    loaded,
    placed,
    rgb,
    rotation_matrix,
    slide_words,
    slides,
    streak,
)

if TYPE_CHECKING:
    from PIL.Image import Image

LARGEST_PICTURE = 1_000_000  # [bytes]: what pages may load at once
# [pixels] of a walk, of the line over it and the legend under it
PANEL = (380, 285)
TITLE_HEIGHT = 22
LEGEND_HEIGHT = 20
DOTS = 100.0  # [pixels per inch]
# [1/s] pictures; every second one to every fourth where all would be too large a file
PICTURE_RATE = 10.0
THINNEST = 4
PALETTE_SIZE = 48
HOLD = 1500  # [ms] that the last picture stays
# height of what is looked at, and of the whole picture, in robot's heights
MIDDLE = 0.45
SEEN = 1.2
# [m] between lines on the floor; of floor drawn before and behind the robot
TILE = 0.25
FLOOR_AROUND = 4.0
# share of its colour that a face in the shade, a floor, its lines keep
DARKEST = 0.45
SHADOW = 0.82
LINES = 0.93
INK = (40, 40, 40)
TRUE_CONE = (90, 90, 90)
PAPER = (250, 250, 248)
# of the robot's height; the arrow that of its weight
ARROW_LENGTH = 0.3
CONE_HEIGHT_SHARE = 0.1
LABEL = {"color": "white", "alpha": 0.7, "pad": 0.8}
LABELLED: dict[str, Any] = {"fontsize": 6.5, "zorder": 6.0, "ha": "center", "va": "top"}
MEANING = (*KNOWN_COLOURS, *FEET_COLOURS, rgb(SLIP), INK, PAPER)


def _unit(*direction: float) -> Array:
    return np.asarray(direction) / math.hypot(*direction)


# where light comes from, and from where one looks
TO_THE_LIGHT = _unit(0.3, -0.65, 0.7)
TO_THE_EYE = _unit(0.55, -1.7, 0.5)
TO_THE_RIGHT = _unit(*np.cross((0.0, 0.0, 1.0), TO_THE_EYE))
# (3, 2): from the world to right and up, without perspective
PICTURE = np.column_stack([TO_THE_RIGHT, np.cross(TO_THE_EYE, TO_THE_RIGHT)])


def moving_picture(
    sources: Sequence[SceneSource],
    span: ShownSpan = WHOLE_WALK,
    notes: Sequence[str] = (),
    largest: int = LARGEST_PICTURE,
) -> bytes:
    """Draw a GIF that repeats; a walk that is over keeps its last instant.

    Args:
        sources: of walks that have ended, beside each other.
        span: what is shown.
        notes: what happened in the end, one a walk, written where a walk ends before
            the others.
        largest: bytes.

    Raises:
        BipedSlipError: it can't be made so small, or nothing happens in that span.
    """
    end = min(span.end, max(float(source.times[-1]) for source in sources))
    if not span.begin < end:
        raise BipedSlipError(
            f"the picture would begin at {span.begin:g} s, but the walks end at "
            f"{end:g} s"
        )
    moments = np.arange(span.begin, end, span.speed / PICTURE_RATE).tolist()
    pictures = _pictures(sources, moments, [*notes, *[""] * len(sources)])
    data = b""
    for every in range(1, THINNEST + 1):
        data = _gif(pictures[::every], PICTURE_RATE / every)
        if len(data) <= largest:
            return data
    raise BipedSlipError(
        f"the picture takes {len(data)} bytes at {PICTURE_RATE / THINNEST:g} a second, "
        f"but may have {largest}"
    )


def _pictures(
    sources: Sequence[SceneSource], moments: Sequence[float], notes: Sequence[str]
) -> list[Image]:
    from PIL import Image

    wide = PANEL[0] * len(sources)
    high = TITLE_HEIGHT + PANEL[1] + LEGEND_HEIGHT
    with matplotlib.rc_context(STYLE):
        figure = Figure(
            figsize=(wide / DOTS, high / DOTS), dpi=DOTS, facecolor=_share(PAPER)
        )
        canvas = FigureCanvasAgg(figure)
        look = {
            "handlelength": 0.9,
            "handletextpad": 0.4,
            "columnspacing": 0.8,
            "borderpad": 0.2,
            "fontsize": 7.5,
        }
        handles = _legend([source.scene for source in sources])
        figure.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.0, -0.01),
            ncols=len(handles),
            **look,
        )
        panels = []
        for k, (source, note) in enumerate(zip(sources, notes, strict=False)):
            axes = figure.add_axes(
                (
                    k * PANEL[0] / wide,
                    LEGEND_HEIGHT / high,
                    PANEL[0] / wide,
                    PANEL[1] / high,
                )
            )
            panels.append(WalkPanel(axes, source, note))
            if k:
                figure.add_artist(
                    Line2D(
                        [k * PANEL[0] / wide] * 2,
                        [0.0, 1.0],
                        color=MUTED,
                        linewidth=0.8,
                    )
                )
        pictures = []
        for moment in moments:
            for panel in panels:
                panel.show(moment)
            canvas.draw()
            pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]))
    return pictures


class WalkPanel:
    """Axes of one walk; the robot stays in the middle."""

    def __init__(self, axes: Any, source: SceneSource, note: str = "") -> None:
        self._axes = axes
        self._source = source
        self._note = note
        self._trail = FootprintTrail(source.scene)
        self._reached = float(source.times[0])
        self._tall = 0.0

    def show(self, moment: float) -> None:
        """Draw a moment [s]; moments in order."""
        last = float(self._source.times[-1])
        for before in np.arange(
            self._reached + REMEMBERED, min(moment, last), REMEMBERED
        ):
            self._trail.add(self._at(float(before)))
            self._reached = float(before)
        over = self._note if moment > last else slide_words(slides(self._trail.prints))
        self._draw(self._at(moment))
        self._axes.set_title(
            f" {self._source.scene.name}", loc="left", fontsize=9.5, pad=5.0
        )
        self._axes.set_title(
            f"{over or f'{moment:.1f} s'} ",
            loc="right",
            fontsize=9.5,
            pad=5.0,
            color=SLIP if over else _share(INK),
        )

    def _at(self, moment: float) -> SceneInstant:
        times = self._source.times
        return self._source.instant(
            min(int(np.searchsorted(times, moment)), len(times) - 1)
        )

    def _draw(self, instant: SceneInstant) -> None:
        """Draw from back to front.

        The order is floor, shadow, footprints and soles, robot, forces in their cones.
        """
        axes = self._axes
        scene = self._source.scene
        triangles, colours = robot_triangles(scene, instant)
        if not self._tall:
            heights = triangles[..., 2]
            self._tall = float(np.ptp(heights)) if len(triangles) else scene.height
        at = _looked_at(instant)
        view = self._centre_on(at)
        fallen = (
            triangles - triangles[..., 2:] / TO_THE_LIGHT[2] * TO_THE_LIGHT
        ) @ PICTURE
        for piece in scene.floor:
            _floor(axes, piece, float(at[0]), fallen)
        self._draw_prints()
        self._draw_landings(instant, view)
        levels = [
            known(low, high)
            for low, high in zip(instant.numbers.low, instant.numbers.high, strict=True)
        ]
        feet = np.flatnonzero(loaded(scene, instant)).tolist()
        for foot in feet:
            colour = KNOWN_COLOURS[levels[foot]]
            _sole(axes, scene.soles[foot], instant.soles[foot], colour)
        _robot(axes, triangles, colours)
        for foot in feet:
            _force(axes, scene, instant, foot, KNOWN_COLOURS[levels[foot]])

    def _centre_on(self, at: Array) -> View:
        """Clear the axes, and centre them on the robot at a place (3,) [m]."""
        middle = np.array([at[0], at[1], MIDDLE * self._tall]) @ PICTURE
        half = 0.5 * SEEN * self._tall
        wide = half * PANEL[0] / PANEL[1]
        self._axes.clear()
        self._axes.set_axis_off()
        self._axes.set(
            xlim=(middle[0] - wide, middle[0] + wide),
            ylim=(middle[1] - half, middle[1] + half),
        )
        return View(float(middle[0]), wide)

    def _draw_prints(self) -> None:
        """Draw the footprints so far, and the streaks of those that slid."""
        for mark in slides(self._trail.prints):
            corners = streak(mark.landed, mark.before) @ PICTURE
            self._axes.add_patch(
                Polygon(corners, color=SLIP, linewidth=0.0, zorder=2.5)
            )
        for mark in self._trail.prints:
            corners = self._source.scene.soles[mark.foot]
            _sole(self._axes, corners, mark.pose, KNOWN_COLOURS[mark.known], 0.75)

    def _draw_landings(self, instant: SceneInstant, view: View) -> None:
        """Draw the slides of landings, the last ones with their answers in words."""
        count = len(instant.landings)
        colour = _share(KNOWN_COLOURS[2])
        for k, landing in enumerate(instant.landings):
            band = landing_streak(self._source.scene, landing) @ PICTURE
            self._axes.add_patch(Polygon(band, color=colour, linewidth=0.0, zorder=2.6))
            inside = abs(band[1, 0] - view.middle) < 0.9 * view.half_width
            if k >= count - SHOWN_NUMBERS and inside:
                newest = k == count - 1
                self._axes.annotate(
                    landing.words if newest else landing.words.split()[0],
                    band[1],
                    (0, -4),
                    textcoords="offset points",
                    bbox=LABEL,
                    **LABELLED,
                )


class View(NamedTuple):
    """What a panel shows of the picture along x."""

    middle: float  # [m]
    half_width: float  # [m]


def _looked_at(instant: SceneInstant) -> Array:
    """Return the centre of mass (3,), or the soles' middle where it is unknown."""
    if np.all(np.isfinite(instant.centre)):
        return instant.centre
    return np.asarray(np.nan_to_num(instant.soles[:, :3]).mean(axis=0))


def _force(
    axes: Any, scene: Scene, instant: SceneInstant, foot: int, colour: Colour
) -> None:
    """Draw a foot's force as an arrow in the cones of true and certified friction."""
    place = instant.pressure[foot]
    turn = rotation_matrix(instant.soles[foot, 3:])
    height = CONE_HEIGHT_SHARE * scene.height
    numbers = instant.numbers
    _cone(axes, place, turn, float(numbers.mu[foot]), height, TRUE_CONE, 0.16)
    _cone(axes, place, turn, float(numbers.low[foot]), height, colour, 0.5)
    end = place + ARROW_LENGTH * scene.height / scene.weight * instant.forces[foot]
    axes.annotate(
        "",
        end @ PICTURE,
        place @ PICTURE,
        arrowprops={
            "arrowstyle": "-|>",
            "color": _share(FEET_COLOURS[foot % 2]),
            "linewidth": 1.8,
            "shrinkA": 0.0,
            "shrinkB": 0.0,
        },
        zorder=5.0,
    )


def robot_triangles(scene: Scene, instant: SceneInstant) -> tuple[Array, Array]:
    """Compute every face of the robot: corners (n, 3, 3) and colours (n, 3).

    The corners are in the world.
    """
    places, turns = joint_frames(scene, instant)
    corners = [
        (s.vertices @ turns[s.joint].T + places[s.joint])[s.faces] for s in scene.shapes
    ]
    colours = [
        np.tile(np.array(s.colour, dtype=float), (len(s.faces), 1))
        for s in scene.shapes
    ]
    return np.concatenate([np.empty((0, 3, 3)), *corners]), np.concatenate(
        [np.empty((0, 3)), *colours]
    )


def _share(colour: Sequence[float]) -> tuple[float, ...]:
    return tuple(part / 255.0 for part in colour)


def _floor(axes: Any, piece: FloorPiece, x: float, fallen: Any) -> None:
    """Draw a piece of floor near x with lines across and along it.

    A shadow (n, 3, 2) is drawn where it falls on the piece.
    """
    a, b, c, d = piece.corners
    start = max(float(a[0]), x - FLOOR_AROUND)
    end = min(float(b[0]), x + FLOOR_AROUND)
    if start >= end:
        return
    colour = np.array(
        _share(PLATE if math.isnan(piece.mu) else rgb(floor_colour(piece.mu)))
    )

    def at(where: float, share: float) -> Array:
        along = (where - a[0]) / (b[0] - a[0])
        return np.asarray(
            ((1.0 - share) * (a + along * (b - a)) + share * (d + along * (c - d)))
            @ PICTURE
        )

    surface = Polygon(
        [at(start, 0.0), at(end, 0.0), at(end, 1.0), at(start, 1.0)],
        color=colour,
        linewidth=0.0,
    )
    axes.add_patch(surface)
    across = np.arange(math.ceil(start / TILE) * TILE, end, TILE)
    along = np.linspace(0.0, 1.0, round(float(np.linalg.norm(d - a)) / TILE) + 1)
    lines = [(at(w, 0.0), at(w, 1.0)) for w in across] + [
        (at(start, share), at(end, share)) for share in along
    ]
    axes.add_collection(
        LineCollection(lines, colors=[LINES * colour], linewidths=0.7), autolim=False
    )
    shadow = PolyCollection(
        fallen,
        facecolors=[SHADOW * colour],
        edgecolors="face",
        linewidths=0.3,
        zorder=1.5,
    )
    axes.add_collection(shadow, autolim=False)
    shadow.set_clip_path(surface)


def _sole(
    axes: Any, corners: Array, pose: Array, colour: Colour, cover: float = 1.0
) -> None:
    if len(corners) > 2:
        outline = placed(corners, pose) @ PICTURE
        axes.add_patch(
            Polygon(outline, color=(*_share(colour), cover), linewidth=0.0, zorder=2.0)
        )


def _robot(axes: Any, triangles: Array, colours: Array) -> None:
    """Draw faces that look to the eye, the far ones first.

    They are brighter the more they face the light.
    """
    normals = np.cross(
        triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    light = DARKEST + (1.0 - DARKEST) * np.clip(normals @ TO_THE_LIGHT, 0.0, 1.0)
    order = np.argsort(triangles.mean(axis=1) @ TO_THE_EYE)
    order = order[(normals @ TO_THE_EYE)[order] > 0.0]
    shaded = np.clip(colours * light[:, None] / 255.0, 0.0, 1.0)[order]
    corners: Any = triangles[order] @ PICTURE
    faces = PolyCollection(
        corners, facecolors=shaded, edgecolors="face", linewidths=0.2, zorder=3.0
    )
    axes.add_collection(faces, autolim=False)


def _cone(
    axes: Any,
    apex: Array,
    turn: Array,
    mu: float,
    height: float,
    colour: Colour,
    cover: float,
) -> None:
    """Draw a friction cone: an upright cone, open upwards, in which forces hold."""
    if not (math.isfinite(mu) and mu > 0.0):
        return
    angles = np.linspace(0.0, 2.0 * math.pi, 41)
    rim = (
        apex
        + height
        * np.column_stack([mu * np.cos(angles), mu * np.sin(angles), np.ones(41)])
        @ turn.T
    )
    points = np.vstack([rim, apex]) @ PICTURE
    outline = points[ConvexHull(points).vertices]
    axes.add_patch(
        Polygon(outline, color=(*_share(colour), cover), linewidth=0.0, zorder=4.0)
    )
    axes.plot(*(rim @ PICTURE).T, color=_share(colour), linewidth=0.8, zorder=4.0)


def _legend(scenes: Sequence[Scene]) -> list[Patch]:
    """Draw the legend: colours of what is certified, and of the floors."""
    floors = sorted(
        {
            piece.mu
            for scene in scenes
            for piece in scene.floor
            if math.isfinite(piece.mu)
        },
        reverse=True,
    )
    levels = [
        Patch(color=_share(c), label=words)
        for words, c in zip(KNOWN_WORDS, KNOWN_COLOURS, strict=True)
    ]
    title = Patch(color="none", label="certified under the sole:")
    return [
        title,
        *levels,
        *(Patch(color=floor_colour(mu), label=f"mu {mu:g}") for mu in floors),
    ]


def _gif(pictures: Sequence[Image], rate: float) -> bytes:
    """Encode frames in one palette.

    It has the colours that mean something, and the most frequent of some pictures.
    """
    from PIL import Image

    wide, high = pictures[0].size
    some = Image.new("RGB", (wide, 3 * high))
    for k, picture in enumerate(
        (pictures[0], pictures[len(pictures) // 2], pictures[-1])
    ):
        some.paste(picture, (0, k * high))
    found = some.quantize(PALETTE_SIZE - len(MEANING)).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette(
        [
            *(part for colour in MEANING for part in colour),
            *found[: 3 * (PALETTE_SIZE - len(MEANING))],
        ]
    )
    frames = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in pictures
    ]
    lengths = [round(1000.0 / rate)] * (len(frames) - 1) + [HOLD]
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=lengths,
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()

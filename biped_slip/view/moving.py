# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walks side by side as one moving picture (GIF), painted without a browser."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import floor_colour
from biped_slip.view.scene import (
    FEET_COLOURS,
    KNOWN_COLOURS,
    PLATE,
    Colour,
    FloorPiece,
    FootprintTrail,
    Instant,
    Scene,
    known,
    loaded,
    rgb,
)

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont
import io
from typing import TYPE_CHECKING, Callable

from biped_slip.errors import BipedSlipError
from biped_slip.reports.figures import SLIP
from biped_slip.view.scene import KNOWN_WORDS, Source

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


# From places in the world to places in a picture.

NEAREST = 0.05  # [m] before the eye: what is nearer is cut off


class Camera(NamedTuple):
    """A pinhole that looks at a place; the world's z is up."""

    eye: Array  # (3,) world [m]
    turn: Array  # (3, 3) rows: right, down, forward in the world
    focal: float  # [pixels]
    middle: tuple[float, float]  # [pixels] where it looks

    def seen(self, points: Array) -> Array:
        """Right, down and forward [m] of points (..., 3)."""
        return np.asarray((points - self.eye) @ self.turn.T)

    def pixels(self, seen: Array) -> Array:
        """Pixels (..., 2) of what is seen (..., 3) before the eye."""
        return np.asarray(self.focal * seen[..., :2] / seen[..., 2:] + np.array(self.middle))


def camera(eye: Array, at: Array, size: tuple[int, int], wide: float) -> Camera:
    """A camera whose picture is so wide.

    Args:
        eye: (3,) where it stands [m].
        at: (3,) what is in the middle [m].
        size: of the picture, width and height [pixels].
        wide: what the picture's width covers at that place [m].
    """
    forward = np.asarray(at, dtype=float) - eye
    distance = float(np.linalg.norm(forward))
    forward /= distance
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    turn = np.array([right, np.cross(forward, right), forward])
    return Camera(np.asarray(eye, dtype=float), turn, size[0] * distance / wide, (0.5 * size[0], 0.5 * size[1]))


def before_the_eye(seen: Array) -> Array:
    """A polygon (n, 3) as it is seen, without what is behind the eye: (k, 3), k may be 0."""
    kept = []
    for a, b in zip(seen, np.roll(seen, -1, axis=0), strict=True):
        if a[2] >= NEAREST:
            kept.append(a)
        if (a[2] >= NEAREST) != (b[2] >= NEAREST):
            kept.append(a + (NEAREST - a[2]) / (b[2] - a[2]) * (b - a))
    return np.array(kept).reshape(-1, 3)


# Instants of a scene as pictures, painted from back to front without a browser.

FINE = 3  # painted so many times larger than shown, against stairs
EYE = np.array([0.55, -1.7, 0.55])  # from the robot's middle, in its heights
MIDDLE = 0.45  # height of what is looked at, in robot's heights
SEEN = 1.2  # of the robot's height, from bottom to top of the picture
LIGHT = np.array([0.3, -0.65, 0.7]) / math.sqrt(0.09 + 0.4225 + 0.49)
DARKEST, SHADOW = 0.45, 0.82  # share of its colour that a face in the shade keeps, and the floor in the robot's shadow
TILE = 0.25  # [m] between lines on the floor
AROUND = 3.0  # [m] of floor drawn before and behind the robot
BACKGROUND, INK, PAPER_LINE = (250, 250, 248), (40, 40, 40), 0.93
ARROW_SHARE, CONE_SHARE = 0.3, 0.16  # of the robot's height; the arrow that of its weight
CONE_CORNERS = 40


class Brush(NamedTuple):
    """A picture while it is painted."""

    draw: Any  # PIL's
    eye: Camera

    def polygon(self, corners: Array, colour: tuple[int, ...]) -> None:
        """A flat polygon (n, 3) of the world; a fourth number of its colour lets see through."""
        seen = before_the_eye(self.eye.seen(corners))
        if len(seen) > 2:
            self.draw.polygon(_flat(self.eye.pixels(seen)), fill=colour)

    def line(self, ends: Array, colour: tuple[int, ...], wide: float) -> None:
        """A line through places (n, 3) before the eye, so many pixels wide."""
        self.draw.line(_flat(self.eye.pixels(self.eye.seen(ends))), fill=colour, width=max(round(wide * FINE), 1))


class StillPainter:
    """Paints instants of one scene, in order; the robot stays in the middle.

    Args:
        scene: what is there.
        size: of each picture, width and height [pixels].
    """

    def __init__(self, scene: Scene, size: tuple[int, int]) -> None:
        self._scene, self._size, self._trail = scene, size, FootprintTrail(scene)
        self._tall = 0.0

    def remember(self, instant: Instant) -> None:
        """Take note of footprints; instants in order."""
        self._trail.add(instant)

    def paint(self, instant: Instant) -> Image:
        """The picture of an instant."""
        from PIL import Image, ImageDraw

        scene, large = self._scene, (FINE * self._size[0], FINE * self._size[1])
        triangles, colours = robot_triangles(scene, instant)
        self._tall = self._tall or _tall(scene, triangles)
        middle = _middle(instant)
        at = np.array([middle[0], middle[1], MIDDLE * self._tall])
        picture = Image.new("RGB", large, BACKGROUND)
        eye = camera(at + EYE * self._tall, at, large, SEEN * self._tall * large[0] / large[1])
        brush = Brush(ImageDraw.Draw(picture, "RGBA"), eye)
        for piece in scene.floor:
            _floor(brush, piece, float(at[0]))
        self._marks(brush, instant)
        _shadow(picture, eye, triangles)
        _robot(brush, triangles, colours)
        _forces(brush, scene, instant)
        return picture.resize(self._size, Image.Resampling.BOX)

    def _marks(self, brush: Brush, instant: Instant) -> None:
        """Footprints, and soles of loaded feet, coloured by what is certified."""
        for mark in self._trail.prints:
            _sole(brush, self._scene.soles[mark.foot], mark.pose, (*KNOWN_COLOURS[mark.known], 190))
        carries, numbers = loaded(self._scene, instant), instant.numbers
        for foot, pose in enumerate(instant.soles):
            if carries[foot]:
                colour = KNOWN_COLOURS[known(float(numbers.low[foot]), float(numbers.high[foot]))]
                _sole(brush, self._scene.soles[foot], pose, colour)


def robot_triangles(scene: Scene, instant: Instant) -> tuple[Array, Array]:
    """Every face of the robot: corners (n, 3, 3) in the world, and colours (n, 3)."""
    turns: list[Array] = []
    places: list[Array] = []
    for parent, place in zip(scene.parents, instant.places, strict=True):
        turn, moved = rotation(place[3:]), place[:3]
        if parent >= 0:
            moved, turn = places[parent] + turns[parent] @ moved, turns[parent] @ turn
        turns.append(turn)
        places.append(np.asarray(moved))
    corners = [(s.vertices @ turns[s.joint].T + places[s.joint])[s.faces] for s in scene.shapes]
    colours = [np.tile(np.array(s.colour, dtype=float), (len(s.faces), 1)) for s in scene.shapes]
    if not corners:
        return np.empty((0, 3, 3)), np.empty((0, 3))
    return np.concatenate(corners), np.concatenate(colours)


def rotation(quaternion: Array) -> Array:
    """Matrix (3, 3) of a unit quaternion w, x, y, z."""
    w, x, y, z = quaternion
    return np.array([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])  # fmt: skip


def _middle(instant: Instant) -> Array:
    """What the picture follows: the centre of mass, or the feet where nobody knows it."""
    return instant.centre if np.all(np.isfinite(instant.centre)) else np.nan_to_num(instant.soles[:, :3]).mean(axis=0)


def _tall(scene: Scene, triangles: Array) -> float:
    """Height [m] of the robot as it stands; the scene's where nothing of it is drawn."""
    return float(np.ptp(triangles[..., 2])) if len(triangles) else scene.height


def _flat(points: Array) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in points]


def _floor(brush: Brush, piece: FloorPiece, x: float) -> None:
    """A piece of floor with lines across and along it."""
    start, end = max(float(piece.corners[0, 0]), x - AROUND), min(float(piece.corners[1, 0]), x + AROUND)
    if start >= end:
        return
    colour = PLATE if math.isnan(piece.mu) else rgb(floor_colour(piece.mu))
    (a, b, c, d), lines = piece.corners, tuple(round(PAPER_LINE * part) for part in colour)

    def at(where: float, share: float) -> Array:
        along = (where - a[0]) / (b[0] - a[0])
        return np.asarray((1.0 - share) * (a + along * (b - a)) + share * (d + along * (c - d)))

    brush.polygon(np.array([at(start, 0.0), at(end, 0.0), at(end, 1.0), at(start, 1.0)]), colour)
    for where in np.arange(math.ceil(start / TILE) * TILE, end, TILE):
        brush.line(np.array([at(where, 0.0), at(where, 1.0)]), lines, 1.0)
    across = round(float(np.linalg.norm(d - a)) / TILE)
    for k in range(across + 1):
        brush.line(np.array([at(start, k / across), at(end, k / across)]), lines, 1.0)


def _sole(brush: Brush, corners: Array, pose: Array, colour: tuple[int, ...]) -> None:
    if len(corners) > 2:
        brush.polygon(corners @ rotation(pose[3:]).T + pose[:3], colour)


def _shadow(picture: Image, eye: Camera, triangles: Array) -> None:
    """Darken the level floor where the light does not reach it."""
    from PIL import Image, ImageChops, ImageDraw

    lit = Image.new("L", picture.size, 255)
    draw = ImageDraw.Draw(lit)
    fallen = triangles - triangles[..., 2:] / LIGHT[2] * LIGHT
    for corners in eye.pixels(eye.seen(fallen)):
        draw.polygon(_flat(corners), fill=round(255 * SHADOW))
    picture.paste(ImageChops.multiply(picture, Image.merge("RGB", (lit, lit, lit))))


def _robot(brush: Brush, triangles: Array, colours: Array) -> None:
    """Faces that look to the eye, the far ones first, brighter the more they face the light."""
    seen = brush.eye.seen(triangles)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    front = np.einsum("ij,ij->i", normals, triangles.mean(axis=1) - brush.eye.eye) < 0.0
    light = DARKEST + (1.0 - DARKEST) * np.clip(normals @ LIGHT, 0.0, 1.0)
    shaded = np.clip(colours * light[:, None], 0.0, 255.0).astype(int)
    pixels = brush.eye.pixels(seen)
    for k in np.argsort(-seen[:, :, 2].mean(axis=1)):
        if front[k]:
            brush.draw.polygon(_flat(pixels[k]), fill=tuple(shaded[k]))


def _forces(brush: Brush, scene: Scene, instant: Instant) -> None:
    """At each loaded foot the cone of what is certified, the true one's rim, and the force of the ground."""
    carries, numbers = loaded(scene, instant), instant.numbers
    for foot in np.flatnonzero(carries):
        place, turn = instant.pressure[foot], rotation(instant.soles[foot, 3:])
        level = known(float(numbers.low[foot]), float(numbers.high[foot]))
        _cone(brush, place, turn, float(numbers.mu[foot]), CONE_SHARE * scene.height, (90, 90, 90), 40)
        _cone(brush, place, turn, float(numbers.low[foot]), CONE_SHARE * scene.height, KNOWN_COLOURS[level], 130)
        end = place + ARROW_SHARE * scene.height / scene.weight * instant.forces[foot]
        _arrow(brush, place, end, FEET_COLOURS[foot % 2])


def _cone(brush: Brush, apex: Array, turn: Array, mu: float, height: float, colour: Colour, cover: int) -> None:
    """Forces inside it hold on a floor of this friction: an upright cone that opens upwards."""
    if not (math.isfinite(mu) and mu > 0.0):
        return
    angles = np.linspace(0.0, 2.0 * math.pi, CONE_CORNERS, endpoint=False)
    rim = apex + (height * np.stack([mu * np.cos(angles), mu * np.sin(angles), np.ones(CONE_CORNERS)], axis=1)) @ turn.T
    outline = _hull(brush.eye.pixels(brush.eye.seen(np.vstack([rim, apex]))))
    brush.draw.polygon(outline, fill=(*colour, cover))
    brush.line(np.vstack([rim, rim[:1]]), (*colour, 220), 1.0)


def _hull(points: Array) -> list[tuple[float, float]]:
    """Corners of the convex hull of points (n, 2)."""

    def half(ordered: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for x, y in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    ordered = sorted(_flat(points))
    return half(ordered) + half(ordered[::-1])


def _arrow(brush: Brush, start: Array, end: Array, colour: Colour) -> None:
    a, b = brush.eye.pixels(brush.eye.seen(np.array([start, end])))
    along = b - a
    length = float(np.linalg.norm(along))
    if length < 1.0:
        return
    along, head = along / length, min(8.0 * FINE, 0.6 * length)
    aside = 0.45 * head * np.array([-along[1], along[0]])
    neck = b - head * along
    brush.draw.line([tuple(a), tuple(neck)], fill=colour, width=2 * FINE)
    brush.draw.polygon(_flat(np.array([b, neck + aside, neck - aside])), fill=colour)


def font(size: float) -> FreeTypeFont:
    """The letters of all figures, so many pixels high."""
    from matplotlib import font_manager
    from PIL import ImageFont

    return ImageFont.truetype(font_manager.findfont("DejaVu Sans"), size)


# Walks side by side as one moving picture (GIF), for pages that run no program.

LARGEST = 1_000_000  # [bytes]: what pages may load at once
PANEL = (380, 285)  # [pixels] of a walk
HEAD, FOOT, LETTERS = 22, 20, 13.0  # [pixels]
RATE, THINNEST = 10.0, 4  # [1/s] pictures; every second one to every fourth where all would be too large a file
COLOURS = 48
MEANING = (*KNOWN_COLOURS, *FEET_COLOURS, rgb(SLIP), INK, BACKGROUND)
HOLD = 1.5  # [s] that the last picture stays
REMEMBERED = 0.05  # [s] between instants that are looked at for footprints


class Span(NamedTuple):
    """What is shown of walks, and how fast."""

    begin: float = 0.0  # [s]
    end: float = float("inf")  # [s]
    speed: float = 1.0  # seconds of the walk in one second


WHOLE = Span()


def moving_picture(sources: Sequence[Source], span: Span = WHOLE, notes: Sequence[str] = (),
                   largest: int = LARGEST) -> bytes:  # fmt: skip
    """A GIF that repeats; a walk that is over keeps its last instant.

    Args:
        sources: of walks that have ended, beside each other.
        span: what is shown.
        notes: what happened in the end, one a walk, written where a walk ends before the others.
        largest: bytes.

    Raises:
        BipedSlipError: it can't be made so small, or nothing happens in that span.
    """
    end = min(span.end, max(float(source.times[-1]) for source in sources))
    if not span.begin < end:
        raise BipedSlipError(f"the picture would begin at {span.begin:g} s, but the walks end at {end:g} s")
    moments = np.arange(span.begin, end, span.speed / RATE).tolist()
    pictures, data = _pictures(sources, moments, [*notes, *[""] * len(sources)]), b""
    for every in range(1, THINNEST + 1):
        data = _gif(pictures[::every], RATE / every)
        if len(data) <= largest:
            return data
    raise BipedSlipError(f"the picture takes {len(data)} bytes at {RATE / THINNEST:g} a second, but may have {largest}")


def _pictures(sources: Sequence[Source], moments: Sequence[float], notes: Sequence[str]) -> list[Image]:
    from PIL import Image, ImageDraw

    size = (PANEL[0] * len(sources), HEAD + PANEL[1] + FOOT)
    painters = [StillPainter(source.scene, PANEL) for source in sources]
    show = [_shower(source, painter) for source, painter in zip(sources, painters, strict=True)]
    pictures = []
    for moment in moments:
        picture = Image.new("RGB", size, BACKGROUND)
        draw = ImageDraw.Draw(picture)
        for k, source in enumerate(sources):
            picture.paste(show[k](float(moment)), (k * PANEL[0], HEAD))
            over = notes[k] if moment > source.times[-1] else ""
            draw.text((k * PANEL[0] + 8, 4), source.scene.name, INK, font(LETTERS))
            draw.text(((k + 1) * PANEL[0] - 8, 4), over or f"{moment:.1f} s", rgb(SLIP) if over else INK,
                      font(LETTERS), "ra")  # fmt: skip
        _legend(draw, [source.scene for source in sources], size[1] - FOOT + 3)
        pictures.append(picture)
    return pictures


def _shower(source: Source, painter: StillPainter) -> Callable[[float], Image]:
    """What paints a source at a moment; moments in order."""
    times, reached = source.times, float(source.times[0])
    last: tuple[int, Image] | None = None

    def index(moment: float) -> int:
        return min(int(np.searchsorted(times, moment)), len(times) - 1)

    def show(moment: float) -> Image:
        nonlocal reached, last
        for before in np.arange(reached + REMEMBERED, min(moment, float(times[-1])), REMEMBERED):
            painter.remember(source.instant(index(float(before))))
            reached = float(before)
        now = index(moment)
        if last is None or last[0] != now:
            last = now, painter.paint(source.instant(now))
        return last[1]

    return show


def _legend(draw: ImageDraw, scenes: Sequence[Scene], y: float) -> None:
    """Colours of what is certified, and of the floors."""
    floors = sorted({piece.mu for scene in scenes for piece in scene.floor if math.isfinite(piece.mu)}, reverse=True)
    known = [("certified under the sole:", None), *zip(KNOWN_WORDS, KNOWN_COLOURS, strict=True)]
    x, letters = 8.0, font(LETTERS - 2.0)
    for words, colour in (*known, *((f"mu {mu:g}", rgb(floor_colour(mu))) for mu in floors)):
        if colour is not None:
            draw.rectangle((x, y + 2, x + 9, y + 11), fill=colour)
            x += 13.0
        draw.text((x, y), words, INK, letters)
        x += draw.textlength(words, letters) + 12.0


def _gif(pictures: Sequence[Image], rate: float) -> bytes:
    """Frames in one palette: the colours that mean something, and the most of some pictures."""
    from PIL import Image

    wide, high = pictures[0].size
    some = Image.new("RGB", (wide, 3 * high))
    for k, picture in enumerate((pictures[0], pictures[len(pictures) // 2], pictures[-1])):
        some.paste(picture, (0, k * high))
    found = some.quantize(COLOURS - len(MEANING)).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*(part for colour in MEANING for part in colour), *found[: 3 * (COLOURS - len(MEANING))]])
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    lengths = [round(1000.0 / rate)] * (len(frames) - 1) + [round(1000.0 * HOLD)]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=lengths, loop=0, optimize=True)
    return buffer.getvalue()

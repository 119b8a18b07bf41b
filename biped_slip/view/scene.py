# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A scene: what never changes of a picture in three dimensions, and its instants.

A scene has the robot's shapes, joints and soles and the pieces of its floor; an instant
has poses, forces, pressure, friction numbers, footprints and landings. A source makes
both: of a walk's log, a recording or live topics. What draws them (``stage.py`` in a
browser, ``moving.py`` as a GIF) knows no source.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from biped_slip.compile.arrays import Array
from biped_slip.reports.figures import FOOT_COLOURS
from biped_slip.reports.stances import answer_words
from biped_slip.simulation.log import Log

Colour = tuple[int, int, int]  # red, green, blue, 0 to 255
GROUNDED_SHARE = 0.02  # body weights; a foot with less is in the air (choice)
# body weights, [s]; a foot with less, or that touched down since, isn't judged (choice)
STANDS = 0.05
JUST_LANDED = 0.05
MARKED_SLIDE = 0.01  # [m] of a slide that is marked
WAY_ASIDE = 0.7  # [m] of floor beside the way
# [m] half the size of the square that stands for a foot of one point
POINT_HALF_SIZE = 0.03


class Shape(NamedTuple):
    """Rigid piece of a robot."""

    joint: int  # that carries it, an index into ``Scene.joints``
    vertices: NDArray[np.float32]  # (n, 3) in the joint's frame [m]
    faces: NDArray[np.uint32]  # (m, 3)
    colour: Colour


class FloorPiece(NamedTuple):
    """A flat piece of floor, or a force plate."""

    corners: Array  # (4, 3) world [m], counter-clockwise from above
    mu: float  # NaN where unknown
    name: str = ""


class Scene(NamedTuple):
    """Scene: the constant parts of a view."""

    name: str
    joints: tuple[str, ...]  # by name; the first is the base
    parents: tuple[int, ...]  # of each joint; -1 is the world
    shapes: tuple[Shape, ...]
    # (k, 3) corners of each sole in its own frame [m]; (0, 3) where no sole is known
    soles: tuple[Array, ...]
    floor: tuple[FloorPiece, ...]
    weight: float  # [N]
    height: float  # [m] of the robot or person, for the size of cones and arrows
    aside: float = WAY_ASIDE  # [m] that it needs to either side of its way


class FootNumbers(NamedTuple):
    """Friction of each foot's floor; NaN is unknown.

    The shape is (feet,) of an instant, (n, feet) over time.
    """

    ratio: Array  # |tangential| over normal force
    limit: Array  # that the controller keeps to; infinite without one
    low: Array  # certified lower bound of mu
    # certified upper bound of mu, where the interval is narrow enough to act upon
    high: Array
    mu: Array  # true; only a simulation knows it


class Landing(NamedTuple):
    """Landing that measured the friction of its floor."""

    foot: int
    place: Array  # (3,) where the sole came to rest, world [m]
    way: Array  # (3,) that it slid from touchdown on [m]
    words: str  # mu and its interval


class SceneInstant(NamedTuple):
    """Instant of a scene.

    Places are in the world [m], rotations are quaternions w, x, y, z.
    """

    time: float  # [s]
    places: Array  # (joints, 7) of each joint in its parent: x, y, z and a quaternion
    soles: Array  # (feet, 7) poses
    forces: Array  # (feet, 3) of the ground on the foot [N]
    pressure: Array  # (feet, 3) where these act
    numbers: FootNumbers
    centre: Array  # (3,) centre of mass; NaN where unknown
    zmp: Array  # (3,) zero moment point
    # (k, 3) of the next steps: x, y, yaw; the first is that of ``swing``
    footholds: Array
    swing: int = 0  # foot that moves next
    landings: Sequence[Landing] = ()  # so far, in the order of time


class SceneSource(Protocol):
    """Source of instants; more of them may come while they are shown."""

    scene: Scene

    @property
    def times(self) -> Array:
        """Return the times (n,) of all instants so far [s], rising."""
        ...

    @property
    def ended(self) -> bool:
        """Return whether no more instants will come."""
        ...

    def instant(self, i: int) -> SceneInstant:
        """Return the instant of ``times[i]``."""
        ...

    def numbers(self, indices: NDArray[np.int64]) -> FootNumbers:
        """Return friction estimates at some instants."""
        ...


class ShownSpan(NamedTuple):
    """Span of walks to be shown, and its speed."""

    begin: float = 0.0  # [s]
    end: float = math.inf  # [s]
    speed: float = 1.0  # seconds of the walk in one second


WHOLE_WALK = ShownSpan()


def loaded(scene: Scene, instant: SceneInstant) -> NDArray[np.bool_]:
    """Return which feet are loaded, (feet,)."""
    return np.linalg.norm(instant.forces, axis=1) > GROUNDED_SHARE * scene.weight


# Colours in the scene; what is certified of a floor is distinct to the colour-blind as
# well.


def rotation_matrix(quaternion: Array) -> Array:
    """Build the matrix (3, 3) of a unit quaternion w, x, y, z."""
    return np.asarray(Rotation.from_quat(np.roll(quaternion, -1)).as_matrix())


def placed(points: Array, pose: Array) -> Array:
    """Compute where points (n, 3) of a frame are that has a pose (7,) [m]."""
    return np.asarray(points @ rotation_matrix(pose[3:]).T + pose[:3])


def joint_frames(scene: Scene, instant: SceneInstant) -> tuple[Array, Array]:
    """Compute places (joints, 3) [m] and rotations (joints, 3, 3) in the world."""
    turns: list[Array] = []
    places: list[Array] = []
    for parent, pose in zip(scene.parents, instant.places, strict=True):
        turn = rotation_matrix(pose[3:])
        place = pose[:3]
        if parent >= 0:
            place = places[parent] + turns[parent] @ place
            turn = turns[parent] @ turn
        turns.append(turn)
        places.append(np.asarray(place))
    return np.array(places), np.array(turns)


class KnownFriction(IntEnum):
    """Knowledge of the friction under a foot."""

    UNKNOWN = 0
    AT_LEAST = 1  # a lower bound
    INTERVAL = 2  # a lower and an upper bound


def rgb(colour: str) -> Colour:
    """Convert a colour from #rrggbb."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


KNOWN_COLOURS: tuple[Colour, ...] = (rgb("#4d4d4d"), rgb("#e69f00"), rgb("#009e73"))
KNOWN_WORDS = ("unknown", "at least", "interval")
FEET_COLOURS = tuple(rgb(colour) for colour in FOOT_COLOURS)
PLATE: Colour = (176, 190, 197)
CENTRE = rgb("#cc79a7")
ZMP = rgb("#d55e00")
PLANNED = rgb("#0072b2")


def known(low: float, high: float) -> KnownFriction:
    """Classify two certified bounds of mu; NaN is a bound that is not there."""
    if not (math.isfinite(low) and low > 0.0):
        return KnownFriction.UNKNOWN
    return KnownFriction.INTERVAL if math.isfinite(high) else KnownFriction.AT_LEAST


# Pieces of floor as they are drawn.


def stretch(
    start: float, end: float, mu: float, slope: float = 0.0, aside: float = WAY_ASIDE
) -> FloorPiece:
    """Make a stretch of floor along x [m], rising along it by a slope [rad].

    Args:
        start: [m].
        end: [m].
        mu: friction coefficient; NaN: unknown.
        slope: [rad].
        aside: half its width [m].
    """
    low = start * math.tan(slope)
    high = end * math.tan(slope)
    corners = [
        (start, -aside, low),
        (end, -aside, high),
        (end, aside, high),
        (start, aside, low),
    ]
    return FloorPiece(np.array(corners), mu)


def outline_faces(corners: int) -> NDArray[np.uint32]:
    """Triangulate a convex polygon (k - 2, 3)."""
    return np.array(
        [(0, i, i + 1) for i in range(1, corners - 1)], dtype=np.uint32
    ).reshape(-1, 3)


# Where feet stood, and what was certified of the floor there.


class Footprint(NamedTuple):
    """Footprint of a stance that has ended."""

    foot: int
    pose: Array  # (7,) of the sole when it lifted
    since: float  # [s] when it lifted
    known: KnownFriction  # the most that was certified in this stance
    touchdown: float  # [s]
    landed: Array  # (3,) where the sole was soon after touchdown [m]
    before: Array  # (3,) where it was last seen loaded [m]

    @property
    def slide(self) -> float:
        """Compute how far the sole slid while it stood, along the floor [m]."""
        return float(np.hypot(*(self.before - self.landed)[:2]))


REMEMBERED = 0.05  # [s] between instants that are looked at for footprints


class FootprintTrail:
    """Trail of stances; instants must come in order.

    Attributes:
        prints: of stances that are over.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._standing: dict[int, Footprint] = {}
        self.prints: list[Footprint] = []

    def add(self, instant: SceneInstant) -> None:
        """Add one instant to the trail."""
        carries = loaded(self._scene, instant)
        stands = np.linalg.norm(instant.forces, axis=1) > STANDS * self._scene.weight
        for foot in range(len(instant.soles)):
            before = self._standing.get(foot)
            if carries[foot]:
                now = known(
                    float(instant.numbers.low[foot]), float(instant.numbers.high[foot])
                )
                place = instant.soles[foot, :3]
                nowhere = np.full(3, np.nan)
                first = Footprint(
                    foot=foot,
                    pose=instant.soles[foot],
                    since=0.0,
                    known=now,
                    touchdown=instant.time,
                    landed=nowhere,
                    before=nowhere,
                )
                one = first if before is None else before
                landed = one.landed
                last = one.before
                # landing and leaving feet roll
                if stands[foot] and instant.time - one.touchdown >= JUST_LANDED:
                    landed = place if math.isnan(landed[0]) else landed
                    last = place
                self._standing[foot] = Footprint(
                    foot=foot,
                    pose=instant.soles[foot],
                    since=instant.time,
                    known=max(one.known, now),
                    touchdown=one.touchdown,
                    landed=landed,
                    before=last,
                )
            elif before is not None:
                self.prints.append(before._replace(since=instant.time))
                del self._standing[foot]


def slides(prints: Sequence[Footprint], time: float = math.inf) -> list[Footprint]:
    """List stances that were over at a time [s] and are to be marked.

    In these the sole slid far enough.
    """
    return [one for one in prints if one.since <= time and one.slide >= MARKED_SLIDE]


def slide_words(found: Sequence[Footprint]) -> str:
    """Describe how often feet slid, and how far; empty where none did."""
    ways = [1e3 * one.slide for one in found]
    if len(ways) < 2:
        return f"1 slide, {ways[0]:.0f} mm" if ways else ""
    return f"{len(ways)} slides, {sum(ways):.0f} mm in all, {max(ways):.0f} at most"


def streak(low: Array, high: Array, half: float = 0.02) -> Array:
    """Compute the corners (4, 3) of a band on the floor.

    It goes from one place (3,) to another; ``half`` [m] is half its width.

    Args:
        low: (3,) one end [m].
        high: (3,) other end [m].
        half: half its width [m].
    """
    way = high - low
    aside = (
        half * np.array([-way[1], way[0], 0.0]) / max(float(np.hypot(*way[:2])), 1e-9)
    )
    return np.array([low - aside, high - aside, high + aside, low + aside])


# Landings that asked the floor: a streak beside the sole, ten times as long as the foot
# slid, and the number.

SETTLED = 0.05  # [s] after the first answer: by then the slide is over
# times; [m] of a streak; [m] from the sole's side
STREAK_SCALE = 10.0
SHORTEST_STREAK = 0.04
STREAK_ASIDE = 0.04
SHOWN_NUMBERS = 2  # of the newest landings are shown in a moving picture


def log_landings(log: Log, places: Array, i: int) -> list[Landing]:
    """List landings with an estimate up to tick ``i`` of a log.

    ``places`` (ticks, 2, 3) are those of the soles, world [m].

    Args:
        log: of a walk.
        places: (ticks, 2, 3) of the soles [m].
        i: tick.
    """
    values = log.answers(i + 1)
    found = []
    period = float(log.time[1] - log.time[0])
    for foot in (0, 1):
        known = np.isfinite(values[0][:, foot])
        for first in np.flatnonzero(known[1:] & ~known[:-1]) + 1:
            rest = int(first) + round(SETTLED / period)
            if rest > i:
                continue
            after = np.nan_to_num(log.estimate("known_after")[first, foot])
            begin = max(int(first) - round(after / period), 0)
            tick = rest if known[rest] else first
            words = answer_words(*(float(bound[tick, foot]) for bound in values))
            found.append(
                (
                    first,
                    Landing(
                        foot,
                        places[rest, foot],
                        places[rest, foot] - places[begin, foot],
                        words,
                    ),
                )
            )
    return [landing for _, landing in sorted(found, key=lambda pair: pair[0])]


def landing_streak(scene: Scene, landing: Landing) -> Array:
    """Compute the corners (4, 3) of the streak of a landing, outside of its sole."""
    wide = (
        float(np.abs(scene.soles[landing.foot][:, 1]).max(initial=0.0)) + STREAK_ASIDE
    )
    end = landing.place + np.array([0.0, wide if landing.foot == 0 else -wide, 0.0])
    size = float(np.linalg.norm(landing.way))
    return streak(
        end
        - landing.way
        * max(STREAK_SCALE, SHORTEST_STREAK / size if size > 0.0 else 0.0),
        end,
        0.012,
    )


# Where the ground's forces act.

LEAST = 1.0  # [N] of vertical force below which there is no such point


def pressure_points(wrenches: Array, origins: Array) -> Array:
    """Compute centres of pressure (feet, 3) [m] at the height of each sole.

    Without load, the sole's origin is taken.

    Args:
        wrenches: (feet, 6) of the ground, about the origins, world axes [N, N m].
        origins: (feet, 3) of the soles, world [m].
    """
    vertical = wrenches[:, 2]
    carried = np.where(vertical > LEAST, vertical, np.inf)
    points: Array = np.array(origins, dtype=float)
    points[:, 0] -= wrenches[:, 4] / carried
    points[:, 1] += wrenches[:, 3] / carried
    return points


def zero_moment_point(vertical: Array, points: Array) -> Array:
    """Compute the mean (3,) of the centres of pressure (feet, 3).

    They are weighted by their vertical forces; the mean is NaN in flight.
    """
    total = float(np.sum(vertical))
    if not total > LEAST:
        return np.full(3, np.nan)
    mean: Array = vertical @ points / total
    return mean

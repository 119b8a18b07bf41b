# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""The sole of a foot: where its shape touches a floor that it stands on flat.

Of the planes that touch the foot from below, the sole's is the one on which most of it
lies: the points within :data:`FLATNESS` of the plane span the largest area. Planes
tried are faces of the convex hull, the horizontal in the standing posture and the
link's own axes, within :data:`STEEPEST` of the horizontal. The polygon is the largest
rectangle along the foot that lies in what touches, for a controller puts its forces at
corners.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from biped_slip.compile.arrays import Array
from biped_slip.robots.solids import Solid

FLATNESS = 0.004  # [m] from the plane: worn and drawn soles are not flat (choice)
STEEPEST = 0.8  # [rad] between the sole and the floor at zero angles (choice)
NARROWEST_SOLE = (
    0.01  # [m] of a sole's shorter side, below which it is a point foot (choice)
)
TOES_OUT = 0.35  # [rad] by which a foot may be turned (choice)
SHORT_EDGE = 0.01  # [m] of an edge that may be a side of the sole (choice)
ROUNDING = 1e-5  # [m] between points that are equally low
RECTANGLE_SIDES = 33  # places of a rectangle's sides that are tried
MOST_PLANES = 400  # of a hull with more faces, the largest count
#: How much more area another plane must hold than the horizontal: facets of a rounded
#: foot are no sole; and how much more another direction must hold (choice).
BETTER_PLANE = 1.3
BETTER_SIDE = 1.05


class Sole(NamedTuple):
    """Sole of a foot in its link."""

    position: Array  # (3,) below the ankle, on the plane [m]
    rotation: Array  # (3, 3) x forward, z up
    low: Array  # (2,) corner of its rectangle [m]; of a point foot both are 0
    high: Array  # (2,)

    @property
    def is_point(self) -> bool:
        """Return whether the foot has no area to stand on."""
        return bool(np.all(self.low == self.high))


def sole_of(solids: Sequence[Solid], down: Array, forward: Array, ankle: Array) -> Sole:
    """Find the sole of a foot.

    Args:
        solids: of the foot, in its link.
        down: unit vector (3,) in the link, in the standing posture.
        forward: unit vector (3,) in the link, in the standing posture.
        ankle: (3,) [m] axis of the last joint in the link.
    """
    found = [(_area(solids, normal), normal) for normal in _planes(solids, down)]
    level = found[0][0]
    area, normal = max(found, key=lambda one: one[0])
    if area <= BETTER_PLANE * level:
        normal = down
    touching = _touching(solids, normal)
    axes = _axes(normal, forward)
    low, high = _rectangle((touching @ axes)[:, :2])
    for ahead in _directions(touching, normal, forward):
        turned = _axes(normal, ahead)
        corners = _rectangle((touching @ turned)[:, :2])
        if np.prod(corners[1] - corners[0]) > BETTER_SIDE * np.prod(high - low):
            axes = turned
            low, high = corners
    height = float((touching @ axes)[:, 2].min())
    foot = ankle @ axes
    if min(high - low) < NARROWEST_SOLE:
        return point_of(solids, down, forward)
    return Sole(
        position=axes @ np.array([foot[0], foot[1], height]),
        rotation=axes,
        low=low - foot[:2],
        high=high - foot[:2],
    )


def point_of(solids: Sequence[Solid], down: Array, forward: Array) -> Sole:
    """Find the point of a foot that touches the floor; arguments as of `sole_of`."""
    ends = np.vstack([solid.points + solid.radius * down for solid in solids])
    depth = ends @ down
    lowest = ends[depth > depth.max() - ROUNDING].mean(axis=0)
    return Sole(
        position=lowest,
        rotation=_axes(down, forward),
        low=np.zeros(2),
        high=np.zeros(2),
    )


def _axes(normal: Array, forward: Array) -> Array:
    """Build the axes (3, 3) of a sole whose outer normal points down."""
    up = -normal
    ahead = forward - (forward @ up) * up
    ahead = ahead / np.linalg.norm(ahead)
    return np.stack((ahead, np.cross(up, ahead), up), axis=1)


def _directions(touching: Array, normal: Array, forward: Array) -> list[Array]:
    """List directions along the sole that a foot may have, the link's own first.

    A foot may be turned outwards where the robot stands.
    """
    sides = list(np.eye(3))
    side = np.linalg.svd(normal[None])[2][1:]
    flat = touching @ side.T
    try:
        edges = flat[ConvexHull(flat).simplices]
        sides += list((edges[:, 1] - edges[:, 0]) @ side)
    except (QhullError, ValueError):
        pass
    ahead_of_robot = _axes(normal, forward)[:, 0]
    found = []
    for one in sides:
        level = one - (one @ normal) * normal
        length = float(np.linalg.norm(level))
        if length < SHORT_EDGE:
            continue
        for ahead in (level / length, np.cross(-normal, level / length)):
            share = float(ahead @ ahead_of_robot)
            if abs(share) > math.cos(TOES_OUT):
                found.append(math.copysign(1.0, share) * ahead)
    return found


def _planes(solids: Sequence[Solid], down: Array) -> list[Array]:
    """List the outer normals of planes to try, the horizontal first."""
    normals = [down]
    normals += [sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]
    points = np.vstack([solid.points for solid in solids])
    try:
        hull = ConvexHull(points)
        faces = hull.equations[np.argsort(-_face_areas(points, hull))][:MOST_PLANES]
        normals += list(faces[:, :3])
    except (QhullError, ValueError):  # flat: the centres of four balls
        centred = points - points.mean(axis=0)
        if len(points) > 2 and np.linalg.matrix_rank(centred, tol=1e-4) == 2:
            across = np.linalg.svd(centred)[2][2]
            normals += [across, -across]
    limit = math.cos(STEEPEST)
    return [down, *(one for one in normals[1:] if one @ down > limit)]


def _face_areas(points: Array, hull: ConvexHull) -> Array:
    corners = points[hull.simplices]
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas: Array = np.linalg.norm(sides, axis=1)
    return areas


def _touching(solids: Sequence[Solid], normal: Array) -> Array:
    """Return points (n, 3) of solids within ``FLATNESS`` of their lowest."""
    ends = np.vstack([solid.points + solid.radius * normal for solid in solids])
    depth = ends @ normal
    touching: Array = ends[depth > depth.max() - FLATNESS]
    return touching


def _area(solids: Sequence[Solid], normal: Array) -> float:
    touching = _touching(solids, normal)
    side = np.linalg.svd(normal[None])[2][1:]
    try:
        return float(ConvexHull(touching @ side.T).volume)
    except (QhullError, ValueError):
        return 0.0


def _rectangle(flat: Array) -> tuple[Array, Array]:
    """Find the largest rectangle along x and y inside the hull of points (n, 2)."""
    low = flat.min(axis=0)
    high = flat.max(axis=0)
    try:
        hull = flat[ConvexHull(flat).vertices]
    except (QhullError, ValueError):
        return low, low
    across = np.union1d(np.linspace(low[1], high[1], RECTANGLE_SIDES), hull[:, 1])
    spans = [_span(hull, y) for y in across]
    best = (0.0, low, low)
    for i in range(len(across)):
        for j in range(i + 1, len(across)):
            back = max(spans[i][0], spans[j][0])
            front = min(spans[i][1], spans[j][1])
            area = (front - back) * (across[j] - across[i])
            if area > best[0] + 1e-12:
                corners = np.array([[back, across[i]], [front, across[j]]])
                best = (area, corners[0], corners[1])
    return best[1], best[2]


def _span(hull: Array, y: float) -> tuple[float, float]:
    """Return the ends along x of a convex polygon at a height y."""
    after = np.roll(hull, -1, axis=0)
    places = []
    for start, end in zip(hull, after, strict=True):
        rise = end[1] - start[1]
        if abs(rise) < 1e-12:
            if abs(y - start[1]) < 1e-9:
                places += [start[0], end[0]]
            continue
        share = (y - start[1]) / rise
        if -1e-9 <= share <= 1.0 + 1e-9:
            places.append(start[0] + share * (end[0] - start[0]))
    return min(places), max(places)

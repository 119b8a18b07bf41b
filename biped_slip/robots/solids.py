# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a link, as far as a floor can feel them: points and balls around points.

A box is its corners, a cylinder points of its two circles, a mesh the corners of its
convex hull, a sphere one point with a radius. Shapes that touch count; where a link has
none, what is drawn does.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple, Sequence
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError

from biped_slip.compile.arrays import Array

CIRCLE = 72  # points of a circle (choice: 0.1 % of its radius is lost between them)
FEWEST_FOR_HULL = 5
UP_AXIS = b"<up_axis>Y_UP"


class Solid(NamedTuple):
    """Convex hull of balls of one radius."""

    points: Array  # (n, 3) centres [m] in the link
    radius: float  # [m]


class LinkSolids(NamedTuple):
    """Solids of a link."""

    solids: tuple[Solid, ...]
    missing: tuple[str, ...]  # files of meshes that were not found
    drawn: bool  # whether they are what is drawn, for want of others


def link_solids(link: Element, folders: Sequence[str]) -> LinkSolids:
    """Collect the solids of a link of a URDF.

    Args:
        link: element of the description.
        folders: where names of meshes may start.
    """
    missing: list[str] = []
    for tag in ("collision", "visual"):
        solids = []
        for shape in link.findall(tag):
            solid = _solid(shape, folders, missing)
            if solid is not None:
                solids.append(solid)
        if solids:
            return LinkSolids(tuple(solids), tuple(missing), tag == "visual")
    return LinkSolids(solids=(), missing=tuple(missing), drawn=False)


def moved(solid: Solid, place: Any) -> Solid:
    """Express a solid in what a placement is in."""
    return solid._replace(
        points=solid.points @ place.rotation.T + np.asarray(place.translation)
    )


def _numbers(text: str) -> Array:
    return np.array([float(part) for part in text.split()])


def _solid(shape: Element, folders: Sequence[str], missing: list[str]) -> Solid | None:
    origin = shape.find("origin")
    place = pin.SE3.Identity()
    if origin is not None:
        turn = pin.rpy.rpyToMatrix(_numbers(origin.get("rpy", "0 0 0")))
        place = pin.SE3(turn, _numbers(origin.get("xyz", "0 0 0")))
    geometry = shape.find("geometry")
    if geometry is None or len(geometry) == 0:
        return None
    form = geometry[0]
    if form.tag == "box":
        return moved(box(0.5 * _numbers(form.get("size", "0 0 0"))), place)
    if form.tag == "sphere":
        radius = float(form.get("radius", "0"))
        return moved(Solid(points=np.zeros((1, 3)), radius=radius), place)
    if form.tag in ("cylinder", "capsule"):
        radius = float(form.get("radius", "0"))
        half = 0.5 * float(form.get("length", "0"))
        return moved(cylinder(radius, half), place)
    if form.tag == "mesh":
        points = _mesh_points(form, folders, missing)
        return None if points is None else moved(Solid(points, 0.0), place)
    return None


def box(half: Array) -> Solid:
    """Return a box by half of its sides (3,) [m]."""
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    return Solid(points=signs * half, radius=0.0)


def cylinder(radius: float, half: float) -> Solid:
    """Return a cylinder along z by radius and half of its length [m]."""
    angles = np.linspace(0.0, math.tau, CIRCLE, endpoint=False)
    circle = radius * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    ends = [np.column_stack((circle, np.full(CIRCLE, end))) for end in (-half, half)]
    return Solid(points=np.vstack(ends), radius=0.0)


def mesh_file(name: str, folders: Sequence[str]) -> Path | None:
    """Find the file of a mesh; None where it is not there.

    Args:
        name: of a URDF: ``package://``, ``model://``, ``file://``, or a path.
        folders: in which it may be, the description's own first.
    """
    scheme, _, rest = name.rpartition("://")
    if scheme in ("", "file") and Path(rest).is_absolute():
        return Path(rest) if Path(rest).is_file() else None
    parts = Path(rest)
    for folder in folders:
        # a package may lie in a folder of another name
        for path in (Path(folder) / parts, Path(folder, *parts.parts[1:])):
            if path.is_file():
                return path
    return None


def _mesh_points(
    form: Element, folders: Sequence[str], missing: list[str]
) -> Array | None:
    import coal

    name = form.get("filename", "")
    path = mesh_file(name, folders)
    if path is None:
        missing.append(name)
        return None
    scale = _numbers(form.get("scale", "1 1 1"))
    try:
        mesh = coal.MeshLoader().load(str(path), np.ones(3))
        points = _upright(path, np.array(mesh.vertices())) * scale
    except (ValueError, RuntimeError):
        missing.append(name)
        return None
    return hull_points(points)


def _upright(path: Path, points: Array) -> Array:
    """Turn points of a COLLADA file whose y axis is up, which its loader does not."""
    if path.suffix.lower() != ".dae" or UP_AXIS not in path.read_bytes():
        return points
    return np.stack((points[:, 0], -points[:, 2], points[:, 1]), axis=1)


def hull_points(points: Array) -> Array:
    """Keep the points (n, 3) that are corners of their convex hull."""
    if len(points) < FEWEST_FOR_HULL:
        return points
    try:
        corners: Array = points[ConvexHull(points).vertices]
    except QhullError:  # flat, or all in one place
        return points
    return corners

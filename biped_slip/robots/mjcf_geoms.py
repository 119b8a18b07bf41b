# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Geoms of an MJCF: their forms, and what bodies weigh that do not say it.

A body without ``inertial`` weighs what its geoms do: ``mass``, else ``density``
(1000 kg/m^3) times volume [MuJoCo]. Pinocchio computes that of simple shapes, and takes
1 kg for each mesh. A mesh is the sum of tetrahedra from the origin to its triangles
(a, b, c), whose signs leave its inside,

.. math:: V = \sum \frac{d}{6},\qquad
   \int x x^T dV = \sum \frac{d}{120}\,(a a^T + b b^T + c c^T + s s^T)

with :math:`d = a\cdot(b\times c)` and :math:`s = a + b + c`. One that is open, so that
no volume is left, counts as its convex hull.
"""

from __future__ import annotations

import math
from typing import Any, Mapping, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError

from biped_slip.compile.arrays import Array
from biped_slip.robots.mjcf_tree import numbers, placement, turn_between, written

DENSITY = "1000"  # [kg/m^3] of a geom that says none [MuJoCo]
# of the hull's volume, below which what the signs leave is no inside (choice)
LEAST_INSIDE = 0.02


class GeomForm(NamedTuple):
    """Form of a geom: its sizes as MuJoCo has them, and its place."""

    kind: str
    size: Array
    place: Any


def geom_form(geom: Element, place: Any) -> GeomForm:
    """Read a geom in a body at a place; one between two points gets its length."""
    kind = geom.get("type", "mesh" if "mesh" in geom.attrib else "sphere")
    size = numbers(geom, "size", "0")
    if "fromto" not in geom.attrib:
        return GeomForm(kind=kind, size=size, place=place * placement(geom))
    ends = numbers(geom, "fromto").reshape(2, 3)
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    turn = turn_between(np.array([0.0, 0.0, 1.0]), along / max(length, 1e-12))
    wide = [size[0], size[0]] if kind in ("box", "ellipsoid") else [size[0]]
    return GeomForm(
        kind=kind,
        size=np.array([*wide, 0.5 * length]),
        place=place * pin.SE3(turn, ends.mean(axis=0)),
    )


def mesh_inertial(body: Element, meshes: Mapping[str, Element]) -> Element | None:
    """Return the element ``inertial`` of a body whose mass is that of meshes.

    Args:
        body: resolved.
        meshes: assets by name.

    Returns:
        None where the body says its inertia, has no mesh, or weighs nothing.
    """
    here = pin.SE3.Identity()
    geoms = [(geom, geom_form(geom, here)) for geom in body.findall("geom")]
    some_mesh = any(form.kind == "mesh" for _, form in geoms)
    if body.find("inertial") is not None or not some_mesh:
        return None
    total = pin.Inertia.Zero()
    for geom, form in geoms:
        unit = _of_density_one(geom, form, meshes)
        if unit.mass > 0.0:
            total += form.place.act(_weighed(geom, unit))
    if not total.mass > 0.0:
        return None
    moments = total.inertia
    places = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return Element(
        "inertial",
        pos=written(total.lever),
        mass=repr(float(total.mass)),
        fullinertia=written(np.array([moments[at] for at in places])),
    )


def _weighed(geom: Element, unit: Any) -> Any:
    """Give the inertia of a shape of density 1 the geom's mass or density."""
    if "mass" in geom.attrib:
        share = float(geom.get("mass", "0")) / max(unit.mass, 1e-300)
    else:
        share = float(geom.get("density", DENSITY))
    return pin.Inertia(share * unit.mass, unit.lever, share * unit.inertia)


def _of_density_one(
    geom: Element, form: GeomForm, meshes: Mapping[str, Element]
) -> Any:
    """Compute the inertia of a geom in its own frame, per density."""
    x, y, z = (2.0 * np.array([*form.size, 0.0, 0.0])[:3]).tolist()
    ball = math.pi / 6.0 * x**3
    if form.kind == "mesh" and geom.get("mesh", "") in meshes:
        return mesh_inertia(*_triangles(meshes[geom.get("mesh", "")]))
    if form.kind == "sphere":
        return pin.Inertia.FromSphere(ball, 0.5 * x)
    if form.kind == "box":
        return pin.Inertia.FromBox(x * y * z, x, y, z)
    if form.kind == "ellipsoid":
        half = 0.5 * x, 0.5 * y, 0.5 * z
        return pin.Inertia.FromEllipsoid(math.pi / 6.0 * x * y * z, *half)
    tube = 0.25 * math.pi * x**2 * y
    if form.kind == "cylinder":
        return pin.Inertia.FromCylinder(tube, 0.5 * x, y)
    if form.kind == "capsule":
        return pin.Inertia.FromCapsule(tube + ball, 0.5 * x, y)
    return pin.Inertia.Zero()


def mesh_inertia(points: Array, triangles: Array) -> Any:
    """Compute the inertia of a solid of density 1.

    Args:
        points: (n, 3) corners [m].
        triangles: (m, 3) indices of corners, seen from outside against the clock.
    """
    found = _of_triangles(points, triangles)
    try:
        hull = ConvexHull(points)
    except QhullError:  # flat, or all in one place
        return pin.Inertia.Zero()
    if found.mass > LEAST_INSIDE * hull.volume:
        return found
    outward = [
        simplex
        if np.linalg.det(points[simplex] - points[hull.vertices].mean(axis=0)) > 0.0
        else simplex[::-1]
        for simplex in hull.simplices
    ]
    return _of_triangles(points, np.array(outward))


def _of_triangles(points: Array, triangles: Array) -> Any:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    sixfold = np.einsum("ij,ij->i", a, np.cross(b, c))
    whole = a + b + c
    volume = float(sixfold.sum()) / 6.0
    if not volume > 0.0:
        return pin.Inertia.Zero()
    centre = sixfold @ whole / (24.0 * volume)
    squares = sum(
        np.einsum("i,ij,ik->jk", sixfold / 120.0, one, one) for one in (a, b, c, whole)
    )
    squares = squares - volume * np.outer(centre, centre)
    moments = np.trace(squares) * np.eye(3) - squares
    return pin.Inertia(volume, centre, moments)


def _triangles(asset: Element) -> tuple[Array, Array]:
    """Load corners (n, 3) and triangles (m, 3) of a mesh, scaled."""
    import coal

    try:
        mesh = coal.MeshLoader().load(asset.get("file", ""), np.ones(3))
    except (ValueError, RuntimeError):
        return np.zeros((3, 3)), np.array([[0, 1, 2]])
    scale = numbers(asset, "scale", "1 1 1")
    corners = np.array(mesh.vertices()) * scale
    count = mesh.num_tris
    triangles = np.array(
        [[mesh.tri_indices(k)[corner] for corner in range(3)] for k in range(count)]
    )
    return corners, triangles[:, ::-1] if np.prod(scale) < 0.0 else triangles

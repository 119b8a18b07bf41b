# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Ground by place: friction, height and slope.

It is that of a sagittal world and of a height field.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.contact.spill import check_sagittal, timed_spills
from biped_slip.errors import InvalidParameter


@configuration
class GroundConfig(Configuration):
    """The floor of a sagittal world (A.7).

    ``mu[i]`` holds along x up to ``edges[i]``, the last one for ever.
    """

    mu: tuple[float, ...] = parameter(
        (1.0, 0.4), low=0.0, high=5.0, source="A.7", doc="friction of each patch"
    )
    edges: tuple[float, ...] = parameter(
        (2.25,), unit="m", source="A.7", doc="world x where each patch ends"
    )
    slope: float = parameter(
        0.0, unit="rad", low=-0.5, high=0.5, doc="incline, positive uphill"
    )
    spills: tuple[tuple[float, ...], ...] = parameter(
        (), doc="[time s, x from, x to, mu] each: the floor that there is from then on"
    )

    def check(self) -> None:
        """Check for one edge between each two patches, in rising order."""
        if len(self.mu) != len(self.edges) + 1:
            raise InvalidParameter(
                "GroundConfig.edges",
                self.edges,
                f"{len(self.mu) - 1} values, one fewer than mu",
            )
        if any(b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise InvalidParameter("GroundConfig.edges", self.edges, "rising")
        for timed in timed_spills(self.spills, "ground.spills"):
            check_sagittal(timed.spill, "ground.spills")

    @property
    def largest_mu(self) -> float:
        """Return the largest friction coefficient at any place and time."""
        return max([*self.mu, *(spill[-1] for spill in self.spills)])

    def ground(self) -> Ground:
        """Pack the floor's friction, edges and slope for kernels."""
        edges = np.asarray(self.edges, dtype=float)
        mu = np.asarray(self.mu, dtype=float)
        return Ground(
            slope=self.slope,
            cos=math.cos(self.slope),
            sin=math.sin(self.slope),
            edges=edges,
            mu=mu,
        )


class Ground(NamedTuple):
    """Floor of a sagittal world for kernels: friction, edges and slope."""

    slope: float  # [rad]
    cos: float  # of the slope
    sin: float
    edges: Array  # (n − 1,) [m]
    mu: Array  # (n,)


@kernel(inline="code")
def friction_at(ground: Ground, x: float) -> float:
    """Return the friction coefficient under a foot at world x [m]."""
    i = 0
    while i < ground.edges.shape[0] and x > ground.edges[i]:
        i += 1
    return ground.mu[i]


@kernel(inline="code")
def height_along_normal(ground: Ground, x: float, z: float) -> float:
    """Return the signed distance [m] of a world point (x, z) from the floor.

    It is positive above the floor.
    """
    return z * ground.cos - x * ground.sin


class Terrain(NamedTuple):
    """A height field for kernels; beyond its rim the border cells continue."""

    origin_x: float  # [m] of heights[0, 0]
    origin_y: float  # [m]
    per_cell: float  # cells per metre, the inverse of the grid's spacing [1/m]
    heights: Array  # (n, m) [m], first index along x
    mu: Array  # (n − 1, m − 1) per cell


class GroundPlane(NamedTuple):
    """The tangent plane of the ground at a place."""

    height: float  # [m]
    normal_x: float
    normal_y: float
    normal_z: float
    mu: float


@kernel(inline="code")
def ground_under(terrain: Terrain, x: float, y: float) -> GroundPlane:
    """Interpolate height, unit normal and mu of the ground below (x, y) [m]."""
    rows, columns = terrain.heights.shape
    per_cell = terrain.per_cell
    u = (x - terrain.origin_x) * per_cell
    v = (y - terrain.origin_y) * per_cell
    i = min(max(math.floor(u), 0), rows - 2)
    j = min(max(math.floor(v), 0), columns - 2)
    u = u - i
    v = v - j
    h00 = terrain.heights[i, j]
    h10 = terrain.heights[i + 1, j]
    h01 = terrain.heights[i, j + 1]
    h11 = terrain.heights[i + 1, j + 1]
    # level ground is common, and this is the fastest way over it
    if h00 == h10 and h00 == h01 and h00 == h11:
        return GroundPlane(
            height=h00, normal_x=0.0, normal_y=0.0, normal_z=1.0, mu=terrain.mu[i, j]
        )
    twist = h11 - h10 - h01 + h00
    height = h00 + (h10 - h00) * u + (h01 - h00) * v + twist * u * v
    slope_x = (h10 - h00 + twist * v) * per_cell
    slope_y = (h01 - h00 + twist * u) * per_cell
    size = math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return GroundPlane(
        height=height,
        normal_x=-slope_x / size,
        normal_y=-slope_y / size,
        normal_z=1.0 / size,
        mu=terrain.mu[i, j],
    )


def terrain_of(
    height: Callable[[Array, Array], Array],
    mu: float | Callable[[Array, Array], Array],
    extent: tuple[float, float, float, float] = (-1.0, 5.0, -1.0, 1.0),
    cell: float = 0.01,
) -> Terrain:
    """Sample functions of (x, y) [m] into a height field.

    Args:
        height: height [m] of the ground.
        mu: friction coefficient, a number or a function of the cell's centre.
        extent: x from, x to, y from, y to [m].
        cell: spacing [m]; a step in the height becomes a ramp of this length.
    """
    if not cell > 0.0:
        raise InvalidParameter("terrain.cell", cell, "> 0 [m]")
    x = np.arange(extent[0], extent[1] + 1.5 * cell, cell)
    y = np.arange(extent[2], extent[3] + 1.5 * cell, cell)
    heights = np.broadcast_to(height(x[:, None], y[None, :]), (len(x), len(y))).astype(
        float
    )
    centre_x = x[:-1, None] + 0.5 * cell
    centre_y = y[None, :-1] + 0.5 * cell
    friction = mu(centre_x, centre_y) if callable(mu) else np.full((1, 1), float(mu))
    frictions = np.broadcast_to(friction, (len(x) - 1, len(y) - 1)).astype(float)
    if not np.all(np.isfinite(heights)):
        raise InvalidParameter(
            "terrain.height", "not finite", "a finite height everywhere"
        )
    if not np.all(frictions >= 0.0):
        raise InvalidParameter("terrain.mu", float(np.min(frictions)), ">= 0")
    return Terrain(
        origin_x=float(x[0]),
        origin_y=float(y[0]),
        per_cell=1.0 / cell,
        heights=np.ascontiguousarray(heights),
        mu=np.ascontiguousarray(frictions),
    )


def slope(angle: float, mu: float) -> Terrain:
    """Incline a plane through the origin, rising along x by ``angle`` [rad].

    With 0 the ground is level.
    """
    return terrain_of(
        lambda x, y: math.tan(angle) * (x + 0.0 * y),
        mu,
        (-50.0, 50.0, -50.0, 50.0),
        100.0,
    )


def bumps(height: float, spacing: float, mu: float) -> Terrain:
    """Raise waves of a height and spacing [m] in both directions.

    Their troughs are at level 0.
    """

    def wave(x: Array, y: Array) -> Array:
        return (
            0.25
            * height
            * (2.0 - np.cos(2 * np.pi * x / spacing) - np.cos(2 * np.pi * y / spacing))
        )

    return terrain_of(wave, mu)


def steps(rise: float, run: float, mu: float) -> Terrain:
    """Raise stairs by ``rise`` [m] after every ``run`` [m] along x.

    They start at x = run.
    """
    return terrain_of(
        lambda x, y: rise * np.maximum(np.floor(x / run + 1e-9), 0.0) + 0.0 * y, mu
    )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floor in three dimensions: slope, boxes, waves, and patches of other friction.

A terrain is a grid of heights and friction coefficients over x and y, between whose
points both are interpolated (``contact/ground.py``); a plane is one large cell.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.contact.ground import Terrain, terrain_of
from biped_slip.contact.spill import timed_spills
from biped_slip.errors import InvalidParameter

_FAR = 1.0e3  # [m] size of the one cell of a plane


@configuration
class TerrainConfig(Configuration):
    """A plane, and what lies on it; later patches and boxes cover earlier ones."""

    mu: float = parameter(
        0.8, low=0.0, high=5.0, doc="friction coefficient where no patch is"
    )
    slope_x: float = parameter(0.0, unit="rad", low=-1.0, high=1.0, doc="rise along x")
    slope_y: float = parameter(0.0, unit="rad", low=-1.0, high=1.0, doc="rise along y")
    patches: tuple[tuple[float, ...], ...] = parameter(
        (), doc="[x from, x to, y from, y to, mu] each, in m"
    )
    spots: tuple[tuple[float, ...], ...] = parameter(
        (), doc="[x, y, radius, mu] each, in m; they cover patches"
    )
    spills: tuple[tuple[float, ...], ...] = parameter(
        (),
        doc="[time s, x from, x to, y from, y to, mu] each, in m, or without y: they "
        "come while a robot walks and cover patches and spots",
    )
    boxes: tuple[tuple[float, ...], ...] = parameter(
        (), unit="m", doc="[x from, x to, y from, y to, height] each"
    )
    profile: tuple[tuple[float, ...], ...] = parameter(
        (),
        unit="m",
        doc="[x, height] each, x rising: ramps between them, level before the first "
        "and after the last",
    )
    bump_height: float = parameter(
        0.0, unit="m", low=0.0, high=0.5, doc="of waves in both directions"
    )
    bump_spacing: float = parameter(0.5, unit="m", above=0.0, doc="of the waves")
    extent: tuple[float, ...] = parameter(
        (-2.0, 14.0, -3.0, 3.0), unit="m", doc="x from, x to, y from, y to"
    )
    cell: float = parameter(
        0.02,
        unit="m",
        above=0.0,
        high=10.0,
        doc="grid; the edge of a box is a ramp this long",
    )

    def check(self) -> None:
        """Check the numbers of patches and boxes, and their friction."""
        for name in ("patches", "boxes"):
            for item in getattr(self, name):
                if len(item) != 5 or item[0] >= item[1] or item[2] >= item[3]:
                    raise InvalidParameter(
                        f"terrain.{name}",
                        item,
                        "[x from, x to, y from, y to, value], from < to",
                    )
        for patch in self.patches:
            if patch[4] < 0.0:
                raise InvalidParameter(
                    "terrain.patches",
                    patch,
                    "a friction coefficient >= 0 as the last number",
                )
        for spot in self.spots:
            if len(spot) != 4 or spot[2] <= 0.0 or spot[3] < 0.0:
                raise InvalidParameter(
                    "terrain.spots", spot, "[x, y, radius > 0, mu >= 0]"
                )
        timed_spills(self.spills, "terrain.spills")
        if any(len(place) != 2 for place in self.profile) or not all(
            a[0] < b[0] for a, b in zip(self.profile, self.profile[1:], strict=False)
        ):
            raise InvalidParameter(
                "terrain.profile", self.profile, "[x, height] each, x rising"
            )
        if (
            len(self.extent) != 4
            or self.extent[0] >= self.extent[1]
            or self.extent[2] >= self.extent[3]
        ):
            raise InvalidParameter(
                "terrain.extent",
                self.extent,
                "x from, x to, y from, y to with from < to",
            )

    @property
    def largest_mu(self) -> float:
        """Return the largest friction coefficient anywhere."""
        return max(
            [
                self.mu,
                *(patch[4] for patch in self.patches),
                *(spot[3] for spot in self.spots),
                *(spill[-1] for spill in self.spills),
            ]
        )

    @property
    def plain(self) -> bool:
        """Return whether one cell is enough: a plane of one friction."""
        return (
            not (self.patches or self.spots or self.boxes or self.profile)
            and self.bump_height == 0.0
        )

    def terrain(self) -> Terrain:
        """Build the floor for kernels."""
        if not self.plain:
            return self.gridded()
        extent = -_FAR, _FAR, -_FAR, _FAR
        return terrain_of(self._height, self._mu, extent, 2.0 * _FAR)

    def gridded(self) -> Terrain:
        """Build the floor on its grid, also where one cell would be enough."""
        extent: Any = self.extent
        return terrain_of(self._height, self._mu, extent, self.cell)

    def _height(self, x: Array, y: Array) -> Array:
        height: Array = math.tan(self.slope_x) * x + math.tan(self.slope_y) * y
        wave = 2.0 * math.pi / self.bump_spacing
        height = height + 0.25 * self.bump_height * (
            2.0 - np.cos(wave * x) - np.cos(wave * y)
        )
        if self.profile:
            along, heights = zip(*self.profile, strict=True)
            height = height + np.interp(x, along, heights)
        on_top = np.zeros(np.broadcast(x, y).shape)
        for x0, x1, y0, y1, top in self.boxes:
            on_top[(x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)] = top
        return height + on_top

    def _mu(self, x: Array, y: Array) -> Array:
        mu = np.full(np.broadcast(x, y).shape, self.mu)
        for x0, x1, y0, y1, value in self.patches:
            mu[(x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)] = value
        for x0, y0, radius, value in self.spots:
            mu[(x - x0) ** 2 + (y - y0) ** 2 <= radius**2] = value
        return mu

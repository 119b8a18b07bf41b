# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floor of a sagittal world: an inclined plane through the origin with patches of mu along x."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.errors import InvalidParameter


@configuration
class GroundConfig(Configuration):
    """Surfaces along x: ``mu[i]`` holds up to ``edges[i]``, the last one for ever (A.7)."""

    mu: tuple[float, ...] = parameter((1.0, 0.4), low=0.0, high=5.0, source="A.7", doc="friction of each patch")
    edges: tuple[float, ...] = parameter((2.25,), unit="m", source="A.7", doc="world x where each patch ends")
    slope: float = parameter(0.0, unit="rad", low=-0.5, high=0.5, source="choice", doc="incline, positive uphill")

    def check(self) -> None:
        """Need one edge between each two patches, in rising order."""
        if len(self.mu) != len(self.edges) + 1:
            raise InvalidParameter("GroundConfig.edges", self.edges, f"{len(self.mu) - 1} values, one fewer than mu")
        if any(b <= a for a, b in zip(self.edges, self.edges[1:], strict=False)):
            raise InvalidParameter("GroundConfig.edges", self.edges, "rising")

    def ground(self) -> Ground:
        """The floor as kernels take it."""
        edges, mu = np.asarray(self.edges, dtype=float), np.asarray(self.mu, dtype=float)
        return Ground(self.slope, math.cos(self.slope), math.sin(self.slope), edges, mu)


class Ground(NamedTuple):
    """The floor for kernels."""

    slope: float  # [rad]
    cos: float  # of the slope
    sin: float
    edges: NDArray[np.float64]  # (n − 1,) [m]
    mu: NDArray[np.float64]  # (n,)


@kernel(inline="code")
def friction_at(ground: Ground, x: float) -> float:
    """Friction coefficient under a foot at world x [m]."""
    i = 0
    while i < ground.edges.shape[0] and x > ground.edges[i]:
        i += 1
    return ground.mu[i]


@kernel(inline="code")
def height_along_normal(ground: Ground, x: float, z: float) -> float:
    """Signed distance [m] of a world point (x, z) from the floor, positive above it."""
    return z * ground.cos - x * ground.sin

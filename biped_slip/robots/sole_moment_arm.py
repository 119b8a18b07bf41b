# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How much moment about the floor's normal a sole holds: the mean distance of its area from its middle."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def moment_arm(polygon: NDArray[np.float64]) -> float:
    """Largest moment over mu times normal force [m], for even pressure and a sole that turns about its middle.

    ``int |r| dA / A`` [Goyal1991], summed over the triangles between the middle of the box
    around the sole and each edge: with the middle h from the edge and its ends seen at the angles a and b from the
    perpendicular, ``int |r| dA = h^3 (F(b) - F(a)) / 6`` with ``F(t) = sec t tan t + asinh(tan t)``.

    Args:
        polygon: (n, 2) corners in order [m]; fewer than three hold no moment.
    """
    if len(polygon) < 3:
        return 0.0
    corners = polygon - 0.5 * (polygon.min(axis=0) + polygon.max(axis=0))
    total = area = 0.0
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        length = math.hypot(*(end - start))
        along = (end - start) / length
        twice = float(start[0] * end[1] - start[1] * end[0])
        height = abs(twice) / length
        area += 0.5 * twice
        if height > 0.0:
            a, b = float(start @ along) / height, float(end @ along) / height
            total += math.copysign(height**3 * (_primitive(b) - _primitive(a)) / 6.0, twice)
    return total / area


def _primitive(tangent: float) -> float:
    return tangent * math.hypot(1.0, tangent) + math.asinh(tangent)

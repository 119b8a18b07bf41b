# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contact points of a sole: a regular grid on any polygon (B.1)."""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import InvalidParameter


def sole_grid(polygon: Sequence[tuple[float, float]], rows: int, columns: int) -> NDArray[np.float64]:
    """Points of a regular grid over the polygon's bounding box that lie in the polygon or on its edge.

    Args:
        polygon: corners (x, y) [m] in order, in the sole's frame.
        rows: grid lines along x, at least 2.
        columns: grid lines along y, at least 2.

    Returns:
        Array (n, 3) [m] with z = 0.
    """
    corners = np.asarray(polygon, dtype=float)
    if corners.ndim != 2 or corners.shape[0] < 3 or corners.shape[1] != 2:
        raise InvalidParameter("sole", f"{len(polygon)} corners", "at least 3 corners (x, y)")
    if abs(_area(corners)) < 1e-8:
        raise InvalidParameter("sole", f"area {abs(_area(corners)):.3g} m^2", "a polygon with an area >= 1e-8 m^2")
    if rows < 2 or columns < 2:
        raise InvalidParameter("sole grid", (rows, columns), "at least 2 rows and 2 columns")
    low, high = corners.min(axis=0), corners.max(axis=0)
    grid = np.array([(x, y) for x in np.linspace(low[0], high[0], rows) for y in np.linspace(low[1], high[1], columns)])
    inside = grid[[_contains(corners, point) for point in grid]]
    if len(inside) < 3 or np.linalg.matrix_rank(inside - inside[0], tol=1e-9) < 2:
        raise InvalidParameter(
            "sole grid", (rows, columns), "fine enough for 3 points not on a line", f"{len(inside)} fall in the polygon"
        )
    return np.column_stack((inside, np.zeros(len(inside))))


def _area(corners: NDArray[np.float64]) -> float:
    x, y = corners.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def _contains(corners: NDArray[np.float64], point: NDArray[np.float64], slack: float = 1e-9) -> bool:
    """Whether a point is in a simple polygon or within ``slack`` [m] of its edge."""
    inside = False
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = b - a
        along = np.clip(np.dot(point - a, edge) / np.dot(edge, edge), 0.0, 1.0)
        if np.linalg.norm(point - a - along * edge) <= slack:
            return True
        if (a[1] > point[1]) != (b[1] > point[1]) and point[0] < a[0] + edge[0] * (point[1] - a[1]) / edge[1]:
            inside = not inside
    return inside

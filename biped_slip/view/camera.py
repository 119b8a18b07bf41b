# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From places in the world to places in a picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array

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

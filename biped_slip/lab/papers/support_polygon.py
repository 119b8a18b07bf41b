# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The zero-moment point of level soles, and whether it lies in their common convex hull (E.1, E.5)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import Humanoid

LOADED = 1.0  # [N] a foot with less does not support


class Support(NamedTuple):
    """Over n samples."""

    zmp: Array  # (n, 2) [m], world
    inside: NDArray[np.bool_]  # (n,)
    margin: Array  # (n,) to the nearest edge, positive inside [m]


def support(humanoid: Humanoid, soles: Array, wrenches: Array) -> Support:
    """Where the ground pushes, and how far inside the loaded soles.

    Args:
        soles: (n, 2, 3) places of level soles that head along x [m].
        wrenches: (n, 2, 6) of the ground on each, world axes at the sole [N, N m].
    """
    force, moment = wrenches[:, :, :3], wrenches[:, :, 3:]
    about = (moment + np.cross(soles, force)).sum(axis=1)
    vertical = force[:, :, 2].sum(axis=1)
    zmp = np.column_stack((-about[:, 1], about[:, 0])) / vertical[:, None]
    margin = np.empty(len(zmp))
    corners = [np.array(humanoid.polygon(foot)) for foot in range(2)]
    for k, point in enumerate(zmp):
        loaded = [foot for foot in range(2) if force[k, foot, 2] > LOADED]
        margin[k] = -np.inf
        if loaded:
            hull = ConvexHull(np.vstack([corners[foot] + soles[k, foot, :2] for foot in loaded]))
            margin[k] = -float((hull.equations @ np.append(point, 1.0)).max())
    return Support(zmp, margin >= 0.0, margin)

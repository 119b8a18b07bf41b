# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the ground's forces act."""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array

LEAST = 1.0  # [N] of vertical force below which there is no such point


def pressure_points(wrenches: Array, origins: Array) -> Array:
    """Centres of pressure (feet, 3) [m] at the height of each sole; the sole's origin without load.

    Args:
        wrenches: (feet, 6) of the ground, about the origins, world axes [N, N m].
        origins: (feet, 3) of the soles, world [m].
    """
    vertical = wrenches[:, 2]
    carried = np.where(vertical > LEAST, vertical, np.inf)
    points: Array = np.array(origins, dtype=float)
    points[:, 0] -= wrenches[:, 4] / carried
    points[:, 1] += wrenches[:, 3] / carried
    return points


def zero_moment_point(vertical: Array, points: Array) -> Array:
    """Mean (3,) of the centres of pressure (feet, 3), weighted by their vertical forces (feet,); NaN in flight."""
    total = float(np.sum(vertical))
    if not total > LEAST:
        return np.full(3, np.nan)
    mean: Array = vertical @ points / total
    return mean

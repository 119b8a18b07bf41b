# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The friction cone of a sole corner as linear rows: a pyramid inside the cone, one edge along the wanted force."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.estimation.readings import Array
from biped_slip.kernels import kernel

FACETS = 4  # of each corner of a sole
OF_POINT = 12  # of a foot that is a point: there is but one corner, and no plan knows where its force will point


@kernel
def cone_rows(mu: float, heading: float, rotation: Array, facets: int = FACETS) -> Array:
    """Rows C (facets, 3) with ``C f <= 0`` for forces (world axes) inside a pyramid that lies in the cone.

    Four facets lose up to ``1 - cos(pi/4)`` of mu; an edge along ``heading`` loses nothing in that direction. The
    rows also keep the normal force from pulling: opposite facets add up to ``-2 mu cos(pi/4) f_n <= 0``.

    Args:
        mu: limit on the force ratio.
        heading: of the wanted tangential force, from the sole's x axis [rad].
        rotation: (3, 3) sole to world.
    """
    rows = np.empty((facets, 3))
    reach = mu * math.cos(math.pi / facets)
    for k in range(facets):
        angle = heading + (2 * k + 1) * math.pi / facets
        c, s = math.cos(angle), math.sin(angle)
        for j in range(3):
            rows[k, j] = c * rotation[j, 0] + s * rotation[j, 1] - reach * rotation[j, 2]
    return rows

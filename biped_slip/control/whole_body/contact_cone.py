# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Forces at the corners of a sole: what is planned for each, and its friction cone as linear rows.

A pyramid inside the cone, one edge along the planned force.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

FACETS = 4  # of each corner of a sole
OF_POINT = 12  # of a foot that is a point: there is but one corner, and no plan knows where its force will point


@kernel
def cone_rows(mu: float, heading: float, facets: int = FACETS) -> Array:
    """Rows C (facets, 3) with ``C f <= 0`` for forces (world axes) inside a pyramid that lies in the cone.

    Four facets lose up to ``1 - cos(pi/4)`` of mu; an edge along ``heading`` loses nothing in that direction. The
    rows also keep the normal force from pulling: opposite facets add up to ``-2 mu cos(pi/4) f_n <= 0``. The cone is
    the floor's, which is level, not the sole's: one that has tipped by 5 degrees on its edge would seem to lose 0.09
    of mu to one side.

    Args:
        mu: limit on the force ratio.
        heading: of the wanted tangential force, from the world's x axis [rad].
        facets: of the pyramid.
    """
    rows = np.empty((facets, 3))
    reach = mu * math.cos(math.pi / facets)
    for k in range(facets):
        angle = heading + (2 * k + 1) * math.pi / facets
        rows[k, 0], rows[k, 1], rows[k, 2] = math.cos(angle), math.sin(angle), -reach
    return rows


@kernel
def corner_shares(corners: Array, pressure: Array) -> Array:
    """Shares (n,) of a foot's force at its corners (n, 3), the least ones that act at ``pressure`` (2,) [m].

    ``1/n + sum_k p_k r_k / sum(r_k^2)`` with r from the corners' middle; a share may be negative near a corner. All
    corners alike would ask for a force through the middle of the sole: with it the ZMP would turn the trunk.
    """
    n = corners.shape[0]
    shares = np.full(n, 1.0 / n)
    for k in range(2):
        out = corners[:, k] - np.mean(corners[:, k])
        spread = np.dot(out, out)
        if spread > 0.0:
            shares += pressure[k] / spread * out
    return shares


@kernel
def corner_forces(force: Array, moment: float, shares: Array, rotation: Array, force_points: Array) -> Array:
    """Forces (n, 3) at the corners of a sole that add up to a force and a moment about the vertical, the least ones.

    Every corner bears its share of the force, and of the moment what is across its lever: ``M e_z x r / sum r^2``.
    Where a leg swings, the corners' forces point in different directions: with one heading for all, pyramids would lose
    up to 0.3 of mu.

    Args:
        force: (3,) on the foot [N], world.
        moment: about the vertical through the middle of the sole [N m].
        shares: (n,) of the force at the corners.
        rotation: (3, 3) sole to world.
        force_points: (n, 3) where tangential forces act, in the sole [m].
    """
    n = force_points.shape[0]
    result, levers = np.empty((n, 3)), np.empty((n, 2))
    square = 0.0
    for c in range(n):
        for j in range(2):
            levers[c, j] = 0.0
            for k in range(2):
                levers[c, j] += rotation[j, k] * (force_points[c, k] - force_points[:, k].mean())
            square += levers[c, j] ** 2
    per = moment / square if square > 0.0 else 0.0
    for c in range(n):
        result[c, 0] = shares[c] * force[0] - per * levers[c, 1]
        result[c, 1] = shares[c] * force[1] + per * levers[c, 0]
        result[c, 2] = shares[c] * force[2]
    return result

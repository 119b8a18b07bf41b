# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid contact: torques and contact wrenches that a motion needs, and whether the ground can give them (E.1)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter


class RigidSolution(NamedTuple):
    """Answer of the inverse dynamics."""

    torques: Array  # (n,) [N m]
    wrenches: Array  # (feet, rows) of the ground on each foot: force [N], then moment [N m]
    residual: float  # |D x − h|: 0 but for a motion that these feet can't support [N, N m]


class Feasibility(NamedTuple):
    """What a wrench asks of the ground, and whether it can be had."""

    normal: float  # [N]
    ratio: float  # |tangential| / normal
    zmp: Array  # (2,) in the sole [m]
    unilateral: bool  # the ground only has to push
    inside_cone: bool  # the ratio is at most mu
    zmp_in_sole: bool

    @property
    def feasible(self) -> bool:
        """All three."""
        return self.unilateral and self.inside_cone and self.zmp_in_sole


def inverse_dynamics(demand: Array, jacobians: Array) -> RigidSolution:
    """Torques and wrenches for h = M a + C + G with one or two feet at rest on the ground (8)–(15).

    Solves [B, J₁ᵀ, J₂ᵀ] x = h with x of least norm (15): unique in single support, 6-fold redundant in double
    support, where the norm mixes N m and N as the source does.

    Args:
        demand: (nv,) generalized forces h; the first nv − n rows belong to the unactuated base.
        jacobians: (feet, rows, nv): 6 rows for a flat foot, fewer for points; the base has as many coordinates as one
            foot has rows.
    """
    if jacobians.ndim != 3 or jacobians.shape[2] != demand.shape[0]:
        raise InvalidParameter("jacobians", jacobians.shape, f"an array (feet, rows, {demand.shape[0]})")
    feet, rows, size = jacobians.shape
    joints = size - rows
    selection = np.vstack((np.zeros((rows, joints)), np.eye(joints)))
    matrix = np.hstack((selection, *(jacobian.T for jacobian in jacobians)))
    answer = np.linalg.pinv(matrix, rcond=1e-12) @ demand
    residual = float(np.linalg.norm(matrix @ answer - demand))
    return RigidSolution(answer[:joints], answer[joints:].reshape(feet, rows), residual)


def feasibility(wrench: Array, mu: float, polygon: Array) -> Feasibility:
    """Whether a wrench (6,) about the sole's origin, in the sole's axes, is unilateral, in the cone and in the sole.

    Args:
        wrench: force [N] and moment [N m] of the ground on the foot.
        mu: available friction.
        polygon: (k, 2) convex sole in counter-clockwise order [m].
    """
    normal, tangential = float(wrench[2]), math.hypot(wrench[0], wrench[1])
    if normal <= 0.0:
        return Feasibility(normal, math.inf, np.full(2, math.nan), False, False, False)
    zmp = np.array([-wrench[4], wrench[3]]) / normal
    edges, to_zmp = np.roll(polygon, -1, axis=0) - polygon, zmp - polygon
    inside = bool(np.all(edges[:, 0] * to_zmp[:, 1] - edges[:, 1] * to_zmp[:, 0] >= -1e-12))
    ratio = tangential / normal
    return Feasibility(normal, ratio, zmp, True, ratio <= mu, inside)

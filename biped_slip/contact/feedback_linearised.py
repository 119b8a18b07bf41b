# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contacts solved in the space of their points (C.3, D.2), and Rengifo's law there.

The dynamics M a + h = tau + Jᵀ F give the points the acceleration J M⁻¹ Jᵀ F + (free
acceleration). Rengifo's law prescribes it, a* = (−k_v v_t, k_p (rest − height) − k_v
min(0, v_n)) (17), solves for F and projects each force on its cone (18)–(20).

It is the physics of one paper ([Rengifo2009]), the law `rengifo` of a scenario; Rodić's
shares the contact space. No walk of our own uses either by default.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray, Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter

# A robot in contact space: how forces at contact points accelerate them (C.3 (16),
# D.2).
#
# Rows and columns of contact-space arrays come in threes per point: two tangents, then
# the ground's normal.


class ContactSpace(NamedTuple):
    """Dynamics projected on the space of the contact points; m = 3 × points."""

    response: AnyArray  # (m, m) J M⁻¹ Jᵀ [1/kg]: acceleration per force
    free: AnyArray  # (m,) acceleration of the points without contact forces [m/s^2]
    to_joints: AnyArray  # (nv, m) M⁻¹ Jᵀ: joint acceleration per force
    free_joints: AnyArray  # (nv,) joint acceleration without contact forces


@kernel
def contact_space(
    mass: AnyArray,
    torque: AnyArray,
    bias: AnyArray,
    jacobian: AnyArray,
    drift: AnyArray,
) -> ContactSpace:
    """Project the dynamics M a + h = tau + Jᵀ F onto the contact points.

    Args: mass (nv, nv); torque and bias (nv,); jacobian (m, nv); drift (m,) = dJ/dt v
    [m/s^2].
    """
    m, nv = jacobian.shape
    columns = np.empty((nv, m + 1))  # one factorisation for all right-hand sides
    columns[:, :m] = jacobian.T
    columns[:, m] = torque - bias
    solved = np.linalg.solve(mass, columns)
    moved = jacobian @ solved
    return ContactSpace(
        moved[:, :m].copy(),
        moved[:, m] + drift,
        solved[:, :m].copy(),
        solved[:, m].copy(),
    )


@configuration
class FeedbackConfig(Configuration):
    """Gains of the desired contact acceleration (C.3); they do not depend on mass."""

    k_p: float = parameter(
        500.0, unit="1/s^2", low=0.0, source="C.3", doc="pull towards the resting depth"
    )
    k_v: float = parameter(
        250.0,
        unit="1/s",
        above=0.0,
        source="C.3",
        doc="damping, along the normal on approach only",
    )
    resting_height: float = parameter(
        -1.0e-6,
        unit="m",
        high=0.1,
        low=-0.1,
        source="C.3",
        doc="height of a point at rest (printed with a plus)",
    )
    rank_tolerance: float = parameter(
        1.0e-10,
        above=0.0,
        below=0.1,
        doc="singular values below this part of the largest are zero",
    )


@kernel
def desired_acceleration(
    height: float, vx: float, vy: float, vz: float, k_p: float, k_v: float, rest: float
) -> Array:
    """Compute the desired acceleration (17) with the resting height.

    It is (−k_v vx, −k_v vy, k_p (rest − height) − k_v min(0, vz)) [m/s^2].
    """
    return np.array([-k_v * vx, -k_v * vy, k_p * (rest - height) - k_v * min(0.0, vz)])


@kernel
def project_on_cone(force: Array, mu: float) -> Array:
    """Project a point force (x, y, n) [N] on the cone (19)–(20).

    Then f_n >= 0, and the tangent is scaled to mu f_n.
    """
    normal = max(0.0, force[2])
    tangent = math.sqrt(force[0] * force[0] + force[1] * force[1])
    scale = mu * normal / tangent if tangent > mu * normal else 1.0
    return np.array([force[0] * scale, force[1] * scale, normal])


@kernel
def linearising_forces(
    space: ContactSpace,
    height: Array,
    velocity: Array,
    mu: Array,
    k_p: float,
    k_v: float,
    rest: float,
    rank: float,
) -> Array:
    """Compute the ground's forces (n, 3) [N] on n points in contact (18)–(20).

    They are in the axes of the contact space.

    Args: height (n,) [m]; velocity (n, 3) [m/s]; mu (n,). All points given are taken to
    be in contact.
    """
    n = height.shape[0]
    wanted = np.empty(3 * n)
    for i in range(n):
        vx = velocity[i, 0]
        vy = velocity[i, 1]
        vz = velocity[i, 2]
        wanted[3 * i : 3 * i + 3] = desired_acceleration(
            height[i], vx, vy, vz, k_p, k_v, rest
        )
    raw = np.linalg.pinv(space.response, rank) @ (wanted - space.free)
    forces = np.empty((n, 3))
    for i in range(n):
        forces[i] = project_on_cone(raw[3 * i : 3 * i + 3], mu[i])
    return forces

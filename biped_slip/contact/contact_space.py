# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A robot seen from its contact points: how forces there accelerate them (C.3 (16), D.2).

Rows and columns of contact-space arrays come in threes per point: two tangents, then the ground's normal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.compile.kernel import kernel


class ContactSpace(NamedTuple):
    """m = 3 × points."""

    response: AnyArray  # (m, m) J M⁻¹ Jᵀ [1/kg]: acceleration per force
    free: AnyArray  # (m,) acceleration of the points without contact forces [m/s^2]
    to_joints: AnyArray  # (nv, m) M⁻¹ Jᵀ: joint acceleration per force
    free_joints: AnyArray  # (nv,) joint acceleration without contact forces


@kernel
def contact_space(
    mass: AnyArray, torque: AnyArray, bias: AnyArray, jacobian: AnyArray, drift: AnyArray
) -> ContactSpace:
    """Project the dynamics M a + h = tau + Jᵀ F onto the contact points.

    Args: mass (nv, nv); torque and bias (nv,); jacobian (m, nv); drift (m,) = dJ/dt v [m/s^2].
    """
    m, nv = jacobian.shape
    columns = np.empty((nv, m + 1))  # one factorisation for all right-hand sides
    columns[:, :m], columns[:, m] = jacobian.T, torque - bias
    solved = np.linalg.solve(mass, columns)
    moved = jacobian @ solved
    return ContactSpace(moved[:, :m].copy(), moved[:, m] + drift, solved[:, :m].copy(), solved[:, m].copy())


def robot_contact_space(
    model: Any, data: Any, q: AnyArray, v: AnyArray, torque: AnyArray, frames: list[int]
) -> tuple[ContactSpace, AnyArray, AnyArray]:
    """The contact space of any Pinocchio model at frames that mark its contact points, with world axes.

    Args:
        model, data: Pinocchio model and its data.
        q, v, torque: configuration (nq,), velocity (nv,), generalized forces (nv,) without contact.
        frames: frame indices of the contact points.

    Returns:
        The space, the points' positions (n, 3) [m] and velocities (n, 3) [m/s].
    """
    import pinocchio as pin

    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    bias = pin.nonLinearEffects(model, data, q, v)
    jacobian = np.vstack([pin.getFrameJacobian(model, data, frame, axes)[:3] for frame in frames])
    drift = np.concatenate([pin.getFrameClassicalAcceleration(model, data, f, axes).linear for f in frames])
    position = np.array([data.oMf[frame].translation for frame in frames])
    space = contact_space(mass, torque, bias, np.ascontiguousarray(jacobian), drift)
    return space, position, (jacobian @ v).reshape(-1, 3)

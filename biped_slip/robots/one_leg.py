# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How much of their torque hips, knees and ankles need to carry the robot on one leg."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from biped_slip.robots.humanoid import Humanoid

TIRED = 0.5  # of a torque limit: a step with bent knees takes half as much again (choice)
SIDEWAYS = 0.9  # of an axis along y from which a joint moves the leg forward and back (choice)


def one_leg_shares(humanoid: Humanoid) -> NDArray[np.float64]:
    """Torque over its limit (n,) of each joint that moves a leg forward and back, in the standing posture on that leg.

    The base's rows of ``g = J' w + S' tau`` give the wrench w on the one sole. Other joints and legs are 0: how far
    the weight is shifted over the foot is not known here, and changes nothing about axes across the way.
    """
    model, q, worst = humanoid.model, humanoid.standing(), np.zeros(humanoid.model.nv - 6)
    data = model.createData()
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for sole in humanoid.robot.soles:
        jacobian = pin.getFrameJacobian(model, data, model.getFrameId(sole), pin.LOCAL_WORLD_ALIGNED)
        wrench = np.linalg.solve(jacobian[:, :6].T, gravity[:6])
        torque = np.where(np.abs(jacobian[4]) > SIDEWAYS, gravity - jacobian.T @ wrench, 0.0)[6:]
        worst = np.maximum(worst, np.abs(torque) / humanoid.efforts)
    return np.asarray(worst)


def tired_joints(humanoid: Humanoid) -> list[str]:
    """One sentence for each joint that one leg asks too much of."""
    shares = one_leg_shares(humanoid)
    return [
        f"carrying the robot on one leg in 'posture' takes {100.0 * shares[i]:.0f} % of the torque of joint "
        f"{humanoid.robot.joints[i]}: bend the knees less"
        for i in np.flatnonzero(shares > TIRED)
    ]

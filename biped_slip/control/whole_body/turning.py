# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum about the vertical that a swinging leg has, which the other sole must give and take."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from biped_slip.control.whole_body.body import Body


def swing_lever(body: Body) -> float:
    """Momentum about the vertical per forward speed of a swing foot [kg m]: the larger one of both legs.

    With a level sole and the base at rest (joint rates of least norm) in the standing posture. 0 where a waist counters
    the legs, and for points, which hold no moment.
    """
    model, data = body.model, body.model.createData()
    if body.program.waists or body.program.corners.shape[1] < 3:
        return 0.0
    q = pin.neutral(model)
    q[7:] = body.posture
    momentum = pin.ccrba(model, data, q, np.zeros(model.nv))[5, 6:]
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    levers = []
    for sole in body.soles:
        jacobian = pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED)[:, 6:]
        levers.append(abs(float(momentum @ np.linalg.pinv(jacobian)[:, 0])))
    return max(levers)

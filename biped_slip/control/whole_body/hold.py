# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing by the joints alone: what a humanoid does as long as it does not know how its base moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings

STIFFNESS, DAMPING, BRAKING = 3.4, 0.1, 0.3  # [1/rad], [s/rad] of all joints and of the ankles, times weight (choice)
#: [kg m^2] of a joint below which less damping is stable at 1 kHz, with torques that come 2 ms late, too (choice)
ROTOR = 0.05
STRONG = 0.1  # [m] torque limit over weight from which a joint has these gains; weaker ones have their share (choice)


class JointHold:
    """Springs and dampers in the joints around the standing posture, and ankles that brake the base's sway.

    Needs encoders and the gyro.

    Args:
        model: Pinocchio model with a free-flyer root.
        soles: frame indices, left then right.
        posture: (n,) joint positions that it holds [rad].
        efforts: (n,) largest joint torques [N m]: a wrist with an ankle's gains would follow the encoders' noise.
    """

    def __init__(self, model: Any, soles: tuple[int, int], posture: Array, efforts: Array) -> None:
        weight = GRAVITY * float(sum(inertia.mass for inertia in model.inertias))
        self.posture, self._forward = posture, holding_torques(model, soles, posture)
        share = np.minimum(efforts / (STRONG * weight), 1.0)
        self._stiffness = STIFFNESS * weight * share
        self._damping = DAMPING * weight * share * min(1.0, float(np.min(model.armature[6:])) / ROTOR)
        ankles = [model.frames[sole].parentJoint for sole in soles]
        self._ankles = np.array(
            [[model.joints[j].idx_v - 6 for j in (joint, model.parents[joint])] for joint in ankles]
        )
        self._braking = BRAKING * weight

    def torques(self, readings: SensorReadings) -> Array:
        """Joint torques (n,) [N m]."""
        torques = self._forward + self._stiffness * (self.posture - readings.joint_position)
        torques -= self._damping * readings.joint_velocity
        torques[self._ankles] += self._braking * readings.angular_velocity_in_base[:2]
        return np.asarray(torques)


def holding_torques(model: Any, soles: tuple[int, int], posture: Array) -> Array:
    """Joint torques (n,) of the standing posture, the soles sharing the weight in the sense of least squares."""
    data, q = model.createData(), pin.neutral(model)
    q[7:] = posture
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    frames = [pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED) for sole in soles]
    jacobian = np.vstack(frames)
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return np.asarray((gravity - jacobian.T @ wrenches)[6:])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joint hold: joints at the standing posture, ankles that brake the base's sway.

``tau = tau_0 + K (q_0 - q) - D q'`` with the torques ``tau_0`` of the posture under
gravity. It needs encoders and the gyro: what a humanoid does as long as it does not
know how its base moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings

STIFFNESS = 3.4  # [1/rad] of all joints, times weight (choice)
DAMPING = 0.1  # [s/rad] of all joints, times weight (choice)
BRAKING = 0.3  # [s/rad] of the ankles, times weight (choice)
#: [kg m^2] of a joint below which only softer gains bear torques that are 2 ms late,
#: and the softest share that stands
# (choice)
ROTOR = 0.05
LIGHT_LOAD = 0.2
# [s] of a known delay from which on these gains fall, so that its phase stays (choice)
PROMPT = 1e-3
# [m] torque limit over weight from which a joint has these gains; weaker ones have
# their share (choice)
STRONG = 0.1


class JointHold:
    """Joint PD hold around the standing posture, and ankles that brake the base's sway.

    Needs encoders and the gyro: what a humanoid does as long as it does not know how
    its base moves.

    Args:
        model: Pinocchio model with a free-flyer root.
        soles: frame indices, left then right.
        posture: (n,) joint positions that it holds [rad].
        efforts: (n,) largest joint torques [N m]: a wrist with an ankle's gains would
            follow the encoders' noise.
        delay: of the torques behind their commands [s].
    """

    def __init__(
        self,
        model: Any,
        soles: tuple[int, int],
        posture: Array,
        efforts: Array,
        delay: float = 0.0,
    ) -> None:
        weight = GRAVITY * float(sum(inertia.mass for inertia in model.inertias))
        self.posture = posture
        self._forward = holding_torques(model, soles, posture)
        rotor = min(1.0, float(np.min(model.armature[6:])) / ROTOR)
        softer = PROMPT / max(delay, PROMPT) * max(rotor, LIGHT_LOAD)
        share = softer * np.minimum(efforts / (STRONG * weight), 1.0)
        self._stiffness = STIFFNESS * weight * share
        self._damping = DAMPING * weight * share * rotor
        ankles = [model.frames[sole].parentJoint for sole in soles]
        self._ankles = np.array(
            [[model.joints[j].idx_v - 6 for j in (i, model.parents[i])] for i in ankles]
        )
        self._braking = softer * BRAKING * weight

    def torques(self, readings: SensorReadings) -> Array:
        """Compute joint torques (n,) [N m]."""
        torques = self._forward + self._stiffness * (
            self.posture - readings.joint_position
        )
        torques -= self._damping * readings.joint_velocity
        torques[self._ankles] += self._braking * readings.angular_velocity_in_base[:2]
        return np.asarray(torques)


def holding_torques(model: Any, soles: tuple[int, int], posture: Array) -> Array:
    """Compute joint torques (n,) of the standing posture.

    The soles share the weight by least squares.
    """
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = posture
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    frames = [
        pin.getFrameJacobian(model, data, sole, pin.LOCAL_WORLD_ALIGNED)
        for sole in soles
    ]
    jacobian = np.vstack(frames)
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return np.asarray((gravity - jacobian.T @ wrenches)[6:])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joint hold: joints at the standing posture, ankles that brake the base's sway.

``tau = tau_0 + K (q_0 - q) - D q'`` with the torques ``tau_0`` of the posture under
gravity. It needs encoders and the gyro: what a humanoid does as long as it does not
know how its base moves.

A loop that answers every ``dt`` takes the share ``D dt / I`` of the rate of a joint of
inertia I: from 2 on it swings ever further. Gains go with the weight, and light joints
of a heavy robot have what they bear (:data:`MOST_TAKEN`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import UPRIGHT, ankle_joints
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
# of a joint's rate that one tick may take from a joint that hangs freely: half of what
# a loop bears (choice)
MOST_TAKEN = 1.0
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
        share = np.minimum(efforts / (STRONG * weight), 1.0)
        taken = DAMPING * weight * share * rotor * max(rotor, LIGHT_LOAD) * PROMPT
        inertia = MOST_TAKEN * free_inertia(model, posture)
        share *= softer * np.minimum(inertia / np.maximum(taken, inertia), 1.0)
        self._stiffness = STIFFNESS * weight * share
        self._damping = DAMPING * weight * share * rotor
        self._ankles, axes = ankle_axes(model, soles, posture)
        self._braking = softer * BRAKING * weight * axes

    def torques(self, readings: SensorReadings) -> Array:
        """Compute joint torques (n,) [N m]."""
        torques = self._forward + self._stiffness * (
            self.posture - readings.joint_position
        )
        torques -= self._damping * readings.joint_velocity
        torques[self._ankles] += self._braking @ readings.angular_velocity_in_base[:2]
        return np.asarray(torques)


def free_inertia(model: Any, posture: Array) -> Array:
    """Compute the inertia (n,) [kg m^2] of what each joint carries, and its rotor."""
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = posture
    return np.array(np.diag(pin.crba(model, data, q))[6:])


def ankle_axes(
    model: Any, soles: tuple[int, int], posture: Array
) -> tuple[Array, Array]:
    """Find joints (k,) that pitch and roll the feet, and their axes (k, 2) in the base.

    Axes are x and y to nine digits: a posture's angles add up to level soles but for
    rounding.
    """
    data = model.createData()
    q = pin.neutral(model)
    q[7:] = posture
    pin.computeJointJacobians(model, data, q)
    places = [
        model.idx_vs[joint]
        for joints in ankle_joints(model, soles, q)
        for joint in joints
    ]
    axes = np.round(data.J[3:5, places].T, 9).reshape(-1, 2)
    turning = np.linalg.norm(axes, axis=1) > UPRIGHT
    return np.array(places, dtype=int)[turning] - 6, axes[turning]


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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A humanoid that swings its left leg, and lands it sliding, with torques by RNEA.

Base and right leg are at rest, the whole robot leans so far that its right sole carries
it alone. Pinocchio's own inverse dynamics says what the floor and
the motors do: an implementation that shares nothing with the product's model functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from biped_slip.robots.humanoid import IMU, Humanoid
from biped_slip.robots.robot import SOLES

PERIOD = 1e-3  # [s]
STANDS = 0.1  # [s] before the swing begins
LANDS = 0.62  # [s] when the foot meets the floor
TIME = 0.67  # [s] in all
LEAN = 0.15  # [rad] to the right
LOAD = 0.25  # of the weight on the landing foot
#: Left hip pitch, knee, ankle pitch: how they move over the swing [rad].
MOVES = {
    "left_hip_pitch_joint": -0.45,
    "left_knee_joint": 0.7,
    "left_ankle_pitch_joint": -0.2,
}


@dataclass
class Recording:
    """Samples of the sensors, and true wrenches of the floor in the soles."""

    position: np.ndarray  # (T, n)
    velocity: np.ndarray  # (T, n)
    torque: np.ndarray  # (T, n) of the joints, without friction
    rate: np.ndarray  # (T, 3)
    felt: np.ndarray  # (T, 3)
    wrench: np.ndarray  # (T, 2, 6)


def left_leg(time: float) -> tuple[float, float, float]:
    """Return how far a joint has moved, its rate and acceleration, in shares.

    It goes on without end, ever faster from the middle of the swing: joints keep their
    sign over the landing, as those of a foot that is drawn back.
    """
    since = max(time - STANDS, 0.0)
    return 2.0 * since**2, 4.0 * since, 4.0 if since > 0.0 else 0.0


def wrenches_wanted(time: float, weight: float, mu: float) -> np.ndarray:
    """Return the wrench (6,) on the left sole: none in the air, then a slide."""
    wrench = np.zeros(6)
    if time < STANDS:
        wrench[2] = 0.5 * weight
    elif time >= LANDS:
        rise = min((time - LANDS) / 0.005, 1.0)
        wrench[2] = rise * LOAD * weight
        wrench[0] = mu * wrench[2]
    return wrench


def swing_and_land(humanoid: Humanoid, mu: float) -> Recording:
    """Compute what the sensors of a humanoid say over one swing and landing."""
    model = humanoid.robot.model
    data = model.createData()
    frames = [model.getFrameId(name) for name in SOLES]
    imu = model.frames[model.getFrameId(IMU)]
    leaning = np.array([np.sin(0.5 * LEAN), 0.0, 0.0, np.cos(0.5 * LEAN)])
    upright = pin.Quaternion(leaning).toRotationMatrix() @ imu.placement.rotation
    rows = []
    for tick in range(round(TIME / PERIOD)):
        time = tick * PERIOD
        q = humanoid.standing()
        q[3:7] = leaning
        v = np.zeros(model.nv)
        a = np.zeros(model.nv)
        for name, way in MOVES.items():
            joint = humanoid.robot.joints.index(name)
            moved, rate, faster = left_leg(time)
            q[7 + joint] += way * moved
            v[6 + joint] = way * rate
            a[6 + joint] = way * faster
        needed = pin.rnea(model, data, q, v, a) + model.armature * a
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        left, right = (
            pin.getFrameJacobian(model, data, frame, pin.LOCAL) for frame in frames
        )
        wrench = np.zeros((2, 6))
        wrench[0] = wrenches_wanted(time, humanoid.weight, mu)
        carried = needed[:6] - left[:, :6].T @ wrench[0]
        wrench[1] = np.linalg.solve(right[:, :6].T, carried)
        torque = needed - left.T @ wrench[0] - right.T @ wrench[1]
        assert np.abs(torque[:6]).max() < 1e-9
        felt = upright.T @ np.array([0.0, 0.0, 9.81])
        rows.append((q[7:], v[6:], torque[6:], np.zeros(3), felt, wrench))
    return Recording(*map(np.array, zip(*rows, strict=True)))

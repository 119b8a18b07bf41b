# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the legs' encoders agree with both soles resting on one floor; names the joint whose sign is flipped.

Two planted soles close a chain through both legs: seen from one sole the other neither moves nor tilts, both are at
one height, and both are level to the base, which stands upright. Nothing else is asked: with a wrong encoder in a leg
a robot soon falls, and its IMU then feels anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array

LEVEL = 0.2  # [rad] of a sole against the base: it leans, soles give, floors slope (choice)
DRIFT, TURN = 0.005, 0.015  # of the reach, [rad] rms of a sole seen from the other: soles creep and give (choice)
STEP = 0.05  # of the reach, between the soles' heights: uneven floors (choice)
BROKEN = 2.0  # residual from which the encoders contradict each other; right ones stay below 1 (choice)
ALIKE = 1.5  # times the smallest residual: not told apart (choice)
UP = np.array([0.0, 0.0, 1.0])
UNCLEAR = "an encoder of the legs is wrong, in sign or offset: the soles move against each other though both stand"
POSES = 100  # of a window that are looked at, about


class LegClosure:
    """The chain through both legs of a biped that stands on flat soles.

    Args:
        model: Pinocchio model with a free-flyer root, joints in the readings' order.
        soles: names of the sole frames, left and right.
    """

    def __init__(self, model: Any, soles: tuple[str, str]) -> None:
        self._model, self._data = model, model.createData()
        self._soles = [model.getFrameId(sole) for sole in soles]
        self._q = pin.neutral(model)
        self._legs = leg_joints(model, soles)

    def residual(self, joints: Array) -> float:
        """How far joints (T, n) [rad] are from a closed chain, in units of what may be."""
        poses = [self._poses(one) for one in joints]
        reach = float(np.mean([-left.translation[2] for left, _ in poses]))
        tilts = [[np.linalg.norm(UP - sole.rotation[:, 2]) for sole in both] for both in poses]
        heights = [(left.translation - right.translation)[2] for left, right in poses]
        across = [left.inverse() * right for left, right in poses]
        drift = np.var([one.translation for one in across], axis=0).sum()
        turn = np.var([pin.log3(across[0].rotation.T @ one.rotation) for one in across], axis=0).sum()
        parts = (
            *np.sqrt(np.mean(np.square(tilts), axis=0)) / LEVEL,
            np.mean(np.abs(heights)) / (STEP * reach),
            np.sqrt(drift) / (DRIFT * reach),
            np.sqrt(turn) / TURN,
        )
        return float(np.linalg.norm(parts))

    def faults(self, joints: Array) -> tuple[str, ...]:
        """What is wrong with the legs' encoders, at most one sentence, from joints (T, n) of standing [rad]."""
        joints = joints[:: max(len(joints) // POSES, 1)]
        right = self.residual(joints)
        if right < BROKEN:
            return ()
        tried = {joint: self.residual(self._flipped(joints, joint)) for joint in self._legs}
        least = min(tried.values())
        if least > 0.5 * right or least > BROKEN:
            return (UNCLEAR,)
        names = [self._model.names[joint] for joint, one in tried.items() if one <= ALIKE * max(least, 0.5)]
        return (f"the encoder of joint {' or '.join(names)} has the opposite sign: the soles move against each other",)

    def _flipped(self, joints: Array, joint: int) -> Array:
        signs = np.ones(joints.shape[1])
        signs[self._model.idx_qs[joint] - 7] = -1.0
        return joints * signs

    def _poses(self, joints: Array) -> tuple[Any, Any]:
        self._q[7:] = joints
        pin.forwardKinematics(self._model, self._data, self._q)
        left, right = (pin.SE3(pin.updateFramePlacement(self._model, self._data, sole)) for sole in self._soles)
        return left, right


def leg_joints(model: Any, soles: tuple[str, str]) -> list[int]:
    """Joints between the base and the soles."""
    return sorted({joint for sole in soles for joint in _chain(model, model.getFrameId(sole))})


def _chain(model: Any, frame: int) -> list[int]:
    """Joints from the base to a frame."""
    joint, chain = model.frames[frame].parentJoint, []
    while joint > 1:
        chain.append(joint)
        joint = model.parents[joint]
    return chain

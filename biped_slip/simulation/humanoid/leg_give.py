# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Legs that give way along the floor between their encoders and their soles, as no encoder sees."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.sensor_config import EncoderConfig

DAMPING = 1e-6  # of the smallest joint angles that explain a motion: a straight leg is told no infinite one


class LegGive:
    """What encoders show too little or too much, for the force of the ground on each sole.

    Args:
        humanoid: whose legs they are.
        config: how stiff.
        rng: draws each leg's own compliance.
    """

    def __init__(self, humanoid: Humanoid, config: EncoderConfig, rng: Generator) -> None:
        self._model = humanoid.model
        self._data, self._frames = (
            self._model.createData(),
            [self._model.getFrameId(one) for one in humanoid.robot.soles],
        )
        self.compliance = np.maximum(1.0 + config.leg_spread * rng.standard_normal(2), 0.0) / config.leg_stiffness

    def shown(self, q: Array, forces: Array) -> Array:
        """Error (n,) of the joints [rad]: they show each sole where it is but for its leg's give.

        Args:
            q: coordinates (nq,).
            forces: (2, 3) of the ground on the soles, in the world [N].
        """
        pin.computeJointJacobians(self._model, self._data, q)
        error = np.zeros(q.size - 7)
        for foot, frame in enumerate(self._frames):
            jacobian = pin.getFrameJacobian(self._model, self._data, frame, pin.LOCAL_WORLD_ALIGNED)[:, 6:]
            moved = np.zeros(6)
            moved[:2] = -self.compliance[foot] * forces[foot, :2]
            error += jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + DAMPING * np.eye(6), moved)
        return error

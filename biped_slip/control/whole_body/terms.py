# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the whole-body program needs of the robot at one instant, from Pinocchio."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from biped_slip.estimation.readings import Array
from biped_slip.kernels import kernel

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Terms(NamedTuple):
    """Dynamics and kinematics at one state; feet left, right; velocities as Pinocchio has them (base in base)."""

    mass_matrix: Array  # (nv, nv)
    bias: Array  # (nv,) Coriolis, centrifugal and gravity [N, N m]
    jacobians: Array  # (2, 6, nv) of the soles, linear over angular, world axes
    drift: Array  # (2, 6) their acceleration at zero joint acceleration
    position: Array  # (2, 3) of the soles [m], world
    rotation: Array  # (2, 3, 3) sole to world
    velocity: Array  # (2, 6) linear [m/s] over angular [rad/s], world axes
    centre_of_mass: Array  # (3,) [m]
    centre_velocity: Array  # (3,) [m/s]
    angular_momentum: Array  # (3,) about the centre of mass [kg m^2/s]


@kernel
def symmetric(upper: Array) -> Array:
    """A matrix of which the upper triangle is given; Pinocchio fills no more of the mass matrix."""
    size = upper.shape[0]
    whole = np.empty((size, size))
    for i in range(size):
        for j in range(i, size):
            whole[i, j] = whole[j, i] = upper[i, j]
    return whole


class TermsSource:
    """Computes the terms of one robot; owns Pinocchio's workspace.

    Args:
        model: Pinocchio model with a free-flyer root.
        soles: frame indices, left then right.
    """

    def __init__(self, model: Any, soles: tuple[int, int]) -> None:
        self._model, self._data, self._soles = model, model.createData(), soles
        self._still = np.zeros(model.nv)
        self._jacobians = np.zeros((2, 6, model.nv))

    def at(self, q: Array, v: Array) -> Terms:
        """Terms at a state; the arrays are overwritten by the next call."""
        model, data = self._model, self._data
        pin.forwardKinematics(model, data, q, v, self._still)
        drift, position, rotation, velocity = np.empty((2, 6)), np.empty((2, 3)), np.empty((2, 3, 3)), np.empty((2, 6))
        for i, sole in enumerate(self._soles):
            drift[i] = pin.getFrameClassicalAcceleration(model, data, sole, AXES).vector
            velocity[i] = pin.getFrameVelocity(model, data, sole, AXES).vector
            place = pin.updateFramePlacement(model, data, sole)
            position[i], rotation[i] = place.translation, place.rotation
        pin.computeAllTerms(model, data, q, v)
        for i, sole in enumerate(self._soles):
            self._jacobians[i] = pin.getFrameJacobian(model, data, sole, AXES)
        return Terms(symmetric(data.M), data.nle, self._jacobians, drift, position, rotation, velocity, data.com[0],
                     data.vcom[0], data.hg.angular)  # fmt: skip

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the whole-body program needs of the robot at one instant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import without_dispatch
from biped_slip.robots.floating_functions import floating_functions
from biped_slip.robots.robot import Robot


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


class TermsSource:
    """Computes the terms of one robot, into arrays of its own.

    Args:
        robot: with a floating base.
    """

    def __init__(self, robot: Robot) -> None:
        functions, nv = floating_functions(robot), robot.model.nv
        self._robot = functions.generated
        self.terms = Terms(
            np.zeros((nv, nv)), np.zeros(nv), np.zeros((2, 6, nv)), np.zeros((2, 6)), np.zeros((2, 3)),
            np.zeros((2, 3, 3)), np.zeros((2, 6)), np.zeros(3), np.zeros(3), np.zeros(3),
        )  # fmt: skip
        example = self._robot, np.zeros(robot.model.nq), np.zeros(nv), *self.terms
        self._fill: Any = without_dispatch(functions.whole_body_terms, *example)

    def at(self, q: Array, v: Array) -> Terms:
        """Terms at a state; the arrays are overwritten by the next call."""
        self._fill(self._robot, q, v, *self.terms)
        return self.terms

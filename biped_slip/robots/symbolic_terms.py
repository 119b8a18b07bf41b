# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What control and estimation of a floating-base robot need of its model, as expressions of q and v.

Bodies beyond a joint move as one in the mass matrix; their inertia is kept as mass, first and second moment about the
joint, which a change of axes costs a third of what it does as a matrix (6, 6). The base's rows of the mass matrix are
the whole robot's momentum per velocity, so centre of mass and momentum come from them.

References:
    R. Featherstone, Rigid Body Dynamics Algorithms [Featherstone2008]: table 6.2 (CRBA), sections 2.13 and 9.4.
"""

from __future__ import annotations

from typing import Any

import casadi as cs

from biped_slip.robots.symbolic_dynamics import SymbolicDynamics, constant, skew, symmetric


class SymbolicTerms:
    """Mass matrix, bias, soles and centre of mass of a robot whose base floats."""

    def __init__(self, dynamics: SymbolicDynamics) -> None:
        self._dynamics, self._model = dynamics, dynamics.model

    def mass_matrix(self) -> Any:
        """Joint-space inertia M(q) with the rotors' (table 6.2)."""
        one, composites = self._dynamics, self._composites()
        matrix = cs.diag(constant(self._model.armature))
        for i in range(one.count - 1, 0, -1):
            force, row = composites[i] @ one.subspace[i], one.rows(i)
            matrix[row, row] += one.subspace[i].T @ force
            j = i
            while self._model.parents[j] > 0:
                force, j = one.transform[j].T @ force, self._model.parents[j]
                column = one.rows(j)
                matrix[column, row] = one.subspace[j].T @ force
                matrix[row, column] = matrix[column, row].T
        return matrix

    def _composites(self) -> list[Any]:
        """Inertia (6, 6) of each body with all beyond it, in the body's axes."""
        masses, firsts, seconds = [0.0], [cs.SX(3, 1)], [cs.SX(3, 3)]
        for inertia in self._model.inertias[1 : self._dynamics.count]:
            masses.append(inertia.mass)
            firsts.append(constant(inertia.mass * inertia.lever))
            seconds.append(constant(inertia.matrix()[3:, 3:]))
        for i in range(self._dynamics.count - 1, 1, -1):
            parent, (rotation, position) = self._model.parents[i], self._dynamics.places[i]
            turned, place = rotation @ firsts[i], skew(position)
            mixed = place @ skew(turned)
            masses[parent] += masses[i]
            firsts[parent] += turned + masses[i] * position
            second = rotation @ symmetric(seconds[i]) @ rotation.T - masses[i] * place @ place - mixed - mixed.T
            seconds[parent] += symmetric(second)
        return [None] + [
            cs.vertcat(cs.horzcat(mass * cs.SX(cs.DM.eye(3)), -skew(first)), cs.horzcat(skew(first), second))
            for mass, first, second in zip(masses[1:], firsts[1:], seconds[1:], strict=True)
        ]

    def centre(self, mass_matrix: Any) -> tuple[Any, Any, Any]:
        """Centre of mass, its velocity, and the angular momentum about it, each (3,) in the world."""
        one, mass = self._dynamics, mass_matrix[0, 0]
        first = cs.vertcat(mass_matrix[1, 5], mass_matrix[2, 3], mass_matrix[0, 4])  # M[:3, 3:6] = -skew(first)
        momentum, turn = mass_matrix[:6, :] @ one.v, one.rotation[1]
        place = first / mass
        spin = momentum[3:] - cs.cross(place, momentum[:3])
        return one.q[:3] + turn @ place, turn @ (momentum[:3] / mass), turn @ spin

    def sole_jacobians(self) -> list[Any]:
        """Of each sole (6, nv), linear over angular, world axes."""
        return [self._jacobian(sole) for sole in self._dynamics.soles]

    def _jacobian(self, sole: Any) -> Any:
        one, matrix = self._dynamics, cs.SX(6, self._model.nv)
        joint = sole["joint"]
        while joint > 0:
            axes = one.subspace[joint]
            linear, angular = one.rotation[joint] @ axes[:3, :], one.rotation[joint] @ axes[3:, :]
            arm = sole["position"] - one.position[joint]
            matrix[:, one.rows(joint)] = cs.vertcat(linear - skew(arm) @ angular, angular)
            joint = self._model.parents[joint]
        return matrix

    def sole_drifts(self) -> list[Any]:
        """Acceleration (6,) of each sole at zero joint acceleration, linear over angular, world axes."""
        one = self._dynamics
        proper = one.proper_accelerations(cs.SX(self._model.nv, 1))
        drifts = []
        for sole in one.soles:
            joint, place = sole["joint"], sole["place"]
            velocity, acceleration, turn = one.velocity[joint], proper[joint], one.rotation[joint]
            angular = velocity[3:]
            linear = acceleration[:3] + cs.cross(acceleration[3:], place)
            linear += cs.cross(angular, velocity[:3] + cs.cross(angular, place))
            drifts.append(cs.vertcat(turn @ linear + one.gravity[:3], turn @ acceleration[3:]))
        return drifts

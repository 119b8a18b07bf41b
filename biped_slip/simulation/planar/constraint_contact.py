# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plant on laws that solve for all contact points at once: Rengifo's (C) and Rodić's (D), semi-implicit Euler.

Contact space has three rows per foot in the floor's axes: along it, across (idle in a sagittal world), its normal.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.contact_config import ContactConfig
from biped_slip.contact.contact_space import ContactSpace, contact_space
from biped_slip.contact.feedback_linearised import linearising_forces
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.simulation.planar.plant_state import Advance, PlantKernels, PlantState, SoleForces


class Soles(NamedTuple):
    """Both soles in the floor's axes."""

    space: ContactSpace  # 6 rows
    height: Array  # (2,) [m] over the floor
    velocity: Array  # (2, 3) [m/s]
    mu: Array  # (2,)


SolesOnFloor = Callable[[Array, Array, Array, Ground], Soles]  # (q, v, tau, ground)
Solve = Callable[[Soles, Any, float], Array]  # (soles, settings, dt) -> forces (2, 3) [N] in the floor's axes
Collide = Callable[[Soles, Any], Array]  # (soles, settings) -> impulses (2, 3) [N s] in the floor's axes
Evaluate = Callable[[PlantState, Array, Ground, Any, float], tuple[SoleForces, Array]]


def constraint_kernels(functions: ModelFunctions, contact: ContactConfig) -> PlantKernels:
    """The plant's kernels for a robot on Rengifo's or Rodić's law."""
    soles = soles_of(functions)
    if contact.law == "rodic":  # its solver takes seconds to import: only who uses it pays
        from biped_slip.simulation.planar.complementarity_contact import complementarity_forces, complementarity_impulse

        return _kernels(soles, complementarity_forces, complementarity_impulse, contact.rodic.packed)
    return _kernels(soles, feedback_forces, no_impulse, contact.rengifo.packed)


def _kernels(soles_on_floor: SolesOnFloor, solve: Solve, collide: Collide, packed: Any) -> PlantKernels:
    evaluate = evaluate_by(soles_on_floor, solve)

    def forces(state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float) -> SoleForces:
        return evaluate(state, tau, ground, settings, dt)[0]

    def acceleration(state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float) -> Array:
        return evaluate(state, tau, ground, settings, dt)[1]

    return PlantKernels(forces, advance_by(soles_on_floor, solve, collide), acceleration, packed)


def soles_of(functions: ModelFunctions) -> SolesOnFloor:
    """Motion and contact space of both soles."""
    sole_motion, sole_jacobians = functions.sole_motion, functions.sole_jacobians
    dynamics_terms, sole_drift = functions.dynamics_terms, functions.sole_drift

    @kernel
    def soles_on_floor(q: Array, v: Array, tau: Array, ground: Ground) -> Soles:
        position, velocity = sole_motion(q, v)
        (mass, bias), drift = dynamics_terms(q, v), sole_drift(q, v)
        c, s = ground.cos, ground.sin
        jacobian, world = np.zeros((6, q.shape[0])), sole_jacobians(q)
        drifts, height, speeds, mu = np.zeros(6), np.empty(2), np.zeros((2, 3)), np.empty(2)
        for foot in range(2):
            x, z = world[3 * foot], world[3 * foot + 2]
            jacobian[3 * foot], jacobian[3 * foot + 2] = c * x + s * z, c * z - s * x
            drifts[3 * foot] = c * drift[foot, 0] + s * drift[foot, 2]
            drifts[3 * foot + 2] = c * drift[foot, 2] - s * drift[foot, 0]
            height[foot] = height_along_normal(ground, position[foot, 0], position[foot, 2])
            speeds[foot, 0] = c * velocity[foot, 0] + s * velocity[foot, 2]
            speeds[foot, 2] = c * velocity[foot, 2] - s * velocity[foot, 0]
            mu[foot] = friction_at(ground, position[foot, 0])
        return Soles(contact_space(mass, tau, bias, jacobian, drifts), height, speeds, mu)

    return soles_on_floor


@kernel
def rows_of(feet: NDArray[Any]) -> NDArray[Any]:
    """Contact-space rows of the listed feet."""
    rows = np.empty(3 * feet.shape[0], dtype=np.int64)
    for k in range(feet.shape[0]):
        for axis in range(3):
            rows[3 * k + axis] = 3 * feet[k] + axis
    return rows


@kernel
def part_of(space: ContactSpace, feet: NDArray[Any]) -> ContactSpace:
    """The contact space of some feet."""
    rows = rows_of(feet)
    response = np.empty((rows.shape[0], rows.shape[0]))
    for i in range(rows.shape[0]):
        for j in range(rows.shape[0]):
            response[i, j] = space.response[rows[i], rows[j]]
    return ContactSpace(response, space.free[rows], space.to_joints[:, rows], space.free_joints)


@kernel
def feedback_forces(soles: Soles, settings: Any, dt: float) -> Array:
    """Rengifo's forces on the soles that touch (C.3)."""
    forces, feet = np.zeros((2, 3)), np.flatnonzero(soles.height <= 0.0)
    if feet.shape[0] > 0:
        found = linearising_forces(
            part_of(soles.space, feet), soles.height[feet], soles.velocity[feet], soles.mu[feet],
            settings.k_p, settings.k_v, settings.resting_height, settings.rank_tolerance,
        )  # fmt: skip
        for k in range(feet.shape[0]):
            forces[feet[k]] = found[k]
    return forces


@kernel
def no_impulse(soles: Soles, settings: Any) -> Array:
    """Rengifo's contact has no impacts."""
    return np.zeros((2, 3))


def evaluate_by(soles_on_floor: SolesOnFloor, solve: Solve) -> Evaluate:
    """Contact forces in a state under generalized torques (nv,), and the acceleration (nv,) that results."""

    @kernel
    def evaluate(state: PlantState, tau: Array, ground: Ground, settings: Any, dt: float) -> tuple[SoleForces, Array]:
        soles = soles_on_floor(state.q, state.v, tau, ground)
        local = solve(soles, settings, dt)
        c, s = ground.cos, ground.sin
        world = np.empty((2, 2))
        for foot in range(2):
            world[foot, 0] = c * local[foot, 0] - s * local[foot, 2]
            world[foot, 1] = s * local[foot, 0] + c * local[foot, 2]
        acceleration = soles.space.free_joints + soles.space.to_joints @ local.copy().reshape(-1)
        return SoleForces(world, local[:, 2].copy(), soles.mu, soles.velocity[:, 0].copy()), acceleration

    return evaluate


def advance_by(soles_on_floor: SolesOnFloor, solve: Solve, collide: Collide) -> Advance:
    """State after a number of steps of dt [s]: impacts first, then one semi-implicit Euler step."""

    @kernel
    def advance(state: PlantState, tau: Array, ground: Ground, settings: Any, steps: int, dt: float) -> PlantState:
        q, v = state.q, state.v
        for _ in range(steps):
            soles = soles_on_floor(q, v, tau, ground)
            impulses = collide(soles, settings)
            if np.any(impulses != 0.0):
                v = v + soles.space.to_joints @ impulses.copy().reshape(-1)
                soles = soles_on_floor(q, v, tau, ground)
            forces = solve(soles, settings, dt)
            v = v + dt * (soles.space.free_joints + soles.space.to_joints @ forces.copy().reshape(-1))
            q = q + dt * v
        return PlantState(q, v, state.contact)

    return advance

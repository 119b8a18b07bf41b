# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plant on contact laws of points: explicit midpoint for the coordinates, exact steps of the contact's memory."""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.contact_config import ContactConfig
from biped_slip.contact.ground import Ground
from biped_slip.contact.point_contact import FootForce, PointMotion, planar_point
from biped_slip.contact.point_law import PointLaw, load, store
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.simulation.planar.plant_state import (
    Acceleration,
    Advance,
    ContactForces,
    PlantKernels,
    PlantState,
    SoleForces,
)


class Work(NamedTuple):
    """Arrays that the evaluations of one call share."""

    position: Array  # (2, 3) of the soles
    velocity: Array  # (2, 6)
    wrenches: Array  # (2, 6)
    acceleration: Array  # (nv,)


@kernel
def new_work(nv: int) -> Work:
    """Arrays for a robot of ``nv`` velocities."""
    return Work(np.empty((2, 3)), np.empty((2, 6)), np.zeros((2, 6)), np.empty(nv))


#: (state, before, after, tau, ground, law, dt, work): fills ``work`` and ``after``
Stage = Callable[[PlantState, Array, Array, Array, Ground, PointLaw, float, Work], None]


def penalty_kernels(functions: ModelFunctions, contact: ContactConfig) -> PlantKernels:
    """The plant's kernels for a robot on a law of points."""
    foot_force = planar_point(contact.pair)
    stage = stage_of(functions, foot_force)
    return PlantKernels(
        forces_of(functions, foot_force), advance_by(stage), acceleration_by(stage), contact.pair.packed, compiled=True
    )


def forces_of(functions: ModelFunctions, foot_force: FootForce) -> ContactForces:
    """Contact forces in a state."""
    sole_motion = functions.sole_motion

    @kernel
    def contact_forces(state: PlantState, tau: Array, ground: Ground, law: PointLaw, dt: float) -> SoleForces:
        position, velocity = sole_motion(state.q, state.v)
        result = SoleForces(np.empty((2, 2)), np.empty(2), np.empty(2), np.empty(2))
        for foot in range(2):
            memory = load(state.contact, foot)
            motion = PointMotion(position[foot, 0], position[foot, 2], velocity[foot, 0], velocity[foot, 2])
            force, _ = foot_force(memory, memory, motion, ground, law, 0.0)
            result.force[foot, 0], result.force[foot, 1] = force.x, force.z
            result.normal[foot], result.mu[foot] = force.normal, force.mu
            result.slip_velocity[foot] = force.slip_velocity
        return result

    return contact_forces


def stage_of(functions: ModelFunctions, foot_force: FootForce) -> Stage:
    """Acceleration in a state into ``work``, and the contact memory that follows ``before`` by dt into ``after``."""
    coordinates, sole_motion_into = functions.coordinates, functions.sole_motion_into
    joint_acceleration_into = functions.joint_acceleration_into

    @kernel(inline="code")
    def stage_in(
        state: PlantState, before: Array, after: Array, tau: Array, ground: Ground, law: PointLaw, dt: float, work: Work
    ) -> None:
        q, v = coordinates(state.q), coordinates(state.v)
        sole_motion_into(q, v, work.position, work.velocity)
        for foot in range(2):
            motion = PointMotion(
                work.position[foot, 0], work.position[foot, 2], work.velocity[foot, 0], work.velocity[foot, 2]
            )
            force, memory = foot_force(load(state.contact, foot), load(before, foot), motion, ground, law, dt)
            work.wrenches[foot, 0], work.wrenches[foot, 2] = force.x, force.z
            store(after, foot, memory)
        joint_acceleration_into(q, v, tau, work.wrenches, work.acceleration)

    return stage_in


def advance_by(stage: Stage) -> Advance:
    """State after a number of midpoint steps of dt [s] under constant generalized torques (nv,)."""

    @kernel
    def advance(state: PlantState, tau: Array, ground: Ground, law: PointLaw, steps: int, dt: float) -> PlantState:
        nv = state.v.shape[0]
        now = PlantState(state.q.copy(), state.v.copy(), state.contact.copy())
        middle = PlantState(np.empty(nv), np.empty(nv), np.empty_like(now.contact))
        work = new_work(nv)
        for _ in range(steps):
            stage(now, now.contact, middle.contact, tau, ground, law, 0.5 * dt, work)
            for i in range(nv):
                middle.q[i] = now.q[i] + 0.5 * dt * now.v[i]
                middle.v[i] = now.v[i] + 0.5 * dt * work.acceleration[i]
            stage(middle, now.contact, now.contact, tau, ground, law, dt, work)
            for i in range(nv):
                now.q[i] += dt * middle.v[i]
                now.v[i] += dt * work.acceleration[i]
        return now

    return advance


def acceleration_by(stage: Stage) -> Acceleration:
    """Acceleration (nv,) of all coordinates, for the inertial sensor."""

    @kernel
    def acceleration(state: PlantState, tau: Array, ground: Ground, law: PointLaw, dt: float) -> Array:
        work = new_work(state.v.shape[0])
        stage(state, state.contact, np.empty_like(state.contact), tau, ground, law, 0.0, work)
        return work.acceleration

    return acceleration

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plant on contact laws of points: explicit midpoint for the coordinates, exact steps of the contact's memory."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, cast

import numpy as np

from biped_slip.compile.kernel import kernel, specialise
from biped_slip.contact.contact_config import ContactConfig
from biped_slip.contact.ground import Ground
from biped_slip.contact.point_contact import PointForce, PointMotion, planar_point
from biped_slip.contact.point_law import PointLaw, PointMemory, load, store
from biped_slip.robots.model_functions import (
    Array,
    ModelFunctions,
    coordinates,
    joint_acceleration_into,
    sole_motion,
    sole_motion_into,
)
from biped_slip.simulation.planar.plant_state import PlantKernels, PlantState, SoleForces


def foot_force(*_: Any) -> tuple[PointForce, PointMemory]:
    """Bound to the contact law."""
    raise NotImplementedError


def contact_forces(state: PlantState, tau: Array, ground: Ground, law: PointLaw, dt: float) -> SoleForces:
    """Contact forces in a state."""
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


def stage(
    state: PlantState, before: Array, after: Array, tau: Array, ground: Ground, law: PointLaw, dt: float, work: Work
) -> None:
    """Acceleration in a state into ``work``, and the contact memory that follows ``before`` by dt into ``after``."""
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


def advance(state: PlantState, tau: Array, ground: Ground, law: PointLaw, steps: int, dt: float) -> PlantState:
    """State after a number of midpoint steps of dt [s] under constant generalized torques (nv,)."""
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


def base_motion(state: PlantState, tau: Array, ground: Ground, law: PointLaw, dt: float) -> Array:
    """Acceleration (nv,) of all coordinates, for the inertial sensor."""
    work = new_work(state.v.shape[0])
    stage(state, state.contact, np.empty_like(state.contact), tau, ground, law, 0.0, work)
    return work.acceleration


def penalty_kernels(functions: ModelFunctions, contact: ContactConfig) -> PlantKernels:
    """The plant's kernels for a robot on a law of points."""
    pair = contact.pair
    force = planar_point(pair)

    def bind(function: Callable[..., Any], inside: str = "", **more: Any) -> Callable[..., Any]:
        bindings = {**functions.functions, "foot_force": force, **more}
        return specialise(cast(Any, function), bindings, f"{functions.key}-{pair.key}", inside=inside)

    bound = bind(stage, "code")
    return PlantKernels(
        bind(contact_forces), bind(advance, stage=bound), bind(base_motion, stage=bound), pair.packed, compiled=True
    )

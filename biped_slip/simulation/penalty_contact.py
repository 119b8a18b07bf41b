# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The plant on contact laws of points: explicit midpoint for the coordinates, exact steps of the contact's memory."""

from __future__ import annotations

from typing import Any, Callable, cast

import numpy as np

from biped_slip.contact.contact_config import ContactConfig
from biped_slip.contact.ground import Ground
from biped_slip.contact.point_contact import PointForce, PointMotion, planar_point
from biped_slip.contact.point_law import PointLaw, PointMemory, load, store
from biped_slip.kernels import specialise
from biped_slip.robots.model_functions import Array, ModelFunctions, joint_acceleration, sole_motion
from biped_slip.simulation.plant_state import PlantKernels, PlantState, SoleForces


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


def stage(
    state: PlantState, before: Array, tau: Array, ground: Ground, law: PointLaw, dt: float
) -> tuple[Array, Array]:
    """Acceleration (nv,) in a state, and the contact memory that follows ``before`` after dt of its sliding."""
    position, velocity = sole_motion(state.q, state.v)
    wrenches, after = np.zeros((2, 6)), np.empty_like(before)
    for foot in range(2):
        motion = PointMotion(position[foot, 0], position[foot, 2], velocity[foot, 0], velocity[foot, 2])
        force, memory = foot_force(load(state.contact, foot), load(before, foot), motion, ground, law, dt)
        wrenches[foot, 0], wrenches[foot, 2] = force.x, force.z
        store(after, foot, memory)
    return joint_acceleration(state.q, state.v, tau, wrenches), after


def advance(state: PlantState, tau: Array, ground: Ground, law: PointLaw, steps: int, dt: float) -> PlantState:
    """State after a number of midpoint steps of dt [s] under constant generalized torques (nv,)."""
    for _ in range(steps):
        acceleration, memory = stage(state, state.contact, tau, ground, law, 0.5 * dt)
        middle = PlantState(state.q + 0.5 * dt * state.v, state.v + 0.5 * dt * acceleration, memory)
        acceleration, memory = stage(middle, state.contact, tau, ground, law, dt)
        state = PlantState(state.q + dt * middle.v, state.v + dt * acceleration, memory)
    return state


def base_motion(state: PlantState, tau: Array, ground: Ground, law: PointLaw, dt: float) -> Array:
    """Acceleration (nv,) of all coordinates, for the inertial sensor."""
    acceleration, _ = stage(state, state.contact, tau, ground, law, 0.0)
    return acceleration


def penalty_kernels(functions: ModelFunctions, contact: ContactConfig) -> PlantKernels:
    """The plant's kernels for a robot on a law of points."""
    pair = contact.pair
    force = planar_point(pair)

    def bind(function: Callable[..., Any], **more: Any) -> Callable[..., Any]:
        bindings = {**functions.functions, "foot_force": force, **more}
        return specialise(cast(Any, function), bindings, f"{functions.key}-{pair.key}")

    bound = bind(stage)
    return PlantKernels(bind(contact_forces), bind(advance, stage=bound), bind(base_motion, stage=bound), pair.packed)

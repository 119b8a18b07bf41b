# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a plant remembers, what it tells about its contacts, and the kernels that every contact physics offers it."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import Ground


class PlantState(NamedTuple):
    """Everything that the plant remembers."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    contact: Array  # (2, MEMORY) contact memory of each foot


class SoleForces(NamedTuple):
    """True contact at one instant, feet left and right."""

    force: Array  # (2, 2) of the ground on the foot, world x and z [N]
    normal: Array  # (2,) [N]
    mu: Array  # (2,) of the patch under each foot
    slip_velocity: Array  # (2,) along the floor [m/s]


ContactForces = Callable[[PlantState, Array, Ground, Any, float], SoleForces]  # (state, tau, ground, settings, dt)
Acceleration = Callable[[PlantState, Array, Ground, Any, float], Array]  # the same -> (nv,)
Advance = Callable[
    [PlantState, Array, Ground, Any, int, float], PlantState
]  # (state, tau, ground, settings, steps, dt)


class PlantKernels(NamedTuple):
    """What every contact physics offers; tau (nv,) are generalized torques, dt is a step of the plant [s]."""

    forces: ContactForces
    advance: Advance
    acceleration: Acceleration
    settings: Any  # packed configuration of the physics
    compiled: bool = False  # whether all of them can be called from compiled code

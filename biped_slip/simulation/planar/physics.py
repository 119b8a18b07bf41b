# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What every contact physics of the planar plant offers: forces, acceleration, advance.

A physics is a record of kernels over the same state: coordinates, velocities and the
memory of each foot's contact. Laws of points and laws that solve for all points at once
are in ``plant.py``, MuJoCo's in ``mujoco_physics.py``.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.contact.ground import Ground


class PlantState(NamedTuple):
    """State of the plant."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    contact: Array  # (2, MEMORY) contact memory of each foot


class SoleForces(NamedTuple):
    """True contact at one instant, feet left and right."""

    force: Array  # (2, 2) of the ground on the foot, world x and z [N]
    normal: Array  # (2,) [N]
    mu: Array  # (2,) of the patch under each foot
    slip_velocity: Array  # (2,) along the floor [m/s]


# (state, tau, ground, settings, dt)
ContactForces = Callable[[PlantState, Array, Ground, Any, float], SoleForces]


# the same -> (nv,)
Acceleration = Callable[[PlantState, Array, Ground, Any, float], Array]


# the same, with steps before dt; the second result is the largest force_beyond [N]
Advance = Callable[
    [PlantState, Array, Ground, Any, int, float], tuple[PlantState, float]
]


class PlantKernels(NamedTuple):
    """Kernels of every contact physics.

    In them, tau (nv,) are generalized torques and dt is a step of the plant [s].
    """

    forces: ContactForces
    advance: Advance
    acceleration: Acceleration
    settings: Any  # packed configuration of the physics
    compiled: bool = False  # whether all of them can be called from compiled code

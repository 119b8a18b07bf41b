# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A point foot on the floor in the sagittal plane: Hunt–Crossley normal, Bliman–Sorine tangential force (A.7)."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.config import Configuration, configuration, section
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.contact.hunt_crossley import HuntCrossley, HuntCrossleyConfig, normal_force
from biped_slip.friction.bliman_sorine import BlimanSorineConfig, damped_ratio, ratio_step
from biped_slip.kernels import kernel


@configuration
class PointContactConfig(Configuration):
    """Both laws of a point foot."""

    normal: HuntCrossleyConfig = section(HuntCrossleyConfig)
    tangential: BlimanSorineConfig = section(BlimanSorineConfig)


class BlimanSorine(NamedTuple):
    """The packed tangential law, for type hints."""

    s_p: float
    damping_ratio: float


class PointContact(NamedTuple):
    """The packed configuration, for type hints."""

    normal: HuntCrossley
    tangential: BlimanSorine


class PointForce(NamedTuple):
    """Force of the ground on a point foot."""

    x: float  # world [N]
    z: float  # world [N]
    normal: float  # along the floor's normal [N]
    mu: float  # of the patch under the foot
    slip_velocity: float  # along the floor [m/s]


@kernel
def point_force(
    u: float, x: float, z: float, vx: float, vz: float, ground: Ground, contact: PointContact
) -> PointForce:
    """Force on a foot at (x, z) [m] moving at (vx, vz) [m/s] with friction state u (A.7)."""
    c, s = math.cos(ground.slope), math.sin(ground.slope)
    slip_velocity = vx * c + vz * s
    mu = friction_at(ground, x)
    normal = normal_force(-height_along_normal(ground, x, z), vx * s - vz * c, contact.normal)
    law = contact.tangential
    tangential = -normal * damped_ratio(u, slip_velocity, mu, law.s_p, law.damping_ratio)
    return PointForce(tangential * c - normal * s, tangential * s + normal * c, normal, mu, slip_velocity)


@kernel
def friction_state_step(u: float, force: PointForce, contact: PointContact, dt: float) -> float:
    """Friction state after dt [s]; forgotten in flight (A.7)."""
    if force.normal <= 0.0:
        return 0.0
    return ratio_step(u, force.slip_velocity, force.mu, contact.tangential.s_p, dt)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A point foot on the floor in the sagittal plane, under any normal and friction law (A.7)."""

from __future__ import annotations

from typing import Callable, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.contact.normal_law import NormalForce
from biped_slip.contact.point_law import FREE_POINT, IN_FLIGHT, ContactLaw, PointLaw, PointMemory
from biped_slip.friction_laws.law import FRESH, FrictionRelease, FrictionStep


class PointForce(NamedTuple):
    """Force of the ground on a point foot."""

    x: float  # world [N]
    z: float  # world [N]
    normal: float  # along the floor's normal [N]
    mu: float  # of the patch under the foot
    slip_velocity: float  # along the floor [m/s]


class PointMotion(NamedTuple):
    """Where a point foot is and how it moves, in the world."""

    x: float  # [m]
    z: float  # [m]
    vx: float  # [m/s]
    vz: float  # [m/s]


#: (now, before, motion, ground, law, dt) -> force, and the memory after the step
FootForce = Callable[[PointMemory, PointMemory, PointMotion, Ground, PointLaw, float], tuple[PointForce, PointMemory]]


def planar_point(law: ContactLaw) -> FootForce:
    """The compiled kernel of a point foot under a contact law."""
    friction = type(law.friction)
    return foot_force(type(law.normal).force, friction.step, friction.release)


def foot_force(normal_force: NormalForce, friction_step: FrictionStep, release: FrictionRelease) -> FootForce:
    """Force on a point foot; it is a whole foot, so its own ratio decides a macroscopic onset (``release``)."""

    @kernel(inline="code")
    def force_on_foot(
        now: PointMemory, before: PointMemory, motion: PointMotion, ground: Ground, law: PointLaw, dt: float
    ) -> tuple[PointForce, PointMemory]:
        """Force with the memory ``now``, and the memory that follows ``before`` after dt [s] of this sliding."""
        c, s = ground.cos, ground.sin
        slip = motion.vx * c + motion.vz * s
        mu = friction_at(ground, motion.x)
        penetration = -height_along_normal(ground, motion.x, motion.z)
        if penetration <= 0.0:
            return PointForce(0.0, 0.0, 0.0, mu, slip), FREE_POINT
        rate = motion.vx * s - motion.vz * c
        impact_rate = max(rate, 0.0) if now.impact_rate == IN_FLIGHT else now.impact_rate
        normal = normal_force(penetration, rate, impact_rate, law.normal)
        if normal <= 0.0:
            return PointForce(-normal * s, normal * c, normal, mu, slip), PointMemory(impact_rate, FRESH)
        _, resisting, _ = friction_step(now.friction, slip, 0.0, normal, mu, law.friction, 0.0)
        friction, _, _ = friction_step(before.friction, slip, 0.0, normal, mu, law.friction, dt)
        if mu > 0.0:
            friction = release(friction, abs(resisting) / (mu * normal), law.friction)
        force = PointForce(-resisting * c - normal * s, -resisting * s + normal * c, normal, mu, slip)
        return force, PointMemory(impact_rate, friction)

    return force_on_foot

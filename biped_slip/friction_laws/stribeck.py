# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Coulomb, viscous, stiction and Stribeck friction in one law with a stick state (A.1 (4.1))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import (
    NO_ELEMENTS,
    SLIDE,
    STICK,
    FrictionLaw,
    FrictionMemory,
    damped,
    presliding_damping,
    spring_energy,
)


@kernel
def stribeck_ratio(speed: float, mu: float, law: Any) -> float:
    """Sliding force per newton of load: mu [1 + (F_s/F_c − 1) exp(−|v/v_s|^p)] + F_v |v| (A.1 (4.1))."""
    excess = (law.static_ratio - 1.0) * math.exp(-((speed / law.stribeck_velocity) ** law.stribeck_exponent))
    return mu * (1.0 + excess) + law.viscosity * speed


@kernel
def stribeck_force(velocity: float, applied: float, static: float, mu: float, law: Any) -> float:
    """The law as printed, per newton of load: applied force at rest up to the static level, else the curve (4.1).

    ``static`` is F_s; the printed sliding branch lacks sgn(v) and the break-away branch is only implied.
    """
    if velocity != 0.0:
        return math.copysign(stribeck_ratio(abs(velocity), mu, law), velocity)
    return min(max(applied, -static), static)


@kernel
def stribeck_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """(4.1) at a contact point. A point can't know the applied force, so a stiff spring carries it (choice).

    Memory: (x, y) deflection of that spring [m], which stays stretched along the slide and catches it; phase.
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    static = law.static_ratio * mu * normal
    x, y = memory.x, memory.y
    if memory.phase == SLIDE and slip_x * x + slip_y * y > 0.0:
        force, held = stribeck_ratio(speed, mu, law) * normal / speed, static / law.stiffness / speed
        slide = FrictionMemory(held * slip_x, held * slip_y, 0.0, 0.0, SLIDE, 0.0, NO_ELEMENTS)
        return slide, force * slip_x, force * slip_y
    x, y = x + slip_x * dt, y + slip_y * dt
    stretched = law.stiffness * math.sqrt(x * x + y * y)
    if stretched > static:
        x, y = x * static / stretched, y * static / stretched
        return FrictionMemory(x, y, 0.0, 0.0, SLIDE, 0.0, NO_ELEMENTS), law.stiffness * x, law.stiffness * y
    force_x, force_y = damped(
        law.stiffness * x, law.stiffness * y, slip_x, slip_y, normal, mu, law.stiffness, law.damping_ratio
    )
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@configuration
class StribeckConfig(FrictionLaw):
    """Coulomb by default; with a static ratio above 1 stiction or Stribeck, with viscosity also viscous (A.1)."""

    static_ratio: float = parameter(1.0, low=1.0, high=10.0, source="A.1", doc="F_s/F_c")
    stribeck_velocity: float = parameter(1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s")
    stribeck_exponent: float = parameter(1.0, low=0.5, high=4.0, source="A.1", doc="p of the Stribeck curve")
    viscosity: float = parameter(0.0, unit="s/m", low=0.0, source="A.1", doc="F_v per newton of load")
    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, source="choice", doc="spring of the stick state")
    damping_ratio: float = presliding_damping()

    step = staticmethod(stribeck_step)
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """The curve of (4.1)."""
        return stribeck_ratio(speed, mu, self.packed)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness

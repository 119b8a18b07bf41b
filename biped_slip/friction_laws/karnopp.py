# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Karnopp's friction: stick inside a window of velocity (A.1 (4.2))."""

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
from biped_slip.friction_laws.stribeck import stribeck_ratio


@kernel
def karnopp_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """Stick while |v| < window (printed without the modulus), else the curve of (4.1).

    A stiff spring carries the applied force at stick, as in the Stribeck law (choice). Outside the window, too, it
    is stretched to the curve before the point slides: vibration at rest is no slide. Memory: (x, y) its deflection.
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    x, y = memory.x + slip_x * dt, memory.y + slip_y * dt
    fast = speed >= law.window
    limit = (stribeck_ratio(speed, mu, law) if fast else law.static_ratio * mu) * normal
    stretched = law.stiffness * math.sqrt(x * x + y * y)
    if stretched > limit:
        x, y = x * limit / stretched, y * limit / stretched
        if fast:
            slide = FrictionMemory(x, y, 0.0, 0.0, SLIDE, 0.0, NO_ELEMENTS)
            return slide, limit * slip_x / speed, limit * slip_y / speed
    force_x, force_y = damped(
        law.stiffness * x, law.stiffness * y, slip_x, slip_y, normal, mu, law.stiffness, law.damping_ratio
    )
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@configuration
class KarnoppConfig(FrictionLaw):
    """The Stribeck curve outside a velocity window, stick inside (A.1)."""

    window: float = parameter(1.0e-3, unit="m/s", above=0.0, source="A.1", doc="half width eps of the stick window")
    static_ratio: float = parameter(1.0, low=1.0, high=10.0, source="A.1", doc="F_s/F_c")
    stribeck_velocity: float = parameter(1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s")
    stribeck_exponent: float = parameter(1.0, low=0.5, high=4.0, source="A.1", doc="p of the Stribeck curve")
    viscosity: float = parameter(0.0, unit="s/m", low=0.0, source="A.1", doc="F_v per newton of load")
    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, source="choice", doc="spring of the stick state")
    damping_ratio: float = presliding_damping()

    step = staticmethod(karnopp_step)
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """The curve of (4.1) outside the window, the static level inside."""
        return stribeck_ratio(speed, mu, self.packed) if speed >= self.window else self.static_ratio * mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Armstrong's friction: elastic stick, static level rising with dwell time, frictional memory (A.1 (4.3))."""

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
def dwell_excess(dwell: float, law: Any) -> float:
    """F_s(t2)/F_c = a + (b − a) t2/(t2 + gamma) after a dwell time t2 [s] (A.1)."""
    return law.excess_initial + (law.excess_final - law.excess_initial) * dwell / (dwell + law.dwell_constant)


@kernel
def armstrong_ratio(speed: float, remembered_speed: float, excess: float, mu: float, law: Any) -> float:
    """Sliding force per newton: mu [1 + excess/(1 + (v(t − tau)/v_s)²)] + F_v |v| (A.1)."""
    lagged = remembered_speed / law.stribeck_velocity
    return mu * (1.0 + excess / (1.0 + lagged * lagged)) + law.viscosity * speed


@kernel
def armstrong_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """(4.3) with the usual completion of A.1; the delay tau_L is a first-order lag of the speed (choice).

    Memory: (x, y) deflection of the spring [m], in a slide stretched along it; second_x the remembered speed
    [m/s], second_y the excess at break-away, phase, clock the dwell time [s].
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    x, y, dwell = memory.x, memory.y, memory.clock
    if memory.phase == SLIDE:
        remembered, excess = memory.second_x, memory.second_y
        if slip_x * x + slip_y * y > 0.0:
            kept = math.exp(-dt / law.memory_time) if law.memory_time > 0.0 else 0.0
            remembered = speed + (remembered - speed) * kept
            force = armstrong_ratio(speed, remembered, excess, mu, law) * normal / speed
            held = mu * (1.0 + excess) * normal / law.stiffness / speed
            slide = FrictionMemory(held * slip_x, held * slip_y, remembered, excess, SLIDE, 0.0, NO_ELEMENTS)
            return slide, force * slip_x, force * slip_y
        dwell = 0.0
    x, y, dwell = x + slip_x * dt, y + slip_y * dt, dwell + dt
    excess = dwell_excess(dwell, law)
    static = mu * (1.0 + excess) * normal
    stretched = law.stiffness * math.sqrt(x * x + y * y)
    if stretched > static:
        x, y = x * static / stretched, y * static / stretched
        return FrictionMemory(x, y, 0.0, excess, SLIDE, 0.0, NO_ELEMENTS), law.stiffness * x, law.stiffness * y
    force_x, force_y = damped(
        law.stiffness * x, law.stiffness * y, slip_x, slip_y, normal, mu, law.stiffness, law.damping_ratio
    )
    return FrictionMemory(x, y, 0.0, 0.0, STICK, dwell, NO_ELEMENTS), force_x, force_y


@configuration
class ArmstrongConfig(FrictionLaw):
    """Seven-parameter law: spring, Coulomb, viscous, Stribeck, rising static level, frictional memory (A.1)."""

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, source="choice", doc="sigma_0 of the stick state")
    excess_initial: float = parameter(0.0, low=0.0, high=10.0, source="choice", doc="(F_s - F_c)/F_c without dwell")
    excess_final: float = parameter(0.3, low=0.0, high=10.0, source="choice", doc="(F_s - F_c)/F_c after long dwell")
    dwell_constant: float = parameter(0.1, unit="s", above=0.0, source="choice", doc="gamma")
    stribeck_velocity: float = parameter(1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s")
    memory_time: float = parameter(1.0e-3, unit="s", low=0.0, source="choice", doc="tau_L")
    viscosity: float = parameter(0.0, unit="s/m", low=0.0, source="A.1", doc="F_v per newton of load")
    damping_ratio: float = presliding_damping()

    step = staticmethod(armstrong_step)
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """The curve with the memory settled, after a break-away without dwell."""
        return armstrong_ratio(speed, speed, self.excess_initial, mu, self.packed)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness

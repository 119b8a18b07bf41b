# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Generalised Maxwell slip: springs with sliders in parallel, which remember every reversal [Iwan1966]."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import FRESH, NO_ELEMENTS, FrictionLaw, FrictionMemory, damped, presliding_damping
from biped_slip.friction_laws.sliders import stiffnesses, stretch_at, stretched

YIELDS = (0.6, 1.6, 3.6)  # displacements at which the elements slide, in s_p/3 (choice)
STIFFNESSES = stiffnesses(YIELDS)  # of mu; the pull curve is Dahl's at the yields
TOTAL = sum(STIFFNESSES)


@kernel(inline="code")
def maxwell_slip_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """Each element follows the slip until it slides at its own limit; exact for a straight slip.

    Memory: stretches of the three elements in s_p/3, (x, y), (second_x, second_y) and (phase, clock).
    """
    per = 3.0 / law.s_p * dt
    by_x, by_y = per * slip_x, per * slip_y
    a_x, a_y = stretched(memory.x, memory.y, by_x, by_y, YIELDS[0])
    b_x, b_y = stretched(memory.second_x, memory.second_y, by_x, by_y, YIELDS[1])
    c_x, c_y = stretched(memory.phase, memory.clock, by_x, by_y, YIELDS[2])
    u_x = mu * (STIFFNESSES[0] * a_x + STIFFNESSES[1] * b_x + STIFFNESSES[2] * c_x)
    u_y = mu * (STIFFNESSES[0] * a_y + STIFFNESSES[1] * b_y + STIFFNESSES[2] * c_y)
    stiffness = 3.0 * mu / law.s_p * TOTAL * normal
    force_x, force_y = damped(u_x * normal, u_y * normal, slip_x, slip_y, normal, mu, stiffness, law.damping_ratio)
    return FrictionMemory(a_x, a_y, b_x, b_y, c_x, c_y, NO_ELEMENTS), force_x, force_y


@kernel
def maxwell_slip_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """Energy in the three springs [J]."""
    squares = STIFFNESSES[0] * (memory.x * memory.x + memory.y * memory.y)
    squares += STIFFNESSES[1] * (memory.second_x * memory.second_x + memory.second_y * memory.second_y)
    squares += STIFFNESSES[2] * (memory.phase * memory.phase + memory.clock * memory.clock)
    return 0.5 * mu * normal * squares * law.s_p / 3.0


@configuration
class MaxwellSlipConfig(FrictionLaw):
    """Three sliders in parallel whose pull curve meets Dahl's where they yield; nonlocal memory (Masing's rule)."""

    s_p: float = parameter(1.0e-3, unit="m", above=0.0, high=0.1, source="A.7", doc="displacement at 95 % of the limit")
    damping_ratio: float = presliding_damping()

    step = staticmethod(maxwell_slip_step)
    stored_energy = staticmethod(maxwell_slip_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """All springs together."""
        return 3.0 * mu / self.s_p * TOTAL * normal

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """Stretches of a first load that carries ``ratio``."""
        stretch = stretch_at(abs(ratio) / mu, YIELDS)
        a, b, c = (math.copysign(min(stretch, limit), ratio) for limit in YIELDS)
        return FRESH._replace(x=a, second_x=b, phase=c)

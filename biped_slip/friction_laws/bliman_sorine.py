# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bliman–Sorine friction of first order, normalised by the normal force.

The memory u has the sign of the sliding velocity v; the force of the ground on the body is −u·F_n:

    du/dt = −(3/s_p)|v| u + (3 mu/s_p) v                                          (A.2 (4.12))

so u = mu (1 − exp(−3x/s_p)) when pulled from rest: 95 % of mu at the displacement s_p.
"""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, damped, presliding_damping


@kernel(inline="code")
def bliman_sorine_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """du/dt = (3/s_p)(mu v − |v| u) on the tangent plane, exact at constant slip and so stable at any step (A.2).

    Memory: (x, y) force ratio u [-].
    """
    x, y = memory.x, memory.y
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed * dt > 0.0:
        limit_x, limit_y = mu * slip_x / speed, mu * slip_y / speed
        kept = math.exp(-3.0 * speed * dt / law.s_p)
        x, y = limit_x + (x - limit_x) * kept, limit_y + (y - limit_y) * kept
    force_x, force_y = damped(
        x * normal, y * normal, slip_x, slip_y, normal, mu, 3.0 * mu / law.s_p * normal, law.damping_ratio
    )
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@kernel
def bliman_sorine_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """F_n u² s_p/(6 mu) [J]."""
    return normal * (memory.x * memory.x + memory.y * memory.y) * law.s_p / (6.0 * mu) if mu > 0.0 else 0.0


@configuration
class BlimanSorineConfig(FrictionLaw):
    """Tangential law of a contact point (A.2, A.7); without damping it ratchets when shaken."""

    s_p: float = parameter(1.0e-3, unit="m", above=0.0, high=0.1, source="A.7", doc="displacement at 95 % of mu")
    damping_ratio: float = presliding_damping()

    step = staticmethod(bliman_sorine_step)
    stored_energy = staticmethod(bliman_sorine_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """3 mu/s_p per newton, times the load."""
        return 3.0 * mu / self.s_p * normal

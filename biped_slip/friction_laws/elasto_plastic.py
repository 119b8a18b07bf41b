# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Elasto-plastic friction: Bliman–Sorine's law without any flow below a fraction of mu (simulation study 3)."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, damped, presliding_damping


@kernel
def plastic_share(ratio: float, law: Any) -> float:
    """Share of the slip that flows: 0 below the break-away fraction of mu, 1 at mu, a half sine between (choice)."""
    if ratio <= law.breakaway:
        return 0.0
    if ratio >= 1.0:
        return 1.0
    return 0.5 + 0.5 * math.sin(math.pi * ((ratio - law.breakaway) / (1.0 - law.breakaway) - 0.5))


@kernel(inline="code")
def elasto_plastic_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """du/dt = (3 mu/s_p)(v − a |v| u/mu), with a = 0 below the break-away fraction and when u unloads.

    Exact for a constant share a, which is taken in the middle of the step. Memory: (x, y) force ratio u [-].
    """
    x, y = memory.x, memory.y
    stiffness = 3.0 * mu / law.s_p
    if mu <= 0.0:
        x, y = 0.0, 0.0
    elif dt > 0.0 and (slip_x != 0.0 or slip_y != 0.0):
        half = 0.5 * stiffness * dt
        middle_x, middle_y = x + half * slip_x, y + half * slip_y
        square, flows = middle_x * middle_x + middle_y * middle_y, law.breakaway * mu
        if square > flows * flows and middle_x * slip_x + middle_y * slip_y > 0.0:
            share = plastic_share(min(math.sqrt(square) / mu, 1.0), law)
            speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
            rest = mu / (share * speed)
            rest_x, rest_y = rest * slip_x, rest * slip_y
            kept = math.exp(-stiffness * share / mu * speed * dt)
            x, y = rest_x + (x - rest_x) * kept, rest_y + (y - rest_y) * kept
        else:
            x, y = x + 2.0 * half * slip_x, y + 2.0 * half * slip_y
        square = x * x + y * y
        if square > mu * mu:
            scale = mu / math.sqrt(square)
            x, y = x * scale, y * scale
    force_x, force_y = damped(x * normal, y * normal, slip_x, slip_y, normal, mu, stiffness * normal, law.damping_ratio)
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@kernel
def elasto_plastic_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """F_n u² s_p/(6 mu) [J]."""
    return normal * (memory.x * memory.x + memory.y * memory.y) * law.s_p / (6.0 * mu) if mu > 0.0 else 0.0


@configuration
class ElastoPlasticConfig(FrictionLaw):
    """A true stick with recoverable presliding (simulation study 3, "friction at rest")."""

    s_p: float = parameter(1.0e-3, unit="m", above=0.0, high=0.1, source="A.7", doc="3 mu over the initial stiffness")
    breakaway: float = parameter(0.7, low=0.0, below=1.0, source="simulation study 3", doc="part of mu without flow")
    damping_ratio: float = presliding_damping()

    step = staticmethod(elasto_plastic_step)
    stored_energy = staticmethod(elasto_plastic_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """3 mu/s_p per newton, times the load."""
        return 3.0 * mu / self.s_p * normal

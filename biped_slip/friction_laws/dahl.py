# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Dahl's friction: the force grows along the path and saturates (A.2 (4.5))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, damped, presliding_damping


@kernel
def dahl_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """du/dt = sigma |1 − (u/mu) sgn v|^alpha sgn(·) v, solved exactly for any alpha at constant slip.

    In the plane the gap e = v/|v| − u/mu keeps its direction and shrinks by d|e|/ds = −(sigma/mu)|e|^alpha along
    the path s, which is (4.5) in one dimension. Memory: (x, y) force ratio u [-].
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    x, y = memory.x, memory.y
    if mu <= 0.0:
        x, y = 0.0, 0.0
    elif speed * dt > 0.0:
        along_x, along_y = slip_x / speed, slip_y / speed
        gap_x, gap_y = along_x - x / mu, along_y - y / mu
        gap = math.sqrt(gap_x * gap_x + gap_y * gap_y)
        path = law.stiffness / mu * speed * dt
        if law.exponent == 1.0:
            left = math.exp(-path)
        else:
            power = 1.0 - law.exponent
            rest = max(gap, 1e-300) ** power - power * path
            left = rest ** (1.0 / power) / max(gap, 1e-300) if rest > 0.0 else 0.0
        x, y = mu * (along_x - left * gap_x), mu * (along_y - left * gap_y)
    force_x, force_y = damped(
        x * normal, y * normal, slip_x, slip_y, normal, mu, law.stiffness * normal, law.damping_ratio
    )
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@kernel
def dahl_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """F_n u²/(2 sigma) [J]: a storage function while alpha is about 1."""
    return 0.5 * normal * (memory.x * memory.x + memory.y * memory.y) / law.stiffness


@configuration
class DahlConfig(FrictionLaw):
    """Path-dependent force with a sharpness (A.2)."""

    stiffness: float = parameter(3.0e3, unit="1/m", above=0.0, source="A.2", doc="sigma per newton of load")
    exponent: float = parameter(1.0, above=0.0, high=4.0, source="A.2", doc="alpha; 1 is Bliman and Sorine's")
    damping_ratio: float = presliding_damping()

    step = staticmethod(dahl_step)
    stored_energy = staticmethod(dahl_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Sigma per newton, times the load."""
        return self.stiffness * normal

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Featherstone's spring-damper with a Coulomb cap (A.1 (4.4))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, spring_energy


@kernel
def featherstone_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """F = k x + b v, cut at mu F_n; while cut, x relaxes to the cut force: dx/dt = (F − k x)/b (4.4, choice).

    Memory: (x, y) deflection of the spring [m].
    """
    x, y = memory.x + slip_x * dt, memory.y + slip_y * dt
    force_x, force_y = law.stiffness * x + law.damping * slip_x, law.stiffness * y + law.damping * slip_y
    size, limit = math.sqrt(force_x * force_x + force_y * force_y), mu * normal
    if size > limit:
        force_x, force_y = force_x * limit / size, force_y * limit / size
        kept = math.exp(-law.stiffness * dt / law.damping)
        rest_x, rest_y = force_x / law.stiffness, force_y / law.stiffness
        x, y = rest_x + (memory.x - rest_x) * kept, rest_y + (memory.y - rest_y) * kept
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@configuration
class FeatherstoneConfig(FrictionLaw):
    """Spring and damper below the Coulomb limit (A.1)."""

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, source="choice", doc="k")
    damping: float = parameter(50.0, unit="N s/m", above=0.0, source="choice", doc="b, the damper of this law")

    step = staticmethod(featherstone_step)
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness

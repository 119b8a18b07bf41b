# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Park and Kwon's horizontal contact: a spring with a damper that grows with the deflection (E.2 (17))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, STICK, FrictionLaw, FrictionMemory, spring_energy


@kernel
def park_kwon_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """F = k x + c |x| v from the place of touchdown; it knows no mu and never slides (E.2).

    Memory: (x, y) displacement since touchdown [m].
    """
    x, y = memory.x + slip_x * dt, memory.y + slip_y * dt
    damping = law.damping * math.sqrt(x * x + y * y)
    force_x, force_y = law.stiffness * x + damping * slip_x, law.stiffness * y + damping * slip_y
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@configuration
class ParkKwonConfig(FrictionLaw):
    """Tangential spring and displacement-proportional damper, without a friction limit (E.2)."""

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, source="choice", doc="k_x")
    damping: float = parameter(1.0e5, unit="N s/m^2", low=0.0, source="choice", doc="c_x")

    step = staticmethod(park_kwon_step)
    stored_energy = staticmethod(spring_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """There is no steady sliding."""
        return math.inf

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The spring's."""
        return self.stiffness

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Khadiv's normal law: the penetration never exceeds a chosen depth, whatever mass and speed (E.3 (19))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw

DEEPEST = 0.999  # of l_0: the tangent ends there (E.3)


@kernel
def bounded_penetration_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = max(0, k (2 l_0/pi) tan(pi d/(2 l_0)) + b d ḋ) (E.3).

    Beyond 0.999 l_0 the tangent continues as a straight line with its slope there, 4e5 k, so that a hard impact
    stops next to l_0 (choice; E.3 only cuts the argument).
    """
    if penetration <= 0.0:
        return 0.0
    share = min(penetration / law.depth, DEEPEST)
    tangent = math.tan(0.5 * math.pi * share)
    elastic = law.stiffness * 2.0 * law.depth / math.pi * tangent
    elastic += law.stiffness * (1.0 + tangent * tangent) * (penetration - share * law.depth)
    return max(0.0, elastic + law.damping * penetration * rate)


@configuration
class BoundedPenetrationConfig(NormalLaw):
    """The tangent law with the corrected damping of E.3."""

    stiffness: float = parameter(1.0e5, unit="N/m", above=0.0, high=1e9, source="E.3", doc="k_z, slope at zero depth")
    depth: float = parameter(2.0e-3, unit="m", above=0.0, high=0.5, source="E.3", doc="l_0, deepest penetration")
    damping: float = parameter(3.0e6, unit="N s/m^2", low=0.0, high=1e9, source="E.3", doc="b_z (printed 3.0e5)")

    force = staticmethod(bounded_penetration_force)
    continuous_at_touchdown = True

    def steady_penetration(self, load: float) -> float:
        """(2 l_0/pi) arctan(pi F/(2 k l_0))."""
        return 2.0 * self.depth / math.pi * math.atan(math.pi * load / (2.0 * self.stiffness * self.depth))

    def normal_stiffness(self, load: float) -> float:
        """K (1 + tan²) at the steady depth."""
        return self.stiffness * (1.0 + (math.pi * load / (2.0 * self.stiffness * self.depth)) ** 2)

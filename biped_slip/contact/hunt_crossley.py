# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hunt–Crossley normal force, never attractive (A.7 (6.2))."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw


class HuntCrossley(NamedTuple):
    """The packed configuration, for type hints."""

    stiffness: float
    damping: float
    stiffness_exponent: float
    damping_exponent: float
    rate_exponent: float


@kernel(inline="code")
def normal_force(penetration: float, rate: float, law: HuntCrossley) -> float:
    """Force of the ground on the body along the floor's normal [N] for penetration [m] and its rate [m/s]."""
    if penetration <= 0.0:
        return 0.0
    if law.stiffness_exponent == 1.0 and law.damping_exponent == 1.0 and law.rate_exponent == 1.0:
        force = penetration * (law.stiffness + law.damping * rate)
    else:
        force = law.stiffness * penetration**law.stiffness_exponent + (
            law.damping * penetration**law.damping_exponent * math.copysign(abs(rate) ** law.rate_exponent, rate)
        )
    return max(0.0, force)


@kernel(inline="code")
def hunt_crossley_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """The same with the family's signature; the law doesn't need the impact rate."""
    return normal_force(penetration, rate, law)


@configuration
class HuntCrossleyConfig(NormalLaw):
    """F_n = max(0, k dⁿ + b dᵖ sgn(ḋ)|ḋ|^q) with penetration d and its rate ḋ (A.7)."""

    stiffness: float = parameter(5.0e4, unit="N/m^n", above=0.0, high=1e9, source="A.7", doc="stiffness k")
    damping: float = parameter(3.5e4, unit="N s/m^(p+1)", low=0.0, high=1e9, source="A.7", doc="damping b")
    stiffness_exponent: float = parameter(1.0, low=0.5, high=4.0, source="A.7", doc="exponent n of the depth")
    damping_exponent: float = parameter(1.0, low=0.0, high=4.0, source="A.7", doc="exponent p of the depth")
    rate_exponent: float = parameter(1.0, low=0.1, high=4.0, source="A.7", doc="exponent q of the rate")

    force = staticmethod(hunt_crossley_force)
    continuous_at_touchdown = True

    def steady_penetration(self, load: float) -> float:
        """(F/k)^(1/n)."""
        return (load / self.stiffness) ** (1.0 / self.stiffness_exponent)

    def normal_stiffness(self, load: float) -> float:
        """N F/d at the steady depth."""
        return self.stiffness_exponent * load / self.steady_penetration(load)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Nonlinear spring whose damping follows from a coefficient of restitution (E.2, second unnumbered law)."""

from __future__ import annotations

from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw

SLOWEST_IMPACT = 1e-3  # [m/s]: a gentler touchdown counts as this one, or the damping would grow without bound


@kernel
def restitution_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = max(0, k d^alpha [1 + 3(1 − e²)/4 · ḋ/ḋ_0]) with the rate ḋ_0 at touchdown (E.2)."""
    if penetration <= 0.0:
        return 0.0
    relative = rate / max(impact_rate, SLOWEST_IMPACT)
    loss = 0.75 * (1.0 - law.restitution * law.restitution)
    return max(0.0, law.stiffness * penetration**law.exponent * (1.0 + loss * relative))


@configuration
class RestitutionConfig(NormalLaw):
    """Lankarani–Nikravesh form: good for restitutions near 1 (E.2)."""

    stiffness: float = parameter(1.5e6, unit="N/m^alpha", above=0.0, high=1e12, source="choice", doc="k_z")
    exponent: float = parameter(1.5, low=1.0, high=4.0, source="choice", doc="alpha")
    restitution: float = parameter(0.5, low=0.0, high=1.0, source="choice", doc="coefficient of restitution eps")

    force = staticmethod(restitution_force)
    continuous_at_touchdown = True

    def steady_penetration(self, load: float) -> float:
        """(F/k)^(1/alpha)."""
        return (load / self.stiffness) ** (1.0 / self.exponent)

    def normal_stiffness(self, load: float) -> float:
        """Alpha F/d at the steady depth."""
        return self.exponent * load / self.steady_penetration(load)

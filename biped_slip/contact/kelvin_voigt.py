# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kelvin–Voigt contact with a power-law spring and a linear damper (B.1 (14))."""

from __future__ import annotations

from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw


@kernel
def kelvin_voigt_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = max(0, k d^alpha + c ḋ) (B.1)."""
    if penetration <= 0.0:
        return 0.0
    return max(0.0, law.stiffness * penetration**law.exponent + law.damping * rate)


@configuration
class KelvinVoigtConfig(NormalLaw):
    """Power-law spring beside a linear damper; the force jumps by c·v at touchdown (B.1)."""

    stiffness: float = parameter(1.5e6, unit="N/m^alpha", above=0.0, high=1e12, source="choice", doc="k")
    exponent: float = parameter(1.5, low=1.0, high=4.0, source="B.1", doc="alpha")
    damping: float = parameter(100.0, unit="N s/m", low=0.0, high=1e6, source="choice", doc="c")

    force = staticmethod(kelvin_voigt_force)
    continuous_at_touchdown = False

    def steady_penetration(self, load: float) -> float:
        """(F/k)^(1/alpha)."""
        return (load / self.stiffness) ** (1.0 / self.exponent)

    def normal_stiffness(self, load: float) -> float:
        """Alpha k d^(alpha − 1) at the steady depth."""
        return self.exponent * load / self.steady_penetration(load)

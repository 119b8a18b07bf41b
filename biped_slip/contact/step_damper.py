# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Nonlinear spring with a damper that fades in with the depth (E.2, first unnumbered law)."""

from __future__ import annotations

from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw


@kernel
def step_damper_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = max(0, k d^alpha + c_max h(d) ḋ), h the cubic step 3s² − 2s³ of s = d/d_max (E.2)."""
    if penetration <= 0.0:
        return 0.0
    s = min(penetration / law.damping_depth, 1.0)
    return max(0.0, law.stiffness * penetration**law.exponent + law.damping * s * s * (3.0 - 2.0 * s) * rate)


@configuration
class StepDamperConfig(NormalLaw):
    """Power-law spring, full damping only below a depth (E.2)."""

    stiffness: float = parameter(1.5e6, unit="N/m^alpha", above=0.0, high=1e12, source="choice", doc="k_z")
    exponent: float = parameter(1.5, low=1.0, high=4.0, source="choice", doc="alpha")
    damping: float = parameter(1.0e3, unit="N s/m", low=0.0, high=1e6, source="choice", doc="c_max")
    damping_depth: float = parameter(1.0e-3, unit="m", above=0.0, high=0.5, source="choice", doc="d_max of the step")

    force = staticmethod(step_damper_force)
    continuous_at_touchdown = True

    def steady_penetration(self, load: float) -> float:
        """(F/k)^(1/alpha)."""
        return (load / self.stiffness) ** (1.0 / self.exponent)

    def normal_stiffness(self, load: float) -> float:
        """Alpha F/d at the steady depth."""
        return self.exponent * load / self.steady_penetration(load)

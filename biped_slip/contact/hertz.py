# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Hertz' elastic contact of a sphere: F_n = k d^1.5, without losses (B.1 (13))."""

from __future__ import annotations

from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw


@kernel
def hertz_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = k d^1.5 (B.1)."""
    return law.stiffness * penetration**1.5 if penetration > 0.0 else 0.0


@configuration
class HertzConfig(NormalLaw):
    """Conservative: a dropped body bounces for ever (B.1)."""

    stiffness: float = parameter(1.5e6, unit="N/m^1.5", above=0.0, high=1e12, source="choice", doc="k")

    force = staticmethod(hertz_force)
    continuous_at_touchdown = True

    def steady_penetration(self, load: float) -> float:
        """(F/k)^(2/3)."""
        return (load / self.stiffness) ** (2.0 / 3.0)

    def normal_stiffness(self, load: float) -> float:
        """1.5 F/d at the steady depth."""
        return 1.5 * load / self.steady_penetration(load)

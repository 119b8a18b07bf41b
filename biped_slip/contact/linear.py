# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Linear spring and damper along the normal (E.2 (16), B.1 (5)), with or without the clamp at separation."""

from __future__ import annotations

from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.contact.normal_law import NormalLaw


@kernel
def linear_force(penetration: float, rate: float, impact_rate: float, law: Any) -> float:
    """F_n = k d + c ḋ while d > 0; without the clamp it pulls on fast separation."""
    if penetration <= 0.0:
        return 0.0
    force = law.stiffness * penetration + law.damping * rate
    return max(0.0, force) if law.clamp else force


@configuration
class LinearConfig(NormalLaw):
    """Spring and damper in parallel; the force jumps by c·v at touchdown (E.2)."""

    stiffness: float = parameter(5.0e4, unit="N/m", above=0.0, high=1e9, source="A.7", doc="k_z")
    damping: float = parameter(100.0, unit="N s/m", low=0.0, high=1e6, source="choice", doc="c_z")
    clamp: bool = parameter(True, doc="no attraction at separation (S.2); false shows the published law")

    force = staticmethod(linear_force)
    continuous_at_touchdown = False

    def steady_penetration(self, load: float) -> float:
        """F/k."""
        return load / self.stiffness

    def normal_stiffness(self, load: float) -> float:
        """K, at any load."""
        return self.stiffness

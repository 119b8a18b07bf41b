# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Peasgood's friction coefficient over velocity: a static peak, then the dynamic level (E.2 (18))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import FrictionLaw, FrictionMemory, damped, no_energy, presliding_damping


@kernel
def peasgood_ratio(speed: float, mu: float, law: Any) -> float:
    """A smooth rise to mu_stat at v_st, then an exponential decay to mu_dyn = mu (E.2, choice)."""
    static, s = law.static_ratio * mu, speed / law.stiction_velocity
    if s <= 1.0:
        return static * s * s * (3.0 - 2.0 * s)
    return mu + (static - mu) * math.exp(1.0 - s)


@kernel
def peasgood_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """F = mu(|v|) F_n v/|v| (E.2). Without memory, hence without stick: it creeps under any load."""
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed == 0.0:
        return memory, 0.0, 0.0
    force = peasgood_ratio(speed, mu, law) * normal / speed
    force_x, force_y = damped(
        force * slip_x, force * slip_y, slip_x, slip_y, normal, mu, mu * normal / law.damping_length, law.damping_ratio
    )
    return memory, force_x, force_y


@configuration
class PeasgoodConfig(FrictionLaw):
    """Friction coefficient that rises to a static peak and falls to the dynamic level (E.2)."""

    static_ratio: float = parameter(1.2, low=1.0, high=10.0, source="choice", doc="mu_stat/mu_dyn")
    stiction_velocity: float = parameter(1.0e-2, unit="m/s", above=0.0, source="choice", doc="v_st of the peak")
    damping_length: float = parameter(1.0e-3, unit="m", above=0.0, source="choice", doc="scale of the optional damper")
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(peasgood_step)
    stored_energy = staticmethod(no_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Mu(|v|)."""
        return peasgood_ratio(speed, mu, self.packed)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """None: the law is a damper."""
        return 0.0

    def creep_velocity(self, ratio: float, mu: float) -> float:
        """The rising branch solved for the speed: s²(3 − 2s) = ratio/mu_stat."""
        share = ratio / (self.static_ratio * mu)
        return self.stiction_velocity * (0.5 - math.sin(math.asin(1.0 - 2.0 * share) / 3.0))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Khadiv's friction, regularised over velocity by arctan or tanh (E.4)."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import FrictionLaw, FrictionMemory, damped, no_energy, presliding_damping


@kernel
def saturation(speed: float, law: Any) -> float:
    """(2/pi) arctan(pi lambda v/2) or tanh(lambda v): slope lambda at rest, 1 at high speed (E.4)."""
    if law.hyperbolic:
        return math.tanh(law.slope * speed)
    return 2.0 / math.pi * math.atan(0.5 * math.pi * law.slope * speed)


@kernel
def regularised_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """F = mu F_n phi(|v|) v/|v| (E.4). Without memory, hence without stick: it creeps under any load."""
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    if speed == 0.0:
        return memory, 0.0, 0.0
    force = mu * normal * saturation(speed, law) / speed
    force_x, force_y = damped(
        force * slip_x, force * slip_y, slip_x, slip_y, normal, mu, mu * normal / law.damping_length, law.damping_ratio
    )
    return memory, force_x, force_y


@configuration
class RegularisedConfig(FrictionLaw):
    """Khadiv's friction: proportional to the load, continuous, saturating at mu F_n (E.4)."""

    slope: float = parameter(100.0, unit="s/m", above=0.0, source="choice", doc="lambda, slope at zero velocity")
    hyperbolic: bool = parameter(False, doc="tanh in the place of arctan")
    damping_length: float = parameter(1.0e-3, unit="m", above=0.0, source="choice", doc="scale of the optional damper")
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(regularised_step)
    stored_energy = staticmethod(no_energy)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Mu phi(|v|)."""
        return mu * saturation(speed, self.packed)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """None: the law is a damper."""
        return 0.0

    def creep_velocity(self, ratio: float, mu: float) -> float:
        """The inverse of the saturation at ratio/mu."""
        share = ratio / mu
        if self.hyperbolic:
            return math.atanh(share) / self.slope
        return math.tan(0.5 * math.pi * share) * 2.0 / (math.pi * self.slope)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""LuGre friction: bristles with damping and the Stribeck curve (A.2 (4.7))."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import (
    FRESH,
    NO_ELEMENTS,
    STICK,
    FrictionLaw,
    FrictionMemory,
    damped,
    presliding_damping,
)


@kernel
def lugre_level(speed: float, mu: float, law: Any) -> float:
    """g(v) = mu [1 + (F_s/F_c − 1) exp(−(v/v_s)²)] per newton of load (A.2, choice)."""
    return mu * (1.0 + (law.static_ratio - 1.0) * math.exp(-((speed / law.stribeck_velocity) ** 2)))


@kernel
def lugre_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """dz/dt = v − sigma_0 |v| z/g(v), F/F_n = sigma_0 z + sigma_1 dz/dt + F_v v; z exact at constant slip.

    [corrected] with |v| in the bristle's decay. Memory: (x, y) bristle deflection z [m].
    """
    speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
    level = lugre_level(speed, mu, law)
    if level <= 0.0:
        viscous = law.viscosity * normal
        return FrictionMemory(0.0, 0.0, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), viscous * slip_x, viscous * slip_y
    x, y = memory.x, memory.y
    decay = law.stiffness * speed / level
    if speed > 0.0:
        rest_x, rest_y, kept = slip_x / decay, slip_y / decay, math.exp(-decay * dt)
        x, y = rest_x + (x - rest_x) * kept, rest_y + (y - rest_y) * kept
    force_x = normal * (law.stiffness * x + law.bristle_damping * (slip_x - decay * x) + law.viscosity * slip_x)
    force_y = normal * (law.stiffness * y + law.bristle_damping * (slip_y - decay * y) + law.viscosity * slip_y)
    force_x, force_y = damped(force_x, force_y, slip_x, slip_y, normal, mu, law.stiffness * normal, law.damping_ratio)
    return FrictionMemory(x, y, 0.0, 0.0, STICK, 0.0, NO_ELEMENTS), force_x, force_y


@kernel
def lugre_energy(memory: FrictionMemory, normal: float, mu: float, law: Any) -> float:
    """F_n sigma_0 z²/2 [J]."""
    return 0.5 * normal * law.stiffness * (memory.x * memory.x + memory.y * memory.y)


@configuration
class LuGreConfig(FrictionLaw):
    """The usual demonstration values of A.2, per newton of load."""

    stiffness: float = parameter(1.0e5, unit="1/m", above=0.0, source="A.2", doc="sigma_0 per newton of load")
    bristle_damping: float = parameter(316.0, unit="s/m", low=0.0, source="A.2", doc="sigma_1 per newton of load")
    static_ratio: float = parameter(1.5, low=1.0, high=10.0, source="A.2", doc="F_s/F_c")
    stribeck_velocity: float = parameter(1.0e-3, unit="m/s", above=0.0, source="A.2", doc="v_s")
    viscosity: float = parameter(0.4, unit="s/m", low=0.0, source="A.2", doc="F_v per newton of load")
    damping_ratio: float = presliding_damping(0.0)

    step = staticmethod(lugre_step)
    stored_energy = staticmethod(lugre_energy)
    ratio_form = True

    def steady_ratio(self, speed: float, mu: float) -> float:
        """G(v) + F_v |v|."""
        return lugre_level(speed, mu, self.packed) + self.viscosity * speed

    def preloaded(self, ratio: float, normal: float, mu: float) -> FrictionMemory:
        """The bristles bent to ratio/sigma_0."""
        return FRESH._replace(x=ratio / self.stiffness)

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """Sigma_0 per newton, times the load."""
        return self.stiffness * normal

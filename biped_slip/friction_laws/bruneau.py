# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bruneau and Ouezdou's adherence and sliding with blended transitions (B.1).

Onset is macroscopic: the whole foot lets go when its force ratio reaches lambda_s (:func:`bruneau_release`). Arrest
is local: a point adheres again when it no longer moves along the direction it began to slide in.
"""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.config import configuration, parameter
from biped_slip.friction_laws.law import NO_ELEMENTS, SLIDE, STICK, FrictionLaw, FrictionMemory, spring_energy


@kernel
def bruneau_step(
    memory: FrictionMemory, slip_x: float, slip_y: float, normal: float, mu: float, law: Any, dt: float
) -> tuple[FrictionMemory, float, float]:
    """Adherence k_t x + mu_t v; sliding lambda_d F_n + mu_t^s |V_t| along a frozen direction; linear blends (B.1).

    lambda_d is the floor's mu. The anchor is reset on re-adherence and the phase is a latch [corrected there].
    Memory: (x, y) displacement from the anchor [m], (second_x, second_y) frozen direction of sliding, phase, clock
    time since the phase began [s].
    """
    x, y, clock, phase = memory.x + slip_x * dt, memory.y + slip_y * dt, memory.clock + dt, memory.phase
    along_x, along_y = memory.second_x, memory.second_y
    speed = slip_x * along_x + slip_y * along_y
    if phase == SLIDE and clock >= law.blend_to_slide and speed <= 0.0:
        phase, clock, x, y = STICK, 0.0, 0.0, 0.0
    stick_x, stick_y = law.stiffness * x + law.damping * slip_x, law.stiffness * y + law.damping * slip_y
    size = math.sqrt(stick_x * stick_x + stick_y * stick_y)
    if phase == SLIDE and along_x == 0.0 and along_y == 0.0 and size > 0.0:  # the first step of a slide
        along_x, along_y = stick_x / size, stick_y / size
        speed = slip_x * along_x + slip_y * along_y
    if phase == SLIDE:
        slid = min(clock / law.blend_to_slide, 1.0)
    else:
        slid = max(1.0 - clock / law.blend_to_stick, 0.0) if along_x != 0.0 or along_y != 0.0 else 0.0
    sliding = mu * normal + law.sliding_damping * speed
    force_x = stick_x + (sliding * along_x - stick_x) * slid
    force_y = stick_y + (sliding * along_y - stick_y) * slid
    if slid == 0.0 and phase == STICK:
        along_x, along_y = 0.0, 0.0
    return FrictionMemory(x, y, along_x, along_y, phase, clock, NO_ELEMENTS), force_x, force_y


@kernel
def bruneau_release(memory: FrictionMemory, foot_share: float, law: Any) -> FrictionMemory:
    """All points of a foot let go when its F_t reaches lambda_s F_n (39), but not inside a blend (B.1)."""
    blending = memory.second_x != 0.0 or memory.second_y != 0.0
    if memory.phase == SLIDE or blending or foot_share < law.static_ratio:
        return memory
    return FrictionMemory(memory.x, memory.y, 0.0, 0.0, SLIDE, 0.0, NO_ELEMENTS)


@configuration
class BruneauFrictionConfig(FrictionLaw):
    """Tangential values per point of table B.2; the floor's mu is lambda_d = 0.4 there."""

    stiffness: float = parameter(90.0, unit="N/m", above=0.0, source="B.2", doc="k_t")
    damping: float = parameter(950.0, unit="N s/m", low=0.0, source="B.2", doc="mu_t")
    sliding_damping: float = parameter(1.0, unit="N s/m", low=0.0, source="B.2", doc="mu_t^s")
    blend_to_slide: float = parameter(0.01, unit="s", above=0.0, source="B.2", doc="T_*s")
    blend_to_stick: float = parameter(0.01, unit="s", above=0.0, source="B.2", doc="T_s*")
    static_ratio: float = parameter(1.75, low=1.0, high=10.0, source="B.2", doc="lambda_s/lambda_d")

    step = staticmethod(bruneau_step)
    stored_energy = staticmethod(spring_energy)
    release = staticmethod(bruneau_release)
    ratio_form = False

    def steady_ratio(self, speed: float, mu: float) -> float:
        """Coulomb; the viscous part mu_t^s |v| comes on top, whatever the load."""
        return mu

    def presliding_stiffness(self, normal: float, mu: float) -> float:
        """The adherence spring's."""
        return self.stiffness

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Energy audit of a friction law: contact work on the body plus the change of stored energy must not be positive."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.friction_laws.law import FRESH, FrictionLaw


class EnergyAudit(NamedTuple):
    """What a contact did over a series of slips."""

    dissipated: float  # work of the slip minus what is stored at the end [J]
    created: float  # sum of all steps that gave back more than was stored [J]: 0 for a passive law
    worst_step: float  # largest of them [J]


def audit(law: FrictionLaw, slip: Array, normal: Array, mu: float, dt: float) -> EnergyAudit:
    """Audit every step of a slip history.

    At constant load every law of the family is passive up to the error of the step. A law whose force is the load
    times a memory (``ratio_form``) can create energy when the load rises while the point springs back.

    Args:
        slip: (n, 2) velocity of the point over the ground [m/s].
        normal: (n,) load [N].
        mu: Coulomb coefficient of the floor.
        dt: step [s].
    """
    memory, stored, dissipated, created, worst = FRESH, 0.0, 0.0, 0.0, 0.0
    packed = law.packed
    for (x, y), load in zip(slip, normal, strict=True):
        memory, force_x, force_y = law.step(memory, x, y, load, mu, packed, dt)
        now = law.stored_energy(memory, load, mu, packed)
        lost = (force_x * x + force_y * y) * dt + stored - now
        dissipated, stored = dissipated + lost, now
        # the step's own error: the force at its end stands for the whole step
        excess = -lost - law.presliding_stiffness(load, mu) * (math.hypot(x, y) * dt) ** 2
        if excess > 0.0:
            created, worst = created + excess, max(worst, excess)
    return EnergyAudit(dissipated, created, worst)

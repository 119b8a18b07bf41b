# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a time step suits the stiffness of a contact: refused at start-up, before anything explodes."""

from __future__ import annotations

import math

from biped_slip.contact.point_law import ContactLaw
from biped_slip.errors import InvalidParameter

LARGEST = 1.0  # of k dt²/m; semi-implicit Euler is unstable from 4, its frequency is 5 % off at 1


def stiffest(law: ContactLaw, load: float, mu: float) -> float:
    """The larger of the normal and the tangential stiffness of one point [N/m] at its share of the load [N]."""
    return max(law.normal.normal_stiffness(load), law.friction.presliding_stiffness(load, mu))


def check_time_step(law: ContactLaw, mass: float, load: float, mu: float, dt: float) -> None:
    """Refuse a step with k·dt²/m above 1.

    Args:
        law: laws of one contact point.
        mass: mass that one point carries [kg].
        load: force that one point carries at rest [N].
        mu: largest friction coefficient of the floor.
        dt: time step [s].
    """
    stiffness = stiffest(law, load, mu)
    limit = math.sqrt(LARGEST * mass / stiffness)
    if not 0.0 < dt <= limit:
        raise InvalidParameter(
            "dt",
            dt,
            f"> 0 and <= {limit:.3g} s, the step at which k dt²/m = {LARGEST:g} for {mass:g} kg on {stiffness:.3g} N/m",
            "take a smaller step or a softer contact",
        )

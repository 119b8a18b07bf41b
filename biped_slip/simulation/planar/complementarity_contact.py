# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rodić's impact and contact on the soles of the plant (D.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.contact.complementarity import contact_forces, impact
from biped_slip.simulation.planar.plant import Soles, part_of


@kernel
def complementarity_forces(soles: Soles, settings: Any, dt: float) -> Array:
    """Forces on the soles whose gap is closed and that don't approach (44)–(48).

    A gap left open by one step's round-off is closed within the next (``gap_tolerance``).
    """
    forces = np.zeros((2, 3))
    feet = np.flatnonzero((soles.height <= settings.gap_tolerance) & (soles.velocity[:, 2] <= settings.rate_tolerance))
    if feet.shape[0] > 0:
        space = part_of(soles.space, feet)
        found = contact_forces(
            space.response, space.free, soles.velocity[feet], soles.mu[feet], dt, settings.rate_tolerance,
            settings.circular,
        )  # fmt: skip
        for k in range(feet.shape[0]):
            forces[feet[k]] = found.forces[k]
    return forces


@kernel
def complementarity_impulse(soles: Soles, settings: Any) -> Array:
    """Impulses on the soles of Omega_S*, when one of them approaches faster than the tolerance (32)–(53)."""
    impulses = np.zeros((2, 3))
    closed = (soles.height <= settings.gap_tolerance) & (soles.velocity[:, 2] <= 0.0)
    if np.any(closed & (soles.velocity[:, 2] < -settings.rate_tolerance)):
        feet = np.flatnonzero(closed)
        velocity = soles.velocity[feet]
        found = impact(
            part_of(soles.space, feet).response, velocity, np.zeros_like(velocity), soles.mu[feet],
            settings.restitution, settings.circular,
        )  # fmt: skip
        for k in range(feet.shape[0]):
            impulses[feet[k]] = found.forces[k]
    return impulses

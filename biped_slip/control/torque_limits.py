# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What every joint must keep to: torques in magnitude and rate of change, speeds, and damping when it is stopped."""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

BEYOND = 1e-4  # share of a limit by which a solver may miss it (measured: 4e-6)


@kernel
def limited_torques(previous: Array, wanted: Array, limits: Array, step: float) -> Array:
    """Wanted torques (n,) within their limits, and within ``step`` limits of the previous ones.

    A torque may drop to zero at once; only building up takes time.
    """
    allowed = np.empty_like(wanted)
    for i in range(wanted.shape[0]):
        target = min(max(wanted[i], -limits[i]), limits[i])
        start = previous[i] if previous[i] * target > 0.0 else 0.0
        change = step * limits[i]
        allowed[i] = min(max(target, start - change), start + change)
    return allowed


@kernel
def damping_torques(velocity: Array, damping: float) -> Array:
    """Torques (n,) against the joints' motion [N m]: they take power out of every joint."""
    return -damping * velocity


@kernel
def all_within(values: Array, limits: Array) -> bool:
    """Whether every value (n,) is finite and within its limit."""
    for i in range(values.shape[0]):
        if not abs(values[i]) <= limits[i]:
            return False
    return True


@kernel
def joint_beyond_limit(wanted: Array, limits: Array) -> int:
    """Index of the first joint that wants more than its limit, or what is not finite (n + index); −1: none.

    A controller that optimises inside the limits may hold a joint at its limit: it gets what it wants.
    """
    n = wanted.shape[0]
    for i in range(n):
        if not np.isfinite(wanted[i]):
            return n + i
    for i in range(n):
        if abs(wanted[i]) > (1.0 + BEYOND) * limits[i]:
            return i
    return -1

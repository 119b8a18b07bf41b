# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joint velocities that may be damped: those that measured velocities and differences of positions agree upon.

A velocity with the wrong sign turns damping into a drive. Of each joint the smaller of both is taken where they have
one sign, and nothing where they have not or where the joint has just turned round: whichever of the two sensors is
wrong, no joint is driven by the other's account.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

WINDOW = 4  # readings over which positions are differenced: 2 ms of lag, and steps of an encoder don't count (choice)

#: Positions (n,) [rad] of the last readings and how long ago they were [s], the oldest first.
Past = tuple[tuple[float, Array], ...]


def agreed_velocity(past: Past, position: Array, velocity: Array, dt: float) -> tuple[Past, Array | None]:
    """One reading, dt [s] after the last.

    Args:
        past: what is remembered; empty before the first reading and after a reading without good positions.
        position: of the joints now (n,) [rad].
        velocity: of the joints now, as measured (n,) [rad/s].
        dt: time since the last reading [s].

    Returns:
        What to remember, and the velocities that may be damped (n,) [rad/s]; None where nothing is known yet.
    """
    if not np.isfinite(position).all():
        return (), None
    older = tuple((age + dt, where) for age, where in past)
    now = (*older[1 - WINDOW :], (0.0, position.copy()))
    if not older or older[0][0] <= 0.0:
        return now, None
    return now, _one_way(position, velocity, older[0][1], older[-1][1], older[0][0])


@kernel
def _one_way(position: Array, velocity: Array, first: Array, last: Array, age: float) -> Array:
    """Of each joint (n,) the slower of measured and differenced velocity, where both and the last move go one way."""
    result = np.zeros(position.shape[0])
    for i in range(position.shape[0]):
        differenced = (position[i] - first[i]) / age
        one_way = velocity[i] * differenced > 0.0
        goes_on = velocity[i] * (position[i] - last[i]) >= 0.0
        if one_way and goes_on:
            result[i] = math.copysign(min(abs(velocity[i]), abs(differenced)), velocity[i])
    return result

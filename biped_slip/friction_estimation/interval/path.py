# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The path of the force: how far the contact moves, in units of s_p/3, when its force ratio changes."""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

SUB_STEPS = 2  # midpoint steps per increment (study 7.1)
FLOOR = 0.02  # smallest mu^2 - |u|^2, in mu^2 (study 7.1): beyond the limit the path is steep, not infinite


@kernel
def add_path(
    u_x: float, u_y: float, du_x: float, du_y: float, mu: float, exponents: Array, first: int, path: Array
) -> None:
    r"""Path from ``u`` to ``u + du`` for one mu and every shape (study 2, study 7.1), added to ``path``.

    .. math:: d\phi = \frac{du + s\,u}{\mu}\Bigl(1 - \frac{u\cdot du}{|du|\,\mu}\Bigr)^{1-\alpha},\qquad
       s = \frac{u\cdot du + \sqrt{(u\cdot du)^2 + (\mu^2 - |u|^2)|du|^2}}{\mu^2 - |u|^2}

    The direction of motion comes from the force alone, never from the sign of a measured velocity.

    Args:
        u_x, u_y: force ratio at the start [-].
        du_x, du_y: its change [-], not zero.
        mu: friction coefficient of the node [-].
        exponents: 1 - alpha, shape (shapes,); 0 is the first order law in closed form.
        first: index of the node's first shape in ``path``.
        path: shape (2, filters) [-].
    """
    step_x, step_y = du_x / SUB_STEPS, du_y / SUB_STEPS
    length_squared = step_x * step_x + step_y * step_y
    bent = exponents.size > 1 or exponents[0] != 0.0
    for sub_step in range(SUB_STEPS):
        mid_x, mid_y = u_x + (sub_step + 0.5) * step_x, u_y + (sub_step + 0.5) * step_y
        along = mid_x * step_x + mid_y * step_y
        room = max(mu * mu - mid_x * mid_x - mid_y * mid_y, FLOOR * mu * mu)
        s = (along + math.sqrt(along * along + room * length_squared)) / room
        path_x, path_y = (step_x + s * mid_x) / mu, (step_y + s * mid_y) / mu
        if bent:
            log_distance = math.log(max(1.0 - along / (math.sqrt(length_squared) * mu), 0.5 * FLOOR))
            for shape in range(exponents.size):
                bend = math.exp(exponents[shape] * log_distance) if exponents[shape] != 0.0 else 1.0
                path[0, first + shape] += bend * path_x
                path[1, first + shape] += bend * path_y
        else:
            path[0, first] += path_x
            path[1, first] += path_y

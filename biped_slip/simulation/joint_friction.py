# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Friction of a joint: Bliman and Sorine's bristle, exact at a constant rate (A.2).

The torque f of a joint at the rate w follows

.. math:: \frac{df}{dt} = \frac{3}{s_p}\,|w|\,(c\,\mathrm{sign}(w) - f)

with the Coulomb torque c and the angle s_p after which 95 % of it are reached.
"""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel


@kernel
def joint_friction(
    torque: float, rate: float, coulomb: float, per_angle: float, dt: float
) -> tuple[float, float]:
    """Compute friction torque [N m] after half of dt [s] and after all of it.

    The model is Bliman–Sorine in its absolute form (A.2).

    Exact at a constant joint rate; per_angle is 3/s_p [1/rad].

    Args:
        torque: of the friction now [N m].
        rate: of the joint [rad/s].
        coulomb: torque at which it slides [N m].
        per_angle: 3/s_p [1/rad].
        dt: [s].
    """
    kept = math.exp(-0.5 * per_angle * abs(rate) * dt)
    rest = math.copysign(coulomb, rate)
    middle = rest + (torque - rest) * kept
    return middle, rest + (middle - rest) * kept

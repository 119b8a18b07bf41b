# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Friction of a joint: Bliman and Sorine's bristle, exact at a constant rate (A.2).

The bristle's torque f at the joint's rate w follows

.. math:: \frac{df}{dt} = \frac{3}{s_p}\,|w|\,(c\,\mathrm{sign}(w) - f)

with the Coulomb torque c and the angle s_p after which 95 % of it are reached. A gear
rubs with it times its level: a static peak at rest that fades over the Stribeck rate
w_s (A.1 (4.1)), and a share eta of the motor's torque tau [Duclusaud2024],

.. math:: \frac{f_{gear}}{f} = 1 + (\kappa - 1)\,e^{-(w/w_s)^2} + \eta\,|\tau| / c

The level is 1 for a joint that is no more than Coulomb's.
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


@kernel
def friction_level(
    torque: float,
    rate: float,
    coulomb: float,
    static: float,
    static_rate: float,
    load: float,
) -> float:
    """Compute how many times its bristle's torque a gear rubs with.

    Args:
        torque: of the motor [N m].
        rate: of the joint [rad/s].
        coulomb: torque at which it slides without load [N m], above zero.
        static: peak at rest over that torque.
        static_rate: over which the peak fades [rad/s], above zero.
        load: share of the motor's torque.
    """
    ratio = rate / static_rate
    peak = (static - 1.0) * math.exp(-ratio * ratio)
    return 1.0 + peak + load * abs(torque) / coulomb

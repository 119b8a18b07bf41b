# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a sole's friction that a gait needs, from the linear inverted pendulum and the leg that swings.

The ZMP rolls from heel to toe of the stance foot and moves on to the next one during double support. The steady gait
is symmetric about mid-stance and mid-transfer; the force ratio ``|c - p|/z`` is largest where one goes over into the
other. The swing leg's momentum about the vertical asks the stance sole for a moment as well; a sole that bears both
needs ``sqrt((F/N)^2 + (M/(r N))^2)`` with its moment arm r (ellipse for the limit surface of a patch,
[HoweCutkosky1996]).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.swing_foot import ALONG

MOMENTS = 3  # of a stance that are looked at, from its begin to where a smooth swing accelerates most
STRONGEST = 0.5 - 0.5 / math.sqrt(3.0)  # of the way: where that is


class Pendulum(NamedTuple):
    """A walking robot as its planned friction sees it."""

    height: float  # of the centre of mass [m]
    omega: float  # [1/s]
    roll: float = 0.0  # of a step that the ZMP goes under the stance foot
    turning: float = 0.0  # ratio that the moment costs per acceleration of the swing foot [s^2/m]
    smooth: bool = True  # whether the swing foot begins without acceleration


@kernel
def transfer_offset(length: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """Largest distance [m] of the centre of mass from the ZMP along the walk.

    ``L sinh(omega Td/2) sinh(omega Ts/2) / (omega Td sinh(omega (Ts + Td)/2))``; L/2 for Td = 0. A zmp that rolls by
    ``q L`` under the foot takes ``q (1 + Td/Ts)`` of that away: its speed in both supports enters linearly.
    """
    a, b = 0.5 * pendulum.omega * single_support, 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    rolled = abs(1.0 - pendulum.roll * (1.0 + double_support / single_support))
    return rolled * length * share * math.sinh(a) / math.sinh(a + b)


@kernel
def sway_offset(width: float, single_support: float, double_support: float, pendulum: Pendulum) -> float:
    """Largest distance [m] of the centre of mass from the ZMP across the walk; half the width for Td = 0."""
    a, b = 0.5 * pendulum.omega * single_support, 0.5 * pendulum.omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    return width * share * math.cosh(a) / math.cosh(a + b)


@kernel
def swing_acceleration(share: float, single_support: float, smooth: bool) -> float:
    """Acceleration [1/s^2] of the swing foot at a share of its way, for steps of 1 m: it goes twice as far.

    ``s'' D/T^2`` with ``60 s - 180 s^2 + 120 s^3`` on a quintic, ``6 - 12 s`` on a cubic.
    """
    s = share
    shape = 60.0 * s - 180.0 * s**2 + 120.0 * s**3 if smooth else 6.0 - 12.0 * s
    return 2.0 * shape / (ALONG * single_support) ** 2


@kernel
def demand(moment: int, width: float, single_support: float, double_support: float,
           pendulum: Pendulum) -> tuple[float, float]:  # fmt: skip
    """Ratio per metre of step length, and that of the sway, at one of the moments of a stance."""
    share = STRONGEST * moment / (MOMENTS - 1)
    half = 0.5 * pendulum.omega * single_support
    left = half * (1.0 - 2.0 * ALONG * share)
    along = transfer_offset(1.0, single_support, double_support, pendulum) * math.sinh(left) / math.sinh(half)
    across = sway_offset(width, single_support, double_support, pendulum) * math.cosh(left) / math.cosh(half)
    turn = pendulum.turning * swing_acceleration(share, single_support, pendulum.smooth)
    return math.hypot(along / pendulum.height, turn), across / pendulum.height


@kernel
def peak_ratio(length: float, width: float, single_support: float, double_support: float,
               pendulum: Pendulum) -> float:  # fmt: skip
    """Largest part of the friction [-] that the steady gait needs."""
    peak = 0.0
    for moment in range(MOMENTS):
        along, across = demand(moment, width, single_support, double_support, pendulum)
        peak = max(peak, math.hypot(length * along, across))
    return peak

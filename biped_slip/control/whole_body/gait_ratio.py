# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ratio of tangential to normal force that a gait needs, from the linear inverted pendulum.

The pivot rests under the stance foot and moves to the next one during double support. The steady gait is symmetric
about mid-stance and mid-transfer; the force ratio ``|c - p|/z`` is largest where one goes over into the other.
"""

from __future__ import annotations

import math

from biped_slip.kernels import kernel


@kernel
def transfer_offset(length: float, single_support: float, double_support: float, omega: float) -> float:
    """Largest distance [m] of the centre of mass from the pivot along the walk.

    ``L sinh(omega Td/2) sinh(omega Ts/2) / (omega Td sinh(omega (Ts + Td)/2))``; L/2 for Td = 0.
    """
    a, b = 0.5 * omega * single_support, 0.5 * omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    return length * share * math.sinh(a) / math.sinh(a + b)


@kernel
def sway_offset(width: float, single_support: float, double_support: float, omega: float) -> float:
    """Largest distance [m] of the centre of mass from the pivot across the walk; half the width for Td = 0."""
    a, b = 0.5 * omega * single_support, 0.5 * omega * double_support
    share = 0.5 if b < 1e-6 else 0.5 * math.sinh(b) / b
    return width * share * math.cosh(a) / math.cosh(a + b)


@kernel
def peak_ratio(length: float, width: float, single_support: float, double_support: float, height: float,
               omega: float) -> float:  # fmt: skip
    """Largest force ratio [-] of the steady gait."""
    along = transfer_offset(length, single_support, double_support, omega)
    across = sway_offset(width, single_support, double_support, omega)
    return math.hypot(along, across) / height


@kernel
def affordable_length(ratio: float, width: float, single_support: float, double_support: float, height: float,
                      omega: float) -> float:  # fmt: skip
    """Longest step [m] whose peak ratio stays at or below ``ratio``; 0 where the sway alone needs more."""
    across = sway_offset(width, single_support, double_support, omega)
    left = (ratio * height) ** 2 - across**2
    if left <= 0.0:
        return 0.0
    return math.sqrt(left) / transfer_offset(1.0, single_support, double_support, omega)

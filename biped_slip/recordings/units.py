# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Units in which recordings come, and their factors to SI."""

from __future__ import annotations

import math

from biped_slip.errors import InvalidParameter

G0 = 9.80665  # standard gravity [m/s^2]

FACTORS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "force": {"N": 1.0, "kN": 1e3, "mN": 1e-3, "uN": 1e-6, "kgf": G0, "lbf": 4.4482216152605, "counts": 1.0},
    "moment": {"N m": 1.0, "N mm": 1e-3, "N cm": 1e-2, "uN m": 1e-6, "lbf ft": 1.3558179483314004},
    "position": {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254},
    "velocity": {"m/s": 1.0, "cm/s": 1e-2, "mm/s": 1e-3, "um/s": 1e-6},
    "acceleration": {"m/s^2": 1.0, "mm/s^2": 1e-3, "g": G0},
    "angular_rate": {"rad/s": 1.0, "deg/s": math.pi / 180.0},
}
SPELLINGS = {"Nm": "N m", "Nmm": "N mm", "µN": "uN", "µm": "um", "m/s2": "m/s^2", "m/s²": "m/s^2", "N·m": "N m"}


def factor(name: str, quantity: str, unit: str) -> float:
    """Factor from a unit to SI.

    Args:
        name: what is converted, for the error.
        quantity: a key of ``FACTORS``.
        unit: as written in a file.

    Raises:
        InvalidParameter: the quantity has no such unit.
    """
    known = FACTORS[quantity]
    spelled = SPELLINGS.get(unit, unit)
    if spelled not in known:
        raise InvalidParameter(name, unit, f"a unit of {quantity.replace('_', ' ')}: {', '.join(known)}")
    return known[spelled]

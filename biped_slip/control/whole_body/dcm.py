# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Divergent component of motion (DCM) of the linear inverted pendulum over a planned path of its ZMP.

The ZMP is the virtual repellent point (VRP); at constant height its ground projection is the zero-moment point.
DCM ``xi = c + c'/omega`` obeys ``xi' = omega (xi - vrp)`` ([Englsberger2015], eq. 10).
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel


@kernel
def dcm_before(end: Array, zmp_from: Array, zmp_to: Array, duration: float, omega: float) -> Array:
    """DCM (2,) [m] that reaches ``end`` after a zmp path that is linear in time, in closed form.

    ``xi(0) = p0 + p'/omega + exp(-omega T) (xi(T) - p1 - p'/omega)`` with ``p' = (p1 - p0)/T``.
    """
    if duration <= 0.0:
        return end
    slope = (zmp_to - zmp_from) / (duration * omega)
    return zmp_from + slope + math.exp(-omega * duration) * (end - zmp_to - slope)


@kernel
def dcm_reference(zmps: Array, durations: Array, omega: float) -> Array:
    """DCM now (2,) [m], so that it comes to rest on the last ZMP.

    Args:
        zmps: (k + 1, 2) ZMP now and at the end of each segment [m]; linear in between.
        durations: (k,) of the segments [s].
        omega: ``sqrt(g/z)`` [1/s].
    """
    dcm = zmps[-1]
    for i in range(durations.shape[0] - 1, -1, -1):
        dcm = dcm_before(dcm, zmps[i], zmps[i + 1], durations[i], omega)
    return dcm


@kernel
def wanted_zmp(dcm: Array, reference: Array, zmp: Array, omega: float, gain: float) -> Array:
    """ZMP (2,) [m] that lets the error of the DCM decay with ``gain`` [1/s]: ``p + (1 + k/omega)(xi - xi_ref)``."""
    return zmp + (1.0 + gain / omega) * (dcm - reference)


@kernel
def uncontrollable_error(error: float, reach: float, remaining: float, omega: float) -> float:
    """What is left of a DCM error [m] at the end of a step although the ZMP helps by ``reach`` [m] all the time.

    ``e(T) = (|e| - r (1 - exp(-omega T))) exp(omega T)``, zero where the ZMP suffices: the part that only the next
    foothold can take (capture point, [Pratt2006]).
    """
    decay = math.exp(-omega * remaining)
    left = max(abs(error) - reach * (1.0 - decay), 0.0) / decay
    return math.copysign(left, error)


def natural_rate(height: float, gravity: float) -> float:
    """``sqrt(g/z)`` [1/s] of a pendulum of constant height [m]."""
    return float(np.sqrt(gravity / height))

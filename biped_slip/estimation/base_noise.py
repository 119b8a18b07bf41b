# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""By how much noisy speeds let the equations of a robot's base err.

The base's wrench is that of the body's accelerations, and those are differences of
speeds. The mean over a time T has the noise of its two ends,

.. math::

   \sigma_{\dot v} = \sqrt{2}\,\sigma_v / T

and the columns of the mass matrix pass it on, so that a robot pays for its inertia: a
G1 by 1.3 N and 1.4 N m over 20 ms, an Atlas by 24 N and 24 N m, of its weight three to
four times as much. T is that of a slide, over which forces are summed: what is faster
leaves the sum.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.robots.model_functions import FloatingFunctions

# [rad/s] sd of joints and of a gyroscope: an encoder of 15 urad over 4 ms, or a driver
# that filters as much
SPEED_NOISE = 5e-3
SUMMED_TIME = 0.02  # [s] over which forces of a landing foot are summed (choice)


def base_noise(functions: FloatingFunctions, posture: Array, leg: int) -> Array:
    """Compute the standard deviations (6,) of the base's wrench, meant over a slide.

    Args:
        functions: of the robot.
        posture: of its joints (n,) [rad].
        leg: number of joints in a leg.
    """
    joints = len(posture)
    still = _base_wrench(functions, posture, leg, np.zeros(joints + 3))
    columns = [
        _base_wrench(functions, posture, leg, unit) - still
        for unit in np.eye(joints + 3)
    ]
    change = math.sqrt(2.0) * SPEED_NOISE / SUMMED_TIME
    return np.asarray(change * np.linalg.norm(columns, axis=0))


def _base_wrench(
    functions: FloatingFunctions, posture: Array, leg: int, changes: Array
) -> Array:
    """Compute the wrench (6,) about the base by accelerations (n + 3,)."""
    joints = len(posture)
    base = np.zeros(6)
    rest = np.zeros(joints)
    functions.leg_dynamics(
        functions.generated,
        (posture, rest, changes[:joints], np.zeros(3), changes[joints:], np.zeros(3)),
        (
            base,
            np.zeros((2, leg)),
            np.zeros((2, 6, 6)),
            np.zeros((2, 6, leg)),
            np.zeros((2, 6)),
            np.zeros((2, 6)),
        ),
    )
    return base

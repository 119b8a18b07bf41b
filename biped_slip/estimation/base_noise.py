# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""By how much noisy speeds let the equations of a robot's base err.

The base's wrench is that of the body's accelerations, and those are differences of
speeds, ``(v_k - v_k-1) / T``. White noise of the speeds is passed on by the columns of
the mass matrix, so that a robot pays for its inertia: by 4 N and 4 N m a G1, by 66 N
and 65 N m an Atlas, of its weight three to four times as much. What a low pass that
takes a share s of each sample leaves of the noise sd of one speed is

.. math::

   \sigma_{\dot v} = \sigma_v\,\frac{s}{T}\sqrt{\frac{2}{2 - s}}
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.robots.model_functions import FloatingFunctions

# [rad/s] sd of joints and of a gyroscope: an encoder of 15 urad over 4 ms, or a driver
# that filters as much
SPEED_NOISE = 5e-3


def base_noise(
    functions: FloatingFunctions, posture: Array, leg: int, low_pass: float, dt: float
) -> Array:
    """Compute the standard deviations (6,) of a low-passed wrench of the base.

    Args:
        functions: of the robot.
        posture: of its joints (n,) [rad].
        leg: number of joints in a leg.
        low_pass: its time constant [s].
        dt: between samples [s].
    """
    joints = len(posture)
    still = _base_wrench(functions, posture, leg, np.zeros(joints + 3))
    columns = [
        _base_wrench(functions, posture, leg, unit) - still
        for unit in np.eye(joints + 3)
    ]
    share = -math.expm1(-dt / low_pass)
    change = SPEED_NOISE * share / dt * math.sqrt(2.0 / (2.0 - share))
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

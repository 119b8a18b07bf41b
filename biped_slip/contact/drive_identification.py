# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Identification of a joint's drive: inertia, viscosity and dry friction by least squares (E.6)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError


class Drive(NamedTuple):
    """J a + b v + c sgn(v) = torque at the joint (26)."""

    inertia: float  # J [kg m^2]
    viscosity: float  # b [N m s/rad]
    coulomb: float  # c [N m]


class Consistency(NamedTuple):
    """How well several experiments agree, per parameter in the order of Drive (25)."""

    mean: Array  # (3,)
    deviation: Array  # (3,) population standard deviation
    measure: Array  # (3,) deviation/mean; small is consistent


def joint_torque(current: Array, torque_constant: float, pulley_ratio: float, harmonic_ratio: float) -> Array:
    """r_p r_h k_t i [N m] of a motor current [A] (26)."""
    return pulley_ratio * harmonic_ratio * torque_constant * current


def identify_drive(velocity: Array, acceleration: Array, torque: Array) -> Drive:
    """Least squares theta = (Phiᵀ Phi)⁻¹ Phiᵀ T over samples (n,) [rad/s, rad/s^2, N m] (23)–(24).

    Raises:
        BipedSlipError: fewer samples than parameters, or a motion that doesn't tell the parameters apart.
    """
    phi = np.column_stack((acceleration, velocity, np.sign(velocity)))
    theta, _, rank, _ = np.linalg.lstsq(phi, torque, rcond=1e-9)
    if len(torque) <= 3 or rank < 3:
        raise BipedSlipError(
            f"drive identification: {len(torque)} samples of rank {rank} for 3 parameters; "
            "record a longer motion with changing speed in both directions"
        )
    return Drive(*map(float, theta))


def consistency(experiments: list[Drive]) -> Consistency:
    """Agreement of repeated experiments (25)."""
    table = np.array(experiments)
    mean, deviation = table.mean(axis=0), table.std(axis=0)
    return Consistency(mean, deviation, deviation / mean)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid contact, drive identification and the energy audit of friction laws.

They are for the papers alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.friction_laws.law import FRESH, FrictionLaw

# Rigid contact: torques and contact wrenches that a motion needs, and whether the
# ground can give them (E.1).


class RigidSolution(NamedTuple):
    """Answer of the inverse dynamics."""

    torques: Array  # (n,) [N m]
    wrenches: (
        Array  # (feet, rows) of the ground on each foot: force [N], then moment [N m]
    )
    residual: (
        float  # |D x − h|: 0 but for a motion that these feet can't support [N, N m]
    )


class Feasibility(NamedTuple):
    """What a wrench asks of the ground, and whether it can be had."""

    normal: float  # [N]
    ratio: float  # |tangential| / normal
    zmp: Array  # (2,) in the sole [m]
    unilateral: bool  # the ground only has to push
    inside_cone: bool  # the ratio is at most mu
    zmp_in_sole: bool

    @property
    def feasible(self) -> bool:
        """All three."""
        return self.unilateral and self.inside_cone and self.zmp_in_sole


def inverse_dynamics(demand: Array, jacobians: Array) -> RigidSolution:
    """Find torques and wrenches for h = M a + C + G (8)–(15).

    One or two feet are at rest on the ground.

    Solves [B, J₁ᵀ, J₂ᵀ] x = h with x of least norm (15): unique in single support,
    6-fold redundant in double support, where the norm mixes N m and N as the source
    does.

    Args:
        demand: (nv,) generalized forces h; the first nv − n rows belong to the
            unactuated base.
        jacobians: (feet, rows, nv): 6 rows for a flat foot, fewer for points; the base
            has as many coordinates as one foot has rows.
    """
    if jacobians.ndim != 3 or jacobians.shape[2] != demand.shape[0]:
        raise InvalidParameter(
            "jacobians", jacobians.shape, f"an array (feet, rows, {demand.shape[0]})"
        )
    feet, rows, size = jacobians.shape
    joints = size - rows
    selection = np.vstack((np.zeros((rows, joints)), np.eye(joints)))
    matrix = np.hstack((selection, *(jacobian.T for jacobian in jacobians)))
    answer = np.linalg.pinv(matrix, rcond=1e-12) @ demand
    residual = float(np.linalg.norm(matrix @ answer - demand))
    return RigidSolution(answer[:joints], answer[joints:].reshape(feet, rows), residual)


def feasibility(wrench: Array, mu: float, polygon: Array) -> Feasibility:
    """Check a wrench (6,) about the sole's origin, in the sole's axes.

    The answer is whether it is unilateral, in the cone and in the sole.

    Args:
        wrench: force [N] and moment [N m] of the ground on the foot.
        mu: available friction.
        polygon: (k, 2) convex sole in counter-clockwise order [m].
    """
    normal = float(wrench[2])
    tangential = math.hypot(wrench[0], wrench[1])
    if normal <= 0.0:
        return Feasibility(
            normal=normal,
            ratio=math.inf,
            zmp=np.full(2, math.nan),
            unilateral=False,
            inside_cone=False,
            zmp_in_sole=False,
        )
    zmp = np.array([-wrench[4], wrench[3]]) / normal
    edges = np.roll(polygon, -1, axis=0) - polygon
    to_zmp = zmp - polygon
    inside = bool(
        np.all(edges[:, 0] * to_zmp[:, 1] - edges[:, 1] * to_zmp[:, 0] >= -1e-12)
    )
    ratio = tangential / normal
    return Feasibility(
        normal=normal,
        ratio=ratio,
        zmp=zmp,
        unilateral=True,
        inside_cone=ratio <= mu,
        zmp_in_sole=inside,
    )


# Identification of a joint's drive: inertia, viscosity and dry friction by least
# squares (E.6).


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


def joint_torque(
    current: Array, torque_constant: float, pulley_ratio: float, harmonic_ratio: float
) -> Array:
    """r_p r_h k_t i [N m] of a motor current [A] (26)."""
    return pulley_ratio * harmonic_ratio * torque_constant * current


def identify_drive(velocity: Array, acceleration: Array, torque: Array) -> Drive:
    """Identify a drive by least squares, theta = (Phiᵀ Phi)⁻¹ Phiᵀ T (23)–(24).

    The samples are (n,) [rad/s, rad/s^2, N m].

    Raises:
        BipedSlipError: fewer samples than parameters, or a motion that doesn't tell the
            parameters apart.
    """
    phi = np.column_stack((acceleration, velocity, np.sign(velocity)))
    theta, _, rank, _ = np.linalg.lstsq(phi, torque, rcond=1e-9)
    if len(torque) <= 3 or rank < 3:
        raise BipedSlipError(
            f"drive identification: {len(torque)} samples of rank {rank} for 3 "
            "parameters; "
            "record a longer motion with changing speed in both directions"
        )
    return Drive(*map(float, theta))


def consistency(experiments: list[Drive]) -> Consistency:
    """Agreement of repeated experiments (25)."""
    table = np.array(experiments)
    mean = table.mean(axis=0)
    deviation = table.std(axis=0)
    return Consistency(mean, deviation, deviation / mean)


# Energy audit of a friction law: contact work on the body plus the change of stored
# energy must not be positive.


class EnergyAudit(NamedTuple):
    """What a contact did over a series of slips."""

    dissipated: float  # work of the slip minus what is stored at the end [J]
    # sum of all steps that gave back more than was stored [J]: 0 for a passive law
    created: float
    worst_step: float  # largest of them [J]


def audit(
    law: FrictionLaw, slip: Array, normal: Array, mu: float, dt: float
) -> EnergyAudit:
    """Audit every step of a slip history.

    At constant load every law of the family is passive up to the error of the step. A
    law whose force is the load times a memory (``ratio_form``) can create energy when
    the load rises while the point springs back.

    Args:
        law: friction law that is audited.
        slip: (n, 2) velocity of the point over the ground [m/s].
        normal: (n,) load [N].
        mu: Coulomb coefficient of the floor.
        dt: step [s].
    """
    memory = FRESH
    stored = 0.0
    dissipated = 0.0
    created = 0.0
    worst = 0.0
    packed = law.packed
    for (x, y), load in zip(slip, normal, strict=True):
        memory, force_x, force_y = law.step(memory, x, y, load, mu, packed, dt)
        now = law.stored_energy(memory, load, mu, packed)
        lost = (force_x * x + force_y * y) * dt + stored - now
        dissipated = dissipated + lost
        stored = now
        # the step's own error: the force at its end stands for the whole step
        excess = (
            -lost - law.presliding_stiffness(load, mu) * (math.hypot(x, y) * dt) ** 2
        )
        if excess > 0.0:
            created = created + excess
            worst = max(worst, excess)
    return EnergyAudit(dissipated, created, worst)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Rigid contact, agreement of identified drives, the energy audit of friction laws.

They are for the papers alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.law import FRESH, FrictionLaw

# Rigid contact: torques and contact wrenches that a motion needs (E.1).


class RigidSolution(NamedTuple):
    """Answer of the inverse dynamics."""

    torques: Array  # (n,) [N m]
    wrenches: (
        Array  # (feet, rows) of the ground on each foot: force [N], then moment [N m]
    )
    residual: (
        float  # |D x − h|: 0 but for a motion that these feet can't support [N, N m]
    )


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


# How well repeated identifications of a joint's drive agree (E.6).


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

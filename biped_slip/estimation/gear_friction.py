# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Friction of a leg's gears and error of its torque constants, learnt while walking.

What a motor's current says is the motor's torque; its gear takes friction from it and
the current's scale is known to some hundredths. The torque that moves the joint is

.. math::

   \tau_{joint} = \tau - \varphi\cdot\theta,\qquad
   \varphi = (-\tau,\ \tanh\frac{v}{v_s},\ v,\ |\tau| \tanh\frac{v}{v_s},\ 1)

with :math:`\theta` = error of the torque constant [-], Coulomb [N m], viscous
[N m s/rad], share of the load [-] and offset [N m]. Where a leg's contact is known, in
the air or with the whole robot on it, the body says the torque that moves each joint,
and the rest is linear in :math:`\theta`: recursive least squares, each joint by itself,
from the maker's numbers on.

Samples err alike for as long as a swing lasts: masses of links, the base's moments and
the form of friction err by the posture, not by chance. So what one swing teaches counts
once, however often it is sampled. A joint that is slow sticks and slides by turns, and
teaches little; and of the leg that carries the torque is known by the base alone
(``joint_torque_wrench.py``), an ankle's hardly, whose lever to the floor is short.

Sources of the friction's form and sizes: Unitree's model
of its actuators (Coulomb and viscous), Rhoban's BAM, arXiv 2410.08650 (share of the
load).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

TERMS = 5  # of theta
SIGN_SPEED = 0.03  # [rad/s] over which friction changes its sign (choice)
STICKING_SPEED = 0.15  # [rad/s] below which a joint sticks and slides by turns
# sd of the friction of a joint at rest, in its Coulomb friction: static peaks of 1 to
# 1.4, presliding of a milliradian
STICKING = 0.5
# standard deviations of theta before anything is learnt, as the maker's numbers err
CONSTANT_SD = 0.03  # [-]
FRICTION_SD = 0.5  # of the maker's Coulomb and viscous friction [-]
LOAD_SD = 0.03  # [-]
OFFSET_SD = 0.01  # of the joint's torque limit [-]
# sd of one sample: what a model of links and sign leaves, of Coulomb friction and of
# the torque (choice)
COULOMB_NOISE = 0.3
TORQUE_NOISE = 0.02
GEAR_LEARNING_TIME = 0.01  # [s] between samples that gears are learnt from
ERROR_TIME = 0.3  # [s] for which samples err alike: about a swing (choice)


class LegGears(NamedTuple):
    """What the maker says of the gears in both legs, each (2, k)."""

    coulomb: Array  # [N m]
    viscous: Array  # [N m s/rad]
    load: Array  # share of the load [-]
    limit: Array  # largest torque [N m]


class GearFriction(NamedTuple):
    """What is known of the gears in both legs; a sample overwrites it."""

    theta: Array  # (2, k, 5)
    covariance: Array  # (2, k, 5, 5)


def makers_friction(gears: LegGears) -> GearFriction:
    """Return what is known before anything is learnt."""
    shape = gears.coulomb.shape
    theta = np.zeros((*shape, TERMS))
    theta[..., 1] = gears.coulomb
    theta[..., 2] = gears.viscous
    theta[..., 3] = gears.load
    sd = np.empty((*shape, TERMS))
    sd[..., 0] = CONSTANT_SD
    sd[..., 1] = FRICTION_SD * gears.coulomb
    sd[..., 2] = FRICTION_SD * gears.viscous
    sd[..., 3] = LOAD_SD
    sd[..., 4] = OFFSET_SD * gears.limit
    covariance = np.zeros((*shape, TERMS, TERMS))
    for term in range(TERMS):
        covariance[..., term, term] = sd[..., term] ** 2
    return GearFriction(theta=theta, covariance=covariance)


@kernel
def friction_terms(torque: float, speed: float, terms: Array) -> None:
    """Fill phi (5,) of a joint.

    Args:
        torque: of the motor, at the joint [N m].
        speed: of the joint [rad/s].
        terms: (5,), filled.
    """
    sign = math.tanh(speed / SIGN_SPEED)
    terms[0] = -torque
    terms[1] = sign
    terms[2] = speed
    terms[3] = abs(torque) * sign
    terms[4] = 1.0


@kernel
def friction_torque(terms: Array, theta: Array) -> float:
    """Compute what phi (5,) and theta (5,) say that the gear takes [N m]."""
    total = 0.0
    for term in range(TERMS):
        total += terms[term] * theta[term]
    return total


@kernel
def friction_variance(terms: Array, before: Array, covariance: Array) -> float:
    """Compute how uncertain the change of a gear's friction is [N^2 m^2].

    Args:
        terms: phi (5,) now.
        before: phi (5,) then.
        covariance: (5, 5) of theta.
    """
    total = 0.0
    for i in range(TERMS):
        for j in range(TERMS):
            total += (terms[i] - before[i]) * covariance[i, j] * (terms[j] - before[j])
    return max(total, 0.0)


@kernel
def learn_joint(
    theta: Array,
    covariance: Array,
    terms: Array,
    taken: float,
    coulomb: float,
    unknown: float,
) -> float:
    """Update one joint by a torque that its gear has taken; return phi . d theta.

    Args:
        theta: (5,), overwritten.
        covariance: (5, 5), overwritten.
        terms: phi (5,) of the sample.
        taken: torque that the gear has taken [N m].
        coulomb: the maker's friction, in which noise is measured [N m].
        unknown: variance of the torque that moves the joint [N^2 m^2].
    """
    gain = np.empty(TERMS)
    slow = STICKING * (1.0 - abs(math.tanh(terms[2] / STICKING_SPEED)))
    variance = (COULOMB_NOISE**2 + slow**2) * coulomb**2
    variance += (TORQUE_NOISE * terms[0]) ** 2 + unknown
    variance *= ERROR_TIME / GEAR_LEARNING_TIME
    left = taken
    for i in range(TERMS):
        gain[i] = 0.0
        for j in range(TERMS):
            gain[i] += covariance[i, j] * terms[j]
        variance += terms[i] * gain[i]
        left -= terms[i] * theta[i]
    changed = 0.0
    for i in range(TERMS):
        change = gain[i] / variance * left
        theta[i] += change
        changed += terms[i] * change
        for j in range(TERMS):
            covariance[i, j] -= gain[i] * gain[j] / variance
    return changed

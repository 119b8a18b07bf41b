# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Divergent component of motion (DCM) of the walk: where it is, and where it should be.

The linear inverted pendulum over the ZMP ``p`` obeys ``c'' = omega^2 (c - p)``. Its
part ``xi = c + c'/omega``, which is the capture point of [Pratt2006], runs away from
the ZMP, ``xi' = omega (xi - p)`` ([Englsberger2015], eq. 10: the ZMP is the ground
projection of the virtual repellent point at constant height); the other part decays.
So a walk is steered by the DCM alone. Its reference goes backward in time, from where
the steady gait has it behind the next steps to now::

    now                touchdown              next lift-off
    |-- rest of swing --|------ transfer ------|-- steady gait -->
    xi_ref  <---------  dcm_before  <--------  steady_offsets

"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.footsteps import (
    STAND,
    TRANSFER,
    Gait,
    SolePoses,
    SteppingState,
    foothold_for,
    turned,
    zmp_now,
    zmp_way,
)
from biped_slip.control.whole_body.setup import Setup
from biped_slip.control.whole_body.tasks import Terms


@kernel
def dcm_before(
    end: Array, zmp_from: Array, zmp_to: Array, duration: float, omega: float
) -> Array:
    """Compute the DCM (2,) [m] that reaches ``end`` after a zmp path.

    The path is linear in time; the solution has closed form.

    ``xi(0) = p0 + p'/omega + exp(-omega T) (xi(T) - p1 - p'/omega)`` with ``p' = (p1 -
    p0)/T``.
    """
    if duration <= 0.0:
        return end
    slope = (zmp_to - zmp_from) / (duration * omega)
    return zmp_from + slope + math.exp(-omega * duration) * (end - zmp_to - slope)


@kernel
def wanted_zmp(
    dcm: Array, reference: Array, zmp: Array, omega: float, gain: float
) -> Array:
    """Compute the ZMP (2,) [m] for a DCM error that decays by ``gain`` k [1/s].

    It is ``p + (1 + k/omega)(xi - xi_ref)``.
    """
    return zmp + (1.0 + gain / omega) * (dcm - reference)


def natural_rate(height: float, gravity: float) -> float:
    """Compute ``sqrt(g/z)`` [1/s], the rate of a pendulum of constant height [m]."""
    return float(np.sqrt(gravity / height))


@kernel
def transfer_shares(double_support: float, omega: float) -> tuple[float, float]:
    """Compute the shares of a transfer in the DCM at touchdown.

    They are k of the ZMP's way, and E of the offset at its end.
    """
    a = omega * double_support
    if a < 1e-6:
        return 1.0, 1.0
    decay = math.exp(-a)
    return (1.0 - decay) / a, decay


@kernel
def steady_offset(
    way: float, other: float, rolled: float, single: float, double: float, omega: float
) -> float:
    """Compute the DCM [m] from the ZMP at the begin of a single support.

    The single support is one in the steady gait of two alternating steps.

    ``way`` [m] is that of the ZMP over the transfer behind it, ``other`` of the
    transfer behind the next one; in between it rolls by ``rolled`` [m]. With ``X = s +
    e^{omega Ts} (b - s) = k u + E b'`` the mean of both ways repeats and their
    difference alternates.
    """
    k, decay = transfer_shares(double, omega)
    grown = math.exp(omega * single)
    drift = rolled / (omega * single)
    mean = 0.5 * (way + other)
    half = 0.5 * (way - other)
    return (k * mean + drift * (grown - 1.0)) / (grown - decay) + k * half / (
        grown + decay
    )


@kernel
def steady_offsets(place: Array, gait: Gait, omega: float) -> tuple[Array, Array]:
    """Compute the offsets (2,) [m] of the DCM from the ZMP where single supports begin.

    The single supports are this step's and the next step's.

    In the steady gait, in axes of the stance foot, whose ZMP the next one's is
    ``place`` (2,) [m] ahead of.
    """
    single = gait.single_support
    double = gait.double_support
    other = 2.0 * gait.left - place[1]
    ahead = steady_offset(place[0], place[0], gait.roll, single, double, omega)
    this = steady_offset(place[1], other, 0.0, single, double, omega)
    after = steady_offset(other, place[1], 0.0, single, double, omega)
    return np.array([ahead, this]), turned(np.array([ahead, after]), gait.turn)


@kernel
def dcm_error(
    steps: SteppingState, feet: SolePoses, gait: Gait, dcm: Array, setup: Setup
) -> tuple[Array, Array]:
    """Compute the error (2,) of the DCM and the planned ZMP (2,) [m].

    The step under way and the transfer behind it shall leave the DCM where the steady
    gait has it.

    Args:
        steps: phase of the feet.
        feet: poses of the soles.
        gait: of the step under way.
        dcm: (2,) as measured [m].
        setup: of the walk.
    """
    zmp = zmp_now(steps)
    omega = setup.omega
    left = max(steps.duration - max(steps.time, 0.0), 0.0)
    if steps.phase == STAND:
        return dcm - dcm_before(steps.zmp_to, zmp, steps.zmp_to, left, omega), zmp
    stance = feet.holds[1 - steps.swing]
    config = setup.config
    foothold = foothold_for(stance, steps.swing, gait, config.steps)
    wanted = zmp_way(foothold, steps.swing, feet, gait, config.stepping)
    this, after = steady_offsets(wanted, gait, omega)
    if steps.phase == TRANSFER:
        reference = dcm_before(
            steps.zmp_to + turned(this, stance.yaw), zmp, steps.zmp_to, left, omega
        )
        if steps.time < 0.0:
            reference = dcm_before(reference, zmp, zmp, -steps.time, omega)
        return dcm - reference, zmp
    k, decay = transfer_shares(gait.double_support, omega)
    way = zmp_way(steps.target, steps.swing, feet, gait, config.stepping)
    landing = k * way + decay * after
    reference = dcm_before(
        steps.zmp_to + turned(landing, stance.yaw), zmp, steps.zmp_to, left, omega
    )
    return dcm - reference, zmp


@kernel
def lent_velocity(terms: Terms, steps: SteppingState, setup: Setup) -> Array:
    """Return velocity (2,) [m/s] that angular momentum L lends the centre of mass.

    L takes the velocity back as it goes.

    ``c'' = omega^2 (c - p) + (-L_y', L_x')/(m h)``: a leg that begins to swing pushes
    ahead as a stumble would. What is taken back evenly until touchdown has gone part of
    its way by then.
    """
    share, _ = transfer_shares(max(steps.duration - steps.time, 0.0), setup.omega)
    x, y, _ = share * terms.angular_momentum / (setup.robot.mass * setup.height)
    return np.array([-y, x])


@kernel
def over_zmp(centre: Array, up: Array, height: float) -> Array:
    """Place the centre of mass (3,) over the ZMP at rest.

    On a slope gravity pulls along the floor.

    ``c'' = omega^2 (c - p) - g up`` along the floor: with ``c - height up/up_z`` that
    is the pendulum of level floors.
    """
    result = centre.copy()
    result[0] -= height * up[0] / up[2]
    result[1] -= height * up[1] / up[2]
    return result


class PendulumState(NamedTuple):
    """Linear inverted pendulum over the floor; arrays (2,) [m] but for the last."""

    centre: Array  # of mass
    balanced: Array  # the same, moved to where it would rest over the ZMP: on slopes
    dcm: Array  # of the balanced one
    lasting: Array  # DCM without what angular momentum only lends
    up: Array  # (3,) the vertical in the axes of the floor


@kernel
def pendulum_state(
    terms: Terms, up: Array, steps: SteppingState, setup: Setup
) -> PendulumState:
    """Measure the pendulum: ``up`` (3,) is the vertical in the axes of the floor."""
    balanced = over_zmp(terms.centre_of_mass, up, setup.height)[:2]
    dcm = balanced + terms.centre_velocity[:2] / setup.omega
    lent = lent_velocity(terms, steps, setup)
    return PendulumState(
        centre=terms.centre_of_mass[:2],
        balanced=balanced,
        dcm=dcm,
        lasting=dcm - lent / setup.omega,
        up=up,
    )

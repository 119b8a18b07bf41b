# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Feet in the air, found without force sensors and without asking a controller.

Three witnesses tell it. The *base*: the wrench n of all contacts, moved to the sole of
one foot, has its centre of pressure inside that sole if this foot carries alone (the
base's six equations need no motor torque). The *torques* of a leg: they tell its load,
to a tenth of the weight before their zero is known and to a hundredth after it. The
*encoders*: how fast the soles move against each other::

    load    ~~~~\                        /~~~~~
                 \______________________/
    in the air      |<----------------->|        BEGIN_TIME after the load has gone
    zero taken      |<------------>|             from old samples: no contact in them

A foot that drags with less load than that passes for one in the air.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel

BEGIN_TIME = 0.02  # [s] for which a foot must seem to be in the air (choice)
# [s] of a low pass of the base's wrench, whose noise else moves the centre of pressure
# by 20 mm under a G1 and by 67 mm under an Atlas: a seventh of that is left
CARRIED_TIME = 0.5 * BEGIN_TIME
# of the weight, below which a foot whose torques have no zero yet may be in the air:
# twice what gears of the vendor's friction leave unknown of G1's load
LIFT_SHARE = 0.12
# of the weight, from which a foot whose zero is known is on the floor: in 188 swings of
# the simulated G1 never too early, and 6 ms later than a perfect sensor
CONTACT_SHARE = 0.07
SETTLED_TIME = 0.03  # [s] of a zero, from which that smaller load counts (choice)
SWING_SPEED = 0.1  # [m/s] of one sole against the other, where a swing begins (choice)
FLIGHT_SHARE = 0.2  # of the weight, below which nothing carries the robot (choice)
REACH = 1.3  # of half a sole, within which its centre of pressure lies (choice)
# [m] of half a sole at least: base and IMU tell that place to a centimetre or two
LEAST_HALF = 0.03


class SwingState(NamedTuple):
    """Feet in the air, which a sample overwrites; feet are left, right."""

    in_air: Array  # (2,) bool
    seeming: Array  # (2,) time for which a foot has seemed to be in the air [s]
    last: Array  # (1,) int: the foot that was in the air last; -1: none yet


class SoleRectangles(NamedTuple):
    """Rectangles around both soles, in their frames."""

    middle: Array  # (2, 2) along x and y [m]
    half: Array  # (2, 2) half of length and width [m]


class SwingEvidence(NamedTuple):
    """What one sample says of both feet."""

    # (2, 6) steady wrench on each sole if it carries alone, in it [N, N m]
    alone: Array
    load: Array  # (2,) by the leg's torques [N]
    settled: NDArray[np.bool_]  # (2,): the zero of that load is known
    speed: float  # of one sole against the other [m/s]


def grounded() -> SwingState:
    """Return the state of a robot that stands on both feet."""
    return SwingState(
        in_air=np.zeros(2, np.bool_),
        seeming=np.zeros(2),
        last=np.full(1, -1),
    )


@kernel
def carried_alone(base: Array, share: Array) -> Array:
    """Compute the wrench (6,) of the floor on a sole that carries all, in its axes.

    It is the solution of ``X^T w = n``, whose X is a rotation and a lever.

    Args:
        base: n (6,), wrench of all contacts about the base's origin.
        share: X (6, 6) of ``leg_dynamics``.
    """
    wrench = np.zeros(6)
    for i in range(3):
        for j in range(3):
            wrench[i] += share[i, j] * base[j]
            wrench[3 + i] += share[i, j] * base[3 + j] + share[i, 3 + j] * base[j]
    return wrench


@kernel
def may_carry(wrench: Array, middle: Array, half: Array) -> bool:
    """Return whether the centre of pressure of a wrench (6,) lies in a sole.

    Args:
        wrench: of the floor, in the sole.
        middle: (2,) of the sole [m].
        half: (2,) of its length and width [m].
    """
    if not wrench[2] > 0.0:
        return False
    x = -wrench[4] / wrench[2] - middle[0]
    y = wrench[3] / wrench[2] - middle[1]
    reach_x = REACH * max(half[0], LEAST_HALF)
    reach_y = REACH * max(half[1], LEAST_HALF)
    return abs(x) <= reach_x and abs(y) <= reach_y


@kernel
def swing_step(
    state: SwingState,
    evidence: SwingEvidence,
    shapes: SoleRectangles,
    weight: float,
    dt: float,
) -> None:
    """Update which feet are in the air by one sample.

    Args:
        state: is overwritten.
        evidence: of the sample.
        shapes: of the soles.
        weight: of the robot [N].
        dt: since the sample before [s].
    """
    flies = evidence.alone[0, 2] < FLIGHT_SHARE * weight
    for foot in range(2):
        other = 1 - foot
        limit = CONTACT_SHARE if evidence.settled[foot] else LIFT_SHARE
        light = evidence.load[foot] < limit * weight
        if not state.in_air[foot]:
            carried = flies or may_carry(
                evidence.alone[other], shapes.middle[other], shapes.half[other]
            )
            light = light and carried and evidence.speed > SWING_SPEED
        state.seeming[foot] = state.seeming[foot] + dt if light else 0.0
        state.in_air[foot] = state.seeming[foot] >= BEGIN_TIME
        if state.in_air[foot]:
            state.last[0] = foot

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foothold of a body that falls: how far ahead the swing foot lands to catch it.

On one point foot gravity alone changes the angular momentum H about it, whatever torso
and swing leg do to each other meanwhile. With b the way from the foot to the balance
point of the center of mass, n its height over the floor and m the mass [Gong2022]::

    b' = H / (m n) (on average),    H' = m g cos(slope) b
    xi = b + H / (m n omega),       xi(t + tau) = xi(t) e^(omega tau)

The hip's own velocity tells less: a torso that tips and is righted carries it along. A
step is planned for a torso that doesn't tip; where xi at its end will be beyond the
planned foothold the foot goes further, else the body falls over it.
"""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.planar.gait import LEFT_SWING, GaitConfig, GaitState
from biped_slip.control.planar.posture import Posture

#: Share of the nominal stride by which the capture point may be beyond the foot that
#: lands: in sound walks it is by up to 0.08, and braking with both feet down takes as
#: much (choice).
BEYOND = 0.18

#: Share of it by which it shall be short of the foot, where the robot is to stand
#: (choice).
SHORT = 0.2

#: Speed [m/s] at which a foothold moves at most: a third of a swinging foot's (choice).
FASTEST = 1.0

#: Longest stride [m], of legs a metre long (choice).
LONGEST = 1.2


@kernel
def capture_point(
    v: Array, mass_matrix: Array, posture: Posture, stance: int
) -> tuple[float, float]:
    """Compute where a body on one foot would come to rest, and its rate of falling.

    It is the way [m] along the floor from the stance foot to the capture point xi, and
    omega [1/s].

    Args:
        v: (nv,) velocities; the third one is the torso's pitch, turning z towards x.
        mass_matrix: (nv, nv).
        posture: of the robot.
        stance: index of the foot.
    """
    mass = mass_matrix[0, 0]
    momentum = mass_matrix[:3] @ v  # along x and z, and about the hip
    c = math.cos(posture.slope)
    s = math.sin(posture.slope)
    along = posture.hip_s - posture.foot_s[stance]
    up = posture.hip_n - posture.foot_n[stance]
    x = along * c - up * s  # from the foot to the hip
    z = along * s + up * c
    about_foot = momentum[2] + z * momentum[0] - x * momentum[1]
    # a turn of the torso moves the center of mass by its arm to the hip
    x -= mass_matrix[1, 2] / mass
    z += mass_matrix[0, 2] / mass
    height = max(z * c - x * s, 1e-3)
    rate = math.sqrt(GRAVITY * c / height)
    balance = x * c + z * s - height * math.tan(posture.slope)
    return balance + about_foot / (mass * height * rate), rate


@kernel
def foothold(
    state: GaitState,
    posture: Posture,
    fall: tuple[float, float],
    stands: bool,
    gait: GaitConfig,
    dt: float,
) -> float:
    """Return where the swing foot shall land: s [m].

    Args:
        state: of the gait, in a swing.
        posture: of the robot.
        fall: capture point and rate, as :func:`capture_point` gives them.
        stands: whether the robot is to stand on both feet afterwards.
        gait: packed.
        dt: since the last tick [s].
    """
    stance = 1 - (state.phase - LEFT_SWING)
    capture, rate = fall
    left = max(state.swing_time - state.time, 0.0)
    short = SHORT if stands else -BEYOND
    wanted = capture * math.exp(rate * left) + short * gait.stride
    wanted = posture.foot_s[stance] + min(wanted, LONGEST)
    return max(state.target_s, min(wanted, state.target_s + FASTEST * dt))

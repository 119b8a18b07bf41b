# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing of the planar biped: both feet down, the hip over the middle between them.

Feet that are points hold a body only between them, so the biped stands with one foot
ahead of the other, as the last step has left them. The hip is held as a linear inverted
pendulum by its capture point xi = b + b'/omega [Englsberger2015], b being the balance
point, by a centre of pressure p beyond it as seen from the middle m (choice)::

    p = xi + (xi - m),    b'' = omega^2 (b - p) = -omega^2 (b - m) - 2 omega b'

which is critically damped, at the rate of the pendulum: stopping from a walk needs no
more friction than a step. A hip whose capture point has left the feet can't be held
so; it takes a step (:mod:`~biped_slip.control.planar.pace`).
"""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.planar.foot_forces import (
    FootForces,
    distribute_with_moment,
    pendulum_rate,
    shared_traction,
)
from biped_slip.control.planar.pace import PRESSURE_EDGE
from biped_slip.control.planar.posture import Posture, balance_point
from biped_slip.control.planar.virtual_model import BodyForce


@kernel
def standing_pressure(posture: Posture) -> float:
    """Compute where the centre of pressure shall be: s [m], not bounded by the feet."""
    middle = 0.5 * (posture.foot_s[0] + posture.foot_s[1])
    capture = balance_point(posture) + posture.hip_velocity_s / pendulum_rate(posture)
    return 2.0 * capture - middle


@kernel
def standing_traction(posture: Posture, mass: float, pressure: float) -> float:
    """Compute the force along the floor [N] that a centre of pressure s [m] gives.

    It is that of the pendulum of a mass [kg], and what holds it on the slope.
    """
    rate = pendulum_rate(posture)
    acceleration = rate * rate * (balance_point(posture) - pressure)
    return mass * (acceleration + GRAVITY * math.sin(posture.slope))


@kernel
def stand_without_pitch(
    posture: Posture,
    force: BodyForce,
    mass: float,
    limits: tuple[float, float],
    minimum: float,
) -> FootForces:
    """Distribute forces of a stance whose torso carries any moment.

    Each foot bears as much as the balance point is near it (6.6)–(6.8), both at one
    ratio, which needs the least friction.

    Args:
        posture: of the robot.
        force: on the body; its normal part is used.
        mass: of the robot [kg].
        limits: on force ratios, left and right.
        minimum: normal force [N] of an idle foot.
    """
    traction = standing_traction(posture, mass, standing_pressure(posture))
    front = 0 if posture.foot_s[0] >= posture.foot_s[1] else 1
    rear_s = posture.foot_s[1 - front]
    spread = max(posture.foot_s[front] - rear_s, 1e-6)
    least = min(minimum / max(force.normal, 1e-9), 0.5)
    share = (balance_point(posture) - rear_s) / spread
    share = min(max(share, least), 1.0 - least)
    return shared_traction(traction, force.normal, share, front, limits)


@kernel
def stand_with_pitch(
    posture: Posture,
    force: BodyForce,
    mass: float,
    limits: tuple[float, float],
    minimum: float,
) -> FootForces:
    """Distribute forces of a stance whose torso pitches, as in a walk.

    The centre of pressure stays between the feet; arguments are those of
    :func:`stand_without_pitch`.
    """
    rear = min(posture.foot_s[0], posture.foot_s[1])
    front = max(posture.foot_s[0], posture.foot_s[1])
    edge = PRESSURE_EDGE * (front - rear)
    pressure = min(max(standing_pressure(posture), rear + edge), front - edge)
    held = BodyForce(
        tangential=standing_traction(posture, mass, pressure),
        normal=force.normal,
        moment=force.moment,
    )
    return distribute_with_moment(posture, held, (True, True), limits, minimum)

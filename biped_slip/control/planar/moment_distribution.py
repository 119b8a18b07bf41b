# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot forces for a torso that pitches: weight and pitch first, then as much traction as both floors allow (choice).

Two point feet give four force components. Normal force and moment about the hip fix the centre of pressure for a
given traction; the traction is shared at equal ratios, which needs the least friction, and moves to the foot that has
room when one floor is more slippery. With one foot on the ground only weight and pitch can be had: the force
passes the hip, and the hip moves as an inverted pendulum. Floor frame; forces are those of the ground on the robot.
"""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.planar.force_distribution import FootForces, clip_ratio
from biped_slip.control.planar.posture import Posture
from biped_slip.control.planar.virtual_model import BodyForce


@kernel
def front_share(posture: Posture, force: BodyForce, tangential: float, front: int) -> float:
    """Share of the normal force on the front foot that gives the wanted moment at this traction [N]; not clipped."""
    pressure = posture.hip_s + (force.moment - posture.hip_n * tangential) / max(force.normal, 1e-9)
    spread = posture.foot_s[front] - posture.foot_s[1 - front]
    return (pressure - posture.foot_s[1 - front]) / max(spread, 1e-6)


@kernel
def traction_bound(
    posture: Posture, force: BodyForce, front: int, limit_front: float, limit_rear: float, sign: float
) -> float:
    """Largest traction [N] in the direction of ``sign`` that cones and unilateral feet allow together.

    The front share is affine in the traction, share(F) = a + b F, hence so is the friction capacity
    N (limit_front·share + limit_rear·(1 − share)); the bound is where F reaches it, with the share kept in [0, 1].
    """
    normal = max(force.normal, 1e-9)
    limit_front, limit_rear = min(limit_front, 1e3), min(limit_rear, 1e3)
    a = front_share(posture, force, 0.0, front)
    b = front_share(posture, force, 1.0, front) - a
    a = min(max(a, 0.0), 1.0)
    capacity = normal * (limit_rear + (limit_front - limit_rear) * a)
    slope = normal * (limit_front - limit_rear) * b
    bound = capacity / max(1.0 - sign * slope, 0.1)
    # where the share would leave [0, 1] on the way, the foot that takes it all sets the bound
    share = a + b * sign * bound
    if share <= 0.0:
        bound = normal * limit_rear
    elif share >= 1.0:
        bound = normal * limit_front
    return max(bound, 0.0)


@kernel
def distribute_with_moment(
    posture: Posture, force: BodyForce, stance: tuple[bool, bool], limits: tuple[float, float], minimum: float
) -> FootForces:
    """Forces at the stance feet; see the module's text."""
    nan = float("nan")
    if not (stance[0] and stance[1]):
        foot = 0 if stance[0] else 1
        arm = posture.hip_s - posture.foot_s[foot]
        normal = force.normal
        wanted = (arm + force.moment / max(normal, 1e-9)) / posture.hip_n
        tangential = clip_ratio(wanted, limits[foot]) * normal
        if foot == 0:
            return FootForces((tangential, 0.0), (normal, 0.0), (wanted, nan))
        return FootForces((0.0, tangential), (0.0, normal), (nan, wanted))
    front = 0 if posture.foot_s[0] >= posture.foot_s[1] else 1
    limit_front, limit_rear = limits[front], limits[1 - front]
    forward = traction_bound(posture, force, front, limit_front, limit_rear, 1.0)
    backward = traction_bound(posture, force, front, limit_front, limit_rear, -1.0)
    traction = min(max(force.tangential, -backward), forward)
    least = min(minimum / max(force.normal, 1e-9), 0.5)
    share = min(max(front_share(posture, force, traction, front), least), 1.0 - least)
    normal_front, normal_rear = share * force.normal, (1.0 - share) * force.normal
    ratio = traction / max(force.normal, 1e-9)
    front_force = clip_ratio(ratio, limit_front) * normal_front
    rear_force = clip_ratio((traction - front_force) / max(normal_rear, 1e-9), limit_rear) * normal_rear
    front_force = clip_ratio((traction - rear_force) / max(normal_front, 1e-9), limit_front) * normal_front
    wanted = force.tangential / max(force.normal, 1e-9)
    if front == 0:
        return FootForces((front_force, rear_force), (normal_front, normal_rear), (wanted, wanted))
    return FootForces((rear_force, front_force), (normal_rear, normal_front), (wanted, wanted))


@kernel
def pendulum_rate(posture: Posture) -> float:
    """Rate [1/s] of the linear inverted pendulum over a point foot, sqrt(g cos(slope)/height)."""
    return math.sqrt(GRAVITY * math.cos(posture.slope) / posture.hip_n)

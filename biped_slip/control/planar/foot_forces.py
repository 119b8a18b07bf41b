# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot forces of the planar biped: the body's force shared among feet, in their cones.

All in the floor frame; forces are those of the ground on the robot. Two ways, by the
torso:

- A torso that can't pitch carries any moment (the thesis, A.8, A.9): each force acts
  along the line from its foot to the hip, its ratio is clipped to the friction limit.
- For a torso that pitches, weight and pitch come first, then as much traction as both
  floors allow (choice). Two point feet give four force components. Normal force and
  moment about the hip fix the centre of pressure for a given traction; the traction is
  shared at equal ratios, which needs the least friction, and moves to the foot that has
  room when one floor is more slippery. With one foot on the ground only weight and
  pitch can be had: the force passes the hip, and the hip moves as an inverted pendulum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.planar.posture import Posture
from biped_slip.control.planar.virtual_model import BodyForce

# ratios closer than this leave the split of the vertical force undetermined
_PARALLEL = 1e-6


class FootForces(NamedTuple):
    """Forces wanted on the robot at the feet (left, right), and force ratios.

    The ratios are those wanted before any limit.
    """

    tangential: tuple[float, float]  # [N]
    normal: tuple[float, float]  # [N]
    # tangential/normal without slip prevention; NaN in swing
    wanted_ratio: tuple[float, float]


@kernel
def clip_ratio(ratio: float, limit: float) -> float:
    """Clip a force ratio to the friction limit (6.30); infinity: no limit."""
    return min(max(ratio, -limit), limit)


@kernel
def split_normal(
    force: BodyForce, ratio_front: float, ratio_rear: float, minimum: float
) -> tuple[float, float]:
    """Split normal forces (front, rear), (6.11)–(6.14) as corrected.

    With the split both ratios give the wanted force.

    Neither falls below a minimum [N] (half the total if that is less), so that an idle
    foot stays on the floor.
    """
    least = min(minimum, 0.5 * force.normal)
    difference = ratio_rear - ratio_front
    if abs(difference) < _PARALLEL:
        return 0.5 * force.normal, 0.5 * force.normal
    front = (ratio_rear * force.normal - force.tangential) / difference
    front = min(max(front, least), force.normal - least)
    return front, force.normal - front


@kernel
def distribute_through_hip(
    posture: Posture,
    force: BodyForce,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    minimum: float,
) -> FootForces:
    """Distribute forces to both feet, or one in single support (6.15)–(6.19).

    The ratios are limited (6.30).
    """
    nan = float("nan")
    if stance[0] and stance[1]:
        s = posture.hip_s
        n = posture.hip_n
        rho = ((s - posture.foot_s[0]) / n, (s - posture.foot_s[1]) / n)
        if posture.foot_s[0] >= posture.foot_s[1]:
            left, right = split_normal(force, rho[0], rho[1], minimum)
        else:
            right, left = split_normal(force, rho[1], rho[0], minimum)
        tangential = (
            clip_ratio(rho[0], limits[0]) * left,
            clip_ratio(rho[1], limits[1]) * right,
        )
        return FootForces(tangential, (left, right), rho)
    wanted = force.tangential / max(force.normal, 1e-9)
    if stance[0]:
        return FootForces(
            (clip_ratio(wanted, limits[0]) * force.normal, 0.0),
            (force.normal, 0.0),
            (wanted, nan),
        )
    return FootForces(
        (0.0, clip_ratio(wanted, limits[1]) * force.normal),
        (0.0, force.normal),
        (nan, wanted),
    )


@kernel
def driven_rate(posture: Posture) -> float:
    """Compute the rate of the driven hip.

    It is 0: a torso that cannot pitch carries any moment.
    """
    return 0.0


@kernel
def front_share(
    posture: Posture, force: BodyForce, tangential: float, front: int
) -> float:
    """Compute the front foot's share of the normal force, not clipped.

    It is the share for the wanted moment at this traction [N].
    """
    pressure = posture.hip_s + (force.moment - posture.hip_n * tangential) / max(
        force.normal, 1e-9
    )
    spread = posture.foot_s[front] - posture.foot_s[1 - front]
    return (pressure - posture.foot_s[1 - front]) / max(spread, 1e-6)


@kernel
def traction_bound(
    posture: Posture,
    force: BodyForce,
    front: int,
    limit_front: float,
    limit_rear: float,
    sign: float,
) -> float:
    """Compute the largest traction [N] in the direction of ``sign``.

    It is what cones and unilateral feet allow together.

    The front share is affine in the traction, share(F) = a + b F, hence so is the
    friction capacity N (limit_front·share + limit_rear·(1 − share)); the bound is where
    F reaches it, with the share kept in [0, 1].
    """
    normal = max(force.normal, 1e-9)
    limit_front = min(limit_front, 1e3)
    limit_rear = min(limit_rear, 1e3)
    a = front_share(posture, force, 0.0, front)
    b = front_share(posture, force, 1.0, front) - a
    a = min(max(a, 0.0), 1.0)
    capacity = normal * (limit_rear + (limit_front - limit_rear) * a)
    slope = normal * (limit_front - limit_rear) * b
    bound = capacity / max(1.0 - sign * slope, 0.1)
    # where the share would leave [0, 1] on the way, the foot that takes it all sets the
    # bound
    share = a + b * sign * bound
    if share <= 0.0:
        bound = normal * limit_rear
    elif share >= 1.0:
        bound = normal * limit_front
    return max(bound, 0.0)


@kernel
def force_on_one_foot(
    posture: Posture, force: BodyForce, foot: int, limit: float
) -> FootForces:
    """Compute the force on a single stance foot: it holds the weight and the pitch."""
    nan = float("nan")
    arm = posture.hip_s - posture.foot_s[foot]
    normal = force.normal
    wanted = (arm + force.moment / max(normal, 1e-9)) / posture.hip_n
    tangential = clip_ratio(wanted, limit) * normal
    if foot == 0:
        return FootForces((tangential, 0.0), (normal, 0.0), (wanted, nan))
    return FootForces((0.0, tangential), (0.0, normal), (nan, wanted))


@kernel
def shared_traction(
    traction: float,
    normal: float,
    share: float,
    front: int,
    limits: tuple[float, float],
) -> FootForces:
    """Share traction [N] among both feet at equal ratios, as far as limits let them.

    What one foot can't hold the other one takes as far as it can.

    Args:
        traction: along the floor [N].
        normal: across it, of both feet [N].
        share: of the normal force that the front foot bears.
        front: index of the front foot.
        limits: on force ratios, left and right.
    """
    limit_front = limits[front]
    limit_rear = limits[1 - front]
    normal_front = share * normal
    normal_rear = (1.0 - share) * normal
    ratio = traction / max(normal, 1e-9)
    front_force = clip_ratio(ratio, limit_front) * normal_front
    rear_force = (
        clip_ratio((traction - front_force) / max(normal_rear, 1e-9), limit_rear)
        * normal_rear
    )
    front_force = (
        clip_ratio((traction - rear_force) / max(normal_front, 1e-9), limit_front)
        * normal_front
    )
    if front == 0:
        return FootForces(
            (front_force, rear_force), (normal_front, normal_rear), (ratio, ratio)
        )
    return FootForces(
        (rear_force, front_force), (normal_rear, normal_front), (ratio, ratio)
    )


@kernel
def distribute_with_moment(
    posture: Posture,
    force: BodyForce,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    minimum: float,
) -> FootForces:
    """Distribute forces at the stance feet: weight and pitch first, then traction."""
    if not (stance[0] and stance[1]):
        foot = 0 if stance[0] else 1
        return force_on_one_foot(posture, force, foot, limits[foot])
    front = 0 if posture.foot_s[0] >= posture.foot_s[1] else 1
    limit_front = limits[front]
    limit_rear = limits[1 - front]
    forward = traction_bound(posture, force, front, limit_front, limit_rear, 1.0)
    backward = traction_bound(posture, force, front, limit_front, limit_rear, -1.0)
    traction = min(max(force.tangential, -backward), forward)
    least = min(minimum / max(force.normal, 1e-9), 0.5)
    share = min(max(front_share(posture, force, traction, front), least), 1.0 - least)
    forces = shared_traction(traction, force.normal, share, front, limits)
    wanted = force.tangential / max(force.normal, 1e-9)
    return FootForces(forces.tangential, forces.normal, (wanted, wanted))


@kernel
def pendulum_rate(posture: Posture) -> float:
    """Compute the rate [1/s] of the linear inverted pendulum over a point foot.

    It is sqrt(g cos(slope)/height).
    """
    return math.sqrt(GRAVITY * math.cos(posture.slope) / posture.hip_n)

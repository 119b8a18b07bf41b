# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Foot forces of the planar biped: virtual model, distribution inside the friction cones."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY


class Posture(NamedTuple):
    """Hip and feet in the floor frame (s along the floor uphill, n its normal); feet left, right."""

    slope: float  # of the floor [rad]
    hip_s: float  # [m]
    hip_n: float  # height over the floor [m]
    hip_velocity_s: float  # [m/s]
    hip_velocity_n: float  # [m/s]
    lean: float  # of the torso from the vertical, turning x towards z [rad]; 0 where it can't pitch
    lean_rate: float  # [rad/s]
    foot_s: tuple[float, float]  # [m]
    foot_n: tuple[float, float]  # [m]
    foot_velocity_s: tuple[float, float]  # [m/s]
    foot_velocity_n: tuple[float, float]  # [m/s]
    knee: tuple[float, float]  # bend [rad], 0 straight


@kernel
def posture_in_floor_frame(q: Array, v: Array, position: Array, velocity: Array, slope: float) -> Posture:
    """Compute the posture from coordinates and sole motion, shapes (nv,), (nv,), (2, 3), (2, 6)."""
    c, s = math.cos(slope), math.sin(slope)
    root = q.shape[0] - 4
    pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
    return Posture(
        slope, q[0] * c + q[1] * s, q[1] * c - q[0] * s, v[0] * c + v[1] * s, v[1] * c - v[0] * s, -pitch, -pitch_rate,
        (position[0, 0] * c + position[0, 2] * s, position[1, 0] * c + position[1, 2] * s),
        (position[0, 2] * c - position[0, 0] * s, position[1, 2] * c - position[1, 0] * s),
        (velocity[0, 0] * c + velocity[0, 2] * s, velocity[1, 0] * c + velocity[1, 2] * s),
        (velocity[0, 2] * c - velocity[0, 0] * s, velocity[1, 2] * c - velocity[1, 0] * s), (q[root + 1], q[root + 3]),
    )  # fmt: skip


@kernel
def balance_point(posture: Posture) -> float:
    """Find where the vertical through the hip meets the floor: s [m]; over it the hip would stay."""
    return posture.hip_s - posture.hip_n * math.tan(posture.slope)


@configuration
class VirtualModelConfig(Configuration):
    """Gains of springs and dampers that would pull the body along (A.8)."""

    speed_gain: float = parameter(50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dx")
    largest_acceleration: float = parameter(
        50.0, unit="m/s^2", above=0.0, high=100.0, doc="bound on what the speed gain asks for"
    )
    height: float = parameter(0.96, unit="m", above=0.0, high=5.0, source="A.8", doc="y_des, of the hip over the floor")
    height_stiffness: float = parameter(130.0, unit="N/m", low=0.0, high=1e5, source="A.8", doc="K_py")
    height_damping: float = parameter(50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dy")
    pitch_stiffness: float = parameter(
        60.0, unit="N m/rad", low=0.0, high=1e4, doc="holds a torso that can pitch; 14 rad/s alone"
    )
    pitch_damping: float = parameter(
        8.0, unit="N m s/rad", low=0.0, high=1e3, doc="near critical for the torso's pitch inertia"
    )
    gravity_term: bool = parameter(
        False, source="A.8", doc="feed the weight forward; the thesis most probably ran without it"
    )


class BodyForce(NamedTuple):
    """Force wanted on the body, in the floor frame."""

    tangential: float  # uphill [N]
    normal: float  # [N]
    moment: float  # about the hip, turning x towards z [N m]


@kernel
def virtual_force(posture: Posture, speed: float, mass: float, model: VirtualModelConfig) -> BodyForce:
    """Compute the desired force on the body for a speed along the floor [m/s] and a mass [kg] (6.4)–(6.5)."""
    most = mass * model.largest_acceleration
    tangential = min(max(model.speed_gain * (speed - posture.hip_velocity_s), -most), most)
    normal = model.height_stiffness * (model.height - posture.hip_n) - model.height_damping * posture.hip_velocity_n
    if model.gravity_term:
        tangential += mass * GRAVITY * math.sin(posture.slope)
        normal += mass * GRAVITY * math.cos(posture.slope)
    moment = -model.pitch_stiffness * posture.lean - model.pitch_damping * posture.lean_rate
    return BodyForce(tangential, max(normal, 0.0), moment)


# Foot forces of the thesis: each along the line from its foot to the hip, ratios clipped (A.8, A.9).
#
# For a torso that can't pitch. All in the floor frame; forces are those of the ground on the robot.

_PARALLEL = 1e-6  # ratios closer than this leave the split of the vertical force undetermined


class FootForces(NamedTuple):
    """Forces wanted on the robot at the feet (left, right) and the ratios wanted before any limit."""

    tangential: tuple[float, float]  # [N]
    normal: tuple[float, float]  # [N]
    wanted_ratio: tuple[float, float]  # tangential/normal without slip prevention; NaN in swing


@kernel
def clip_ratio(ratio: float, limit: float) -> float:
    """Clip a force ratio to the friction limit (6.30); infinity: no limit."""
    return min(max(ratio, -limit), limit)


@kernel
def split_normal(force: BodyForce, ratio_front: float, ratio_rear: float, minimum: float) -> tuple[float, float]:
    """Split normal forces (front, rear) so that both ratios give the wanted force, (6.11)–(6.14) as corrected.

    Neither falls below a minimum [N] (half the total if that is less), so that an idle foot stays on the floor.
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
    posture: Posture, force: BodyForce, stance: tuple[bool, bool], limits: tuple[float, float], minimum: float
) -> FootForces:
    """Distribute forces to both feet, or one in single support (6.15)–(6.19), ratios limited (6.30)."""
    nan = float("nan")
    if stance[0] and stance[1]:
        s, n = posture.hip_s, posture.hip_n
        rho = ((s - posture.foot_s[0]) / n, (s - posture.foot_s[1]) / n)
        if posture.foot_s[0] >= posture.foot_s[1]:
            left, right = split_normal(force, rho[0], rho[1], minimum)
        else:
            right, left = split_normal(force, rho[1], rho[0], minimum)
        tangential = clip_ratio(rho[0], limits[0]) * left, clip_ratio(rho[1], limits[1]) * right
        return FootForces(tangential, (left, right), rho)
    wanted = force.tangential / max(force.normal, 1e-9)
    if stance[0]:
        return FootForces((clip_ratio(wanted, limits[0]) * force.normal, 0.0), (force.normal, 0.0), (wanted, nan))
    return FootForces((0.0, clip_ratio(wanted, limits[1]) * force.normal), (0.0, force.normal), (nan, wanted))


@kernel
def driven_rate(posture: Posture) -> float:
    """Compute the rate of the driven hip: a torso that cannot pitch carries any moment."""
    return 0.0


# Foot forces for a torso that pitches: weight and pitch first, then as much traction as both floors allow (choice).
#
# Two point feet give four force components. Normal force and moment about the hip fix the centre of pressure for a
# given traction; the traction is shared at equal ratios, which needs the least friction, and moves to the foot that has
# room when one floor is more slippery. With one foot on the ground only weight and pitch can be had: the force
# passes the hip, and the hip moves as an inverted pendulum. Floor frame; forces are those of the ground on the robot.


@kernel
def front_share(posture: Posture, force: BodyForce, tangential: float, front: int) -> float:
    """Compute the front foot's share of the normal force for the wanted moment at this traction [N]; not clipped."""
    pressure = posture.hip_s + (force.moment - posture.hip_n * tangential) / max(force.normal, 1e-9)
    spread = posture.foot_s[front] - posture.foot_s[1 - front]
    return (pressure - posture.foot_s[1 - front]) / max(spread, 1e-6)


@kernel
def traction_bound(
    posture: Posture, force: BodyForce, front: int, limit_front: float, limit_rear: float, sign: float
) -> float:
    """Compute the largest traction [N] in the direction of ``sign`` that cones and unilateral feet allow together.

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
    """Distribute forces at the stance feet: weight and pitch first, then traction."""
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
    """Compute the rate [1/s] of the linear inverted pendulum over a point foot, sqrt(g cos(slope)/height)."""
    return math.sqrt(GRAVITY * math.cos(posture.slope) / posture.hip_n)

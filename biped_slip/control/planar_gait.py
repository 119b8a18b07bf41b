# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Gait of the planar biped.

Its parts are the virtual model, foot forces inside the friction cones, steps, swing
leg, and control tick.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array, copy_vector
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import (
    ActuationConfig,
    MotorState,
    delay,
    lead_compensated,
)
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig
from biped_slip.robots.model_functions import ModelFunctions
from biped_slip.robots.planar_biped import LegLengths, leg_angles, leg_rates


class Posture(NamedTuple):
    """Hip and feet in the floor frame (s along the floor uphill, n its normal).

    The order of feet is left, right.
    """

    slope: float  # of the floor [rad]
    hip_s: float  # [m]
    hip_n: float  # height over the floor [m]
    hip_velocity_s: float  # [m/s]
    hip_velocity_n: float  # [m/s]
    # of the torso from the vertical, turning x towards z [rad]; 0 where it can't pitch
    lean: float
    lean_rate: float  # [rad/s]
    foot_s: tuple[float, float]  # [m]
    foot_n: tuple[float, float]  # [m]
    foot_velocity_s: tuple[float, float]  # [m/s]
    foot_velocity_n: tuple[float, float]  # [m/s]
    knee: tuple[float, float]  # bend [rad], 0 straight


@kernel
def posture_in_floor_frame(
    q: Array, v: Array, position: Array, velocity: Array, slope: float
) -> Posture:
    """Compute the posture from coordinates and sole motion.

    Their shapes are (nv,), (nv,), (2, 3), (2, 6).
    """
    c = math.cos(slope)
    s = math.sin(slope)
    root = q.shape[0] - 4
    pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
    return Posture(
        slope=slope,
        hip_s=q[0] * c + q[1] * s,
        hip_n=q[1] * c - q[0] * s,
        hip_velocity_s=v[0] * c + v[1] * s,
        hip_velocity_n=v[1] * c - v[0] * s,
        lean=-pitch,
        lean_rate=-pitch_rate,
        foot_s=(
            position[0, 0] * c + position[0, 2] * s,
            position[1, 0] * c + position[1, 2] * s,
        ),
        foot_n=(
            position[0, 2] * c - position[0, 0] * s,
            position[1, 2] * c - position[1, 0] * s,
        ),
        foot_velocity_s=(
            velocity[0, 0] * c + velocity[0, 2] * s,
            velocity[1, 0] * c + velocity[1, 2] * s,
        ),
        foot_velocity_n=(
            velocity[0, 2] * c - velocity[0, 0] * s,
            velocity[1, 2] * c - velocity[1, 0] * s,
        ),
        knee=(q[root + 1], q[root + 3]),
    )


@kernel
def balance_point(posture: Posture) -> float:
    """Find where the vertical through the hip meets the floor: s [m].

    Over it the hip would stay.
    """
    return posture.hip_s - posture.hip_n * math.tan(posture.slope)


@configuration
class VirtualModelConfig(Configuration):
    """Gains of springs and dampers that would pull the body along (A.8)."""

    speed_gain: float = parameter(
        50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dx"
    )
    largest_acceleration: float = parameter(
        50.0,
        unit="m/s^2",
        above=0.0,
        high=100.0,
        doc="bound on what the speed gain asks for",
    )
    height: float = parameter(
        0.96,
        unit="m",
        above=0.0,
        high=5.0,
        source="A.8",
        doc="y_des, of the hip over the floor",
    )
    height_stiffness: float = parameter(
        130.0, unit="N/m", low=0.0, high=1e5, source="A.8", doc="K_py"
    )
    height_damping: float = parameter(
        50.0, unit="N s/m", low=0.0, high=1e4, source="A.8", doc="K_dy"
    )
    pitch_stiffness: float = parameter(
        60.0,
        unit="N m/rad",
        low=0.0,
        high=1e4,
        doc="holds a torso that can pitch; 14 rad/s alone",
    )
    pitch_damping: float = parameter(
        8.0,
        unit="N m s/rad",
        low=0.0,
        high=1e3,
        doc="near critical for the torso's pitch inertia",
    )
    gravity_term: bool = parameter(
        False,
        source="A.8",
        doc="feed the weight forward; the thesis most probably ran without it",
    )


class BodyForce(NamedTuple):
    """Force wanted on the body, in the floor frame."""

    tangential: float  # uphill [N]
    normal: float  # [N]
    moment: float  # about the hip, turning x towards z [N m]


@kernel
def virtual_force(
    posture: Posture, speed: float, mass: float, model: VirtualModelConfig
) -> BodyForce:
    """Compute the desired force on the body (6.4)–(6.5).

    It is for a speed along the floor [m/s] and a mass [kg].
    """
    most = mass * model.largest_acceleration
    tangential = min(
        max(model.speed_gain * (speed - posture.hip_velocity_s), -most), most
    )
    normal = (
        model.height_stiffness * (model.height - posture.hip_n)
        - model.height_damping * posture.hip_velocity_n
    )
    if model.gravity_term:
        tangential += mass * GRAVITY * math.sin(posture.slope)
        normal += mass * GRAVITY * math.cos(posture.slope)
    moment = (
        -model.pitch_stiffness * posture.lean - model.pitch_damping * posture.lean_rate
    )
    return BodyForce(tangential, max(normal, 0.0), moment)


# Foot forces of the thesis: each along the line from its foot to the hip, ratios
# clipped (A.8, A.9).
#
# For a torso that can't pitch. All in the floor frame; forces are those of the ground
# on the robot.

_PARALLEL = (
    1e-6  # ratios closer than this leave the split of the vertical force undetermined
)


class FootForces(NamedTuple):
    """Forces wanted on the robot at the feet (left, right), and force ratios.

    The ratios are those wanted before any limit.
    """

    tangential: tuple[float, float]  # [N]
    normal: tuple[float, float]  # [N]
    wanted_ratio: tuple[
        float, float
    ]  # tangential/normal without slip prevention; NaN in swing


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


# Foot forces for a torso that pitches: weight and pitch first, then as much traction as
# both floors allow (choice).
#
# Two point feet give four force components. Normal force and moment about the hip fix
# the centre of pressure for a given traction; the traction is shared at equal ratios,
# which needs the least friction, and moves to the foot that has room when one floor is
# more slippery. With one foot on the ground only weight and pitch can be had: the force
# passes the hip, and the hip moves as an inverted pendulum. Floor frame; forces are
# those of the ground on the robot.


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
    normal_front = share * force.normal
    normal_rear = (1.0 - share) * force.normal
    ratio = traction / max(force.normal, 1e-9)
    front_force = clip_ratio(ratio, limit_front) * normal_front
    rear_force = (
        clip_ratio((traction - front_force) / max(normal_rear, 1e-9), limit_rear)
        * normal_rear
    )
    front_force = (
        clip_ratio((traction - rear_force) / max(normal_front, 1e-9), limit_front)
        * normal_front
    )
    wanted = force.tangential / max(force.normal, 1e-9)
    if front == 0:
        return FootForces(
            (front_force, rear_force), (normal_front, normal_rear), (wanted, wanted)
        )
    return FootForces(
        (rear_force, front_force), (normal_rear, normal_front), (wanted, wanted)
    )


@kernel
def pendulum_rate(posture: Posture) -> float:
    """Compute the rate [1/s] of the linear inverted pendulum over a point foot.

    It is sqrt(g cos(slope)/height).
    """
    return math.sqrt(GRAVITY * math.cos(posture.slope) / posture.hip_n)


# Step trigger, stride and swing leg (A.8–A.9).

DOUBLE_SUPPORT = 0
LEFT_SWING = 1
RIGHT_SWING = 2


@configuration
class GaitConfig(Configuration):
    """Timing and length of steps, packed for kernels."""

    stride: float = parameter(
        0.5,
        unit="m",
        above=0.0,
        high=2.0,
        source="A.8",
        doc="D_s,nom from stance foot to target",
    )
    stride_gain: float = parameter(
        0.3, unit="s", low=0.0, high=2.0, source="A.8", doc="K_stride"
    )
    stride_speed: float = parameter(
        0.5, unit="m/s", source="A.8", doc="speed at which the stride is nominal"
    )
    swing_time: float = parameter(
        0.5,
        unit="s",
        above=0.05,
        high=2.0,
        source="A.8: 0.55 s there",
        doc="planned swing",
    )
    swing_height: float = parameter(
        0.08,
        unit="m",
        above=0.0,
        high=0.5,
        source="A.8: choice",
        doc="apex of the swing",
    )
    straight_knee: float = parameter(
        0.03,
        unit="rad",
        low=0.0,
        high=0.5,
        source="A.8",
        doc="a leg counts as straight",
    )
    lift_lead: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        source="A.8: 0",
        doc="lift when the hip will be over the front foot after this time; (1/omega) "
        "tanh(omega T/2) lets an inverted "
        "pendulum pass the foot evenly",
    )
    landing_force: float = parameter(
        3.0,
        unit="N",
        above=0.0,
        high=1e3,
        doc="normal force that ends a swing, over sensor noise",
    )
    landing_after: float = parameter(
        0.5,
        low=0.0,
        high=1.0,
        doc="share of the swing before which contact is not a landing",
    )
    minimum_double_support: float = parameter(
        0.03,
        unit="s",
        low=0.0,
        high=1.0,
        doc="a foot that has just landed takes load first",
    )
    stance_margin: float = parameter(
        0.05,
        unit="m",
        low=-0.5,
        high=0.5,
        doc="a swing lasts until the hip is this far past the stance foot",
    )
    foot_damping: float = parameter(
        60.0,
        unit="N s/m",
        low=0.0,
        high=1e3,
        doc="stance legs resist bouncing of the foot, and its sliding where a limit "
        "prevents slip",
    )
    longest_leg: float = parameter(
        0.97,
        unit="m",
        above=0.0,
        high=3.0,
        source="A.6: 1.0",
        doc="hip to foot at which a stance leg counts as used up",
    )
    capture_time: float = parameter(
        0.25,
        unit="s",
        low=0.0,
        high=1.0,
        doc="a fast hip is met further ahead, by this times its speed",
    )
    minimum_load: float = parameter(
        2.0,
        unit="N",
        low=0.0,
        high=100.0,
        doc="normal force that keeps an idle foot on the floor",
    )
    walking_speed: float = parameter(
        0.02,
        unit="m/s",
        low=0.0,
        high=1.0,
        doc="below this command no step is begun by position",
    )


class GaitState(NamedTuple):
    """Phase of the gait and the step that is under way."""

    phase: int
    time: float  # in the phase [s]
    lift_s: float  # where the swing foot left the floor [m]
    lift_n: float  # [m]
    target_s: float  # where it shall land [m]
    swing_time: float  # planned [s]
    slid: float = 0.0  # since the swing foot met the floor [s]


@kernel
def rear_foot(posture: Posture) -> int:
    """Return the index of the foot that is further back."""
    return 0 if posture.foot_s[0] < posture.foot_s[1] else 1


@kernel
def lift_position(posture: Posture, gait: GaitConfig) -> float:
    """Compute the hip's position at the lift-off of the rear foot.

    It is the s [m] of its balance point.
    """
    rear = rear_foot(posture)
    ahead = posture.foot_s[1 - rear] - gait.lift_lead * max(posture.hip_velocity_s, 0.0)
    reach = gait.longest_leg * gait.longest_leg - posture.hip_n * posture.hip_n
    return min(ahead, posture.foot_s[rear] + math.sqrt(max(reach, 0.0)))


@kernel
def wants_to_lift(
    posture: Posture, speed: float, rate: float, gait: GaitConfig
) -> bool:
    """Return whether the rear foot is to lift (A.8).

    It is when the hip has nearly reached the front foot, or a leg is straight.

    Where the hip falls like a pendulum in single support (rate > 0) it must also be
    fast enough to get over the front foot.
    """
    front = 1 - rear_foot(posture)
    behind = posture.foot_s[front] - balance_point(posture)
    reached = gait.lift_lead * posture.hip_velocity_s >= behind
    straight = (
        posture.knee[0] < gait.straight_knee or posture.knee[1] < gait.straight_knee
    )
    carried = rate == 0.0 or posture.hip_velocity_s > rate * (
        behind + gait.stance_margin
    )
    return (reached or straight) and carried and speed > gait.walking_speed


@kernel
def double_support_speed(
    posture: Posture, speed: float, rate: float, gait: GaitConfig
) -> float:
    """Compute the target speed [m/s] with both feet down.

    With it the hip passes over the front foot with the commanded speed.

    Energy of an inverted pendulum: v² = speed² + (rate·distance)² at the place of
    lift-off (choice; the thesis' hip is driven in single support, rate = 0, and needs
    no more than the command).
    """
    if speed <= gait.walking_speed:
        return speed
    front = 1 - rear_foot(posture)
    distance = max(posture.foot_s[front] - lift_position(posture, gait), 0.0)
    return math.sqrt(speed * speed + (rate * distance) ** 2)


@kernel
def passing_time(behind: float, speed: float, rate: float) -> float:
    """Compute the time [s] until a hip ``behind`` [m] a point passes it.

    The hip moves at constant speed, or as a pendulum.
    """
    speed = max(speed, 0.2)
    if rate == 0.0:
        return behind / speed
    # x = toward e^rt + away e^-rt
    toward = 0.5 * (speed / rate - behind)
    away = 0.5 * (-behind - speed / rate)
    if toward <= 1e-3:
        return 1.0
    return math.log(max(math.sqrt(max(-away / toward, 1e-6)), 1e-6)) / rate


@kernel
def stride_length(
    posture: Posture, stance: int, duration: float, rate: float, gait: GaitConfig
) -> float:
    """Compute the stride [m] from stance foot to next foothold (6.29).

    It is longer where the hip arrives fast (choice).
    """
    nominal = max(
        0.05,
        gait.stride + gait.stride_gain * (posture.hip_velocity_s - gait.stride_speed),
    )
    if rate == 0.0:
        return nominal
    x = balance_point(posture) - posture.foot_s[stance]
    v = posture.hip_velocity_s
    c = math.cosh(rate * duration)
    s = math.sinh(rate * duration)
    arrival = x * c + v / rate * s
    arrival_speed = x * rate * s + v * c
    return max(nominal, min(arrival + gait.capture_time * arrival_speed, 1.2))


@kernel
def next_phase(
    state: GaitState,
    posture: Posture,
    foot_normal: tuple[float, float],
    speed: float,
    rate: float,
    gait: GaitConfig,
    landing: SlidingTouchdownConfig,
    dt: float,
) -> GaitState:
    """Choose the gait phase of this control tick.

    A foot that lands sliding ends its swing after ``landing.time``.
    """
    time = state.time + dt
    if state.phase == DOUBLE_SUPPORT:
        if time < gait.minimum_double_support or not wants_to_lift(
            posture, speed, rate, gait
        ):
            return GaitState(
                phase=state.phase,
                time=time,
                lift_s=state.lift_s,
                lift_n=state.lift_n,
                target_s=state.target_s,
                swing_time=state.swing_time,
                slid=0.0,
            )
        rear = rear_foot(posture)
        behind = posture.foot_s[1 - rear] + gait.stance_margin - balance_point(posture)
        duration = max(
            gait.swing_time, passing_time(behind, posture.hip_velocity_s, rate)
        )
        target = posture.foot_s[1 - rear] + stride_length(
            posture, 1 - rear, duration, rate, gait
        )
        return GaitState(
            phase=LEFT_SWING + rear,
            time=0.0,
            lift_s=posture.foot_s[rear],
            lift_n=posture.foot_n[rear],
            target_s=target,
            swing_time=duration,
            slid=0.0,
        )
    swing = state.phase - LEFT_SWING
    touches = (
        time > gait.landing_after * state.swing_time
        and foot_normal[swing] > gait.landing_force
    )
    slid = (
        state.slid + dt if touches or state.slid > 0.0 else 0.0
    )  # a foot that bounces is still landing
    if slid > (landing.time if landing.lead > 0.0 else 0.0):
        return GaitState(
            phase=DOUBLE_SUPPORT,
            time=0.0,
            lift_s=state.lift_s,
            lift_n=state.lift_n,
            target_s=state.target_s,
            swing_time=state.swing_time,
            slid=0.0,
        )
    return GaitState(
        phase=state.phase,
        time=time,
        lift_s=state.lift_s,
        lift_n=state.lift_n,
        target_s=state.target_s,
        swing_time=state.swing_time,
        slid=slid,
    )


def planar_touchdown() -> SlidingTouchdownConfig:
    """Slide each landing foot.

    It moves so slowly downward that its impact is below a quarter of the weight.
    """
    return SlidingTouchdownConfig(
        lead=0.1, speed=0.4, descent=0.05, height=0.004, time=0.01
    )


@configuration
class SwingConfig(Configuration):
    """Tracking of the swing path, packed for kernels."""

    stiffness: float = parameter(
        400.0,
        unit="1/s^2",
        low=0.0,
        high=1e5,
        source="A.8: choice",
        doc="position gain",
    )
    damping: float = parameter(
        40.0, unit="1/s", low=0.0, high=1e4, source="A.8: choice", doc="velocity gain"
    )
    landing_damping: float = parameter(
        100.0,
        unit="1/s",
        low=0.0,
        high=1e3,
        source="choice",
        doc="velocity gain of a foot that lands sliding",
    )
    descent_speed: float = parameter(
        0.25,
        unit="m/s",
        above=0.0,
        high=2.0,
        doc="the foot extends down at this speed until contact",
    )
    reach: float = parameter(
        0.98,
        above=0.1,
        high=1.0,
        doc="share of the leg's length that the swing foot may use",
    )
    touchdown: SlidingTouchdownConfig = section(planar_touchdown)  # type: ignore[arg-type]


class PathPoint(NamedTuple):
    """Desired motion of the swing foot in the floor frame."""

    s: float
    n: float
    velocity_s: float
    velocity_n: float


class Pitch(NamedTuple):
    """Pitch of the torso about +y."""

    angle: float  # [rad]
    rate: float  # [rad/s]


@kernel
def swing_path(state: GaitState, gait: GaitConfig, swing: SwingConfig) -> PathPoint:
    """Compute a sinusoidal path from lift-off to target.

    Afterwards it goes straight down until the foot meets the floor.

    The path of a foot that lands sliding ends early, low and level; from there it moves
    down and backward: friction holds it back by mu times its load before it carries
    weight.
    """
    landing = swing.touchdown
    length = state.target_s - state.lift_s
    slides = landing.lead > 0.0
    period = state.swing_time - landing.lead
    height = landing.height if slides else 0.0
    after = state.time - period
    if after >= 0.0:
        back, down = (
            (landing.speed, landing.descent) if slides else (0.0, swing.descent_speed)
        )
        return PathPoint(
            state.target_s - back * after, height - down * after, -back, -down
        )
    angle = math.pi * state.time / period
    rate = math.pi / period
    share = 0.5 * (1.0 - math.cos(angle))
    arch = math.sin(angle)
    rise = height - state.lift_n
    bow, slope = (
        (arch * arch, 2.0 * arch * math.cos(angle))
        if slides
        else (arch, math.cos(angle))
    )
    return PathPoint(
        state.lift_s + length * share,
        state.lift_n + rise * share + gait.swing_height * bow,
        0.5 * length * rate * arch,
        0.5 * rise * rate * arch + gait.swing_height * rate * slope,
    )


@kernel
def lands(
    state: GaitState, height: float, gait: GaitConfig, landing: SlidingTouchdownConfig
) -> bool:
    """Return whether a foot at a height [m] over the floor is to land.

    From then on its speed is held, not its path.
    """
    late = landing.lead > 0.0 and state.time > gait.landing_after * state.swing_time
    return late and (state.slid > 0.0 or height < landing.height)


@kernel
def joint_acceleration_towards(
    point: PathPoint,
    posture: Posture,
    pitch: Pitch,
    angles: tuple[float, float],
    rates: tuple[float, float],
    swing: SwingConfig,
    damping: float,
    legs: LegLengths,
) -> tuple[float, float]:
    """Compute target accelerations [rad/s^2] of hip and knee.

    Working in joint angles keeps the knee bending forward.

    The path point is kept within reach of the leg.
    """
    c = math.cos(posture.slope)
    s = math.sin(posture.slope)
    ds = point.s - posture.hip_s
    dn = point.n - posture.hip_n
    vs = point.velocity_s - posture.hip_velocity_s
    vn = point.velocity_n - posture.hip_velocity_n
    thigh, knee = leg_angles(ds * c - dn * s, ds * s + dn * c, swing.reach, legs)
    thigh_rate, knee_rate = leg_rates(
        thigh, knee, vs * c - vn * s, vs * s + vn * c, legs
    )
    return (
        swing.stiffness * (thigh + pitch.angle - angles[0])
        + damping * (thigh_rate + pitch.rate - rates[0]),
        swing.stiffness * (knee - angles[1]) + damping * (knee_rate - rates[1]),
    )


@kernel
def solve_positive(matrix: Array, right: Array) -> None:
    """Solve a symmetric positive definite system in place by Cholesky's factors.

    ``right`` (n, m) becomes the solution.

    For the few coordinates of a planar robot this is several times faster than a
    library call.
    """
    n, columns = right.shape
    for j in range(n):
        for i in range(j, n):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(total) if i == j else total / matrix[j, j]
    for column in range(columns):
        for i in range(n):
            for k in range(i):
                right[i, column] -= matrix[i, k] * right[k, column]
            right[i, column] /= matrix[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                right[i, column] -= matrix[k, i] * right[k, column]
            right[i, column] /= matrix[i, i]


@kernel
def swing_torques(
    mass_matrix: Array, load: Array, wanted: tuple[float, float], first: int
) -> tuple[float, float]:
    """Compute hip and knee torques for both joints' target accelerations.

    Meanwhile the other leg pushes as planned.

    Solves the two rows of M⁻¹ (S tau + load) = wanted.

    Args:
        mass_matrix: M, shape (nv, nv).
        load: generalized forces of everything else, S_stance tau − h + Jᵀ F, shape
            (nv,).
        wanted: accelerations of hip and knee [rad/s^2].
        first: index of the swing hip in the coordinates.
    """
    solved = np.zeros((mass_matrix.shape[0], 3))
    solved[first, 0] = solved[first + 1, 1] = 1.0
    copy_vector(load, solved[:, 2], 0)
    solve_positive(mass_matrix.copy(), solved)
    a = solved[first, 0]
    b = solved[first, 1]
    c = solved[first + 1, 0]
    d = solved[first + 1, 1]
    e0 = wanted[0] - solved[first, 2]
    e1 = wanted[1] - solved[first + 1, 2]
    determinant = a * d - b * c  # of a block of the inverse mass matrix: positive
    return (d * e0 - b * e1) / determinant, (a * e1 - c * e0) / determinant


# One control tick of the walking robot: posture, gait phase, foot forces, joint torques
# (A.8–A.9).


@configuration
class WalkingConfig(Configuration):
    """Configuration of the planar walking controller."""

    virtual_model: VirtualModelConfig = section(VirtualModelConfig)
    gait: GaitConfig = section(GaitConfig)
    swing: SwingConfig = section(SwingConfig)
    actuation: ActuationConfig = section(ActuationConfig)


class WalkingState(NamedTuple):
    """State of the gait from one control tick to the next."""

    gait: GaitState
    motors: MotorState


class WalkingInputs(NamedTuple):
    """Inputs of one control tick."""

    q: Array  # (nv,)
    v: Array  # (nv,)
    foot_normal: tuple[float, float]  # measured [N]
    limits: tuple[float, float]  # on |tangential|/normal per foot; inf: none
    speed: float  # command along the floor [m/s]
    slope: float  # of the floor [rad]


class PlanarBody(NamedTuple):
    """Constants of the robot: mass, legs and torque limits."""

    mass: float  # [kg]
    legs: LegLengths
    effort_limits: Array  # (4,) [N m]


class WalkingOutput(NamedTuple):
    """Output of one control tick."""

    torques: Array  # (4,) left hip, left knee, right hip, right knee [N m]
    forces: FootForces


@kernel
def _damped(
    forces: FootForces,
    posture: Posture,
    stance: tuple[bool, bool],
    foot: int,
    limit: float,
    damping: float,
) -> tuple[float, float]:
    """Add damping to the force on the robot at a stance foot.

    It works against bounces and, where slip is limited, slides.
    """
    if not stance[foot]:
        return 0.0, 0.0
    along = forces.tangential[foot]
    if limit < math.inf:
        along += damping * posture.foot_velocity_s[foot]
    up = forces.normal[foot] + damping * posture.foot_velocity_n[foot]
    return along, max(up, 0.0)


@kernel(inline="code")
def swing_target(
    gait: GaitState, posture: Posture, config: WalkingConfig
) -> tuple[PathPoint, float]:
    """Return where the swing foot shall be, and the damping of its joints [1/s].

    A foot that is to land sliding goes on from where it is, at its landing speed.
    """
    swing = gait.phase - LEFT_SWING
    landing = config.swing.touchdown
    if lands(gait, posture.foot_n[swing], config.gait, landing):
        point = PathPoint(
            posture.foot_s[swing],
            posture.foot_n[swing],
            -landing.speed,
            -landing.descent,
        )
        return point, config.swing.landing_damping
    return swing_path(gait, config.gait, config.swing), config.swing.damping


@kernel(inline="code")
def ground_reaction(
    forces: FootForces,
    posture: Posture,
    stance: tuple[bool, bool],
    limits: tuple[float, float],
    damping: float,
    jacobian: Array,
) -> Array:
    """Compute the generalized forces (nv,) ``J^T F`` of the ground on both feet.

    Args:
        forces: wanted at the feet.
        posture: of the robot.
        stance: feet that carry.
        limits: on their force ratios; inf: none.
        damping: of their motion [N s/m].
        jacobian: (6, nv) of both soles.
    """
    c = math.cos(posture.slope)
    s = math.sin(posture.slope)
    n = jacobian.shape[1]
    generalized = np.zeros(n)
    for foot in range(2):
        along, up = _damped(forces, posture, stance, foot, limits[foot], damping)
        fx = along * c - up * s
        fz = along * s + up * c
        for k in range(n):
            generalized[k] += (
                jacobian[3 * foot, k] * fx + jacobian[3 * foot + 2, k] * fz
            )
    return generalized


@kernel(inline="code")
def swing_leg_torques(
    q: Array,
    v: Array,
    posture: Posture,
    gait: GaitState,
    generalized: Array,
    dynamics: tuple[Array, Array],
    config: WalkingConfig,
    legs: LegLengths,
) -> tuple[float, float]:
    """Compute hip and knee torques [N m] that keep the swing foot on its path.

    Args:
        q: (nv,) coordinates.
        v: (nv,) velocities.
        posture: of the robot.
        gait: phase and step.
        generalized: (nv,) forces of the ground.
        dynamics: mass matrix (nv, nv) and bias (nv,).
        config: packed.
        legs: their lengths.
    """
    mass_matrix, bias = dynamics
    first = q.shape[0] - 4
    hip = first + 2 * (gait.phase - LEFT_SWING)
    load = np.empty(q.shape[0])
    for k in range(q.shape[0]):
        # a stance leg pushes with the opposite of the ground's force
        push = -generalized[k] if k >= first else 0.0
        load[k] = generalized[k] - bias[k] + push
    point, damping = swing_target(gait, posture, config)
    wanted = joint_acceleration_towards(
        point,
        posture,
        Pitch(-posture.lean, -posture.lean_rate),
        (q[hip], q[hip + 1]),
        (v[hip], v[hip + 1]),
        config.swing,
        damping,
        legs,
    )
    return swing_torques(mass_matrix, load, wanted, hip)


@kernel(inline="code")
def position_when_torques_act(
    inputs: WalkingInputs, actuation: ActuationConfig, dt: float
) -> Array:
    """Predict the coordinates (nv,) at present rates; ``actuation`` is packed."""
    late = delay(actuation.lag, actuation.dead_time, actuation.sensor_age, dt)
    if late > 0.0:
        return inputs.q + late * inputs.v
    return inputs.q


class Torso(NamedTuple):
    """Kernels of the torso, upright or pitching."""

    distribute: Callable[
        [Posture, BodyForce, tuple[bool, bool], tuple[float, float], float], FootForces
    ]
    """(posture, force on the body, stance, limits, minimum load) -> foot forces."""
    falling_rate: Callable[[Posture], float]
    """Rate [1/s] at which the hip falls away from a single stance foot; 0 where it is
    driven."""


WalkingStep = Callable[
    [WalkingState, WalkingInputs, WalkingConfig, PlanarBody, float],
    tuple[WalkingState, WalkingOutput],
]


def walking_step(robot: ModelFunctions, torso: Torso) -> WalkingStep:
    """Make the kernel of one tick for a robot and the torso that it carries."""
    sole_motion = robot.sole_motion
    sole_jacobians = robot.sole_jacobians
    dynamics_terms = robot.dynamics_terms
    distribute, falling_rate = torso

    @kernel
    def step(
        state: WalkingState,
        inputs: WalkingInputs,
        config: WalkingConfig,
        body: PlanarBody,
        dt: float,
    ) -> tuple[WalkingState, WalkingOutput]:
        """Step one tick; ``config`` is packed."""
        q = position_when_torques_act(inputs, config.actuation, dt)
        v = inputs.v
        position, velocity = sole_motion(q, v)
        posture = posture_in_floor_frame(q, v, position, velocity, inputs.slope)
        rate = falling_rate(posture)
        gait = next_phase(
            state.gait,
            posture,
            inputs.foot_normal,
            inputs.speed,
            rate,
            config.gait,
            config.swing.touchdown,
            dt,
        )
        speed = inputs.speed
        if gait.phase == DOUBLE_SUPPORT:
            speed = double_support_speed(posture, speed, rate, config.gait)
        force = virtual_force(posture, speed, body.mass, config.virtual_model)
        swing = gait.phase - LEFT_SWING  # foot in the air, or −1
        stance = (swing != 0, swing != 1)
        forces = distribute(
            posture, force, stance, inputs.limits, config.gait.minimum_load
        )

        generalized = ground_reaction(
            forces,
            posture,
            stance,
            inputs.limits,
            config.gait.foot_damping,
            sole_jacobians(q),
        )
        first = q.shape[0] - 4
        torques = np.empty(4)
        for i in range(4):
            # a stance leg pushes the ground with the opposite force (6.20)–(6.28)
            torques[i] = -generalized[first + i]
        if gait.phase != DOUBLE_SUPPORT:
            torques[2 * swing], torques[2 * swing + 1] = swing_leg_torques(
                q,
                v,
                posture,
                gait,
                generalized,
                dynamics_terms(q, v),
                config,
                body.legs,
            )
        for i in range(4):
            torques[i] = min(
                max(torques[i], -body.effort_limits[i]), body.effort_limits[i]
            )
        motors = lead_compensated(
            state.motors, torques, body.effort_limits, config.actuation.lag, dt
        )
        return WalkingState(gait, motors), WalkingOutput(motors.command, forces)

    return step

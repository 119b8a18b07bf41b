# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Gait of the planar biped: when a foot lifts and lands, how far it steps (A.8–A.9).

With both feet down the hip moves towards the front foot; when it has nearly reached it,
or a leg is straight, the rear foot lifts. It swings for a planned time, to a stride
ahead of the stance foot (6.29), until it feels the floor::

    DOUBLE_SUPPORT --wants_to_lift--> LEFT_SWING or RIGHT_SWING --load, slide--> ...
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.planar.posture import Posture, balance_point
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig

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
        doc="at or below this command it stands",
    )
    speed_change: float = parameter(
        1.0,
        unit="m/s^2",
        above=0.0,
        high=100.0,
        source="choice",
        doc="rate at which a changed command is followed, with both feet down: 0.1 g, "
        "which a floor of 0.10 holds",
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
def step_is_due(posture: Posture, gait: GaitConfig) -> bool:
    """Return whether the hip has nearly reached the front foot, or a leg is straight.

    From there on both feet hold it no longer: only a step carries it on.
    """
    front = 1 - rear_foot(posture)
    behind = posture.foot_s[front] - balance_point(posture)
    reached = gait.lift_lead * posture.hip_velocity_s >= behind
    return (
        reached
        or posture.knee[0] < gait.straight_knee
        or posture.knee[1] < gait.straight_knee
    )


@kernel
def wants_to_lift(
    posture: Posture, speed: float, rate: float, gait: GaitConfig
) -> bool:
    """Return whether the rear foot is to lift (A.8).

    It is when a step is due.

    Where the hip falls like a pendulum in single support (rate > 0) it must also be
    fast enough to pass the front foot, at a distance d, within a planned swing:
    v > rate d / tanh(rate T), from d cosh(rate T) = v/rate sinh(rate T).
    """
    front = 1 - rear_foot(posture)
    behind = posture.foot_s[front] - balance_point(posture)
    passing = posture.hip_velocity_s * math.tanh(rate * gait.swing_time)
    carried = rate == 0.0 or passing > rate * (behind + gait.stance_margin)
    return step_is_due(posture, gait) and carried and speed >= gait.stride_speed


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
    if toward <= 1e-6:
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
    # a foot that bounces is still landing
    slid = state.slid + dt if touches or state.slid > 0.0 else 0.0
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

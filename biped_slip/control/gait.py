# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When to lift, where to step, when a foot has landed (A.8: step trigger, stride 6.29)."""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.posture import Posture, balance_point
from biped_slip.kernels import kernel

DOUBLE_SUPPORT, LEFT_SWING, RIGHT_SWING = 0, 1, 2


@configuration
class GaitConfig(Configuration):
    """Timing and length of steps."""

    stride: float = parameter(
        0.5, unit="m", above=0.0, high=2.0, source="A.8", doc="D_s,nom from stance foot to target"
    )
    stride_gain: float = parameter(0.3, unit="s", low=0.0, high=2.0, source="A.8", doc="K_stride")
    stride_speed: float = parameter(0.5, unit="m/s", source="A.8", doc="speed at which the stride is nominal")
    swing_time: float = parameter(0.5, unit="s", above=0.05, high=2.0, source="choice (A.8: 0.55)", doc="planned swing")
    swing_height: float = parameter(0.08, unit="m", above=0.0, high=0.5, source="choice (A.8)", doc="apex of the swing")
    straight_knee: float = parameter(0.03, unit="rad", low=0.0, high=0.5, source="A.8", doc="a leg counts as straight")
    lift_lead: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        source="A.8: 0",
        doc="lift when the hip will be over the front foot after this time; (1/omega) tanh(omega T/2) lets an inverted "
        "pendulum pass the foot evenly",
    )
    landing_force: float = parameter(
        3.0, unit="N", above=0.0, high=1e3, source="choice", doc="normal force that ends a swing, over sensor noise"
    )
    landing_after: float = parameter(
        0.5, low=0.0, high=1.0, source="choice", doc="share of the swing before which contact is not a landing"
    )
    minimum_double_support: float = parameter(
        0.03, unit="s", low=0.0, high=1.0, source="choice", doc="a foot that has just landed takes load first"
    )
    stance_margin: float = parameter(
        0.05,
        unit="m",
        low=-0.5,
        high=0.5,
        source="choice",
        doc="a swing lasts until the hip is this far past the stance foot",
    )
    foot_damping: float = parameter(
        30.0,
        unit="N s/m",
        low=0.0,
        high=1e3,
        source="choice",
        doc="stance legs resist lifting and bouncing of the foot",
    )
    minimum_load: float = parameter(
        2.0, unit="N", low=0.0, high=100.0, source="choice", doc="normal force that keeps an idle foot on the floor"
    )
    walking_speed: float = parameter(
        0.02, unit="m/s", low=0.0, high=1.0, source="choice", doc="below this command no step is begun by position"
    )


class Gait(NamedTuple):
    """The packed configuration, for type hints."""

    stride: float
    stride_gain: float
    stride_speed: float
    swing_time: float
    swing_height: float
    straight_knee: float
    lift_lead: float
    landing_force: float
    landing_after: float
    minimum_double_support: float
    stance_margin: float
    foot_damping: float
    minimum_load: float
    walking_speed: float


class GaitState(NamedTuple):
    """Phase of the gait and the step that is under way."""

    phase: int
    time: float  # in the phase [s]
    lift_s: float  # where the swing foot left the floor [m]
    lift_n: float  # [m]
    target_s: float  # where it shall land [m]
    swing_time: float  # planned [s]


@kernel
def rear_foot(posture: Posture) -> int:
    """Index of the foot that is further back."""
    return 0 if posture.foot_s[0] < posture.foot_s[1] else 1


@kernel
def wants_to_lift(posture: Posture, speed: float, gait: Gait) -> bool:
    """Whether the rear foot shall be lifted: the hip has (nearly) reached the front foot, or a leg is straight."""
    front = 1 - rear_foot(posture)
    reached = balance_point(posture) + gait.lift_lead * posture.hip_velocity_s >= posture.foot_s[front]
    straight = posture.knee[0] < gait.straight_knee or posture.knee[1] < gait.straight_knee
    return (reached or straight) and speed > gait.walking_speed


@kernel
def stride_length(posture: Posture, gait: Gait) -> float:
    """Distance [m] from the stance foot to the next foothold (6.29)."""
    return max(0.05, gait.stride + gait.stride_gain * (posture.hip_velocity_s - gait.stride_speed))


@kernel
def planned_swing_time(posture: Posture, stance: int, gait: Gait) -> float:
    """Nominal time, or longer if the hip would still be behind the stance foot: then both feet could only brake it."""
    distance = posture.foot_s[stance] + gait.stance_margin - balance_point(posture)
    return max(gait.swing_time, distance / max(posture.hip_velocity_s, 0.2))


@kernel
def next_phase(
    state: GaitState, posture: Posture, foot_normal: tuple[float, float], speed: float, gait: Gait, dt: float
) -> GaitState:
    """Gait phase for this control tick."""
    time = state.time + dt
    held = GaitState(state.phase, time, state.lift_s, state.lift_n, state.target_s, state.swing_time)
    if state.phase == DOUBLE_SUPPORT:
        if time < gait.minimum_double_support or not wants_to_lift(posture, speed, gait):
            return held
        rear = rear_foot(posture)
        target = posture.foot_s[1 - rear] + stride_length(posture, gait)
        duration = planned_swing_time(posture, 1 - rear, gait)
        return GaitState(LEFT_SWING + rear, 0.0, posture.foot_s[rear], posture.foot_n[rear], target, duration)
    swing = state.phase - LEFT_SWING
    if time > gait.landing_after * state.swing_time and foot_normal[swing] > gait.landing_force:
        return GaitState(DOUBLE_SUPPORT, 0.0, state.lift_s, state.lift_n, state.target_s, state.swing_time)
    return held

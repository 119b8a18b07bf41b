# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pace of the planar biped: the speed that its gait follows, from the one commanded.

A command may change at any time and by any amount; the gait can't. It follows with both
feet down, at a bounded rate; a step that is under way ends as it began::

    command <= walking_speed                stand (:mod:`~.standing`)
    walking_speed < command < stride_speed  steps at stride_speed, stand between them
    stride_speed <= command                 walk at the command

Slower than its stride's speed no step is begun: a hip that passes its foot slowly, an
inverted pendulum, falls too far until the other foot lands. A slow command is walked by
steps and pauses, which keep up with it on average (choice). A torso that pitches stands
after the step that leaves the hip's capture point [Englsberger2015] between the feet; a
driven hip at once, unless its rear leg is used up, as by slow braking on ice.

A driven hip sets off slower, but where a step is due, ahead of its front foot for one,
with its stride's speed at once: forces through the hip only push it on from there.

To stop counts at once. Who stands goes when that has been wanted for a while: standing
and setting off put other forces on the same feet, and a command that toggles between
them would shake the body at its own frequency.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.control.planar.gait import (
    DOUBLE_SUPPORT,
    GaitConfig,
    GaitState,
    rear_foot,
    step_is_due,
)
from biped_slip.control.planar.posture import Posture, balance_point

#: Share of the way between the feet that the centre of pressure of a robot that stands
#: keeps from either: a foot without load slides (choice).
PRESSURE_EDGE = 0.05

#: Share of that way, to either side of its middle, in which the capture point must be
#: for a start from standing (choice).
NEAR = 0.2

#: Time [s] for which it is wanted without a break that a robot that stands goes, until
#: it sets off: about one time constant 1/omega of the hip's pendulum (choice).
SETTLED = 0.2


class Pace(NamedTuple):
    """Speed that is followed, what a slow command is ahead of the hip, and a wish."""

    speed: float = math.nan  # [m/s]; NaN before the first command
    behind: float = 0.0  # [m]
    wished: float = 0.0  # [s] for which one that stands is to go


@kernel
def can_stand(
    pace: Pace, state: GaitState, posture: Posture, rate: float, gait: GaitConfig
) -> bool:
    """Return whether both feet can hold a hip that falls at a rate [1/s].

    It is where its capture point is behind the front foot. Who walks begins to stand as
    a foot lands: later the hip is on its way over it. A hip that is driven (rate 0) is
    held until the rear leg is used up: where the floor lets it brake but slowly.
    """
    if rate == 0.0:
        used_up = posture.knee[rear_foot(posture)] < gait.straight_knee
        return not used_up or posture.hip_velocity_s <= 0.0
    if pace.speed != 0.0 and state.time > gait.minimum_double_support:
        return False
    rear = rear_foot(posture)
    front = posture.foot_s[1 - rear]
    capture = balance_point(posture) + posture.hip_velocity_s / rate
    return capture < front - PRESSURE_EDGE * (front - posture.foot_s[rear])


@kernel
def can_start(posture: Posture, rate: float) -> bool:
    """Return whether a hip that stands has come near enough to the middle to set off.

    A pendulum needs the way to the front foot to gain the speed that carries it over;
    where the hip is driven (rate 0), it can always.
    """
    if rate == 0.0:
        return True
    middle = 0.5 * (posture.foot_s[0] + posture.foot_s[1])
    capture = balance_point(posture) + posture.hip_velocity_s / rate
    near = NEAR * abs(posture.foot_s[0] - posture.foot_s[1])
    return abs(capture - middle) < near


@kernel
def distance_behind(
    pace: Pace, command: float, posture: Posture, gait: GaitConfig, dt: float
) -> float:
    """Compute how far [m] the hip is behind a slow command, a stride at most.

    A fast command keeps it: one that trembles about the stride's speed is slow, too.
    """
    if command <= gait.walking_speed:
        return 0.0
    if command >= gait.stride_speed:
        return pace.behind
    behind = pace.behind + (command - posture.hip_velocity_s) * dt
    return min(max(behind, -gait.stride), gait.stride)


@kernel
def wanted_speed(pace: Pace, command: float, behind: float, gait: GaitConfig) -> float:
    """Compute the speed [m/s] that a command asks of the gait; 0: it shall stand."""
    if command <= gait.walking_speed:
        return 0.0
    if command >= gait.stride_speed:
        return command
    starts_at = 0.5 * gait.stride if pace.speed == 0.0 else 0.0
    return gait.stride_speed if behind > starts_at else 0.0


@kernel
def next_pace(
    pace: Pace,
    command: float,
    state: GaitState,
    posture: Posture,
    rate: float,
    gait: GaitConfig,
    dt: float,
) -> Pace:
    """Compute the pace of this control tick.

    Args:
        pace: of the last tick.
        command: speed along the floor [m/s].
        state: of the gait at the last tick.
        posture: of the robot.
        rate: at which the hip falls in single support [1/s]; 0 where it is driven.
        gait: packed.
        dt: since the last tick [s].
    """
    behind = distance_behind(pace, command, posture, gait, dt)
    wanted = wanted_speed(pace, command, behind, gait)
    before = pace.speed
    if math.isnan(before):  # what the first command finds moves as it says
        before = max(wanted, gait.stride_speed)
    if state.phase != DOUBLE_SUPPORT:
        return Pace(before, behind, 0.0)
    held = can_stand(pace, state, posture, rate, gait)
    if wanted == 0.0:
        stays = max(before, gait.stride_speed)
        return Pace(0.0 if held else stays, behind, 0.0)
    if before == 0.0 and held:
        wished = pace.wished + dt
        if wished < SETTLED or not can_start(posture, rate):
            return Pace(0.0, behind, wished)
    # a pendulum that starts slowly never passes its foot; where a step is due, no pair
    # of forces through the hip holds it until a step may begin
    if rate > 0.0 or step_is_due(posture, gait):
        before = max(before, gait.stride_speed)
    most = gait.speed_change * dt
    if abs(wanted - before) <= most:
        return Pace(wanted, behind, 0.0)
    return Pace(before + math.copysign(most, wanted - before), behind, 0.0)


@kernel
def stands(phase: int, pace: Pace) -> bool:
    """Return whether a pace is that of standing on both feet."""
    return phase == DOUBLE_SUPPORT and pace.speed == 0.0

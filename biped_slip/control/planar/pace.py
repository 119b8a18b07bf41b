# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Pace of the planar biped: the speed that its gait follows, from the one commanded.

A command may change at any time and by any amount; the gait can't. It follows with both
feet down, at a bounded rate; a step that is under way ends as it began::

    command <= walking_speed                stand (:mod:`~.standing`)
    walking_speed < command < stride_speed  steps at stride_speed, stand between them
    stride_speed <= command                 walk at the command

Slower than its stride's speed no step is begun: a hip that passes its foot slowly, as an
inverted pendulum, falls too far until the other foot lands. A slow command is walked by
steps and pauses, which keep up with it on average (choice). Whoever walks stands as soon
as the hip's capture point [Englsberger2015] is between the feet.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.control.planar.gait import DOUBLE_SUPPORT, GaitConfig, rear_foot
from biped_slip.control.planar.posture import Posture, balance_point

#: Share of the way between the feet that the centre of pressure of a robot that stands
#: keeps from either: a foot without load slides (choice).
EDGE = 0.05


class Pace(NamedTuple):
    """Speed that is followed, and what a slow command is ahead of the hip."""

    speed: float = math.nan  # [m/s]; NaN before the first command
    behind: float = 0.0  # [m]


@kernel
def can_stand(posture: Posture, rate: float) -> bool:
    """Return whether both feet can hold a hip that falls at a rate [1/s].

    It is where its capture point is well behind the front foot; where the hip is driven
    (rate 0), always.
    """
    if rate == 0.0:
        return True
    rear = rear_foot(posture)
    edge = EDGE * (posture.foot_s[1 - rear] - posture.foot_s[rear])
    capture = balance_point(posture) + posture.hip_velocity_s / rate
    return capture < posture.foot_s[1 - rear] - edge


@kernel
def distance_behind(
    pace: Pace, command: float, posture: Posture, gait: GaitConfig, dt: float
) -> float:
    """Compute how far [m] the hip is behind a slow command, a stride at most."""
    if not gait.walking_speed < command < gait.stride_speed:
        return 0.0
    behind = pace.behind + (command - posture.hip_velocity_s) * dt
    return min(max(behind, -gait.stride), gait.stride)


@kernel
def wanted_speed(
    pace: Pace, command: float, behind: float, gait: GaitConfig
) -> float:
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
    phase: int,
    posture: Posture,
    rate: float,
    gait: GaitConfig,
    dt: float,
) -> Pace:
    """Compute the pace of this control tick.

    Args:
        pace: of the last tick.
        command: speed along the floor [m/s].
        phase: of the gait at the last tick.
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
    if phase != DOUBLE_SUPPORT:
        return Pace(before, behind)
    if wanted == 0.0:
        stays = max(before, gait.stride_speed)
        return Pace(0.0 if can_stand(posture, rate) else stays, behind)
    if rate > 0.0:  # a pendulum that starts slowly never passes its foot
        before = max(before, gait.stride_speed)
    most = gait.speed_change * dt
    if abs(wanted - before) <= most:
        return Pace(wanted, behind)
    return Pace(before + math.copysign(most, wanted - before), behind)


@kernel
def stands(phase: int, pace: Pace) -> bool:
    """Return whether a pace is that of standing on both feet."""
    return phase == DOUBLE_SUPPORT and pace.speed == 0.0

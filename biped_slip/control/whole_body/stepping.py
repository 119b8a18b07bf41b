# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Standing, transfer, swing: which foot carries, which moves, where the ZMP is."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.whole_body.footsteps import Foothold, FootstepConfig, next_foothold
from biped_slip.control.whole_body.swing_foot import SwingPoint, swing_step

TIME_CHANGE = 0.1  # [s] of either support from step to step (choice)
ALIGNED = 0.3  # of the width: feet no further from side by side may stay as they are (choice)


class Phase(IntEnum):
    """What the feet do."""

    STAND = 0
    TRANSFER = 1  # both carry, the ZMP moves to the coming stance foot
    SWING = 2


STAND, TRANSFER, SWING = int(Phase.STAND), int(Phase.TRANSFER), int(Phase.SWING)


@configuration
class SteppingConfig(Configuration):
    """Timing and shape of the steps beside their length."""

    settle_time: float = parameter(
        0.8, unit="s", above=0.0, high=5.0, doc="ZMP to the middle of the feet when stopping"
    )
    first_transfer: float = parameter(0.8, unit="s", above=0.0, high=5.0, doc="transfer out of standing")
    swing_height: float = parameter(0.06, unit="m", above=0.0, high=0.3, doc="apex of the swing foot")
    landing_force: float = parameter(
        0.025, above=0.0, high=0.5, doc="normal force that ends a swing, in body weights: five times what sensors are "
        "wrong by; a foot that comes down without speed presses no harder for a while (choice)",
    )  # fmt: skip
    landing_after: float = parameter(
        0.7, low=0.0, high=1.0, doc="share of the swing before which contact is no landing"
    )
    sinking_speed: float = parameter(
        0.2, unit="m/s", low=0.0, high=1.0, doc="of a foot that has found no floor in time"
    )
    smooth_swing: bool = parameter(
        False, doc="swing feet begin and end without acceleration; joints turn 1.25 times as fast (choice)"
    )
    inset: float = parameter(0.01, unit="m", low=-0.1, high=0.1, doc="ZMP inside of the sole's middle")


class Gait(NamedTuple):
    """The steps that are walked now: the command after friction has had its say."""

    forward: float  # of the body per step [m]
    left: float  # [m]
    turn: float  # [rad]
    width: float  # between the feet [m]
    single_support: float  # [s]
    double_support: float  # [s]
    still: bool  # no step at all
    shift: float = 0.0  # [m] of the weight to the left while standing
    roll: float = 0.0  # [m] that the ZMP goes from heel to toe while one foot carries: feet then push less along
    ratio: float = 0.0  # that the steady gait needs


@kernel
def in_place(gait: Gait) -> Gait:
    """The same steps, in place where they would be none."""
    return Gait(gait.forward, gait.left, gait.turn, gait.width, gait.single_support, gait.double_support, False, 0.0,
                gait.roll, gait.ratio)  # fmt: skip


class SteppingState(NamedTuple):
    """Phase and the step that is under way."""

    phase: int  # a Phase
    time: float  # in the phase [s]; negative: until then the ZMP waits under the old foot, for the swing landed early
    duration: float  # planned [s]
    swing: int  # foot in the air, or the one to lift next: 0 left, 1 right
    zmp_from: Array  # (2,) [m] at the start of the phase
    zmp_to: Array  # (2,) [m] at its end
    target: Foothold  # of the swing foot
    lift_z: float  # [m]
    point: SwingPoint


class Feet(NamedTuple):
    """Where the soles are."""

    holds: tuple[Foothold, Foothold]
    height: tuple[float, float]  # [m]


@kernel
def underway(planned: Gait, fresh: Gait, state: SteppingState) -> Gait:
    """The gait of a step, from its lift to the next one: as planned then; while standing the ``fresh`` one.

    Whether to walk at all is always heard. A plan whose steps change in mid-step moves its own divergent component away
    from the robot's: who brakes from 0.6 m/s, or prolongs a transfer that has begun, is 8 cm ahead of it.
    """
    if state.phase == STAND:
        return fresh
    return Gait(planned.forward, planned.left, planned.turn, planned.width, planned.single_support,
                planned.double_support, fresh.still, fresh.shift, planned.roll, planned.ratio)  # fmt: skip


@kernel
def next_gait(planned: Gait, fresh: Gait) -> Gait:
    """The gait of the next step: the ``fresh`` one, its times no further from the last step's than ``TIME_CHANGE``.

    Between the beats of a quick and a slow gait lies a transient that asks for more than either of them: from 0.1 to
    0.4 s of double support in one step, a foot had to be put 1.1 m ahead. Getting faster, steps are quick before they
    are long.
    """
    if planned.still or fresh.still:
        return fresh
    most = max(abs(fresh.single_support - planned.single_support), abs(fresh.double_support - planned.double_support))
    if most <= TIME_CHANGE:
        return fresh
    share = TIME_CHANGE / most
    single = planned.single_support + share * (fresh.single_support - planned.single_support)
    double = planned.double_support + share * (fresh.double_support - planned.double_support)
    scale = (single + double) / (fresh.single_support + fresh.double_support)
    last, wanted = math.hypot(planned.forward, planned.left), math.hypot(fresh.forward, fresh.left)
    if wanted > 0.0:
        scale = min(scale, (last + share * (wanted - last)) / wanted)
    return Gait(scale * fresh.forward, scale * fresh.left, scale * fresh.turn, fresh.width, single, double, fresh.still,
                fresh.shift, planned.roll + share * (fresh.roll - planned.roll),
                planned.ratio + share * (fresh.ratio - planned.ratio))  # fmt: skip


@kernel
def side_of(foot: int) -> float:
    """+1 for the left foot, -1 for the right one."""
    return 1.0 - 2.0 * foot


@kernel
def zmp_under(hold: Foothold, foot: int, middle: Array, inset: float, ahead: float = 0.0) -> Array:
    """Point (2,) of a sole where the ZMP shall be, ``ahead`` of ``middle`` (2,) of the sole in its frame [m]."""
    c, s = math.cos(hold.yaw), math.sin(hold.yaw)
    x, y = middle[0] + ahead, middle[1] - side_of(foot) * inset
    return np.array([hold.x + c * x - s * y, hold.y + s * x + c * y])


@kernel
def toe(gait: Gait) -> float:
    """How far ahead of the sole's middle [m] the ZMP leaves it; as far behind it begins."""
    return 0.5 * gait.roll


@kernel
def zmp_now(state: SteppingState) -> Array:
    """ZMP (2,) [m] of the plan at this instant."""
    share = min(max(state.time / state.duration, 0.0), 1.0) if state.duration > 0.0 else 1.0
    return state.zmp_from + share * (state.zmp_to - state.zmp_from)


@kernel
def standing(feet: Feet, middle: Array, config: SteppingConfig) -> SteppingState:
    """At rest on both feet; ``config`` is packed, here and below."""
    centre = _centre(feet, middle, config, 0.0)
    none = SwingPoint(np.zeros(4), np.zeros(4), np.zeros(4))
    return SteppingState(STAND, 0.0, 0.0, -1, centre, centre, feet.holds[0], 0.0, none)


@kernel
def falling(feet: Feet, middle: Array, config: SteppingConfig) -> SteppingState:
    """On both feet as :func:`standing`, but without the means to stay so: the left foot lifts at once."""
    at_rest = standing(feet, middle, config)
    under = zmp_under(feet.holds[1], 1, middle[1], config.inset)
    return SteppingState(TRANSFER, 0.0, 0.0, 0, at_rest.zmp_from, under, at_rest.target, 0.0, at_rest.point)


@kernel
def _centre(feet: Feet, middle: Array, config: SteppingConfig, shift: float) -> Array:
    """Between the feet, and ``shift`` [m] towards the left one."""
    left = zmp_under(feet.holds[0], 0, middle[0], config.inset)
    right = zmp_under(feet.holds[1], 1, middle[1], config.inset)
    apart = left - right
    return 0.5 * (left + right) + shift / max(math.hypot(apart[0], apart[1]), 1e-6) * apart


@kernel
def foothold_for(stance: Foothold, swing: int, gait: Gait, steps: FootstepConfig) -> Foothold:
    """Where the swing foot goes in this gait; ``steps`` is packed, here and below."""
    return next_foothold(stance, side_of(swing), gait.forward, gait.left, gait.turn, gait.width, steps)


@kernel
def aligned(feet: Feet, gait: Gait, steps: FootstepConfig) -> bool:
    """Whether the feet stand side by side, as far as a stop needs."""
    wanted = next_foothold(feet.holds[1], 1.0, 0.0, 0.0, 0.0, gait.width, steps)
    return math.hypot(wanted.x - feet.holds[0].x, wanted.y - feet.holds[0].y) < ALIGNED * gait.width


@kernel
def stepping(state: SteppingState, feet: Feet, load: tuple[float, float], gait: Gait, may_lift: bool, middle: Array,
             steps: FootstepConfig, config: SteppingConfig, dt: float) -> SteppingState:  # fmt: skip
    """Phase one tick later.

    Args:
        load: measured normal forces in body weights.
        may_lift: whether the coming stance foot may carry alone; until then both feet stay down.
    """
    start, end = state.zmp_from, state.zmp_to
    if state.phase != STAND:  # the ZMP is under a foot, wherever the world is thought to be by now
        stance, ahead = 1 - state.swing, toe(gait)
        heel = zmp_under(feet.holds[stance], stance, middle[stance], config.inset, -ahead)
        end = heel
        if state.phase == SWING:
            start, end = heel, zmp_under(feet.holds[stance], stance, middle[stance], config.inset, ahead)
    state = SteppingState(state.phase, state.time + dt, state.duration, state.swing, start, end, state.target,
                          state.lift_z, state.point)  # fmt: skip
    if state.phase == STAND:
        if gait.still or state.time < state.duration:
            return SteppingState(STAND, state.time, state.duration, -1, state.zmp_from,
                                 _centre(feet, middle, config, gait.shift), state.target, state.lift_z,
                                 state.point)  # fmt: skip
        return _transfer(state, feet, 0 if gait.left > 0.0 else 1, 0.0, config.first_transfer, gait, middle, config)
    if state.phase == TRANSFER:
        if gait.still and aligned(feet, gait, steps):
            return SteppingState(STAND, 0.0, config.settle_time, -1, zmp_now(state),
                                 _centre(feet, middle, config, 0.0), state.target, state.lift_z,
                                 state.point)  # fmt: skip
        return _lift(state, feet, gait, middle, steps, config) if may_lift and state.time >= state.duration else state
    if load[state.swing] > config.landing_force and state.time > config.landing_after * state.duration:
        early = max(state.duration - state.time, 0.0)
        return _transfer(state, feet, 1 - state.swing, early, gait.double_support, gait, middle, config)
    return state


@kernel
def _transfer(state: SteppingState, feet: Feet, swing: int, wait: float, duration: float, gait: Gait, middle: Array,
              config: SteppingConfig) -> SteppingState:  # fmt: skip
    """Move the ZMP under the other foot, so that ``swing`` can be lifted; begin after ``wait`` [s].

    A foot that lands early (the stance foot has sunk into the floor under the weight, or the floor is higher) bears
    little until its time: the centre of mass is where the plan has it at that time, and not before.
    """
    under = zmp_under(feet.holds[1 - swing], 1 - swing, middle[1 - swing], config.inset, -toe(gait))
    return SteppingState(TRANSFER, -wait, duration, swing, zmp_now(state), under, state.target, state.lift_z,
                         state.point)  # fmt: skip


@kernel
def transfer_anew(state: SteppingState, feet: Feet, gait: Gait, middle: Array,
                  config: SteppingConfig) -> SteppingState:  # fmt: skip
    """The transfer under way from now on in the time of another gait."""
    return _transfer(state, feet, state.swing, max(-state.time, 0.0), gait.double_support, gait, middle, config)


@kernel
def _lift(state: SteppingState, feet: Feet, gait: Gait, middle: Array, steps: FootstepConfig,
          config: SteppingConfig) -> SteppingState:  # fmt: skip
    swing, still = state.swing, np.zeros(4)
    hold, height = feet.holds[swing], feet.height[swing]
    point = SwingPoint(np.array([hold.x, hold.y, height, hold.yaw]), still, still)
    leaves = zmp_under(feet.holds[1 - swing], 1 - swing, middle[1 - swing], config.inset, toe(gait))
    return SteppingState(SWING, 0.0, gait.single_support, swing, state.zmp_to, leaves,
                         foothold_for(feet.holds[1 - swing], swing, gait, steps), height, point)  # fmt: skip


@kernel
def swing_on(state: SteppingState, target: Foothold, floor: float, config: SteppingConfig, dt: float) -> SteppingState:
    """The swing foot one tick further towards a foothold at height ``floor`` [m]."""
    aim = np.array([target.x, target.y, floor, target.yaw])
    point = swing_step(state.point, aim, state.time, state.duration, config.swing_height, state.lift_z,
                       config.sinking_speed, config.smooth_swing, dt)  # fmt: skip
    return SteppingState(state.phase, state.time, state.duration, state.swing, state.zmp_from, state.zmp_to, target,
                         state.lift_z, point)  # fmt: skip

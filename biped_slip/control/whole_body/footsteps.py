# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Footsteps: where feet stand and will stand, whose turn it is, the ZMP under them.

A walk goes round in three phases, in each of which the planned ZMP, the reference of
[Kajita2003], is linear in time::

    STAND -----> TRANSFER ----------> SWING ----------> TRANSFER ...
    between      from foot to foot,   heel to toe of     to the foot that
    the feet     both carry           the stance foot    has landed

A foothold lies beside and ahead of the stance foot by what the body shall move in the
step. Functions here step the phase; when a foot lifts, and where and when it lands,
decides :mod:`~biped_slip.control.whole_body.step_program`.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.control.sliding_touchdown import SlidingTouchdownConfig
from biped_slip.control.whole_body.swing_path import (
    Swing,
    SwingPoint,
    sliding_swing_step,
    swing_step,
)
from biped_slip.control.whole_body.tasks import Terms


@configuration
class FootstepConfig(Configuration):
    """Bounds and timing of a step.

    Lengths fit a robot of adult size and are set per robot.
    """

    length: float = parameter(
        0.7,
        unit="m",
        above=0.0,
        high=1.5,
        doc="longest step, foot to foot along the heading",
    )
    outward: float = parameter(
        0.2,
        unit="m",
        low=0.0,
        high=1.0,
        doc="how much wider than ``width`` a step may be",
    )
    inward: float = parameter(
        0.03, unit="m", low=0.0, high=0.5, doc="how much narrower: feet must not touch"
    )
    turn: float = parameter(
        0.4, unit="rad", low=0.0, high=1.5, doc="largest turn of one step"
    )
    width: float = parameter(
        0.17, unit="m", low=0.0, high=1.0, doc="between the feet when walking straight"
    )
    single_support: float = parameter(
        0.6, unit="s", above=0.05, high=3.0, doc="planned time on one foot"
    )
    double_support: float = parameter(
        0.15, unit="s", low=0.0, high=3.0, doc="planned time of the transfer"
    )


class Command(NamedTuple):
    """Commanded velocity of the body in its own heading frame, and its pose.

    The pose is that while it stands.
    """

    forward: float = 0.0  # [m/s]
    left: float = 0.0  # [m/s]
    turn: float = 0.0  # [rad/s]
    shift: float = 0.0  # [m] of the weight to the left, while standing
    lean: float = 0.0  # [rad] of the base forward, while standing


class Foothold(NamedTuple):
    """Pose of a sole on the floor."""

    x: float  # [m], world
    y: float  # [m]
    yaw: float  # [rad]


@kernel
def _clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@kernel
def next_foothold(
    stance: Foothold,
    side: float,
    forward: float,
    left: float,
    turn: float,
    width: float,
    limits: FootstepConfig,
) -> Foothold:
    """Place the swing foot's foothold beside and ahead of the stance foot.

    The body shall move ``forward`` and ``left`` [m] and ``turn`` [rad] in this step.
    ``side`` is +1 where the swing foot is the left one, else -1; ``width`` is between
    the feet [m]; ``limits`` are packed.
    """
    turn = _clamp(turn, -limits.turn, limits.turn)
    # what the foot behind may not come nearer the one ahead takes in its own step
    inward = min(abs(left), limits.inward)
    if side * left > 0.0:
        left = side * min(2.0 * abs(left) - inward, limits.outward)
    else:
        left = math.copysign(inward, left)
    half = 0.5 * side * width  # from a foot to the body's middle
    ahead = _clamp(forward, -limits.length, limits.length) - half * math.sin(turn)
    aside = half + left + half * math.cos(turn)
    c = math.cos(stance.yaw)
    s = math.sin(stance.yaw)
    return Foothold(
        stance.x + c * ahead - s * aside,
        stance.y + s * ahead + c * aside,
        stance.yaw + turn,
    )


TIME_CHANGE = 0.1  # [s] of either support from step to step (choice)
# of its planned time: a swing so short is to catch the robot, not to ask the floor
# (choice)
HURRIED = 0.8
ALIGNED = (
    0.3  # of the width: feet no further from side by side may stay as they are (choice)
)


class Phase(IntEnum):
    """Phase of the feet."""

    STAND = 0
    TRANSFER = 1  # both carry, the ZMP moves to the coming stance foot
    SWING = 2


STAND, TRANSFER, SWING = map(int, Phase)


@configuration
class SteppingConfig(Configuration):
    """Timing and shape of the steps beside their length."""

    settle_time: float = parameter(
        0.8,
        unit="s",
        above=0.0,
        high=5.0,
        doc="ZMP to the middle of the feet when stopping",
    )
    first_transfer: float = parameter(
        0.8, unit="s", above=0.0, high=5.0, doc="transfer out of standing"
    )
    swing_height: float = parameter(
        0.06, unit="m", above=0.0, high=0.3, doc="apex of the swing foot"
    )
    landing_force: float = parameter(
        0.025,
        above=0.0,
        high=0.5,
        doc="normal force that ends a swing, in body weights: five times what sensors "
        "are "
        "wrong by; a foot that comes down without speed presses no harder for a while "
        "(choice)",
    )
    landing_after: float = parameter(
        0.7,
        low=0.0,
        high=1.0,
        doc="share of the swing before which contact is no landing",
    )
    sinking_speed: float = parameter(
        0.2,
        unit="m/s",
        low=0.0,
        high=1.0,
        doc="of a foot that has found no floor in time",
    )
    smooth_swing: bool = parameter(
        False,
        doc="swing feet begin and end without acceleration; joints turn 1.25 times as "
        "fast (choice)",
    )
    inset: float = parameter(
        0.01, unit="m", low=-0.1, high=0.1, doc="ZMP inside of the sole's middle"
    )
    touchdown: SlidingTouchdownConfig = section(SlidingTouchdownConfig)


class Gait(NamedTuple):
    """Gait that is walked: the commanded steps within the friction limit."""

    forward: float  # of the body per step [m]
    left: float  # [m]
    turn: float  # [rad]
    width: float  # between the feet [m]
    single_support: float  # [s]
    double_support: float  # [s]
    still: bool  # no step at all
    shift: float = 0.0  # [m] of the weight to the left while standing
    # [m] that the ZMP goes from heel to toe while one foot carries: feet then push less
    # along
    roll: float = 0.0
    ratio: float = 0.0  # that the steady gait needs


@kernel
def in_place(gait: Gait) -> Gait:
    """Return the gait as stepping, in place if its length is zero."""
    return Gait(
        forward=gait.forward,
        left=gait.left,
        turn=gait.turn,
        width=gait.width,
        single_support=gait.single_support,
        double_support=gait.double_support,
        still=False,
        shift=0.0,
        roll=gait.roll,
        ratio=gait.ratio,
    )


class SteppingState(NamedTuple):
    """Phase of the feet and the present step."""

    phase: int  # a Phase
    # in the phase [s]; negative: until then the ZMP waits under the old foot, for the
    # swing landed early
    time: float
    duration: float  # planned [s]
    swing: int  # foot in the air, or the one to lift next: 0 left, 1 right
    zmp_from: Array  # (2,) [m] at the start of the phase
    zmp_to: Array  # (2,) [m] at its end
    target: Foothold  # of the swing foot
    lift_z: float  # [m]
    point: SwingPoint
    sliding: (
        float  # time since the swing foot met the floor, which it still slides over [s]
    )


class SolePoses(NamedTuple):
    """Poses of the soles, left, right."""

    holds: tuple[Foothold, Foothold]
    height: tuple[float, float]  # [m]
    middle: Array  # (2, 2) of each sole in its frame [m]


@kernel
def yaw_near(rotation: Array, heading: float) -> float:
    """Compute the yaw [rad] of a rotation matrix (3, 3).

    Of all its turns it is the one nearest to a heading.
    """
    c = math.cos(heading)
    s = math.sin(heading)
    return heading + math.atan2(
        c * rotation[1, 0] - s * rotation[0, 0], c * rotation[0, 0] + s * rotation[1, 0]
    )


@kernel
def feet_of(terms: Terms, heading: float, middle: Array) -> SolePoses:
    """Convert soles to footholds.

    Their yaws are near the walk's heading [rad] and each other: they may be compared.

    ``middle`` (2, 2) is that of each sole in its frame [m].
    """
    place = terms.position
    turn = terms.rotation
    left = Foothold(place[0, 0], place[0, 1], yaw_near(turn[0], heading))
    right = Foothold(place[1, 0], place[1, 1], yaw_near(turn[1], left.yaw))
    return SolePoses(
        holds=(left, right), height=(place[0, 2], place[1, 2]), middle=middle
    )


@kernel
def turned(vector: Array, yaw: float) -> Array:
    """Turn a vector (2,) by an angle [rad]."""
    c = math.cos(yaw)
    s = math.sin(yaw)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


@kernel
def carrying_feet(steps: SteppingState) -> tuple[bool, bool]:
    """Return which feet are on the floor by plan."""
    lifted = steps.swing if steps.phase == SWING else -1
    return lifted != 0, lifted != 1


@kernel
def underway(planned: Gait, fresh: Gait, state: SteppingState) -> Gait:
    """Return the gait of a step from lift-off to lift-off, as planned then.

    While standing it is the ``fresh`` one.

    Whether to walk at all is always heard. A plan whose steps change in mid-step moves
    its own divergent component away from the robot's: who brakes from 0.6 m/s, or
    prolongs a transfer that has begun, is 8 cm ahead of it.
    """
    if state.phase == STAND:
        return fresh
    return Gait(
        forward=planned.forward,
        left=planned.left,
        turn=planned.turn,
        width=planned.width,
        single_support=planned.single_support,
        double_support=planned.double_support,
        still=fresh.still,
        shift=fresh.shift,
        roll=planned.roll,
        ratio=planned.ratio,
    )


@kernel
def next_gait(planned: Gait, fresh: Gait) -> Gait:
    """Return the gait of the next step: the ``fresh`` one.

    Its times are within ``TIME_CHANGE`` of the last step's.

    A jump from 0.1 to 0.4 s of double support asks for a foot 1.1 m ahead. Getting
    faster, steps are quick before long.
    """
    if planned.still or fresh.still:
        return fresh
    most = max(
        abs(fresh.single_support - planned.single_support),
        abs(fresh.double_support - planned.double_support),
    )
    if most <= TIME_CHANGE:
        return fresh
    share = TIME_CHANGE / most
    single = planned.single_support + share * (
        fresh.single_support - planned.single_support
    )
    double = planned.double_support + share * (
        fresh.double_support - planned.double_support
    )
    scale = (single + double) / (fresh.single_support + fresh.double_support)
    last = math.hypot(planned.forward, planned.left)
    wanted = math.hypot(fresh.forward, fresh.left)
    if wanted > 0.0:
        scale = min(scale, (last + share * (wanted - last)) / wanted)
    return Gait(
        forward=scale * fresh.forward,
        left=scale * fresh.left,
        turn=scale * fresh.turn,
        width=fresh.width,
        single_support=single,
        double_support=double,
        still=fresh.still,
        shift=fresh.shift,
        roll=planned.roll + share * (fresh.roll - planned.roll),
        ratio=planned.ratio + share * (fresh.ratio - planned.ratio),
    )


# [rad] of a step towards the heading (choice: some times what a sole twists by while it
# carries)
RETURN = 0.05


@kernel
def on_course(
    gait: Gait, heading: float, yaw: float, limits: FootstepConfig
) -> tuple[Gait, float]:
    """Turn a step towards the walk's heading [rad].

    Its stance foot has a ``yaw`` [rad]. The step and the heading after it are returned.

    A sole twists by 0.01 rad while it carries: steps that go straight on from each
    other walk circles of 70 m.
    """
    back = _clamp(heading - yaw, -RETURN, RETURN)
    turn = _clamp(gait.turn + back, -limits.turn, limits.turn)
    return Gait(
        forward=gait.forward,
        left=gait.left,
        turn=turn,
        width=gait.width,
        single_support=gait.single_support,
        double_support=gait.double_support,
        still=gait.still,
        shift=gait.shift,
        roll=gait.roll,
        ratio=gait.ratio,
    ), heading + turn - back


@kernel
def side_of(foot: int) -> float:
    """Return the side of a foot: +1 left, -1 right."""
    return 1.0 - 2.0 * foot


@kernel
def zmp_under_hold(
    hold: Foothold, foot: int, middle: Array, inset: float, ahead: float
) -> Array:
    """Compute the target point (2,) of the ZMP under a foothold.

    It is ``ahead`` of ``middle`` (2,) of the sole in its frame [m].
    """
    c = math.cos(hold.yaw)
    s = math.sin(hold.yaw)
    x = middle[0] + ahead
    y = middle[1] - side_of(foot) * inset
    return np.array([hold.x + c * x - s * y, hold.y + s * x + c * y])


@kernel
def zmp_under(feet: SolePoses, foot: int, inset: float, ahead: float = 0.0) -> Array:
    """Compute the target point (2,) of the ZMP under a foot where it stands."""
    return zmp_under_hold(feet.holds[foot], foot, feet.middle[foot], inset, ahead)


@kernel
def toe(gait: Gait) -> float:
    """Compute the distance [m] ahead of the sole's middle where the ZMP leaves it.

    It enters as far behind the middle.
    """
    return 0.5 * gait.roll


@kernel
def zmp_now(state: SteppingState) -> Array:
    """Compute the planned ZMP (2,) [m] of this instant."""
    share = (
        min(max(state.time / state.duration, 0.0), 1.0) if state.duration > 0.0 else 1.0
    )
    return state.zmp_from + share * (state.zmp_to - state.zmp_from)


@kernel
def zmp_way(
    hold: Foothold, swing: int, feet: SolePoses, gait: Gait, config: SteppingConfig
) -> Array:
    """Compute the ZMP's way (2,) [m] from the stance sole to the next foothold.

    It goes from where the ZMP leaves the one to where it enters the other, in the
    stance foot's axes; ``swing`` is the foot that goes to ``hold``.
    """
    leaves = zmp_under(feet, 1 - swing, config.inset, toe(gait))
    enters = zmp_under_hold(hold, swing, feet.middle[swing], config.inset, -toe(gait))
    return turned(enters - leaves, -feet.holds[1 - swing].yaw)


@kernel
def standing(feet: SolePoses, config: SteppingConfig) -> SteppingState:
    """Initialise a phase at rest on both feet; ``config`` is packed, here and below."""
    centre = _centre(feet, config, 0.0)
    none = SwingPoint(np.zeros(4), np.zeros(4), np.zeros(4))
    return SteppingState(
        phase=STAND,
        time=0.0,
        duration=0.0,
        swing=-1,
        zmp_from=centre,
        zmp_to=centre,
        target=feet.holds[0],
        lift_z=0.0,
        point=none,
        sliding=0.0,
    )


@kernel
def falling(feet: SolePoses, config: SteppingConfig) -> SteppingState:
    """Initialise a phase on both feet of a robot that cannot stand.

    The left foot lifts at once.
    """
    at_rest = standing(feet, config)
    under = zmp_under(feet, 1, config.inset)
    return SteppingState(
        phase=TRANSFER,
        time=0.0,
        duration=0.0,
        swing=0,
        zmp_from=at_rest.zmp_from,
        zmp_to=under,
        target=at_rest.target,
        lift_z=0.0,
        point=at_rest.point,
        sliding=0.0,
    )


@kernel
def _centre(feet: SolePoses, config: SteppingConfig, shift: float) -> Array:
    """Return the point between the feet, ``shift`` [m] towards the left one."""
    left = zmp_under(feet, 0, config.inset)
    right = zmp_under(feet, 1, config.inset)
    apart = left - right
    return (
        0.5 * (left + right) + shift / max(math.hypot(apart[0], apart[1]), 1e-6) * apart
    )


@kernel
def foothold_for(
    stance: Foothold, swing: int, gait: Gait, steps: FootstepConfig
) -> Foothold:
    """Place the foothold of the swing foot in this gait.

    ``steps`` is packed, here and below.
    """
    return next_foothold(
        stance, side_of(swing), gait.forward, gait.left, gait.turn, gait.width, steps
    )


@kernel
def aligned(feet: SolePoses, gait: Gait, steps: FootstepConfig) -> bool:
    """Return whether the feet stand side by side, as far as a stop needs."""
    wanted = next_foothold(feet.holds[1], 1.0, 0.0, 0.0, 0.0, gait.width, steps)
    return (
        math.hypot(wanted.x - feet.holds[0].x, wanted.y - feet.holds[0].y)
        < ALIGNED * gait.width
    )


@kernel
def stepping(
    state: SteppingState,
    feet: SolePoses,
    load: tuple[float, float],
    gait: Gait,
    may_lift: bool,
    steps: FootstepConfig,
    config: SteppingConfig,
    dt: float,
) -> SteppingState:
    """Advance the phase by one tick.

    Args:
        state: phase, its time, and the swing foot.
        feet: poses of the soles.
        load: measured normal forces in body weights.
        gait: of this step.
        may_lift: whether the coming stance foot shall carry alone; until then both feet
            stay down.
        steps: packed FootstepConfig.
        config: packed SteppingConfig.
        dt: tick [s].
    """
    state = _with_zmp_under_stance(state, feet, gait, config, dt)
    if state.phase == STAND:
        return _after_standing(state, feet, gait, config)
    if state.phase == SWING:
        return _after_swing(state, feet, load[state.swing], gait, config, dt)
    if gait.still and aligned(feet, gait, steps):
        return SteppingState(
            phase=STAND,
            time=0.0,
            duration=config.settle_time,
            swing=-1,
            zmp_from=zmp_now(state),
            zmp_to=_centre(feet, config, 0.0),
            target=state.target,
            lift_z=state.lift_z,
            point=state.point,
            sliding=0.0,
        )
    return lift(state, feet, gait, steps, config) if may_lift else state


@kernel
def _with_zmp_under_stance(
    state: SteppingState, feet: SolePoses, gait: Gait, config: SteppingConfig, dt: float
) -> SteppingState:
    """Advance the time, and keep the ZMP under the stance foot.

    The foot is where it is, wherever the world is thought to be by now.
    """
    start = state.zmp_from
    end = state.zmp_to
    if state.phase != STAND:
        stance = 1 - state.swing
        heel = zmp_under(feet, stance, config.inset, -toe(gait))
        end = heel
        if state.phase == SWING:
            start = heel
            end = zmp_under(feet, stance, config.inset, toe(gait))
    return SteppingState(
        phase=state.phase,
        time=state.time + dt,
        duration=state.duration,
        swing=state.swing,
        zmp_from=start,
        zmp_to=end,
        target=state.target,
        lift_z=state.lift_z,
        point=state.point,
        sliding=state.sliding,
    )


@kernel
def _after_standing(
    state: SteppingState, feet: SolePoses, gait: Gait, config: SteppingConfig
) -> SteppingState:
    """Stand on, or begin the first transfer, to the foot away from the walk's side."""
    if gait.still or state.time < state.duration:
        return SteppingState(
            phase=STAND,
            time=state.time,
            duration=state.duration,
            swing=-1,
            zmp_from=state.zmp_from,
            zmp_to=_centre(feet, config, gait.shift),
            target=state.target,
            lift_z=state.lift_z,
            point=state.point,
            sliding=0.0,
        )
    first = 0 if gait.left > 0.0 else 1
    return transfer(state, feet, first, 0.0, config.first_transfer, gait, config)


@kernel
def _after_swing(
    state: SteppingState,
    feet: SolePoses,
    load: float,
    gait: Gait,
    config: SteppingConfig,
    dt: float,
) -> SteppingState:
    """Swing on, slide over the floor that has been met, or begin the next transfer.

    ``load`` is that of the swing foot in body weights.
    """
    landed = (
        load > config.landing_force
        and state.time > config.landing_after * state.duration
    )
    in_time = state.duration > HURRIED * gait.single_support
    may_slide = config.touchdown.lead > 0.0 and in_time
    goes_on = state.sliding < config.touchdown.time or state.time < state.duration
    met = landed or state.sliding > 0.0
    if may_slide and met and goes_on:
        return SteppingState(
            phase=state.phase,
            time=state.time,
            duration=state.duration,
            swing=state.swing,
            zmp_from=state.zmp_from,
            zmp_to=state.zmp_to,
            target=state.target,
            lift_z=state.lift_z,
            point=state.point,
            sliding=state.sliding + dt,
        )
    return land(state, feet, gait, config) if met else state


@kernel
def slid_enough(
    state: SteppingState, holds: float, required: float, config: SteppingConfig
) -> bool:
    """Return whether a swing foot's slide has shown that its floor suffices.

    Args:
        state: of a swing.
        holds: force ratio that the foot's floor is known to hold.
        required: ratio that the gait under way requires.
        config: packed.
    """
    enough = config.touchdown.enough
    return enough > 0.0 and state.sliding > 0.0 and holds >= enough * required


@kernel
def land(
    state: SteppingState, feet: SolePoses, gait: Gait, config: SteppingConfig
) -> SteppingState:
    """End a swing: begin the next transfer at the time that was planned."""
    early = max(state.duration - state.time, 0.0)
    other = 1 - state.swing
    return transfer(state, feet, other, early, gait.double_support, gait, config)


@kernel
def transfer(
    state: SteppingState,
    feet: SolePoses,
    swing: int,
    wait: float,
    duration: float,
    gait: Gait,
    config: SteppingConfig,
) -> SteppingState:
    """Move the ZMP under the other foot, so that ``swing`` can be lifted.

    Begin after ``wait`` [s].

    A foot that lands early (the stance foot has sunk into the floor under the weight,
    or the floor is higher) bears little until its time: the centre of mass is where the
    plan has it at that time, and not before.
    """
    under = zmp_under(feet, 1 - swing, config.inset, -toe(gait))
    return SteppingState(
        phase=TRANSFER,
        time=-wait,
        duration=duration,
        swing=swing,
        zmp_from=zmp_now(state),
        zmp_to=under,
        target=state.target,
        lift_z=state.lift_z,
        point=state.point,
        sliding=0.0,
    )


@kernel
def lift(
    state: SteppingState,
    feet: SolePoses,
    gait: Gait,
    steps: FootstepConfig,
    config: SteppingConfig,
) -> SteppingState:
    """Begin a swing."""
    swing = state.swing
    still = np.zeros(4)
    hold = feet.holds[swing]
    height = feet.height[swing]
    point = SwingPoint(np.array([hold.x, hold.y, height, hold.yaw]), still, still)
    leaves = zmp_under(feet, 1 - swing, config.inset, toe(gait))
    return SteppingState(
        phase=SWING,
        time=0.0,
        duration=gait.single_support,
        swing=swing,
        zmp_from=state.zmp_to,
        zmp_to=leaves,
        target=foothold_for(feet.holds[1 - swing], swing, gait, steps),
        lift_z=height,
        point=point,
        sliding=0.0,
    )


@kernel
def swing_on(
    state: SteppingState,
    target: Foothold,
    floor: float,
    place: Array,
    config: SteppingConfig,
    dt: float,
) -> SteppingState:
    """Move the swing foot by one tick towards a foothold.

    The foot is at ``place`` (3,) now, the foothold at height ``floor`` [m].
    """
    aim = np.array([target.x, target.y, floor, target.yaw])
    swing = Swing(
        time=state.time,
        duration=state.duration,
        lift_z=state.lift_z,
        apex=config.swing_height,
        sinking=config.sinking_speed,
        smooth=config.smooth_swing,
    )
    if config.touchdown.lead > 0.0:
        down = state.sliding > 0.0
        point = sliding_swing_step(
            state.point, aim, swing, config.touchdown, down, place, dt
        )
    else:
        point = swing_step(state.point, aim, swing, dt)
    return SteppingState(
        phase=state.phase,
        time=state.time,
        duration=state.duration,
        swing=state.swing,
        zmp_from=state.zmp_from,
        zmp_to=state.zmp_to,
        target=target,
        lift_z=state.lift_z,
        point=point,
        sliding=state.sliding,
    )


# of what a landing was higher or lower than expected (choice: forgets a kerb in a few
# steps)
FLOOR_LEARNING = 0.5
# [m] that a level floor is ever thought to lie above or below the stance sole (choice)
MOST_FLOOR_OFFSET = 0.02


@kernel
def touch_after(
    touch: Array, before: SteppingState, now: SteppingState, feet: SolePoses
) -> Array:
    """Update the heights (2,) [m] at which each foot is expected to meet the floor.

    They are counted over the other sole.

    The stance sole has sunk into the floor under the weight, and a base thought to be
    tilted has the foot ahead too high or too low: 2 mm over the floor at the end of a
    swing are 30 ms. Learnt from the last landings.
    """
    if before.phase != SWING or now.phase != TRANSFER:
        return touch
    foot = before.swing
    result = touch.copy()
    met = feet.height[foot] - feet.height[1 - foot]
    result[foot] = min(
        max(touch[foot] + FLOOR_LEARNING * (met - touch[foot]), -MOST_FLOOR_OFFSET),
        MOST_FLOOR_OFFSET,
    )
    return result


# What feet without an area need: a heading that is not their own, and footholds that
# keep the commanded speed.

# metres of foothold per metre of way lost [-] (choice: settles in about 3 s)
TRIM_RATE = 0.03
TRIM_MOST = 0.03  # [m] of a foothold at most (choice)


@kernel
def trimmed(
    trim: Array, gait: Gait, velocity: Array, heading: float, dt: float
) -> Array:
    """Update the trim (2,) [m] of footholds by one tick.

    The trim is ahead and to the left of the heading.

    A foothold alone decides how the body leaves the step; what the pendulum doesn't
    know, such as the momentum of the swinging leg, makes each step a little too short
    or long. Who lags behind the gait puts its feet further back.

    ``velocity`` (2,) is that of the centre of mass, world [m/s].
    """
    c = math.cos(heading)
    s = math.sin(heading)
    time = gait.single_support + gait.double_support
    ahead = c * velocity[0] + s * velocity[1] - gait.forward / time
    aside = c * velocity[1] - s * velocity[0] - gait.left / time
    change = TRIM_RATE * dt
    return np.array(
        [
            min(max(trim[0] + change * ahead, -TRIM_MOST), TRIM_MOST),
            min(max(trim[1] + change * aside, -TRIM_MOST), TRIM_MOST),
        ]
    )

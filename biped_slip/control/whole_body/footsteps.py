# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Footsteps, their phases and swing paths, and the planned ZMP.

The divergent component of motion over the ZMP belongs here, too.
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
def is_still(command: Command) -> bool:
    """Return whether no step is commanded."""
    return command.forward == 0.0 and command.left == 0.0 and command.turn == 0.0


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
    left = side * _clamp(side * left, -limits.inward, limits.outward)
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


# 1 over the largest s^2 (1 - s)^3, which has no curvature where it ends: early contact
# is as soft
LEVEL_OFF = 28.935
# of the swing, by when the foot is over its foothold: it may touch down early and must
# not scuff
ALONG = 0.95


class SwingPoint(NamedTuple):
    """Target of the swing sole; arrays (4,) of x, y, z [m] and yaw [rad]."""

    position: Array
    velocity: Array
    acceleration: Array


@kernel
def cubic(
    position: float, velocity: float, target: float, remaining: float, dt: float
) -> tuple[float, float, float]:
    """Compute the state after ``dt`` on the cubic polynomial towards ``target``.

    The polynomial rests at ``target`` after ``remaining`` [s].

    Of all ways there it has the least integral of squared acceleration; from rest its
    largest speed is 1.5 times the mean one (a quintic's 1.875): what joints can turn is
    the bound of long steps.
    """
    if remaining <= dt:
        return target, 0.0, 0.0
    gap = target - position
    start = (6.0 * gap / remaining - 4.0 * velocity) / remaining
    jerk = (6.0 * velocity - 12.0 * gap / remaining) / remaining**2
    return (
        position + dt * (velocity + dt * (0.5 * start + dt * jerk / 6.0)),
        velocity + dt * (start + 0.5 * dt * jerk),
        start + dt * jerk,
    )


@kernel
def quintic(
    position: float,
    velocity: float,
    acceleration: float,
    target: float,
    remaining: float,
    dt: float,
) -> tuple[float, float, float]:
    """Compute the state after ``dt`` on the quintic polynomial towards ``target``.

    The polynomial rests at ``target`` after ``remaining`` [s].

    It begins with the acceleration there is and ends with none: the leg's momentum asks
    nothing of the stance foot when that one has just taken over, and its torques don't
    jump. From rest its largest speed is 1.875 times the mean one.
    """
    if remaining <= dt:
        return target, 0.0, 0.0
    gap = target - position
    rush = velocity * remaining
    bend = acceleration * remaining**2
    c3 = 10.0 * gap - 6.0 * rush - 1.5 * bend
    c4 = -15.0 * gap + 8.0 * rush + 1.5 * bend
    c5 = 6.0 * gap - 3.0 * rush - 0.5 * bend
    s = dt / remaining
    return (
        position + s * (rush + s * (0.5 * bend + s * (c3 + s * (c4 + s * c5)))),
        (rush + s * (bend + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5))))
        / remaining,
        (bend + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / remaining**2,
    )


@kernel
def arc(share: float, height: float, duration: float) -> tuple[float, float, float]:
    """Compute height, speed, acceleration of ``16 h s^2 (1-s)^2``.

    It is at rest at the ends, with apex ``h`` [m] at half time.
    """
    s = min(max(share, 0.0), 1.0)
    r = 1.0 - s
    value = 16.0 * height * (s * r) ** 2
    slope = 32.0 * height * s * r * (r - s) / duration
    curve = 32.0 * height * ((r - s) ** 2 - 2.0 * s * r) / duration**2
    return value, slope, curve


@kernel
def swing_step(
    point: SwingPoint,
    target: Array,
    time: float,
    duration: float,
    height: float,
    lift_z: float,
    sinking: float,
    smooth: bool,
    dt: float,
) -> SwingPoint:
    """Advance the swing foot one tick along its path.

    Args:
        point: where it is.
        target: (4,) foothold x, y, z and yaw; may change from tick to tick.
        time: since lift-off, at the end of this tick [s].
        duration: planned [s].
        height: of the apex over the line from lift-off to foothold [m].
        lift_z: where the foot left the floor [m].
        sinking: speed at which a foot that has found no floor in time goes on downwards
            [m/s].
        smooth: whether the way begins and ends without acceleration.
        dt: tick [s].
    """
    p = np.empty(4)
    v = np.empty(4)
    a = np.empty(4)
    remaining = ALONG * duration - time + dt
    for k in (0, 1, 3):
        if smooth:
            p[k], v[k], a[k] = quintic(
                point.position[k],
                point.velocity[k],
                point.acceleration[k],
                target[k],
                remaining,
                dt,
            )
        else:
            p[k], v[k], a[k] = cubic(
                point.position[k], point.velocity[k], target[k], remaining, dt
            )
    s = min(time / duration, 1.0)
    rise = target[2] - lift_z
    blend = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
    blend_rate = 30.0 * (s * (1.0 - s)) ** 2 / duration
    blend_curve = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / duration**2
    up, up_rate, up_curve = arc(s, height, duration)
    p[2] = lift_z + rise * blend + up
    v[2] = rise * blend_rate + up_rate
    a[2] = rise * blend_curve + up_curve
    if time > duration:
        p[2] -= sinking * (time - duration)
        v[2] = -sinking
    return SwingPoint(p, v, a)


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


class Feet(NamedTuple):
    """Poses of the soles."""

    holds: tuple[Foothold, Foothold]
    height: tuple[float, float]  # [m]


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
def zmp_under(
    hold: Foothold, foot: int, middle: Array, inset: float, ahead: float = 0.0
) -> Array:
    """Compute the target point (2,) of the ZMP.

    It is ``ahead`` of ``middle`` (2,) of the sole in its frame [m].
    """
    c = math.cos(hold.yaw)
    s = math.sin(hold.yaw)
    x = middle[0] + ahead
    y = middle[1] - side_of(foot) * inset
    return np.array([hold.x + c * x - s * y, hold.y + s * x + c * y])


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
def standing(feet: Feet, middle: Array, config: SteppingConfig) -> SteppingState:
    """Initialise a phase at rest on both feet; ``config`` is packed, here and below."""
    centre = _centre(feet, middle, config, 0.0)
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
def falling(feet: Feet, middle: Array, config: SteppingConfig) -> SteppingState:
    """Initialise a phase on both feet of a robot that cannot stand.

    The left foot lifts at once.
    """
    at_rest = standing(feet, middle, config)
    under = zmp_under(feet.holds[1], 1, middle[1], config.inset)
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
def _centre(feet: Feet, middle: Array, config: SteppingConfig, shift: float) -> Array:
    """Return the point between the feet, ``shift`` [m] towards the left one."""
    left = zmp_under(feet.holds[0], 0, middle[0], config.inset)
    right = zmp_under(feet.holds[1], 1, middle[1], config.inset)
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
def aligned(feet: Feet, gait: Gait, steps: FootstepConfig) -> bool:
    """Return whether the feet stand side by side, as far as a stop needs."""
    wanted = next_foothold(feet.holds[1], 1.0, 0.0, 0.0, 0.0, gait.width, steps)
    return (
        math.hypot(wanted.x - feet.holds[0].x, wanted.y - feet.holds[0].y)
        < ALIGNED * gait.width
    )


@kernel
def stepping(
    state: SteppingState,
    feet: Feet,
    load: tuple[float, float],
    gait: Gait,
    may_lift: bool,
    middle: Array,
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
        middle: (2, 2) of each sole in its frame [m].
        steps: packed FootstepConfig.
        config: packed SteppingConfig.
        dt: tick [s].
    """
    start = state.zmp_from
    end = state.zmp_to
    if (
        state.phase != STAND
    ):  # the ZMP is under a foot, wherever the world is thought to be by now
        stance = 1 - state.swing
        ahead = toe(gait)
        heel = zmp_under(
            feet.holds[stance], stance, middle[stance], config.inset, -ahead
        )
        end = heel
        if state.phase == SWING:
            start = heel
            end = zmp_under(
                feet.holds[stance], stance, middle[stance], config.inset, ahead
            )
    state = SteppingState(
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
    if state.phase == STAND:
        if gait.still or state.time < state.duration:
            return SteppingState(
                phase=STAND,
                time=state.time,
                duration=state.duration,
                swing=-1,
                zmp_from=state.zmp_from,
                zmp_to=_centre(feet, middle, config, gait.shift),
                target=state.target,
                lift_z=state.lift_z,
                point=state.point,
                sliding=0.0,
            )
        return transfer(
            state,
            feet,
            0 if gait.left > 0.0 else 1,
            0.0,
            config.first_transfer,
            gait,
            middle,
            config,
        )
    if state.phase == TRANSFER:
        if gait.still and aligned(feet, gait, steps):
            return SteppingState(
                phase=STAND,
                time=0.0,
                duration=config.settle_time,
                swing=-1,
                zmp_from=zmp_now(state),
                zmp_to=_centre(feet, middle, config, 0.0),
                target=state.target,
                lift_z=state.lift_z,
                point=state.point,
                sliding=0.0,
            )
        return lift(state, feet, gait, middle, steps, config) if may_lift else state
    landed = (
        load[state.swing] > config.landing_force
        and state.time > config.landing_after * state.duration
    )
    asks = (
        config.touchdown.lead > 0.0 and state.duration > HURRIED * gait.single_support
    )
    slides = state.sliding < config.touchdown.time or state.time < state.duration
    if asks and (landed or state.sliding > 0.0) and slides:
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
    if landed or state.sliding > 0.0:
        early = max(state.duration - state.time, 0.0)
        return transfer(
            state,
            feet,
            1 - state.swing,
            early,
            gait.double_support,
            gait,
            middle,
            config,
        )
    return state


@kernel
def transfer(
    state: SteppingState,
    feet: Feet,
    swing: int,
    wait: float,
    duration: float,
    gait: Gait,
    middle: Array,
    config: SteppingConfig,
) -> SteppingState:
    """Move the ZMP under the other foot, so that ``swing`` can be lifted.

    Begin after ``wait`` [s].

    A foot that lands early (the stance foot has sunk into the floor under the weight,
    or the floor is higher) bears little until its time: the centre of mass is where the
    plan has it at that time, and not before.
    """
    under = zmp_under(
        feet.holds[1 - swing], 1 - swing, middle[1 - swing], config.inset, -toe(gait)
    )
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
    feet: Feet,
    gait: Gait,
    middle: Array,
    steps: FootstepConfig,
    config: SteppingConfig,
) -> SteppingState:
    """Begin a swing."""
    swing = state.swing
    still = np.zeros(4)
    hold = feet.holds[swing]
    height = feet.height[swing]
    point = SwingPoint(np.array([hold.x, hold.y, height, hold.yaw]), still, still)
    leaves = zmp_under(
        feet.holds[1 - swing], 1 - swing, middle[1 - swing], config.inset, toe(gait)
    )
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
    if config.touchdown.lead > 0.0:
        point = sliding_swing_step(
            state.point,
            aim,
            state.time,
            state.duration,
            config,
            state.lift_z,
            state.sliding > 0.0,
            place,
            dt,
        )
    else:
        point = swing_step(
            state.point,
            aim,
            state.time,
            state.duration,
            config.swing_height,
            state.lift_z,
            config.sinking_speed,
            config.smooth_swing,
            dt,
        )
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


@kernel
def sliding_swing_step(
    point: SwingPoint,
    target: Array,
    time: float,
    duration: float,
    config: SteppingConfig,
    lift_z: float,
    down: bool,
    place: Array,
    dt: float,
) -> SwingPoint:
    """Advance the swing foot along a path that meets the floor early.

    That is ``lead`` before the swing's end, down and backward.

    Along the floor it is the path of :func:`swing_step` in a frame that moves backward;
    upward the descent's speed is added with a blend that ends in it. A foot that is
    down goes on backward and no further down.

    Once it moves backward alone its place along the floor is where it is: what it is
    late by would hold its speed back.
    """
    slide = config.touchdown
    whole = duration - slide.lead
    p = np.empty(4)
    v = np.empty(4)
    a = np.empty(4)
    after = time - whole  # negative before the path's end
    back = (-slide.speed * math.cos(target[3]), -slide.speed * math.sin(target[3]))
    for k in (0, 1, 3):
        speed = back[k] if k < 2 else 0.0
        start = point.position[k] - speed * (after - dt)
        p[k], v[k], a[k] = cubic(
            start,
            point.velocity[k] - speed,
            target[k],
            slide.along * whole - time + dt,
            dt,
        )
        p[k] += speed * after
        v[k] += speed
        if k < 2 and time >= slide.along * whole:
            p[k] = point.position[k] + dt * speed if down else place[k]
    if down:
        p[2] = place[2]
        v[2] = 0.0
        a[2] = 0.0
        return SwingPoint(p, v, a)
    s = min(max(time / whole, 0.0), 1.0)
    rise = target[2] - lift_z
    sink = slide.descent * whole
    r = 1.0 - s
    peak = LEVEL_OFF * config.swing_height
    up = peak * s * s * r**3
    up_rate = peak * s * r * r * (2.0 * r - 3.0 * s) / whole
    up_curve = peak * r * (2.0 * r * r - 12.0 * s * r + 6.0 * s * s) / whole**2
    p[2] = (
        lift_z
        + rise * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        + up
        + sink * s * s * (1.0 - s)
    )
    v[2] = (
        rise * 30.0 * (s * (1.0 - s)) ** 2 / whole
        + up_rate
        + sink * (2.0 * s - 3.0 * s * s) / whole
    )
    a[2] = (
        60.0 * rise * s * r * (r - s) + sink * (2.0 - 6.0 * s)
    ) / whole**2 + up_curve
    if after > 0.0:
        p[2] = target[2] - slide.descent * after
        v[2] = -slide.descent
        a[2] = 0.0
    if time > duration:  # it has found no floor
        p[2] = p[2] - (config.sinking_speed - slide.descent) * (time - duration)
        v[2] = -config.sinking_speed
    return SwingPoint(p, v, a)


# of what a landing was higher or lower than expected (choice: forgets a kerb in a few
# steps)
LEARNT = 0.5
# [m] that a level floor is ever thought to lie above or below the stance sole (choice)
MOST = 0.02


@kernel
def touch_after(
    touch: Array, before: SteppingState, now: SteppingState, feet: Feet
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
    result[foot] = min(max(touch[foot] + LEARNT * (met - touch[foot]), -MOST), MOST)
    return result


# Divergent component of motion (DCM) of the linear inverted pendulum over a planned
# path of its ZMP.
#
# The ZMP is the virtual repellent point (VRP); at constant height its ground projection
# is the zero-moment point. DCM ``xi = c + c'/omega`` obeys ``xi' = omega (xi - vrp)``
# ([Englsberger2015], eq. 10).


@kernel
def dcm_before(
    end: Array, zmp_from: Array, zmp_to: Array, duration: float, omega: float
) -> Array:
    """Compute the DCM (2,) [m] that reaches ``end`` after a zmp path.

    The path is linear in time; the solution has closed form.

    ``xi(0) = p0 + p'/omega + exp(-omega T) (xi(T) - p1 - p'/omega)`` with ``p' = (p1 -
    p0)/T``.
    """
    if duration <= 0.0:
        return end
    slope = (zmp_to - zmp_from) / (duration * omega)
    return zmp_from + slope + math.exp(-omega * duration) * (end - zmp_to - slope)


@kernel
def wanted_zmp(
    dcm: Array, reference: Array, zmp: Array, omega: float, gain: float
) -> Array:
    """Compute the ZMP (2,) [m] for a DCM error that decays by ``gain`` k [1/s].

    It is ``p + (1 + k/omega)(xi - xi_ref)``.
    """
    return zmp + (1.0 + gain / omega) * (dcm - reference)


def natural_rate(height: float, gravity: float) -> float:
    """Compute ``sqrt(g/z)`` [1/s], the rate of a pendulum of constant height [m]."""
    return float(np.sqrt(gravity / height))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of whole-body walking beside the solver.

It goes from state to program, and from its solution to torques.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.body import Turning, counter_turn
from biped_slip.control.whole_body.footsteps import (
    STAND,
    SWING,
    TRANSFER,
    Command,
    Feet,
    Foothold,
    Gait,
    SteppingState,
    dcm_before,
    falling,
    foothold_for,
    in_place,
    lift,
    next_gait,
    on_course,
    side_of,
    standing,
    stepping,
    swing_on,
    toe,
    touch_after,
    transfer,
    underway,
    wanted_zmp,
    zmp_now,
    zmp_under,
)
from biped_slip.control.whole_body.friction_adaptation import (
    LARGEST,
    LEVEL_BEND,
    FloorBelief,
    Patterns,
    Pendulum,
    allowed_command,
    allowed_ratio,
    believed,
    cautious_gait,
    change_of_speed,
    expect,
    force_limits,
    on_slope,
    slowed_by_bends,
    tracked,
    transfer_offset,
)
from biped_slip.control.whole_body.program import (
    HURRY,
    Program,
    Robot,
    StepProgram,
    Wanted,
    assemble,
    solve_step,
    steady_offset,
    transfer_shares,
)
from biped_slip.control.whole_body.tasks import (
    USED,
    Support,
    Terms,
    about_z,
    balances,
    base_acceleration,
    centre_acceleration,
    into_support,
    joint_bounds,
    planned_forces,
    planned_pressure,
    posture_acceleration,
    pushes_from,
    sole_acceleration,
    usable_zmp,
)


class Setup(NamedTuple):
    """Constants of a walk."""

    robot: Robot
    posture: Array  # (n,) [rad]
    lowest: Array  # (nl,) ends of the legs' ranges [rad]
    highest: Array  # (nl,)
    fastest: Array  # (nl,) largest speeds in use [rad/s]
    middle: Array  # (2, 2) of the soles [m]
    half_size: Array  # (2,) [m]
    height: float  # of the centre of mass over the soles while walking [m]
    omega: float  # of the pendulum [1/s]
    patterns: Patterns  # that ask least of the floor, over speed
    quantile: float  # of the risk, see friction_adaptation
    turning: Turning  # of the body by the legs' swing
    config: Any  # packed WholeBodyConfig


class Sensed(NamedTuple):
    """Measurements of a tick beside the dynamics; feet left, right."""

    q: Array  # (nq,)
    v: Array  # (nv,)
    load: tuple[float, float]  # normal forces in body weights
    limits: tuple[float, float]  # on the force ratio
    friction: tuple[
        float, float
    ]  # estimated under each foot; the limit where nothing is
    held: tuple[float, float]  # ratio that each foot's floor is known to hold
    known: tuple[bool, bool]  # whether there is an estimate of the floor under the foot
    telling: tuple[
        bool, bool
    ]  # whether the limit is that of the floor under the foot, not of any floor
    # friction and limit known of where feet in the air will land; infinite: not known
    ahead: tuple[float, float]
    up: Array  # (3,) the vertical in the axes of the floor, which all places are in
    force: Array  # (2, 3) of the ground on each foot, in the same axes [N]


class WholeBodyState(NamedTuple):
    """Memory from tick to tick."""

    stepping: SteppingState
    belief: FloorBelief
    command: Command  # as far as it has been taken up
    gait: Gait  # of the phase under way and, as planned in it, of the steps to come
    height: float  # of the centre of mass over the soles, likewise [m]
    heading: float  # of the walk as commanded; goes round [rad]
    # (2,) at which each foot is expected to meet the floor, over the other sole [m]
    touch: Array
    # (2,) of the footholds of feet that are points, ahead and to the left [m]
    trim: Array


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
def feet_of(terms: Terms, heading: float) -> Feet:
    """Convert soles to footholds.

    Their yaws are near the walk's heading [rad] and each other: they may be compared.
    """
    place = terms.position
    turn = terms.rotation
    left = Foothold(place[0, 0], place[0, 1], yaw_near(turn[0], heading))
    right = Foothold(place[1, 0], place[1, 1], yaw_near(turn[1], left.yaw))
    return Feet((left, right), (place[0, 2], place[1, 2]))


@kernel
def carrying_feet(steps: SteppingState) -> tuple[bool, bool]:
    """Return which feet are on the floor by plan."""
    lifted = steps.swing if steps.phase == SWING else -1
    return lifted != 0, lifted != 1


LATEST = 0.7  # of a swing: later foothold and time stay (choice)
# of the time that is left of a swing, by plan; [s] (choice)
SOONER = 0.6
LATER = 1.4
SHORTEST = 0.01
# by which a swing is faster or slower than the plan while its time changes (choice)
HASTE = 1.0
ALWAYS = (
    0.9  # likewise of a foot without area: nothing but the foothold corrects (choice)
)
# of half the sole that the ZMP is trusted to use before the foothold moves (choice)
ADJUSTMENT_REACH = 0.7
# [m] outside of the support: holding both feet down can't stop the fall any more
# (choice)
LOST = 0.02
# planned transfers; by then the robot rests over its foot as near as it will get
# (choice)
PATIENCE = 2.0
LIFT_ERROR = 0.05  # [m] of the DCM at which a step that had to wait is begun (choice)


@kernel
def turned(vector: Array, yaw: float) -> Array:
    """Turn a vector (2,) by an angle [rad]."""
    c = math.cos(yaw)
    s = math.sin(yaw)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


@kernel
def steady_offsets(place: Array, gait: Gait, omega: float) -> tuple[Array, Array]:
    """Compute the offsets (2,) [m] of the DCM from the ZMP where single supports begin.

    The single supports are this step's and the next step's.

    In the steady gait, in axes of the stance foot, whose ZMP the next one's is
    ``place`` (2,) [m] ahead of.
    """
    single = gait.single_support
    double = gait.double_support
    other = 2.0 * gait.left - place[1]
    ahead = steady_offset(place[0], place[0], gait.roll, single, double, omega)
    this = steady_offset(place[1], other, 0.0, single, double, omega)
    after = steady_offset(other, place[1], 0.0, single, double, omega)
    return np.array([ahead, this]), turned(np.array([ahead, after]), gait.turn)


@kernel
def place_of(
    hold: Foothold, steps: SteppingState, feet: Feet, gait: Gait, setup: Setup
) -> Array:
    """Compute the ZMP's displacement (2,) [m] to the next foothold.

    It is counted from the stance sole, in its axes.
    """
    swing = steps.swing
    stance = feet.holds[1 - steps.swing]
    inset = setup.config.stepping.inset
    leaves = zmp_under(stance, 1 - swing, setup.middle[1 - swing], inset, toe(gait))
    return turned(
        zmp_under(hold, swing, setup.middle[swing], inset, -toe(gait)) - leaves,
        -stance.yaw,
    )


@kernel
def dcm_error(
    steps: SteppingState, feet: Feet, gait: Gait, dcm: Array, setup: Setup
) -> tuple[Array, Array]:
    """Compute the error (2,) of the DCM and the planned ZMP (2,) [m].

    The step under way and the transfer behind it shall leave the DCM where the steady
    gait has it.
    """
    zmp = zmp_now(steps)
    omega = setup.omega
    left = max(steps.duration - max(steps.time, 0.0), 0.0)
    if steps.phase == STAND:
        return dcm - dcm_before(steps.zmp_to, zmp, steps.zmp_to, left, omega), zmp
    stance = feet.holds[1 - steps.swing]
    wanted = place_of(
        foothold_for(stance, steps.swing, gait, setup.config.steps),
        steps,
        feet,
        gait,
        setup,
    )
    this, after = steady_offsets(wanted, gait, omega)
    if steps.phase == TRANSFER:
        reference = dcm_before(
            steps.zmp_to + turned(this, stance.yaw), zmp, steps.zmp_to, left, omega
        )
        if steps.time < 0.0:
            reference = dcm_before(reference, zmp, zmp, -steps.time, omega)
        return dcm - reference, zmp
    k, decay = transfer_shares(gait.double_support, omega)
    landing = k * place_of(steps.target, steps, feet, gait, setup) + decay * after
    return dcm - dcm_before(
        steps.zmp_to + turned(landing, stance.yaw), zmp, steps.zmp_to, left, omega
    ), zmp


@kernel
def support_of(
    stance: tuple[bool, bool], feet: Feet, limits: tuple[float, float], setup: Setup
) -> Support:
    """Return the feet that carry, and the friction of their floors."""
    under = np.empty((2, 2))
    yaw = np.empty(2)
    held = np.empty(2)
    for i in range(2):
        hold = feet.holds[i]
        c = math.cos(hold.yaw)
        s = math.sin(hold.yaw)
        x = setup.middle[i, 0]
        y = setup.middle[i, 1]
        under[i, 0] = hold.x + c * x - s * y
        under[i, 1] = hold.y + s * x + c * y
        yaw[i], held[i] = hold.yaw, min(limits[i], LARGEST)
    return Support(
        stance=stance, under=under, yaw=yaw, half_size=setup.half_size, limits=held
    )


@kernel
def may_lift(
    steps: SteppingState,
    feet: Feet,
    gait: Gait,
    centre: Array,
    leaned: Array,
    dcm: Array,
    limits: tuple[float, float],
    trim: Array,
    setup: Setup,
    dt: float,
) -> bool:
    """Return whether the next stance foot is to carry alone in the next tick of dt [s].

    Its time has come, or the step would cost more later; its friction suffices, or
    nothing is left to be saved.
    """
    left = steps.duration - (steps.time + dt)
    if steps.phase != TRANSFER or not balances(setup.half_size):
        return left <= 0.0
    stance = 1 - steps.swing
    both = support_of((True, True), feet, limits, setup)
    outside = into_support(dcm, both) - dcm
    if left <= 0.0 and (
        math.hypot(outside[0], outside[1]) > LOST
        or steps.time > PATIENCE * steps.duration
    ):
        return True
    away = math.hypot(steps.zmp_to[0] - centre[0], steps.zmp_to[1] - centre[1])
    if away > USED * limits[stance] * setup.height + LOST:
        return False
    error, zmp = dcm_error(steps, feet, gait, dcm, setup)
    if left <= 0.0:
        return left >= -0.01 or max(abs(error[0]), abs(error[1])) < LIFT_ERROR
    lifted = lift(
        steps, feet, gait, setup.middle, setup.config.steps, setup.config.stepping
    )
    this, _ = steady_offsets(
        place_of(lifted.target, lifted, feet, gait, setup), gait, setup.omega
    )
    # the ZMP does what it can against the error until then
    grown = math.exp(setup.omega * left)
    zmp = 0.5 * (zmp + steps.zmp_to)
    later = (
        grown * (error + zmp)
        - (grown - 1.0) * into_support(zmp + grown / (grown - 1.0) * error, both)
        - zmp
    )
    move = steps.zmp_to + turned(this, feet.holds[stance].yaw) + later - dcm
    planned = lifted.target
    limit = limits[stance]
    now = step_program_of(
        lifted, planned, feet, gait, centre, leaned, dcm, limit, trim, setup
    )
    then = step_program_of(
        lifted,
        planned,
        feet,
        gait,
        centre + move,
        leaned + move,
        dcm + move,
        limit,
        trim,
        setup,
    )
    return solve_step(now).cost < solve_step(then).cost


@kernel
def step_program_of(
    steps: SteppingState,
    planned: Foothold,
    feet: Feet,
    gait: Gait,
    centre: Array,
    leaned: Array,
    dcm: Array,
    limit: float,
    trim: Array,
    setup: Setup,
) -> StepProgram:
    """Build the program of the step under way, in axes of the stance foot.

    The step is ``planned`` but for ``trim`` (2,) [m].

    ``limit`` is that foot's friction limit, ``leaned`` (2,) the centre of mass as it
    balances on the slope [m].
    """
    swing = steps.swing
    config = setup.config
    stance = feet.holds[1 - swing]
    side = side_of(swing)
    wanted = place_of(planned, steps, feet, gait, setup)
    origin = np.array([stance.x, stance.y])
    zmp = turned(zmp_now(steps) - origin, -stance.yaw)
    end = turned(steps.zmp_to - origin, -stance.yaw)
    away = turned(leaned - origin, -stance.yaw)
    xi = turned(dcm - origin, -stance.yaw)
    lean = turned(centre - leaned, -stance.yaw)
    now = turned(
        np.array([feet.holds[swing].x, feet.holds[swing].y]) - origin, -stance.yaw
    )
    sole = turned(np.array([planned.x, planned.y]) - origin, -stance.yaw)
    share = min(max(steps.time / steps.duration, 0.0), 1.0)
    time = max((1.0 - share) * gait.single_support, SHORTEST)
    pendulum = Pendulum(
        height=setup.height,
        omega=setup.omega,
        roll=0.0,
        turning=0.0,
        smooth=False,
        lever=0.0,
        free=0.0,
    )
    behind = (
        HURRY * config.pattern.leg_reach * setup.height + 0.5 * gait.roll
    )  # the leg that is to lift next
    behind += transfer_offset(
        abs(gait.forward), gait.single_support, gait.double_support, pendulum
    )
    length = min(config.steps.length, behind)
    inner = side * (gait.width - config.steps.inward)
    outer = side * (gait.width + config.steps.outward)
    low = np.array([-length, min(inner, outer)])
    high = np.array([length, max(inner, outer)])
    reach = USED * max(limit, gait.ratio) * setup.height
    back = np.zeros(2)
    front = np.zeros(2)
    for i in range(2):
        way = config.pattern.swing_speed * time
        low[i] = min(max(low[i], now[i] - way), high[i])
        high[i] = max(min(high[i], now[i] + way), low[i])
        if balances(setup.half_size):
            most = ADJUSTMENT_REACH * setup.half_size[i]
            along = away[i] + lean[i] - zmp[i]
            across = away[1 - i] + lean[1 - i] - zmp[1 - i]
            held = math.sqrt(max(reach * reach - across * across, 0.0))
            front[i] = max(min(most, along + held), 0.0)
            back[i] = min(max(-most, along - held), 0.0)
    _, after = steady_offsets(wanted, gait, setup.omega)
    k, decay = transfer_shares(gait.double_support, setup.omega)
    offset = decay * after - k * trim
    shift = wanted - sole
    return StepProgram(
        dcm=xi,
        convergent=2.0 * away - xi,
        lean=lean,
        zmp=zmp,
        zmp_end=end,
        place=wanted + trim,
        offset=offset,
        nearest=low + shift,
        furthest=high + shift,
        back=back,
        front=front,
        reach=reach,
        way=2.0 * gait.forward,
        swing_speed=config.pattern.swing_speed,
        swing_acceleration=config.pattern.swing_acceleration,
        share=share,
        time=time,
        soonest=SOONER * time,
        latest=LATER * time,
        double_support=gait.double_support,
        omega=setup.omega,
    )


@kernel
def place_and_time(
    steps: SteppingState,
    feet: Feet,
    gait: Gait,
    centre: Array,
    leaned: Array,
    dcm: Array,
    limit: float,
    trim: Array,
    setup: Setup,
    dt: float,
) -> SteppingState:
    """Choose foothold and time of the present swing by the step program.

    Late in the swing they stay.

    A swing that gets shorter or longer goes on from the same share of its path.
    """
    if steps.time > (LATEST if balances(setup.half_size) else ALWAYS) * steps.duration:
        return steps
    stance = feet.holds[1 - steps.swing]
    planned = foothold_for(stance, steps.swing, gait, setup.config.steps)
    program = step_program_of(
        steps, planned, feet, gait, centre, leaned, dcm, limit, trim, setup
    )
    chosen = solve_step(program)
    moved = turned(chosen.place - program.place + trim, stance.yaw)
    left = steps.duration - steps.time
    time = min(max(chosen.time, left - HASTE * dt), left + HASTE * dt)
    duration = steps.duration * time / left
    return SteppingState(
        phase=steps.phase,
        time=steps.time * duration / steps.duration,
        duration=duration,
        swing=steps.swing,
        zmp_from=steps.zmp_from,
        zmp_to=steps.zmp_to,
        target=Foothold(planned.x + moved[0], planned.y + moved[1], planned.yaw),
        lift_z=steps.lift_z,
        point=steps.point,
        sliding=steps.sliding,
    )


# What feet without an area need: a heading that is not their own, and footholds that
# keep the commanded speed.

# [-] metres of foothold per metre of way lost, [m] (choice: settles in about 3 s)
TRIM_RATE = 0.03
TRIM_MOST = 0.03


def level_points(terms: Terms, heading: float) -> None:
    """Level point feet, which have no orientation, with the walk's heading [rad]."""
    terms.rotation[:] = about_z(heading)


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


class Decision(NamedTuple):
    """Decisions of a tick before the program is solved."""

    memory: WholeBodyState
    program: Program
    stance: tuple[bool, bool]
    joints: Array  # (n,) accelerations of the posture [rad/s^2]
    error: Array  # (2,) of the DCM [m]
    gait: Gait


@kernel
def follow(
    now: Command, wanted: Command, acceleration: float, turning: float, dt: float
) -> Command:
    """Follow the commanded velocity with bounded acceleration [m/s^2], [rad/s^2].

    A pose is followed at once.
    """
    change = acceleration * dt
    turn = turning * dt
    return Command(
        forward=now.forward + min(max(wanted.forward - now.forward, -change), change),
        left=now.left + min(max(wanted.left - now.left, -change), change),
        turn=now.turn + min(max(wanted.turn - now.turn, -turn), turn),
        shift=wanted.shift,
        lean=wanted.lean,
    )


@kernel
def first_memory(
    terms: Terms, limits: tuple[float, float], setup: Setup
) -> WholeBodyState:
    """Initialise the memory: standing on both feet.

    Where only steps balance, the robot is about to step.
    """
    feet = feet_of(terms, yaw_near(terms.rotation[0], 0.0))
    height = terms.centre_of_mass[2] - 0.5 * (feet.height[0] + feet.height[1])
    if balances(setup.half_size):
        start = standing(feet, setup.middle, setup.config.stepping)
    else:
        start = falling(feet, setup.middle, setup.config.stepping)
    return WholeBodyState(
        stepping=start,
        belief=believed(min(limits[0], limits[1]), min(limits[0], limits[1])),
        command=Command(forward=0.0, left=0.0, turn=0.0, shift=0.0, lean=0.0),
        gait=Gait(
            forward=0.0,
            left=0.0,
            turn=0.0,
            width=setup.config.steps.width,
            single_support=setup.config.steps.single_support,
            double_support=setup.config.steps.double_support,
            still=True,
            shift=0.0,
            roll=0.0,
            ratio=0.0,
        ),
        height=height,
        heading=feet.holds[0].yaw,
        touch=np.zeros(2),
        trim=np.zeros(2),
    )


@kernel
def _probe(
    steps: SteppingState, centre: Array, support: Support, height: float, need: float
) -> Array:
    """Load the coming stance foot in transfer with the ratio that it will need.

    It will need that ratio alone, and is loaded with it as far as it may.
    """
    probe = np.zeros((2, 3))
    if steps.phase == TRANSFER:
        foot = 1 - steps.swing
        x = (centre[0] - steps.zmp_to[0]) / height
        y = (centre[1] - steps.zmp_to[1]) / height
        ratio = math.hypot(x, y)
        held = min(ratio, need, USED * support.limits[foot]) / max(ratio, 1e-9)
        probe[foot, 0] = held * x
        probe[foot, 1] = held * y
        probe[foot, 2] = 1.0
    return probe


@kernel
def _aims(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    feet: Feet,
    error: Array,
    planned: Array,
    dcm: Array,
    support: Support,
    lean: float,
    gait: Gait,
    setup: Setup,
) -> Wanted:
    """Compute the targets of all tasks."""
    gains = setup.config.gains
    steps = memory.stepping
    centre = terms.centre_of_mass
    mass = setup.robot.mass
    q = sensed.q
    v = sensed.v
    moved = setup.robot.moved
    wanted = wanted_zmp(dcm, dcm - error, planned, setup.omega, gains.dcm)
    zmp = usable_zmp(wanted, centre[:2], setup.height, support)
    swinging = steps.phase == SWING
    floor = (
        feet.height[1 - steps.swing]
        if swinging
        else 0.5 * (feet.height[0] + feet.height[1])
    )
    balanced = over_zmp(centre, sensed.up, setup.height)
    beyond = gains.beyond if balances(setup.half_size) else 0.0
    source = pushes_from(wanted, zmp, centre[:2], setup.height, support, beyond)
    acceleration = centre_acceleration(
        balanced,
        terms.centre_velocity,
        source,
        floor + memory.height,
        setup.omega,
        gains.height,
    )
    total = mass * (acceleration + GRAVITY * sensed.up)
    pull = math.hypot(total[0], total[1]) / max(total[2], 1.0)
    forces = planned_forces(
        total, zmp, support, _probe(steps, centre, support, setup.height, gait.ratio)
    )
    waists = moved[moved.shape[0] - setup.robot.waists :] - 6
    joints = posture_acceleration(setup.posture, q[7:], v[6:], waists, gains)
    yaw = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
    swing = np.zeros((2, 6))
    ahead = np.array([math.cos(yaw), math.sin(yaw)])
    turn = counter_turn(setup.turning, gait.forward)
    rush = (
        2.0
        * math.sqrt(gains.base)
        * np.dot(ahead, terms.velocity[0, :2] - terms.velocity[1, :2])
    )
    if swinging:
        swing[steps.swing] = sole_acceleration(
            steps.point, terms, steps.swing, gains.swing
        )
        rush += side_of(steps.swing) * np.dot(ahead, steps.point.acceleration[:2])
    yaw += turn * np.dot(ahead, terms.position[0, :2] - terms.position[1, :2])
    base = base_acceleration(q[3:7], v[3:6], sensed.up, yaw, lean, gains.base)
    base[2] += turn * rush
    low, high = joint_bounds(
        q[moved + 1],
        v[moved],
        setup.lowest,
        setup.highest,
        setup.fastest,
        gains.joint_range,
        gains.joint_speed,
    )
    return Wanted(
        centre_acceleration=acceleration,
        momentum_rate=-gains.momentum * terms.angular_momentum,
        base_acceleration=base,
        swing_acceleration=swing,
        joint_acceleration=joints,
        foot_force=forces,
        pressure=planned_pressure(zmp, support, pull),
        lowest_acceleration=low,
        highest_acceleration=high,
        up=sensed.up,
    )


@kernel
def lent_velocity(terms: Terms, steps: SteppingState, setup: Setup) -> Array:
    """Return velocity (2,) [m/s] that angular momentum L lends the centre of mass.

    L takes the velocity back as it goes.

    ``c'' = omega^2 (c - p) + (-L_y', L_x')/(m h)``: a leg that begins to swing pushes
    ahead as a stumble would. What is taken back evenly until touchdown has gone part of
    its way by then.
    """
    share, _ = transfer_shares(max(steps.duration - steps.time, 0.0), setup.omega)
    x, y, _ = share * terms.angular_momentum / (setup.robot.mass * setup.height)
    return np.array([-y, x])


@kernel
def over_zmp(centre: Array, up: Array, height: float) -> Array:
    """Place the centre of mass (3,) over the ZMP at rest.

    On a slope gravity pulls along the floor.

    ``c'' = omega^2 (c - p) - g up`` along the floor: with ``c - height up/up_z`` that
    is the pendulum of level floors.
    """
    result = centre.copy()
    result[0] -= height * up[0] / up[2]
    result[1] -= height * up[1] / up[2]
    return result


@kernel
def decide(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    command: Command,
    dt: float,
    setup: Setup,
) -> Decision:
    """Compute phase, gait, footholds, targets and program of a tick of dt [s]."""
    config = setup.config
    feet = feet_of(terms, memory.heading)
    climb = math.hypot(sensed.up[0], sensed.up[1]) / sensed.up[2]
    belief = _expected(memory, terms, sensed, setup, dt)
    held = allowed_ratio(belief, climb, setup.quantile)
    allowed = allowed_command(command, belief, held, setup.patterns, climb)
    bend = setup.quantile * math.sqrt(belief.bend)
    if bend >= LEVEL_BEND and balances(setup.half_size):
        allowed = slowed_by_bends(
            allowed,
            bend,
            setup.patterns,
            setup.omega,
            setup.half_size[0],
            config.stepping.sinking_speed,
        )
    if climb > 0.0 or bend >= LEVEL_BEND:
        # on bends a swing goes further than on level floors: its hip needs the time
        held = 0.0
    walked = _walked(memory, sensed, feet, allowed, belief, held, climb, setup, dt)
    trim = memory.trim
    if not balances(setup.half_size):
        trim = trimmed(trim, walked.gait, terms.centre_velocity, memory.heading, dt)
    height = _height(memory, walked, setup, dt)

    centre = terms.centre_of_mass[:2]
    leaned = over_zmp(terms.centre_of_mass, sensed.up, setup.height)[:2]
    dcm = leaned + terms.centre_velocity[:2] / setup.omega
    kept = dcm - lent_velocity(terms, memory.stepping, setup) / setup.omega
    steps, gait, heading = _stepped(
        memory, walked, sensed, feet, centre, leaned, kept, setup, dt
    )
    touch = touch_after(memory.touch, walked.before, steps, feet)
    if steps.phase == SWING:
        stance = 1 - steps.swing
        if walked.before.phase == TRANSFER:
            slope = sensed.up / sensed.up[2]
            belief = on_slope(belief, slope[0], slope[1], config.adaptation.change)
        steps = place_and_time(
            steps,
            feet,
            gait,
            centre,
            leaned,
            kept,
            sensed.limits[stance],
            trim,
            setup,
            dt,
        )
        floor = feet.height[stance] + touch[steps.swing]
        steps = swing_on(
            steps, steps.target, floor, terms.position[steps.swing], config.stepping, dt
        )
    memory = WholeBodyState(
        stepping=steps,
        belief=belief,
        command=walked.taken,
        gait=gait,
        height=height,
        heading=heading,
        touch=touch,
        trim=trim,
    )

    error, planned = dcm_error(steps, feet, gait, dcm, setup)
    carrying = carrying_feet(steps)
    allowed_forces = force_limits(sensed.limits, sensed.telling, sensed.held, belief)
    support = support_of(carrying, feet, allowed_forces, setup)
    lean = walked.taken.lean if gait.still else 0.0
    aims = _aims(
        memory, terms, sensed, feet, error, planned, dcm, support, lean, gait, setup
    )
    touching = touching_force(steps, sensed, setup)
    program = assemble(
        terms,
        aims,
        setup.robot,
        carrying,
        (support.limits[0], support.limits[1]),
        config.weights,
        touching,
    )
    return Decision(
        memory=memory,
        program=program,
        stance=carrying,
        joints=aims.joint_acceleration,
        error=error,
        gait=gait,
    )


@kernel
def touching_force(steps: SteppingState, sensed: Sensed, setup: Setup) -> Array:
    """Predict the force (2, 3) of the ground on a sliding swing foot.

    Friction is as measured, load as planned.

    What presses the foot onto the floor is that it meets less than the program expects.
    """
    force = np.zeros((2, 3))
    if steps.phase == SWING and steps.sliding > 0.0:
        wanted = setup.config.stepping.touchdown.load * setup.robot.mass * GRAVITY
        share = min(wanted / max(sensed.force[steps.swing, 2], 1.0), 1.0)
        for k in range(2):
            force[steps.swing, k] = share * sensed.force[steps.swing, k]
        force[steps.swing, 2] = wanted
    return force


@kernel
def _expected(
    memory: WholeBodyState, terms: Terms, sensed: Sensed, setup: Setup, dt: float
) -> FloorBelief:
    """Predict the next floor: the preview, or the one that carries now.

    In a transfer it only falls.
    """
    belief = memory.belief
    steps = memory.stepping
    if steps.phase == STAND:
        worse = 0 if sensed.limits[0] < sensed.limits[1] else 1
        return expect(belief, sensed.friction[worse], sensed.limits[worse], False)
    stance = 1 - steps.swing
    mu = sensed.friction[stance]
    low = sensed.limits[stance]
    if not sensed.known[stance]:  # a default says nothing, but what the foot has held
        low = min(low, max(belief.low, sensed.held[stance]))
        mu = low
    if steps.phase == TRANSFER:
        return (
            expect(belief, mu, low, belief.seen)
            if sensed.telling[stance] and low < belief.low
            else belief
        )
    away = terms.centre_of_mass[:2] - zmp_now(steps)
    force = sensed.force[stance]
    measured = math.hypot(force[0], force[1]) / max(force[2], 1.0)
    planned = math.hypot(away[0], away[1]) / setup.height
    belief = tracked(
        belief, measured, planned, memory.gait.ratio, setup.config.adaptation.memory, dt
    )
    if sensed.ahead[1] < math.inf:
        return expect(belief, sensed.ahead[0], sensed.ahead[1], True)
    return expect(belief, mu, low, False)


class Walked(NamedTuple):
    """Stepping state of a tick before the decision on lift-off."""

    taken: Command  # as far as it has been taken up
    fresh: Gait  # of that command
    gait: Gait  # under way
    before: SteppingState  # phase so far; a transfer may have begun anew


@kernel
def _walked(
    memory: WholeBodyState,
    sensed: Sensed,
    feet: Feet,
    allowed: Command,
    belief: FloorBelief,
    held: float,
    climb: float,
    setup: Setup,
    dt: float,
) -> Walked:
    """Follow the allowed command and choose its gait.

    Plan anew where the landed foot holds far less.
    """
    config = setup.config
    before = memory.stepping
    steady = balances(setup.half_size)
    change = change_of_speed(
        config.acceleration,
        belief,
        carrying_feet(before),
        sensed.limits,
        setup.quantile,
    )
    taken = follow(memory.command, allowed, change, config.turn_acceleration, dt)
    fresh = cautious_gait(taken, allowed, config.steps, setup.patterns, held, climb)
    if not steady:
        fresh = in_place(fresh)
    gait = underway(memory.gait, fresh, before)
    if (
        before.phase == TRANSFER and steady and climb == 0.0
    ):  # who slows down on a slope falls back
        slow = cautious_gait(
            allowed, allowed, config.steps, setup.patterns, held, climb
        )
        front = 1 - before.swing
        if sensed.telling[front] and max(slow.ratio, sensed.limits[front]) < gait.ratio:
            wait = max(-before.time, 0.0)
            time = slow.double_support
            anew = transfer(
                before,
                feet,
                before.swing,
                wait,
                time,
                slow,
                setup.middle,
                config.stepping,
            )
            return Walked(allowed, fresh, slow, anew)
    return Walked(taken, fresh, gait, before)


@kernel
def _height(memory: WholeBodyState, walked: Walked, setup: Setup, dt: float) -> float:
    """Step the height of the centre of mass over the soles [m] by a tick."""
    aim = setup.height
    if walked.before.phase == STAND and walked.gait.still:
        aim = memory.height  # stands as it stood: whoever estimates the tilt needs rest
    change = setup.config.height_rate * dt
    return memory.height + min(max(aim - memory.height, -change), change)


@kernel
def _stepped(
    memory: WholeBodyState,
    walked: Walked,
    sensed: Sensed,
    feet: Feet,
    centre: Array,
    leaned: Array,
    dcm: Array,
    setup: Setup,
    dt: float,
) -> tuple[SteppingState, Gait, float]:
    """Step the phase by a tick, with its gait and the heading.

    A step that begins takes the gait wanted by then.
    """
    config = setup.config
    before = walked.before
    need = walked.gait.ratio
    # a step that was begun on a better floor does not wait: that would only take away
    # the foot that catches the robot
    lifting = max(sensed.limits[0], need), max(sensed.limits[1], need)
    lifts = may_lift(
        before, feet, walked.gait, centre, leaned, dcm, lifting, memory.trim, setup, dt
    )
    gait = walked.gait
    heading = memory.heading
    if lifts and before.phase == TRANSFER:
        yaw = feet.holds[1 - before.swing].yaw
        gait, heading = on_course(
            next_gait(memory.gait, walked.fresh), heading, yaw, config.steps
        )
    steps = stepping(
        before,
        feet,
        sensed.load,
        gait,
        lifts,
        setup.middle,
        config.steps,
        config.stepping,
        dt,
    )
    if not balances(setup.half_size):
        heading = memory.heading + dt * walked.taken.turn
    elif steps.phase == STAND:
        heading = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
    return steps, gait, heading


@kernel
def torques_of(
    x: Array, decision: Decision, terms: Terms, robot: Robot
) -> tuple[Array, Array]:
    """Compute joint torques (n,) [N m] and forces (2, 3) [N] on the feet, world.

    They are taken from the program's solution.
    """
    moved = robot.moved
    program = decision.program
    known = 6 + moved.shape[0]
    corners = robot.corners.shape[1]
    acceleration = np.empty(terms.bias.shape[0])
    acceleration[:6] = x[:6]
    for k in range(moved.shape[0]):
        acceleration[moved[k]] = x[6 + k]
    for j in robot.rest:
        acceleration[j] = decision.joints[j - 6]
    torques = np.dot(terms.mass_matrix, acceleration) + terms.bias
    of_moved = np.dot(program.torque_rows, x)
    for k in range(moved.shape[0]):
        torques[moved[k]] = of_moved[k] + program.torque_bias[k]
    forces = np.zeros((2, 3))
    column = known
    for foot in range(2):
        if decision.stance[foot]:
            for k in range(3 * corners):
                forces[foot, k % 3] += robot.mass * x[column + k]
            column += 3 * corners
    return torques[6:], forces

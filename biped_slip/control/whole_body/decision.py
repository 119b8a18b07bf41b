# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Decision of one tick: from the robot's state to the tick's program, and back.

A tick runs in stages, each in the file of its noun::

    floor believed, speed and gait that it allows     friction_adaptation
    gait under way                                    footsteps
    may a foot lift, and where and when it lands      dcm, step_program
    phase, swing path                                 footsteps, swing_path
    ZMP that brings the DCM back                      dcm
    force on the centre of mass, shared by the feet   balance
    accelerations of base, swing sole and joints      tasks
    program of the tick                               tick_program

After the program is solved :func:`torques_of` reads the joint torques from its answer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.sliding_touchdown import sliding_load
from biped_slip.control.whole_body.balance import Support, balance, support_of
from biped_slip.control.whole_body.dcm import (
    PendulumState,
    dcm_error,
    pendulum_state,
    wanted_zmp,
)
from biped_slip.control.whole_body.footsteps import (
    STAND,
    SWING,
    TRANSFER,
    Command,
    Gait,
    SolePoses,
    SteppingState,
    carrying_feet,
    feet_of,
    in_place,
    land,
    next_gait,
    on_course,
    side_of,
    slid_enough,
    stepping,
    swing_on,
    touch_after,
    transfer,
    trimmed,
    underway,
)
from biped_slip.control.whole_body.friction_adaptation import (
    FloorBelief,
    allowed_walk,
    cautious_gait,
    expected_floor,
    force_limits,
    on_slope,
    taken_up,
)
from biped_slip.control.whole_body.memory import WholeBodyState
from biped_slip.control.whole_body.sensed import Sensed
from biped_slip.control.whole_body.setup import Setup
from biped_slip.control.whole_body.step_program import may_lift, place_and_time
from biped_slip.control.whole_body.tasks import (
    Terms,
    base_acceleration,
    counter_turn,
    joint_bounds,
    posture_acceleration,
    sole_acceleration,
)
from biped_slip.control.whole_body.tick_program import (
    RobotConstants,
    Targets,
    TickProgram,
    assemble,
)


class TickPlan(NamedTuple):
    """Program of a tick, and what its answer is read with."""

    program: TickProgram
    stance: tuple[bool, bool]
    joints: Array  # (n,) accelerations of the posture [rad/s^2]


class Decision(NamedTuple):
    """Decisions of a tick before the program is solved."""

    memory: WholeBodyState
    plan: TickPlan
    error: Array  # (2,) of the DCM [m]


@kernel
def decide(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    command: Command,
    dt: float,
    setup: Setup,
) -> Decision:
    """Compute phase, gait, footholds, targets and program of a tick.

    Args:
        memory: of the tick before.
        terms: dynamics of the robot now.
        sensed: feet and their floors.
        command: velocity, or a pose.
        dt: tick [s].
        setup: of the walk.
    """
    config = setup.config
    feet = feet_of(terms, memory.heading, setup.middle)
    pendulum = pendulum_state(terms, sensed.up, memory.stepping, setup)
    memory = _next_memory(memory, terms, sensed, command, feet, pendulum, setup, dt)
    steps = memory.stepping
    gait = memory.gait
    error, planned = dcm_error(steps, feet, gait, pendulum.dcm, setup)
    zmp = wanted_zmp(
        pendulum.dcm, pendulum.dcm - error, planned, setup.omega, config.gains.dcm
    )
    carrying = carrying_feet(steps)
    limits = force_limits(
        sensed.limits, sensed.own_floor, sensed.certain, memory.belief
    )
    support = support_of(carrying, feet, limits, setup)
    under = Under(zmp=zmp, pendulum=pendulum, support=support)
    targets = _targets(memory, terms, sensed, feet, under, setup)
    program = assemble(
        terms,
        targets,
        setup.robot,
        carrying,
        (support.limits[0], support.limits[1]),
        config.weights,
        touching_force(steps, sensed, setup),
    )
    plan = TickPlan(program=program, stance=carrying, joints=targets.joint_acceleration)
    return Decision(memory=memory, plan=plan, error=error)


@kernel
def _next_memory(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    command: Command,
    feet: SolePoses,
    pendulum: PendulumState,
    setup: Setup,
    dt: float,
) -> WholeBodyState:
    """Step all that a tick remembers: floor, command, gait, phase and swing foot.

    Args:
        memory: of the tick before.
        terms: dynamics of the robot now.
        sensed: feet and their floors.
        command: velocity, or a pose.
        feet: poses of the soles.
        pendulum: as measured.
        setup: of the walk.
        dt: tick [s].
    """
    config = setup.config
    walk = _walk_under_way(memory, terms, sensed, command, feet, setup, dt)
    trim = memory.trim
    if not setup.flat:
        trim = trimmed(trim, walk.gait, terms.centre_velocity, memory.heading, dt)
    height = _height(memory, walk, setup, dt)
    steps, gait, heading = _stepped(
        memory, walk, sensed, feet, pendulum, trim, setup, dt
    )
    touch = touch_after(memory.touch, walk.before, steps, feet)
    belief = walk.belief
    if steps.phase == SWING:
        if walk.before.phase == TRANSFER:
            slope = sensed.up / sensed.up[2]
            belief = on_slope(belief, slope[0], slope[1], config.adaptation.change)
        floor = feet.height[1 - steps.swing] + touch[steps.swing]
        steps = swing_on(
            steps, steps.target, floor, terms.position[steps.swing], config.stepping, dt
        )
    return WholeBodyState(
        stepping=steps,
        belief=belief,
        command=walk.taken,
        gait=gait,
        height=height,
        heading=heading,
        touch=touch,
        trim=trim,
    )


class WalkUnderWay(NamedTuple):
    """Gait of a tick before the decision on lift-off."""

    belief: FloorBelief  # about the next floor
    taken: Command  # as far as it has been taken up
    fresh: Gait  # of that command
    gait: Gait  # under way
    before: SteppingState  # phase so far; a transfer may have begun anew


@kernel
def _walk_under_way(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    command: Command,
    feet: SolePoses,
    setup: Setup,
    dt: float,
) -> WalkUnderWay:
    """Follow the command as far as the floor allows, and choose its gait.

    A transfer is planned anew where the landed foot holds far less than its gait
    requires; not on a slope: who slows down there falls back.
    """
    config = setup.config
    before = memory.stepping
    carrying = carrying_feet(before)
    climb = math.hypot(sensed.up[0], sensed.up[1]) / sensed.up[2]
    belief = expected_floor(
        memory.belief,
        before,
        memory.gait.ratio,
        terms.centre_of_mass,
        sensed,
        setup,
        dt,
    )
    allowed, held = allowed_walk(command, belief, climb, setup)
    taken = taken_up(
        memory.command, allowed, belief, carrying, sensed.limits, setup, dt
    )
    fresh = cautious_gait(taken, allowed, config.steps, setup.patterns, held, climb)
    may_slow = before.phase == TRANSFER and setup.flat and climb == 0.0
    slow = fresh
    if may_slow:
        slow = cautious_gait(
            allowed, allowed, config.steps, setup.patterns, held, climb
        )
    if not setup.flat:
        fresh = in_place(fresh)
    gait = underway(memory.gait, fresh, before)
    if may_slow:
        front = 1 - before.swing
        if (
            sensed.own_floor[front]
            and max(slow.ratio, sensed.limits[front]) < gait.ratio
        ):
            taken = allowed
            gait = slow
            before = transfer(
                before,
                feet,
                before.swing,
                max(-before.time, 0.0),
                slow.double_support,
                slow,
                config.stepping,
            )
    return WalkUnderWay(
        belief=belief, taken=taken, fresh=fresh, gait=gait, before=before
    )


@kernel
def _height(
    memory: WholeBodyState, walk: WalkUnderWay, setup: Setup, dt: float
) -> float:
    """Step the height of the centre of mass over the soles [m] by a tick."""
    aim = setup.height
    if walk.before.phase == STAND and walk.gait.still:
        # stands as it stood: whoever estimates the tilt needs rest
        aim = memory.height
    change = setup.config.height_rate * dt
    return memory.height + min(max(aim - memory.height, -change), change)


@kernel
def _stepped(
    memory: WholeBodyState,
    walk: WalkUnderWay,
    sensed: Sensed,
    feet: SolePoses,
    pendulum: PendulumState,
    trim: Array,
    setup: Setup,
    dt: float,
) -> tuple[SteppingState, Gait, float]:
    """Step the phase by a tick, and its gait.

    A step that begins takes the gait wanted by then. Also the heading.

    Args:
        memory: of the tick before.
        walk: gait before the decision on lift-off.
        sensed: feet and their floors.
        feet: poses of the soles.
        pendulum: as measured.
        trim: (2,) of the footholds of feet that are points [m].
        setup: of the walk.
        dt: tick [s].
    """
    config = setup.config
    before = walk.before
    gait = walk.gait
    # a step that was begun on a better floor does not wait: that would only take away
    # the foot that catches the robot
    lifting = max(sensed.limits[0], gait.ratio), max(sensed.limits[1], gait.ratio)
    lifts = may_lift(before, feet, gait, pendulum, lifting, memory.trim, setup, dt)
    heading = memory.heading
    if lifts and before.phase == TRANSFER:
        yaw = feet.holds[1 - before.swing].yaw
        gait, heading = on_course(
            next_gait(memory.gait, walk.fresh), heading, yaw, config.steps
        )
    steps = stepping(
        before,
        feet,
        sensed.load,
        gait,
        lifts,
        config.steps,
        config.stepping,
        dt,
    )
    if steps.phase == SWING:
        holds = sensed.certain[steps.swing]
        if slid_enough(steps, holds, gait.ratio, config.stepping):
            steps = land(steps, feet, gait, config.stepping)
    if not setup.flat:
        heading = memory.heading + dt * walk.taken.turn
    elif steps.phase == STAND:
        heading = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
    if steps.phase == SWING:
        limit = sensed.limits[1 - steps.swing]
        steps = place_and_time(steps, feet, gait, pendulum, limit, trim, setup, dt)
    return steps, gait, heading


class Under(NamedTuple):
    """What carries the centre of mass."""

    zmp: Array  # (2,) that brings the DCM back [m]
    pendulum: PendulumState
    support: Support


@kernel
def _targets(
    memory: WholeBodyState,
    terms: Terms,
    sensed: Sensed,
    feet: SolePoses,
    under: Under,
    setup: Setup,
) -> Targets:
    """Compute the targets of all tasks.

    Args:
        memory: with the phase, gait and height of this tick.
        terms: dynamics of the robot.
        sensed: feet and their floors.
        feet: poses of the soles.
        under: what carries the centre of mass.
        setup: of the walk.
    """
    gains = setup.config.gains
    steps = memory.stepping
    moved = setup.robot.moved
    swinging = steps.phase == SWING
    floor = 0.5 * (feet.height[0] + feet.height[1])
    if swinging:
        floor = feet.height[1 - steps.swing]
    force = balance(
        under.zmp,
        terms,
        under.pendulum,
        floor + memory.height,
        under.support,
        steps,
        memory.gait.ratio,
        setup,
    )
    waists = moved[moved.shape[0] - setup.robot.waists :] - 6
    joints = posture_acceleration(
        setup.posture, sensed.q[7:], sensed.v[6:], waists, gains
    )
    swing = np.zeros((2, 6))
    if swinging:
        swing[steps.swing] = sole_acceleration(
            steps.point, terms, steps.swing, gains.swing
        )
    base = _base_target(memory, terms, sensed, feet, setup)
    low, high = joint_bounds(
        sensed.q[moved + 1],
        sensed.v[moved],
        setup.lowest,
        setup.highest,
        setup.fastest,
        gains.joint_range,
        gains.joint_speed,
    )
    return Targets(
        centre_acceleration=force.acceleration,
        momentum_rate=-gains.momentum * terms.angular_momentum,
        base_acceleration=base,
        swing_acceleration=swing,
        joint_acceleration=joints,
        foot_force=force.foot_force,
        pressure=force.pressure,
        lowest_acceleration=low,
        highest_acceleration=high,
        up=sensed.up,
    )


@kernel
def _base_target(
    memory: WholeBodyState, terms: Terms, sensed: Sensed, feet: SolePoses, setup: Setup
) -> Array:
    """Compute the angular acceleration (3,) wanted of the base [rad/s^2].

    It is upright, along both feet, and turns against the legs' swing where no waist
    does.
    """
    gains = setup.config.gains
    steps = memory.stepping
    lean = memory.command.lean if memory.gait.still else 0.0
    yaw = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
    ahead = np.array([math.cos(yaw), math.sin(yaw)])
    turn = counter_turn(setup.turning, memory.gait.forward)
    # of the left foot's way ahead of the right one, as the base's turn follows it
    rush = (
        2.0
        * math.sqrt(gains.base)
        * np.dot(ahead, terms.velocity[0, :2] - terms.velocity[1, :2])
    )
    if steps.phase == SWING:
        rush += side_of(steps.swing) * np.dot(ahead, steps.point.acceleration[:2])
    yaw += turn * np.dot(ahead, terms.position[0, :2] - terms.position[1, :2])
    base = base_acceleration(
        sensed.q[3:7], sensed.v[3:6], sensed.up, yaw, lean, gains.base
    )
    base[2] += turn * rush
    return base


@kernel
def touching_force(steps: SteppingState, sensed: Sensed, setup: Setup) -> Array:
    """Predict the force (2, 3) of the ground on a sliding swing foot.

    Friction is as measured, load as planned.

    What presses the foot onto the floor is that it meets less than the program expects.
    """
    force = np.zeros((2, 3))
    if steps.phase == SWING and steps.sliding > 0.0:
        wanted = sliding_load(
            sensed.force[steps.swing],
            setup.robot.mass * GRAVITY,
            steps.duration - steps.time,
            setup.config.stepping.touchdown,
        )
        share = min(wanted / max(sensed.force[steps.swing, 2], 1.0), 1.0)
        for k in range(2):
            force[steps.swing, k] = share * sensed.force[steps.swing, k]
        force[steps.swing, 2] = wanted
    return force


@kernel
def torques_of(
    x: Array, plan: TickPlan, terms: Terms, robot: RobotConstants
) -> tuple[Array, Array]:
    """Compute joint torques (n,) [N m] and forces (2, 3) [N] on the feet, world.

    They are taken from the program's solution.
    """
    moved = robot.moved
    program = plan.program
    known = 6 + moved.shape[0]
    corners = robot.corners.shape[1]
    acceleration = np.empty(terms.bias.shape[0])
    acceleration[:6] = x[:6]
    for k in range(moved.shape[0]):
        acceleration[moved[k]] = x[6 + k]
    for j in robot.rest:
        acceleration[j] = plan.joints[j - 6]
    torques = np.dot(terms.mass_matrix, acceleration) + terms.bias
    of_moved = np.dot(program.torque_rows, x)
    for k in range(moved.shape[0]):
        torques[moved[k]] = of_moved[k] + program.torque_bias[k]
    forces = np.zeros((2, 3))
    column = known
    for foot in range(2):
        if plan.stance[foot]:
            for k in range(3 * corners):
                forces[foot, k % 3] += robot.mass * x[column + k]
            column += 3 * corners
    return torques[6:], forces

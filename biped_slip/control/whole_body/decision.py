# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One tick of whole-body walking but for the solver: from state to program, from its answer to torques."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.control.whole_body.assembly import assemble
from biped_slip.control.whole_body.dcm import wanted_zmp
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.friction_adaptation import (
    AdaptationState,
    adaptation_step,
    after_transfer,
    allowed_command,
    careful,
    cautious_gait,
    change_of_speed,
    force_limits,
    found_in_transfer,
    lifting_limits,
    limit_under,
    on_slope,
    too_much,
    way_since_slope,
    while_standing,
)
from biped_slip.control.whole_body.memory import Sensed, Setup, WholeBodyState, carrying_feet, feet_of
from biped_slip.control.whole_body.placing import dcm_error, may_lift, support_of, target_of
from biped_slip.control.whole_body.points import trimmed
from biped_slip.control.whole_body.program import Program, Robot, Wanted
from biped_slip.control.whole_body.stepping import (
    STAND,
    SWING,
    TRANSFER,
    Feet,
    Gait,
    SteppingState,
    falling,
    in_place,
    next_gait,
    side_of,
    standing,
    stepping,
    swing_on,
    transfer_anew,
    underway,
)
from biped_slip.control.whole_body.support import (
    USED,
    Support,
    balances,
    planned_forces,
    planned_pressure,
    pushes_from,
    usable_zmp,
)
from biped_slip.control.whole_body.tasks import (
    base_acceleration,
    centre_acceleration,
    joint_bounds,
    posture_acceleration,
    sole_acceleration,
)
from biped_slip.control.whole_body.terms import Terms
from biped_slip.control.whole_body.touch_down import touch_after


class Decision(NamedTuple):
    """What a tick has decided before the program is solved."""

    memory: WholeBodyState
    program: Program
    stance: tuple[bool, bool]
    joints: Array  # (n,) accelerations of the posture [rad/s^2]
    error: Array  # (2,) of the DCM [m]
    gait: Gait


@kernel
def follow(now: Command, wanted: Command, acceleration: float, turning: float, dt: float) -> Command:
    """The command taken up with bounded acceleration [m/s^2], [rad/s^2]; a pose at once."""
    change, turn = acceleration * dt, turning * dt
    return Command(
        now.forward + min(max(wanted.forward - now.forward, -change), change),
        now.left + min(max(wanted.left - now.left, -change), change),
        now.turn + min(max(wanted.turn - now.turn, -turn), turn),
        wanted.shift,
        wanted.lean,
    )


@kernel
def first_memory(terms: Terms, limits: tuple[float, float], setup: Setup) -> WholeBodyState:
    """Standing on both feet, or about to step where nothing balances but steps."""
    feet = feet_of(terms)
    height = terms.centre_of_mass[2] - 0.5 * (feet.height[0] + feet.height[1])
    if balances(setup.half_size):
        start = standing(feet, setup.middle, setup.config.stepping)
    else:
        start = falling(feet, setup.middle, setup.config.stepping)
    return WholeBodyState(
        start, AdaptationState(min(limits[0], limits[1]), math.inf, math.inf), Command(0.0, 0.0, 0.0, 0.0, 0.0),
        Gait(0.0, 0.0, 0.0, setup.config.steps.width, setup.config.steps.single_support,
             setup.config.steps.double_support, True, 0.0, 0.0, 0.0),
        height, feet.holds[0].yaw, np.zeros(2), np.zeros(2), math.inf,
    )  # fmt: skip


@kernel
def _probe(steps: SteppingState, centre: Array, support: Support, height: float, need: float) -> Array:
    """In transfer the coming stance foot already takes the ratio that it will need alone, as far as it may."""
    probe = np.zeros((2, 3))
    if steps.phase == TRANSFER:
        foot = 1 - steps.swing
        x, y = (centre[0] - steps.zmp_to[0]) / height, (centre[1] - steps.zmp_to[1]) / height
        ratio = math.hypot(x, y)
        held = min(ratio, need, USED * support.limits[foot]) / max(ratio, 1e-9)
        probe[foot, 0], probe[foot, 1], probe[foot, 2] = held * x, held * y, 1.0
    return probe


@kernel
def _aims(memory: WholeBodyState, terms: Terms, sensed: Sensed, feet: Feet, error: Array, planned: Array, dcm: Array,
          support: Support, lean: float, need: float, setup: Setup) -> Wanted:  # fmt: skip
    """What all tasks want."""
    gains, steps, centre, mass = setup.config.gains, memory.stepping, terms.centre_of_mass, setup.robot.mass
    q, v, moved = sensed.q, sensed.v, setup.robot.moved
    wanted = wanted_zmp(dcm, dcm - error, planned, setup.omega, gains.dcm)
    zmp = usable_zmp(wanted, centre[:2], setup.height, support)
    swinging = steps.phase == SWING
    floor = feet.height[1 - steps.swing] if swinging else 0.5 * (feet.height[0] + feet.height[1])
    balanced = over_zmp(centre, sensed.up, setup.height)
    beyond = gains.beyond if balances(setup.half_size) else 0.0
    source = pushes_from(wanted, zmp, centre[:2], setup.height, support, beyond)
    acceleration = centre_acceleration(balanced, terms.centre_velocity, source, floor + memory.height, setup.omega,
                                       gains.height)  # fmt: skip
    total = mass * (acceleration + GRAVITY * sensed.up)
    forces = planned_forces(total, zmp, support, _probe(steps, centre, support, setup.height, need))
    waists = moved[moved.shape[0] - setup.robot.waists :] - 6
    joints = posture_acceleration(setup.posture, q[7:], v[6:], waists, gains)
    swing, moments = np.zeros((2, 6)), np.zeros(2)
    if swinging:
        swing[steps.swing] = sole_acceleration(steps.point, terms, steps.swing, gains.swing)
        heading, push = feet.holds[1 - steps.swing].yaw, steps.point.acceleration
        along = math.cos(heading) * push[0] + math.sin(heading) * push[1]
        moments[1 - steps.swing] = -side_of(steps.swing) * setup.swing_lever * along
    yaw = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
    base = base_acceleration(q[3:7], v[3:6], sensed.up, yaw, lean, gains.base)
    low, high = joint_bounds(q[moved + 1], v[moved], setup.lowest, setup.highest, setup.fastest, gains.joint_range,
                             gains.joint_speed)  # fmt: skip
    return Wanted(acceleration, -gains.momentum * terms.angular_momentum, base, swing, joints, forces, moments,
                  planned_pressure(zmp, support), low, high, sensed.up)  # fmt: skip


@kernel
def over_zmp(centre: Array, up: Array, height: float) -> Array:
    """The centre of mass (3,) as far aside as puts it over the ZMP at rest: on a slope gravity pulls along the floor.

    ``c'' = omega^2 (c - p) - g up`` along the floor: with ``c - height up/up_z`` that is the pendulum of level floors.
    """
    result = centre.copy()
    result[0] -= height * up[0] / up[2]
    result[1] -= height * up[1] / up[2]
    return result


@kernel
def decide(memory: WholeBodyState, terms: Terms, sensed: Sensed, command: Command, dt: float,
           setup: Setup) -> Decision:  # fmt: skip
    """Phase, gait, footholds, aims and program of a tick of dt [s]."""
    config, feet, held = setup.config, feet_of(terms), carrying_feet(memory.stepping)
    under, climb = limit_under(held, sensed.limits), math.hypot(sensed.up[0], sensed.up[1]) / sensed.up[2]
    adaptation = _expected(memory, sensed, held, under, climb, setup, dt)
    since_slope = way_since_slope(memory.since_slope, climb, memory.command, dt)
    allowed = allowed_command(command, adaptation, config.adaptation, setup.patterns, climb, since_slope)
    walked = _walked(memory, sensed, feet, allowed, under, climb, setup, dt)
    trim = memory.trim
    if not balances(setup.half_size):
        trim = trimmed(trim, walked.gait, terms.centre_velocity, memory.heading, dt)
    height = _height(memory, adaptation, walked, setup, dt)

    dcm = over_zmp(terms.centre_of_mass, sensed.up, setup.height)[:2] + terms.centre_velocity[:2] / setup.omega
    lifting = lifting_limits(sensed.limits, walked.gait, config.adaptation)
    steps, gait = _stepped(memory, walked, terms, sensed, feet, dcm, lifting, setup, dt)
    touch = touch_after(memory.touch, walked.before, steps, feet)
    if steps.phase == SWING:
        stance = 1 - steps.swing
        if walked.before.phase == TRANSFER:
            limit = sensed.limits[stance]
            adaptation = after_transfer(adaptation, limit, sensed.held[stance], config.adaptation)
            adaptation = on_slope(adaptation, climb, limit, config.adaptation)
        target, floor = target_of(steps, feet, gait, dcm, trim, setup), feet.height[stance] + touch[steps.swing]
        steps = swing_on(steps, target, floor, config.stepping, dt)
    heading = memory.heading + dt * walked.taken.turn
    memory = WholeBodyState(steps, adaptation, walked.taken, gait, height, heading, touch, trim, since_slope)

    error, planned = dcm_error(steps, feet, gait, dcm, setup)
    carrying = carrying_feet(steps)
    allowed_forces = force_limits(sensed.limits, lifting, sensed.held, adaptation, config.adaptation)
    support = support_of(carrying, feet, allowed_forces, setup)
    lean = walked.taken.lean if gait.still else 0.0
    aims = _aims(memory, terms, sensed, feet, error, planned, dcm, support, lean, gait.ratio, setup)
    program = assemble(terms, aims, setup.robot, carrying, (support.limits[0], support.limits[1]), config.weights)
    return Decision(memory, program, carrying, aims.joint_acceleration, error, gait)


@kernel
def _expected(memory: WholeBodyState, sensed: Sensed, carrying: tuple[bool, bool], under: float, climb: float,
              setup: Setup, dt: float) -> AdaptationState:  # fmt: skip
    """What is expected of the next floor, from what carries now (``under``: its limit) and the slope."""
    config, before = setup.config.adaptation, memory.stepping
    slipping = (carrying[0] and sensed.slipping[0]) or (carrying[1] and sensed.slipping[1])
    adaptation = adaptation_step(memory.adaptation, slipping, carrying[0] != carrying[1], under, sensed.ahead, dt)
    if before.phase == STAND:
        adaptation = while_standing(adaptation, sensed.limits)
    elif before.phase == TRANSFER:
        front = 1 - before.swing
        adaptation = found_in_transfer(adaptation, sensed.limits[front], sensed.load[front], config)
    return on_slope(adaptation, climb, under, config)


class Walked(NamedTuple):
    """The steps of a tick, before it is known whether a foot lifts."""

    taken: Command  # as far as it has been taken up
    fresh: Gait  # of that command
    gait: Gait  # under way
    before: SteppingState  # phase so far; a transfer may have begun anew


@kernel
def _walked(memory: WholeBodyState, sensed: Sensed, feet: Feet, allowed: Command, under: float, climb: float,
            setup: Setup, dt: float) -> Walked:  # fmt: skip
    """The allowed command taken up, and the gait that follows; planned anew where the landed foot holds far less."""
    config, before, steady = setup.config, memory.stepping, balances(setup.half_size)
    change = change_of_speed(config.acceleration, under, config.adaptation)
    taken = follow(memory.command, allowed, change, config.turn_acceleration, dt)
    fresh = cautious_gait(taken, allowed, config.steps, setup.patterns, climb)
    if not steady:
        fresh = in_place(fresh)
    gait = underway(memory.gait, fresh, before)
    if before.phase == TRANSFER and steady and climb == 0.0:  # who slows down on a slope falls back
        slow, front = cautious_gait(allowed, allowed, config.steps, setup.patterns, climb), 1 - before.swing
        if too_much(gait, slow, sensed.limits[front], sensed.load[front], config.adaptation):
            anew = transfer_anew(before, feet, slow, setup.middle, config.stepping)
            return Walked(allowed, fresh, slow, anew)
    return Walked(taken, fresh, gait, before)


@kernel
def _height(memory: WholeBodyState, adaptation: AdaptationState, walked: Walked, setup: Setup, dt: float) -> float:
    """Of the centre of mass over the soles [m], a tick later."""
    config = setup.config
    aim = setup.height - (config.adaptation.reflex_drop if careful(adaptation, config.adaptation) else 0.0)
    if walked.before.phase == STAND and walked.gait.still:
        aim = memory.height  # stands as it stood: whoever estimates the tilt needs rest
    change = config.height_rate * dt
    return memory.height + min(max(aim - memory.height, -change), change)


@kernel
def _stepped(memory: WholeBodyState, walked: Walked, terms: Terms, sensed: Sensed, feet: Feet, dcm: Array,
             lifting: tuple[float, float], setup: Setup, dt: float) -> tuple[SteppingState, Gait]:  # fmt: skip
    """The phase a tick later, and its gait: a step that begins is one of the gait that is wanted by now."""
    config, before = setup.config, walked.before
    lifts = may_lift(before, feet, walked.gait, terms.centre_of_mass, dcm, lifting, setup)
    steps = stepping(before, feet, sensed.load, walked.gait, lifts, setup.middle, config.steps, config.stepping, dt)
    if steps.phase != SWING or memory.stepping.phase != TRANSFER:
        return steps, walked.gait
    gait = next_gait(memory.gait, walked.fresh)
    return stepping(before, feet, sensed.load, gait, lifts, setup.middle, config.steps, config.stepping, dt), gait


@kernel
def torques_of(x: Array, decision: Decision, terms: Terms, robot: Robot) -> tuple[Array, Array]:
    """Joint torques (n,) [N m] and forces (2, 3) [N] of the ground on the feet, world, from the program's answer."""
    moved, program = robot.moved, decision.program
    known, corners = 6 + moved.shape[0], robot.corners.shape[1]
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
    forces, column = np.zeros((2, 3)), known
    for foot in range(2):
        if decision.stance[foot]:
            for k in range(3 * corners):
                forces[foot, k % 3] += robot.mass * x[column + k]
            column += 3 * corners
    return torques[6:], forces

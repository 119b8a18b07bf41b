# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking of a humanoid: state, measurements and friction estimates in, joint torques out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.control.ratio_limit import RatioLimit
from biped_slip.control.whole_body.body import Body, with_smaller_soles
from biped_slip.control.whole_body.caution import CautionState, after_transfer, careful, caution_step, cautious_gait
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.control.whole_body.dcm import dcm_reference, natural_rate, uncontrollable_error, wanted_pivot
from biped_slip.control.whole_body.footsteps import Command, Foothold, within_reach
from biped_slip.control.whole_body.program import Wanted, assemble
from biped_slip.control.whole_body.solver import solve
from biped_slip.control.whole_body.stepping import (
    Feet,
    Gait,
    Phase,
    SteppingState,
    foothold_for,
    plan,
    side_of,
    standing,
    stepping,
    swing_on,
)
from biped_slip.control.whole_body.support import USED, Support, into_support, planned_forces, usable_pivot
from biped_slip.control.whole_body.tasks import (
    base_acceleration,
    centre_acceleration,
    joint_bounds,
    sole_acceleration,
)
from biped_slip.control.whole_body.terms import Terms, TermsSource
from biped_slip.estimation.readings import Array
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement, FrictionEstimate

RETARGET = 0.7  # of a swing: later the foothold stays (choice)
ADJUSTMENT_REACH = 0.7  # of half the sole that the pivot is trusted to use before the foothold moves (choice)
LOST = 0.02  # [m] outside of the support: holding both feet down can't stop the fall any more (choice)
LIFT_ERROR = 0.05  # [m] of the DCM at which a step that had to wait is begun (choice)


class WholeBodyAnswer(NamedTuple):
    """One control tick's answer; feet left, right."""

    torques: Array  # (n,) [N m]
    limits: tuple[float, float]  # on the force ratio
    forces: Array  # (2, 3) of the ground on the feet, world [N]
    phase: int
    solved: bool  # the program had an answer inside its constraints
    dcm_error: Array  # (2,) [m]
    gait: Gait


class WholeBodyState(NamedTuple):
    """Memory from tick to tick."""

    stepping: SteppingState
    caution: CautionState
    command: Command  # as far as it has been taken up
    height: float  # of the centre of mass over the soles, likewise [m]


class WholeBodyController:
    """Holds the walk's state and the limits' states; one ``step`` per control tick.

    Args:
        body: the robot.
        config: steps, gains, weights.
        limit: from friction estimates to limits on the force ratio.
    """

    def __init__(self, body: Body, config: WholeBodyConfig, limit: RatioLimit[Any]) -> None:
        self.body, self.config, self._limit = with_smaller_soles(body, config.sole_share), config, limit
        self._terms = TermsSource(body.model, body.soles)
        self.height = config.height_share * body.centre_height
        self.omega = natural_rate(self.height, GRAVITY)
        self._middle, self._half_size = self.body.middle, self.body.half_size
        self.reset()

    def reset(self) -> None:
        """Stand on both feet, nothing known of the floor."""
        self._limits = [self._limit.initial_state(), self._limit.initial_state()]
        self._state: WholeBodyState | None = None

    def step(
        self,
        state: RobotState,
        measurements: tuple[FootMeasurement, FootMeasurement],
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        command: Command,
        dt: float,
    ) -> WholeBodyAnswer:
        """Torques for a commanded velocity of the body; dt [s] is the control period."""
        config, body = self.config, self.body
        self._limits[0], left = self._limit.step(self._limits[0], estimates[0], measurements[0], dt)
        self._limits[1], right = self._limit.step(self._limits[1], estimates[1], measurements[1], dt)
        limits = (left, right)
        terms = self._terms.at(state.q, state.v)
        feet = feet_of(terms)
        weight = body.program.mass * GRAVITY
        load = (measurements[0].force_normal / weight, measurements[1].force_normal / weight)
        memory = self._state or self._first(feet, terms, limits)
        carrying = carrying_feet(memory.stepping)
        slipping = any(carrying[i] and estimates[i].slipping for i in (0, 1))
        caution = caution_step(memory.caution, slipping, dt)
        taken = follow(memory.command, command, config, dt)
        gait = cautious_gait(taken, caution, config.steps, config.caution, self.height, self.omega)
        aim = self.height - (config.caution.reflex_drop if careful(caution, config.caution) else 0.0)
        change = config.height_rate * dt
        height = memory.height + min(max(aim - memory.height, -change), change)

        dcm = terms.centre_of_mass[:2] + terms.centre_velocity[:2] / self.omega
        may_lift = self._may_lift(memory.stepping, feet, gait, terms, dcm, limits)
        steps = stepping(memory.stepping, feet, load, gait, may_lift, self._middle, config.steps, config.stepping, dt)
        if steps.phase == Phase.SWING:
            if memory.stepping.phase == Phase.TRANSFER:
                caution = after_transfer(caution, limits[1 - steps.swing], config.caution)
            steps = swing_on(steps, self._target(steps, feet, gait, dcm), feet.height[1 - steps.swing],
                             config.stepping, dt)  # fmt: skip
        self._state = WholeBodyState(steps, caution, taken, height)
        return self._forces_and_torques(state, terms, feet, gait, dcm, limits)

    def _first(self, feet: Feet, terms: Terms, limits: tuple[float, float]) -> WholeBodyState:
        height = float(terms.centre_of_mass[2]) - 0.5 * (feet.height[0] + feet.height[1])
        start = standing(feet, self._middle, self.config.stepping)
        return WholeBodyState(start, CautionState(min(limits), math.inf), Command(), height)

    def _error(self, steps: SteppingState, feet: Feet, gait: Gait, dcm: Array) -> tuple[Array, Array]:
        """Error (2,) of the DCM and the planned pivot (2,) [m]."""
        path = plan(steps, feet, gait, self._middle, self.config.steps, self.config.stepping)
        return dcm - dcm_reference(path.pivots, path.durations, self.omega), path.pivots[0]

    def _may_lift(self, steps: SteppingState, feet: Feet, gait: Gait, terms: Terms, dcm: Array,
                  limits: tuple[float, float]) -> bool:  # fmt: skip
        """Whether the coming stance foot can carry alone: its friction suffices, or nothing is left to be saved."""
        if steps.phase != Phase.TRANSFER or steps.time < steps.duration:
            return True
        support = self._support((True, True), feet, limits)
        if math.dist(into_support(dcm, support), dcm) > LOST:
            return True
        away = steps.pivot_to - terms.centre_of_mass[:2]
        if math.hypot(away[0], away[1]) > USED * limits[1 - steps.swing] * self.height:
            return False
        waited = steps.time > steps.duration + 0.01
        return not waited or bool(np.abs(self._error(steps, feet, gait, dcm)[0]).max() < LIFT_ERROR)

    def _target(self, steps: SteppingState, feet: Feet, gait: Gait, dcm: Array) -> Foothold:
        """Foothold of the swing foot, moved by the part of the DCM error that the stance foot can't correct."""
        if steps.time > RETARGET * steps.duration:
            return steps.target
        config, swing = self.config, steps.swing
        stance = feet.holds[1 - swing]
        planned = foothold_for(stance, swing, gait, config.steps)
        error, _ = self._error(steps._replace(target=planned), feet, gait, dcm)
        left = steps.duration - steps.time
        move = [
            uncontrollable_error(float(error[k]), ADJUSTMENT_REACH * float(self._half_size[k]), left, self.omega)
            for k in (0, 1)
        ]
        moved = planned._replace(x=planned.x + move[0], y=planned.y + move[1])
        return within_reach(moved, stance, side_of(swing), gait.width, config.steps.packed)

    def _support(self, stance: tuple[bool, bool], feet: Feet, limits: tuple[float, float]) -> Support:
        under = np.empty((2, 2))
        for i, hold in enumerate(feet.holds):
            c, s = math.cos(hold.yaw), math.sin(hold.yaw)
            x, y = self._middle[i]
            under[i] = hold.x + c * x - s * y, hold.y + s * x + c * y
        yaw = np.array([feet.holds[0].yaw, feet.holds[1].yaw])
        return Support(stance, under, yaw, self._half_size, np.minimum(limits, self.config.caution.unlimited))

    def _forces_and_torques(
        self,
        state: RobotState,
        terms: Terms,
        feet: Feet,
        gait: Gait,
        dcm: Array,
        limits: tuple[float, float],
    ) -> WholeBodyAnswer:
        assert self._state is not None
        config, body, steps = self.config, self.body, self._state.stepping
        gains, q, v = config.gains, state.q, state.v
        error, planned = self._error(steps, feet, gait, dcm)
        stance = carrying_feet(steps)
        support = self._support(stance, feet, limits)
        centre = terms.centre_of_mass
        wanted = wanted_pivot(dcm, dcm - error, planned, self.omega, gains.dcm)
        pivot = usable_pivot(wanted, centre[:2], self.height, support)
        floor = 0.5 * (feet.height[0] + feet.height[1])
        if steps.phase == Phase.SWING:
            floor = feet.height[1 - steps.swing]
        acceleration = centre_acceleration(centre, terms.centre_velocity, pivot, floor + self._state.height,
                                           self.omega, gains.height)  # fmt: skip
        total = body.program.mass * (acceleration + np.array([0.0, 0.0, GRAVITY]))
        forces = planned_forces(total, pivot, support, self._probe(steps, centre, support))
        joints = gains.posture * (body.posture - q[7:]) - 2.0 * math.sqrt(gains.posture) * v[6:]
        swing = np.zeros((2, 6))
        if steps.phase == Phase.SWING:
            swing[steps.swing] = sole_acceleration(steps.point, terms, steps.swing, gains.swing)
        yaw = 0.5 * (feet.holds[0].yaw + feet.holds[1].yaw)
        base = base_acceleration(q[3:7], v[3:6], yaw, gains.base)
        legs = body.program.legs
        low, high = joint_bounds(q[legs + 1], v[legs], body.lowest, body.highest, gains.speed_share * body.fastest,
                                 gains.joint_range, gains.joint_speed)  # fmt: skip
        aims = Wanted(acceleration, -gains.momentum * terms.angular_momentum, base, swing, joints, forces, low, high)
        left, right = (math.atan2(forces[i, 1], forces[i, 0]) - feet.holds[i].yaw for i in (0, 1))  # headings
        program = assemble(terms, aims, body.program, stance, (float(support.limits[0]), float(support.limits[1])),
                           (left, right), config.weights.packed)  # fmt: skip
        solution = solve(program)
        return self._answer(solution.x, solution.solved, program, terms, joints, stance, limits, error, gait)

    def _probe(self, steps: SteppingState, centre: Array, support: Support) -> Array:
        """In transfer the coming stance foot already takes the ratio that it will need alone, as far as it may."""
        probe = np.zeros((2, 3))
        if steps.phase == Phase.TRANSFER:
            foot = 1 - steps.swing
            away = (centre[:2] - steps.pivot_to) / self.height
            ratio = math.hypot(away[0], away[1])
            held = min(ratio, USED * support.limits[foot]) / max(ratio, 1e-9)
            probe[foot] = held * away[0], held * away[1], 1.0
        return probe

    def _answer(self, x: Array, solved: bool, program: Any, terms: Terms, joints: Array, stance: tuple[bool, bool],
                limits: tuple[float, float], error: Array, gait: Gait) -> WholeBodyAnswer:  # fmt: skip
        robot = self.body.program
        known = 6 + robot.legs.size
        acceleration = np.empty(self.body.model.nv)
        acceleration[:6], acceleration[robot.legs] = x[:6], x[6:known]
        acceleration[robot.rest] = joints[robot.rest - 6]
        torques = terms.mass_matrix @ acceleration + terms.bias
        torques[robot.legs] = program.torque_rows @ x + program.torque_bias
        forces = np.zeros((2, 3))
        corners = robot.mass * x[known:].reshape(-1, robot.corners.shape[1], 3).sum(axis=1)
        forces[np.flatnonzero(stance)] = corners
        assert self._state is not None
        return WholeBodyAnswer(torques[6:], limits, forces, int(self._state.stepping.phase), solved, error, gait)


def feet_of(terms: Terms) -> Feet:
    """Soles as footholds."""
    left, right = (
        Foothold(
            float(terms.position[i, 0]),
            float(terms.position[i, 1]),
            math.atan2(terms.rotation[i, 1, 0], terms.rotation[i, 0, 0]),
        )
        for i in (0, 1)
    )
    return Feet((left, right), (float(terms.position[0, 2]), float(terms.position[1, 2])))


def carrying_feet(steps: SteppingState) -> tuple[bool, bool]:
    """Which feet are on the floor by plan."""
    lifted = steps.swing if steps.phase == Phase.SWING else -1
    return lifted != 0, lifted != 1


def follow(now: Command, wanted: Command, config: WholeBodyConfig, dt: float) -> Command:
    """The command taken up with bounded acceleration."""
    change, turn = config.acceleration * dt, config.turn_acceleration * dt
    return Command(
        now.forward + min(max(wanted.forward - now.forward, -change), change),
        now.left + min(max(wanted.left - now.left, -change), change),
        now.turn + min(max(wanted.turn - now.turn, -turn), turn),
    )

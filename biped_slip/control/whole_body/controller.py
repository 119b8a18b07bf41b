# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking of a humanoid: state, measurements and friction estimates in, joint torques out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import without_dispatch
from biped_slip.constants import GRAVITY
from biped_slip.control.ratio_limit import RatioLimit
from biped_slip.control.whole_body.body import Body, with_smaller_soles
from biped_slip.control.whole_body.config import WholeBodyConfig
from biped_slip.control.whole_body.dcm import natural_rate
from biped_slip.control.whole_body.decision import decide, first_memory, torques_of
from biped_slip.control.whole_body.floor_frame import (
    LEVEL,
    carried_over,
    compile_for_slopes,
    floor_height,
    frame_about,
    lean_gravity,
    on_floor,
    standing_foot,
)
from biped_slip.control.whole_body.footsteps import Command
from biped_slip.control.whole_body.gait_ratio import Pendulum
from biped_slip.control.whole_body.memory import Sensed, Setup, WholeBodyState
from biped_slip.control.whole_body.pattern_choice import patterns_for
from biped_slip.control.whole_body.points import heading_of, level_points
from biped_slip.control.whole_body.solver import solve
from biped_slip.control.whole_body.stepping import Gait, SteppingState
from biped_slip.control.whole_body.support import balances
from biped_slip.control.whole_body.terms import Terms, TermsSource
from biped_slip.control.whole_body.turning import swing_lever
from biped_slip.estimation.robot_state import RobotState
from biped_slip.estimation.sole_motion import LEVEL_FLOOR
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate

SWINGING = 0.003  # [s^2/m] ratio that a swing foot costs per acceleration (measured: TALOS, 0.3 m/s on mu 0.05)
IN_THE_AIR = 0.01  # body weights on a foot that carries nothing (choice)


class WholeBodyOutput(NamedTuple):
    """One control tick's answer; feet left, right."""

    torques: Array  # (n,) [N m]
    limits: tuple[float, float]  # on the force ratio
    forces: Array  # (2, 3) of the ground on the feet, world [N]
    phase: int
    solved: bool  # the program had an answer inside its constraints
    dcm_error: Array  # (2,) [m]
    gait: Gait
    stepping: SteppingState


class WholeBodyController:
    """Holds the walk's state and the limits' states; one ``step`` per control tick.

    Args:
        body: the robot.
        config: steps, gains, weights.
        limit: from friction estimates to limits on the force ratio.

    Attributes:
        solver: of the program; a benchmark may wrap it.
    """

    def __init__(self, body: Body, config: WholeBodyConfig, limit: RatioLimit[Any]) -> None:
        self.body, self.config, self._limit = with_smaller_soles(body, config.sole_shares), config, limit
        self._terms = TermsSource(body.robot)
        self.height = config.height_share * body.centre_height
        self.omega = natural_rate(self.height, GRAVITY)
        self._weight = body.program.mass * GRAVITY
        pendulum = Pendulum(self.height, self.omega, 0.0, SWINGING, config.stepping.smooth_swing)
        self._setup = Setup(
            self.body.program,
            body.posture,
            body.lowest,
            body.highest,
            config.gains.speed_share * body.fastest,
            self.body.middle,
            self.body.half_size,
            self.height,
            self.omega,
            patterns_for(config.steps, config.stepping, config.pattern, float(self.body.half_size[0]), pendulum),
            swing_lever(body),
            config.packed,
        )
        compile_for_slopes()
        self.solver = solve
        self._decide: Any = None  # these three are compiled at the first tick
        self._torques: Any = None
        self._limited: Any = None
        self.reset()

    def reset(self) -> None:
        """Stand on both feet, nothing known of the floor."""
        self._limits = [self._limit.initial_state(), self._limit.initial_state()]
        self._state: WholeBodyState | None = None
        self._floor = LEVEL

    def _on_floor(self, state: RobotState, rise: Array, load: tuple[float, float]) -> tuple[Array, Terms]:
        """Coordinates and terms in axes that lie on the floor of the foot that carries."""
        q = on_floor(state.q, self._floor)
        terms = self._terms.at(q, state.v)
        if self._state is not None:
            foot = standing_foot(self._state.stepping, load)
            known = self._floor.rise
            if rise[foot, 0] != known[0] or rise[foot, 1] != known[1]:
                old, self._floor = self._floor, frame_about(rise[foot], terms.position[foot], self._floor)
                q = on_floor(state.q, self._floor)
                terms = self._terms.at(q, state.v)
                height = terms.centre_of_mass[2] - floor_height(terms, self._state.stepping)
                self._state = carried_over(self._state, old, self._floor, height)
        if self._floor is not LEVEL:
            lean_gravity(terms, q, self._floor.up)
        return q, terms

    def step(
        self,
        state: RobotState,
        measurements: tuple[FootMeasurement, FootMeasurement],
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        command: Command,
        dt: float,
        rise: Array = LEVEL_FLOOR,
    ) -> WholeBodyOutput:
        """Torques for a commanded velocity of the body; dt [s] is the control period.

        Args:
            rise: (2, 2) of the floor under each foot, along x and y.
        """
        settings = self._limit.settings
        if self._limited is None:
            rule = self._limit.kernel
            self._limited = without_dispatch(rule, self._limits[0], settings, estimates[0], measurements[0], dt)
        self._limits[0], left = self._limited(self._limits[0], settings, estimates[0], measurements[0], dt)
        self._limits[1], right = self._limited(self._limits[1], settings, estimates[1], measurements[1], dt)
        load = measurements[0].force_normal / self._weight, measurements[1].force_normal / self._weight
        limits, setup, (q, terms) = (left, right), self._setup, self._on_floor(state, rise, load)
        if not balances(setup.half_size):
            level_points(terms, heading_of(q) if self._state is None else self._state.heading)
        sensed = Sensed(
            q,
            state.v,
            load,
            limits,
            (_held(estimates[0], left), _held(estimates[1], right)),
            (bool(estimates[0].slipping), bool(estimates[1].slipping)),
            _ahead(measurements, estimates, limits, self._weight),
            self._floor.up,
        )
        memory = self._state if self._state is not None else first_memory(terms, limits, setup)
        if self._decide is None:
            self._decide = without_dispatch(decide, memory, terms, sensed, Command(), dt, setup)
        decision = self._decide(memory, terms, sensed, command, dt, setup)
        self._state = decision.memory
        solution = self.solver(decision.program)
        if self._torques is None:
            self._torques = without_dispatch(torques_of, solution.x, decision, terms, setup.robot)
        torques, forces = self._torques(solution.x, decision, terms, setup.robot)
        stepping = decision.memory.stepping
        if self._floor is not LEVEL:
            forces = forces @ self._floor.rotation.T
        return WholeBodyOutput(torques, limits, forces, stepping.phase, solution.solved, decision.error, decision.gait,
                               stepping)  # fmt: skip


def _held(estimate: FrictionEstimate, limit: float) -> float:
    """Force ratio that the floor under a foot is known to hold: its limit if that is certain, or what it has held."""
    if estimate.usable:
        return limit
    return estimate.witnessed if estimate.witnessed > 0.0 else 0.0  # not NaN


def _ahead(
    measurements: tuple[FootMeasurement, FootMeasurement],
    estimates: tuple[FrictionEstimate, FrictionEstimate],
    limits: tuple[float, float],
    weight: float,
) -> float:
    """Limit known of the floor where feet in the air are going; infinite where nothing is known of it."""
    known = [
        limit
        for measured, estimate, limit in zip(measurements, estimates, limits, strict=True)
        if estimate.usable and measured.force_normal < IN_THE_AIR * weight
    ]
    return min(known, default=math.inf)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The lower half of the loop: robot state and friction estimates in, joint torques out."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.control.force_distribution import FootForces, distribute_through_hip, driven_rate
from biped_slip.control.gait import DOUBLE_SUPPORT, GaitState
from biped_slip.control.moment_distribution import distribute_with_moment, pendulum_rate
from biped_slip.control.probing import FloorsKnown, ProbeState
from biped_slip.control.ratio_limit import RatioLimit
from biped_slip.control.walking import Body, WalkingConfig, WalkingInputs, WalkingState, walking_step
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement, FrictionEstimate, released
from biped_slip.robots.model_functions import Array, model_functions
from biped_slip.robots.robot import Robot, Root
from biped_slip.robots.two_link_leg import leg_lengths

TORSOS: dict[Root, dict[str, Callable[..., Any]]] = {
    Root.SAGITTAL: {"distribute": distribute_through_hip, "falling_rate": driven_rate},
    Root.SAGITTAL_PITCH: {"distribute": distribute_with_moment, "falling_rate": pendulum_rate},
}


class ControlAnswer(NamedTuple):
    """One control tick's answer."""

    torques: Array  # (n,) in the robot's joint order [N m]
    limits: tuple[float, float]
    forces: FootForces
    phase: int


class WalkingController:
    """Holds the gait's state and the limits' states; one ``step`` per control tick."""

    def __init__(self, robot: Robot, config: WalkingConfig, limit: RatioLimit[Any], slope: float = 0.0) -> None:
        self._config, self._limit, self._slope = config.packed, limit, slope
        self._body = Body(robot.mass, leg_lengths(robot), robot.effort_limits)
        self._kernel = model_functions(robot).bind(walking_step, **TORSOS[robot.root])
        self.reset()

    def reset(self) -> None:
        """Stand on both feet, no limits known."""
        gait = GaitState(DOUBLE_SUPPORT, 0.0, 0.0, 0.0, 0.0, 0.0)
        self._state = WalkingState(gait, ProbeState(-1, 0.0, 0.0, False))
        self._limits = [self._limit.initial_state(), self._limit.initial_state()]

    def step(
        self,
        state: RobotState,
        measurements: tuple[FootMeasurement, FootMeasurement],
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        speed: float,
        dt: float,
    ) -> ControlAnswer:
        """Torques for a commanded speed along the floor [m/s]; dt [s] is the control period."""
        self._limits[0], left = self._limit.step(self._limits[0], estimates[0], measurements[0], dt)
        self._limits[1], right = self._limit.step(self._limits[1], estimates[1], measurements[1], dt)
        inputs = WalkingInputs(
            state.q,
            state.v,
            (measurements[0].force_normal, measurements[1].force_normal),
            (left, right),
            FloorsKnown(
                (released(estimates[0]), released(estimates[1])),
                (bool(estimates[0].slipping), bool(estimates[1].slipping)),
            ),
            speed,
            self._slope,
        )
        self._state, output = self._kernel(self._state, inputs, self._config, self._body, dt)
        return ControlAnswer(output.torques, (left, right), output.forces, self._state.gait.phase)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The lower half of the loop: robot state and friction estimates in, joint torques out."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, cast

from biped_slip.compile.kernel import specialise
from biped_slip.control.planar.force_distribution import FootForces, distribute_through_hip, driven_rate
from biped_slip.control.planar.gait import DOUBLE_SUPPORT, GaitState
from biped_slip.control.planar.moment_distribution import distribute_with_moment, pendulum_rate
from biped_slip.control.planar.probing import FloorsKnown, ProbeState
from biped_slip.control.planar.walking import (
    Body,
    Walking,
    WalkingConfig,
    WalkingInputs,
    WalkingOutput,
    WalkingState,
    walking_step,
)
from biped_slip.control.ratio_limit import RatioLimit
from biped_slip.estimation.foot_measurement import Feet
from biped_slip.estimation.friction_observer import Estimates
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate, released
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


class ControlMemory(NamedTuple):
    """What one control tick hands to the next."""

    left: Any  # state of the limit
    right: Any
    walking: WalkingState


class ControlSettings(NamedTuple):
    """For the kernel."""

    slope: float  # of the floor [rad]
    limit: Any
    walking: Walking
    body: Body


def limit(*_: Any) -> tuple[Any, float]:
    """Bound to the kernel of a limit."""
    raise NotImplementedError


def walk(*_: Any) -> tuple[WalkingState, WalkingOutput]:
    """Bound to :func:`walking_step` of a robot."""
    raise NotImplementedError


def control(
    memory: ControlMemory,
    state: RobotState,
    feet: Feet,
    estimates: Estimates,
    speed: float,
    settings: ControlSettings,
    dt: float,
) -> tuple[ControlMemory, ControlAnswer]:
    """Torques for a commanded speed along the floor [m/s]; dt [s] is the control period."""
    left, limit_left = limit(memory.left, settings.limit, estimates.left, feet.left, dt)
    right, limit_right = limit(memory.right, settings.limit, estimates.right, feet.right, dt)
    limits = (limit_left, limit_right)
    known = FloorsKnown(
        (released(estimates.left), released(estimates.right)), (estimates.left.slipping, estimates.right.slipping)
    )
    loads = (feet.left.force_normal, feet.right.force_normal)
    inputs = WalkingInputs(state.q, state.v, loads, limits, known, speed, settings.slope)
    walking, output = walk(memory.walking, inputs, settings.walking, settings.body, dt)
    answer = ControlAnswer(output.torques, limits, output.forces, walking.gait.phase)
    return ControlMemory(left, right, walking), answer


class WalkingController:
    """Holds the gait's state and the limits' states; one ``step`` per control tick."""

    def __init__(self, robot: Robot, config: WalkingConfig, limit: RatioLimit[Any], slope: float = 0.0) -> None:
        self._limit = limit
        body = Body(robot.mass, leg_lengths(robot), robot.effort_limits)
        self.settings = ControlSettings(slope, limit.settings, config.packed, body)
        walking = model_functions(robot).bind(walking_step, **TORSOS[robot.root])
        self.kernel: Any = specialise(
            cast(Any, control), {"limit": limit.kernel, "walk": walking}, robot.key, inside="text"
        )
        self.reset()

    def reset(self) -> None:
        """Stand on both feet, no limits known."""
        self.memory = self.fresh()

    def fresh(self) -> ControlMemory:
        """Standing on both feet, no limits known."""
        gait = GaitState(DOUBLE_SUPPORT, 0.0, 0.0, 0.0, 0.0, 0.0)
        walking = WalkingState(gait, ProbeState(-1, 0.0, 0.0, False))
        return ControlMemory(self._limit.initial_state(), self._limit.initial_state(), walking)

    def step(
        self,
        state: RobotState,
        measurements: tuple[FootMeasurement, FootMeasurement],
        estimates: tuple[FrictionEstimate, FrictionEstimate],
        speed: float,
        dt: float,
    ) -> ControlAnswer:
        """Torques for a commanded speed along the floor [m/s]; dt [s] is the control period."""
        feet, known = Feet(*measurements), Estimates(*estimates)
        self.memory, answer = self.kernel(self.memory, state, feet, known, speed, self.settings, dt)
        return answer

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped's loop, sensors to torques: state, feet, friction, limits, gait; the same under every driver."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.control.planar.force_distribution import distribute_through_hip, driven_rate
from biped_slip.control.planar.gait import DOUBLE_SUPPORT, GaitState
from biped_slip.control.planar.moment_distribution import distribute_with_moment, pendulum_rate
from biped_slip.control.planar.probing import FloorsKnown, ProbeState
from biped_slip.control.planar.walking import (
    Body,
    Torso,
    Walking,
    WalkingInputs,
    WalkingState,
    WalkingStep,
    walking_step,
)
from biped_slip.control.ratio_limit import LimitStep
from biped_slip.estimation.foot_measurement import Feet, MeasureFeet, SagittalMotion
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import SensorReadings, own
from biped_slip.estimation.robot_state import RobotState, robot_state
from biped_slip.friction_estimation.types import NAN, Estimates, FrictionEstimate, released
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot, Root
from biped_slip.robots.two_link_leg import leg_lengths
from biped_slip.walking.config import PlanarWalkingConfig
from biped_slip.walking.controller import PERIOD, ControlOutput, FootEstimates
from biped_slip.walking.observer import FrictionObserver, Observe, ObserverSettings, ObserverState
from biped_slip.walking.slip_policy import SlipPolicy

NO_STAMP = -1  # [ns]
TORSOS = {
    Root.SAGITTAL: Torso(distribute_through_hip, driven_rate),
    Root.SAGITTAL_PITCH: Torso(distribute_with_moment, pendulum_rate),
}


class PlanarOutput(NamedTuple):
    """What the controller made of one instant; pairs are left, right."""

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    wanted_ratio: tuple[float, float]
    limits: tuple[float, float]
    torques: Array  # (n,) [N m]
    phase: int


def planar_output(output: ControlOutput) -> PlanarOutput:
    """What any controller of the planar biped made of an instant; NaN where it has no such quantity."""
    if isinstance(output, PlanarOutput):
        return output
    return PlanarOutput(output.estimates, (NAN, NAN), (NAN, NAN), output.torques, DOUBLE_SUPPORT)


class LoopState(NamedTuple):
    """What one reading hands to the next."""

    stamp_ns: int  # of the last reading; NO_STAMP before the first
    observer: ObserverState
    left: Any  # of the limit
    right: Any
    walking: WalkingState


class LoopSettings(NamedTuple):
    """For the kernels."""

    period: float  # of control [s], the time step of the first reading
    slope: float  # of the floor [rad]
    observer: ObserverSettings
    limit: Any
    walking: Walking
    body: Body


LoopStep = Callable[[LoopState, SensorReadings, float, LoopSettings], tuple[LoopState, PlanarOutput]]
"""(state, readings, commanded speed [m/s], settings) -> (state, output)."""


@kernel
def time_step(before_ns: int, stamp_ns: int, first: float) -> float:
    """Difference of two stamps [s]; ``first`` when there is none before."""
    return first if before_ns == NO_STAMP else 1e-9 * (stamp_ns - before_ns)


def planar_loop(observe: Observe, limit: LimitStep, walk: WalkingStep) -> LoopStep:
    """Kernel of the whole loop."""
    control = limited_walking(limit, walk)

    @kernel(inline="text")
    def step(
        state: LoopState, readings: SensorReadings, speed: float, settings: LoopSettings
    ) -> tuple[LoopState, PlanarOutput]:
        """Torques for one reading and a commanded speed [m/s]."""
        since = time_step(state.stamp_ns, readings.stamp_ns, 0.0)
        observer, seen = observe(state.observer, readings, settings.observer, since)
        return control(
            state, readings.stamp_ns, observer, seen.state, seen.measurements, seen.estimates, speed, settings
        )

    return step


def planar_loop_with_estimates(measure: MeasureFeet, limit: LimitStep, walk: WalkingStep) -> Callable[..., Any]:
    """Kernel of the same loop with estimates from elsewhere; the estimators' states stay as they are."""
    control = limited_walking(limit, walk)

    @kernel
    def step(
        state: LoopState, readings: SensorReadings, estimates: Estimates, speed: float, settings: LoopSettings
    ) -> tuple[LoopState, PlanarOutput]:
        """Torques for one reading, estimates of both feet and a commanded speed [m/s]."""
        told, before = settings.observer, state.observer
        body, since = robot_state(readings, told.root), time_step(state.stamp_ns, readings.stamp_ns, 0.0)
        motion, feet = measure(before.motion, readings, body.q, body.v, told.motion, told.slope, since)
        observer = ObserverState(motion, before.left, before.right)
        return control(state, readings.stamp_ns, observer, body, feet, estimates, speed, settings)

    return step


def limited_walking(limit: LimitStep, walk: WalkingStep) -> Callable[..., tuple[LoopState, PlanarOutput]]:
    """Kernel of the lower half: limits from the estimates, a tick of walking inside them."""

    @kernel(inline="text")
    def control(
        state: LoopState,
        stamp_ns: int,
        observer: ObserverState,
        body: RobotState,
        feet: Feet,
        estimates: Estimates,
        speed: float,
        settings: LoopSettings,
    ) -> tuple[LoopState, PlanarOutput]:
        """Torques for what is known of robot and floor at an instant [ns]."""
        dt = time_step(state.stamp_ns, stamp_ns, settings.period)
        left, limit_left = limit(state.left, settings.limit, estimates.left, feet.left, dt)
        right, limit_right = limit(state.right, settings.limit, estimates.right, feet.right, dt)
        limits = (limit_left, limit_right)
        known = FloorsKnown(
            (released(estimates.left), released(estimates.right)), (estimates.left.slipping, estimates.right.slipping)
        )
        loads = (feet.left.force_normal, feet.right.force_normal)
        inputs = WalkingInputs(body.q, body.v, loads, limits, known, speed, settings.slope)
        walking, walked = walk(state.walking, inputs, settings.walking, settings.body, dt)
        output = PlanarOutput(
            (estimates.left, estimates.right), walked.forces.wanted_ratio, limits, walked.torques, walking.gait.phase
        )
        return LoopState(stamp_ns, observer, left, right, walking), output

    return control


class PlanarController:
    """Walks the planar biped as its configuration commands.

    Args:
        robot: to be walked.
        config: gains and the speed command over time.
        policy: estimator and limit.
        motion: where the motion of the feet comes from.
        slope: of the floor, as far as known [rad].
        period: of control [s], the time step of the first reading.
    """

    reserve: Problem | None = None  # it walks or it stops

    def __init__(
        self,
        robot: Robot,
        config: PlanarWalkingConfig,
        policy: SlipPolicy,
        motion: SagittalMotion,
        slope: float,
        period: float = PERIOD,
    ) -> None:
        self._config, self._limit = config, policy.limit
        self.speed_scale = 1.0  # of the commanded speed; may change at any time
        self._observer = FrictionObserver(robot, policy.estimator, motion)
        body = Body(robot.mass, leg_lengths(robot), robot.effort_limits)
        self.settings = LoopSettings(
            period, slope, self._observer.settings, policy.limit.settings, config.controller.packed, body
        )
        walk = walking_step(model_functions(robot), TORSOS[robot.root])
        self.kernel = planar_loop(self._observer.kernel, policy.limit.kernel, walk)
        self._with_estimates = planar_loop_with_estimates(motion.kernel, policy.limit.kernel, walk)
        self._quick: dict[bool, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Stand on both feet, nothing known, as before the first reading."""
        walking = WalkingState(GaitState(DOUBLE_SUPPORT, 0.0, 0.0, 0.0, 0.0, 0.0), ProbeState(-1, 0.0, 0.0, False))
        left, right = self._limit.initial_state(), self._limit.initial_state()
        self.state = LoopState(NO_STAMP, self._observer.fresh(), left, right, walking)
        self.moving = False  # commanded to move, or in a step

    def step(self, readings: SensorReadings, estimates: FootEstimates | None = None) -> PlanarOutput:
        """Torques for one reading, with estimates from elsewhere or, without them, its own.

        The time step is the difference of the stamps, at the first reading the control period.
        """
        speed = self.speed_scale * self._config.speed.at(1e-9 * readings.stamp_ns)
        self.moving = speed > self._config.controller.gait.walking_speed
        known = () if estimates is None else (Estimates(*estimates),)
        inputs = (self.state, own(readings), *known, speed, self.settings)
        quick = self._quick.get(estimates is None)
        if quick is None:
            chosen = self.kernel if estimates is None else self._with_estimates
            quick = self._quick[estimates is None] = without_dispatch(chosen, *inputs)
        output: PlanarOutput
        self.state, output = quick(*inputs)
        self.moving = self.moving or output.phase != DOUBLE_SUPPORT
        return output

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The upper half of the loop: sensor readings in, friction estimates of both feet out."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, cast

from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.foot_measurement import Feet, MeasureFeet, SagittalMotion
from biped_slip.estimation.readings import SensorReadings, own, trial_readings
from biped_slip.estimation.robot_state import RobotState, robot_state
from biped_slip.friction_estimation.types import CompiledEstimator, Estimates, EstimatorStep, FrictionEstimator
from biped_slip.robots.robot import Robot


class Observation(NamedTuple):
    """One tick's answer."""

    state: RobotState
    measurements: Feet
    estimates: Estimates


class ObserverState(NamedTuple):
    """What one reading hands to the next."""

    motion: Any  # of the source of motion
    left: Any  # of the estimator
    right: Any


class ObserverSettings(NamedTuple):
    """For the kernels."""

    root: int  # coordinates of the base
    slope: float  # of the floor [rad]
    motion: Any
    estimator: Any


Observe = Callable[[ObserverState, SensorReadings, ObserverSettings, float], tuple[ObserverState, Observation]]
"""(state, readings, settings, dt) -> (state, observation)."""


def observer(measure: MeasureFeet, estimate: EstimatorStep) -> Observe:
    """Kernel from sensors to estimates, with a source of motion and an estimator."""

    @kernel(inline="text")
    def observe(
        state: ObserverState, readings: SensorReadings, settings: ObserverSettings, dt: float
    ) -> tuple[ObserverState, Observation]:
        """One reading dt [s] after the last; 0 at the first. An estimator may overwrite buffers of its state."""
        body = robot_state(readings, settings.root)
        motion, feet = measure(state.motion, readings, body.q, body.v, settings.motion, settings.slope, dt)
        left, first = estimate(state.left, settings.estimator, feet.left, dt)
        right, second = estimate(state.right, settings.estimator, feet.right, dt)
        return ObserverState(motion, left, right), Observation(body, feet, Estimates(first, second))

    return observe


class FrictionObserver:
    """Runs one estimator under each foot; holds their states and the stamp of the last reading."""

    def __init__(self, robot: Robot, estimator: FrictionEstimator[Any], motion: SagittalMotion) -> None:
        if not hasattr(estimator, "kernel"):
            limit = "compiled, with kernel and settings, as the planar loop is compiled as a whole"
            raise InvalidParameter("estimator", type(estimator).__name__, limit)
        compiled = cast(CompiledEstimator[Any], estimator)
        self._estimator, self._motion = compiled, motion
        self.settings = ObserverSettings(robot.root_size, motion.slope, motion.settings, compiled.settings)
        self.kernel = observer(motion.kernel, compiled.kernel)
        self._quick: Any = None
        self.reset()

    def try_out(self, joints: int) -> None:
        """Compile now, on trial readings of so many joints, what the first sample needs; nothing of them is kept."""
        for readings in trial_readings(joints):
            self.step(readings)
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self.state = self.fresh()
        self._stamp_ns: int | None = None

    def fresh(self) -> ObserverState:
        """Before the first reading."""
        return ObserverState(self._motion.fresh, self._estimator.initial_state(), self._estimator.initial_state())

    def faults(self) -> tuple[str, str]:
        """Why the last sample of each foot was invalid, where the estimator can say it; else empty."""
        fault: Callable[[Any], str] | None = getattr(self._estimator, "fault", None)
        left, right = ("" if fault is None else fault(state) for state in (self.state.left, self.state.right))
        return left, right

    def step(self, readings: SensorReadings) -> Observation:
        """One reading later; the time step is the difference of the stamps (0 at the first reading)."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        inputs = (self.state, own(readings), self.settings, dt)
        if self._quick is None:
            self._quick = without_dispatch(self.kernel, *inputs)
        seen: Observation
        self.state, seen = self._quick(*inputs)
        return seen

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The upper half of the loop: sensor readings in, friction estimates of both feet out."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, cast

from biped_slip.compile.kernel import specialise, without_dispatch
from biped_slip.estimation.foot_measurement import Feet, SagittalMotion
from biped_slip.estimation.readings import SensorReadings, own
from biped_slip.estimation.robot_state import RobotState, robot_state
from biped_slip.friction_estimation.types import CompiledEstimator, FrictionEstimate
from biped_slip.robots.robot import Robot


class Estimates(NamedTuple):
    """Of both feet."""

    left: FrictionEstimate
    right: FrictionEstimate


class Observation(NamedTuple):
    """One tick's answer, feet left and right."""

    state: RobotState
    measurements: Feet
    estimates: Estimates


class ObserverMemory(NamedTuple):
    """What one reading hands to the next."""

    motion: Any
    left: Any  # state of the estimator
    right: Any


class ObserverSettings(NamedTuple):
    """For the kernel."""

    root: int  # coordinates of the base
    slope: float  # of the floor [rad]
    motion: Any
    estimator: Any


def measure(*_: Any) -> tuple[Any, Feet]:
    """Bound to the kernel of a source of motion."""
    raise NotImplementedError


def estimate(*_: Any) -> tuple[Any, FrictionEstimate]:
    """Bound to the kernel of an estimator."""
    raise NotImplementedError


def observe(
    memory: ObserverMemory, readings: SensorReadings, settings: ObserverSettings, dt: float
) -> tuple[ObserverMemory, Observation]:
    """One reading dt [s] after the last; 0 at the first. An estimator's state may be buffers that are overwritten."""
    state = robot_state(readings, settings.root)
    motion, feet = measure(memory.motion, readings, state.q, state.v, settings.motion, settings.slope, dt)
    left, first = estimate(memory.left, settings.estimator, feet.left, dt)
    right, second = estimate(memory.right, settings.estimator, feet.right, dt)
    return ObserverMemory(motion, left, right), Observation(state, feet, Estimates(first, second))


class FrictionObserver:
    """Runs one estimator under each foot; holds their states and the stamp of the last reading."""

    def __init__(self, robot: Robot, estimator: CompiledEstimator[Any], motion: SagittalMotion) -> None:
        self._estimator, self._motion = estimator, motion
        self.settings = ObserverSettings(robot.root_size, motion.slope, motion.settings, estimator.settings)
        parts = {"measure": motion.kernel, "estimate": estimator.kernel}
        self.kernel: Any = specialise(cast(Any, observe), parts, robot.key, inside="text")
        self._quick: Any = None
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self.memory = self.fresh()
        self._stamp_ns: int | None = None

    def fresh(self) -> ObserverMemory:
        """Before the first reading."""
        return ObserverMemory(self._motion.fresh, self._estimator.initial_state(), self._estimator.initial_state())

    def faults(self) -> tuple[str, str]:
        """Why the last sample of each foot was invalid, where the estimator can say it; else empty."""
        fault: Callable[[Any], str] | None = getattr(self._estimator, "fault", None)
        left, right = ("" if fault is None else fault(state) for state in (self.memory.left, self.memory.right))
        return left, right

    def step(self, readings: SensorReadings) -> Observation:
        """One reading later; the time step is the difference of the stamps (0 at the first reading)."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        inputs = (self.memory, own(readings), self.settings, dt)
        if self._quick is None:
            self._quick = without_dispatch(self.kernel, *inputs)
        seen: Observation
        self.memory, seen = self._quick(*inputs)
        return seen

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The upper half of the loop: sensor readings in, friction estimates of both feet out."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from biped_slip.estimation.foot_measurement import MotionSource
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState, robot_state
from biped_slip.friction.types import FootMeasurement, FrictionEstimate, FrictionEstimator
from biped_slip.robots.robot import Robot


class Observation(NamedTuple):
    """One tick's answer, feet left and right."""

    state: RobotState
    measurements: tuple[FootMeasurement, FootMeasurement]
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    dt: float = 0.0  # since the reading before [s]; 0 at the first


StateOf = Callable[[SensorReadings], RobotState]


class FrictionObserver:
    """Runs one estimator under each foot; holds their states and the stamp of the last reading.

    Args:
        robot: the model.
        estimator: of friction.
        motion: where the motion of the soles comes from.
        state_of: coordinates and velocities from readings; those of a sagittal robot by default.
    """

    def __init__(
        self,
        robot: Robot,
        estimator: FrictionEstimator[Any],
        motion: MotionSource,
        state_of: StateOf | None = None,
    ) -> None:
        self._state_of = state_of or (lambda readings: robot_state(readings, robot.root_size))
        self._motion = motion
        self._estimator = estimator
        self.reset()

    def reset(self) -> None:
        """Forget everything, as before the first reading."""
        self._motion.reset()
        self._states = [self._estimator.initial_state(), self._estimator.initial_state()]
        self._stamp_ns: int | None = None

    def faults(self) -> tuple[str, str]:
        """Why the last sample of each foot was invalid, where the estimator can say it; else empty."""
        fault: Callable[[Any], str] | None = getattr(self._estimator, "fault", None)
        left, right = ("" if fault is None else fault(state) for state in self._states)
        return left, right

    def step(self, readings: SensorReadings) -> Observation:
        """One reading later; the time step is the difference of the stamps (0 at the first reading)."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        state = self._state_of(readings)
        measurements = self._motion.measure(state, readings)
        self._states[0], left = self._estimator.step(self._states[0], measurements[0], dt)
        self._states[1], right = self._estimator.step(self._states[1], measurements[1], dt)
        return Observation(state, measurements, (left, right), dt)

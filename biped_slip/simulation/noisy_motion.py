# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A sensor of foot displacement with white noise; the velocity is what can be had from it causally."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.signal import butter

from biped_slip.estimation.foot_measurement import FloorConfig, MotionSource, OdometryMotion
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement
from biped_slip.robots.robot import Robot
from biped_slip.simulation.scenario import ScenarioConfig

CUT_OFF = 30.0  # [Hz] second-order Butterworth on the differenced displacement (study 2)


class NoisyMotion:
    """Adds noise to another source's displacement and differentiates the result (study 2).

    Args:
        source: the true motion.
        sigma: rms noise of each displacement [m].
        period: time between samples [s].
        rng: where the noise comes from.
    """

    def __init__(self, source: MotionSource, sigma: float, period: float, rng: Generator) -> None:
        self._source, self._sigma, self._period, self._rng = source, sigma, period, rng
        self._first = rng.bit_generator.state
        self._b, self._a = butter(2, 2.0 * CUT_OFF * period)
        self.reset()

    def reset(self) -> None:
        """As before the first reading; the noise repeats itself."""
        self._source.reset()
        self._rng.bit_generator.state = self._first
        self._before: np.ndarray | None = None
        self._memory = np.zeros((2, 2))  # transposed direct form, one row a foot

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        true = self._source.measure(state, readings)
        position = np.array([m.displacement_x for m in true]) + self._sigma * self._rng.standard_normal(2)
        rate = np.zeros(2) if self._before is None else (position - self._before) / self._period
        self._before = position
        velocity = self._b[0] * rate + self._memory[:, 0]
        self._memory[:, 0] = self._b[1] * rate - self._a[1] * velocity + self._memory[:, 1]
        self._memory[:, 1] = self._b[2] * rate - self._a[2] * velocity
        left, right = (
            m._replace(displacement_x=float(x), velocity_x=float(v))
            for m, x, v in zip(true, position, velocity, strict=True)
        )
        return left, right


def motion_source(robot: Robot, scenario: ScenarioConfig, floor: FloorConfig, seed: int) -> MotionSource:
    """Odometry and joints; with noise where the scenario's sensor of foot motion has some."""
    ideal, sigma = OdometryMotion(robot, floor), scenario.sensors.foot_displacement_noise
    if sigma == 0.0:
        return ideal
    period = 1e-9 * scenario.plant.control_period_ns
    return NoisyMotion(ideal, sigma, period, np.random.default_rng([seed, 1]))

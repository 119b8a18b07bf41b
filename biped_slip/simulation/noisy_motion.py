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
        self._b, self._a = (coefficients.tolist() for coefficients in butter(2, 2.0 * CUT_OFF * period))
        self.reset()

    def reset(self) -> None:
        """As before the first reading; the noise repeats itself."""
        self._source.reset()
        self._rng.bit_generator.state = self._first
        self._before: tuple[float, float] | None = None
        self._memory = [(0.0, 0.0), (0.0, 0.0)]  # of the filter in transposed direct form, per foot

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        left, right = self._source.measure(state, readings)
        noise = self._sigma * self._rng.standard_normal(2)
        position = left.displacement_x + float(noise[0]), right.displacement_x + float(noise[1])
        before = position if self._before is None else self._before
        self._before = position
        velocity = [self._low_pass(foot, (position[foot] - before[foot]) / self._period) for foot in (0, 1)]
        return (
            left._replace(displacement_x=position[0], velocity_x=velocity[0]),
            right._replace(displacement_x=position[1], velocity_x=velocity[1]),
        )

    def _low_pass(self, foot: int, rate: float) -> float:
        """Filtered rate of one foot [m/s]."""
        (b0, b1, b2), (_, a1, a2), (first, second) = self._b, self._a, self._memory[foot]
        velocity = b0 * rate + first
        self._memory[foot] = b1 * rate - a1 * velocity + second, b2 * rate - a2 * velocity
        return velocity


def motion_source(robot: Robot, scenario: ScenarioConfig, floor: FloorConfig, seed: int) -> MotionSource:
    """Odometry and joints; with noise where the scenario's sensor of foot motion has some."""
    ideal, sigma = OdometryMotion(robot, floor), scenario.sensors.foot_displacement_noise
    if sigma == 0.0:
        return ideal
    period = 1e-9 * scenario.plant.control_period_ns
    return NoisyMotion(ideal, sigma, period, np.random.default_rng([seed, 1]))

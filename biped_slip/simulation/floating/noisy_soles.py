# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Noise between a simulated humanoid and its controller: forces one tick old and noisy, soles' motion noisy."""

from __future__ import annotations

from numpy.random import Generator

from biped_slip.estimation.foot_measurement import MotionSource
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement


class NoisySoles:
    """A motion source whose displacements carry white noise and whose forces are noisy and one sample old.

    Args:
        source: the true measurements.
        displacement: standard deviation of each displacement [m].
        force: standard deviation of each force axis [N].
        rng: where the noise comes from.
    """

    def __init__(self, source: MotionSource, displacement: float, force: float, rng: Generator) -> None:
        self._source, self._displacement, self._force, self._rng = source, displacement, force, rng
        self._first = rng.bit_generator.state
        self.reset()

    def reset(self) -> None:
        """As before the first reading; the noise repeats itself."""
        self._source.reset()
        self._rng.bit_generator.state = self._first
        self._before: SensorReadings | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot."""
        wrench = (self._before or readings).wrench_ground_on_foot_in_sole.copy()
        self._before = readings
        wrench[:, :3] += self._force * self._rng.standard_normal((2, 3))
        feet = self._source.measure(state, readings._replace(wrench_ground_on_foot_in_sole=wrench))
        noise = self._displacement * self._rng.standard_normal((2, 2))
        left, right = (
            foot._replace(displacement_x=foot.displacement_x + dx, displacement_y=foot.displacement_y + dy)
            for foot, (dx, dy) in zip(feet, noise, strict=True)
        )
        return left, right

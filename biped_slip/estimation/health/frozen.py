# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of which no number changes: mock hardware, or a driver that sends its last values for ever.

A robot that stands still does not do that: its sensors have noise, and its forces tremble in the last digit.
"""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.estimation.problem import Problem
from biped_slip.estimation.readings import SensorReadings


class FrozenInputs:
    """One ``step`` per reading.

    Args:
        limit: for how long every number may stand still [s].
    """

    def __init__(self, limit: float = 0.1) -> None:
        self._limit = limit
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._last: Array | None = None
        self._still = 0.0  # [s]

    def step(self, readings: SensorReadings, dt: float) -> Problem | None:
        """What is wrong with a reading, dt [s] after the last one."""
        numbers = np.concatenate(
            (
                readings.joint_position,
                readings.joint_velocity,
                readings.specific_force_in_base,
                readings.angular_velocity_in_base,
                readings.wrench_ground_on_foot_in_sole.ravel(),
            )
        )
        same = self._last is not None and np.array_equal(numbers, self._last)
        self._still, self._last = self._still + dt if same else 0.0, numbers
        if self._still <= self._limit:
            return None
        return Problem("frozen input", f"no number of joints, IMU and wrenches has changed for {self._limit:g} s")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Positions of the feet from outside the robot: motion capture, a force-plate rig, a cable sensor."""

from __future__ import annotations

import math

from biped_slip.estimation.foot_measurement import FloorConfig, OdometryMotion
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState
from biped_slip.friction.types import FootMeasurement
from biped_slip.robots.robot import Robot

CUT_OFF = 30.0  # [Hz] second-order Butterworth on the differenced displacement (study 2)


class DifferencedPosition:
    """Velocity of a noisy position: first difference, causal second-order Butterworth (study 2)."""

    def __init__(self) -> None:
        self._before = math.nan
        self._memory = (0.0, 0.0)  # transposed direct form

    def step(self, position: float, dt: float) -> float:
        """Velocity [m/s]; 0 at the first position."""
        rate = 0.0 if math.isnan(self._before) or dt <= 0.0 else (position - self._before) / dt
        self._before = position
        k = math.tan(math.pi * min(CUT_OFF * dt, 0.4))  # bilinear; coarser samples hardly need it
        scale = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
        b, a1, a2 = k * k * scale, 2.0 * (k * k - 1.0) * scale, (1.0 - math.sqrt(2.0) * k + k * k) * scale
        first, second = self._memory
        velocity = b * rate + first
        self._memory = (2.0 * b * rate - a1 * velocity + second, b * rate - a2 * velocity)
        return velocity


class ExternalMotion:
    """Force from the feet's own sensors, motion from ``foot_position_in_world``."""

    def __init__(self, robot: Robot, floor: FloorConfig) -> None:
        self._forces = OdometryMotion(robot, floor)
        self._along = math.cos(floor.slope), math.sin(floor.slope)
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._velocities = (DifferencedPosition(), DifferencedPosition())
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot; a position that is lost is not measured."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        c, s = self._along
        measured = list(self._forces.measure(state, readings))
        for foot, place in enumerate(readings.foot_position_in_world):
            x = float(place[0] * c + place[2] * s)
            velocity = self._velocities[foot].step(x, dt)
            if math.isnan(velocity):
                self._velocities = tuple(  # type: ignore[assignment]
                    DifferencedPosition() if k == foot else self._velocities[k] for k in (0, 1)
                )
            measured[foot] = measured[foot]._replace(displacement_x=x, velocity_x=velocity)
        return measured[0], measured[1]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each foot measures of its floor: force and motion in the floor frame under it.

The motion of the foot comes from odometry, joints and the robot model, never from "the stance foot is still": that
would make every displacement zero by construction, and friction is visible only through displacement (study 4).
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.estimation.readings import RobotState, SensorReadings
from biped_slip.friction_estimation.types import FootMeasurement
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.robot import Robot


@configuration
class FloorConfig(Configuration):
    """What is known of the floor's shape."""

    slope: float = parameter(0.0, unit="rad", low=-0.5, high=0.5, doc="incline of the floor along x, positive uphill")


class Feet(NamedTuple):
    """Measurements of both feet."""

    left: FootMeasurement
    right: FootMeasurement


Odometry = Callable[[SensorReadings, Array, Array, float], Feet]  # (readings, q, v, slope)
Source = Callable[[Any, SensorReadings, Array, Array, Feet, Any, float], tuple[Any, Feet]]
"""(state, readings, q, v, feet by odometry, settings, dt) -> (state, feet)."""
MeasureFeet = Callable[[Any, SensorReadings, Array, Array, Any, float, float], tuple[Any, Feet]]
"""(state, readings, q, v, settings, slope, dt) -> (state, feet)."""


def feet_by_odometry(robot: ModelFunctions) -> Odometry:
    """Kernel of a robot that turns its soles' wrenches and motion into the floor frame."""
    sole_motion, sole_rotations = robot.sole_motion, robot.sole_rotations

    @kernel
    def feet(readings: SensorReadings, q: Array, v: Array, slope: float) -> Feet:
        """Sole wrenches (2, 6) and sole motion turned into the floor frame; ratio and u are about its normal."""
        position, velocity = sole_motion(q, v)
        rotations, wrenches = sole_rotations(q), readings.wrench_ground_on_foot_in_sole
        c, s = math.cos(slope), math.sin(slope)
        left = _foot(0, readings.stamp_ns, rotations, wrenches, position, velocity, c, s)
        return Feet(left, _foot(1, readings.stamp_ns, rotations, wrenches, position, velocity, c, s))

    return feet


def measured_feet(odometry: Odometry, source: Source) -> MeasureFeet:
    """Kernel of force and odometry, then of what a source of motion makes of them."""

    @kernel(inline="text")
    def measure(
        state: Any, readings: SensorReadings, q: Array, v: Array, settings: Any, slope: float, dt: float
    ) -> tuple[Any, Feet]:
        """Both feet dt [s] after the last reading (0 at the first)."""
        return source(state, readings, q, v, odometry(readings, q, v, slope), settings, dt)

    return measure


@kernel
def _foot(
    foot: int, stamp_ns: int, rotations: Array, wrenches: Array, position: Array, velocity: Array, c: float, s: float
) -> FootMeasurement:
    fx = fz = mx = mz = 0.0
    for k in range(3):
        fx += rotations[3 * foot, k] * wrenches[foot, k]
        fz += rotations[3 * foot + 2, k] * wrenches[foot, k]
        mx += rotations[3 * foot, k] * wrenches[foot, 3 + k]
        mz += rotations[3 * foot + 2, k] * wrenches[foot, 3 + k]
    place, speed = position[foot, 0] * c + position[foot, 2] * s, velocity[foot, 0] * c + velocity[foot, 2] * s
    # a point foot pivots with its shank: no heel or toe to roll over, so its angular rate is 0
    return FootMeasurement(
        stamp_ns, fx * c + fz * s, 0.0, fz * c - fx * s, place, 0.0, speed, 0.0, mz * c - mx * s, 0.0, 0.0, 0.0
    )


@kernel
def moved(measured: FootMeasurement, x: float, y: float, velocity_x: float, velocity_y: float) -> FootMeasurement:
    """Keep the force and replace the motion."""
    return FootMeasurement(
        measured.stamp_ns, measured.force_x, measured.force_y, measured.force_normal, x, y, velocity_x, velocity_y,
        measured.moment_normal, measured.centre_of_pressure_x, measured.centre_of_pressure_y, measured.angular_rate,
    )  # fmt: skip


@kernel
def with_motion(measured: FootMeasurement, displacement: float, velocity: float) -> FootMeasurement:
    """Keep the force and replace the motion along x."""
    return moved(measured, displacement, measured.displacement_y, velocity, measured.velocity_y)


class SagittalMotion:
    """A source of motion of a sagittal robot with point feet, as a kernel and its state.

    Args:
        robot: the robot.
        floor: its slope.
        source: what it makes of force and odometry.
        state: before the first reading.
        settings: of the source.
    """

    def __init__(self, robot: Robot, floor: FloorConfig, source: Source, state: Any, settings: Any) -> None:
        self.kernel = measured_feet(feet_by_odometry(model_functions(robot)), source)
        self.fresh, self.settings, self.slope = state, settings, floor.slope
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._state = self.fresh
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> Feet:
        """Measurements of the left and the right foot."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        feet: Feet
        self._state, feet = self.kernel(self._state, readings, state.q, state.v, self.settings, self.slope, dt)
        return feet


@kernel(inline="text")
def as_odometry_says(
    state: None, readings: SensorReadings, q: Array, v: Array, feet: Feet, settings: None, dt: float
) -> tuple[None, Feet]:
    """Odometry, IMU, joints and wrenches are all there is."""
    return None, feet


def odometry_motion(robot: Robot, floor: FloorConfig | None = None) -> SagittalMotion:
    """Measure motion by odometry, IMU and joints."""
    return SagittalMotion(robot, floor or FloorConfig(), as_odometry_says, None, None)

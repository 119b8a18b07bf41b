# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An IMU in each foot: its acceleration integrated twice within a stance, once it feels no slide."""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import Feet, FloorConfig, SagittalMotion, Source, with_motion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import IN_THE_AIR, StanceLoads, stance_age, stance_loads
from biped_slip.estimation.motion.steadiness import UNSTEADY, Steadiness, at_rest, steadiness
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NAN, FootMeasurement
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.robot import Robot


class Integrated(NamedTuple):
    """Motion of one foot within its stance."""

    age: float  # of the contact [s]
    felt: float  # speed gathered since touchdown [m/s]
    steadiness: Steadiness  # of that
    left: float  # time for which the integration is good enough [s]
    position: float  # along the floor [m]; NaN until the foot may be taken for one at rest
    velocity: float  # [m/s]


class BothIntegrated(NamedTuple):
    """Of both feet."""

    left: Integrated
    right: Integrated


class FootImuSettings(NamedTuple):
    """For the kernel."""

    loads: StanceLoads
    settling_time: float  # [s]
    horizon: float  # [s]
    creep_speed: float  # [m/s]
    slope: float  # [rad]


@kernel
def _acceleration(rotation: Array, felt: Array, slope: float) -> float:
    """Along the floor [m/s^2], from the sole's rotation (3, 3) and its accelerometer (3,)."""
    c, s = math.cos(slope), math.sin(slope)
    acceleration = -GRAVITY * s
    for k in range(3):
        acceleration += (c * rotation[0, k] + s * rotation[2, k]) * felt[k]
    return acceleration


@kernel
def _integrated(
    state: Integrated, one: FootMeasurement, acceleration: float, settings: FootImuSettings, dt: float
) -> tuple[Integrated, FootMeasurement]:
    """One foot."""
    age = stance_age(state.age, one.force_normal, dt, settings.loads)
    if age < 0.0:
        return Integrated(age, 0.0, UNSTEADY, settings.horizon, NAN, 0.0), with_motion(one, NAN, NAN)
    felt, left = state.felt + dt * acceleration, state.left
    steady = steadiness(state.steadiness, felt, age > settings.settling_time, settings.creep_speed, dt)
    position = state.position + dt * (state.velocity + 0.5 * dt * acceleration)
    velocity = state.velocity + dt * acceleration
    if not math.isnan(position):
        left -= dt
    elif at_rest(steady):
        position, velocity = one.displacement_x, 0.0  # the origin is odometry's, so that the foot stays on the map
    seen = with_motion(one, NAN, NAN) if math.isnan(position) or left < 0.0 else with_motion(one, position, velocity)
    return Integrated(age, felt, steady, left, position, velocity), seen


def by_foot_imus(sole_rotations: Callable[[Array], Array]) -> Source:
    """Kernel of a robot whose soles are turned as ``sole_rotations`` of its coordinates says."""

    @kernel(inline="text")
    def integrate(
        state: BothIntegrated,
        readings: SensorReadings,
        q: Array,
        v: Array,
        feet: Feet,
        settings: FootImuSettings,
        dt: float,
    ) -> tuple[BothIntegrated, Feet]:
        """In the air and late in a stance motion is not measured."""
        rotations, felt = sole_rotations(q), readings.foot_specific_force_in_sole
        along_left = _acceleration(rotations[:3], felt[0], settings.slope)
        along_right = _acceleration(rotations[3:], felt[1], settings.slope)
        left, first = _integrated(state.left, feet.left, along_left, settings, dt)
        right, second = _integrated(state.right, feet.right, along_right, settings, dt)
        return BothIntegrated(left, right), Feet(first, second)

    return integrate


class FootImuMotion(SagittalMotion):
    """Zero speed is assumed at one instant, when touchdown has rung off and nothing feels a slide.

    What the foot crept then stays as an error. Its attitude comes from the base's and the joints. After ``horizon``
    seconds motion is not measured any more: drift would hide a slip.
    """

    def __init__(self, robot: Robot, floor: FloorConfig, config: MotionConfig) -> None:
        unknown = Integrated(IN_THE_AIR, 0.0, UNSTEADY, config.horizon, NAN, 0.0)
        times = config.settling_time, config.horizon
        settings = FootImuSettings(stance_loads(robot), *times, config.creep_speed, floor.slope)
        super().__init__(
            robot,
            floor,
            by_foot_imus(model_functions(robot).sole_rotations),
            BothIntegrated(unknown, unknown),
            settings,
        )

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An IMU in each foot: its acceleration integrated twice within a stance, from the moment at which ringing is over."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import Feet, FloorConfig, SagittalMotion, with_motion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import IN_THE_AIR, StanceLoads, stance_age, stance_loads
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.friction.types import NAN, FootMeasurement
from biped_slip.kernels import kernel
from biped_slip.robots.model_functions import sole_rotations
from biped_slip.robots.robot import Robot


class Integrated(NamedTuple):
    """Motion of one foot within its stance."""

    age: float  # of the contact [s]
    position: float  # along the floor [m]
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
    slope: float  # [rad]


@kernel
def _integrated(
    state: Integrated, one: FootMeasurement, rotation: Array, felt: Array, settings: FootImuSettings, dt: float
) -> tuple[Integrated, FootMeasurement]:
    """One foot; rotation (3, 3) of its sole, felt (3,) by its accelerometer."""
    age = stance_age(state.age, one.force_normal, dt, settings.loads)
    if age < 0.0 or age > settings.settling_time + settings.horizon:
        return Integrated(age, state.position, state.velocity), with_motion(one, NAN, NAN)
    position, velocity = one.displacement_x, 0.0  # the origin is odometry's, so that the foot stays on the map
    if age > settings.settling_time:
        c, s = math.cos(settings.slope), math.sin(settings.slope)
        acceleration = -GRAVITY * s
        for k in range(3):
            acceleration += (c * rotation[0, k] + s * rotation[2, k]) * felt[k]
        position = state.position + dt * (state.velocity + 0.5 * dt * acceleration)
        velocity = state.velocity + dt * acceleration
    return Integrated(age, position, velocity), with_motion(one, position, velocity)


def by_foot_imus(
    memory: BothIntegrated,
    readings: SensorReadings,
    q: Array,
    v: Array,
    feet: Feet,
    settings: FootImuSettings,
    dt: float,
) -> tuple[BothIntegrated, Feet]:
    """In the air and late in a stance motion is not measured."""
    rotations, felt = sole_rotations(q), readings.foot_specific_force_in_sole
    left, first = _integrated(memory.left, feet.left, rotations[:3], felt[0], settings, dt)
    right, second = _integrated(memory.right, feet.right, rotations[3:], felt[1], settings, dt)
    return BothIntegrated(left, right), Feet(first, second)


class FootImuMotion(SagittalMotion):
    """Zero speed is assumed at one instant, when touchdown has rung off; what the foot crept then stays as an error.

    Its attitude comes from the base's and the joints. After ``horizon`` seconds motion is not measured any more: drift
    would hide a slip.
    """

    def __init__(self, robot: Robot, floor: FloorConfig, config: MotionConfig) -> None:
        unknown = Integrated(IN_THE_AIR, NAN, 0.0)
        settings = FootImuSettings(stance_loads(robot), config.settling_time, config.horizon, floor.slope)
        super().__init__(robot, floor, by_foot_imus, BothIntegrated(unknown, unknown), settings)

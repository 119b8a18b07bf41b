# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints give a foot's motion against the base; the base's own comes from its IMU, started by the other foot."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import Feet, FloorConfig, SagittalMotion, with_motion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import IN_THE_AIR, StanceLoads, stance_age, stance_loads
from biped_slip.estimation.motion.steadiness import UNSTEADY, Steadiness, at_rest, steadiness
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import pitch_of
from biped_slip.friction_estimation.types import NAN
from biped_slip.robots.robot import Robot

START_SPEED = 1.0  # [m/s] sd of the base's speed before any foot has told it (choice)


class BaseSpeed(NamedTuple):
    """Speed of the base along the floor and bias of its accelerometer: means and covariance."""

    speed: float  # [m/s]
    bias: float  # [m/s^2]
    p_vv: float
    p_vb: float
    p_bb: float


class FootOnBase(NamedTuple):
    """What is integrated for one foot within its stance; the foot itself never tells the base's speed."""

    age: float  # of the contact [s]
    base: BaseSpeed  # as the other foot and the IMU tell it
    felt: float  # speed that its IMU has gathered since the other foot stands [m/s]
    other: Steadiness  # of the other foot
    place: float  # of the base along the floor [m]; NaN until its speed is known well enough
    speed: float  # [m/s]
    bias: float  # [m/s^2]
    left: float  # time for which the integration is good enough [s]


class BothOnBase(NamedTuple):
    """Of both feet."""

    left: FootOnBase
    right: FootOnBase


class BaseImuSettings(NamedTuple):
    """For the kernel."""

    config: Any  # packed MotionConfig
    loads: StanceLoads
    slope: float  # [rad]


class _Sample(NamedTuple):
    """One instant as one foot sees it, along the floor."""

    age: float  # of its contact [s]
    other_age: float  # [s]
    other_speed: float  # of the other foot against the base [m/s]
    base_place: float  # by odometry, where the integration starts [m]
    acceleration: float  # of the base [m/s^2]


def start(config: MotionConfig) -> BaseSpeed:
    """Nothing known."""
    return BaseSpeed(0.0, 0.0, START_SPEED**2, 0.0, config.bias**2)


@kernel
def predict(base: BaseSpeed, acceleration: float, density: float, dt: float) -> BaseSpeed:
    """One sample of the accelerometer [m/s^2] later (study 7.2: velocity walks by density^2 dt/2)."""
    return BaseSpeed(
        base.speed + dt * (acceleration - base.bias),
        base.bias,
        base.p_vv - 2.0 * dt * base.p_vb + dt * dt * base.p_bb + 0.5 * density**2 * dt,
        base.p_vb - dt * base.p_bb,
        base.p_bb,
    )


@kernel
def correct(base: BaseSpeed, speed: float, variance: float) -> BaseSpeed:
    """A foot that may be taken for one at rest says how fast the base is [m/s]."""
    gain_v, gain_b = base.p_vv / (base.p_vv + variance), base.p_vb / (base.p_vv + variance)
    error = speed - base.speed
    return BaseSpeed(
        base.speed + gain_v * error,
        base.bias + gain_b * error,
        base.p_vv * (1.0 - gain_v),
        base.p_vb * (1.0 - gain_v),
        base.p_bb - gain_b * base.p_vb,
    )


@kernel
def _foot_step(one: FootOnBase, sample: _Sample, config: Any, dt: float) -> FootOnBase:
    felt = sample.acceleration - one.bias
    place, speed, bias = one.place + dt * (one.speed + 0.5 * dt * felt), one.speed + dt * felt, one.bias
    settled = sample.other_age > config.settling_time
    base, gathered = one.base, one.felt + dt * sample.acceleration if settled else 0.0
    other = steadiness(one.other, gathered + sample.other_speed, settled, config.creep_speed, dt)
    if dt > 0.0:
        base = predict(base, sample.acceleration, config.noise_density, dt)
        if at_rest(other):
            base = correct(base, -sample.other_speed, config.creep_speed**2 * config.creep_time / dt)
    left = one.left - dt
    if sample.age < 0.0:
        place, left = NAN, config.horizon
    elif left < 0.0:
        place = NAN
    elif math.isnan(place):
        if base.p_vv <= config.creep_speed**2:
            place, speed, bias = sample.base_place, base.speed, base.bias
        left = config.settling_time + config.horizon
    return FootOnBase(sample.age, base, gathered, other, place, speed, bias, left)


@kernel
def _acceleration(readings: SensorReadings, c: float, s: float) -> float:
    """Of the base along the floor, by its accelerometer and attitude [m/s^2]."""
    pitch = pitch_of(readings.orientation_base_in_world)
    x, z = readings.specific_force_in_base[0], readings.specific_force_in_base[2]
    forward = math.cos(pitch) * x + math.sin(pitch) * z
    up = math.cos(pitch) * z - math.sin(pitch) * x - GRAVITY
    return c * forward + s * up


@kernel(inline="text")
def by_base_imu(
    state: BothOnBase, readings: SensorReadings, q: Array, v: Array, feet: Feet, settings: BaseImuSettings, dt: float
) -> tuple[BothOnBase, Feet]:
    """Until the base's speed is known motion is not measured."""
    config, loads = settings.config, settings.loads
    c, s = math.cos(settings.slope), math.sin(settings.slope)
    place, speed = c * q[0] + s * q[1], c * v[0] + s * v[1]
    x_left, v_left = feet.left.displacement_x - place, feet.left.velocity_x - speed
    x_right, v_right = feet.right.displacement_x - place, feet.right.velocity_x - speed
    age_left = stance_age(state.left.age, feet.left.force_normal, dt, loads)
    age_right = stance_age(state.right.age, feet.right.force_normal, dt, loads)
    felt = _acceleration(readings, c, s)
    left = _foot_step(state.left, _Sample(age_left, age_right, v_right, place, felt), config, dt)
    right = _foot_step(state.right, _Sample(age_right, age_left, v_left, place, felt), config, dt)
    return BothOnBase(left, right), Feet(
        with_motion(feet.left, left.place + x_left, NAN if math.isnan(left.place) else left.speed + v_left),
        with_motion(feet.right, right.place + x_right, NAN if math.isnan(right.place) else right.speed + v_right),
    )


class BaseImuMotion(SagittalMotion):
    """From touchdown on pure integration: the speed with which it begins is what the other foot told last."""

    def __init__(self, robot: Robot, floor: FloorConfig, config: MotionConfig) -> None:
        unknown = FootOnBase(IN_THE_AIR, start(config), 0.0, UNSTEADY, NAN, 0.0, 0.0, 0.0)
        settings = BaseImuSettings(config.packed, stance_loads(robot), floor.slope)
        super().__init__(robot, floor, by_base_imu, BothOnBase(unknown, unknown), settings)

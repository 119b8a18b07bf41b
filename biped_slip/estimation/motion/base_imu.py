# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Joints give a foot's motion against the base; the base's own comes from its IMU, started by the other foot."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import FloorConfig, OdometryMotion
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import Stance
from biped_slip.estimation.readings import SensorReadings
from biped_slip.estimation.robot_state import RobotState, pitch_of
from biped_slip.friction.types import NAN, FootMeasurement
from biped_slip.robots.robot import Robot

START_SPEED = 1.0  # [m/s] sd of the base's speed before any foot has told it (choice)


class BaseSpeed(NamedTuple):
    """Speed of the base along the floor and bias of its accelerometer: means and covariance."""

    speed: float  # [m/s]
    bias: float  # [m/s^2]
    p_vv: float
    p_vb: float
    p_bb: float


def start(config: MotionConfig) -> BaseSpeed:
    """Nothing known."""
    return BaseSpeed(0.0, 0.0, START_SPEED**2, 0.0, config.bias**2)


def predict(base: BaseSpeed, acceleration: float, density: float, dt: float) -> BaseSpeed:
    """One sample of the accelerometer [m/s^2] later (study 7.2: velocity walks by density^2 dt/2)."""
    return BaseSpeed(
        base.speed + dt * (acceleration - base.bias),
        base.bias,
        base.p_vv - 2.0 * dt * base.p_vb + dt * dt * base.p_bb + 0.5 * density**2 * dt,
        base.p_vb - dt * base.p_bb,
        base.p_bb,
    )


def correct(base: BaseSpeed, speed: float, variance: float) -> BaseSpeed:
    """A foot that carries load says how fast the base is [m/s]."""
    gain_v, gain_b = base.p_vv / (base.p_vv + variance), base.p_vb / (base.p_vv + variance)
    error = speed - base.speed
    return BaseSpeed(
        base.speed + gain_v * error,
        base.bias + gain_b * error,
        base.p_vv * (1.0 - gain_v),
        base.p_vb * (1.0 - gain_v),
        base.p_bb - gain_b * base.p_vb,
    )


class _Foot:
    """What is integrated for one foot within its stance; the foot itself never tells the base's speed."""

    def __init__(self, config: MotionConfig) -> None:
        self.base = start(config)  # as the other foot and the IMU tell it
        self.place = NAN  # of the base along the floor [m]; NaN until its speed is known well enough
        self.speed = self.bias = 0.0
        self.left = 0.0  # time for which the integration is good enough [s]


class BaseImuMotion:
    """From touchdown on pure integration: the speed with which it begins is what the other foot told last."""

    def __init__(self, robot: Robot, floor: FloorConfig, config: MotionConfig) -> None:
        self._robot, self._config = robot, config
        self._odometry = OdometryMotion(robot, floor)
        self._along: Any = (math.cos(floor.slope), math.sin(floor.slope))
        self.reset()

    def reset(self) -> None:
        """As before the first reading."""
        self._stances = (Stance(self._robot), Stance(self._robot))
        self._feet = (_Foot(self._config), _Foot(self._config))
        self._stamp_ns: int | None = None

    def measure(self, state: RobotState, readings: SensorReadings) -> tuple[FootMeasurement, FootMeasurement]:
        """Measurements of the left and the right foot; until the base's speed is known motion is not measured."""
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        self._stamp_ns = readings.stamp_ns
        measured = list(self._odometry.measure(state, readings))
        c, s = self._along
        base_place, base_speed = c * state.q[0] + s * state.q[1], c * state.v[0] + s * state.v[1]
        against_base = [(one.displacement_x - base_place, one.velocity_x - base_speed) for one in measured]
        ages = [one.step(foot.force_normal, dt) for one, foot in zip(self._stances, measured, strict=True)]
        acceleration = self._acceleration(readings)
        for foot in (0, 1):
            one, other = self._feet[foot], 1 - foot
            place, speed = against_base[foot]
            self._integrate(one, acceleration, dt)
            if dt > 0.0:
                one.base = predict(one.base, acceleration, self._config.noise_density, dt)
                if ages[other] > self._config.settling_time:
                    variance = self._config.creep_speed**2 * self._config.creep_time / dt
                    one.base = correct(one.base, -against_base[other][1], variance)
            one.left -= dt
            if ages[foot] < 0.0:
                one.place, one.left = NAN, self._config.horizon
            elif one.left < 0.0:
                one.place = NAN
            elif math.isnan(one.place):
                if one.base.p_vv <= self._config.creep_speed**2:
                    one.place, one.speed, one.bias = base_place, one.base.speed, one.base.bias
                one.left = self._config.settling_time + self._config.horizon
            known = not math.isnan(one.place)
            measured[foot] = measured[foot]._replace(
                displacement_x=float(one.place + place), velocity_x=float(one.speed + speed) if known else NAN
            )
        return measured[0], measured[1]

    def _acceleration(self, readings: SensorReadings) -> float:
        """Of the base along the floor, by its accelerometer and attitude [m/s^2]."""
        pitch = pitch_of(readings.orientation_base_in_world)
        x, _, z = readings.specific_force_in_base
        forward = math.cos(pitch) * x + math.sin(pitch) * z
        up = math.cos(pitch) * z - math.sin(pitch) * x - GRAVITY
        return float(self._along[0] * forward + self._along[1] * up)

    @staticmethod
    def _integrate(one: _Foot, acceleration: float, dt: float) -> None:
        felt = acceleration - one.bias
        one.place += dt * (one.speed + 0.5 * dt * felt)
        one.speed += dt * felt

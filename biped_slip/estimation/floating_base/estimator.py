# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floating base from IMU, leg kinematics and contact: one step a sample, slipping feet believed less."""

from __future__ import annotations

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.floating_base.config import FloatingBaseConfig
from biped_slip.estimation.floating_base.filter import (
    ACCELEROMETER,
    FEET,
    GYRO,
    POSITION,
    ROTATION,
    SIZE,
    VELOCITY,
    BaseState,
    ImuNoise,
)
from biped_slip.estimation.floating_base.lie import rotation_of, skew
from biped_slip.estimation.floating_base.step import (
    FilterSettings,
    FilterState,
    FloatingBase,
    Legs,
    answer,
    step_in_place,
)
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate


def new_answer() -> FloatingBase:
    """Room for an answer."""
    return FloatingBase(np.empty(4), np.empty(3), np.empty(3), np.empty(3), np.empty(3))


class FloatingBaseEstimator:
    """Holds the filter's state; the world begins where the base is at the first sample, heading as its IMU says.

    Args:
        weight: of the robot [N].
        config: noise of sensors and contacts.

    Attributes:
        settings: weight and noise for kernels.
    """

    def __init__(self, weight: float, config: FloatingBaseConfig | None = None) -> None:
        if not 0.0 < weight < np.inf:
            raise InvalidParameter("weight", weight, "finite and > 0 [N]", "mass times 9.81")
        self.config = config or FloatingBaseConfig()
        noise = ImuNoise(
            self.config.gyro_density,
            self.config.accelerometer_density,
            self.config.gyro_bias_walk,
            self.config.accelerometer_bias_walk,
        )
        self.settings = FilterSettings(float(weight), noise, self.config.contact.packed)
        self.reset()

    def reset(self) -> None:
        """As before the first sample."""
        self._state: FilterState | None = None
        self._stamp_ns = 0

    @property
    def state(self) -> FilterState | None:
        """The filter's own state, which each step overwrites; None before the first sample."""
        return self._state

    def begin(self, readings: SensorReadings) -> FloatingBase:
        """The first sample: where the base is (odometry may say 0), and its IMU."""
        self._state, self._stamp_ns = start(readings, self.config), readings.stamp_ns
        found = new_answer()
        answer(self._state, readings.angular_velocity_in_base, found)
        return found

    def elapsed(self, stamp_ns: int) -> float:
        """Time [s] since the sample before this one; time goes on."""
        dt = 1e-9 * (stamp_ns - self._stamp_ns)
        if dt <= 0.0:
            raise InvalidParameter("stamp_ns", stamp_ns, f"after the last sample's, {self._stamp_ns} ns")
        self._stamp_ns = stamp_ns
        return dt

    def step(
        self,
        readings: SensorReadings,
        legs: Legs,
        normal: Array,
        friction: tuple[FrictionEstimate, FrictionEstimate] = (NO_ESTIMATE, NO_ESTIMATE),
    ) -> FloatingBase:
        """One sample later.

        Args:
            readings: IMU and stamp; at the first sample also where the base is (odometry may say 0).
            legs: feet by joints.
            normal: (2,) force of the ground on each foot along the floor's normal [N].
            friction: the last estimates under both feet: a slipping foot is believed less.
        """
        if self._state is None:
            return self.begin(readings)
        found, dt = new_answer(), self.elapsed(readings.stamp_ns)
        step_in_place(
            self._state, found, _own(readings.angular_velocity_in_base), _own(readings.specific_force_in_base),
            Legs(_own(legs.places), _own(legs.spreads)), _own(normal), friction, self.settings, dt,
        )  # fmt: skip
        return found


def _own(values: Array) -> Array:
    """As the compiled step takes it."""
    return np.ascontiguousarray(values, dtype=float)


def start(readings: SensorReadings, config: FloatingBaseConfig) -> FilterState:
    """Both feet in the air, base as the readings say, doubts as the configuration says."""
    rotation = rotation_of(readings.orientation_base_in_world)
    covariance = np.zeros((SIZE, SIZE))
    tilt = np.array([config.start_tilt, config.start_tilt, config.start_yaw])
    blocks = (
        (ROTATION, tilt),
        (VELOCITY, config.start_velocity),
        (POSITION, config.start_position),
        (FEET, config.start_position),
        (FEET + 3, config.start_position),
        (GYRO, config.start_gyro_bias),
        (ACCELEROMETER, config.start_accelerometer_bias),
    )
    for first, sd in blocks:
        covariance[range(first, first + 3), range(first, first + 3)] = np.square(sd)
    position, velocity = readings.position_base_in_odom.astype(float), rotation @ readings.linear_velocity_in_base
    tilted = np.eye(SIZE)  # doubts about v and p are about themselves, not about the world turned with the tilt
    for first, arm in ((VELOCITY, velocity), (POSITION, position), (FEET, position), (FEET + 3, position)):
        tilted[first : first + 3, :3] = skew(arm)
    covariance = tilted @ covariance @ tilted.T
    base = BaseState(
        rotation,
        velocity,
        position,
        np.tile(position, (2, 1)),
        np.zeros(3),
        np.zeros(3),
        covariance,
        np.zeros(2, dtype=np.bool_),
    )
    return FilterState(base, np.full(2, -1.0), np.zeros(3))

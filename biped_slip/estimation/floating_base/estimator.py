# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The floating base from IMU, leg kinematics and contact: one step a sample, slipping feet believed less."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from biped_slip.errors import InvalidParameter
from biped_slip.estimation.floating_base.config import FloatingBaseConfig
from biped_slip.estimation.floating_base.contact_noise import contact_step, share_of_limit
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
    correct,
    lift_off,
    orthonormal,
    propagate,
    touch_down,
)
from biped_slip.estimation.floating_base.lie import quaternion_of, rotation_of, skew
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.friction.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.kernels import kernel, without_dispatch


class Legs(NamedTuple):
    """What leg kinematics says of both feet."""

    places: Array  # (2, 3) of the contact points in the base [m]
    spreads: Array  # (2, 3, 3) their covariance there [m^2]: J Sigma J^T of the joints, and the give of the leg


class FloatingBase(NamedTuple):
    """The answer: pose and velocity of the base, as ``SensorReadings`` states them."""

    orientation_base_in_world: Array  # (4,) quaternion x, y, z, w
    position_base_in_world: Array  # (3,) [m]
    linear_velocity_in_base: Array  # (3,) [m/s]
    angular_velocity_in_base: Array  # (3,) [rad/s], without bias
    velocity_sd: Array  # (3,) in the world [m/s]


class FilterState(NamedTuple):
    """Everything between two samples."""

    base: BaseState
    ages: Array  # (2,) of the contacts [s], negative in the air


class ContactInputs(NamedTuple):
    """Of both feet, each (2,)."""

    normal: Array  # force of the ground along the floor's normal [N]
    slipping: Array  # bool
    share_of_limit: Array  # of the friction that is certified; negative: not known


@kernel
def filter_step(
    state: FilterState,
    angular_velocity: Array,
    specific_force: Array,
    legs: Legs,
    contacts: ContactInputs,
    weight: float,
    noise: ImuNoise,
    config: Any,
    dt: float,
) -> FilterState:
    """One sample later: the IMU moves the base, every foot in contact pulls it back (Hartley 2020, section 5).

    Args:
        angular_velocity, specific_force: (3,) of the base, means since the sample before.
        weight: of the robot [N].
        config: packed ContactNoiseConfig.
        dt: since the sample before [s].
    """
    walk, ages = np.empty(2), np.empty(2)
    for foot in range(2):
        ages[foot], walk[foot] = contact_step(
            state.ages[foot], contacts.normal[foot], weight, contacts.slipping[foot], contacts.share_of_limit[foot],
            config, dt,
        )  # fmt: skip
    base = propagate(state.base, angular_velocity, specific_force, walk, noise, dt)
    for foot in range(2):
        if ages[foot] < 0.0:
            if base.in_contact[foot]:
                base = lift_off(base, foot)
        elif base.in_contact[foot]:
            base = correct(base, foot, legs.places[foot], legs.spreads[foot])
        else:
            base = touch_down(base, foot, legs.places[foot], legs.spreads[foot])
    return FilterState(base, ages)


@kernel
def _keep_orthonormal(base: BaseState) -> BaseState:
    return BaseState(
        orthonormal(base.rotation), base.velocity, base.position, base.feet, base.gyro_bias, base.accelerometer_bias,
        base.covariance, base.in_contact,
    )  # fmt: skip


@kernel
def step_and_answer(
    state: FilterState,
    angular_velocity: Array,
    specific_force: Array,
    legs: Legs,
    contacts: ContactInputs,
    weight: float,
    noise: ImuNoise,
    config: Any,
    dt: float,
) -> tuple[FilterState, FloatingBase]:
    """``filter_step`` and the answer in one call from Python."""
    moved = filter_step(state, angular_velocity, specific_force, legs, contacts, weight, noise, config, dt)
    base = _keep_orthonormal(moved.base)
    return FilterState(base, moved.ages), answer(base, angular_velocity)


@kernel
def answer(base: BaseState, angular_velocity: Array) -> FloatingBase:
    """What is published of a state."""
    spread = np.empty(3)
    for i in range(3):
        spread[i] = max(base.covariance[VELOCITY + i, VELOCITY + i], 0.0) ** 0.5
    return FloatingBase(
        quaternion_of(base.rotation),
        base.position.copy(),
        np.dot(base.rotation.T, base.velocity),
        angular_velocity - base.gyro_bias,
        spread,
    )


class FloatingBaseEstimator:
    """Holds the filter's state; the world begins where the base is at the first sample, heading as its IMU says.

    Args:
        weight: of the robot [N].
        config: noise of sensors and contacts.
    """

    def __init__(self, weight: float, config: FloatingBaseConfig | None = None) -> None:
        if not 0.0 < weight < np.inf:
            raise InvalidParameter("weight", weight, "finite and > 0 [N]", "mass times 9.81")
        self.config, self._weight = config or FloatingBaseConfig(), float(weight)
        self._noise = ImuNoise(
            self.config.gyro_density,
            self.config.accelerometer_density,
            self.config.gyro_bias_walk,
            self.config.accelerometer_bias_walk,
        )
        self._quick: Any = None  # compiled at the second sample
        self.reset()

    def reset(self) -> None:
        """As before the first sample."""
        self._state: FilterState | None = None
        self._stamp_ns = 0

    @property
    def state(self) -> FilterState | None:
        """The filter's own state; None before the first sample."""
        return self._state

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
            self._state = start(readings, self.config)
            self._stamp_ns = readings.stamp_ns
            return answer(self._state.base, readings.angular_velocity_in_base)
        dt = 1e-9 * (readings.stamp_ns - self._stamp_ns)
        if dt <= 0.0:
            raise InvalidParameter("stamp_ns", readings.stamp_ns, f"after the last sample's, {self._stamp_ns} ns")
        self._stamp_ns = readings.stamp_ns
        contacts = ContactInputs(
            _own(normal),
            np.array([one.slipping for one in friction]),
            np.array([share_of_limit(one) for one in friction]),
        )
        inputs = (
            self._state, _own(readings.angular_velocity_in_base), _own(readings.specific_force_in_base),
            Legs(_own(legs.places), _own(legs.spreads)), contacts, self._weight, self._noise,
            self.config.contact.packed, dt,
        )  # fmt: skip
        if self._quick is None:
            self._quick = without_dispatch(step_and_answer, *inputs)
        self._state, found = self._quick(*inputs)
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
    return FilterState(base, np.full(2, -1.0))

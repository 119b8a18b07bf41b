# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's sensors say of the plant: the truth in the base and the soles, or real sensors' readings."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.random import Generator

from biped_slip.estimation.raw_readings import RawReadings
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.model_functions import Array
from biped_slip.simulation.floating.plant import FloatingPlant, Truth
from biped_slip.simulation.floating.sensor_config import DeliveryConfig, FloatingSensorConfig, ImuConfig
from biped_slip.simulation.floating.step import specific_force


def ideal_readings(plant: FloatingPlant, truth: Truth) -> SensorReadings:
    """Readings without any error, of sensors in the base and in the soles."""
    q, v = plant.state.q, plant.state.v
    soles = truth.soles
    wrenches = np.matmul(soles.wrench.reshape(2, 2, 3), soles.rotation)  # (Rᵀ f)ᵀ = fᵀ R
    return SensorReadings(
        plant.stamp_ns,
        q[7:].copy(),
        v[6:].copy(),
        q[3:7].copy(),
        v[3:6].copy(),
        specific_force(q, v, truth.acceleration),
        q[:3].copy(),
        v[:3].copy(),
        wrenches.reshape(2, 6),
    )


class Channel:
    """One sensor: bias of the run, noise of each sample, age and rate.

    Args:
        noise: standard deviation of each number, in the shape of a sample.
        bias: half width of the uniform distribution that each number's bias is drawn from.
        delivery: when samples arrive.
        rng: where noise and bias come from.
    """

    def __init__(self, noise: Array, bias: Array, delivery: DeliveryConfig, rng: Generator) -> None:
        self._noise, self._rng, self._every = noise, rng, delivery.every_ticks
        self.bias = bias * rng.uniform(-1.0, 1.0, bias.shape)
        self._samples: deque[Array] = deque(maxlen=delivery.latency_ticks + 1)
        self._tick = 0
        self._noisy = bool(np.any(noise > 0.0))

    def read(self, true: Array) -> Array:
        """What arrives now, once per control period; before the first sample has aged, the first."""
        if self._tick % self._every == 0:
            sample = true + self.bias
            if self._noisy:
                sample += self._noise * self._rng.standard_normal(true.shape)
        else:
            sample = self._samples[-1]
        self._tick += 1
        self._samples.append(sample)
        return self._samples[0].copy()


class FloatingSensors:
    """The sensors of a humanoid; randomness comes from the generator that is passed in."""

    def __init__(self, plant: FloatingPlant, config: FloatingSensorConfig, rng: Generator) -> None:
        self._plant, joints = plant, len(plant.humanoid.robot.joints)
        encoders, ft, weight = config.encoders, config.force_torque, plant.humanoid.weight
        self._encoders = Channel(
            np.repeat([[encoders.position_noise], [encoders.velocity_noise]], joints, axis=1),
            np.repeat([[encoders.position_bias], [0.0]], joints, axis=1),
            encoders.delivery,
            rng,
        )
        self._imu = _imu_channel(config.imu, 1, rng)
        self._foot_imus = _imu_channel(config.foot_imu, 2, rng)
        noise, bias = (weight * np.repeat([[a, b]] * 2, 3, axis=1)
                       for a, b in ((ft.force_noise, ft.moment_noise), (ft.force_bias, ft.moment_bias)))  # fmt: skip
        self._force_torque = Channel(noise, bias, ft.delivery, rng)
        place = config.foot_position
        self._foot_position = Channel(np.full((2, 3), place.noise), np.zeros((2, 3)), place.delivery, rng)

    def read(self, truth: Truth) -> RawReadings:
        """What arrives at this instant; once per control period."""
        state, (imu, foot_imus, force_torque) = self._plant.state, self._plant.sensor_readings(truth)
        encoders = self._encoders.read(np.stack((state.q[7:], state.v[6:])))
        return RawReadings(
            self._plant.stamp_ns,
            encoders[0],
            encoders[1],
            self._imu.read(imu[None])[0],
            self._foot_imus.read(foot_imus),
            self._force_torque.read(force_torque),
            self._foot_position.read(truth.soles.position),
        )


def _imu_channel(config: ImuConfig, count: int, rng: Generator) -> Channel:
    noise, bias = (
        np.repeat([[a, b]] * count, 3, axis=1)
        for a, b in ((config.gyro_noise, config.accelerometer_noise), (config.gyro_bias, config.accelerometer_bias))
    )
    return Channel(noise, bias, config.delivery, rng)

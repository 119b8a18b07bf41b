# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's sensors say of the plant, and legs that give way between encoders and soles."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import pinocchio as pin
from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.estimation.readings import RawReadings, SensorReadings
from biped_slip.robots.humanoid import Humanoid
from biped_slip.robots.humanoid_config import DeliveryConfig, EncoderConfig, FloatingSensorConfig, ImuConfig
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth, specific_force

# Legs that give way along the floor between their encoders and their soles, as no encoder sees.

DAMPING = 1e-6  # of the smallest joint angles that explain a motion: a straight leg is told no infinite one


class LegGive:
    """What encoders show too little or too much, for the force of the ground on each sole.

    Args:
        humanoid: whose legs they are.
        config: how stiff.
        rng: draws each leg's own compliance.
    """

    def __init__(self, humanoid: Humanoid, config: EncoderConfig, rng: Generator) -> None:
        self._model = humanoid.model
        self._data, self._frames = (
            self._model.createData(),
            [self._model.getFrameId(one) for one in humanoid.robot.soles],
        )
        self.compliance = np.maximum(1.0 + config.leg_spread * rng.standard_normal(2), 0.0) / config.leg_stiffness

    def shown(self, q: Array, forces: Array) -> Array:
        """Error (n,) of the joints [rad]: they show each sole where it is but for its leg's give.

        Args:
            q: coordinates (nq,).
            forces: (2, 3) of the ground on the soles, in the world [N].
        """
        pin.computeJointJacobians(self._model, self._data, q)
        error = np.zeros(q.size - 7)
        for foot, frame in enumerate(self._frames):
            jacobian = pin.getFrameJacobian(self._model, self._data, frame, pin.LOCAL_WORLD_ALIGNED)[:, 6:]
            moved = np.zeros(6)
            moved[:2] = -self.compliance[foot] * forces[foot, :2]
            error += jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + DAMPING * np.eye(6), moved)
        return error


# What a humanoid's sensors say of the plant: the truth in the base and the soles, or real sensors' readings.


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
        rng: where the bias comes from.
    """

    def __init__(self, noise: Array, bias: Array, delivery: DeliveryConfig, rng: Generator) -> None:
        self.noise, self.delivery = noise, delivery
        self.bias = bias * rng.uniform(-1.0, 1.0, bias.shape)


class Line(NamedTuple):
    """What the numbers of all sensors in a row go through, each (n,)."""

    bias: Array
    noise: Array  # standard deviation
    every: Array  # control periods between two samples, as integers
    latency: Array  # age of a sample in control periods, as integers


class Channels:
    """Sensors that are read together, once per control period; noise is drawn in their order.

    Args:
        channels: the sensors.
        rng: where the noise comes from.
    """

    def __init__(self, channels: Sequence[Channel], rng: Generator) -> None:
        self._rng, self._tick, sizes = rng, 0, [one.noise.size for one in channels]
        self._line = Line(
            np.concatenate([one.bias.ravel() for one in channels]),
            np.concatenate([one.noise.ravel() for one in channels]),
            np.repeat([one.delivery.every_ticks for one in channels], sizes),
            np.repeat([one.delivery.latency_ticks for one in channels], sizes),
        )
        self._normal = np.zeros(sum(sizes))
        self._samples = np.zeros((int(self._line.latency.max()) + 1, sum(sizes)))
        self._noisy: list[list[int]] = []  # parts [first, last, every] of the row
        ends = np.cumsum(sizes)
        for end, size, one in zip(ends, sizes, channels, strict=True):
            if np.any(one.noise > 0.0):
                self._add_noisy(int(end - size), int(end), one.delivery.every_ticks)

    def _add_noisy(self, first: int, last: int, every: int) -> None:
        """One draw for neighbours that are sampled together gives the same numbers as one for each."""
        if self._noisy and self._noisy[-1][1:] == [first, every]:
            self._noisy[-1][1] = last
        else:
            self._noisy.append([first, last, every])

    def read(self, true: Array) -> Array:
        """What arrives now of the numbers (n,) of all sensors; before the first sample has aged, the first."""
        for first, last, every in self._noisy:
            if self._tick % every == 0:
                self._rng.standard_normal(out=self._normal[first:last])
        arrived = np.empty(true.size)
        deliver(true, self._line, self._normal, self._samples, self._tick, arrived)
        self._tick += 1
        return arrived


@kernel
def deliver(true: Array, line: Line, normal: Array, samples: Array, tick: int, arrived: Array) -> None:
    """Sample or hold each number, keep it in ``samples`` (depth, n), and hand out the one that is old enough."""
    depth = samples.shape[0]
    for i in range(true.shape[0]):
        if tick % line.every[i] == 0:
            samples[tick % depth, i] = true[i] + line.bias[i] + line.noise[i] * normal[i]
        else:
            samples[tick % depth, i] = samples[(tick - 1) % depth, i]
        arrived[i] = samples[(tick - min(tick, line.latency[i])) % depth, i]


class FloatingSensors:
    """The sensors of a humanoid; randomness comes from the generator that is passed in."""

    def __init__(self, plant: FloatingPlant, config: FloatingSensorConfig, rng: Generator) -> None:
        self._plant, joints = plant, len(plant.humanoid.robot.joints)
        encoders, ft, weight = config.encoders, config.force_torque, plant.humanoid.weight
        noise, bias = (weight * np.repeat([[a, b]] * 2, 3, axis=1)
                       for a, b in ((ft.force_noise, ft.moment_noise), (ft.force_bias, ft.moment_bias)))  # fmt: skip
        place = config.foot_position
        channels = [
            Channel(
                np.repeat([[encoders.position_noise], [encoders.velocity_noise]], joints, axis=1),
                np.repeat([[encoders.position_bias], [0.0]], joints, axis=1),
                encoders.delivery,
                rng,
            ),
            _imu_channel(config.imu, 1, rng),
            _imu_channel(config.foot_imu, 2, rng),
            Channel(noise, bias, ft.delivery, rng),
            Channel(np.full((2, 3), place.noise), np.zeros((2, 3)), place.delivery, rng),
        ]
        self._channels, self._joints = Channels(channels, rng), joints
        self._legs = LegGive(plant.humanoid, encoders, rng) if encoders.leg_stiffness > 0.0 else None

    def read(self, truth: Truth) -> RawReadings:
        """What arrives at this instant; once per control period."""
        n, state, (imu, foot_imus, force_torque) = self._joints, self._plant.state, self._plant.sensor_readings(truth)
        shown = state.q[7:]
        if self._legs is not None:
            shown = shown + self._legs.shown(state.q, truth.soles.wrench[:, :3])
        true = (shown, state.v[6:], imu, foot_imus.ravel(), force_torque.ravel(), truth.soles.position.ravel())
        read = self._channels.read(np.concatenate(true))
        return RawReadings(
            self._plant.stamp_ns,
            read[:n],
            read[n : 2 * n],
            read[2 * n : 2 * n + 6],
            read[2 * n + 6 : 2 * n + 18].reshape(2, 6),
            read[2 * n + 18 : 2 * n + 30].reshape(2, 6),
            read[2 * n + 30 :].reshape(2, 3),
        )


def _imu_channel(config: ImuConfig, count: int, rng: Generator) -> Channel:
    noise, bias = (
        np.repeat([[a, b]] * count, 3, axis=1)
        for a, b in ((config.gyro_noise, config.accelerometer_noise), (config.gyro_bias, config.accelerometer_bias))
    )
    return Channel(noise, bias, config.delivery, rng)

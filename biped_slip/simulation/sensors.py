# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors say of the plant: encoders, torso IMU, force/torque at each foot, odometry."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.random import Generator

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.robots.model_functions import model_functions
from biped_slip.simulation.plant import Plant


@configuration
class SensorConfig(Configuration):
    """Noise of the simulated sensors, standard deviations per sample; all zero is ideal."""

    joint_position_noise: float = parameter(0.0, unit="rad", low=0.0, high=0.1, source="choice", doc="encoders")
    joint_velocity_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=10.0, source="choice", doc="encoders")
    gyro_noise: float = parameter(0.0, unit="rad/s", low=0.0, high=1.0, source="choice", doc="torso IMU")
    accelerometer_noise: float = parameter(0.0, unit="m/s^2", low=0.0, high=10.0, source="choice", doc="torso IMU")
    force_noise: float = parameter(0.0, unit="N", low=0.0, high=100.0, source="choice", doc="each force axis")
    force_offset: float = parameter(
        0.0, unit="N", low=0.0, high=100.0, source="choice", doc="constant per axis and run, uniform within this"
    )
    odometry_noise: float = parameter(0.0, unit="m", low=0.0, high=0.1, source="choice", doc="each axis of position")
    foot_displacement_noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, source="choice", doc="of what measures each foot's motion over the ground"
    )
    force_latency_ticks: int = parameter(
        0, low=0, high=100, source="choice", doc="age of the force readings in control periods"
    )


class Sensors:
    """Reads a plant; randomness comes from the generator that is passed in."""

    def __init__(self, plant: Plant, config: SensorConfig, rng: Generator) -> None:
        self._plant, self._config, self._rng = plant, config, rng
        self._rotations = model_functions(plant.robot).sole_rotations
        self._offset = config.force_offset * rng.uniform(-1.0, 1.0, (2, 3))
        self._held: deque[Array] = deque(maxlen=config.force_latency_ticks + 1)

    def read(self) -> SensorReadings:
        """Readings of this instant."""
        plant, config, root = self._plant, self._config, self._plant.robot.root_size
        q, v = plant.state.q, plant.state.v
        pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
        c, s = math.cos(pitch), math.sin(pitch)
        acceleration = plant.acceleration()
        ax, az = acceleration[0], acceleration[1] + GRAVITY
        return SensorReadings(
            plant.stamp_ns,
            self._noisy(q[root:], config.joint_position_noise),
            self._noisy(v[root:], config.joint_velocity_noise),
            np.array([0.0, math.sin(0.5 * pitch), 0.0, math.cos(0.5 * pitch)]),
            self._noisy(np.array([0.0, pitch_rate, 0.0]), config.gyro_noise),
            self._noisy(np.array([c * ax - s * az, 0.0, s * ax + c * az]), config.accelerometer_noise),
            self._noisy(np.array([q[0], 0.0, q[1]]), config.odometry_noise),
            np.array([c * v[0] - s * v[1], 0.0, s * v[0] + c * v[1]]),
            self._wrenches(),
        )

    def _noisy(self, values: Array, sigma: float) -> Array:
        if sigma == 0.0:
            return values.copy()
        return values + sigma * self._rng.standard_normal(values.shape)

    def _wrenches(self) -> Array:
        """Force of the ground on each foot in its sole frame, (2, 6); a point foot has no moment."""
        force_in_world, wrenches = np.zeros((2, 1, 3)), np.zeros((2, 6))
        force_in_world[:, 0, ::2] = self._plant.contact().force
        rotations = self._rotations(self._plant.state.q).reshape(2, 3, 3)
        wrenches[:, :3] = np.matmul(force_in_world, rotations)[:, 0]  # f^T R = (R^T f)^T
        if self._config.force_noise > 0.0 or self._config.force_offset > 0.0:
            wrenches[:, :3] += self._offset + self._config.force_noise * self._rng.standard_normal((2, 3))
        self._held.append(wrenches)
        return self._held[0]

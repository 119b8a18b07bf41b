# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a humanoid's sensors say of the plant: encoders, base IMU, wrench at each sole, odometry."""

from __future__ import annotations

from collections import deque

import numpy as np
import pinocchio as pin
from numpy.random import Generator

from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import SensorReadings
from biped_slip.robots.model_functions import Array
from biped_slip.simulation.floating.plant import FloatingPlant, TrueContact
from biped_slip.simulation.sensors import SensorConfig


class FloatingSensors:
    """Reads a plant; randomness comes from the generator that is passed in."""

    def __init__(self, plant: FloatingPlant, config: SensorConfig, rng: Generator) -> None:
        self._plant, self._config, self._rng = plant, config, rng
        self._offset = config.force_offset * rng.uniform(-1.0, 1.0, (2, 3))
        self._held: deque[Array] = deque(maxlen=config.force_latency_ticks + 1)

    def read(self, contact: TrueContact, acceleration: Array) -> SensorReadings:
        """Readings of this instant from the true contact and acceleration (nv,)."""
        config, (q, v, *_) = self._config, self._plant.state
        rotation = pin.Quaternion(q[3:7]).matrix()
        specific_force = acceleration[:3] + np.cross(v[3:6], v[:3]) + rotation.T @ np.array([0.0, 0.0, GRAVITY])
        return SensorReadings(
            self._plant.stamp_ns,
            self._noisy(q[7:], config.joint_position_noise),
            self._noisy(v[6:], config.joint_velocity_noise),
            q[3:7].copy(),
            self._noisy(v[3:6], config.gyro_noise),
            self._noisy(specific_force, config.accelerometer_noise),
            self._noisy(q[:3], config.odometry_noise),
            v[:3].copy(),
            self._wrenches(contact),
        )

    def _noisy(self, values: Array, sigma: float) -> Array:
        if sigma == 0.0:
            return values.copy()
        return values + sigma * self._rng.standard_normal(values.shape)

    def _wrenches(self, contact: TrueContact) -> Array:
        """Wrench of the ground on each foot in its sole frame, (2, 6)."""
        soles = contact.soles
        wrenches = np.einsum("fji,fkj->fki", soles.rotation, soles.wrench.reshape(2, 2, 3)).reshape(2, 6)
        if self._config.force_noise > 0.0 or self._config.force_offset > 0.0:
            wrenches[:, :3] += self._offset + self._config.force_noise * self._rng.standard_normal((2, 3))
        self._held.append(wrenches)
        return self._held[0]

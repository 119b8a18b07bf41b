# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors say of the plant: encoders, IMUs, force/torque at each foot, odometry, motion capture."""

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
    accelerometer_noise: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=10.0, source="choice", doc="torso and foot IMU; of means over a control period"
    )
    accelerometer_bias: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=1.0, source="choice", doc="sd of a constant per axis, IMU and run"
    )
    force_noise: float = parameter(0.0, unit="N", low=0.0, high=100.0, source="choice", doc="each force axis")
    force_offset: float = parameter(
        0.0, unit="N", low=0.0, high=100.0, source="choice", doc="constant per axis and run, uniform within this"
    )
    odometry_noise: float = parameter(0.0, unit="m", low=0.0, high=0.1, source="choice", doc="each axis of position")
    foot_displacement_noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, source="choice", doc="position of each foot by motion capture or a rig"
    )
    force_latency_ticks: int = parameter(
        0, low=0, high=100, source="choice", doc="age of the force readings in control periods"
    )


class Sensors:
    """Reads a plant; randomness comes from the generator that is passed in.

    IMUs say the mean acceleration since the reading before, as those do that integrate inside: what happens between
    two readings is not lost.
    """

    def __init__(self, plant: Plant, config: SensorConfig, rng: Generator) -> None:
        self._plant, self._config, self._rng = plant, config, rng
        functions = model_functions(plant.robot)
        self._rotations, self._jacobians = functions.sole_rotations, functions.sole_jacobians
        self._drift = functions.sole_drift
        self._offset = config.force_offset * rng.uniform(-1.0, 1.0, (2, 3))
        self._bias = np.zeros((3, 3))  # torso, left, right foot
        if config.accelerometer_bias > 0.0:
            self._bias = config.accelerometer_bias * rng.standard_normal((3, 3))
        self._before: tuple[int, Array] | None = None  # ticks and velocities of torso, left, right foot
        self._held: deque[Array] = deque(maxlen=config.force_latency_ticks + 1)

    def read(self) -> SensorReadings:
        """Readings of this instant."""
        plant, config, root = self._plant, self._config, self._plant.robot.root_size
        q, v = plant.state.q, plant.state.v
        pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
        c, s = math.cos(pitch), math.sin(pitch)
        position, velocity = plant.motion(q, v)
        felt = self._felt(velocity[:, :3]) + np.array([0.0, 0.0, GRAVITY])
        ax, az = felt[0, 0], felt[0, 2]
        rotations = self._rotations(q)
        felt_in_soles = np.array([rotations[3 * foot : 3 * foot + 3].T @ felt[1 + foot] for foot in (0, 1)])
        turning = np.array([rotations[3 * foot : 3 * foot + 3].T @ velocity[foot, 3:] for foot in (0, 1)])
        return SensorReadings(
            plant.stamp_ns,
            self._noisy(q[root:], config.joint_position_noise),
            self._noisy(v[root:], config.joint_velocity_noise),
            np.array([0.0, math.sin(0.5 * pitch), 0.0, math.cos(0.5 * pitch)]),
            self._noisy(np.array([0.0, pitch_rate, 0.0]), config.gyro_noise),
            self._noisy(np.array([c * ax - s * az, 0.0, s * ax + c * az]), config.accelerometer_noise) + self._bias[0],
            self._noisy(np.array([q[0], 0.0, q[1]]), config.odometry_noise),
            np.array([c * v[0] - s * v[1], 0.0, s * v[0] + c * v[1]]),
            self._wrenches(rotations),
            self._noisy(felt_in_soles, config.accelerometer_noise) + self._bias[1:],
            self._noisy(turning, config.gyro_noise),
            self._noisy(position, config.foot_displacement_noise),
        )

    def _felt(self, feet: Array) -> Array:
        """Mean accelerations (3, 3) of torso and soles in the world since the last reading; of now at the first."""
        plant = self._plant
        q, v = plant.state.q, plant.state.v
        velocities = np.array([[v[0], 0.0, v[1]], *feet])
        before, self._before = self._before, (plant.ticks, velocities)
        if before is None or plant.ticks <= before[0]:
            now = plant.acceleration()
            drift = self._drift(q, v) + (self._jacobians(q) @ now).reshape(2, 3)
            return np.array([[now[0], 0.0, now[1]], *drift])
        period = 1e-9 * plant.config.control_period_ns
        mean: Array = (velocities - before[1]) / (period * (plant.ticks - before[0]))
        return mean

    def _noisy(self, values: Array, sigma: float) -> Array:
        if sigma == 0.0:
            return values.copy()
        return values + sigma * self._rng.standard_normal(values.shape)

    def _wrenches(self, rotations: Array) -> Array:
        """Force of the ground on each foot in its sole frame, (2, 6); a point foot has no moment."""
        force_in_world, wrenches = np.zeros((2, 1, 3)), np.zeros((2, 6))
        force_in_world[:, 0, ::2] = self._plant.contact().force
        wrenches[:, :3] = np.matmul(force_in_world, rotations.reshape(2, 3, 3))[:, 0]  # f^T R = (R^T f)^T
        if self._config.force_noise > 0.0 or self._config.force_offset > 0.0:
            wrenches[:, :3] += self._offset + self._config.force_noise * self._rng.standard_normal((2, 3))
        self._held.append(wrenches)
        return self._held[0]

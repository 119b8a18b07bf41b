# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a robot's sensors say of the plant: encoders, IMUs, force/torque at each foot, odometry, motion capture."""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.estimation.readings import Array, SensorReadings
from biped_slip.robots.model_functions import model_functions, sole_motion, sole_rotations
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


class TrueReadings(NamedTuple):
    """What ideal sensors say, feet left and right; shapes as in ``SensorReadings``."""

    orientation: Array  # (4,)
    angular_velocity: Array  # (3,)
    felt_by_base: Array  # (3,)
    position: Array  # (3,)
    linear_velocity: Array  # (3,)
    wrenches: Array  # (2, 6); a point foot has no moment
    felt_by_soles: Array  # (2, 3)
    turning_of_soles: Array  # (2, 3)
    soles: Array  # (2, 3)


def true_readings(root: int, q: Array, v: Array, forces: Array, accelerations: Array) -> TrueReadings:
    """Ideal readings from the state, contact forces (2, 2) and accelerations (3, 3) of torso and soles in the world."""
    pitch, pitch_rate = (q[2], v[2]) if root == 3 else (0.0, 0.0)
    c, s = math.cos(pitch), math.sin(pitch)
    soles, twists = sole_motion(q, v)
    rotations = sole_rotations(q)
    wrenches, felt, turning = np.zeros((2, 6)), np.zeros((2, 3)), np.zeros((2, 3))
    for foot in range(2):
        for axis in range(3):  # into the sole's axes: columns of its rotation
            x, y, z = rotations[3 * foot, axis], rotations[3 * foot + 1, axis], rotations[3 * foot + 2, axis]
            wrenches[foot, axis] = x * forces[foot, 0] + z * forces[foot, 1]
            ax, ay, az = accelerations[1 + foot]
            felt[foot, axis] = x * ax + y * ay + z * (az + GRAVITY)
            turning[foot, axis] = x * twists[foot, 3] + y * twists[foot, 4] + z * twists[foot, 5]
    ax, az = accelerations[0, 0], accelerations[0, 2] + GRAVITY
    return TrueReadings(
        np.array([0.0, math.sin(0.5 * pitch), 0.0, math.cos(0.5 * pitch)]),
        np.array([0.0, pitch_rate, 0.0]),
        np.array([c * ax - s * az, 0.0, s * ax + c * az]),
        np.array([q[0], 0.0, q[1]]),
        np.array([c * v[0] - s * v[1], 0.0, s * v[0] + c * v[1]]),
        wrenches,
        felt,
        turning,
        soles,
    )


class Sensors:
    """Reads a plant; randomness comes from the generator that is passed in.

    IMUs say the mean acceleration since the reading before, as those do that integrate inside: what happens between
    two readings is not lost.
    """

    def __init__(self, plant: Plant, config: SensorConfig, rng: Generator) -> None:
        self._plant, self._config, self._rng = plant, config, rng
        functions = model_functions(plant.robot)
        self._true = functions.bind(true_readings)
        self._jacobians, self._drift = functions.sole_jacobians, functions.sole_drift
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
        true = self._true(root, q, v, plant.contact().force, self._accelerations())
        return SensorReadings(
            plant.stamp_ns,
            self._noisy(q[root:], config.joint_position_noise),
            self._noisy(v[root:], config.joint_velocity_noise),
            true.orientation,
            self._noisy(true.angular_velocity, config.gyro_noise),
            self._noisy(true.felt_by_base, config.accelerometer_noise) + self._bias[0],
            self._noisy(true.position, config.odometry_noise),
            true.linear_velocity,
            self._late(true.wrenches),
            self._noisy(true.felt_by_soles, config.accelerometer_noise) + self._bias[1:],
            self._noisy(true.turning_of_soles, config.gyro_noise),
            self._noisy(true.soles, config.foot_displacement_noise),
        )

    def _accelerations(self) -> Array:
        """Mean accelerations (3, 3) of torso and soles in the world since the last reading; of now at the first."""
        plant = self._plant
        q, v = plant.state.q, plant.state.v
        velocities = np.zeros((3, 3))
        velocities[0, 0], velocities[0, 2] = v[0], v[1]
        velocities[1:] = plant.motion(q, v)[1][:, :3]
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

    def _late(self, wrenches: Array) -> Array:
        """Wrenches with noise and offset, as old as the force sensors are."""
        if self._config.force_noise > 0.0 or self._config.force_offset > 0.0:
            wrenches[:, :3] += self._offset + self._config.force_noise * self._rng.standard_normal((2, 3))
        self._held.append(wrenches)
        return self._held[0]

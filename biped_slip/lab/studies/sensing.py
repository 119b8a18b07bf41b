# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The study's sensors: what a foot observes of a true stance (study 2), and what the estimator is told of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.friction_estimation.interval.config import ForceNoise, IntervalConfig, MotionNoise, SoleModel
from biped_slip.lab.studies.stances import PERIOD, SAMPLES, Stances


class Sensors(NamedTuple):
    """One observation condition."""

    kind: str = "position"  # position, velocity or imu
    sigma: float = 5e-6  # [m] or [m/s]
    quantisation: float = 0.0  # [m]
    force_sigma: float = 1.0  # [N]
    force_offset: float = 0.0  # [N]
    latency: int = 0  # force behind motion [samples]
    noise_density: float = 1e-3  # [m/s^2/sqrt(Hz)]
    bias: float = 0.02  # [m/s^2]


class Observed(NamedTuple):
    """What the estimator gets, 1 kHz, with the sign of the sliding motion."""

    force: Array  # tangential [N], shape (stances, samples, 2)
    normal: Array  # [N], shape (stances, samples)
    displacement: Array  # [m], shape (stances, samples, 2)

    @property
    def ratio(self) -> Array:
        """Measured force ratio, shape (stances, samples, 2)."""
        return self.force / np.maximum(self.normal, 1.0)[..., None]


def observe(rng: np.random.Generator, stances: Stances, sensors: Sensors, planar: bool) -> Observed:
    """Add the sensors' errors in the study's order; noise comes before the delay."""
    count = stances.mu.size
    noise = rng.standard_normal((count, SAMPLES, 5))
    offset = rng.uniform(-1.0, 1.0, (count, 3)) * sensors.force_offset
    force = stances.ratio * stances.normal[..., None] + sensors.force_sigma * noise[..., :2] + offset[:, None, :2]
    normal = stances.normal + sensors.force_sigma * noise[..., 2] + offset[:, None, 2]
    moved = _moved(rng, stances.displacement, noise[..., 3:], sensors)
    if not planar:
        force[..., 1] = moved[..., 1] = 0.0
    return Observed(_delayed(force, sensors.latency), _delayed(normal, sensors.latency), moved)


def _moved(rng: np.random.Generator, truth: Array, noise: Array, sensors: Sensors) -> Array:
    if sensors.kind == "position":
        moved = truth + sensors.sigma * noise
        if sensors.quantisation > 0.0:
            dither = rng.uniform(0.0, 1.0, (truth.shape[0], 1, 2))
            moved = sensors.quantisation * np.round(moved / sensors.quantisation + dither)
        return moved
    velocity = np.diff(truth, axis=1, prepend=truth[:, :1]) / PERIOD
    if sensors.kind == "velocity":
        return np.cumsum(velocity + sensors.sigma * noise, axis=1) * PERIOD
    bias = rng.standard_normal((truth.shape[0], 1, 2)) * sensors.bias
    acceleration = np.diff(velocity, axis=1, prepend=velocity[:, :1]) / PERIOD
    acceleration = acceleration + bias + sensors.noise_density / np.sqrt(2.0 * PERIOD) * noise
    return np.cumsum(np.cumsum(acceleration, axis=1), axis=1) * PERIOD**2


def _delayed(signal: Array, samples: int) -> Array:
    if samples == 0:
        return signal
    return np.concatenate([np.repeat(signal[:, :1], samples, axis=1), signal[:, :-samples]], axis=1)


def told(sensors: Sensors, planar: bool, sole: SoleModel) -> IntervalConfig:
    """The configuration of an estimator that knows its sensors as the study's do."""
    return IntervalConfig(
        motion=MotionNoise(
            kind=sensors.kind,
            sigma=sensors.sigma,
            quantisation=sensors.quantisation,
            noise_density=sensors.noise_density,
            bias=sensors.bias,
            latency=sensors.latency * PERIOD,
        ),
        force=ForceNoise(sigma=sensors.force_sigma, offset=sensors.force_offset),
        sole=sole,
        axes=2 if planar else 1,
    )

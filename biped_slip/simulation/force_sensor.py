# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Force/torque sensors of both feet with their errors.

These are cross-talk, gain, alignment, hysteresis, bandwidth, drift and counts.

A reading y of the true load x [N, N m] is, channel by channel,

.. math:: y = L\bigl(C x - h\,z(C x)\bigr) + b\,t,\qquad dz = \frac{dx - z\,|dx|}{s}

with C = cross-talk times gain times the rotation of the mounting, z the hysteresis in
(-1, 1), which forgets over a change s of the load, L a low pass of first order, b the
drift of the offset. The caller adds offset and noise; range and counts come last:
:func:`counted`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.robots.sensor_config import FORGETS, OTHER_CHANNELS, ForceErrorConfig


class ForceErrors(NamedTuple):
    """Errors of both feet's sensors in one run: forces x, y, z, then moments."""

    matrix: Array  # (2, 6, 6)
    hysteresis: Array  # (6,) [N, N m]
    span: Array  # (6,) of load over which the hysteresis forgets [N, N m]
    drift: Array  # (2, 6) [N/s, N m/s]
    kept: float  # of the low pass from sample to sample; 0: none
    largest: Array  # (6,) [N, N m]; inf: any
    resolution: Array  # (6,) one count [N, N m]; 0: endlessly fine
    exact: bool  # none of all this


class ForceMemory(NamedTuple):
    """Buffers that a reading overwrites, (2, 6) each."""

    load: Array  # C x at the last reading; NaN before the first
    bent: Array  # hysteresis z
    shown: Array  # of the low pass


def force_errors(
    config: ForceErrorConfig, weight: float, period: float, rng: Generator
) -> ForceErrors:
    """Draw the errors of one run.

    Args:
        config: their sizes.
        weight: of the robot [N].
        period: between two readings [s].
        rng: draws them.
    """
    scale = weight * np.repeat([1.0, config.arm], 3)
    most = np.full((6, 6), OTHER_CHANNELS * config.cross_talk)
    most[:2, 2] = config.cross_talk
    sizes = rng.uniform(np.where(most == config.cross_talk, 0.5, 0.0), 1.0, (2, 6, 6))
    talk = most * sizes * rng.choice((-1.0, 1.0), (2, 6, 6)) * (scale[:, None] / scale)
    gain = 1.0 + config.gain * rng.uniform(-1.0, 1.0, (2, 6))
    turns = config.alignment * rng.uniform(-1.0, 1.0, (2, 3))
    drift = config.drift * scale * rng.uniform(-1.0, 1.0, (2, 6))
    matrix = np.stack([_mixing(talk[k], gain[k], turns[k]) for k in range(2)])
    twice = np.array([1.0, 1.0, 2.0, 1.0, 1.0, 1.0])
    largest = config.range * scale * twice if config.range > 0.0 else np.full(6, np.inf)
    kept = (
        math.exp(-2.0 * math.pi * config.bandwidth * period)
        if config.bandwidth > 0.0
        else 0.0
    )
    exact = not any(
        value for name, value in config.to_mapping().items() if name != "arm"
    )
    return ForceErrors(
        matrix=matrix,
        hysteresis=config.hysteresis * scale,
        span=FORGETS * scale,
        drift=drift,
        kept=kept,
        largest=largest,
        resolution=config.resolution * scale,
        exact=exact,
    )


def _mixing(talk: Array, gain: Array, turn: Array) -> Array:
    """Build what a foot's sensor makes of its load: C of the head's equation, (6, 6).

    Args:
        talk: cross-talk (6, 6), whose diagonal does not count.
        gain: of each channel (6,).
        turn: rotation vector of the mounting (3,) [rad].
    """
    turned = np.kron(np.eye(2), rotation(turn))
    off = talk * (1.0 - np.eye(6))
    mixing: Array = (np.eye(6) + off) @ np.diag(gain) @ turned
    return mixing


def rotation(turn: Array) -> Array:
    """Build the rotation matrix (3, 3) of a rotation vector (3,) [rad] (Rodrigues)."""
    angle = float(np.linalg.norm(turn))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def force_memory() -> ForceMemory:
    """Allocate the memory before the first reading."""
    return ForceMemory(np.full((2, 6), np.nan), np.zeros((2, 6)), np.zeros((2, 6)))


@kernel
def sensed_forces(
    loads: Array, errors: ForceErrors, memory: ForceMemory, time: float
) -> None:
    """Apply the sensors' errors to true loads (2, 6) at a time [s], in place.

    Samples are given one after the other.
    """
    for foot in range(2):
        load = errors.matrix[foot] @ loads[foot]
        for i in range(load.shape[0]):
            first = math.isnan(memory.load[foot, i])
            change = 0.0 if first else load[i] - memory.load[foot, i]
            memory.load[foot, i] = load[i]
            aim = math.copysign(1.0, change)
            memory.bent[foot, i] = aim + (memory.bent[foot, i] - aim) * math.exp(
                -abs(change) / errors.span[i]
            )
            value = load[i] - errors.hysteresis[i] * memory.bent[foot, i]
            if not first:
                value += errors.kept * (memory.shown[foot, i] - value)
            memory.shown[foot, i] = value
            loads[foot, i] = value + errors.drift[foot, i] * time


@kernel
def counted(value: float, largest: float, count: float) -> float:
    """Round a number within plus or minus ``largest`` to whole counts (0: as it is)."""
    value = min(max(value, -largest), largest)
    return count * math.floor(value / count + 0.5) if count > 0.0 else value

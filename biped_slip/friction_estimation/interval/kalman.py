# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kalman filters of all nodes: ``x = offset + s_p path/3 + compliance force - lag s_p rate/3`` (study 7.2).

The last term is not the study's: the force of a sole that damps its presliding is ahead of its motion by
damping over stiffness, which is the same as a motion that comes late, so ``x(t) = s_p/3 path(t - lag)``.
"""

from __future__ import annotations

import math

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.types import (
    IMU,
    VELOCITY,
    Block,
    Filters,
    Model,
    drift_states,
    lag_state,
    living,
)


@kernel
def drift(filters: Filters, model: Model, block: Block) -> None:
    """Drift of the displacement source over one block (study 7.2); a position does not drift."""
    axes, time = model.axes, block.duration
    mean, covariance = filters.mean, filters.covariance
    if model.kind == VELOCITY:
        for axis in range(axes):
            _add(covariance[axis, axis], block.samples * (model.sigma * time / block.samples) ** 2)
    elif model.kind == IMU:
        for k in range(mean.shape[0]):
            for m in range(k):
                for n in range(covariance.shape[2]):
                    covariance[m, k, n] = covariance[k, m, n]
        for axis in range(axes):
            velocity = drift_states(model) + axis
            acceleration = velocity + axes
            _extrapolate(mean[axis], mean[velocity], mean[acceleration], time)
            for k in range(mean.shape[0]):
                _extrapolate(covariance[axis, k], covariance[velocity, k], covariance[acceleration, k], time)
            for k in range(mean.shape[0]):
                _extrapolate(covariance[k, axis], covariance[k, velocity], covariance[k, acceleration], time)
            _add(covariance[velocity, velocity], 0.5 * model.noise_density**2 * time)


@kernel
def observe(filters: Filters, model: Model, axis: int, displacement: float, force: float, noise: float) -> None:
    """Kalman update of every filter by one axis, and its evidence added to the weights (study 7.2, study 7.4).

    Args:
        axis: 0 or 1.
        displacement: since the origin [mm].
        force: tangential, since the origin [100 N].
        noise: variance R [mm^2].
    """
    mean, covariance, path, rate = filters.mean, filters.covariance, filters.path[axis], filters.rate[axis]
    innovation, variance, gain = filters.work[0], filters.work[1], filters.work[2:]
    first, last = living(filters, model)
    sole, states = model.axes, mean.shape[0]
    compliance = sole + 1
    force = force if model.has_compliance else 0.0
    if not model.has_compliance:
        compliance = sole
    lag, lagging = sole, 0.0
    if model.has_lag:
        lag, lagging = lag_state(model), -1.0 / 3.0
    for n in range(first, last):
        innovation[n] = displacement - mean[axis, n] - path[n] / 3.0 * mean[sole, n] - force * mean[compliance, n]
        innovation[n] -= lagging * rate[n] * mean[lag, n]
    for k in range(states):  # of the covariance only the lower half is kept up
        own, sliding = covariance[max(k, axis), min(k, axis)], covariance[max(k, sole), min(k, sole)]
        giving, late = covariance[max(k, compliance), min(k, compliance)], covariance[max(k, lag), min(k, lag)]
        for n in range(first, last):
            gain[k, n] = own[n] + path[n] / 3.0 * sliding[n] + force * giving[n] + lagging * rate[n] * late[n]
    for n in range(first, last):
        variance[n] = noise + gain[axis, n] + path[n] / 3.0 * gain[sole, n] + force * gain[compliance, n]
        variance[n] += lagging * rate[n] * gain[lag, n]
    for n in range(first, last):
        evidence = innovation[n] * innovation[n] / variance[n]
        filters.log_weight[n] -= 0.5 * model.temper * evidence
        filters.volume[n] *= variance[n]
        variance[n] = 1.0 / variance[n]
    for k in range(states):
        for n in range(first, last):
            mean[k, n] += gain[k, n] * variance[n] * innovation[n]
        for m in range(k + 1):
            for n in range(first, last):
                covariance[k, m, n] -= gain[k, n] * gain[m, n] * variance[n]


@kernel
def weigh_volume(filters: Filters, model: Model) -> None:
    """The part of a block's evidence that its innovations' variances make, all axes at once."""
    first, last = living(filters, model)
    for n in range(first, last):
        filters.log_weight[n] -= 0.5 * model.temper * math.log(filters.volume[n])
        filters.volume[n] = 1.0


@kernel
def foresee(filters: Filters, model: Model, axis: int, displacement: float, force: float) -> tuple[float, float]:
    """Innovation of the reference filter by one axis before any update [mm], and its variance without R [mm^2]."""
    n = filters.contact[0]["reference"]
    seen = filters.work[:, 0]  # what the displacement is made of, by state
    seen[:] = 0.0
    seen[axis] = 1.0
    seen[model.axes] = filters.path[axis, n] / 3.0
    if model.has_compliance:
        seen[model.axes + 1] = force
    if model.has_lag:
        seen[lag_state(model)] = -filters.rate[axis, n] / 3.0
    innovation, variance = displacement, 0.0
    for k in range(filters.mean.shape[0]):
        innovation -= seen[k] * filters.mean[k, n]
        for m in range(filters.mean.shape[0]):
            variance += seen[k] * filters.covariance[max(k, m), min(k, m), n] * seen[m]
    return innovation, variance


@kernel
def _add(target: Array, value: float) -> None:
    for n in range(target.size):
        target[n] += value


@kernel
def _extrapolate(position: Array, velocity: Array, acceleration: Array, time: float) -> None:
    for n in range(position.size):
        position[n] += time * velocity[n] + 0.5 * time * time * acceleration[n]
        velocity[n] += time * acceleration[n]

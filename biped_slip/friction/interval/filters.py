# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The recursion: one Kalman filter per node of mu and shape of the curve, all seeing the same noise (study 7.1-7.4)."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.friction.interval.path import path_increment
from biped_slip.friction.interval.types import CONTACT, IMU, VELOCITY, Array, Block, Filters, Model, SolePrior
from biped_slip.kernels import kernel

S_P_PRIOR = (1.0, 6.0)  # [mm], nearly flat; the real belief enters at the read-out (study 7.2, 7.5)
OFFSET_PRIOR = 0.05  # [mm] (study 7.2)
OFFSET_PRIOR_VELOCITY = 1e-3  # [mm]
OFFSET_PRIOR_IMU = 0.01  # [mm]
INTEGRATED_SIGMA = 1e-4  # [mm], of an integrated velocity (study 7.2)
INTEGRATED_SHARE = 0.3  # of a sample's own step (study 7.2)
IMU_SIGMA = 2e-3  # [mm], of a twice integrated acceleration (study 7.2)
IMU_START = 0.06  # [s] that an acceleration was integrated before the start (study 7.2)
PATH_ERROR = 0.03  # relative error of the path that the model is allowed (study 7.3)
COMMIT_SIGMAS = 4.0  # hysteresis of the path, in sd of the force ratio (study 7.1)
S_P_RANGE = (0.05, 6.0)  # [mm] of the reference node (study 7.3)
ROOM = 0.03  # smallest mu - |u| of the reference node, in mu (study 7.3)
HELD = 0.995  # |u| above this share of mu speaks against a node (study 7.4)
HELD_SOFTNESS = 0.003  # (study 7.4)


def new_filters(model: Model) -> Filters:
    """Buffers before the first contact."""
    nodes, shapes = model.mu.size, model.exponents.size
    states = model.axes + 1 + int(model.has_compliance) + (2 * model.axes if model.kind == IMU else 0)
    return Filters(
        log_weight=np.zeros((nodes, shapes)),
        mean=np.zeros((nodes, shapes, states)),
        covariance=np.zeros((nodes, shapes, states, states)),
        path=np.zeros((nodes, shapes, 2)),
        committed_path=np.zeros((nodes, shapes, 2)),
        probability=np.full((nodes, shapes), 1.0 / (nodes * shapes)),
        work=np.zeros((shapes, 2)),
        gain=np.zeros(states),
        contact=np.zeros(1, dtype=CONTACT),
    )


@kernel
def ratio_sigma(model: Model, block: Block) -> float:
    r"""Sd of a block's force ratio [-].

    .. math:: s_u^2 = (\sigma_F^2/w + o^2/3)(1 + |u|^2)/F_n^2

    Source: study 7.
    """
    squared = model.force_sigma**2 / block.samples + model.force_offset**2 / 3.0
    return math.sqrt(squared * (1.0 + block.u_x**2 + block.u_y**2)) / max(block.force_normal, 1.0)


@kernel
def start(filters: Filters, model: Model, sole: SolePrior, block: Block) -> None:
    """Forget the last contact: every node equally likely, the first block the origin of path and displacement."""
    filters.log_weight[:, :] = 0.0
    filters.probability[:, :] = 1.0 / filters.probability.size
    contact = filters.contact[0]
    contact["load"] = contact["witnessed"] = 0.0
    contact["released"] = False
    contact["node"], contact["shape"] = model.mu.size // 2, model.exponents.size // 2
    contact["median"], contact["s_p_reference"] = model.mu[model.mu.size // 2], sole.s_p
    contact["prior_s_p"], contact["prior_s_p_spread"] = sole.s_p, sole.s_p_spread
    filters.mean[:, :, :] = 0.0
    filters.covariance[:, :, :, :] = 0.0
    axes = model.axes
    filters.mean[:, :, axes], filters.covariance[:, :, axes, axes] = S_P_PRIOR[0], S_P_PRIOR[1] ** 2
    if model.has_compliance:
        filters.mean[:, :, axes + 1] = sole.compliance
        filters.covariance[:, :, axes + 1, axes + 1] = sole.compliance_sd**2
    anchor(filters, model, block)


@kernel
def anchor(filters: Filters, model: Model, block: Block) -> None:
    """Take a block as the new origin of path and displacement; what is known of mu and the sole stays."""
    contact = filters.contact[0]
    contact["started"] = True
    contact["blocks"] = 1
    contact["committed_x"], contact["committed_y"] = block.u_x, block.u_y
    contact["origin_x"], contact["origin_y"] = block.x, block.y
    contact["force_origin_x"], contact["force_origin_y"] = block.force_x, block.force_y
    filters.path[:, :, :] = 0.0
    filters.committed_path[:, :, :] = 0.0
    period = block.duration / block.samples
    offset = OFFSET_PRIOR + 3.0 * model.sigma
    if model.kind == VELOCITY:
        offset = OFFSET_PRIOR_VELOCITY + 3.0 * model.sigma * period
    elif model.kind == IMU:
        offset = OFFSET_PRIOR_IMU
    for axis in range(model.axes):
        _restart(filters, axis, offset)
        if model.kind == IMU:
            first = model.axes + 1 + int(model.has_compliance)
            velocity = IMU_START * model.bias + model.noise_density * math.sqrt(IMU_START)
            _restart(filters, first + axis, velocity)
            _restart(filters, first + model.axes + axis, model.bias)


@kernel
def _restart(filters: Filters, index: int, sd: float) -> None:
    filters.mean[:, :, index] = 0.0
    filters.covariance[:, :, index, :] = 0.0
    filters.covariance[:, :, :, index] = 0.0
    filters.covariance[:, :, index, index] = sd * sd


@kernel
def update(filters: Filters, model: Model, block: Block) -> None:
    """Advance every node by one block (study 7.1-7.4)."""
    contact = filters.contact[0]
    s_u = ratio_sigma(model, block)
    node, shape = contact["node"], contact["shape"]
    before_x, before_y = filters.path[node, shape, 0], filters.path[node, shape, 1]
    _advance_paths(filters, model, block, s_u)
    moved = math.hypot(filters.path[node, shape, 0] - before_x, filters.path[node, shape, 1] - before_y)
    noise = _observation_variance(filters, model, block, s_u, moved)
    load = math.hypot(block.u_x, block.u_y)
    first = model.axes + 1 + int(model.has_compliance)
    for i in range(model.mu.size):
        excess = max(0.0, load - HELD * model.mu[i])
        held = -0.5 * excess * excess / (s_u * s_u + (HELD_SOFTNESS * model.mu[i]) ** 2)
        for j in range(model.exponents.size):
            mean, covariance = filters.mean[i, j], filters.covariance[i, j]
            _predict(mean, covariance, model, block, first)
            evidence = _observe(mean, covariance, filters.gain, model, 0, filters.path[i, j, 0] / 3.0,
                                (block.force_x - contact["force_origin_x"]) / 100.0,
                                block.x - contact["origin_x"], noise)  # fmt: skip
            if model.axes == 2:
                evidence += _observe(mean, covariance, filters.gain, model, 1, filters.path[i, j, 1] / 3.0,
                                     (block.force_y - contact["force_origin_y"]) / 100.0,
                                     block.y - contact["origin_y"], noise)  # fmt: skip
            filters.log_weight[i, j] += model.temper * evidence + held
    contact["blocks"] += 1
    contact["load"] = max(contact["load"], load)
    contact["witnessed"] = max(contact["witnessed"], load - 3.0 * s_u)


@kernel
def _advance_paths(filters: Filters, model: Model, block: Block, s_u: float) -> None:
    """Study 7.1: path of every node; committed only beyond the hysteresis, lest noise lengthen it."""
    contact = filters.contact[0]
    from_x, from_y = contact["committed_x"], contact["committed_y"]
    du_x, du_y = block.u_x - from_x, block.u_y - from_y
    commit = math.hypot(du_x, du_y) > COMMIT_SIGMAS * s_u
    for i in range(model.mu.size):
        path_increment(from_x, from_y, du_x, du_y, model.mu[i], model.exponents, filters.work)
        for j in range(model.exponents.size):
            for axis in range(2):
                filters.path[i, j, axis] = filters.committed_path[i, j, axis] + filters.work[j, axis]
                if commit:
                    filters.committed_path[i, j, axis] = filters.path[i, j, axis]
    if commit:
        contact["committed_x"], contact["committed_y"] = block.u_x, block.u_y


@kernel
def _observation_variance(filters: Filters, model: Model, block: Block, s_u: float, moved: float) -> float:
    r"""Variance R of a block's displacement [mm^2], the same for all nodes (study 7.3).

    .. math:: R = \frac{\sigma_x^2}{w} + \frac{q^2}{24} + (L s_u)^2 + \Bigl(0.03\,\frac{s_r|\phi_r|}{3}\Bigr)^2
       + \Bigl(\frac{\tau s_r|d\phi_r|}{3T_b}\Bigr)^2 + (D L|u|)^2,\quad L = \frac{s_r}{3(\mu_r - |u|)}

    evaluated at the node of the previous median (a variance per node would bias mu upwards).
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu, s_p = contact["median"], contact["s_p_reference"]
    slope = s_p / (3.0 * max(mu - load, ROOM * mu))
    path = math.hypot(
        filters.path[contact["node"], contact["shape"], 0], filters.path[contact["node"], contact["shape"], 1]
    )
    sensor = model.sigma**2 / block.samples
    if model.kind == VELOCITY:
        step = model.sigma * block.duration / block.samples
        sensor = (INTEGRATED_SIGMA**2 + INTEGRATED_SHARE * step**2) / block.samples
    elif model.kind == IMU:
        sensor = IMU_SIGMA**2 / block.samples
    return (
        sensor
        + model.quantisation**2 / 24.0
        + (slope * s_u) ** 2
        + (PATH_ERROR * s_p * path / 3.0) ** 2
        + (model.latency * s_p * moved / (3.0 * block.duration)) ** 2
        + (model.log_step / math.sqrt(12.0) * slope * load) ** 2
    )


@kernel
def _predict(mean: Array, covariance: Array, model: Model, block: Block, first: int) -> None:
    """Drift of the displacement source over one block (study 7.2); a position does not drift."""
    axes, time = model.axes, block.duration
    if model.kind == VELOCITY:
        for axis in range(axes):
            covariance[axis, axis] += block.samples * (model.sigma * time / block.samples) ** 2
    elif model.kind == IMU:
        for axis in range(axes):
            velocity, acceleration = first + axis, first + axes + axis
            mean[axis] += time * mean[velocity] + 0.5 * time * time * mean[acceleration]
            mean[velocity] += time * mean[acceleration]
            for k in range(mean.size):
                covariance[axis, k] += time * covariance[velocity, k] + 0.5 * time * time * covariance[acceleration, k]
                covariance[velocity, k] += time * covariance[acceleration, k]
            for k in range(mean.size):
                covariance[k, axis] += time * covariance[k, velocity] + 0.5 * time * time * covariance[k, acceleration]
                covariance[k, velocity] += time * covariance[k, acceleration]
            covariance[velocity, velocity] += 0.5 * model.noise_density**2 * time


@kernel
def _observe(
    mean: Array,
    covariance: Array,
    gain: Array,
    model: Model,
    axis: int,
    path: float,
    force: float,
    displacement: float,
    noise: float,
) -> float:
    """Kalman update by one axis of ``x = b + s_p path + c force``; returns the log likelihood (study 7.2, 7.4)."""
    sole, states = model.axes, mean.size
    innovation = displacement - mean[axis] - path * mean[sole]
    for k in range(states):
        gain[k] = covariance[k, axis] + path * covariance[k, sole]
    if model.has_compliance:
        innovation -= force * mean[sole + 1]
        for k in range(states):
            gain[k] += force * covariance[k, sole + 1]
    variance = noise + gain[axis] + path * gain[sole]
    if model.has_compliance:
        variance += force * gain[sole + 1]
    for k in range(states):
        share = gain[k] / variance
        mean[k] += share * innovation
        for m in range(states):
            covariance[k, m] -= share * gain[m]
    return -0.5 * (innovation * innovation / variance + math.log(variance))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The recursion: one Kalman filter per node of mu and shape of the curve, all seeing the same noise (study 7.1-7.4)."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.friction.interval.kalman import drift, observe
from biped_slip.friction.interval.path import add_path
from biped_slip.friction.interval.types import (
    BELIEF_SIZE,
    BELIEF_STEP,
    CONTACT,
    IMU,
    VELOCITY,
    Block,
    Filters,
    Model,
    SolePrior,
)
from biped_slip.kernels import kernel

S_P_PRIOR = (1.0, 6.0)  # [mm], nearly flat; the real belief enters at the read-out (study 7.2, 7.5)
SMALLEST_S_P = 0.02  # [mm] (study 7.5)
OFFSET_PRIOR = 0.05  # [mm] (study 7.2)
OFFSET_PRIOR_VELOCITY = 1e-3  # [mm]
OFFSET_PRIOR_IMU = 0.01  # [mm]
INTEGRATED_SIGMA = 1e-4  # [mm], of an integrated velocity (study 7.2)
INTEGRATED_SHARE = 0.3  # of a sample's own step (study 7.2)
IMU_SIGMA = 2e-3  # [mm], of a twice integrated acceleration (study 7.2)
IMU_START = 0.06  # [s] that an acceleration was integrated before the start (study 7.2)
PATH_ERROR = 0.03  # relative error of the path that the model is allowed (study 7.3)
COMMIT_SIGMAS = 4.0  # hysteresis of the path, in sd of the force ratio (study 7.1)
GRID_ERROR = 0.6 / math.sqrt(12.0)  # of a cell; the node's s_p takes up the rest (study 7.3: 1/sqrt(12); choice)
ROOM = 0.03  # smallest mu - |u| of the reference node, in mu (study 7.3)
HELD = 0.995  # |u| above this share of mu speaks against a node (study 7.4)
HELD_SOFTNESS = 0.003  # (study 7.4)


def new_filters(model: Model) -> Filters:
    """Buffers before the first contact."""
    count = model.mu.size * model.exponents.size
    states = model.axes + 1 + int(model.has_compliance) + (2 * model.axes if model.kind == IMU else 0)
    return Filters(
        log_weight=np.zeros(count),
        mean=np.zeros((states, count)),
        covariance=np.zeros((states, states, count)),
        path=np.zeros((2, count)),
        committed_path=np.zeros((2, count)),
        probability=np.full(count, 1.0 / count),
        belief=np.zeros(BELIEF_SIZE),
        work=np.zeros((states + 2, count)),
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
    filters.log_weight[:] = 0.0
    filters.probability[:] = 1.0 / filters.probability.size
    filters.mean[:, :] = 0.0
    filters.covariance[:, :, :] = 0.0
    _restart(filters, model.axes, S_P_PRIOR[0], S_P_PRIOR[1])
    if model.has_compliance:
        _restart(filters, model.axes + 1, sole.compliance, sole.compliance_sd)
    for k in range(BELIEF_SIZE):  # log-normal density of s_p, 0 for a sole that can't be (study 7.5)
        s_p = (k * BELIEF_STEP) ** 2
        filters.belief[k] = 0.0
        if s_p > SMALLEST_S_P:
            filters.belief[k] = math.exp(-0.5 * (math.log(s_p / sole.s_p) / sole.s_p_spread) ** 2) / s_p
    contact = filters.contact[0]
    contact["load"] = 0.0
    contact["witnessed"] = 0.0
    contact["released"] = False
    middle = model.mu.size // 2
    contact["reference"] = middle * model.exponents.size + model.exponents.size // 2
    contact["median"] = model.mu[middle]
    contact["s_p_reference"] = sole.s_p
    anchor(filters, model, block)


@kernel
def anchor(filters: Filters, model: Model, block: Block) -> None:
    """Take a block as the new origin of path and displacement; what is known of mu and the sole stays."""
    contact = filters.contact[0]
    contact["committed_x"] = block.u_x
    contact["committed_y"] = block.u_y
    contact["origin_x"] = block.x
    contact["origin_y"] = block.y
    contact["force_origin_x"] = block.force_x
    contact["force_origin_y"] = block.force_y
    filters.path[:, :] = 0.0
    filters.committed_path[:, :] = 0.0
    offset = OFFSET_PRIOR + 3.0 * model.sigma
    if model.kind == VELOCITY:
        offset = OFFSET_PRIOR_VELOCITY + 3.0 * model.sigma * block.duration / block.samples
    elif model.kind == IMU:
        offset = OFFSET_PRIOR_IMU
    for axis in range(model.axes):
        _restart(filters, axis, 0.0, offset)
        if model.kind == IMU:
            first = model.axes + 1 + int(model.has_compliance)
            velocity = IMU_START * model.bias + model.noise_density * math.sqrt(IMU_START)
            _restart(filters, first + axis, 0.0, velocity)
            _restart(filters, first + model.axes + axis, 0.0, model.bias)


@kernel
def _restart(filters: Filters, index: int, mean: float, sd: float) -> None:
    filters.mean[index, :] = mean
    filters.covariance[index, :, :] = 0.0
    filters.covariance[:, index, :] = 0.0
    filters.covariance[index, index, :] = sd * sd


@kernel
def update(filters: Filters, model: Model, block: Block) -> None:
    """Advance every node by one block (study 7.1-7.4)."""
    contact = filters.contact[0]
    s_u = ratio_sigma(model, block)
    load = math.hypot(block.u_x, block.u_y)
    reference = contact["reference"]
    before_x, before_y = filters.path[0, reference], filters.path[1, reference]
    _advance_paths(filters, model, block, s_u)
    moved = math.hypot(filters.path[0, reference] - before_x, filters.path[1, reference] - before_y)
    noise = _observation_variance(filters, model, block, s_u, moved)
    drift(filters, model, block)
    force_x, force_y = block.force_x - contact["force_origin_x"], block.force_y - contact["force_origin_y"]
    observe(filters, model, 0, block.x - contact["origin_x"], force_x / 100.0, noise)
    if model.axes == 2:
        observe(filters, model, 1, block.y - contact["origin_y"], force_y / 100.0, noise)
    _rule_out_held(filters, model, load, s_u)
    contact["load"] = max(contact["load"], load)
    contact["witnessed"] = max(contact["witnessed"], load - 3.0 * s_u)


@kernel
def _advance_paths(filters: Filters, model: Model, block: Block, s_u: float) -> None:
    """Study 7.1: path of every node; committed only beyond the hysteresis, lest noise lengthen it."""
    contact = filters.contact[0]
    from_x, from_y = contact["committed_x"], contact["committed_y"]
    du_x, du_y = block.u_x - from_x, block.u_y - from_y
    filters.path[:, :] = filters.committed_path
    if du_x != 0.0 or du_y != 0.0:
        for i in range(model.mu.size):
            first = i * model.exponents.size
            add_path(from_x, from_y, du_x, du_y, model.mu[i], model.exponents, first, filters.path)
    if math.hypot(du_x, du_y) > COMMIT_SIGMAS * s_u:
        filters.committed_path[:, :] = filters.path
        contact["committed_x"] = block.u_x
        contact["committed_y"] = block.u_y


@kernel
def _observation_variance(filters: Filters, model: Model, block: Block, s_u: float, moved: float) -> float:
    r"""Variance R of a block's displacement [mm^2], the same for all nodes (study 7.3).

    .. math:: R = \frac{\sigma_x^2}{w} + \frac{q^2}{24} + (L s_u)^2 + \Bigl(0.03\,\frac{s_r|\phi_r|}{3}\Bigr)^2
       + \Bigl(\frac{\tau s_r|d\phi_r|}{3T_b}\Bigr)^2 + (0.6\,D L|u|)^2,\quad L = \frac{s_r}{3(\mu_r - |u|)}

    evaluated at the node of the previous median (a variance per node would bias mu upwards).
    """
    contact = filters.contact[0]
    load = math.hypot(block.u_x, block.u_y)
    mu, s_p, reference = contact["median"], contact["s_p_reference"], contact["reference"]
    slope = s_p / (3.0 * max(mu - load, ROOM * mu))
    path = math.hypot(filters.path[0, reference], filters.path[1, reference])
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
        + (GRID_ERROR * model.log_step * slope * load) ** 2
    )


@kernel
def _rule_out_held(filters: Filters, model: Model, load: float, s_u: float) -> None:
    """A load that is held speaks against every mu below it (study 7.4)."""
    shapes = model.exponents.size
    for i in range(model.mu.size):
        excess = load - HELD * model.mu[i]
        if excess <= 0.0:
            return
        penalty = 0.5 * excess * excess / (s_u * s_u + (HELD_SOFTNESS * model.mu[i]) ** 2)
        for n in range(i * shapes, (i + 1) * shapes):
            filters.log_weight[n] -= penalty

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The filters of one contact: one per node of mu and shape of the curve, their start and their origin (study 7.2)."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval import watch
from biped_slip.friction_estimation.interval.masing import follow_load, masing_path
from biped_slip.friction_estimation.interval.types import (
    BELIEF_SIZE,
    BELIEF_STEP,
    CONTACT,
    IMU,
    VELOCITY,
    Block,
    Filters,
    Model,
    SolePrior,
    drift_states,
    lag_state,
)

S_P_PRIOR = (1.0, 6.0)  # [mm], nearly flat; the real belief enters at the read-out (study 7.2, study 7.5)
SMALLEST_S_P = 0.02  # [mm] (study 7.5)
OFFSET_PRIOR = 0.05  # [mm] (study 7.2)
OFFSET_PRIOR_VELOCITY = 1e-3  # [mm]
OFFSET_PRIOR_IMU = 0.01  # [mm]
FOLLOW_SIGMAS = 4.0  # of a sample's noise, by which the force ratio must have changed to be followed (choice)
LAG_MU = 0.5  # at which the expected s_p holds (choice)
IMU_START = 0.06  # [s] that an acceleration was integrated before the start (study 7.2)


def new_filters(model: Model) -> Filters:
    """Buffers before the first contact."""
    count = model.mu.size * model.exponents.size
    states = drift_states(model) + (2 * model.axes if model.kind == IMU else 0)
    return Filters(
        log_weight=np.zeros(count),
        mean=np.zeros((states, count)),
        covariance=np.zeros((states, states, count)),
        volume=np.ones(count),
        path=np.zeros((2, count)),
        committed_path=np.zeros((2, count)),
        origin_path=np.zeros((2, count)),
        play=np.zeros((2, model.thresholds.size, model.mu.size)),
        moved_play=np.zeros((2, model.thresholds.size, model.mu.size)),
        rate=np.zeros((2, count)),
        probability=np.full(count, 1.0 / count),
        shape_weight=model.belief.copy(),
        belief=np.zeros(BELIEF_SIZE),
        work=np.zeros((states + 2, count)),
        contact=np.zeros(1, dtype=CONTACT),
        recent=np.zeros(model.held_blocks),
        pending=np.zeros(10),
    )


@kernel
def start(filters: Filters, model: Model, sole: SolePrior, block: Block) -> None:
    """Forget the last contact: every node equally likely, the first block the origin of path and displacement."""
    filters.log_weight[:] = 0.0
    filters.volume[:] = 1.0
    filters.probability[:] = 1.0 / filters.probability.size
    filters.mean[:, :] = 0.0
    filters.covariance[:, :, :] = 0.0
    _restart(filters, model.axes, S_P_PRIOR[0], S_P_PRIOR[1])
    if model.has_compliance:
        _restart(filters, model.axes + 1, sole.compliance, sole.compliance_sd)
    if model.has_lag:
        lag, shapes = lag_state(model), model.exponents.size
        expected = sole.s_p * math.exp(0.5 * sole.s_p_spread * sole.s_p_spread)  # mean of a log-normal
        _restart(filters, lag, 0.0, 1.0)
        for n in range(filters.log_weight.size):  # one stiffness for all nodes: else the prior would favour a large mu
            sd = sole.lag_sd * expected * model.mu[n // shapes] / LAG_MU
            filters.covariance[lag, lag, n] = sd * sd
    for k in range(BELIEF_SIZE):  # log-normal density of s_p, 0 for a sole that can't be (study 7.5)
        s_p = (k * BELIEF_STEP) ** 2
        filters.belief[k] = 0.0
        if s_p > SMALLEST_S_P:
            filters.belief[k] = math.exp(-0.5 * (math.log(s_p / sole.s_p) / sole.s_p_spread) ** 2) / s_p
    contact = filters.contact[0]
    watch.begin(filters)
    contact["load"] = 0.0
    contact["shift"] = 0.0
    contact["witnessed"] = 0.0
    contact["blocks"] = 0
    contact["released"] = False
    contact["first"], contact["last"] = 0, model.mu.size
    middle = model.mu.size // 2
    contact["reference"] = middle * model.exponents.size + model.exponents.size // 2
    contact["median"] = model.mu[middle]
    contact["q05"] = contact["low"] = model.mu[middle]
    contact["s_p_reference"] = contact["s_p_begin"] = sole.s_p
    anchor(filters, model, block)


@kernel
def anchor(filters: Filters, model: Model, block: Block) -> None:
    """Take a block as the new origin of path and displacement; what is known of mu and the sole stays."""
    contact = filters.contact[0]
    contact["committed_x"] = block.u_x
    contact["committed_y"] = block.u_y
    contact["step_x"] = 0.0
    contact["step_y"] = 0.0
    contact["origin_x"] = block.x
    contact["origin_y"] = block.y
    contact["force_origin_x"] = block.force_x
    contact["force_origin_y"] = block.force_y
    filters.pending[:] = 0.0
    watch.begin_motion(filters, block)
    follow_load(filters, model, block.u_x, block.u_y)
    masing_path(filters, model, filters.play, block.u_x, block.u_y, filters.origin_path)
    filters.path[:, :] = 0.0
    filters.committed_path[:, :] = 0.0
    offset = OFFSET_PRIOR + 3.0 * model.sigma
    if model.kind == VELOCITY:
        offset = OFFSET_PRIOR_VELOCITY + 3.0 * model.sigma * block.duration / block.samples
    elif model.kind == IMU:
        offset = OFFSET_PRIOR_IMU + 3.0 * model.sigma
    for axis in range(model.axes):
        _restart(filters, axis, 0.0, offset)
        if model.kind == IMU:
            first = drift_states(model)
            started = IMU_START * model.bias + model.noise_density * math.sqrt(IMU_START)
            velocity = math.hypot(started, model.start_speed)
            _restart(filters, first + axis, 0.0, velocity)
            _restart(filters, first + model.axes + axis, 0.0, model.bias)


@kernel
def touch_down(filters: Filters, model: Model) -> None:
    """Before the first sample of a contact, and after its last: every node is possible."""
    contact = filters.contact[0]
    contact["first"], contact["last"] = 0, model.mu.size
    watch.nothing_moved(filters)


@kernel
def settle(filters: Filters, model: Model, u_x: float, u_y: float, normal: float) -> None:
    """A sample before the first block: where motion is not judged yet, the load is remembered all the same."""
    contact = filters.contact[0]
    noise = model.force_sigma * math.sqrt(1.0 + u_x * u_x + u_y * u_y) / normal
    if math.hypot(u_x - contact["followed_x"], u_y - contact["followed_y"]) > FOLLOW_SIGMAS * noise:
        follow_load(filters, model, u_x, u_y)


@kernel
def _restart(filters: Filters, index: int, mean: float, sd: float) -> None:
    filters.mean[index, :] = mean
    filters.covariance[index, :, :] = 0.0
    filters.covariance[:, index, :] = 0.0
    filters.covariance[index, index, :] = sd * sd

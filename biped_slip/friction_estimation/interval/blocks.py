# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of samples of one foot: their means go to slip detection and, unless the foot slips, to the grid."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation import slip_detection
from biped_slip.friction_estimation.interval import filters as grid
from biped_slip.friction_estimation.interval.foot_state import STILL, IntervalState
from biped_slip.friction_estimation.interval.noise import ratio_sigma
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import update
from biped_slip.friction_estimation.interval.settings import Settings
from biped_slip.friction_estimation.interval.types import IMU, VELOCITY, Block, Model, SolePrior
from biped_slip.friction_estimation.types import FootMeasurement

STILL_LOAD = 0.05  # change of the force ratio under which any real contact moves (choice)
STILL_SHARE = 1e-3  # of the source's own noise: less motion than that is none


@kernel
def empty_block(foot: Any) -> None:
    """Begin a block."""
    foot["samples"] = 0
    foot["duration"] = 0.0
    foot["u_x"] = foot["u_y"] = foot["moment"] = foot["x"] = foot["y"] = 0.0
    foot["force_x"] = foot["force_y"] = foot["force_normal"] = 0.0


@kernel
def collect(foot: Any, model: Model, measurement: FootMeasurement, u_x: float, u_y: float, dt: float) -> None:
    """Add a sample to the block under way; one without motion only lengthens it."""
    x, y = measurement.displacement_x, measurement.displacement_y
    if math.isnan(x) and model.kind == VELOCITY:
        foot["integral_x"] += dt * measurement.velocity_x
        foot["integral_y"] += dt * measurement.velocity_y
        x, y = foot["integral_x"], foot["integral_y"]
    if model.axes == 1:
        y = 0.0
    foot["duration"] += dt
    if math.isnan(x) or math.isnan(y):
        return
    foot["samples"] += 1
    foot["u_x"] += u_x
    foot["u_y"] += u_y
    if math.isfinite(measurement.moment_normal):
        foot["moment"] += measurement.moment_normal / max(measurement.force_normal, 1.0)
    foot["x"] += 1e3 * x
    foot["y"] += 1e3 * y
    foot["force_x"] -= measurement.force_x
    foot["force_y"] -= measurement.force_y
    foot["force_normal"] += measurement.force_normal


@kernel
def close_block(state: IntervalState, settings: Settings) -> None:
    """Hand the block's means to slip detection and, unless the foot slips, to the grid."""
    foot, model = state.foot[0], settings.model
    if foot["samples"] == 0:  # the motion was not seen: its origin is lost
        foot["anchored"] = False
        empty_block(foot)
        return
    share = 1.0 / foot["samples"]
    block = Block(share * foot["u_x"], share * foot["u_y"], share * foot["x"], share * foot["y"],
                  share * foot["force_x"], share * foot["force_y"] if model.axes == 2 else 0.0,
                  share * foot["force_normal"], foot["samples"], foot["duration"], 1)  # fmt: skip
    moment = share * foot["moment"]
    empty_block(foot)
    foot["sigma_u"] = ratio_sigma(model, block)
    if _assumes_still(foot, model, block):
        foot["fault"] = STILL
    if foot["fault"] == STILL:
        return
    s_p = foot["s_p"] if foot["released"] else foot["sole_s_p"] * math.exp(foot["sole_s_p_spread"])
    sigma_x = _window_sigma(model, block, foot["age"])
    if slip_detection.detect(state.slip, settings.slip, foot["age"], block.u_x, block.u_y, moment, block.x, block.y,
                             foot["sigma_u"], sigma_x, s_p):  # fmt: skip
        foot["anchored"] = False
        foot["rolled"] = -math.inf
        return
    if not foot["started"]:
        sole = SolePrior(foot["sole_s_p"], foot["sole_s_p_spread"], foot["sole_compliance"], foot["sole_compliance_sd"],
                         settings.sole.lag_sd)  # fmt: skip
        grid.start(state.filters, model, sole, block)
        foot["started"] = True
    elif not foot["anchored"]:
        grid.anchor(state.filters, model, block)
    else:
        update(state.filters, model, block)
    foot["anchored"] = True
    _publish(state, model)


@kernel
def _assumes_still(foot: Any, model: Model, block: Block) -> bool:
    """Whether the displacement has not changed at all under a changing load (study 4)."""
    if 0.5 * model.quantisation > model.sigma:
        return False  # a coarse encoder may well stay put
    noise = model.sigma * (block.duration / block.samples if model.kind == VELOCITY else 1.0)
    moved = math.hypot(block.x - foot["still_x"], block.y - foot["still_y"])
    if not foot["started"] or moved > STILL_SHARE * noise:
        foot["still_x"] = block.x
        foot["still_y"] = block.y
        foot["still_u_x"] = block.u_x
        foot["still_u_y"] = block.u_y
        return False
    loaded = math.hypot(block.u_x - foot["still_u_x"], block.u_y - foot["still_u_y"])
    return loaded > max(STILL_LOAD, 8.0 * foot["sigma_u"])


@kernel
def _window_sigma(model: Model, block: Block, age: float) -> float:
    """Sd of the displacement's change over the slip detector's window [mm]."""
    span = slip_detection.WINDOW * block.duration
    if model.kind == VELOCITY:
        return model.sigma * math.sqrt(span * block.duration / block.samples)
    if model.kind == IMU:
        return span * (model.start_speed + model.bias * age + model.noise_density * math.sqrt(age))
    return math.sqrt(2.0 * model.sigma**2 / block.samples + model.quantisation**2 / 6.0)


@kernel
def _publish(state: IntervalState, model: Model) -> None:
    """Keep what the grid says now."""
    foot = state.foot[0]
    answer = read_out(state.filters, model, foot["sigma_u"])
    foot["low"] = answer.low
    foot["q05"] = answer.q05
    foot["median"] = answer.median
    foot["high"] = answer.high
    foot["witnessed"] = answer.witnessed
    foot["s_p"] = answer.s_p
    foot["s_p_sd"] = answer.s_p_sd
    foot["released"] = answer.released
    foot["usable"] = answer.usable

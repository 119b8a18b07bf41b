# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Blocks of samples of one foot: their means go to slip detection and, unless the foot slips, to the grid."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation import slip_detection
from biped_slip.friction_estimation.interval import filters as grid
from biped_slip.friction_estimation.interval import watch
from biped_slip.friction_estimation.interval.foot_state import (
    COLOURED,
    OPPOSED,
    REFUTED,
    RESTLESS,
    STILL,
    IntervalState,
)
from biped_slip.friction_estimation.interval.masing import follow_load, forget_load
from biped_slip.friction_estimation.interval.noise import ratio_sigma
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import update
from biped_slip.friction_estimation.interval.settings import Settings
from biped_slip.friction_estimation.interval.types import IMU, VELOCITY, Block, Model, SolePrior
from biped_slip.friction_estimation.types import FootMeasurement

STILL_LOAD = 0.05  # change of the force ratio under which any real contact moves (choice)
MOST_OVERCOUNTED = 4.0  # times that evidence may count too much before (choice)
SLIDE_SIGMAS = 3.0  # of the force ratio, either side of the one measured while sliding
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
        foot["moment"] += measurement.moment_normal / measurement.force_normal
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
        _slide(state, model, block)
        return
    _take(state, settings, block)
    foot["anchored"] = True
    if watch.opposed(state.filters, model, block.samples, block.duration):
        foot["opposed"] = True
    _publish(state, model)


@kernel
def _slide(state: IntervalState, model: Model, block: Block) -> None:
    """A sliding foot: motion has no origin, and what was held before is no bound any more."""
    foot, contact = state.foot[0], state.filters.contact[0]
    foot["anchored"] = False
    foot["rolled"] = -math.inf
    foot["regripped"] = False
    contact["witnessed"] = foot["witnessed"] = 0.0
    contact["blocks"] = 0
    follow_load(state.filters, model, block.u_x, block.u_y)


@kernel
def _take(state: IntervalState, settings: Settings, block: Block) -> None:
    """Hand a block to the grid: as its first, as a new origin of motion or as evidence."""
    foot, model = state.foot[0], settings.model
    forgotten = False
    if foot["started"] and foot["anchored"]:
        forgotten = update(state.filters, model, block)
    elif foot["started"]:
        grid.anchor(state.filters, model, block)
    if forgotten:
        foot["forgotten"] += 1
        forget_load(state.filters)
    if forgotten or not foot["started"]:
        _start(state, settings, block)


@kernel
def _start(state: IntervalState, settings: Settings, block: Block) -> None:
    """Nothing is known of the floor; what is known of the sole stays."""
    foot = state.foot[0]
    sole = SolePrior(foot["sole_s_p"], foot["sole_s_p_spread"], foot["sole_compliance"], foot["sole_compliance_sd"],
                     settings.sole.lag_sd)  # fmt: skip
    grid.start(state.filters, settings.model, sole, block)
    foot["started"] = True


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
    """Keep what the grid says now; where it contradicts itself or its residuals, only what the foot has held."""
    foot, event = state.foot[0], state.slip.event[0]
    answer = read_out(state.filters, model, foot["sigma_u"])
    foot["refuted"] |= answer.refuted
    foot["doubt"] = _doubt(state)
    certain = foot["doubt"] == 0
    foot["low"] = answer.low if certain else answer.witnessed
    foot["q05"] = answer.q05
    foot["median"] = answer.median
    foot["high"] = answer.high if certain and not model.shared else math.inf
    foot["witnessed"] = answer.witnessed
    foot["s_p"] = answer.s_p
    foot["s_p_sd"] = answer.s_p_sd
    foot["released"] = answer.released and certain
    foot["usable"] = answer.usable and certain
    if event["slipped"] and answer.witnessed > event["kinetic"] + SLIDE_SIGMAS * foot["sigma_u"]:
        foot["regripped"] = True


@kernel
def _doubt(state: IntervalState) -> int:
    """One of DOUBTS."""
    foot = state.foot[0]
    if foot["opposed"]:
        return OPPOSED
    if foot["refuted"]:
        return REFUTED
    if foot["forgotten"] > 0:
        return RESTLESS
    return COLOURED if watch.overcounting(state.filters) > MOST_OVERCOUNTED else 0

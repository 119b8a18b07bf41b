# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One sample of one foot: contact, settling, rolling, blocks of samples, slip, and what is published."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.friction import slip_detection
from biped_slip.friction.interval import filters as grid
from biped_slip.friction.interval.memory import carry_over
from biped_slip.friction.interval.noise import ratio_sigma
from biped_slip.friction.interval.readout import read_out
from biped_slip.friction.interval.recursion import update
from biped_slip.friction.interval.settings import Compact, Settings, expand
from biped_slip.friction.interval.types import IMU, VELOCITY, Block, Filters, Model, SolePrior
from biped_slip.friction.slip_detection import SlipBuffers
from biped_slip.friction.types import EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.kernels import kernel

FAULTS = (
    "no fault",
    "a force is not finite or above 100 body weights; check the force sensor",
    "the displacement is above 10 km; check its unit, metres are expected",
    "the time since the last sample is not positive and finite; check the stamps",
    "the displacement stays put while the load changes: a source that assumes the stance foot is still carries "
    "no information about friction; measure the foot's motion",
)
FORCE, DISPLACEMENT, TIME, STILL = 1, 2, 3, 4  # indices of FAULTS

NO_CONTACT = int(EstimateState.NO_CONTACT)
SETTLING = int(EstimateState.SETTLING)
NOT_IDENTIFIABLE = int(EstimateState.NOT_IDENTIFIABLE)
USABLE = int(EstimateState.USABLE)
SLIPPING = int(EstimateState.SLIPPING)
INVALID_INPUT = int(EstimateState.INVALID_INPUT)

LARGEST_FORCE = 100.0  # body weights; beyond it a sensor is broken
LARGEST_DISPLACEMENT = 1e4  # [m]
STILL_LOAD = 0.05  # change of the force ratio under which any real contact moves (choice)
STILL_SHARE = 1e-3  # of the source's own noise: less motion than that is none
LEAVE_SHARE = 0.75  # of the contact load, below which the contact ends: it must not chatter
EDGE = 0.95  # of the sole's half length (choice)


class IntervalState(NamedTuple):
    """State of one foot: buffers that ``step`` overwrites and hands on."""

    filters: Filters
    slip: SlipBuffers
    foot: NDArray[Any]  # one record of FOOT


FOOT = np.dtype(
    [
        ("in_contact", np.bool_),
        ("age", np.float64),  # of the contact [s]
        ("rolled", np.float64),  # age at which the foot last rolled or a gap ended [s]
        ("started", np.bool_),  # the grid has its first block
        ("anchored", np.bool_),  # and no roll, gap or slip has moved the origin since
        ("samples", np.int64),  # of the block under way, and its sums
        ("duration", np.float64),
        ("u_x", np.float64),
        ("u_y", np.float64),
        ("moment", np.float64),
        ("x", np.float64),
        ("y", np.float64),
        ("force_x", np.float64),
        ("force_y", np.float64),
        ("force_normal", np.float64),
        ("integral_x", np.float64),  # of a measured velocity where no displacement is given [m]
        ("integral_y", np.float64),
        ("sigma_u", np.float64),  # of the last block
        ("low", np.float64),  # last read-out
        ("q05", np.float64),
        ("median", np.float64),
        ("high", np.float64),
        ("witnessed", np.float64),
        ("s_p", np.float64),  # [mm]
        ("s_p_sd", np.float64),
        ("released", np.bool_),
        ("usable", np.bool_),
        ("sole_s_p", np.float64),  # belief about the sole with which the next contact starts [mm]
        ("sole_s_p_spread", np.float64),
        ("sole_compliance", np.float64),  # [mm/100 N]
        ("sole_compliance_sd", np.float64),
        ("invalid", np.int64),  # samples skipped so far
        ("fault", np.int64),  # of the last sample, one of FAULTS
        ("still_x", np.float64),  # block since which the displacement has not changed [mm]
        ("still_y", np.float64),
        ("still_u_x", np.float64),
        ("still_u_y", np.float64),
    ]
)


@kernel
def step_compact(state: IntervalState, compact: Compact, measurement: FootMeasurement, dt: float) -> FrictionEstimate:
    """``step`` for a caller in Python, to whom every number handed over costs time."""
    return step(state, expand(compact), measurement, dt)


@kernel
def step(state: IntervalState, settings: Settings, measurement: FootMeasurement, dt: float) -> FrictionEstimate:
    """Take one sample; overwrites the buffers of ``state``.

    Args:
        measurement: of this foot; forces of the ground on the foot.
        dt: time since the previous sample [s].
    """
    foot = state.foot[0]
    fault = _fault(measurement, settings, dt)
    if fault != 0:
        foot["fault"] = fault
        foot["invalid"] += 1
        return _estimate(state, math.nan, INVALID_INPUT)
    if foot["fault"] != STILL:
        foot["fault"] = 0
    gate, needed = settings.gate, settings.gate.contact_load * settings.body_weight
    if not foot["in_contact"] and measurement.force_normal > needed:
        _touch_down(state)
    elif foot["in_contact"] and measurement.force_normal < LEAVE_SHARE * needed:
        _lift_off(state, settings)
    if not foot["in_contact"]:
        return _estimate(state, math.nan, NO_CONTACT)
    normal = max(measurement.force_normal, 1.0)
    u_x, u_y = -measurement.force_x / normal, -measurement.force_y / normal
    if settings.model.axes == 1:
        u_y = 0.0
    foot["age"] += dt
    if dt > gate.longest_gap or _rolls(measurement, gate):
        _interrupt(state)
    elif foot["age"] > gate.settling_time and (foot["anchored"] or foot["age"] > foot["rolled"] + gate.settling_time):
        _collect(foot, settings.model, measurement, u_x, u_y, dt)
        if foot["duration"] > settings.block_time - 0.5 * dt:
            _close_block(state, settings)
    return _estimate(state, math.hypot(u_x, u_y), _state_code(state, settings))


@kernel
def _fault(measurement: FootMeasurement, settings: Settings, dt: float) -> int:
    """Index of FAULTS; a motion that is NaN is not measured, one that is infinite is broken."""
    limit = LARGEST_FORCE * settings.body_weight
    if not abs(measurement.force_x) + abs(measurement.force_y) + abs(measurement.force_normal) < limit:
        return FORCE
    if abs(measurement.displacement_x) + abs(measurement.displacement_y) > LARGEST_DISPLACEMENT:
        return DISPLACEMENT
    if not (dt > 0.0 and dt < math.inf):
        return TIME
    return 0


@kernel
def _rolls(measurement: FootMeasurement, gate: Any) -> bool:
    """Heel or toe roll: its motion is no presliding (study 7, reset). What is not measured does not speak."""
    if abs(measurement.angular_rate) > gate.rolling_rate:
        return True
    edge = EDGE * gate.sole_half_length
    return edge > 0.0 and abs(measurement.centre_of_pressure_x) > edge


@kernel
def _touch_down(state: IntervalState) -> None:
    foot = state.foot[0]
    foot["in_contact"] = True
    foot["fault"] = 0
    foot["age"] = 0.0
    foot["rolled"] = -math.inf
    foot["started"] = False
    foot["anchored"] = False
    foot["integral_x"] = 0.0
    foot["integral_y"] = 0.0
    foot["low"] = foot["q05"] = foot["median"] = foot["high"] = math.nan
    foot["witnessed"] = foot["s_p"] = math.nan
    foot["released"] = False
    foot["usable"] = False
    _empty_block(foot)
    slip_detection.forget(state.slip)


@kernel
def _lift_off(state: IntervalState, settings: Settings) -> None:
    foot = state.foot[0]
    foot["in_contact"] = False
    seen = settings.model.kind != IMU  # drift looks like compliance and like any sole
    if seen and settings.gate.carry_sole and foot["started"] and foot["released"]:
        carry_over(state.filters, settings.model, settings.sole, foot)


@kernel
def _interrupt(state: IntervalState) -> None:
    """The origin of motion is lost: keep what is known of mu, take the path up anew when the foot rests again."""
    foot = state.foot[0]
    foot["rolled"] = foot["age"]
    foot["anchored"] = False
    _empty_block(foot)
    slip_detection.restart_window(state.slip)


@kernel
def _empty_block(foot: Any) -> None:
    foot["samples"] = 0
    foot["duration"] = 0.0
    foot["u_x"] = foot["u_y"] = foot["moment"] = foot["x"] = foot["y"] = 0.0
    foot["force_x"] = foot["force_y"] = foot["force_normal"] = 0.0


@kernel
def _collect(foot: Any, model: Model, measurement: FootMeasurement, u_x: float, u_y: float, dt: float) -> None:
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
def _close_block(state: IntervalState, settings: Settings) -> None:
    """Hand the block's means to slip detection and, unless the foot slips, to the grid."""
    foot, model = state.foot[0], settings.model
    if foot["samples"] == 0:  # the motion was not seen: its origin is lost
        foot["anchored"] = False
        _empty_block(foot)
        return
    share = 1.0 / foot["samples"]
    block = Block(share * foot["u_x"], share * foot["u_y"], share * foot["x"], share * foot["y"],
                  share * foot["force_x"], share * foot["force_y"] if model.axes == 2 else 0.0,
                  share * foot["force_normal"], foot["samples"], foot["duration"], 1)  # fmt: skip
    moment = share * foot["moment"]
    _empty_block(foot)
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
    """Whether the displacement has not changed at all under a changing load (study 4, consequences)."""
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


@kernel
def _state_code(state: IntervalState, settings: Settings) -> int:
    foot, event, settling = state.foot[0], state.slip.event[0], settings.gate.settling_time
    if foot["fault"] == STILL:
        return INVALID_INPUT
    if event["slipping"]:
        return SLIPPING
    if foot["usable"] or event["slipped"]:
        return USABLE
    rested = min(foot["age"], foot["age"] - foot["rolled"])
    if rested < settling + settings.block_time and not foot["anchored"]:
        return SETTLING
    return NOT_IDENTIFIABLE


@kernel
def _estimate(state: IntervalState, force_ratio: float, code: int) -> FrictionEstimate:
    """What is published; after a slip the kinetic ratio is the answer, as exact as the force sensor (study 7)."""
    foot, event = state.foot[0], state.slip.event[0]
    nan = math.nan
    if not foot["in_contact"]:
        return FrictionEstimate(nan, nan, nan, nan, nan, False, False, nan, nan, nan, False, code)
    s_p = 1e-3 * foot["s_p"]
    if foot["fault"] == STILL:
        return FrictionEstimate(nan, nan, nan, nan, nan, False, False, nan, nan, force_ratio, False, code)
    if event["slipped"]:
        kinetic, sigma = event["kinetic"], foot["sigma_u"]
        low, q05, high = max(kinetic - 3.0 * sigma, 0.0), max(kinetic - 1.645 * sigma, 0.0), kinetic + 3.0 * sigma
        witnessed = min(foot["witnessed"], low)
        return FrictionEstimate(
            kinetic, low, q05, kinetic, high, True, False, witnessed, s_p, force_ratio, event["slipping"], code
        )
    mu = foot["median"] if foot["released"] else nan
    return FrictionEstimate(
        mu, foot["low"], foot["q05"], foot["median"], foot["high"], foot["usable"], False, foot["witnessed"],
        s_p, force_ratio, False, code,
    )  # fmt: skip

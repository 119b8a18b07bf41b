# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One sample of one foot: contact, settling, rolling, and the block that it belongs to."""

from __future__ import annotations

import math
from typing import Any

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation import slip_detection
from biped_slip.friction_estimation.interval.answer import estimate, state_code
from biped_slip.friction_estimation.interval.blocks import close_block, collect, empty_block
from biped_slip.friction_estimation.interval.filters import settle, touch_down
from biped_slip.friction_estimation.interval.foot_state import (
    DISPLACEMENT,
    FORCE,
    INVALID_INPUT,
    NO_CONTACT,
    STILL,
    TIME,
    IntervalState,
)
from biped_slip.friction_estimation.interval.masing import forget_load
from biped_slip.friction_estimation.interval.memory import carry_over
from biped_slip.friction_estimation.interval.settings import Compact, Settings, expand
from biped_slip.friction_estimation.interval.types import IMU
from biped_slip.friction_estimation.types import FootMeasurement, FrictionEstimate

LARGEST_FORCE = 100.0  # body weights; beyond it a sensor is broken
LARGEST_DISPLACEMENT = 1e4  # [m]
LIGHT_SHARE = 0.25  # of the contact load, below which a foot may be in the air (choice)
AIR_TIME = 0.02  # [s] so light, after which a contact starts unloaded; a bounce is shorter (choice)
DROP_TIME = 1.5e-3  # [s] so light, after which the foot has left: at 1 kHz one sample may be dropped (choice)
LEAVE_SHARE = 0.75  # of the contact load, below which the contact ends: it must not chatter
EDGE = 0.95  # of the sole's half length (choice)


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
        return estimate(state, math.nan, INVALID_INPUT)
    if foot["fault"] != STILL:
        foot["fault"] = 0
    gate, needed = settings.gate, settings.gate.contact_load * settings.body_weight
    if not foot["in_contact"] and measurement.force_normal > needed:
        _touch_down(state, settings)
    elif foot["in_contact"] and measurement.force_normal < LEAVE_SHARE * needed:
        foot["light"] += dt
        if foot["light"] <= DROP_TIME:  # a physics engine's contact drops out for a step: nothing is learnt from it
            return estimate(state, math.nan, state_code(state, settings))
        _lift_off(state, settings)
    foot["light"] = 0.0
    if not foot["in_contact"]:
        _remember_landing(state, settings, measurement, dt)
        return estimate(state, math.nan, NO_CONTACT)
    foot["aloft"] = 0.0
    u_x = -measurement.force_x / measurement.force_normal
    u_y = -measurement.force_y / measurement.force_normal
    if settings.model.axes == 1:
        u_y = 0.0
    foot["age"] += dt
    if dt > gate.longest_gap or _rolls(measurement, gate):
        _interrupt(state)
    elif foot["age"] > gate.settling_time and (foot["anchored"] or foot["age"] > foot["rolled"] + gate.settling_time):
        collect(foot, settings.model, measurement, u_x, u_y, dt)
        if foot["duration"] > settings.block_time - 0.5 * dt:
            close_block(state, settings)
    else:
        settle(state.filters, settings.model, u_x, u_y, measurement.force_normal)
    return estimate(state, math.hypot(u_x, u_y), state_code(state, settings))


@kernel
def _remember_landing(state: IntervalState, settings: Settings, measurement: FootMeasurement, dt: float) -> None:
    """Load that is too light for a contact is remembered: a foot that lands sliding, or bounces, starts from there.

    Taken for unloaded, its contact would look up to twice as far from slip by Masing's rule.
    """
    foot, normal = state.foot[0], measurement.force_normal
    if normal < LIGHT_SHARE * settings.gate.contact_load * settings.body_weight:
        foot["aloft"] += dt
        if foot["aloft"] > AIR_TIME:
            forget_load(state.filters)
        return
    foot["aloft"] = 0.0
    u_y = -measurement.force_y / normal if settings.model.axes == 2 else 0.0
    settle(state.filters, settings.model, -measurement.force_x / normal, u_y, normal)


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
    """Heel or toe roll: its motion is no presliding (study 7.8). What is not measured does not speak."""
    if abs(measurement.angular_rate) > gate.rolling_rate:
        return True
    edge = EDGE * gate.sole_half_length
    return edge > 0.0 and abs(measurement.centre_of_pressure_x) > edge


@kernel
def _touch_down(state: IntervalState, settings: Settings) -> None:
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
    foot["forgotten"] = 0
    foot["doubt"] = 0
    foot["refuted"] = foot["opposed"] = False
    foot["regripped"] = False
    foot["usable"] = False
    empty_block(foot)
    touch_down(state.filters, settings.model)
    slip_detection.forget(state.slip)


@kernel
def _lift_off(state: IntervalState, settings: Settings) -> None:
    foot = state.foot[0]
    foot["in_contact"] = False
    touch_down(state.filters, settings.model)
    seen = settings.model.kind != IMU  # drift looks like compliance and like any sole
    if seen and settings.gate.carry_sole and foot["started"] and foot["released"]:
        carry_over(state.filters, settings.model, settings.sole, foot)


@kernel
def _interrupt(state: IntervalState) -> None:
    """The origin of motion is lost: keep what is known of mu, take the path up anew when the foot rests again."""
    foot = state.foot[0]
    foot["rolled"] = foot["age"]
    foot["anchored"] = False
    empty_block(foot)
    forget_load(state.filters)
    slip_detection.restart_window(state.slip)

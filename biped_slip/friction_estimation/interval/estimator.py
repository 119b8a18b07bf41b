# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Interval estimator of one foot.

Its parts are contact, blocks, estimate, and learning of the sole's parameters.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import Held, hold, kernel, without_dispatch
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation import slip_detection
from biped_slip.friction_estimation.interval import grid
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.interval.grid import (
    IMU_MOTION,
    VELOCITY_MOTION,
    Block,
    Filters,
    Model,
    SolePrior,
    follow_load,
    forget_load,
    settle,
    touch_down,
)
from biped_slip.friction_estimation.interval.model import Settings, settings
from biped_slip.friction_estimation.interval.readout import read_out
from biped_slip.friction_estimation.interval.recursion import ratio_sigma, update
from biped_slip.friction_estimation.slip_detection import SlipBuffers
from biped_slip.friction_estimation.types import (
    INVALID_INPUT,
    NAN,
    NO_CONTACT,
    NO_CONTEXT,
    NO_MEASUREMENT,
    NOT_IDENTIFIABLE,
    SETTLING,
    SLIPPING,
    USABLE,
    FootContext,
    FootMeasurement,
    FrictionEstimate,
    bare_estimate,
)

FAULTS = (
    "no fault",
    "a force is not finite or above 100 body weights; check the force sensor",
    "the displacement is above 10 km; check its unit, metres are expected",
    "the time since the last sample is not positive and finite; check the stamps",
    "the displacement stays put while the load changes: a source that assumes the "
    "stance foot is still carries "
    "no information about friction; measure the foot's motion",
)
# indices of FAULTS
FORCE_FAULT = 1
DISPLACEMENT = 2
TIME_FAULT = 3
STILL_FAULT = 4

DOUBTS = (
    "no doubt",
    "the foot has held more than the upper end of the interval: the sole, the floor "
    "or the motion is not as stated",
    "the motion jumped against the model in this contact: the floor under the foot "
    "changed, or a sensor failed",
    "the residuals are correlated: motion or force drift, lag or come late more than "
    "stated",
    "the foot moves against its load, the sign of force or motion is turned: force_x, "
    "force_y are the ground's on the "
    "foot, displacement_x, displacement_y the sole's over the ground; pushed forward "
    "it moves forward and is held back",
)
# indices of DOUBTS
REFUTED = 1
RESTLESS = 2
COLOURED = 3
OPPOSED = 4


class IntervalState(NamedTuple):
    """State of one foot: buffers that ``step`` overwrites and hands on."""

    filters: Filters
    slip: SlipBuffers
    foot: NDArray[Any]  # one record of FOOT_DTYPE


FOOT_DTYPE = np.dtype(
    [
        ("in_contact", np.bool_),
        ("age", np.float64),  # of the contact [s]
        ("aloft", np.float64),  # how long it has carried next to nothing [s]
        ("light", np.float64),  # how long the load has been too light for a contact [s]
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
        # of a measured velocity where no displacement is given [m]
        (
            "integral_x",
            np.float64,
        ),
        ("integral_y", np.float64),
        ("sigma_u", np.float64),  # of the last block
        ("low", np.float64),  # last read-out
        ("q05", np.float64),
        ("median", np.float64),
        ("high", np.float64),
        ("mu_demonstrated", np.float64),
        ("s_p", np.float64),  # [mm]
        ("s_p_sd", np.float64),
        ("released", np.bool_),
        ("usable", np.bool_),
        # belief about the sole with which the next contact starts [mm]
        (
            "sole_s_p",
            np.float64,
        ),
        ("sole_s_p_spread", np.float64),
        ("sole_compliance", np.float64),  # [mm/100 N]
        ("sole_compliance_sd", np.float64),
        # one of DOUBTS: why the certificate of this contact is withdrawn
        (
            "doubt",
            np.int64,
        ),
        ("opposed", np.bool_),  # it moved against its load in this contact
        # the foot held more than an interval of this contact allowed
        (
            "refuted",
            np.bool_,
        ),
        ("regripped", np.bool_),  # it has held more than its last slide did
        ("forgotten", np.int64),  # times that this contact was no longer what it was
        ("invalid", np.int64),  # samples skipped so far
        ("fault", np.int64),  # of the last sample, one of FAULTS
        # block since which the displacement has not changed [mm]
        (
            "still_x",
            np.float64,
        ),
        ("still_y", np.float64),
        ("still_u_x", np.float64),
        ("still_u_y", np.float64),
    ]
)


@kernel
def state_code(state: IntervalState, settings: Settings) -> int:
    """Return the EstimateState: what the estimate can be used for now."""
    foot = state.foot[0]
    event = state.slip.event[0]
    settling = settings.gate.settling_time
    if foot["fault"] == STILL_FAULT:
        return INVALID_INPUT
    if event["slipping"]:
        return SLIPPING
    if foot["usable"] or (event["slipped"] and not foot["regripped"]):
        return USABLE
    rested = min(foot["age"], foot["age"] - foot["rolled"])
    if rested < settling + settings.block_time and not foot["anchored"]:
        return SETTLING
    return NOT_IDENTIFIABLE


@kernel
def estimate(state: IntervalState, force_ratio: float, code: int) -> FrictionEstimate:
    """Publish the estimate.

    After a slip it is the kinetic ratio, as exact as the force sensor (study 7).

    Until the foot has held more than that: then it stands on another floor, or better
    than it slid.
    """
    foot = state.foot[0]
    event = state.slip.event[0]
    if not foot["in_contact"] or foot["fault"] == STILL_FAULT:
        return bare_estimate(force_ratio if foot["in_contact"] else NAN, code)
    s_p = 1e-3 * foot["s_p"]
    if event["slipped"] and not foot["regripped"]:
        kinetic = event["kinetic"]
        sigma = foot["sigma_u"]
        low = max(kinetic - 3.0 * sigma, 0.0)
        q05 = max(kinetic - 1.645 * sigma, 0.0)
        high = kinetic + 3.0 * sigma
        held = min(foot["mu_demonstrated"], low)
        slipping = event["slipping"]
        return FrictionEstimate(
            mu=kinetic,
            mu_low=low,
            mu_q05=q05,
            mu_median=kinetic,
            mu_high=high,
            usable=True,
            flag=False,
            mu_demonstrated=held,
            s_p=s_p,
            test_load=NAN,
            test_speed=NAN,
            test_travel=NAN,
            known_after=NAN,
            force_ratio=force_ratio,
            slipping=slipping,
            state_code=code,
        )
    mu = foot["median"] if foot["released"] else NAN
    return FrictionEstimate(
        mu=mu,
        mu_low=foot["low"],
        mu_q05=foot["q05"],
        mu_median=foot["median"],
        mu_high=foot["high"],
        usable=foot["usable"],
        flag=False,
        mu_demonstrated=foot["mu_demonstrated"],
        s_p=s_p,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=force_ratio,
        slipping=False,
        state_code=code,
    )


# What a step taught about the sole, taken to the next one with inflation (study 7.8;
# study 5).

# of ln s_p: a sole believed better than this and wrong breaks the bound (study 5)
SMALLEST_SPREAD = 0.5
INFLATION = 0.3  # sd of ln s_p that a step forgets (choice)
COMPLIANCE_INFLATION = 2.0  # on its sd, a step (choice)
# share of the belief about the shape that a step gives back to all shapes alike
# (choice)
SHAPE_FORGOTTEN = 0.2


@kernel
def carry_over(filters: Filters, model: Model, first: SolePrior, foot: Any) -> None:
    """Store the sole's posterior for the next contact.

    Doubt never grows beyond ``first``, the belief before any step. The belief about the
    shape goes into ``filters.shape_weight``, which outlives the contact.
    """
    shapes = filters.shape_weight.size
    for v in range(shapes):
        filters.shape_weight[v] = SHAPE_FORGOTTEN * model.belief[v]
    for n in range(filters.probability.size):
        filters.shape_weight[n % shapes] += (
            1.0 - SHAPE_FORGOTTEN
        ) * filters.probability[n]
    relative = 1.0 + (foot["s_p_sd"] / foot["s_p"]) ** 2  # moments of a log-normal
    if math.isfinite(relative):
        spread = math.sqrt(math.log(relative) + INFLATION**2)
        foot["sole_s_p"] = foot["s_p"] / math.sqrt(relative)
        foot["sole_s_p_spread"] = min(max(spread, SMALLEST_SPREAD), first.s_p_spread)
    if model.has_compliance:
        index = model.axes + 1
        mean = second = 0.0
        for n in range(filters.probability.size):
            value = filters.mean[index, n]
            mean += filters.probability[n] * value
            second += filters.probability[n] * (
                value * value + filters.covariance[index, index, n]
            )
        sd = math.sqrt(max(second - mean * mean, 0.0))
        foot["sole_compliance"] = mean
        foot["sole_compliance_sd"] = min(COMPLIANCE_INFLATION * sd, first.compliance_sd)


# Blocks of samples of one foot: their means go to slip detection and, unless the foot
# slips, to the grid.

STILL_LOAD = (
    0.05  # change of the force ratio under which any real contact moves (choice)
)
MOST_OVERCOUNTED = 4.0  # times that evidence may count too much before (choice)
SLIDE_SIGMAS = 3.0  # of the force ratio, either side of the one measured while sliding
STILL_NOISE_SHARE = 1e-3  # of the source's own noise: less motion than that is none


@kernel
def empty_block(foot: Any) -> None:
    """Begin a block of samples."""
    foot["samples"] = 0
    foot["duration"] = 0.0
    foot["u_x"] = foot["u_y"] = foot["moment"] = foot["x"] = foot["y"] = 0.0
    foot["force_x"] = foot["force_y"] = foot["force_normal"] = 0.0


@kernel
def collect(
    foot: Any,
    model: Model,
    measurement: FootMeasurement,
    u_x: float,
    u_y: float,
    dt: float,
) -> None:
    """Add a sample to the open block; one without motion only lengthens it."""
    x = measurement.displacement_x
    y = measurement.displacement_y
    if math.isnan(x) and model.kind == VELOCITY_MOTION:
        foot["integral_x"] += dt * measurement.velocity_x
        foot["integral_y"] += dt * measurement.velocity_y
        x = foot["integral_x"]
        y = foot["integral_y"]
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
    """Pass the block's means to slip detection.

    Unless the foot slips, pass them to the grid as well.
    """
    foot = state.foot[0]
    model = settings.model
    if foot["samples"] == 0:  # no motion was measured: its origin is lost
        foot["anchored"] = False
        empty_block(foot)
        return
    share = 1.0 / foot["samples"]
    block = Block(
        u_x=share * foot["u_x"],
        u_y=share * foot["u_y"],
        x=share * foot["x"],
        y=share * foot["y"],
        force_x=share * foot["force_x"],
        force_y=share * foot["force_y"] if model.axes == 2 else 0.0,
        force_normal=share * foot["force_normal"],
        samples=foot["samples"],
        duration=foot["duration"],
        merged=1,
    )
    moment = share * foot["moment"]
    empty_block(foot)
    foot["sigma_u"] = ratio_sigma(model, block)
    if _assumes_still(foot, model, block):
        foot["fault"] = STILL_FAULT
    if foot["fault"] == STILL_FAULT:
        return
    s_p = (
        foot["s_p"]
        if foot["released"]
        else foot["sole_s_p"] * math.exp(foot["sole_s_p_spread"])
    )
    sigma_x = _window_sigma(model, block, foot["age"])
    if slip_detection.detect(
        state.slip,
        settings.slip,
        foot["age"],
        block.u_x,
        block.u_y,
        moment,
        block.x,
        block.y,
        foot["sigma_u"],
        sigma_x,
        s_p,
    ):
        _slide(state, model, block)
        return
    _take(state, settings, block)
    foot["anchored"] = True
    if grid.opposed(state.filters, model, block.samples, block.duration):
        foot["opposed"] = True
    _publish(state, model)


@kernel
def _slide(state: IntervalState, model: Model, block: Block) -> None:
    """Handle a sliding foot.

    Motion has no origin, and demonstrated friction is no bound any more.
    """
    foot = state.foot[0]
    contact = state.filters.contact[0]
    foot["anchored"] = False
    foot["rolled"] = -math.inf
    foot["regripped"] = False
    contact["mu_demonstrated"] = foot["mu_demonstrated"] = 0.0
    contact["blocks"] = 0
    follow_load(state.filters, model, block.u_x, block.u_y)


@kernel
def _take(state: IntervalState, settings: Settings, block: Block) -> None:
    """Pass a block to the grid: as its first, a new origin of motion or evidence."""
    foot = state.foot[0]
    model = settings.model
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
    """Start a contact: the floor is unknown, what is known of the sole stays."""
    foot = state.foot[0]
    sole = SolePrior(
        s_p=foot["sole_s_p"],
        s_p_spread=foot["sole_s_p_spread"],
        compliance=foot["sole_compliance"],
        compliance_sd=foot["sole_compliance_sd"],
        lag_sd=settings.sole.lag_sd,
    )
    grid.start(state.filters, settings.model, sole, block)
    foot["started"] = True


@kernel
def _assumes_still(foot: Any, model: Model, block: Block) -> bool:
    """Return whether the displacement is unchanged under a changing load (study 4)."""
    if 0.5 * model.quantisation > model.sigma:
        return False  # a coarse encoder may well stay put
    noise = model.sigma * (
        block.duration / block.samples if model.kind == VELOCITY_MOTION else 1.0
    )
    moved = math.hypot(block.x - foot["still_x"], block.y - foot["still_y"])
    if not foot["started"] or moved > STILL_NOISE_SHARE * noise:
        foot["still_x"] = block.x
        foot["still_y"] = block.y
        foot["still_u_x"] = block.u_x
        foot["still_u_y"] = block.u_y
        return False
    loaded = math.hypot(block.u_x - foot["still_u_x"], block.u_y - foot["still_u_y"])
    return loaded > max(STILL_LOAD, 8.0 * foot["sigma_u"])


@kernel
def _window_sigma(model: Model, block: Block, age: float) -> float:
    """Return the standard deviation of the displacement's change [mm].

    The change is that over the slip detector's window.
    """
    span = slip_detection.COMPARED_BLOCKS * block.duration
    if model.kind == VELOCITY_MOTION:
        return model.sigma * math.sqrt(span * block.duration / block.samples)
    if model.kind == IMU_MOTION:
        return span * (
            model.start_speed + model.bias * age + model.noise_density * math.sqrt(age)
        )
    return math.sqrt(2.0 * model.sigma**2 / block.samples + model.quantisation**2 / 6.0)


@kernel
def _publish(state: IntervalState, model: Model) -> None:
    """Publish the grid's answer.

    Where it contradicts itself or its residuals, publish demonstrated friction alone.
    """
    foot = state.foot[0]
    event = state.slip.event[0]
    answer = read_out(state.filters, model, foot["sigma_u"])
    foot["refuted"] |= answer.refuted
    foot["doubt"] = _doubt(state)
    certain = foot["doubt"] == 0
    foot["low"] = answer.low if certain else answer.mu_demonstrated
    foot["q05"] = answer.q05
    foot["median"] = answer.median
    foot["high"] = answer.high if certain and not model.shared else math.inf
    foot["mu_demonstrated"] = answer.mu_demonstrated
    foot["s_p"] = answer.s_p
    foot["s_p_sd"] = answer.s_p_sd
    foot["released"] = answer.released and certain
    foot["usable"] = answer.usable and certain
    if (
        event["slipped"]
        and answer.mu_demonstrated > event["kinetic"] + SLIDE_SIGMAS * foot["sigma_u"]
    ):
        foot["regripped"] = True


@kernel
def _doubt(state: IntervalState) -> int:
    """Return one of DOUBTS."""
    foot = state.foot[0]
    if foot["opposed"]:
        return OPPOSED
    if foot["refuted"]:
        return REFUTED
    if foot["forgotten"] > 0:
        return RESTLESS
    return COLOURED if grid.overcounting(state.filters) > MOST_OVERCOUNTED else 0


LARGEST_LOAD = 100.0  # body weights; beyond it a sensor is broken
LARGEST_DISPLACEMENT = 1e4  # [m]
LIGHT_SHARE = 0.25  # of the contact load, below which a foot may be in the air (choice)
# [s] so light, after which a contact starts unloaded; a bounce is shorter (choice)
AIR_TIME = 0.02
# [s] so light, after which the foot has left: at 1 kHz one sample may be dropped
# (choice)
DROP_TIME = 1.5e-3
LEAVE_SHARE = (
    0.75  # of the contact load, below which the contact ends: it must not chatter
)
EDGE_SHARE = 0.95  # of the sole's half length (choice)


@kernel
def step_held(
    state: IntervalState, settings: Held, measurement: FootMeasurement, dt: float
) -> FrictionEstimate:
    """Update the estimator from Python by settings that compiled code holds."""
    return step(state, settings.value, measurement, dt)


@kernel
def step(
    state: IntervalState, settings: Settings, measurement: FootMeasurement, dt: float
) -> FrictionEstimate:
    """Update the estimator by one sample, dt [s] after the last.

    It overwrites the buffers of ``state``.
    """
    foot = state.foot[0]
    fault = _fault(measurement, settings, dt)
    if fault != 0:
        foot["fault"] = fault
        foot["invalid"] += 1
        return estimate(state, math.nan, INVALID_INPUT)
    if foot["fault"] != STILL_FAULT:
        foot["fault"] = 0
    gate = settings.gate
    needed = settings.gate.contact_load * settings.body_weight
    if not foot["in_contact"] and measurement.force_normal > needed:
        _touch_down(state, settings)
    elif foot["in_contact"] and measurement.force_normal < LEAVE_SHARE * needed:
        foot["light"] += dt
        # a physics engine's contact drops out for a step: nothing is learnt from it
        if foot["light"] <= DROP_TIME:
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
    elif foot["age"] > gate.settling_time and (
        foot["anchored"] or foot["age"] > foot["rolled"] + gate.settling_time
    ):
        collect(foot, settings.model, measurement, u_x, u_y, dt)
        if foot["duration"] > settings.block_time - 0.5 * dt:
            close_block(state, settings)
    else:
        settle(state.filters, settings.model, u_x, u_y, measurement.force_normal)
    return estimate(state, math.hypot(u_x, u_y), state_code(state, settings))


@kernel
def _remember_landing(
    state: IntervalState, settings: Settings, measurement: FootMeasurement, dt: float
) -> None:
    """Store a load too light for a contact.

    A foot that lands sliding, or bounces, starts from there.

    Taken for unloaded, its contact would look up to twice as far from slip by Masing's
    rule.
    """
    foot = state.foot[0]
    normal = measurement.force_normal
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
    """Return the index of FAULTS.

    A motion that is NaN is not measured, one that is infinite is broken.
    """
    limit = LARGEST_LOAD * settings.body_weight
    if (
        not abs(measurement.force_x)
        + abs(measurement.force_y)
        + abs(measurement.force_normal)
        < limit
    ):
        return FORCE_FAULT
    if (
        abs(measurement.displacement_x) + abs(measurement.displacement_y)
        > LARGEST_DISPLACEMENT
    ):
        return DISPLACEMENT
    if not (dt > 0.0 and dt < math.inf):
        return TIME_FAULT
    return 0


@kernel
def _rolls(measurement: FootMeasurement, gate: Any) -> bool:
    """Return whether heel or toe roll.

    That motion is no presliding (study 7.8); NaN is not judged.
    """
    if abs(measurement.angular_rate) > gate.rolling_rate:
        return True
    edge = EDGE_SHARE * gate.sole_half_length
    return edge > 0.0 and abs(measurement.centre_of_pressure_x) > edge


@kernel
def _touch_down(state: IntervalState, settings: Settings) -> None:
    foot = state.foot[0]
    foot["in_contact"] = True
    foot["started"] = foot["anchored"] = foot["released"] = foot["usable"] = False
    foot["refuted"] = foot["opposed"] = foot["regripped"] = False
    foot["fault"] = foot["forgotten"] = foot["doubt"] = 0
    foot["age"] = foot["integral_x"] = foot["integral_y"] = 0.0
    foot["rolled"] = -math.inf
    foot["low"] = foot["q05"] = foot["median"] = foot["high"] = math.nan
    foot["mu_demonstrated"] = foot["s_p"] = math.nan
    empty_block(foot)
    touch_down(state.filters, settings.model)
    slip_detection.forget(state.slip)


@kernel
def _lift_off(state: IntervalState, settings: Settings) -> None:
    foot = state.foot[0]
    foot["in_contact"] = False
    touch_down(state.filters, settings.model)
    # drift looks like compliance and like any sole
    measured = settings.model.kind != IMU_MOTION
    if measured and settings.gate.carry_sole and foot["started"] and foot["released"]:
        carry_over(state.filters, settings.model, settings.sole, foot)


@kernel
def _interrupt(state: IntervalState) -> None:
    """Reset the origin of motion.

    Keep what is known of mu, restart the path when the foot rests again.
    """
    foot = state.foot[0]
    foot["rolled"] = foot["age"]
    foot["anchored"] = False
    empty_block(foot)
    forget_load(state.filters)
    slip_detection.restart_window(state.slip)


WARM_UP_SAMPLES = 40


@kernel(inline="text")
def interval_step(
    state: IntervalState,
    settings: Settings,
    measurement: FootMeasurement,
    dt: float,
    context: FootContext,
) -> tuple[IntervalState, FrictionEstimate]:
    """Update the estimator by one sample and return ``state``.

    The buffers of ``state`` are overwritten.

    Args:
        state: after the sample before.
        settings: of the estimator.
        measurement: of the foot.
        dt: time since the sample before [s].
        context: is not used: presliding is the contact's own.
    """
    return state, step(state, settings, measurement, dt)


class IntervalEstimator:
    """Friction interval of one foot, before it slips.

    Until the load has bent the force-displacement curve the honest answer is "not
    identifiable": ``mu`` is NaN, ``usable`` false, and ``mu_low`` is what the foot has
    already held. Once released ``mu`` is the median. A contact in which the foot slips
    answers with the ratio measured while sliding.

    The state is made of buffers that ``step`` overwrites: keep a copy (``copy_state``)
    to go back to it.

    Args:
        config: sensors, sole and thresholds.
        body_weight: of the robot [N]; scales contact detection and the belief about
            series compliance.
    """

    kernel = staticmethod(interval_step)
    raw_forces = True  # ``force.cross_talk`` bounds what they show of each other

    def __init__(
        self, config: IntervalConfig | None = None, *, body_weight: float
    ) -> None:
        if not (math.isfinite(body_weight) and body_weight > 0.0):
            raise InvalidParameter(
                "body_weight", body_weight, "finite and > 0 [N]", "mass times 9.81"
            )
        self.config = IntervalConfig() if config is None else config
        self.body_weight = float(body_weight)
        self.settings = settings(self.config, self.body_weight)
        self._held = hold(self.settings)
        self._quick: Any = None  # compiled at the first sample

    def initial_state(self) -> IntervalState:
        """Return the state of a foot in the air, with the configuration's sole."""
        record = np.zeros(1, dtype=FOOT_DTYPE)
        sole = self.settings.sole
        record["sole_s_p"] = sole.s_p
        record["sole_s_p_spread"] = sole.s_p_spread
        record["sole_compliance"] = sole.compliance
        record["sole_compliance_sd"] = sole.compliance_sd
        return IntervalState(
            grid.new_filters(self.settings.model), slip_detection.new_buffers(), record
        )

    def step(
        self,
        state: IntervalState,
        measurement: FootMeasurement,
        dt: float,
        context: FootContext = NO_CONTEXT,
    ) -> tuple[IntervalState, FrictionEstimate]:
        """Update the estimator by one sample.

        Args:
            state: after the sample before; its buffers are overwritten.
            measurement: of the foot.
            dt: time since the sample before [s].
            context: is not used: presliding is the contact's own.
        """
        self._quick = self._quick or without_dispatch(
            step_held, state, self._held, NO_MEASUREMENT, 1e-3
        )
        return state, self._quick(state, self._held, measurement, dt)

    def fault(self, state: IntervalState) -> str:
        """Explain INVALID_INPUT of the last sample in one sentence.

        It is empty if the sample was valid.
        """
        code = int(state.foot[0]["fault"])
        return FAULTS[code] if code else ""

    def doubt(self, state: IntervalState) -> str:
        """Explain in one sentence why the certificate of this contact is withdrawn.

        The sentence is empty if it is not.
        """
        code = int(state.foot[0]["doubt"])
        return DOUBTS[code] if code else ""

    def slip(self, state: IntervalState) -> slip_detection.SlipEvent | None:
        """Return onset, direction, distance and kinetic ratio of the last slip.

        It is the last one of this contact, if there was one.
        """
        return slip_detection.last_event(state.slip)

    def warm_up(self) -> None:
        """Compile the kernels of a contact before the first touchdown."""
        state = self.initial_state()
        period = self.config.block_time / 5.0
        settling = int(self.config.gate.settling_time / period)
        for k in range(settling + WARM_UP_SAMPLES):
            normal = self.body_weight if k < settling + WARM_UP_SAMPLES - 2 else 0.0
            pulled = FootMeasurement(
                stamp_ns=k,
                force_x=-1e-3 * k * normal,
                force_y=0.0,
                force_normal=normal,
                displacement_x=1e-7 * k,
                displacement_y=0.0,
                velocity_x=0.0,
                velocity_y=0.0,
                moment_normal=0.0,
                centre_of_pressure_x=0.0,
                centre_of_pressure_y=0.0,
                angular_rate=0.0,
            )
            state, _ = self.step(state, pulled, period)


def copy_state(state: IntervalState) -> IntervalState:
    """Copy a state so that later steps leave it unchanged."""
    return IntervalState(
        type(state.filters)(*(array.copy() for array in state.filters)),
        type(state.slip)(*(array.copy() for array in state.slip)),
        state.foot.copy(),
    )

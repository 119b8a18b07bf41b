# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Touchdown estimator: kinetic friction of the patch under a landing foot, from the milliseconds in which it slides.

A foot that lands sliding is held back by :math:`\mu F_n` at each instant, so over a slide

.. math:: \hat\mu = \frac{\sum F_t}{\sum F_n},\qquad
   \sigma^2 = \frac{(1 + \hat\mu^2)\,(n\,\sigma_F^2 + n^2 b^2)}{(\sum F_n)^2}

with :math:`F_t` the force along and against the sliding direction, :math:`\sigma_F` the noise of a sample, b what is
left of the sensor's offset after its zero was taken in the swing. A ratio of impulses needs no force control, and
filters or ringing that act on both components alike cancel. Cross-talk and misalignment enter one to one and are
subtracted as bounds.

What is summed is the driven slide alone: the foot moves faster than noise and faster than a share of its fastest, and
against its friction. While a foot is being stopped, a regularised or presliding contact holds it with less than mu.
A foot that never slid gives no mu, but holds at least what it bore. What is certified is said of this patch, at the
load and speed of the test.
"""

from __future__ import annotations

import math
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.types import NAN, CompiledRule, EstimateState, FootMeasurement, FrictionEstimate

SIGMAS = 2.0  # of the certified bounds: 2.5 % on either side
QUANTILE = 1.645  # sigmas of the 5 % quantile
HALVES = 3.0  # sigmas by which ratios of one slide may differ before there is no plateau (choice)
BOUNCE = 0.02  # [s] without load after which a contact has ended (choice)
LATE = 8.0  # samples that count as the last ones (choice)
PLATEAU = 0.02  # of mu, by which the ratio of a sliding foot varies by itself (choice)


class Doubt(IntEnum):
    """Why a touchdown gave no answer, or one to be careful with."""

    NONE = 0
    STUCK = 1  # the foot never slid: it holds at least what it bore
    TOO_SHORT = 2  # it slid, but for too little impulse
    NO_PLATEAU = 3  # the ratio changed over the slide: an edge under the sole, ploughing, or no sliding contact


STUCK, TOO_SHORT, NO_PLATEAU = int(Doubt.STUCK), int(Doubt.TOO_SHORT), int(Doubt.NO_PLATEAU)
NO_CONTACT, SETTLING = int(EstimateState.NO_CONTACT), int(EstimateState.SETTLING)
NOT_IDENTIFIABLE, USABLE = int(EstimateState.NOT_IDENTIFIABLE), int(EstimateState.USABLE)
INVALID_INPUT = int(EstimateState.INVALID_INPUT)


@configuration
class TouchdownConfig(Configuration):
    """What counts as a sliding touchdown, and how exact the sensors are."""

    contact_share: float = parameter(0.035, above=0.0, high=0.5, doc="load that begins a contact, in body weights")
    leave_share: float = parameter(0.02, above=0.0, high=0.5, source="choice", doc="load that ends it, in body weights")
    window: float = parameter(0.1, unit="s", above=0.0, high=1.0, doc="after touchdown in which a slide is a landing")
    slide_speed: float = parameter(
        0.06, unit="m/s", above=0.0, high=2.0, doc="along the floor, from which a foot slides"
    )
    driven_share: float = parameter(
        0.4, above=0.0, below=1.0, doc="of its fastest, below which a foot is being stopped"
    )
    exact_enough: float = parameter(
        0.012, above=0.0, high=0.2, doc="standard deviation of mu from which it is answered"
    )
    exact_share: float = parameter(0.05, above=0.0, high=0.5, doc="the same as a share of mu; the larger one counts")
    force_sigma: float = parameter(2.7, unit="N", above=0.0, high=1e3, doc="noise of a force sample")
    residual_offset: float = parameter(
        0.5, unit="N", low=0.0, high=1e3, doc="of a component, after its zero in the swing"
    )
    momentum: float = parameter(
        0.0, unit="N s", low=0.0, high=10.0, doc="not known of what lies below the sensor: mass "
        "times the error of its change of speed in a slide; 0: nothing",
    )  # fmt: skip
    cross_talk: float = parameter(0.01, low=0.0, high=0.1, doc="bound of normal force read as tangential, as a share")
    alignment: float = parameter(0.004, unit="rad", low=0.0, high=0.1, doc="bound of the angle between sensor and sole")
    zero_time: float = parameter(0.1, unit="s", above=0.0, high=2.0, doc="time constant of the zero taken in the swing")
    zero_delay: float = parameter(
        0.03, unit="s", low=0.0, high=0.5, doc="of the swing's end that is left out of the zero"
    )
    moment_arm: float = parameter(
        0.0, unit="m", low=0.0, high=1.0, doc="of the sole's friction about the normal; 0: a point"
    )


class Zero(NamedTuple):
    """Mean force of an unloaded foot, the last part of the swing left out [N]."""

    time: float  # in the air [s]
    recent_x: float  # mean of the samples that may belong to the landing
    recent_y: float
    recent_normal: float
    recent_time: float  # [s] of them
    x: float
    y: float
    normal: float


class Slide(NamedTuple):
    """Sums over the driven slide of this contact."""

    samples: float
    tangential: float  # against the motion [N]
    normal: float  # [N]
    late_tangential: float  # of the last samples, by a fading sum [N]
    late_normal: float  # [N]
    speed: float  # fastest [m/s]


class TouchdownState(NamedTuple):
    """One foot between two samples."""

    in_contact: bool
    time: float  # in contact [s]
    away: float  # without load since [s]; a foot that bounces is still landing
    over: bool  # the landing's slide has ended, or its window
    zero: Zero
    slide: Slide
    held: float  # ratio surely borne without sliding in this contact [-]
    mu: float  # answer of this contact [-]; NaN: none
    sigma: float  # its standard deviation [-]
    answered_after: float  # [s] after touchdown; NaN: not
    doubt: int  # a Doubt


NOTHING = Slide(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
UNLOADED = Zero(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class TouchdownSettings(NamedTuple):
    """For the kernel."""

    config: TouchdownConfig  # packed
    body_weight: float  # [N]


@kernel
def zero_step(zero: Zero, fx: float, fy: float, fn: float, config: TouchdownConfig, dt: float) -> Zero:
    """Take one sample of an unloaded foot into its zero; it counts once ``zero_delay`` has passed in the air."""
    if zero.recent_time < config.zero_delay:
        n = zero.recent_time + dt
        share = dt / n
        return Zero(zero.time + dt, zero.recent_x + share * (fx - zero.recent_x),
                    zero.recent_y + share * (fy - zero.recent_y),
                    zero.recent_normal + share * (fn - zero.recent_normal), n, zero.x, zero.y, zero.normal)  # fmt: skip
    weight = min(zero.recent_time / config.zero_time, 1.0) if zero.time > 2.0 * config.zero_delay else 1.0
    return Zero(zero.time + dt, fx, fy, fn, dt, zero.x + weight * (zero.recent_x - zero.x),
                zero.y + weight * (zero.recent_y - zero.y),
                zero.normal + weight * (zero.recent_normal - zero.normal))  # fmt: skip


@kernel
def slide_step(slide: Slide, tangential: float, normal: float, speed: float) -> Slide:
    """Add one sample of the driven slide."""
    kept = 1.0 - 1.0 / LATE
    return Slide(
        slide.samples + 1.0, slide.tangential + tangential, slide.normal + normal,
        kept * slide.late_tangential + tangential, kept * slide.late_normal + normal,
        max(slide.speed, speed),
    )  # fmt: skip


@kernel
def innovation(slide: Slide, tangential: float, normal: float, config: TouchdownConfig, dt: float) -> float:
    """How far a sample's ratio lies above that of the slide so far, in standard deviations; 0 without two samples.

    No contact bears more than mu: a sample far below tells that the foot is being stopped.
    """
    if slide.samples < 2.0:
        return 0.0
    ratio = slide.tangential / slide.normal
    own, before = (
        ratio_sigma(ratio, 1.0, normal, config, dt),
        ratio_sigma(ratio, slide.samples, slide.normal, config, dt),
    )
    return (tangential / normal - ratio) / math.hypot(math.hypot(own, before), PLATEAU * ratio)


@kernel
def ratio_sigma(ratio: float, samples: float, normal: float, config: TouchdownConfig, dt: float) -> float:
    """Standard deviation of a ratio of impulses over samples that sum to ``normal`` [N]."""
    noise = samples * config.force_sigma**2 + (samples * config.residual_offset) ** 2 + (config.momentum / dt) ** 2
    return math.sqrt((1.0 + ratio * ratio) * noise) / normal


@kernel
def touchdown_step(
    state: TouchdownState, settings: TouchdownSettings, measurement: FootMeasurement, dt: float
) -> tuple[TouchdownState, FrictionEstimate]:
    """One sample later; ``dt`` is in seconds."""
    config, weight = settings.config, settings.body_weight
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    if not (math.isfinite(measurement.force_x) and math.isfinite(fy) and math.isfinite(measurement.force_normal)):
        return state, touchdown_answer(state, settings, NAN, INVALID_INPUT)
    zero = state.zero
    load = measurement.force_normal - zero.normal
    loaded = load >= (config.leave_share if state.in_contact else config.contact_share) * weight
    away = 0.0 if loaded else state.away + dt
    if state.in_contact and not loaded and away <= BOUNCE:
        same = TouchdownState(True, state.time + dt, away, state.over, zero, state.slide, state.held, state.mu,
                              state.sigma, state.answered_after, state.doubt)  # fmt: skip
        return same, touchdown_answer(same, settings, NAN, USABLE if math.isfinite(state.mu) else SETTLING)
    if not loaded:
        zero = zero_step(UNLOADED if state.in_contact else zero, measurement.force_x, fy, measurement.force_normal,
                         config, dt)  # fmt: skip
        empty = TouchdownState(False, 0.0, 0.0, False, zero, NOTHING, 0.0, NAN, NAN, NAN, 0)
        return empty, touchdown_answer(empty, settings, NAN, NO_CONTACT)
    fx, fy = measurement.force_x - zero.x, fy - zero.y
    time = state.time + dt if state.in_contact else 0.0
    speed = math.hypot(measurement.velocity_x, vy)
    slide, over, held = state.slide, state.over, state.held
    turning = 0.0  # force that the moment about the normal uses of the sole's friction
    if config.moment_arm > 0.0 and math.isfinite(measurement.moment_normal):
        turning = measurement.moment_normal / config.moment_arm
    tangential = math.hypot(math.hypot(fx, fy), turning)
    sliding = speed >= config.slide_speed and fx * measurement.velocity_x + fy * vy < 0.0  # false for NaN
    if not over:
        # the part against the motion: noise across it, or inertia, would only ever add to the length of the force
        along = -(fx * measurement.velocity_x + fy * vy) / max(speed, 1e-9) if sliding else 0.0
        along = math.hypot(along, turning)
        change = innovation(slide, along, load, config, dt)
        driven = sliding and speed >= config.driven_share * slide.speed and change > -HALVES
        if driven:
            slide = slide_step(slide, along, load, speed)
        over = time > config.window
    if not sliding:
        held = max(held, tangential / load - HALVES * ratio_sigma(0.0, 1.0, load, config, dt))
    mu, sigma, after, doubt = state.mu, state.sigma, state.answered_after, state.doubt
    if not state.over and slide.samples > 1.0:
        ratio = slide.tangential / slide.normal
        spread = ratio_sigma(ratio, slide.samples, slide.normal, config, dt)
        doubt = slide_doubt(slide, config, dt)
        if spread <= max(config.exact_enough, config.exact_share * ratio):
            mu, sigma = ratio, spread
            after = time if math.isnan(after) else after
        elif over:
            doubt = TOO_SHORT
    elif over and slide.samples <= 1.0:
        doubt = STUCK
    new = TouchdownState(True, time, 0.0, over, zero, slide, held, mu, sigma, after, doubt)
    word = USABLE if math.isfinite(mu) else SETTLING
    if over and math.isnan(mu):
        word = NOT_IDENTIFIABLE
    return new, touchdown_answer(new, settings, tangential / load, word)


@kernel
def slide_doubt(slide: Slide, config: TouchdownConfig, dt: float) -> int:
    """NO_PLATEAU where the last samples have another ratio than the slide as a whole, beyond noise; else 0."""
    if slide.samples < 2.0 * LATE:
        return 0
    ratio, late = slide.tangential / slide.normal, slide.late_tangential / slide.late_normal
    spread = ratio_sigma(ratio, LATE, slide.late_normal, config, dt)
    return NO_PLATEAU if abs(late - ratio) > HALVES * spread + 2.0 * config.exact_share * ratio else 0


@kernel
def touchdown_answer(state: TouchdownState, settings: TouchdownSettings, ratio: float, word: int) -> FrictionEstimate:
    """Answer of the contact so far: mu with bounds, or what was held."""
    config = settings.config
    bounds = config.cross_talk + config.alignment + SIGMAS * state.sigma
    low = max(state.mu - bounds, 0.0) if math.isfinite(state.mu) else NAN
    known = math.isfinite(state.mu)
    return FrictionEstimate(
        state.mu, low, max(state.mu - config.cross_talk - config.alignment - QUANTILE * state.sigma, 0.0) if known
        else NAN, state.mu, state.mu + bounds, known, known, state.held, NAN, ratio, False, word,
    )  # fmt: skip


def with_force_noise(config: TouchdownConfig, sigma: float, offset: float) -> TouchdownConfig:
    """Set the noise and offset [N] of the force sensor; the zero taken in the swing leaves a tenth of the offset."""
    return replace(config, force_sigma=sigma, residual_offset=0.1 * offset)


class TouchdownEstimator(CompiledRule[TouchdownState]):
    """Friction of each foothold from the slide of its landing, behind the common interface.

    Args:
        config: what counts as a slide, noise of the sensors.
        body_weight: [N].
    """

    kernel, Config = staticmethod(touchdown_step), TouchdownConfig
    start = TouchdownState(False, 0.0, 0.0, False, UNLOADED, NOTHING, 0.0, NAN, NAN, NAN, 0)

    def __init__(self, config: TouchdownConfig | None = None, body_weight: float = 700.0) -> None:
        super().__init__(config)
        self.settings = TouchdownSettings(self.settings, body_weight)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
r"""Touchdown estimator: kinetic friction of the patch under a landing foot.

The friction comes from the milliseconds in which the foot slides.

A foot that lands sliding is held back by :math:`\mu F_n` at each instant, so over a
slide

.. math:: \hat\mu = \frac{\sum F_t}{\sum F_n},\qquad
   \sigma^2 = \frac{(1 + \hat\mu^2)\,(n\,\sigma_F^2 + n^2 b^2)}{(\sum F_n)^2}

with :math:`F_t` the force along and against the sliding direction, :math:`\sigma_F` the
noise of a sample, b what is left of the sensor's offset after its zero was taken in the
swing. A ratio of impulses needs no force control, and filters or ringing that act on
both components alike cancel. Cross-talk and misalignment enter one to one and are
subtracted as bounds.

What is summed is the driven slide alone: the foot moves faster than noise and faster
than a share of its fastest, and against its friction. While a foot is being stopped, a
regularised or presliding contact holds it with less than mu. A sole across the edge of
a patch slides on two floors. Its landing rolls: the centre of pressure x goes from heel
to toe and back, and the ratio with it, :math:`F_t = (\hat\mu + b\,(x - \bar x)) F_n`,
so that one slide asks heel and toe. The slope b follows from the same sums with x as
instrument, and the ratio at the worse end is certified. Where a slope begins a sole
lands on its heel or toe, which asks no other end, its force resolved on the expected
slope: once it lies flat :math:`\tan\phi` becomes :math:`\tan(\phi + \alpha)`,
:math:`\alpha` its change along the force.

A foot that never slid gives no mu, but holds at least what it bore. The certificate
holds for this patch, at the load and speed of the test.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.settings import TouchdownConfig
from biped_slip.friction_estimation.types import (
    NAN,
    CompiledRule,
    EstimateState,
    FootMeasurement,
    FrictionEstimate,
)

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings

SIGMAS = 2.0  # of the certified bounds: 2.5 % on either side
QUANTILE = 1.645  # sigmas of the 5 % quantile
# sigmas by which ratios of one slide may differ before there is no plateau (choice)
HALVES = 3.0
# [s] without load after which a contact has ended; a foot that is back sooner is still
# landing (choice)
BOUNCE = 0.1
# body weights, from which a ratio that is borne counts: force sensors are off by
# newtons (choice)
BEARS = 0.1
SUSTAINED = (
    0.01  # [s] time constant with which it counts (choice: an impact lasts as long)
)
# of its fastest, above which a sole is not being stopped, whatever holds it (choice)
STEADY = 0.7
WEIGHT = (
    0.3  # body weights, from which a foot that slides after its landing slips (choice)
)
CHANGES = (
    0.7  # of its fastest speed, by which a slide's is taken to have changed (choice)
)
# [m] way of a foot under weight that its contact may give before it slides (choice)
GIVE = 1e-3
RIM = 0.8  # of the reach, beyond which a sole stands on its heel or its toe (choice)
ICE = 0.05  # no end of a sole is taken to hold less than wet ice does (choice)
LATE = 8e-3  # [s] time constant of what counts as the last samples (choice)
KEPT = (
    0.98  # of what swings have shown of the foot's mass, from one to the next (choice)
)
LEFT = 0.1  # of its error, which no number of swings improves (choice)
PLATEAU = 0.02  # of mu, by which the ratio of a sliding foot varies by itself (choice)


class Doubt(IntEnum):
    """Reason why a touchdown gave no estimate, or an uncertain one."""

    NONE = 0
    STUCK = 1  # the foot never slid: it holds at least what it bore
    TOO_SHORT = 2  # it slid, but for too little impulse
    NO_PLATEAU = 3  # the ratio changed over the slide: ploughing, or no sliding contact
    EDGE = (
        4  # heel and toe slide on different floors: the answer is that of the worse one
    )


STUCK = int(Doubt.STUCK)
TOO_SHORT = int(Doubt.TOO_SHORT)
NO_PLATEAU = int(Doubt.NO_PLATEAU)
EDGE = int(Doubt.EDGE)
NO_CONTACT = int(EstimateState.NO_CONTACT)
SETTLING = int(EstimateState.SETTLING)
NOT_IDENTIFIABLE = int(EstimateState.NOT_IDENTIFIABLE)
USABLE = int(EstimateState.USABLE)
SLIPPING = int(EstimateState.SLIPPING)
INVALID_INPUT = int(EstimateState.INVALID_INPUT)


class Zero(NamedTuple):
    """Mean force of an unloaded foot [N], and its line over acceleration.

    The first and last part of the swing are left out.

    The foot's mass times its acceleration is taken out already, by the mass that is
    known: what is left of it is proportional to the acceleration, and in a swing's last
    tenth second that is 20 m/s^2.
    """

    time: float  # in the air [s]
    recent_x: float  # mean of the samples that may belong to the landing
    recent_y: float
    recent_normal: float
    recent_time: float  # [s] of them
    x: float
    y: float
    normal: float
    velocity_x: float  # as the recent samples began [m/s]
    velocity_y: float
    rate_x: float  # mean acceleration [m/s^2]
    rate_y: float
    parts: float  # of ``zero_delay`` in the mean
    rates: float  # squares of accelerations about their mean [m^2/s^4]
    forces: float  # their products with forces about theirs [N m/s^2]


class Below(NamedTuple):
    """Error of the mass below the sensor, estimated from the swings so far."""

    rates: float  # of all of them, as in a zero
    forces: float
    mass: float  # that the foot's forces show too much [kg]
    sigma: float  # its standard deviation [kg]; NaN: no swing yet


class Slide(NamedTuple):
    """Sums over the driven slide of this contact."""

    samples: float
    tangential: float  # against the motion [N]
    turning: float  # that the moment about the normal uses [N]
    normal: float  # [N]
    late_tangential: float  # of the last samples, by a fading sum [N]
    late_normal: float  # [N]
    speed: float  # fastest [m/s]
    change: float  # of the speed over all samples [m/s]
    travel_x: float  # along the floor [m]
    travel_y: float
    x: float  # sum of the centre of pressure's place [m]
    xx: float  # of its square [m^2]
    normal_x: float  # of normal force times place [N m]
    normal_xx: float  # [N m^2]
    tangential_x: float  # [N m]


class Trial(NamedTuple):
    """Conditions of a measured slide: load and speed; NaN: not measured."""

    load: float  # mean normal force [N]
    speed: float  # fastest [m/s]
    travel_x: float  # along the floor [m]
    travel_y: float


class TouchdownState(NamedTuple):
    """State of one foot between two samples."""

    in_contact: bool
    time: float  # since touchdown [s]
    speed: float  # of the sample before [m/s]; NaN: none
    # sd of the share of normal force read as tangential; NaN: within its bound
    cross_talk: float
    # friction of the floor that the heel comes from, where the other foot stands; NaN:
    # not known
    behind: float
    below: Below
    moving: float  # for which the foot has moved along the floor, or over it [s]
    away: float  # without load since [s]; a foot that bounces is still landing
    slipped: float  # way under weight, since it last was at rest [m]
    zero: Zero
    slide: Slide  # of the landing, or under way
    bears: float  # ratio borne now: falls at once, rises slowly [-]
    held: float  # ratio surely borne in this contact since it slid last [-]
    mu: float  # answer of the last slide of this contact [-]; NaN: none
    sigma: float  # its standard deviation, or that of the worse end [-]
    worse: float  # how much less the worse end of the sole holds [-]
    trial: Trial  # of the answer
    answered_after: float  # [s] after touchdown; NaN: not
    doubt: int  # a Doubt


NOTHING = Slide(
    samples=0.0,
    tangential=0.0,
    turning=0.0,
    normal=0.0,
    late_tangential=0.0,
    late_normal=0.0,
    speed=0.0,
    change=0.0,
    travel_x=0.0,
    travel_y=0.0,
    x=0.0,
    xx=0.0,
    normal_x=0.0,
    normal_xx=0.0,
    tangential_x=0.0,
)
UNTRIED = Trial(NAN, NAN, NAN, NAN)
UNLOADED = Zero(
    time=0.0,
    recent_x=0.0,
    recent_y=0.0,
    recent_normal=0.0,
    recent_time=0.0,
    x=0.0,
    y=0.0,
    normal=0.0,
    velocity_x=NAN,
    velocity_y=NAN,
    rate_x=0.0,
    rate_y=0.0,
    parts=0.0,
    rates=0.0,
    forces=0.0,
)
UNWEIGHED = Below(0.0, 0.0, 0.0, NAN)


class TouchdownSettings(NamedTuple):
    """Settings of the touchdown estimator for the kernel."""

    config: TouchdownConfig  # packed
    body_weight: float  # [N]


@kernel
def zero_step(
    zero: Zero, measurement: FootMeasurement, config: TouchdownConfig, dt: float
) -> Zero:
    """Update the zero by one sample of an unloaded foot.

    Samples count in blocks of ``zero_delay``, from the second block on.
    """
    fx = measurement.force_x
    fn = measurement.force_normal
    vx = measurement.velocity_x
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    if zero.recent_time < config.zero_delay:
        n = zero.recent_time + dt
        share = dt / n
        return Zero(
            time=zero.time + dt,
            recent_x=zero.recent_x + share * (fx - zero.recent_x),
            recent_y=zero.recent_y + share * (fy - zero.recent_y),
            recent_normal=zero.recent_normal + share * (fn - zero.recent_normal),
            recent_time=n,
            x=zero.x,
            y=zero.y,
            normal=zero.normal,
            velocity_x=vx if zero.recent_time == 0.0 else zero.velocity_x,
            velocity_y=vy if zero.recent_time == 0.0 else zero.velocity_y,
            rate_x=zero.rate_x,
            rate_y=zero.rate_y,
            parts=zero.parts,
            rates=zero.rates,
            forces=zero.forces,
        )
    parts = zero.parts + 1.0
    weight = max(
        1.0 / max(parts - 1.0, 1.0), min(zero.recent_time / config.zero_time, 1.0)
    )
    ax = (vx - zero.velocity_x) / zero.recent_time
    ay = (vy - zero.velocity_y) / zero.recent_time
    if not math.isfinite(
        ax + ay
    ):  # who does not know how the foot moves weighs nothing
        ax = zero.rate_x
        ay = zero.rate_y
    x = zero.x + weight * (zero.recent_x - zero.x)
    y = zero.y + weight * (zero.recent_y - zero.y)
    dx = (1.0 - weight) * (ax - zero.rate_x)
    dy = (1.0 - weight) * (ay - zero.rate_y)
    rates = zero.rates + dx * (ax - zero.rate_x) + dy * (ay - zero.rate_y)
    forces = zero.forces + dx * (zero.recent_x - zero.x) + dy * (zero.recent_y - zero.y)
    return Zero(
        time=zero.time + dt,
        recent_x=fx,
        recent_y=fy,
        recent_normal=fn,
        recent_time=dt,
        x=x,
        y=y,
        normal=zero.normal + weight * (zero.recent_normal - zero.normal),
        velocity_x=vx,
        velocity_y=vy,
        rate_x=zero.rate_x + weight * (ax - zero.rate_x),
        rate_y=zero.rate_y + weight * (ay - zero.rate_y),
        parts=parts,
        rates=rates,
        forces=forces,
    )


@kernel
def weighed(below: Below, zero: Zero, config: TouchdownConfig, dt: float) -> Below:
    """Update the mass below the sensor by one more swing.

    Its configured error is the prior.
    """
    if not (config.unknown_mass > 0.0 and zero.parts > 1.0):
        return below
    rates = KEPT * below.rates + zero.rates
    forces = KEPT * below.forces + zero.forces
    variance = config.force_sigma**2 * dt / config.zero_delay  # of the mean of a part
    total = rates + variance / config.unknown_mass**2
    return Below(
        rates,
        forces,
        forces / total,
        max(math.sqrt(variance / total), LEFT * config.unknown_mass),
    )


@kernel
def slide_step(
    slide: Slide,
    tangential: float,
    turning: float,
    normal: float,
    vx: float,
    vy: float,
    change: float,
    x: float,
    dt: float,
) -> Slide:
    """Add one sample of the driven slide.

    Its centre of pressure is at ``x`` [m]; ``change`` is the change of its speed [m/s].
    """
    kept = max(1.0 - dt / LATE, 0.0)
    return Slide(
        samples=slide.samples + 1.0,
        tangential=slide.tangential + tangential,
        turning=slide.turning + turning,
        normal=slide.normal + normal,
        late_tangential=kept * slide.late_tangential + tangential,
        late_normal=kept * slide.late_normal + normal,
        speed=max(slide.speed, math.hypot(vx, vy)),
        change=slide.change + change,
        travel_x=slide.travel_x + vx * dt,
        travel_y=slide.travel_y + vy * dt,
        x=slide.x + x,
        xx=slide.xx + x * x,
        normal_x=slide.normal_x + x * normal,
        normal_xx=slide.normal_xx + x * x * normal,
        tangential_x=slide.tangential_x + x * tangential,
    )


@kernel
def momentum(
    slide: Slide, below: Below, zero: Zero, config: TouchdownConfig, dt: float
) -> float:
    """Compute the sd [N] of a slide's force sum by an unknown mass below the sensor.

    A bounce hides the change of speed, so part of its fastest counts at least; the zero
    errs by the mean acceleration. Hysteresis lags behind the swing's inertia, whose
    amplitude is the root of twice its mean square: with one sign.
    """
    mass = config.unknown_mass if math.isnan(below.sigma) else below.sigma
    time = slide.samples * dt
    mean = zero.rate_x**2 + zero.rate_y**2
    in_slide = max(abs(slide.change), CHANGES * slide.speed)
    in_zero = time * math.sqrt(mean)
    lag = (
        config.lagging_mass
        * time
        * math.sqrt(2.0 * (mean + zero.rates / max(zero.parts, 1.0)))
    )
    return math.hypot(mass * math.hypot(in_slide, in_zero), lag) / dt


@kernel
def worse_end(
    slide: Slide, behind: float, unknown: float, config: TouchdownConfig
) -> tuple[float, float]:
    """Compute how much less than the whole sole its worse end holds [-].

    Return the standard deviation of that, too.

    Both are 0 where the slide shows no slope beyond noise, and where the sole stood on
    its heel or toe alone. The :func:`momentum` of the slide is ``unknown``. The line
    errs low by up to half where the floor changes in a step: a heel that is worse than
    the whole sole stands on the floor ``behind``, where that is.

    From ``sum T = a sum N + b sum N x`` and ``sum T x = a sum N x + b sum N x^2``,
    ratios of impulses like the answer.
    """
    ratio = slide.tangential / slide.normal
    middle = slide.normal_x / slide.normal
    spread = slide.normal_xx - middle * slide.normal_x  # [N m^2]
    if abs(middle) >= RIM * config.reach or not spread > 0.0:
        return 0.0, 0.0
    slope = (slide.tangential_x - ratio * slide.normal_x) / spread
    apart = max(
        slide.xx - 2.0 * middle * slide.x + slide.samples * middle * middle, 0.0
    )  # [m^2]
    offset = (slide.x - slide.samples * middle) * config.residual_offset
    noise = (
        apart * config.force_sigma**2
        + offset * offset
        + unknown**2 * apart / slide.samples
    )
    sigma = math.hypot(
        math.sqrt((1.0 + ratio * ratio) * noise) / spread,
        config.moment_leak / math.sqrt(3.0),
    )
    if abs(slope) <= HALVES * sigma:
        return 0.0, 0.0
    way = max(
        config.reach + middle if slope > 0.0 else config.reach - middle, 0.0
    )  # from the middle to the worse end
    worse = abs(slope) * way
    if slope > 0.0 and behind < ratio:  # false for NaN
        worse = max(min(worse, ratio - behind), 0.5 * worse)
    return worse, sigma * way


@kernel
def innovation(
    slide: Slide,
    tangential: float,
    normal: float,
    unknown: float,
    config: TouchdownConfig,
) -> float:
    """Compute how far a sample's ratio lies above the slide's so far.

    The answer is in standard deviations; it is 0 without two samples.

    No contact bears more than mu: a sample far below tells of a slowing foot that it is
    being stopped.
    """
    if slide.samples < 2.0:
        return 0.0
    ratio = slide.tangential / slide.normal
    before = ratio_sigma(ratio, slide.samples, slide.normal, unknown, config)
    own = math.hypot(ratio_sigma(ratio, 1.0, normal, 0.0, config), PLATEAU * ratio)
    return (tangential / normal - ratio) / math.hypot(own, before)


@kernel
def ratio_sigma(
    ratio: float, samples: float, normal: float, unknown: float, config: TouchdownConfig
) -> float:
    """Compute the sd of a ratio of impulses over some samples.

    The samples sum to ``normal`` [N]; ``unknown`` is the sd of the momentum.
    """
    noise = (
        samples * config.force_sigma**2
        + (samples * config.residual_offset) ** 2
        + unknown**2
    )
    return math.sqrt((1.0 + ratio * ratio) * noise) / normal


@kernel
def touchdown_step(
    state: TouchdownState,
    settings: TouchdownSettings,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[TouchdownState, FrictionEstimate]:
    """Update the estimate by one sample; ``dt`` is in seconds."""
    config = settings.config
    weight = settings.body_weight
    zero = state.zero
    fx = measurement.force_x
    fn = measurement.force_normal
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    if not (dt > 0.0 and math.isfinite(fx) and math.isfinite(fy) and math.isfinite(fn)):
        return state, touchdown_answer(state, config, NAN, INVALID_INPUT)
    load = fn - zero.normal
    speed = math.hypot(
        measurement.velocity_x,
        0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y,
    )
    moving = (
        state.moving + dt if speed >= config.slide_speed else 0.0
    )  # the latter for NaN
    if (
        load
        < (config.leave_share if state.in_contact else config.contact_share) * weight
    ):
        new = unloaded_step(state, measurement, speed, moving, config, dt)
        return new, touchdown_answer(new, config, NAN, NO_CONTACT)
    below = state.below if state.in_contact else weighed(state.below, zero, config, dt)
    fx = fx - zero.x + below.mass * zero.rate_x
    fy = fy - zero.y + below.mass * zero.rate_y
    new = loaded_step(state, below, fx, fy, load, moving, measurement, settings, dt)
    word = SETTLING if new.time <= config.window else NOT_IDENTIFIABLE
    if math.isfinite(new.mu):
        word = (
            SLIPPING if new.time > config.window and new.slide.samples > 0.0 else USABLE
        )
    return new, touchdown_answer(new, config, math.hypot(fx, fy) / load, word)


@kernel
def unloaded_step(
    state: TouchdownState,
    measurement: FootMeasurement,
    speed: float,
    moving: float,
    config: TouchdownConfig,
    dt: float,
) -> TouchdownState:
    """Update a foot without load, which bounces, or swings and zeroes its sensor."""
    away = state.away + dt
    if state.in_contact and away <= BOUNCE:
        return TouchdownState(
            in_contact=True,
            time=state.time + dt,
            speed=speed,
            cross_talk=state.cross_talk,
            behind=state.behind,
            below=state.below,
            moving=moving,
            away=away,
            slipped=0.0,
            zero=state.zero,
            slide=state.slide,
            bears=0.0,
            held=state.held,
            mu=state.mu,
            sigma=state.sigma,
            worse=state.worse,
            trial=state.trial,
            answered_after=state.answered_after,
            doubt=state.doubt,
        )
    zero = zero_step(
        UNLOADED if state.in_contact else state.zero, measurement, config, dt
    )
    held = (
        NAN if math.isnan(state.held) and zero.parts == 0.0 else 0.0
    )  # a robot that is set down has not swung
    return TouchdownState(
        in_contact=False,
        time=0.0,
        speed=speed,
        cross_talk=state.cross_talk,
        behind=state.behind,
        below=state.below,
        moving=moving,
        away=away,
        slipped=0.0,
        zero=zero,
        slide=NOTHING,
        bears=0.0,
        held=held,
        mu=NAN,
        sigma=NAN,
        worse=0.0,
        trial=UNTRIED,
        answered_after=NAN,
        doubt=0,
    )


@kernel
def loaded_step(
    state: TouchdownState,
    below: Below,
    fx: float,
    fy: float,
    load: float,
    moving: float,
    measurement: FootMeasurement,
    settings: TouchdownSettings,
    dt: float,
) -> TouchdownState:
    """Update a loaded foot: slides, demonstrated friction, estimate.

    The sensor's zero is subtracted already.

    The slide of the landing ends with its window or with a sample that does not slide
    under weight; a slide under weight is summed by itself, and its answer takes the
    place of the landing's.
    """
    config = settings.config
    vx = measurement.velocity_x
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    time = state.time + dt if state.in_contact else 0.0
    speed = math.hypot(vx, vy)
    turning = 0.0  # force that the moment about the normal uses of the sole's friction
    if config.moment_arm > 0.0 and math.isfinite(measurement.moment_normal):
        turning = measurement.moment_normal / config.moment_arm
    sliding = moving > 0.0
    slide = state.slide
    landing = time <= config.window
    held = state.held
    slips = not landing and sliding and load >= WEIGHT * settings.body_weight
    slipped = state.slipped + speed * dt if slips else 0.0
    if not landing and slipped < GIVE:
        slide = NOTHING
    elif moving > config.force_delay:
        # the part against the motion, of either sign: noise would only ever add to the
        # length of a small force
        change = speed - state.speed if math.isfinite(state.speed) else 0.0
        along = below.mass * change / dt - (fx * vx + fy * vy) / speed
        # a sole that is not slowing and bears less has rolled onto a worse floor: that
        # is no stop
        rolled = config.reach > 0.0 and speed >= STEADY * slide.speed
        driven = speed >= config.driven_share * slide.speed
        unknown = momentum(slide, below, state.zero, config, dt)
        if rolled or (
            driven and innovation(slide, along, load, unknown, config) > -HALVES
        ):
            x = measurement.centre_of_pressure_x
            slide = slide_step(
                slide,
                along,
                turning,
                load,
                vx,
                vy,
                change,
                x if math.isfinite(x) else 0.0,
                dt,
            )
    mu = state.mu
    sigma = state.sigma
    worse = state.worse
    after = state.answered_after
    doubt = state.doubt
    trial = state.trial
    if slide.samples > 1.0 and slide.tangential > 0.0:
        ratio = math.hypot(slide.tangential, slide.turning) / slide.normal
        unknown = momentum(slide, below, state.zero, config, dt)
        spread = ratio_sigma(ratio, slide.samples, slide.normal, unknown, config)
        if spread <= max(config.exact_enough, config.exact_share * ratio):
            worse, apart = worse_end(slide, state.behind, unknown, config)
            leak = config.moment_leak * slide.normal_x / (math.sqrt(3.0) * slide.normal)
            mu = ratio
            sigma = math.hypot(math.hypot(spread, apart), leak)
            trial = Trial(
                slide.normal / slide.samples,
                slide.speed,
                slide.travel_x,
                slide.travel_y,
            )
            after = time if math.isnan(after) else after
            held = held if landing else 0.0
            doubt = slide_doubt(slide, worse, unknown, config, dt)
            if (
                doubt == NO_PLATEAU and config.reach > 0.0
            ):  # a sole over an edge or a ledge: its worse half counts
                worse = max(ratio - lesser_half(slide), 0.0)
        elif math.isnan(mu):
            doubt = TOO_SHORT
    tangential = math.hypot(math.hypot(fx, fy), turning)
    # a sensor whose zero no swing has shown yet, or a light load, proves nothing
    bears = 0.0
    if not sliding and load >= BEARS * settings.body_weight and state.zero.parts > 0.0:
        ratio = max(
            tangential / load - HALVES * ratio_sigma(0.0, 1.0, load, 0.0, config), 0.0
        )
        bears = min(
            ratio, state.bears + min(dt / SUSTAINED, 1.0) * (ratio - state.bears)
        )
        held = bears if math.isnan(held) else max(held, bears)
    if not sliding:
        doubt = (
            STUCK
            if math.isnan(mu) and not landing and state.slide.samples == 0.0
            else doubt
        )
    return TouchdownState(
        in_contact=True,
        time=time,
        speed=speed,
        cross_talk=state.cross_talk,
        behind=state.behind,
        below=below,
        moving=moving,
        away=0.0,
        slipped=slipped,
        zero=state.zero,
        slide=slide,
        bears=bears,
        held=held,
        mu=mu,
        sigma=sigma,
        worse=worse,
        trial=trial,
        answered_after=after,
        doubt=doubt,
    )


@kernel
def slide_doubt(
    slide: Slide, worse: float, unknown: float, config: TouchdownConfig, dt: float
) -> int:
    """Name the doubt about a slide; NONE where there is no doubt.

    The doubt is two floors, or another ratio of the slide's last samples.
    """
    if worse > 0.0:
        return EDGE
    if slide.samples * dt < 2.0 * LATE:
        return 0
    ratio = slide.tangential / slide.normal
    late = slide.late_tangential / slide.late_normal
    spread = ratio_sigma(ratio, max(LATE / dt, 1.0), slide.late_normal, unknown, config)
    return (
        NO_PLATEAU
        if abs(late - ratio) > HALVES * spread + 2.0 * config.exact_share * ratio
        else 0
    )


@kernel
def lesser_half(slide: Slide) -> float:
    """Compute the lesser force ratio of a slide's last samples and of those before."""
    late = slide.late_tangential
    before = slide.tangential - slide.late_tangential
    return min(late / slide.late_normal, before / (slide.normal - slide.late_normal))


@kernel
def touchdown_answer(
    state: TouchdownState, config: TouchdownConfig, ratio: float, word: int
) -> FrictionEstimate:
    """Compute the contact's estimate so far: mu with bounds, or demonstrated friction.

    Cross-talk and misalignment lie anywhere within their bounds and vary between
    robots, not within a slide: they join the noise as independent errors [GUM]; where
    steps have taught them, by the sd that is left. The scales of both forces differ.
    What is certified is that of the worse end of the sole under full load.
    """
    if math.isnan(state.mu):
        return FrictionEstimate(
            mu=NAN,
            mu_low=NAN,
            mu_q05=NAN,
            mu_median=NAN,
            mu_high=NAN,
            usable=False,
            flag=False,
            mu_demonstrated=state.held,
            s_p=NAN,
            test_load=NAN,
            test_speed=NAN,
            test_travel=NAN,
            known_after=NAN,
            force_ratio=ratio,
            slipping=False,
            state_code=word,
        )
    unknown = state.cross_talk**2
    if math.isnan(unknown):
        unknown = (config.cross_talk**2 + config.alignment**2) / 3.0
    sigma = math.sqrt(
        state.sigma**2 + unknown + 2.0 / 3.0 * (config.gain * state.mu) ** 2
    )
    least = max(state.mu - state.worse, min(state.mu, ICE))
    held = (
        state.held if state.worse == 0.0 else 0.0
    )  # one end held it, the other one may not
    low = max(least - SIGMAS * sigma, 0.0)
    q05 = max(least - QUANTILE * sigma, 0.0)
    factor = config.load_factor
    return FrictionEstimate(
        mu=state.mu,
        mu_low=factor * low,
        mu_q05=factor * q05,
        mu_median=least,
        mu_high=state.mu + SIGMAS * sigma,
        usable=True,
        flag=True,
        mu_demonstrated=held,
        s_p=NAN,
        test_load=state.trial.load,
        test_speed=state.trial.speed,
        test_travel=math.hypot(state.trial.travel_x, state.trial.travel_y),
        known_after=state.answered_after,
        force_ratio=ratio,
        slipping=word == SLIPPING,
        state_code=word,
    )


def on_other_slope(
    state: TouchdownState, before: Array, after: Array
) -> TouchdownState:
    """Resolve the state of a foot on the slope ``after`` (2,) instead of ``before``.

    What it held in whatever direction holds less by the whole change. A foot in the air
    knows nothing of the next one.
    """
    if not state.in_contact or state.away > 0.0:
        return state
    trial = state.trial
    turn = math.atan(math.hypot(after[0] - before[0], after[1] - before[1]))
    held = max(math.tan(math.atan(state.held) - turn), 0.0)
    mu = state.mu
    sigma = state.sigma
    way = math.hypot(trial.travel_x, trial.travel_y)
    if math.isfinite(mu) and way > 0.0:
        rises = [
            -(trial.travel_x * rise[0] + trial.travel_y * rise[1]) / way
            for rise in (before, after)
        ]
        mu = max(
            math.tan(math.atan(mu) + math.atan(rises[1]) - math.atan(rises[0])), 0.0
        )
        sigma *= (1.0 + mu**2) / (1.0 + state.mu**2)
    return state._replace(slide=NOTHING, bears=0.0, held=held, mu=mu, sigma=sigma)


class TouchdownEstimator(CompiledRule[TouchdownState]):
    """Friction of each foothold from its landing slide, behind the common interface.

    Args:
        config: what counts as a slide, noise of the sensors.
        body_weight: [N].
    """

    kernel = staticmethod(touchdown_step)
    Config = TouchdownConfig
    start = TouchdownState(
        in_contact=False,
        time=0.0,
        speed=NAN,
        cross_talk=NAN,
        behind=NAN,
        below=UNWEIGHED,
        moving=0.0,
        away=0.0,
        slipped=0.0,
        zero=UNLOADED,
        slide=NOTHING,
        bears=0.0,
        held=NAN,
        mu=NAN,
        sigma=NAN,
        worse=0.0,
        trial=UNTRIED,
        answered_after=NAN,
        doubt=0,
    )

    def __init__(
        self, config: TouchdownConfig | None = None, body_weight: float = 700.0
    ) -> None:
        super().__init__(config)
        self.settings = TouchdownSettings(self.settings, body_weight)


def touchdown_estimator(settings: EstimatorSettings) -> TouchdownEstimator:
    """Make the touchdown estimator of a foot."""
    return TouchdownEstimator(settings.touchdown, settings.body_weight)

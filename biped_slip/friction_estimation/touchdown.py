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

What a walk knows beyond the foot's own sensors (:class:`.FootContext`) is used where it
is there: the slope once it is known, the cross-talk that is left after that of the
steps was learnt, and the floor that the heel comes from.

No contact bears more than mu, and one that rolls, rings or half sticks bears less. So
the mean ratio of samples that scatter by more than their noise lies below mu by about
as much as they scatter: the upper bound is wider by that. Else what scatters them, such
as the inertia of a foot whose motion no IMU feels, errs both ways: the deviation of
their mean joins the noise.

Forces by the currents of motors come through a low pass, which a landing of 2 to 10 ms
turns and stops within: at each instant friction shows the directions in which the foot
moved while the load came, :math:`f = -\mu\,\overline{F_n \hat v}`. So the **drag**
:math:`\overline{F_n \hat v}` passes the same filter (``drag_step``), friction is
resolved along it, and its length is the load that counts.

A foot that never slid gives no mu, but holds at least what it bore. The certificate
holds for this patch, at the load and speed of the test.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.constants import WET_ICE
from biped_slip.friction_estimation.force_zero import (
    NO_SOLE_CONTACT,
    ForceZero,
    SoleContact,
    SoleContactSettings,
    footing_step,
    usable_force,
)
from biped_slip.friction_estimation.settings import TouchdownConfig
from biped_slip.friction_estimation.types import (
    NAN,
    CompiledEstimator,
    EstimateState,
    FootContext,
    FootMeasurement,
    ForceCovariance,
    FrictionEstimate,
    Rise,
)

if TYPE_CHECKING:
    from biped_slip.friction_estimation.settings import EstimatorSettings

SIGMAS = 2.0  # of the certified bounds: 2.5 % on either side
QUANTILE = 1.645  # sigmas of the 5 % quantile
# sigmas by which ratios of one slide may differ before there is no plateau (choice)
HALVES = 3.0
# body weights, from which a ratio that is borne counts: force sensors are off by
# newtons (choice)
LEAST_BEARING_LOAD = 0.1
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
CONTACT_GIVE = 1e-3
RIM = 0.8  # of the reach, beyond which a sole stands on its heel or its toe (choice)
LATE_TIME = 8e-3  # [s] time constant of what counts as the last samples (choice)
MASS_FORGETTING = (
    0.98  # of what swings have shown of the foot's mass, from one to the next (choice)
)
# of its error, which no number of swings improves: in an impact sensor and IMU
# differ by tenths of a millisecond (measured: 2 to 6 % of the foot's inertia)
LEAST_MASS_SHARE = 0.2
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


class MassError(NamedTuple):
    """Error of the mass below the sensor, estimated from the swings so far."""

    rates: float  # squares of accelerations of all swings, as in a zero [m^2/s^4]
    forces: float  # their products with forces [N m/s^2]
    mass: float  # that the foot's forces show too much [kg]
    sigma: float  # its standard deviation [kg]; NaN: no swing yet


class ForceSpread(NamedTuple):
    """Variances of a force's errors along a slide, which last as long as it [N^2]."""

    tangential: float  # of the force against the motion
    mixed: float  # covariance of both
    normal: float


NO_SPREAD = ForceSpread(tangential=0.0, mixed=0.0, normal=0.0)


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
    # sum of squares of what each sample adds to the ratio so far, times its load [N^2]
    scatter: float
    across: float  # sum of squares of the forces across the motion [N^2]
    spread: ForceSpread  # [N^2]


class Trial(NamedTuple):
    """Conditions of a measured slide: load and speed; NaN: not measured."""

    load: float  # mean normal force [N]
    speed: float  # fastest [m/s]
    travel_x: float  # along the floor [m]
    travel_y: float


class SlideAnswer(NamedTuple):
    """What the last slide of a contact has told of its floor; NaN: none."""

    mu: float  # ratio of impulses [-]
    sigma: float  # its standard deviation, or that of the worse end [-]
    less: float  # by which it may lie below mu: scatter of its samples, turns [-]
    worse: float  # how much less the worse end of the sole holds [-]
    trial: Trial
    after: float  # [s] after touchdown, of the first answer
    doubt: int  # a Doubt


class TimedMotion(NamedTuple):
    """Motion of a foot along the floor, or over it; NaN: not measured."""

    velocity_x: float  # as measured [m/s]
    velocity_y: float  # [m/s]
    speed: float  # of when the force acted that is read now [m/s]
    moving: float  # for which the foot has moved then [s]


UNKNOWN_MOTION = TimedMotion(velocity_x=NAN, velocity_y=NAN, speed=NAN, moving=0.0)


class Drag(NamedTuple):
    """Load of a foot times the direction of its motion, as its forces are filtered."""

    x: float  # [N]
    y: float  # [N]
    resting: (
        float  # load that came while it was at rest, or its motion is not known [N]
    )
    load: float  # of the sample [N]


NO_DRAG = Drag(x=0.0, y=0.0, resting=0.0, load=0.0)


class TouchdownState(NamedTuple):
    """State of one foot between two samples."""

    footing: SoleContact
    time: float  # since touchdown [s]
    motion: TimedMotion
    drag: Drag
    mass_error: MassError
    slipped: float  # way under weight, since it last was at rest [m]
    slide: Slide  # of the landing, or under way
    bears: float  # ratio borne now: falls at once, rises slowly [-]
    held: float  # ratio surely borne in this contact since it slid last [-]
    answer: SlideAnswer


NO_SLIDE = Slide(
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
    scatter=0.0,
    across=0.0,
    spread=NO_SPREAD,
)
NO_ANSWER = SlideAnswer(
    mu=NAN,
    sigma=NAN,
    less=0.0,
    worse=0.0,
    trial=Trial(load=NAN, speed=NAN, travel_x=NAN, travel_y=NAN),
    after=NAN,
    doubt=int(Doubt.NONE),
)
UNKNOWN_MASS_ERROR = MassError(rates=0.0, forces=0.0, mass=0.0, sigma=NAN)


class TouchdownSettings(NamedTuple):
    """Settings of the touchdown estimator for the kernel."""

    config: TouchdownConfig  # packed
    footing: SoleContactSettings
    body_weight: float  # [N]


class LoadedSample(NamedTuple):
    """Sample of a loaded foot, the zero of its force sensor taken out."""

    force_x: float  # [N]
    force_y: float
    load: float  # normal force [N]
    turning: float  # friction that the moment about the normal uses of the sole's [N]
    velocity_x: float  # [m/s]
    velocity_y: float
    speed: float  # [m/s]
    place: float  # of the centre of pressure along the sole [m]
    spread: ForceSpread  # of the force along the motion


@kernel
def mass_error_step(
    known: MassError, zero: ForceZero, config: TouchdownConfig, dt: float
) -> MassError:
    """Update the error of the mass by one more swing; its bound is the prior."""
    if not (config.unknown_mass > 0.0 and zero.parts > 1.0):
        return known
    rates = MASS_FORGETTING * known.rates + zero.rates
    forces = MASS_FORGETTING * known.forces + zero.forces
    variance = config.force_sigma**2 * dt / config.zero_delay  # of the mean of a part
    total = rates + variance / config.unknown_mass**2
    return MassError(
        rates=rates,
        forces=forces,
        mass=forces / total,
        sigma=max(math.sqrt(variance / total), LEAST_MASS_SHARE * config.unknown_mass),
    )


@kernel
def slide_step(
    slide: Slide, sample: LoadedSample, along: float, change: float, dt: float
) -> Slide:
    """Add one sample of the driven slide.

    Args:
        slide: sums so far.
        sample: of the loaded foot.
        along: its force against the motion [N].
        change: of its speed since the sample before [m/s].
        dt: time since then [s].
    """
    kept = max(1.0 - dt / LATE_TIME, 0.0)
    normal = sample.load
    x = sample.place
    expected = along
    across = 0.0
    if sample.speed > 0.0:
        work = sample.force_y * sample.velocity_x - sample.force_x * sample.velocity_y
        across = work / sample.speed
    if slide.normal > 0.0:
        expected = slide.tangential / slide.normal * normal
    return Slide(
        samples=slide.samples + 1.0,
        tangential=slide.tangential + along,
        turning=slide.turning + sample.turning,
        normal=slide.normal + normal,
        late_tangential=kept * slide.late_tangential + along,
        late_normal=kept * slide.late_normal + normal,
        speed=max(slide.speed, math.hypot(sample.velocity_x, sample.velocity_y)),
        change=slide.change + change,
        travel_x=slide.travel_x + sample.velocity_x * dt,
        travel_y=slide.travel_y + sample.velocity_y * dt,
        x=slide.x + x,
        xx=slide.xx + x * x,
        normal_x=slide.normal_x + x * normal,
        normal_xx=slide.normal_xx + x * x * normal,
        tangential_x=slide.tangential_x + x * along,
        scatter=slide.scatter + (along - expected) ** 2,
        across=slide.across + across * across,
        spread=ForceSpread(
            tangential=slide.spread.tangential + sample.spread.tangential,
            mixed=slide.spread.mixed + sample.spread.mixed,
            normal=slide.spread.normal + sample.spread.normal,
        ),
    )


@kernel
def force_spread(
    covariance: ForceCovariance, velocity_x: float, velocity_y: float, speed: float
) -> ForceSpread:
    """Resolve a force's covariance along the motion; 0 where it is not known.

    Of a foot whose motion is not known the larger of both variances counts.
    """
    if not math.isfinite(covariance.xx):
        return NO_SPREAD
    if not speed > 0.0:
        return ForceSpread(
            tangential=max(covariance.xx, covariance.yy),
            mixed=0.0,
            normal=covariance.zz,
        )
    x = velocity_x / speed
    y = velocity_y / speed
    return ForceSpread(
        tangential=covariance.xx * x * x
        + 2.0 * covariance.xy * x * y
        + covariance.yy * y * y,
        mixed=-(covariance.xz * x + covariance.yz * y),
        normal=covariance.zz,
    )


@kernel
def common_sigma(slide: Slide) -> float:
    """Compute the sd [N] of a slide's sum of forces by errors that last as long as it.

    Errors of zeros and gears are the same in all samples of a landing: nothing is
    gained by averaging them. With T - mu N as the force that tells mu they are
    ``n sqrt(P_TT - 2 mu P_TN + mu^2 P_NN)``.
    """
    if not (slide.samples > 0.0 and slide.normal > 0.0):
        return 0.0
    ratio = slide.tangential / slide.normal
    variance = (
        slide.spread.tangential
        - 2.0 * ratio * slide.spread.mixed
        + ratio * ratio * slide.spread.normal
    )
    mean = max(variance, 0.0) / (slide.samples * (1.0 + ratio * ratio))
    return slide.samples * math.sqrt(mean)


@kernel
def momentum_sigma(
    slide: Slide, known: MassError, zero: ForceZero, config: TouchdownConfig, dt: float
) -> float:
    """Compute the sd [N] of a slide's sum of forces by an unknown mass.

    It is the mass below the sensor. A bounce hides the change of speed, so part of its
    fastest counts at least; the zero errs by the mean acceleration. Hysteresis lags
    behind the swing's inertia, whose amplitude is the root of twice its mean square:
    with one sign.
    """
    mass = config.unknown_mass if math.isnan(known.sigma) else known.sigma
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
    slide: Slide, friction_behind: float, unknown: float, config: TouchdownConfig
) -> tuple[float, float]:
    """Compute how much less than the whole sole its worse end holds [-], with its sd.

    Both are 0 where the slide shows no slope beyond noise, and where the sole stood on
    its heel or toe alone. The line errs low by up to half where the floor changes in a
    step: a heel that is worse than the whole sole stands on the floor that the foot
    behind it has found, where there is one.

    From ``sum T = a sum N + b sum N x`` and ``sum T x = a sum N x + b sum N x^2``,
    ratios of impulses like the answer.

    Args:
        slide: sums of the slide.
        friction_behind: friction of the floor that the heel comes from [-]; NaN.
        unknown: :func:`momentum_sigma` of the slide [N].
        config: noise of the sensors, length of the sole.
    """
    ratio = slide.tangential / slide.normal
    middle = slide.normal_x / slide.normal
    spread = slide.normal_xx - middle * slide.normal_x  # [N m^2]
    if abs(middle) >= RIM * config.reach or not spread > 0.0:
        return 0.0, 0.0
    slope = (slide.tangential_x - ratio * slide.normal_x) / spread
    # [m^2]
    apart = max(
        slide.xx - 2.0 * middle * slide.x + slide.samples * middle * middle, 0.0
    )
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
    # from the middle to the worse end
    way = max(config.reach + middle if slope > 0.0 else config.reach - middle, 0.0)
    worse = abs(slope) * way
    if slope > 0.0 and friction_behind < ratio:  # false for NaN
        worse = max(min(worse, ratio - friction_behind), 0.5 * worse)
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

    It is in standard deviations, and 0 without two samples. No contact bears more than
    mu: a sample far below tells of a slowing foot that it is being stopped.

    Args:
        slide: sums so far.
        tangential: of the sample, against the motion [N].
        normal: of the sample [N].
        unknown: :func:`momentum_sigma` of the slide [N].
        config: noise of the sensors.
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
    """Compute the standard deviation of a ratio of impulses.

    Args:
        ratio: [-].
        samples: number of them.
        normal: sum of their normal forces [N].
        unknown: sd of the sum of their tangential forces by an unknown mass [N].
        config: noise of the sensors.
    """
    noise = (
        samples * config.force_sigma**2
        + (samples * config.residual_offset) ** 2
        + unknown**2
    )
    return math.sqrt((1.0 + ratio * ratio) * noise) / normal


@kernel
def loaded_sample(
    measurement: FootMeasurement,
    zero: ForceZero,
    known: MassError,
    covariance: ForceCovariance,
    config: TouchdownConfig,
) -> LoadedSample:
    """Take the zero and the inertia of an unknown mass out of a loaded foot's sample.

    Args:
        measurement: of the foot.
        zero: of its forces.
        known: error of the mass below the sensor.
        covariance: of its force.
        config: arm of the moment about the normal.
    """
    vx = measurement.velocity_x
    vy = 0.0 if math.isnan(measurement.velocity_y) else measurement.velocity_y
    speed = math.hypot(vx, vy)
    fy = 0.0 if math.isnan(measurement.force_y) else measurement.force_y
    x = measurement.centre_of_pressure_x
    turning = 0.0
    if config.moment_arm > 0.0 and math.isfinite(measurement.moment_normal):
        turning = measurement.moment_normal / config.moment_arm
    return LoadedSample(
        force_x=measurement.force_x - zero.x + known.mass * zero.rate_x,
        force_y=fy - zero.y + known.mass * zero.rate_y,
        load=measurement.force_normal - zero.normal,
        turning=turning,
        velocity_x=vx,
        velocity_y=vy,
        speed=speed,
        place=x if math.isfinite(x) else 0.0,
        spread=force_spread(covariance, vx, vy, speed),
    )


@kernel
def when_force_acted(
    before: TimedMotion, measured: FootMeasurement, config: TouchdownConfig, dt: float
) -> tuple[FootMeasurement, TimedMotion]:
    """Pair a force with the velocity of the foot when it acted, not when it is read.

    Landings stop within 2 to 10 ms: with the velocity of now a sensor that is 2 ms late
    shows the end of a slide as rest, and the stop before it as sliding.

    Args:
        before: motion of the sample before.
        measured: of the foot.
        config: age of the force, threshold of a slide.
        dt: time since the sample before [s].
    """
    share = min(config.force_age / dt, 1.0)
    x = measured.velocity_x
    y = measured.velocity_y
    if math.isfinite(before.velocity_x):
        x += share * (before.velocity_x - x)
    if math.isfinite(before.velocity_y):
        y += share * (before.velocity_y - y)
    speed = math.hypot(x, 0.0 if math.isnan(y) else y)
    moves = speed >= config.slide_speed  # false for NaN
    then = FootMeasurement(
        stamp_ns=measured.stamp_ns,
        force_x=measured.force_x,
        force_y=measured.force_y,
        force_normal=measured.force_normal,
        displacement_x=measured.displacement_x,
        displacement_y=measured.displacement_y,
        velocity_x=x,
        velocity_y=y,
        moment_normal=measured.moment_normal,
        centre_of_pressure_x=measured.centre_of_pressure_x,
        centre_of_pressure_y=measured.centre_of_pressure_y,
        angular_rate=measured.angular_rate,
    )
    return then, TimedMotion(
        velocity_x=measured.velocity_x,
        velocity_y=measured.velocity_y,
        speed=speed,
        moving=before.moving + dt if moves else 0.0,
    )


@kernel
def drag_step(
    before: Drag, sample: LoadedSample, config: TouchdownConfig, dt: float
) -> Drag:
    """Update the drag by one sample: load that came in it acts along the motion of now.

    Args:
        before: after the sample before; NO_DRAG at touchdown.
        sample: of the loaded foot.
        config: low pass of its forces, threshold of a slide.
        dt: time since the sample before [s].
    """
    if not config.force_low_pass > 0.0:
        return before
    kept = math.exp(-dt / config.force_low_pass)
    came = sample.load - kept * before.load
    x = kept * before.x
    y = kept * before.y
    resting = kept * before.resting
    if sample.speed >= config.slide_speed:  # false for NaN
        x += came * sample.velocity_x / sample.speed
        y += came * sample.velocity_y / sample.speed
    else:
        resting += came
    return Drag(x=x, y=y, resting=resting, load=sample.load)


@kernel
def along_drag(
    sample: LoadedSample, drag: Drag, covariance: ForceCovariance
) -> LoadedSample:
    """Turn the motion of a sample, and what depends on it, into its drag.

    What came while the foot was at rest may have been borne with less than mu: it
    counts as load, whatever its direction.

    Args:
        sample: of the loaded foot.
        drag: of it.
        covariance: of its force.
    """
    length = math.hypot(drag.x, drag.y)
    if not length > 0.0:
        return sample
    x = sample.speed * drag.x / length
    y = sample.speed * drag.y / length
    return LoadedSample(
        force_x=sample.force_x,
        force_y=sample.force_y,
        load=length + max(drag.resting, 0.0),
        turning=sample.turning,
        velocity_x=x,
        velocity_y=y,
        speed=sample.speed,
        place=sample.place,
        spread=force_spread(covariance, x, y, sample.speed),
    )


@kernel
def touchdown_step(
    state: TouchdownState,
    settings: TouchdownSettings,
    measurement: FootMeasurement,
    dt: float,
    context: FootContext,
) -> tuple[TouchdownState, FrictionEstimate]:
    """Update the estimate by one sample.

    Args:
        state: after the sample before.
        settings: of the estimator.
        measurement: of the foot.
        dt: time since the sample before [s].
        context: what the walk knows: slope, cross-talk, the floor behind.
    """
    config = settings.config
    state = on_other_slope(state, context.rise_before, context.rise)
    if not usable_force(measurement, dt):
        return state, touchdown_answer(state, config, context, NAN, INVALID_INPUT)
    then, motion = when_force_acted(state.motion, measurement, config, dt)
    footing = footing_step(state.footing, then, settings.footing, dt, context.in_air)
    if footing.away > 0.0:
        new = unloaded_step(state, footing, motion, dt)
        return new, touchdown_answer(new, config, context, NAN, NO_CONTACT)
    zero = footing.zero
    known = state.mass_error
    if not state.footing.in_contact:
        known = mass_error_step(known, zero, config, dt)
    sample = loaded_sample(then, zero, known, context.force_covariance, config)
    new = loaded_step(state, footing, known, sample, motion, context, settings, dt)
    word = loaded_word(new, config)
    ratio = math.hypot(sample.force_x, sample.force_y) / sample.load
    return new, touchdown_answer(new, config, context, ratio, word)


@kernel
def loaded_word(state: TouchdownState, config: TouchdownConfig) -> int:
    """Return the state of the estimate of a loaded foot, an EstimateState."""
    landing = state.time <= config.window
    if math.isfinite(state.answer.mu):
        return USABLE if landing or state.slide.samples == 0.0 else SLIPPING
    return SETTLING if landing else NOT_IDENTIFIABLE


@kernel
def unloaded_step(
    state: TouchdownState, footing: SoleContact, motion: TimedMotion, dt: float
) -> TouchdownState:
    """Update a foot without load: it bounces, or swings.

    Args:
        state: before.
        footing: contact and zero after this sample.
        motion: of the foot.
        dt: time since the sample before [s].
    """
    if footing.in_contact:
        return TouchdownState(
            footing=footing,
            time=state.time + dt,
            motion=motion,
            drag=NO_DRAG,
            mass_error=state.mass_error,
            slipped=0.0,
            slide=state.slide,
            bears=0.0,
            held=state.held,
            answer=state.answer,
        )
    # a robot that is set down has not swung
    never_swung = math.isnan(state.held) and footing.zero.parts == 0.0
    held = NAN if never_swung else 0.0
    return TouchdownState(
        footing=footing,
        time=0.0,
        motion=motion,
        drag=NO_DRAG,
        mass_error=state.mass_error,
        slipped=0.0,
        slide=NO_SLIDE,
        bears=0.0,
        held=held,
        answer=NO_ANSWER,
    )


@kernel
def never_slid(state: TouchdownState, answer: SlideAnswer) -> bool:
    """Return whether no slide of a contact has been summed or has answered."""
    return math.isnan(answer.mu) and state.slide.samples == 0.0


@kernel
def loaded_step(
    state: TouchdownState,
    footing: SoleContact,
    known: MassError,
    sample: LoadedSample,
    motion: TimedMotion,
    context: FootContext,
    settings: TouchdownSettings,
    dt: float,
) -> TouchdownState:
    """Update a loaded foot: its slide, what that tells, and what the foot has borne.

    The slide of the landing ends with its window or with a sample that does not slide
    under weight; a slide under weight is summed by itself, and its answer takes the
    place of the landing's.

    Args:
        state: before.
        footing: contact and zero after this sample.
        known: error of the mass below the sensor.
        sample: of the loaded foot.
        motion: of the foot.
        context: covariance of its force, friction of the floor behind.
        settings: of the estimator.
        dt: time since the sample before [s].
    """
    config = settings.config
    time = state.time + dt if state.footing.in_contact else 0.0
    landing = time <= config.window
    sliding = motion.moving > 0.0
    slips = not landing and sliding and sample.load >= WEIGHT * settings.body_weight
    slipped = state.slipped + sample.speed * dt if slips else 0.0
    drag = drag_step(state.drag, sample, config, dt)
    dragged = along_drag(sample, drag, context.force_covariance)
    slide = state.slide
    if not landing and slipped < CONTACT_GIVE:
        slide = NO_SLIDE
    elif motion.moving > config.force_delay - config.force_age:
        before = state.motion.speed
        change = sample.speed - before if math.isfinite(before) else 0.0
        slide = driven_slide(slide, dragged, known, change, footing.zero, config, dt)
    unknown = math.hypot(
        momentum_sigma(slide, known, footing.zero, config, dt), common_sigma(slide)
    )
    answer = slide_answer(
        state.answer, slide, unknown, context.friction_behind, time, config, dt
    )
    held = state.held
    if not landing and answer_counts(slide, unknown, config):
        held = 0.0
    bears = 0.0
    # a sensor whose zero no swing has shown yet, or a light load, proves nothing
    heavy = sample.load >= LEAST_BEARING_LOAD * settings.body_weight
    if not sliding and heavy and footing.zero.parts > 0.0:
        bears = borne_ratio(state.bears, sample, config, dt)
        held = bears if math.isnan(held) else max(held, bears)
    if never_slid(state, answer) and not (landing or sliding):
        answer = with_doubt(answer, STUCK)
    return TouchdownState(
        footing=footing,
        time=time,
        motion=motion,
        drag=drag,
        mass_error=known,
        slipped=slipped,
        slide=slide,
        bears=bears,
        held=held,
        answer=answer,
    )


@kernel
def driven_slide(
    slide: Slide,
    sample: LoadedSample,
    known: MassError,
    change: float,
    zero: ForceZero,
    config: TouchdownConfig,
    dt: float,
) -> Slide:
    """Add a sample of a sliding foot to its slide, unless the foot is being stopped.

    Args:
        slide: sums so far.
        sample: of the loaded foot.
        known: error of the mass below the sensor.
        change: of the foot's speed since the sample before [m/s].
        zero: of the force sensor.
        config: thresholds of a slide.
        dt: time since the sample before [s].
    """
    # the part against the motion, of either sign: noise would only ever add to the
    # length of a small force
    work = sample.force_x * sample.velocity_x + sample.force_y * sample.velocity_y
    along = known.mass * change / dt - work / sample.speed
    # a sole that is not slowing and bears less has rolled onto a worse floor: that is
    # no stop
    rolled = config.reach > 0.0 and sample.speed >= STEADY * slide.speed
    driven = sample.speed >= config.driven_share * slide.speed
    unknown = momentum_sigma(slide, known, zero, config, dt)
    if rolled or (
        driven and innovation(slide, along, sample.load, unknown, config) > -HALVES
    ):
        return slide_step(slide, sample, along, change, dt)
    return slide


@kernel
def impulse_ratio(slide: Slide) -> float:
    """Compute the ratio of the impulses of a slide [-]."""
    return math.hypot(slide.tangential, slide.turning) / slide.normal


@kernel
def ratio_scatter(slide: Slide, config: TouchdownConfig) -> float:
    """Compute the sd of the samples' ratios in a slide, beyond the sensors' noise [-].

    No contact bears more than mu, but a sole that rolls, rings or half sticks bears
    less: samples that differ by more than noise tell that their mean lies below mu.
    """
    if not slide.samples > 1.0:
        return 0.0
    ratio = slide.tangential / slide.normal
    noise = (1.0 + ratio * ratio) * config.force_sigma**2
    beyond = max(slide.scatter / (slide.samples - 1.0) - noise, 0.0)
    return slide.samples * math.sqrt(beyond) / slide.normal


@kernel
def turned_away(slide: Slide, config: TouchdownConfig) -> float:
    """Compute how much of the friction lay across the motion [-], beyond noise.

    Friction opposes the motion of the patch in contact, which is not that of the sole's
    origin where the foot turns on an edge. Joint torques tell the centre of pressure to
    some centimetres; so what they show across the motion is friction that the answer
    lacks.
    """
    n = slide.samples
    if not (slide.spread.tangential > 0.0 and n > 1.0):
        return 0.0
    noise = config.force_sigma**2 + slide.spread.tangential / n
    beyond = math.sqrt(max(slide.across / n - noise, 0.0))
    along = slide.tangential / n
    return (math.hypot(along, beyond) - along) * n / slide.normal


@kernel
def answer_counts(slide: Slide, unknown: float, config: TouchdownConfig) -> bool:
    """Return whether a slide is exact enough for an answer."""
    if not (slide.samples > 1.0 and slide.tangential > 0.0):
        return False
    ratio = impulse_ratio(slide)
    sigma = ratio_sigma(ratio, slide.samples, slide.normal, unknown, config)
    return sigma <= max(config.exact_enough, config.exact_share * ratio)


@kernel
def slide_answer(
    before: SlideAnswer,
    slide: Slide,
    unknown: float,
    friction_behind: float,
    time: float,
    config: TouchdownConfig,
    dt: float,
) -> SlideAnswer:
    """Answer from the sums of a slide; one that is not exact enough changes no answer.

    Args:
        before: answer so far.
        slide: sums of the slide.
        unknown: :func:`momentum_sigma` of the slide [N].
        friction_behind: friction of the floor that the heel comes from [-]; NaN.
        time: since touchdown [s].
        config: thresholds and noise.
        dt: time since the sample before [s].
    """
    if not answer_counts(slide, unknown, config):
        slid = slide.samples > 1.0 and slide.tangential > 0.0
        return (
            with_doubt(before, TOO_SHORT) if slid and math.isnan(before.mu) else before
        )
    ratio = impulse_ratio(slide)
    spread = ratio_sigma(ratio, slide.samples, slide.normal, unknown, config)
    worse, apart = worse_end(slide, friction_behind, unknown, config)
    scatter = ratio_scatter(slide, config)
    of_mean = scatter / math.sqrt(slide.samples)
    leak = config.moment_leak * slide.normal_x / (math.sqrt(3.0) * slide.normal)
    doubt = slide_doubt(slide, worse, unknown, config, dt)
    if doubt == NO_PLATEAU and config.reach > 0.0:
        # a sole over an edge or a ledge: its worse half counts
        worse = max(ratio - lesser_half(slide), 0.0)
    after = time if math.isnan(before.after) else before.after
    trial = Trial(
        load=slide.normal / slide.samples,
        speed=slide.speed,
        travel_x=slide.travel_x,
        travel_y=slide.travel_y,
    )
    return SlideAnswer(
        mu=ratio,
        sigma=math.hypot(math.hypot(spread, apart), math.hypot(leak, of_mean)),
        less=scatter + turned_away(slide, config),
        worse=worse,
        trial=trial,
        after=after,
        doubt=doubt,
    )


@kernel
def with_doubt(answer: SlideAnswer, doubt: int) -> SlideAnswer:
    """Replace the doubt of an answer."""
    return SlideAnswer(
        mu=answer.mu,
        sigma=answer.sigma,
        less=answer.less,
        worse=answer.worse,
        trial=answer.trial,
        after=answer.after,
        doubt=doubt,
    )


@kernel
def borne_ratio(
    before: float, sample: LoadedSample, config: TouchdownConfig, dt: float
) -> float:
    """Compute the force ratio that a standing foot surely bears, less noise [-].

    It falls at once and rises with a time constant.
    """
    load = sample.load
    tangential = math.hypot(math.hypot(sample.force_x, sample.force_y), sample.turning)
    lasting = math.sqrt(sample.spread.tangential)
    noise = ratio_sigma(0.0, 1.0, load, lasting, config)
    ratio = max(tangential / load - HALVES * noise, 0.0)
    return min(ratio, before + min(dt / SUSTAINED, 1.0) * (ratio - before))


@kernel
def slide_doubt(
    slide: Slide, worse: float, unknown: float, config: TouchdownConfig, dt: float
) -> int:
    """Name the doubt about a slide, else NONE.

    It is two floors, or another ratio of its last samples.

    Args:
        slide: sums of the slide.
        worse: how much less its worse end holds [-].
        unknown: :func:`momentum_sigma` of the slide [N].
        config: noise of the sensors.
        dt: time since the sample before [s].
    """
    if worse > 0.0:
        return EDGE
    if slide.samples * dt < 2.0 * LATE_TIME:
        return 0
    ratio = slide.tangential / slide.normal
    late = slide.late_tangential / slide.late_normal
    spread = ratio_sigma(
        ratio, max(LATE_TIME / dt, 1.0), slide.late_normal, unknown, config
    )
    bound = HALVES * spread + 2.0 * config.exact_share * ratio
    return NO_PLATEAU if abs(late - ratio) > bound else 0


@kernel
def lesser_half(slide: Slide) -> float:
    """Compute the lesser force ratio: of a slide's last samples or of those before."""
    late = slide.late_tangential
    before = slide.tangential - slide.late_tangential
    return min(late / slide.late_normal, before / (slide.normal - slide.late_normal))


@kernel
def touchdown_answer(
    state: TouchdownState,
    config: TouchdownConfig,
    context: FootContext,
    ratio: float,
    word: int,
) -> FrictionEstimate:
    """Compute the estimate of the contact so far.

    It is mu with bounds, or demonstrated friction. Cross-talk and misalignment lie
    anywhere within their bounds and vary between robots, not within a slide: they join
    the noise as independent errors [GUM]; where steps have taught them, by the sd that
    is left. The scales of both forces differ. What is certified is that of the worse
    end of the sole under full load.

    Args:
        state: after this sample.
        config: bounds of the sensors.
        context: cross-talk that is left.
        ratio: force ratio now [-].
        word: an EstimateState.
    """
    found = state.answer
    if math.isnan(found.mu):
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
    unknown = context.cross_talk**2
    if math.isnan(unknown):
        unknown = (config.cross_talk**2 + config.alignment**2) / 3.0
    sigma = math.sqrt(
        found.sigma**2 + unknown + 2.0 / 3.0 * (config.gain * found.mu) ** 2
    )
    least = max(found.mu - found.worse, min(found.mu, WET_ICE))
    # one end held it, the other one may not
    held = state.held if found.worse == 0.0 else 0.0
    low = max(least - SIGMAS * sigma, 0.0)
    q05 = max(least - QUANTILE * sigma, 0.0)
    factor = config.load_factor
    return FrictionEstimate(
        mu=found.mu,
        mu_low=factor * low,
        mu_q05=factor * q05,
        mu_median=least,
        mu_high=found.mu + SIGMAS * sigma + found.less,
        usable=True,
        flag=True,
        mu_demonstrated=held,
        s_p=NAN,
        test_load=found.trial.load,
        test_speed=found.trial.speed,
        test_travel=math.hypot(found.trial.travel_x, found.trial.travel_y),
        known_after=found.after,
        force_ratio=ratio,
        slipping=word == SLIPPING,
        state_code=word,
    )


@kernel
def on_other_slope(state: TouchdownState, before: Rise, after: Rise) -> TouchdownState:
    """Resolve the state of a foot on another slope, once that is known.

    What it held in whatever direction holds less by the whole change. A foot in the air
    knows nothing of the next one.

    Args:
        state: resolved on the slope ``before``.
        before: that its forces were resolved on.
        after: that it lies on.
    """
    turned_x = after.x - before.x
    turned_y = after.y - before.y
    known = math.isfinite(turned_x + turned_y)
    level = turned_x == 0.0 and turned_y == 0.0
    if level or not known or not state.footing.in_contact or state.footing.away > 0.0:
        return state
    turn = math.atan(math.hypot(turned_x, turned_y))
    return TouchdownState(
        footing=state.footing,
        time=state.time,
        motion=state.motion,
        drag=state.drag,
        mass_error=state.mass_error,
        slipped=state.slipped,
        slide=NO_SLIDE,
        bears=0.0,
        held=max(math.tan(math.atan(state.held) - turn), 0.0),
        answer=answer_on_other_slope(state.answer, before, after),
    )


@kernel
def answer_on_other_slope(
    answer: SlideAnswer, before: Rise, after: Rise
) -> SlideAnswer:
    """Resolve an answer on another slope: tan phi becomes tan(phi + alpha)."""
    trial = answer.trial
    way = math.hypot(trial.travel_x, trial.travel_y)
    if not (math.isfinite(answer.mu) and way > 0.0):
        return answer
    rise_before = -(trial.travel_x * before.x + trial.travel_y * before.y) / way
    rise_after = -(trial.travel_x * after.x + trial.travel_y * after.y) / way
    mu = max(
        math.tan(math.atan(answer.mu) + math.atan(rise_after) - math.atan(rise_before)),
        0.0,
    )
    return SlideAnswer(
        mu=mu,
        sigma=answer.sigma * ((1.0 + mu**2) / (1.0 + answer.mu**2)),
        less=answer.less,
        worse=answer.worse,
        trial=trial,
        after=answer.after,
        doubt=answer.doubt,
    )


def footing_settings(
    config: TouchdownConfig, body_weight: float
) -> SoleContactSettings:
    """Build the loads of a contact and the times of the zero, for a body weight [N]."""
    return SoleContactSettings(
        begin=config.contact_share * body_weight,
        end=config.leave_share * body_weight,
        zero_time=config.zero_time,
        zero_delay=config.zero_delay,
        lifted_speed=config.lifted_speed,
    )


class TouchdownEstimator(CompiledEstimator[TouchdownState]):
    """Friction of each foothold from its landing slide, behind the common interface.

    Args:
        config: what counts as a slide, noise of the sensors.
        body_weight: [N].
    """

    kernel = staticmethod(touchdown_step)
    Config = TouchdownConfig
    start = TouchdownState(
        footing=NO_SOLE_CONTACT,
        time=0.0,
        motion=UNKNOWN_MOTION,
        drag=NO_DRAG,
        mass_error=UNKNOWN_MASS_ERROR,
        slipped=0.0,
        slide=NO_SLIDE,
        bears=0.0,
        held=NAN,
        answer=NO_ANSWER,
    )

    def __init__(
        self, config: TouchdownConfig | None = None, body_weight: float = 700.0
    ) -> None:
        super().__init__(config)
        self.settings = TouchdownSettings(
            config=self.config.packed,
            footing=footing_settings(self.config, body_weight),
            body_weight=body_weight,
        )


def touchdown_estimator(settings: EstimatorSettings) -> TouchdownEstimator:
    """Make the touchdown estimator of a foot."""
    return TouchdownEstimator(settings.touchdown, settings.body_weight)

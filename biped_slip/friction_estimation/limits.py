# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction limits of a foot.

They are the interface between what is known of the floor and a controller.
"""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.settings import SlidingConfig
from biped_slip.friction_estimation.sliding import (
    AT_REST,
    NO_GRIP,
    GripState,
    SlidingState,
    grip_step,
    sliding_step,
)
from biped_slip.friction_estimation.types import (
    NAN,
    NO_CONTACT,
    CompiledRule,
    FootMeasurement,
    FrictionEstimate,
    State,
)

LimitStep = Callable[
    [Any, Any, FrictionEstimate, FootMeasurement, float], tuple[Any, float]
]
"""(state, settings, estimate, measurement, dt) -> (state, limit on the force ratio)."""


class RatioLimit(CompiledRule[State]):
    """Friction limit on |tangential|/normal; infinity: none.

    It is from the estimate and the measurement of one foot.

    Attributes:
        foresees: whether it claims to know the floor of steps to come, as a constant
            does.
    """

    foresees = False

    def step(
        self,
        state: State,
        estimate: FrictionEstimate,
        measurement: FootMeasurement,
        dt: float,
    ) -> tuple[State, float]:
        """Return the new state and the limit [-] for this tick.

        Args:
            state: after the tick before.
            estimate: of the friction under the foot [-].
            measurement: of the foot.
            dt: time since the tick before [s].
        """
        return super().step(state, estimate, measurement, dt)


@kernel
def no_limit_step(
    state: None,
    settings: None,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[None, float]:
    """Return no limit."""
    return None, math.inf


class NoLimit(RatioLimit[None]):
    """Limit that is infinite: no slip prevention."""

    foresees = True
    kernel = staticmethod(no_limit_step)

    def __init__(self) -> None:
        self.settings = None


@configuration
class ConstantLimitConfig(Configuration):
    """Configuration of one limit for every floor, as other controllers assume."""

    ratio: float = parameter(0.2, above=0.0, high=5.0, doc="limit on the force ratio")


@kernel
def constant_limit_step(
    state: None,
    config: ConstantLimitConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[None, float]:
    """Return the constant; ``config`` is packed."""
    return None, config.ratio


class ConstantLimit(RatioLimit[None]):
    """Constant friction limit on every floor."""

    foresees = True
    kernel = staticmethod(constant_limit_step)
    Config = ConstantLimitConfig


@configuration
class ReflexLimitConfig(Configuration):
    """Configuration of a slip reflex without estimate."""

    before: float = parameter(
        0.7, above=0.0, high=5.0, doc="limit as long as the foot has not slipped"
    )
    after: float = parameter(0.08, above=0.0, high=5.0, doc="limit after it has")
    hold: float = parameter(
        3.0, unit="s", low=0.0, high=60.0, doc="how long that lasts"
    )


class ReflexLimitState(NamedTuple):
    """State of the reflex: time since the foot slipped."""

    since_slip: float  # [s]; infinite: never


@kernel
def reflex_limit_step(
    state: ReflexLimitState,
    config: ReflexLimitConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[ReflexLimitState, float]:
    """Lower the limit for a while after each slip; ``config`` is packed."""
    since = 0.0 if estimate.slipping else state.since_slip + dt
    return ReflexLimitState(
        since
    ), config.after if since < config.hold else config.before


class ReflexLimit(RatioLimit[ReflexLimitState]):
    """Slip reflex: a high limit until a foot slips, then a low one for some seconds."""

    kernel = staticmethod(reflex_limit_step)
    Config = ReflexLimitConfig
    start = ReflexLimitState(math.inf)
    foresees = True


@configuration
class EstimateLimitConfig(Configuration):
    """Slip prevention of the thesis (A.9)."""

    safety: float = parameter(
        0.90,
        above=0.0,
        high=1.0,
        source="A.9",
        doc="K_safety, share of the estimate in use",
    )


class EstimateLimitState(NamedTuple):
    """State of the thesis' limit: the limit held while the flag is down."""

    limit: float


@kernel
def estimate_limit_step(
    state: EstimateLimitState,
    config: EstimateLimitConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[EstimateLimitState, float]:
    """Follow the estimate while it is flagged; ``config`` is packed."""
    limit = state.limit
    if estimate.state_code == NO_CONTACT:
        limit = math.inf
    elif estimate.flag and math.isfinite(estimate.mu):
        limit = config.safety * estimate.mu
    return EstimateLimitState(limit), limit


class EstimateLimit(RatioLimit[EstimateLimitState]):
    """Thesis' friction limit (A.9).

    It is K_safety times a flagged estimate, held when the flag falls.
    """

    kernel = staticmethod(estimate_limit_step)
    Config = EstimateLimitConfig
    start = EstimateLimitState(math.inf)


# From an interval to the force ratio that a controller may use (study 7.9).

SLIDING_CONFIG = SlidingConfig().packed
SLID_TIME = 0.02  # [s] over which the ratio of a sliding foot is averaged (choice)
GRIP_FACTOR = 1.15  # times what a sole bears at rest: what it may bear (choice)
# [m] from where the contact began: a speed is misjudged at landing, a place is not
# (choice)
SLID_WAY = 1e-3


@configuration
class LimitRuleConfig(Configuration):
    """Limit of the tangential over the normal force of one foot."""

    mu_default: float = parameter(
        0.2,
        above=0.0,
        high=2.0,
        source="study 7.9",
        doc="limit on a floor not yet known; one that never rises never releases, one "
        "above mu slips",
    )
    untried: float = parameter(
        0.06,
        above=0.0,
        high=2.0,
        doc="limit of a foot that stands since the start; two thirds of it, once it "
        "has crept there (choice)",
    )
    demonstrated_factor: float = parameter(
        1.3,
        low=1.0,
        high=2.0,
        source="study 7.9",
        formerly="witnessed_factor",
        doc="limit over demonstrated friction; with the study's 1.15 the limit stalls "
        "on the bounds' margins",
    )
    rise_rate: float = parameter(
        0.5,
        unit="1/s",
        low=0.0,
        high=100.0,
        source="study 7.9",
        doc="until the estimate is usable; faster loses less time, and passes mu "
        "before the load shows it",
    )
    pressed_share: float = parameter(
        0.85,
        low=0.0,
        high=1.0,
        doc="of the limit that the load must use for it to rise so; cones that take a "
        "tenth off leave 0.9",
    )
    median_share: float = parameter(
        0.85,
        above=0.0,
        high=1.0,
        source="study 7.9",
        doc="of the median, once released; the 5 % quantile also limits",
    )
    lower_when_usable: bool = parameter(
        False,
        doc="only a usable estimate goes below the default; for soles that rock and "
        "twist",
    )
    lower_when_sliding: bool = parameter(
        False,
        doc="lower the limit at once to the friction measured while a loaded foot "
        "slides",
    )


class LimitRuleState(NamedTuple):
    """State of the rule: the limit in force [-]."""

    limit: float
    sliding: SlidingState = AT_REST
    # mean ratio at which the foot has slid lately in this contact
    slid: float = math.nan
    begin_x: float = math.nan  # displacement as the contact began [m]
    begin_y: float = math.nan  # [m]
    grip: GripState = NO_GRIP


@kernel
def limit_step(
    limit: float, estimate: FrictionEstimate, config: LimitRuleConfig, dt: float
) -> float:
    """Compute the limit of the rule; ``config`` is packed.

    An estimate with a point value is released.

    A load that the limit holds back bends no curve, and then the 5 % quantile stays
    where it is: what is certified is always allowed, and a step above what was held, as
    before the release, but nothing above the share of the median. (A step above what is
    certified but was not held yet went beyond mu.) Before the interval is usable its
    quantile may be anything, and counts up to the default only, and the limit rises no
    faster than the load that presses against it can tell of the floor.
    """
    if estimate.state_code == NO_CONTACT:
        return config.mu_default
    # false for NaN: who doesn't say is taken to press
    loose = estimate.force_ratio < config.pressed_share * limit
    risen = limit if loose else limit + config.rise_rate * dt
    if math.isnan(estimate.mu):
        wanted = config.mu_default
        if estimate.mu_demonstrated > 0.0:  # false for NaN
            wanted = max(wanted, config.demonstrated_factor * estimate.mu_demonstrated)
        return min(wanted, risen)
    believed = (
        estimate.mu_q05 if estimate.usable else min(estimate.mu_q05, config.mu_default)
    )
    beyond = max(believed, estimate.mu_low)
    step = config.demonstrated_factor * estimate.mu_demonstrated
    if step > beyond:  # false for NaN
        beyond = step
    estimated = min(beyond, config.median_share * estimate.mu_median)
    if estimate.usable:
        return estimated
    estimated = min(estimated, max(risen, estimate.mu_low))
    return max(estimated, config.mu_default) if config.lower_when_usable else estimated


@kernel
def limit_rule_step(
    state: LimitRuleState,
    config: LimitRuleConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[LimitRuleState, float]:
    """Compute the rule's limit with the signature of every limit's kernel."""
    limit = limit_step(state.limit, estimate, config, dt)
    if not config.lower_when_sliding:
        return LimitRuleState(
            limit=limit,
            sliding=state.sliding,
            slid=state.slid,
            begin_x=math.nan,
            begin_y=math.nan,
            grip=state.grip,
        ), limit
    if estimate.state_code == NO_CONTACT:
        return LimitRuleState(
            limit=limit,
            sliding=AT_REST,
            slid=math.nan,
            begin_x=math.nan,
            begin_y=math.nan,
            grip=NO_GRIP,
        ), limit
    x = measurement.force_x
    y = measurement.force_y
    normal = measurement.force_normal
    sliding = sliding_step(
        state.sliding,
        x,
        y,
        normal,
        measurement.velocity_x,
        measurement.velocity_y,
        dt,
        SLIDING_CONFIG,
    )
    begun = not math.isnan(state.begin_x)
    begin_x = state.begin_x if begun else measurement.displacement_x
    begin_y = state.begin_y if begun else measurement.displacement_y
    slid = state.slid
    way = math.hypot(
        measurement.displacement_x - begin_x, measurement.displacement_y - begin_y
    )
    if math.isnan(way):
        way = sliding.travel  # a sole measured by its IMU alone has no place
    if sliding.sliding and way > SLID_WAY:
        ratio = math.hypot(x, y) / normal
        slid = (
            ratio
            if math.isnan(slid)
            else slid + min(dt / SLID_TIME, 1.0) * (ratio - slid)
        )
    if not estimate.usable and not math.isnan(slid):
        limit = min(limit, config.median_share * slid)
    grip = grip_step(state.grip, math.hypot(x, y), normal, sliding.sliding, dt)
    limit = max(limit, min(GRIP_FACTOR * grip.held, config.mu_default))
    return LimitRuleState(
        limit=limit,
        sliding=sliding,
        slid=slid,
        begin_x=begin_x,
        begin_y=begin_y,
        grip=grip,
    ), limit


class LimitRule(RatioLimit[LimitRuleState]):
    """Friction limit from the interval.

    It is from its quantiles once usable, and before from the default or demonstrated
    friction.
    """

    kernel = staticmethod(limit_rule_step)
    Config = LimitRuleConfig

    def initial_state(self) -> LimitRuleState:
        """Return the default limit."""
        return LimitRuleState(self.config.mu_default)


# limit that an uncertain answer leaves (choice): what an estimator certifies of WET_ICE
CERTIFIED_ICE = 0.04


# [m] that a foot which stands since the start may move in its place: soles that grip
# move by 1 mm at most as encoders and base tell it, on ice of 0.05 by 5 to 25 mm before
# the first step (simulated G1)
CREPT_WAY = 3e-3
CREPT_SHARE = 2.0 / 3.0  # of the limit under which it crept (choice)


class FloorLimitState(NamedTuple):
    """What a foot that stands since the start has shown by its place alone."""

    begin_x: float  # [m] where it stood first; NaN: not yet, or no longer
    begin_y: float
    stands: bool  # beside the other foot, both since the start
    crept: bool  # under its first load, and has had no answer since


@kernel
def crept_step(
    state: FloorLimitState, estimate: FrictionEstimate, measurement: FootMeasurement
) -> FloorLimitState:
    """Look whether a foot that has asked nothing creeps where it stands."""
    if estimate.usable:
        return FloorLimitState(NAN, NAN, False, False)
    if not state.stands or estimate.state_code == NO_CONTACT:
        return FloorLimitState(NAN, NAN, False, state.crept)
    x = measurement.displacement_x
    y = measurement.displacement_y
    if math.isnan(state.begin_x):
        return FloorLimitState(x, y, True, state.crept)
    if math.isnan(x):  # the other foot has left, and will stand elsewhere
        return FloorLimitState(NAN, NAN, False, state.crept)
    way = math.hypot(x - state.begin_x, y - state.begin_y)
    return FloorLimitState(
        state.begin_x, state.begin_y, True, state.crept or way > CREPT_WAY
    )


@kernel
def floor_limit_step(
    state: FloorLimitState,
    config: LimitRuleConfig,
    estimate: FrictionEstimate,
    measurement: FootMeasurement,
    dt: float,
) -> tuple[FloorLimitState, float]:
    """Return the last slide's 5 % quantile, raised to demonstrated friction.

    Else return the default, and less of a foot that stands since the start; ``config``
    is packed.
    """
    state = crept_step(state, estimate, measurement)
    limit = config.mu_default
    # it has not asked, though it stands
    if estimate.state_code != NO_CONTACT and math.isnan(estimate.mu_demonstrated):
        limit = min(limit, config.untried)
        if state.crept:
            limit = min(limit, CREPT_SHARE * config.untried)
    if estimate.usable:
        most = config.median_share * estimate.mu_median
        # a foot that may not push at all can't save the robot either
        limit = min(max(estimate.mu_q05, CERTIFIED_ICE), most)
    if estimate.mu_demonstrated > limit:  # false for NaN
        limit = estimate.mu_demonstrated
    return state, limit


class FloorLimit(RatioLimit[FloorLimitState]):
    """Friction limit from the foot's last slide, raised to demonstrated friction.

    It goes by three of the rule's parameters.
    """

    kernel = staticmethod(floor_limit_step)
    Config = LimitRuleConfig
    start = FloorLimitState(NAN, NAN, True, False)

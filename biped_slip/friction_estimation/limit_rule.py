# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From an interval to the force ratio that a controller may use (study 7.9)."""

from __future__ import annotations

import math
from typing import NamedTuple

from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.sliding import (
    AT_REST,
    NO_GRIP,
    GripState,
    SlidingConfig,
    SlidingState,
    grip_step,
    sliding_step,
)
from biped_slip.friction_estimation.types import EstimateState, FootMeasurement, FrictionEstimate

NO_CONTACT = int(EstimateState.NO_CONTACT)
SLIDING = SlidingConfig().packed
SLID_TIME = 0.02  # [s] over which the ratio of a sliding foot is averaged (choice)
GRIP = 1.15  # times what a sole bears at rest: what it may bear (choice)
SLID_WAY = 1e-3  # [m] from where the contact began: a speed is misjudged at landing, a place is not (choice)


@configuration
class LimitRuleConfig(Configuration):
    """Limit of the tangential over the normal force of one foot."""

    mu_default: float = parameter(
        0.2,
        above=0.0,
        high=2.0,
        source="study 7.9",
        doc="limit on a floor not yet known; one that never rises never releases, one above mu slips",
    )
    witnessed_factor: float = parameter(
        1.3,
        low=1.0,
        high=2.0,
        source="study 7.9",
        doc="step above what was already held without slip; the study's 1.15 stalls on what bounds take off",
    )
    rise_rate: float = parameter(
        0.5,
        unit="1/s",
        low=0.0,
        high=100.0,
        source="study 7.9",
        doc="until the estimate is usable; faster loses less time, and passes mu before the load has told of it",
    )
    pressed_share: float = parameter(
        0.85,
        low=0.0,
        high=1.0,
        source="choice",
        doc="of the limit that the load must use for it to rise so; cones that take a tenth off leave 0.9",
    )
    median_share: float = parameter(
        0.85, above=0.0, high=1.0, source="study 7.9", doc="of the median, once released; the 5 % quantile also limits"
    )
    lower_when_usable: bool = parameter(
        False, source="choice", doc="only a usable estimate goes below the default; for soles that rock and twist"
    )
    lower_when_sliding: bool = parameter(
        False, source="choice", doc="a foot that slides under load holds what it is measured to hold, at once"
    )


class LimitRuleState(NamedTuple):
    """The limit in force [-]."""

    limit: float
    sliding: SlidingState = AT_REST
    slid: float = math.nan  # mean ratio at which the foot has slid lately in this contact
    begin_x: float = math.nan  # displacement as the contact began [m]
    begin_y: float = math.nan  # [m]
    grip: GripState = NO_GRIP


@kernel
def limit_step(limit: float, estimate: FrictionEstimate, config: LimitRuleConfig, dt: float) -> float:
    """One step of the rule; ``config`` is packed. An estimate is released when it has a point value.

    A load that the limit holds back bends no curve, and then the 5 % quantile stays where it is: what is certified is
    always allowed, and a step above what was held, as before the release, but nothing above the share of the median.
    (A step above what is certified but was not held yet went beyond mu.) Before the interval is usable its quantile may
    be anything, and counts up to the default only, and the limit rises no faster than the load that presses against it
    can tell of the floor.
    """
    if estimate.state_code == NO_CONTACT:
        return config.mu_default
    loose = estimate.force_ratio < config.pressed_share * limit  # false for NaN: who doesn't say is taken to press
    risen = limit if loose else limit + config.rise_rate * dt
    if math.isnan(estimate.mu):
        wanted = config.mu_default
        if estimate.witnessed > 0.0:  # false for NaN
            wanted = max(wanted, config.witnessed_factor * estimate.witnessed)
        return min(wanted, risen)
    believed = estimate.mu_q05 if estimate.usable else min(estimate.mu_q05, config.mu_default)
    beyond, step = max(believed, estimate.mu_low), config.witnessed_factor * estimate.witnessed
    if step > beyond:  # false for NaN
        beyond = step
    estimated = min(beyond, config.median_share * estimate.mu_median)
    if estimate.usable:
        return estimated
    estimated = min(estimated, max(risen, estimate.mu_low))
    return max(estimated, config.mu_default) if config.lower_when_usable else estimated


@kernel
def limit_rule_step(
    state: LimitRuleState, config: LimitRuleConfig, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
) -> tuple[LimitRuleState, float]:
    """The same as every limit's kernel."""
    limit = limit_step(state.limit, estimate, config, dt)
    if not config.lower_when_sliding:
        return LimitRuleState(limit, state.sliding, state.slid, math.nan, math.nan, state.grip), limit
    if estimate.state_code == NO_CONTACT:
        return LimitRuleState(limit, AT_REST, math.nan, math.nan, math.nan, NO_GRIP), limit
    x, y, normal = measurement.force_x, measurement.force_y, measurement.force_normal
    sliding = sliding_step(state.sliding, x, y, normal, measurement.velocity_x, measurement.velocity_y, dt,
                           SLIDING)  # fmt: skip
    begun = not math.isnan(state.begin_x)
    begin_x = state.begin_x if begun else measurement.displacement_x
    begin_y = state.begin_y if begun else measurement.displacement_y
    slid = state.slid
    way = math.hypot(measurement.displacement_x - begin_x, measurement.displacement_y - begin_y)
    if math.isnan(way):
        way = sliding.travel  # a sole that is only felt has no place
    if sliding.sliding and way > SLID_WAY:
        ratio = math.hypot(x, y) / normal
        slid = ratio if math.isnan(slid) else slid + min(dt / SLID_TIME, 1.0) * (ratio - slid)
    if not estimate.usable and not math.isnan(slid):
        limit = min(limit, config.median_share * slid)
    grip = grip_step(state.grip, math.hypot(x, y), normal, sliding.sliding, dt)
    limit = max(limit, min(GRIP * grip.held, config.mu_default))
    return LimitRuleState(limit, sliding, slid, begin_x, begin_y, grip), limit


class LimitRule:
    """Usable: min(max(q05, low, 1.3 held), 0.85 median). Before: q05 up to the default, low or 1.3 held."""

    kernel = staticmethod(limit_rule_step)

    def __init__(self, config: LimitRuleConfig | None = None) -> None:
        self.config = LimitRuleConfig() if config is None else config
        self.settings = self.config.packed

    def initial_state(self) -> LimitRuleState:
        """The default limit."""
        return LimitRuleState(self.config.mu_default)

    def step(
        self, state: LimitRuleState, estimate: FrictionEstimate, measurement: FootMeasurement, dt: float
    ) -> tuple[LimitRuleState, float]:
        """Limit after one more estimate; ``dt`` in [s]."""
        return limit_rule_step(state, self.settings, estimate, measurement, dt)

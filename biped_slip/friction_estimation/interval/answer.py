# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is published of one foot, and what it can be used for."""

from __future__ import annotations

import math

from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.foot_state import (
    INVALID_INPUT,
    NOT_IDENTIFIABLE,
    SETTLING,
    SLIPPING,
    STILL,
    USABLE,
    IntervalState,
)
from biped_slip.friction_estimation.interval.settings import Settings
from biped_slip.friction_estimation.types import FrictionEstimate


@kernel
def state_code(state: IntervalState, settings: Settings) -> int:
    """An EstimateState: what the estimate can be used for now."""
    foot, event, settling = state.foot[0], state.slip.event[0], settings.gate.settling_time
    if foot["fault"] == STILL:
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
    """What is published; after a slip the kinetic ratio is the answer, as exact as the force sensor (study 7).

    Until the foot has held more than that: then it stands on another floor, or better than it slid.
    """
    foot, event = state.foot[0], state.slip.event[0]
    nan = math.nan
    if not foot["in_contact"]:
        return FrictionEstimate(nan, nan, nan, nan, nan, False, False, nan, nan, nan, False, code)
    s_p = 1e-3 * foot["s_p"]
    if foot["fault"] == STILL:
        return FrictionEstimate(nan, nan, nan, nan, nan, False, False, nan, nan, force_ratio, False, code)
    if event["slipped"] and not foot["regripped"]:
        kinetic, sigma = event["kinetic"], foot["sigma_u"]
        low, q05, high = max(kinetic - 3.0 * sigma, 0.0), max(kinetic - 1.645 * sigma, 0.0), kinetic + 3.0 * sigma
        return FrictionEstimate(
            kinetic,
            low,
            q05,
            kinetic,
            high,
            True,
            False,
            min(foot["witnessed"], low),
            s_p,
            force_ratio,
            event["slipping"],
            code,
        )
    mu = foot["median"] if foot["released"] else nan
    return FrictionEstimate(
        mu, foot["low"], foot["q05"], foot["median"], foot["high"], foot["usable"], False, foot["witnessed"],
        s_p, force_ratio, False, code,
    )  # fmt: skip

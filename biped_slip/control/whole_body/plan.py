# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The path of the pivot from now on: the phase under way, the steps to come, the stop behind them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.footsteps import FootstepConfig
from biped_slip.control.whole_body.stepping import (
    STAND,
    SWING,
    Feet,
    Gait,
    SteppingConfig,
    SteppingState,
    foothold_for,
    pivot_now,
    pivot_under,
    toe,
)
from biped_slip.estimation.readings import Array

STEPS_AHEAD = 4  # by then exp(-omega t) has forgotten how the plan ends


class Plan(NamedTuple):
    """Pivot from now on."""

    pivots: Array  # (k + 1, 2) [m]
    durations: Array  # (k,) [s]


@kernel
def plan(state: SteppingState, feet: Feet, gait: Gait, middle: Array, steps: FootstepConfig,
         config: SteppingConfig) -> Plan:  # fmt: skip
    """Pivot path from now: the phase under way, the steps to come, the stop behind them."""
    swinging, waiting = state.phase == SWING, state.time < 0.0
    count = 1 if state.phase == STAND else 2 * STEPS_AHEAD + (2 if swinging else 3) + (1 if waiting else 0)
    pivots, durations = np.empty((count + 1, 2)), np.empty(count)
    pivots[0], k = pivot_now(state), 0
    if waiting:
        pivots[1], durations[0], k = pivots[0], -state.time, 1
    durations[k] = max(state.duration - max(state.time, 0.0), 0.0)
    if state.phase == STAND:
        pivots[1] = state.pivot_to
        return Plan(pivots, durations)
    swing = state.swing
    moved, stays = feet.holds[swing], feet.holds[1 - swing]
    ahead = toe(gait, config)
    leaves = pivot_under(stays, 1 - swing, middle[1 - swing], config.inset, ahead)
    k += 1
    pivots[k] = leaves
    if not swinging:  # the transfer is followed by a whole swing
        pivots[k] = pivot_under(stays, 1 - swing, middle[1 - swing], config.inset, -ahead)
        pivots[k + 1], durations[k] = leaves, gait.single_support
        k += 1
    for step in range(STEPS_AHEAD):
        moved = state.target if step == 0 and swinging else foothold_for(stays, swing, gait, steps)
        pivots[k + 1] = pivot_under(moved, swing, middle[swing], config.inset, -ahead)
        pivots[k + 2] = pivot_under(moved, swing, middle[swing], config.inset, ahead)
        durations[k], durations[k + 1] = gait.double_support, gait.single_support
        k += 2
        moved, stays, swing = stays, moved, 1 - swing
    pivots[k + 1] = 0.5 * (pivots[k] + pivot_under(moved, swing, middle[swing], config.inset))
    durations[k] = config.settle_time
    return Plan(pivots, durations)

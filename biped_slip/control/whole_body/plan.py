# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The path of the ZMP from now on: the phase under way, the steps to come, the stop behind them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
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
    toe,
    zmp_now,
    zmp_under,
)

STEPS_AHEAD = 4  # by then exp(-omega t) has forgotten how the plan ends


class Plan(NamedTuple):
    """ZMP from now on."""

    zmps: Array  # (k + 1, 2) [m]
    durations: Array  # (k,) [s]


@kernel
def plan(state: SteppingState, feet: Feet, gait: Gait, middle: Array, steps: FootstepConfig,
         config: SteppingConfig) -> Plan:  # fmt: skip
    """ZMP path from now: the phase under way, the steps to come, the stop behind them."""
    swinging, waiting = state.phase == SWING, state.time < 0.0
    count = 1 if state.phase == STAND else 2 * STEPS_AHEAD + (2 if swinging else 3) + (1 if waiting else 0)
    zmps, durations = np.empty((count + 1, 2)), np.empty(count)
    zmps[0], k = zmp_now(state), 0
    if waiting:
        zmps[1], durations[0], k = zmps[0], -state.time, 1
    durations[k] = max(state.duration - max(state.time, 0.0), 0.0)
    if state.phase == STAND:
        zmps[1] = state.zmp_to
        return Plan(zmps, durations)
    swing = state.swing
    moved, stays = feet.holds[swing], feet.holds[1 - swing]
    ahead = toe(gait)
    leaves = zmp_under(stays, 1 - swing, middle[1 - swing], config.inset, ahead)
    k += 1
    zmps[k] = leaves
    if not swinging:  # the transfer is followed by a whole swing
        zmps[k] = zmp_under(stays, 1 - swing, middle[1 - swing], config.inset, -ahead)
        zmps[k + 1], durations[k] = leaves, gait.single_support
        k += 1
    for step in range(STEPS_AHEAD):
        moved = state.target if step == 0 and swinging else foothold_for(stays, swing, gait, steps)
        zmps[k + 1] = zmp_under(moved, swing, middle[swing], config.inset, -ahead)
        zmps[k + 2] = zmp_under(moved, swing, middle[swing], config.inset, ahead)
        durations[k], durations[k + 1] = gait.double_support, gait.single_support
        k += 2
        moved, stays, swing = stays, moved, 1 - swing
    zmps[k + 1] = 0.5 * (zmps[k] + zmp_under(moved, swing, middle[swing], config.inset))
    durations[k] = config.settle_time
    return Plan(zmps, durations)

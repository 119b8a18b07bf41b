# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""When a foot may lift and where it goes, from the plan, the error of the DCM and what the floor holds."""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.control.whole_body.dcm import dcm_reference, uncontrollable_error
from biped_slip.control.whole_body.footsteps import Foothold, within_reach
from biped_slip.control.whole_body.memory import Setup
from biped_slip.control.whole_body.plan import plan
from biped_slip.control.whole_body.stepping import TRANSFER, Feet, Gait, SteppingState, foothold_for, side_of
from biped_slip.control.whole_body.support import USED, Support, balances, into_support

RETARGET = 0.7  # of a swing: later the foothold stays (choice)
ALWAYS = 0.9  # likewise of a foot without area: nothing but the foothold corrects (choice)
ADJUSTMENT_REACH = 0.7  # of half the sole that the ZMP is trusted to use before the foothold moves (choice)
LOST = 0.02  # [m] outside of the support: holding both feet down can't stop the fall any more (choice)
PATIENCE = 2.0  # planned transfers; by then the robot rests over its foot as near as it will get (choice)
LIFT_ERROR = 0.05  # [m] of the DCM at which a step that had to wait is begun (choice)


@kernel
def dcm_error(steps: SteppingState, feet: Feet, gait: Gait, dcm: Array, setup: Setup) -> tuple[Array, Array]:
    """Error (2,) of the DCM and the planned ZMP (2,) [m]."""
    path = plan(steps, feet, gait, setup.middle, setup.config.steps, setup.config.stepping)
    return dcm - dcm_reference(path.zmps, path.durations, setup.omega), path.zmps[0].copy()


@kernel
def support_of(stance: tuple[bool, bool], feet: Feet, limits: tuple[float, float], setup: Setup) -> Support:
    """Feet that carry, and what their floors hold."""
    under, yaw, held = np.empty((2, 2)), np.empty(2), np.empty(2)
    for i in range(2):
        hold = feet.holds[i]
        c, s = math.cos(hold.yaw), math.sin(hold.yaw)
        x, y = setup.middle[i, 0], setup.middle[i, 1]
        under[i, 0], under[i, 1] = hold.x + c * x - s * y, hold.y + s * x + c * y
        yaw[i], held[i] = hold.yaw, min(limits[i], setup.config.adaptation.unlimited)
    return Support(stance, under, yaw, setup.half_size, held)


@kernel
def may_lift(steps: SteppingState, feet: Feet, gait: Gait, centre: Array, dcm: Array, limits: tuple[float, float],
              setup: Setup) -> bool:  # fmt: skip
    """Whether the coming stance foot can carry alone: its friction suffices, or nothing is left to be saved."""
    if steps.phase != TRANSFER or not balances(setup.half_size):
        return True
    outside = into_support(dcm, support_of((True, True), feet, limits, setup)) - dcm
    if math.hypot(outside[0], outside[1]) > LOST:
        return True
    if steps.time > PATIENCE * steps.duration:
        return True
    away = math.hypot(steps.zmp_to[0] - centre[0], steps.zmp_to[1] - centre[1])
    if away > USED * limits[1 - steps.swing] * setup.height:
        return False
    if steps.time <= steps.duration + 0.01:
        return True
    error, _ = dcm_error(steps, feet, gait, dcm, setup)
    return max(abs(error[0]), abs(error[1])) < LIFT_ERROR


@kernel
def target_of(steps: SteppingState, feet: Feet, gait: Gait, dcm: Array, trim: Array, setup: Setup) -> Foothold:
    """Foothold of the swing foot, moved by the part of the DCM error that the stance foot can't correct.

    And by ``trim`` (2,) [m], ahead and to the left.
    """
    if steps.time > (RETARGET if balances(setup.half_size) else ALWAYS) * steps.duration:
        return steps.target
    swing = steps.swing
    stance = feet.holds[1 - swing]
    planned = foothold_for(stance, swing, gait, setup.config.steps)
    aimed = SteppingState(steps.phase, steps.time, steps.duration, swing, steps.zmp_from, steps.zmp_to, planned,
                          steps.lift_z, steps.point)  # fmt: skip
    error, _ = dcm_error(aimed, feet, gait, dcm, setup)
    left, reach = steps.duration - steps.time, ADJUSTMENT_REACH * setup.half_size
    c, s = math.cos(stance.yaw), math.sin(stance.yaw)
    moved = Foothold(
        planned.x + uncontrollable_error(error[0], reach[0], left, setup.omega) + c * trim[0] - s * trim[1],
        planned.y + uncontrollable_error(error[1], reach[1], left, setup.omega) + s * trim[0] + c * trim[1],
        planned.yaw,
    )
    return within_reach(moved, stance, side_of(swing), gait.width, setup.config.steps)

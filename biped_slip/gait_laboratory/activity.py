# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a person does on the plate: walk, run or stand; weight acceptance is defined for walking."""

from __future__ import annotations

import math

WALKING, RUNNING, STANDING = "walking", "running", "standing"
LONGEST_STANCE = 4.0  # [s] of a walking step; the slowest gait at hand (Parkinson's) stands for 2.3 s
RUNNING_DUTY = 0.5  # share of a stride on the ground below which there is flight: running, by definition
RUNNING_STANCE = 0.45  # [s]; nobody runs with longer contacts
CERTAIN_RUNNING_STANCE = 0.35  # [s]; nobody walks with shorter ones
RUNNING_LOAD = 1.6  # of body weight; walking stays below


def activity(duration: float, begins: bool, ends: bool, duty: float, load: float) -> str:
    """Walking, running or standing.

    Args:
        duration: of the stance [s].
        begins: the touchdown is in the recording.
        ends: the lift-off is in the recording.
        duty: share of the stride on the ground; NaN where no stride is known.
        load: largest normal force over body weight; NaN where that isn't known.
    """
    if not (begins or ends) or duration > LONGEST_STANCE:
        return STANDING
    if not (begins and ends):
        return WALKING
    flies = not math.isnan(duty) and duty < RUNNING_DUTY
    presses = not math.isnan(load) and load > RUNNING_LOAD
    if duration < CERTAIN_RUNNING_STANCE or (duration < RUNNING_STANCE and (flies or presses)):
        return RUNNING
    return WALKING

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Why a stance isn't judged: one reason, in words that can stand in an appendix."""

from __future__ import annotations

from typing import Sequence

import numpy as np

from biped_slip.gait_laboratory.activity import RUNNING, STANDING
from biped_slip.gait_laboratory.recorded_stances import RecordedStance

SHARED_TIME = 0.05  # [s] that one foot presses on two plates


def exclusion(stance: RecordedStance, found: Sequence[RecordedStance], what: str, axes: str = "xyz") -> str:
    """The first reason that applies, or nothing.

    Args:
        stance: to be judged.
        found: all stances of the recording.
        what: the activity.
        axes: along which its force must be known.
    """
    if stance.standing.refusal:
        return stance.standing.refusal
    if stance.series.clipped:
        return f"channel {stance.series.clipped[0]} of {stance.sensor} clips: its force is cut off"
    unknown = [
        axis for axis, force in zip("xyz", stance.force.T, strict=True) if axis in axes and not np.isfinite(force).all()
    ]
    if unknown:
        return (
            f"the force along {' and '.join(unknown)} is not known throughout: required friction needs all three axes"
        )
    if what == STANDING:
        return "standing: no step begins and ends"
    if not (stance.begins and stance.ends):
        return f"cut off by the {'begin' if not stance.begins else 'end'} of the recording"
    for other in found:
        shared = min(stance.time[-1], other.time[-1]) - max(stance.time[0], other.time[0])
        same_foot = other.foot == stance.foot and stance.foot in ("left", "right")
        if other.sensor != stance.sensor and same_foot and shared > SHARED_TIME:
            return f"the {stance.foot} foot stands on {stance.sensor} and {other.sensor} at once"
    if stance.off:
        return stance.off
    return "running: weight acceptance is defined for walking" if what == RUNNING else ""

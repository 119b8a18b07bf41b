# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Where the motion of a standing foot comes from: heel and toe markers, or the foot's own recorded motion."""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np

from biped_slip.gait_laboratory.recorded_stances import RecordedStance
from biped_slip.gait_laboratory.sole_motion import SoleMotion, sole_motion
from biped_slip.recordings.formats import Recording
from biped_slip.recordings.motion import travelled

BELT_SPEED = 0.3  # [m/s] backward, of the median foot in the middle of its stance
OWN = ("measured", "differenced", "integrated")  # sources of motion that are the foot's own


def foot_motion(recording: Recording, stance: RecordedStance) -> SoleMotion | str:
    """Motion of the sole over the floor during a stance, or why it isn't known."""
    series, window = stance.series, slice(*stance.standing.stance)
    if len(recording.markers.names):
        if stance.foot not in ("left", "right"):
            return "it isn't known which foot stands there"
        floor = float(series.outline[:, 2].mean()) if len(series.outline) == 4 else 0.0
        return sole_motion(recording.markers, stance.foot, float(stance.time[0]), float(stance.time[-1]), floor)
    velocity = np.nan_to_num(series.velocity[window, 1])
    velocity = np.column_stack([series.velocity[window, 0], velocity])
    if series.motion.source not in OWN or not np.isfinite(velocity).all():
        return "no markers on heel and toe"
    place = series.displacement[window].copy()
    place[:, 1] = np.nan_to_num(place[:, 1])
    place = place if np.isfinite(place).all() else travelled(stance.time, velocity)
    return SoleMotion(stance.time, place, velocity, math.inf, f"foot, {series.motion.source}")


def without_belts(motions: Sequence[SoleMotion | str]) -> list[SoleMotion | str]:
    """The same, unless most feet go back steadily while they stand: then a belt carries them."""
    known = [float(np.median(motion.velocity[:, 0])) for motion in motions if isinstance(motion, SoleMotion)]
    if len(known) < 2 or float(np.median(known)) > -BELT_SPEED:
        return list(motions)
    return [motion if isinstance(motion, str) else "a belt carries the feet" for motion in motions]

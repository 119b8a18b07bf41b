# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Activity: walking, running or standing, how fast, and which stances are no steps."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Sequence

import numpy as np

from biped_slip.gait_laboratory.step import INSOLES, PERSON, TrialInfo
from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.recording import JudgedStance

WALKING = "walking"
RUNNING = "running"
STANDING = "standing"
# [s] of a walking step; the slowest gait at hand (Parkinson's) stands for 2.3 s
LONGEST_STANCE = 4.0
# share of a stride on the ground below which there is flight: running, by definition
RUNNING_DUTY = 0.5
RUNNING_STANCE = 0.45  # [s]; running contacts are shorter
CERTAIN_RUNNING_STANCE = 0.35  # [s]; walking contacts are longer
RUNNING_LOAD = 1.6  # of body weight; walking stays below


def activity(
    duration: float, begins: bool, ends: bool, duty: float, load: float
) -> str:
    """Classify a recording: walking, running or standing.

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
    if duration < CERTAIN_RUNNING_STANCE or (
        duration < RUNNING_STANCE and (flies or presses)
    ):
        return RUNNING
    return WALKING


# Markers on pelvis and chest in the marker sets in use.
TRUNK_MARKERS = re.compile(
    r"^(?:.*:)?(?:[LR]ASI|[LR]PSI|[LR]ASIS|[LR]PSIS|V?SAC[RL]?|C7|T10|CLAV|STRN)$", re.I
)
# [s] from a touchdown to the next of the same foot; more, and steps lie between
LONGEST_STRIDE = 3.0
LONGEST_STEP_LENGTH = 2.0  # [m] between neighbouring footfalls
LEAST_TIME = 0.2  # [s] over which a speed is measured


def stance_activity(
    stance: JudgedStance,
    found: Sequence[JudgedStance],
    info: TrialInfo,
    weight: float,
) -> str:
    """Classify one stance of a recording: walking, running or standing.

    A robot or an insole only walks or stands.

    Args:
        stance: one of ``found``.
        found: all stances of the recording.
        info: of the trial.
        weight: of the subject [N]; NaN where unknown.
    """
    if info.subject != PERSON:
        return WALKING if stance.begins or stance.ends else STANDING
    return activity(
        stance.duration,
        stance.begins,
        stance.ends,
        duty_factor(stance, found),
        stance.peak / weight,
    )


def duty_factor(stance: JudgedStance, found: Sequence[JudgedStance]) -> float:
    """Compute the share of its stride that a foot is on the ground.

    It is NaN where the next touchdown of the same foot is not known.
    """
    later = [
        float(other.time[0])
        for other in found
        if other.foot == stance.foot and other.time[0] > stance.time[-1]
    ]
    stride = min(later, default=math.inf) - float(stance.time[0])
    if not stance.begins or stride > LONGEST_STRIDE:
        return math.nan
    return stance.duration / stride


def exclusion(stance: JudgedStance, what: str, subject: str) -> str:
    """Explain why a stance is no step to be judged; empty if it is.

    What spoils the stance comes first, as the judge of recordings has it; then what a
    step's required friction needs besides: all axes, a begin and an end, a walk.

    Args:
        stance: of the recording.
        what: its activity.
        subject: of the trial; insoles measure the normal force alone.
    """
    if stance.refusal:
        return stance.refusal
    axes = "z" if subject == INSOLES else "xyz"
    unknown = " and ".join(
        axis
        for axis in axes
        if not np.isfinite(stance.force[:, "xyz".index(axis)]).all()
    )
    if unknown:
        return (
            f"the force along {unknown} is not known throughout: required friction "
            "needs all three axes"
        )
    if what == STANDING:
        return "standing: no step begins and ends"
    if stance.cut_off:
        return (
            f"cut off by the {'begin' if not stance.begins else 'end'} of the recording"
        )
    return (
        "running: weight acceptance is defined for walking" if what == RUNNING else ""
    )


def walking_speed(recording: Recording, found: Sequence[JudgedStance]) -> float:
    """Estimate speed [m/s] from markers on the trunk.

    Without them it comes from where and when the feet stood.
    """
    markers = recording.markers
    if not found:
        return math.nan
    begin = float(found[0].time[0])
    end = float(found[-1].time[-1])
    frames = (
        (markers.time >= begin) & (markers.time <= end)
        if len(markers.names)
        else np.zeros(0, dtype=bool)
    )
    trunk = [
        k for k, name in enumerate(markers.names) if TRUNK_MARKERS.match(name.strip())
    ]
    if trunk and frames.sum() > 2 and end - begin >= LEAST_TIME:
        way = markers.position[frames][:, trunk, 0]
        visible = np.isfinite(way[0]) & np.isfinite(way[-1])
        if visible.any():
            return abs(float(np.median(way[-1, visible] - way[0, visible]))) / (
                float(frames.sum() - 1) / markers.rate
            )
    pairs = [_between(one, two) for one, two in pairwise(found) if one.foot != two.foot]
    known = [speed for speed in pairs if math.isfinite(speed)]
    return float(np.median(known)) if known else math.nan


def _between(one: JudgedStance, two: JudgedStance) -> float:
    known = [
        stance.pressure[np.isfinite(stance.pressure).all(axis=1)]
        for stance in (one, two)
    ]
    if not all(len(points) for points in known) or not all(
        len(foot.series.outline) == 4 for foot in (one, two)
    ):
        return math.nan
    way = float(
        np.linalg.norm(np.median(known[1], axis=0) - np.median(known[0], axis=0))
    )
    return (
        way / float(two.time.mean() - one.time.mean())
        if way <= LONGEST_STEP_LENGTH
        else math.nan
    )

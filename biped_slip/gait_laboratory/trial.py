# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One recording as steps: what each stance asked of its floor, whether it slipped, and why it may not be judged."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.config import Configuration, configuration, section
from biped_slip.gait_laboratory.activity import RUNNING, STANDING, WALKING, activity
from biped_slip.gait_laboratory.curves import NAMES, POINTS, normalised
from biped_slip.gait_laboratory.event_agreement import Agreement, agreements
from biped_slip.gait_laboratory.exclusion import exclusion
from biped_slip.gait_laboratory.foot_motion import foot_motion, without_belts
from biped_slip.gait_laboratory.recorded_stances import RecordedStance, recorded_stances, walking_speed, weight_of
from biped_slip.gait_laboratory.required_friction import RequiredFrictionConfig, required_friction
from biped_slip.gait_laboratory.slip_class import SlipLimits
from biped_slip.gait_laboratory.slips import SlipConfig
from biped_slip.gait_laboratory.step import Step
from biped_slip.gait_laboratory.step_columns import UNJUDGED, Walk, friction_columns, slip_columns, stance_columns
from biped_slip.gait_laboratory.subject import INSOLES, PERSON, TrialInfo
from biped_slip.recordings.formats import Recording
from biped_slip.recordings.series import FloatArray

LEAST_SAMPLES = 8  # of a stance


@configuration
class GaitSettings(Configuration):
    """All rules of the gait laboratory."""

    required: RequiredFrictionConfig = section(RequiredFrictionConfig)
    slip: SlipConfig = section(SlipConfig)
    classes: SlipLimits = section(SlipLimits)


class JudgedStance(NamedTuple):
    """A step and its curves."""

    step: Step
    curves: FloatArray  # shape (4, 101), see ``curves.normalised``; NaN where the step isn't judged


class TrialSteps(NamedTuple):
    """All steps of a recording."""

    stances: tuple[JudgedStance, ...]
    agreement: tuple[Agreement, ...]  # with the events that the file names
    notes: tuple[str, ...]  # what was read and done

    @property
    def steps(self) -> tuple[Step, ...]:
        """The rows of the table."""
        return tuple(stance.step for stance in self.stances)


def analyse(recording: Recording, info: TrialInfo, settings: GaitSettings, before: int = 0) -> TrialSteps:
    """Every stance of a recording as a step, in the order of touchdowns, numbered on from ``before``."""
    found = recorded_stances(recording, info)
    weight, weight_from = weight_of(recording, found, info)
    walk = Walk(info, weight, weight_from, walking_speed(recording, found))
    activities = [_activity(stance, walk) for stance in found]
    axes = "z" if info.subject == INSOLES else "xyz"
    reasons = [exclusion(stance, found, what, axes) for stance, what in zip(found, activities, strict=True)]
    usable = [not reason and len(one.time) >= LEAST_SAMPLES for one, reason in zip(found, reasons, strict=True)]
    motions = without_belts(
        [foot_motion(recording, one) if good else UNJUDGED for one, good in zip(found, usable, strict=True)]
    )
    judged = []
    for number, (stance, what, reason) in enumerate(zip(found, activities, reasons, strict=True)):
        asked = None
        whole = bool(np.isfinite(stance.force).all())
        if info.subject != INSOLES and (usable[number] or (what == RUNNING and whole)):
            asked = required_friction(stance.time, stance.force, settings.required)
        columns = stance_columns(walk, stance, before + number + 1, what, reason)
        columns |= friction_columns(asked, stance, info, what)
        columns |= slip_columns(stance, motions[number], settings.slip, settings.classes)
        curves = np.full((len(NAMES), POINTS), math.nan)
        if asked is not None or (info.subject == INSOLES and not reason):
            least = math.inf if asked is None else asked.least_normal
            curves = normalised(stance.time, stance.force, weight, least)
        judged.append(JudgedStance(Step(**columns), curves))
    notes = dict.fromkeys(note for series in recording.series for note in series.provenance[1:])
    return TrialSteps(tuple(judged), _agreement(recording, found), tuple(notes))


def _activity(stance: RecordedStance, walk: Walk) -> str:
    if walk.info.subject == PERSON:
        return activity(stance.duration, stance.begins, stance.ends, stance.duty, stance.peak / walk.weight)
    return WALKING if stance.begins or stance.ends else STANDING


def _agreement(recording: Recording, found: Sequence[RecordedStance]) -> tuple[Agreement, ...]:
    """Touchdowns and lift-offs beside those that the file names."""
    known = [
        (
            one.foot,
            float(one.time[0]) if one.begins else math.nan,
            float(one.time[-1]) if one.ends else math.nan,
        )
        for one in found
    ]
    return tuple(agreements(known, recording.events, recording.markers.rate))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of a step: from its stance, from its required friction, from its slips."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from biped_slip.gait_laboratory.activity import RUNNING
from biped_slip.gait_laboratory.recorded_stances import RecordedStance
from biped_slip.gait_laboratory.required_friction import RequiredFriction
from biped_slip.gait_laboratory.slip_class import NONE, SlipLimits, slip_class
from biped_slip.gait_laboratory.slips import FootSlips, SlipConfig, find_slips
from biped_slip.gait_laboratory.sole_motion import SoleMotion
from biped_slip.gait_laboratory.subject import INSOLES, ROBOT, TrialInfo
from biped_slip.recordings.stance_summary import demand

UNJUDGED = "the step isn't judged"


class Walk(NamedTuple):
    """What all steps of a trial share."""

    info: TrialInfo
    weight: float  # [N]
    weight_from: str
    speed: float  # [m/s]


def stance_columns(walk: Walk, stance: RecordedStance, number: int, what: str, reason: str) -> dict[str, Any]:
    """Who, where, when, and how hard; ``what`` is the activity, ``reason`` why the step isn't judged."""
    info = walk.info
    return {
        "trial": info.trial,
        "person": info.person,
        "shoe": info.shoe,
        "floor": info.floor,
        "condition": info.condition,
        "subject": info.subject,
        "step": number,
        "foot": stance.foot,
        "sensor": stance.sensor,
        "activity": what,
        "excluded": reason,
        "touchdown_s": float(stance.time[0]),
        "lift_off_s": float(stance.time[-1]),
        "stance_s": stance.duration,
        "weight_n": walk.weight,
        "weight_from": walk.weight_from,
        "speed_m_s": walk.speed,
        "peak_normal_bw": stance.peak / walk.weight,
    }


def friction_columns(
    asked: RequiredFriction | None, stance: RecordedStance, info: TrialInfo, what: str
) -> dict[str, Any]:
    """Columns of required friction."""
    unknown = math.nan
    if asked is None:
        names = (
            "rcof_acceptance acceptance_percent acceptance_normal_n acceptance_shear_n rcof_acceptance_fore_aft "
            "rcof_push_off push_off_percent push_off_normal_n push_off_shear_n rcof_push_off_fore_aft "
            "rcof_largest rcof_10_90 least_normal_n required"
        )
        why = "an insole measures no shear" if info.subject == INSOLES else UNJUDGED
        return dict.fromkeys(names.split(), unknown) | {"required_from": why}
    early, late = asked.acceptance, asked.push_off
    middle = demand(stance.series, stance.standing.stance).required if not info.slope else unknown
    required, words = early.ratio, "weight acceptance"
    if what == RUNNING:
        required, words = unknown, "running has no weight acceptance of a walk"
    elif info.subject == ROBOT:
        required, words = middle, "largest between 10 and 90 % of the stance"
    elif info.slope:
        required, words = asked.largest.ratio, "largest over the step on a ramp"
    elif math.isnan(required):
        words = "the ratio has no maximum at weight acceptance"
    return {
        "required": required,
        "required_from": words,
        "rcof_acceptance": early.ratio,
        "acceptance_percent": 100.0 * early.share,
        "acceptance_normal_n": early.normal,
        "acceptance_shear_n": early.shear,
        "rcof_acceptance_fore_aft": asked.acceptance_fore_aft.ratio,
        "rcof_push_off": late.ratio,
        "push_off_percent": 100.0 * late.share,
        "push_off_normal_n": late.normal,
        "push_off_shear_n": late.shear,
        "rcof_push_off_fore_aft": asked.push_off_fore_aft.ratio,
        "rcof_largest": asked.largest.ratio,
        "rcof_10_90": middle,
        "least_normal_n": asked.least_normal,
    }


def slip_columns(
    stance: RecordedStance, motion: SoleMotion | str, config: SlipConfig, limits: SlipLimits
) -> dict[str, Any]:
    """Columns of slips: those of the longest."""
    nothing: dict[str, Any] = {
        "slip_class": "",
        "slip_onset_s": math.nan,
        "slip_onset_by": "",
        "slip_end_s": math.nan,
        "slip_distance_m": math.nan,
        "slip_peak_velocity_m_s": math.nan,
        "slip_direction": "",
        "slip_friction": math.nan,
        "slips": 0,
        "landing_skid_m": math.nan,
        "motion_from": motion if isinstance(motion, str) else "",
    }
    if isinstance(motion, str):
        return nothing
    found: FootSlips = find_slips(stance.time, stance.force, motion, config, stance.series.force_noise)
    known = nothing | {"landing_skid_m": found.skid, "motion_from": motion.source}
    if not found.slips:
        return known | {"slip_class": NONE, "slip_distance_m": 0.0}
    longest = max(found.slips, key=lambda slip: slip.distance)
    fastest = max(slip.peak_velocity for slip in found.slips)
    return known | {
        "slip_class": slip_class(longest.distance, fastest, limits),
        "slip_onset_s": longest.onset,
        "slip_onset_by": longest.onset_by,
        "slip_end_s": longest.end,
        "slip_distance_m": longest.distance,
        "slip_peak_velocity_m_s": fastest,
        "slip_direction": "forward" if longest.forward else "backward",
        "slip_friction": longest.ratio,
        "slips": len(found.slips),
    }

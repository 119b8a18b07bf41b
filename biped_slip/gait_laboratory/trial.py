# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One recording as steps: required friction and slips of each stance."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.compile.arrays import Columns
from biped_slip.config import Configuration, configuration, section
from biped_slip.gait_laboratory.activity import (
    RUNNING,
    exclusion,
    stance_activity,
    walking_speed,
)
from biped_slip.gait_laboratory.events import Agreement, agreements
from biped_slip.gait_laboratory.friction_definitions import (
    Admission,
    friction_by_definition,
)
from biped_slip.gait_laboratory.required_friction import (
    CURVE_POINTS,
    NAMES,
    RequiredFriction,
    RequiredFrictionConfig,
    normalised,
    required_friction,
)
from biped_slip.gait_laboratory.slips import GaitSlipConfig, find_slips
from biped_slip.gait_laboratory.sole_motion import (
    StandingMotion,
    belt_speeds,
    foot_motion,
    without_belts,
)
from biped_slip.gait_laboratory.step import (
    COLUMNS,
    GRAVITY,
    INSOLES,
    NONE,
    PERSON,
    ROBOT,
    SlipLimits,
    Step,
    TrialInfo,
    slip_class,
)
from biped_slip.recordings.gait import Overrides, Recording
from biped_slip.recordings.judge.force_ratio import (
    only_at_least,
    rate_notes,
    stance_forces,
)
from biped_slip.recordings.judge.recording import JudgedStance, Judgement, judge
from biped_slip.recordings.judge.slip import Slip
from biped_slip.recordings.judge.verdict import Verdict, consistent
from biped_slip.recordings.judge.weight import BodyWeight
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.plausibility import Found, doubts
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.series import FloatArray, TimeSeries

UNJUDGED = "the step isn't judged"


class TrialWalk(NamedTuple):
    """Quantities that all steps of a trial share."""

    info: TrialInfo
    processing: Processing  # how the recording's slips are judged
    weight: BodyWeight
    speed: float  # [m/s]


def stance_columns(walk: TrialWalk, stance: JudgedStance) -> dict[str, Any]:
    """Fill the columns of a stance's foot, time, place and load."""
    shared = {
        name: getattr(walk.info, name)
        for name in ("trial", "person", "shoe", "floor", "condition", "subject")
    }
    return shared | {
        "subject_id": walk.info.person,
        "foot": stance.foot,
        "sensor": stance.sensor,
        "touchdown_s": float(stance.time[0]),
        "lift_off_s": float(stance.time[-1]),
        "stance_s": stance.duration,
        "weight_n": walk.weight.newtons,
        "weight_from": walk.weight.source,
        "speed_m_s": walk.speed,
        "peak_normal_bw": stance.peak / walk.weight.newtons,
    }


def friction_columns(
    found: RequiredFriction | None, stance: JudgedStance, info: TrialInfo, what: str
) -> dict[str, Any]:
    """Fill required friction, and the value that a chance of slipping compares."""
    if found is None:
        return {
            "rcof_from": "an insole measures no shear"
            if info.subject == INSOLES
            else UNJUDGED
        }
    early = found.acceptance
    late = found.push_off
    required = stance_forces(stance.force).required
    rcof, words = _compared(found, required, info, what)
    if only_at_least(stance.series):
        words = f"at least, by {1.0 / stance.series.step:.3g} samples a second: {words}"
    return {
        "required": required,
        "rcof": rcof,
        "rcof_from": words,
        "rcof_acceptance": early.ratio,
        "acceptance_percent": 100.0 * early.share,
        "acceptance_normal_n": early.normal,
        "acceptance_shear_n": early.shear,
        "rcof_acceptance_fore_aft": found.acceptance_fore_aft.ratio,
        "rcof_push_off": late.ratio,
        "push_off_percent": 100.0 * late.share,
        "push_off_normal_n": late.normal,
        "push_off_shear_n": late.shear,
        "rcof_push_off_fore_aft": found.push_off_fore_aft.ratio,
        "rcof_largest": found.largest.ratio,
        "least_normal_n": found.least_normal,
    }


def defined_columns(
    found: RequiredFriction | None, stance: JudgedStance, rule: RequiredFrictionConfig
) -> dict[str, float]:
    """Fill required friction by every definition in use, side by side."""
    if found is None:
        return {}
    admission = Admission(
        least_normal=found.least_normal,
        fraction=(rule.fraction_begin, rule.fraction_end),
        prominence=rule.prominence,
    )
    return friction_by_definition(stance.time, stance.force, admission)


def _compared(
    found: RequiredFriction, required: float, info: TrialInfo, what: str
) -> tuple[float, str]:
    """Choose the ratio that a chance of slipping compares, and name it."""
    if what == RUNNING:
        return math.nan, "running has no weight acceptance of a walk"
    if info.subject == ROBOT:
        return required, "required friction of a flat foot"
    if info.slope:
        return found.largest.ratio, "largest over the step on a ramp"
    if math.isnan(found.acceptance.ratio):
        return math.nan, "the ratio has no maximum at weight acceptance"
    return found.acceptance.ratio, "weight acceptance"


def slip_columns(
    walk: TrialWalk,
    stance: JudgedStance,
    motion: StandingMotion | str,
    settings: GaitSettings,
) -> dict[str, Any]:
    """Fill the slips of a stance by its longest.

    Where motion is unknown only the reason is filled in.

    A slide of markers against what the foot held is none, or where it is long enough to
    be noticed has no friction.
    """
    if isinstance(motion, str):
        return {"motion_from": motion}
    found = find_slips(
        stance.time, stance.force, motion, settings.slip, stance.series.force_noise
    )
    verdict = consistent(stance.borne(walk.processing), found.slips)
    columns = {
        "landing_skid_m": found.skid,
        "motion_from": motion.source,
        "held": verdict.held,
        "withheld": "; ".join(verdict.withheld),
    }
    slips = _counted_slips(found.slips, verdict, settings.classes)
    if not slips:
        return columns | {"slip_class": NONE, "slip_distance_m": 0.0}
    longest = max(slips, key=lambda slip: slip.distance)
    fastest = max(slip.peak_velocity for slip in slips)
    return columns | {
        "slip_class": slip_class(longest.distance, fastest, settings.classes),
        "slip_onset_s": longest.start,
        "slip_onset_by": longest.dated_by,
        "slip_end_s": longest.end,
        "slip_distance_m": longest.distance,
        "slip_peak_velocity_m_s": fastest,
        "slip_direction": "forward" if longest.forward else "backward",
        "slip_friction": math.nan if longest.mu is None else longest.mu,
        "slips": len(slips),
    }


def _counted_slips(
    slips: Sequence[Slip], verdict: Verdict, limits: SlipLimits
) -> list[Slip]:
    """List the slips that count: those that the verdict keeps, and noticeable ones.

    A noticeable slip that the verdict withholds loses its friction.
    """
    return [
        slip if kept else slip._replace(mu=None)
        for slip, kept in zip(slips, verdict.kept, strict=True)
        if kept or slip.distance >= limits.noticed
    ]


LEAST_SAMPLES = 8  # of a stance


@configuration
class GaitSettings(Configuration):
    """All rules of the gait laboratory."""

    required: RequiredFrictionConfig = section(RequiredFrictionConfig)
    slip: GaitSlipConfig = section(GaitSlipConfig)
    classes: SlipLimits = section(SlipLimits)


class JudgedStep(NamedTuple):
    """Step with its normalised curves."""

    step: Step
    # shape (4, 101), see ``curves.normalised``; NaN where the step isn't judged
    curves: FloatArray


@dataclasses.dataclass(frozen=True, repr=False)
class TrialSteps(Columns):
    """All steps of a recording, one row a step.

    Columns are as in ``steps.csv``: ``found["rcof"]``, ``to_pandas()``.

    Attributes:
        stances: steps with their curves over the stance, shape (4, 101).
        agreement: with the events that the file names.
        notes: what was read and done, doubts last.
        doubts: of the forces, in words.
    """

    stances: tuple[JudgedStep, ...]
    agreement: tuple[Agreement, ...]
    notes: tuple[str, ...]
    doubts: tuple[str, ...] = ()

    names = tuple(COLUMNS)

    def column(self, name: str) -> Any:
        """Return a column, shape (steps,).

        Args:
            name: one of ``names``.
        """
        return np.array([getattr(step, name) for step in self.steps])

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps, the rows of the table."""
        return tuple(stance.step for stance in self.stances)


def judged_trial(recording: Recording, info: TrialInfo) -> Judgement:
    """Judge a recording with what the study's table knows of the trial."""
    level_and_plumb = info.slope and info.axes == GRAVITY
    return judge(
        recording,
        slope=info.slope if level_and_plumb else 0.0,
        masses=[(info.mass, "the mass in the study's table")],
    )


def analyse(
    recording: Recording,
    info: TrialInfo,
    settings: GaitSettings,
    before: int = 0,
    weight: BodyWeight | None = None,
) -> TrialSteps:
    """Analyse every stance of a recording as a step.

    They come in the order of touchdowns, numbered from ``before``. The weight is that
    of this recording unless it is known.
    """
    judgement = judged_trial(recording, info)
    stances = judgement.stances
    walk = TrialWalk(
        info=info,
        processing=recording.processing,
        weight=weight or judgement.weight,
        speed=walking_speed(recording, stances),
    )
    activities = [
        stance_activity(one, stances, info, walk.weight.newtons) for one in stances
    ]
    reasons = [
        exclusion(one, what, info.subject)
        for one, what in zip(stances, activities, strict=True)
    ]
    moved = [
        UNJUDGED
        if reason or len(one.time) < LEAST_SAMPLES
        else foot_motion(recording, one)
        for one, reason in zip(stances, reasons, strict=True)
    ]
    motions = without_belts(moved)
    belts = belt_speeds(moved, stances)
    if np.isfinite(belts).any():  # who walks on a belt goes nowhere on the floor
        walk = walk._replace(speed=float(np.nanmedian(belts)))
    judged = []
    for number, stance in enumerate(stances):
        required = _required(
            stance, activities[number], reasons[number], walk, settings
        )
        columns = stance_columns(walk, stance)
        columns |= friction_columns(required, stance, info, activities[number])
        columns |= defined_columns(required, stance, settings.required)
        columns |= slip_columns(walk, stance, motions[number], settings)
        step = Step(
            **columns,
            step=before + number + 1,
            belt_m_s=belts[number],
            activity=activities[number],
            excluded=reasons[number],
        )
        curves = _curves(stance, required, reasons[number], walk)
        judged.append(JudgedStep(step, curves))
    return TrialSteps(
        stances=tuple(judged),
        agreement=tuple(agreements(stances, recording)),
        **_trial_words(recording, walk, judgement, judged),
    )


def _trial_words(
    recording: Recording,
    walk: TrialWalk,
    judgement: Judgement,
    judged: Sequence[JudgedStep],
) -> dict[str, tuple[str, ...]]:
    """Collect what was read and done, and what is doubted."""
    notes = dict.fromkeys(
        note for series in recording.series for note in series.provenance[1:]
    )
    notes |= dict.fromkeys(judgement.notes)
    if walk.info.subject != INSOLES:
        notes |= dict.fromkeys(rate_notes(recording.series))
    found = [
        Found(stance.peak, one.step.required, one.step.held)
        for stance, one in zip(judgement.stances, judged, strict=True)
    ]
    person = walk.info.subject == PERSON
    doubted = tuple(doubts(found, walk.weight.newtons, person))
    return {"notes": tuple(notes | dict.fromkeys(doubted)), "doubts": doubted}


def _required(
    stance: JudgedStance,
    what: str,
    reason: str,
    walk: TrialWalk,
    settings: GaitSettings,
) -> RequiredFriction | None:
    """Compute the required friction of a step; None where it is not judged.

    A runner's steps have one, too, though no weight acceptance of a walk.
    """
    if walk.info.subject == INSOLES:
        return None
    usable = not reason and len(stance.time) >= LEAST_SAMPLES
    runs = what == RUNNING and not stance.refusal
    if not usable and not (runs and bool(np.isfinite(stance.force).all())):
        return None
    return required_friction(stance.time, stance.force, settings.required)


def _curves(
    stance: JudgedStance,
    required: RequiredFriction | None,
    reason: str,
    walk: TrialWalk,
) -> FloatArray:
    """Normalise the curves of a step, shape (4, 101); NaN where it is not judged."""
    if required is not None:
        least = required.least_normal
    elif walk.info.subject == INSOLES and not reason:
        least = math.inf  # no shear, no ratio
    else:
        return np.full((len(NAMES), CURVE_POINTS), math.nan)
    return normalised(stance.time, stance.force, walk.weight.newtons, least)


def trial_recordings(
    path: str | Path,
    config: str | Path | None,
    overrides: Overrides,
    kind: str = "",
) -> Iterator[Recording]:
    """Yield a file as one recording, a bag as one for each stretch of all its feet.

    This bounds memory. ``kind`` is the format's name, where the file does not show it.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    kind = kind or recording_format(path)
    if kind != "bag":
        yield read_recording(path, config, overrides, kind=kind)
        return
    # the estimators' settings that a bag's layout may state take long to load
    from biped_slip.recordings.bag_feet import Survey, bag_pieces, recognised_layout
    from biped_slip.recordings.bag_source import sample_source
    from biped_slip.recordings.bags import Bag
    from biped_slip.recordings.foot_settings import levels_of

    bag = Bag(path)
    layout = recognised_layout(bag, config)
    source = sample_source(bag, layout)
    settings = Survey(source).settings(source, layout.processing)
    levels = [levels_of(one) for one in settings]
    stretch: dict[int, TimeSeries] = {}

    def recording() -> Recording:
        return Recording(
            path=str(path),
            series=tuple(stretch.values()),
            processing=layout.processing,
            levels=tuple(levels[foot] for foot in stretch),
        )

    for foot, series in bag_pieces(source, levels, layout.processing):
        if foot in stretch:
            yield recording()
            stretch = {}
        stretch[foot] = series
    if stretch:
        yield recording()


def analyse_file(
    path: str | Path,
    config: str | Path | None,
    overrides: Overrides,
    info: TrialInfo,
    settings: GaitSettings,
    kind: str = "",
) -> TrialSteps:
    """Analyse all steps of a file.

    ``kind`` is the format's name, where the file does not show it.
    """
    stances: list[JudgedStep] = []
    agreement: list[Agreement] = []
    notes: dict[str, None] = {}
    doubted: dict[str, None] = {}
    weight = None
    for recording in trial_recordings(path, config, overrides, kind):
        # one subject, one weight: that of the first stretch of a long bag
        weight = weight or judged_trial(recording, info).weight
        found = analyse(recording, info, settings, len(stances), weight)
        stances += found.stances
        agreement += found.agreement
        notes |= dict.fromkeys(found.notes)
        doubted |= dict.fromkeys(found.doubts)
    return TrialSteps(
        stances=tuple(stances),
        agreement=tuple(agreement),
        notes=tuple(notes),
        doubts=tuple(doubted),
    )

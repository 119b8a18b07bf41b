# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One recording as steps: required friction and slips of each stance."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Columns
from biped_slip.config import Configuration, configuration, section
from biped_slip.errors import BipedSlipError
from biped_slip.gait_laboratory.required_friction import (
    NAMES,
    POINTS,
    RequiredFriction,
    RequiredFrictionConfig,
    normalised,
    required_friction,
)
from biped_slip.gait_laboratory.slips import SlipConfig, SoleMotion, find_slips
from biped_slip.gait_laboratory.stances import (
    RUNNING,
    STANDING,
    WALKING,
    Agreement,
    RecordedStance,
    activity,
    agreements,
    exclusion,
    foot_motion,
    recorded_stances,
    walking_speed,
    weight_of,
    without_belts,
)
from biped_slip.gait_laboratory.step import (
    COLUMNS,
    INSOLES,
    NONE,
    PERSON,
    ROBOT,
    SlipLimits,
    Step,
    TrialInfo,
    slip_class,
)
from biped_slip.recordings.contacts import (
    BY_MARKERS,
    BY_MOTION,
    Borne,
    SlipEvent,
    consistent,
    only_at_least,
    rate_notes,
    stance_forces,
    usual_load,
)
from biped_slip.recordings.gait import Overrides, Recording
from biped_slip.recordings.registry import read_recording, recording_format
from biped_slip.recordings.series import FloatArray, TimeSeries

UNJUDGED = "the step isn't judged"


class Walk(NamedTuple):
    """Quantities that all steps of a trial share."""

    info: TrialInfo
    weight: float  # [N]
    weight_from: str
    speed: float  # [m/s]


def stance_columns(walk: Walk, stance: RecordedStance) -> dict[str, Any]:
    """Fill the columns of a stance's foot, time, place and load."""
    shared = {
        name: getattr(walk.info, name)
        for name in ("trial", "person", "shoe", "floor", "condition", "subject")
    }
    return shared | {
        "foot": stance.foot,
        "sensor": stance.sensor,
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
    """Fill required friction, and the value that a chance of slipping compares."""
    if asked is None:
        return {
            "rcof_from": "an insole measures no shear"
            if info.subject == INSOLES
            else UNJUDGED
        }
    early = asked.acceptance
    late = asked.push_off
    required = stance_forces(stance.force).required
    rcof = early.ratio
    words = "weight acceptance"
    if what == RUNNING:
        rcof = math.nan
        words = "running has no weight acceptance of a walk"
    elif info.subject == ROBOT:
        rcof = required
        words = "required friction of a flat foot"
    elif info.slope:
        rcof = asked.largest.ratio
        words = "largest over the step on a ramp"
    elif math.isnan(rcof):
        words = "the ratio has no maximum at weight acceptance"
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
        "rcof_acceptance_fore_aft": asked.acceptance_fore_aft.ratio,
        "rcof_push_off": late.ratio,
        "push_off_percent": 100.0 * late.share,
        "push_off_normal_n": late.normal,
        "push_off_shear_n": late.shear,
        "rcof_push_off_fore_aft": asked.push_off_fore_aft.ratio,
        "rcof_largest": asked.largest.ratio,
        "least_normal_n": asked.least_normal,
    }


def slip_columns(
    stance: RecordedStance,
    motion: SoleMotion | str,
    config: SlipConfig,
    limits: SlipLimits,
) -> dict[str, Any]:
    """Fill the slips of a stance by its longest.

    Where motion is unknown, only the reason is filled in.

    A slide of markers against what the foot held is none, or where it is long enough to
    be noticed has no friction.
    """
    if isinstance(motion, str):
        return {"motion_from": motion}
    found = find_slips(
        stance.time, stance.force, motion, config, stance.series.force_noise
    )
    source = BY_MARKERS if motion.source == "markers" else BY_MOTION
    series = stance.series
    settle = config.settle_time if source == BY_MARKERS else 0.0
    borne = Borne(
        time=stance.time,
        force=stance.force,
        load=usual_load(series.force[:, 2]),
        noise=series.force_noise,
        settle=settle,
    )
    verdict = consistent(
        borne,
        [SlipEvent(slip.onset, slip.end, slip.ratio, source) for slip in found.slips],
    )
    slips = [
        slip if kept else slip._replace(ratio=math.nan)
        for slip, kept in zip(found.slips, verdict.kept, strict=True)
        if kept or slip.distance >= limits.noticed
    ]
    known = {
        "landing_skid_m": found.skid,
        "motion_from": motion.source,
        "held": verdict.held,
    }
    known |= {"withheld": "; ".join(verdict.withheld)}
    if not slips:
        return known | {"slip_class": NONE, "slip_distance_m": 0.0}
    longest = max(slips, key=lambda slip: slip.distance)
    fastest = max(slip.peak_velocity for slip in slips)
    return known | {
        "slip_class": slip_class(longest.distance, fastest, limits),
        "slip_onset_s": longest.onset,
        "slip_onset_by": longest.onset_by,
        "slip_end_s": longest.end,
        "slip_distance_m": longest.distance,
        "slip_peak_velocity_m_s": fastest,
        "slip_direction": "forward" if longest.forward else "backward",
        "slip_friction": longest.ratio,
        "slips": len(slips),
    }


LEAST_SAMPLES = 8  # of a stance


@configuration
class GaitSettings(Configuration):
    """All rules of the gait laboratory."""

    required: RequiredFrictionConfig = section(RequiredFrictionConfig)
    slip: SlipConfig = section(SlipConfig)
    classes: SlipLimits = section(SlipLimits)


class JudgedStance(NamedTuple):
    """Step with its normalised curves."""

    step: Step
    # shape (4, 101), see ``curves.normalised``; NaN where the step isn't judged
    curves: FloatArray


@dataclasses.dataclass(frozen=True, repr=False)
class TrialSteps(Columns):
    """All steps of a recording, one row a step.

    Columns are as in ``steps.csv``: ``found["rcof"]``, ``to_pandas()``.
    """

    stances: tuple[JudgedStance, ...]
    agreement: tuple[Agreement, ...]  # with the events that the file names
    notes: tuple[str, ...]  # what was read and done

    names = tuple(COLUMNS)

    def column(self, name: str) -> Any:
        """Return one of ``names``, shape (steps,)."""
        return np.array([getattr(step, name) for step in self.steps])

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the steps, the rows of the table."""
        return tuple(stance.step for stance in self.stances)


def analyse(
    recording: Recording, info: TrialInfo, settings: GaitSettings, before: int = 0
) -> TrialSteps:
    """Analyse every stance of a recording as a step.

    Steps are in the order of touchdowns, numbered from ``before``.
    """
    found = recorded_stances(recording, info)
    weight, weight_from = weight_of(recording, found, info)
    walk = Walk(info, weight, weight_from, walking_speed(recording, found))
    activities = [_activity(stance, walk) for stance in found]
    axes = "z" if info.subject == INSOLES else "xyz"
    reasons = [
        exclusion(stance, found, what, axes)
        for stance, what in zip(found, activities, strict=True)
    ]
    usable = [
        not reason and len(one.time) >= LEAST_SAMPLES
        for one, reason in zip(found, reasons, strict=True)
    ]
    motions = without_belts(
        [
            foot_motion(recording, one) if good else UNJUDGED
            for one, good in zip(found, usable, strict=True)
        ]
    )
    judged = []
    for number, (stance, what, reason) in enumerate(
        zip(found, activities, reasons, strict=True)
    ):
        asked = None
        whole = bool(np.isfinite(stance.force).all())
        if info.subject != INSOLES and (usable[number] or (what == RUNNING and whole)):
            asked = required_friction(stance.time, stance.force, settings.required)
        columns = stance_columns(walk, stance) | friction_columns(
            asked, stance, info, what
        )
        columns |= slip_columns(
            stance, motions[number], settings.slip, settings.classes
        )
        step = Step(**columns, step=before + number + 1, activity=what, excluded=reason)
        curves = np.full((len(NAMES), POINTS), math.nan)
        if asked is not None or (info.subject == INSOLES and not reason):
            least = math.inf if asked is None else asked.least_normal
            curves = normalised(stance.time, stance.force, weight, least)
        judged.append(JudgedStance(step, curves))
    notes = dict.fromkeys(
        note for series in recording.series for note in series.provenance[1:]
    )
    notes |= dict.fromkeys(
        rate_notes(recording.series) if info.subject != INSOLES else ()
    )
    return TrialSteps(tuple(judged), tuple(agreements(found, recording)), tuple(notes))


def _activity(stance: RecordedStance, walk: Walk) -> str:
    if walk.info.subject == PERSON:
        return activity(
            stance.duration,
            stance.begins,
            stance.ends,
            stance.duty,
            stance.peak / walk.weight,
        )
    return WALKING if stance.begins or stance.ends else STANDING


def trial_recordings(
    path: str | Path, config: str | Path | None, overrides: Overrides
) -> Iterator[Recording]:
    """Yield a file as one recording, a bag as one for each stretch of all its feet.

    This bounds memory.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    if recording_format(path) != "bag":
        yield read_recording(path, config, overrides)
        return
    from biped_slip.recordings.bag_feet import Survey, bag_layout, bag_pieces
    from biped_slip.recordings.bags import Bag
    from biped_slip.recordings.replay import sample_source

    bag = Bag(path)
    layout = bag_layout(bag, config)
    source = sample_source(bag, layout)
    settings = Survey(source).settings(source, layout.processing)
    stretch: dict[int, TimeSeries] = {}
    for foot, series in bag_pieces(source, [one.slip.contact_off for one in settings]):
        if foot in stretch:
            yield Recording(str(path), tuple(stretch.values()), layout.processing)
            stretch = {}
        stretch[foot] = series
    if stretch:
        yield Recording(str(path), tuple(stretch.values()), layout.processing)


def analyse_file(
    path: str | Path,
    config: str | Path | None,
    overrides: Overrides,
    info: TrialInfo,
    settings: GaitSettings,
) -> TrialSteps:
    """Analyse all steps of a file."""
    stances: list[JudgedStance] = []
    agreement: list[Agreement] = []
    notes: dict[str, None] = {}
    for recording in trial_recordings(path, config, overrides):
        found = analyse(recording, info, settings, len(stances))
        stances += found.stances
        agreement += found.agreement
        notes |= dict.fromkeys(found.notes)
    return TrialSteps(tuple(stances), tuple(agreement), tuple(notes))


# Forces of a trial as an OpenSim force file.

FEET = ("right", "left")
TO_OPENSIM = np.array(
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]
)  # x forward, y up, z right


def write_opensim_forces(
    path: str | Path, recording: Recording, info: TrialInfo
) -> int:
    """Write forces as OpenSim takes them; return the number of stances.

    They are zeroed, in the walk's axes, foot by foot.

    Columns are ``ground_force_r_vx`` … ``ground_torque_l_z``: force [N], point [m], and
    the free moment about the vertical [N m]. A foot that stands on two plates at once
    is their sum, at the point of the larger force.

    Raises:
        BipedSlipError: no stance of a known foot.
    """
    stances = [
        one
        for one in recorded_stances(recording, info)
        if one.foot in FEET and not one.standing.refusal
    ]
    if not stances:
        raise BipedSlipError(f"{recording.path}: no stance of a foot that is known")
    stamps = recording.series[0].stamp_ns
    time = np.asarray(stamps * 1e-9, dtype=float)
    feet = [
        _opensim_foot(time, [one for one in stances if one.foot == foot])
        for foot in FEET
    ]
    kinds = [
        kind.format(foot[0])
        for foot in FEET
        for kind in ("force_{}_v", "force_{}_p", "torque_{}_")
    ]
    names = ["time", *(f"ground_{kind}{axis}" for kind in kinds for axis in "xyz")]
    table = np.column_stack([time, *feet])
    head = [
        Path(path).stem,
        "version=1",
        f"nRows={len(table)}",
        f"nColumns={len(names)}",
        "inDegrees=no",
        "endheader",
    ]
    np.savetxt(
        path,
        table,
        fmt="%.6g",
        delimiter="\t",
        header="\n".join([*head, "\t".join(names)]),
        comments="",
    )
    return len(stances)


def _opensim_foot(time: FloatArray, stances: list[RecordedStance]) -> FloatArray:
    """Compute force, point and torque of one foot in OpenSim's axes, shape (n, 9)."""
    force, point, torque, largest = (np.zeros((len(time), k)) for k in (3, 3, 3, 1))
    for one in stances:
        on = (time >= one.time[0]) & (time <= one.time[-1])
        own = np.column_stack(
            [
                np.interp(time[on], one.time, np.nan_to_num(one.force[:, k]))
                for k in range(3)
            ]
        )
        centre, twist = _point_and_twist(one)
        larger = own[:, 2] > largest[on, 0]
        for target, values in ((point, centre), (torque, twist)):
            here = np.column_stack(
                [np.interp(time[on], one.time, values[:, k]) for k in range(3)]
            )
            target[on] = np.where(larger[:, None], here, target[on])
        force[on] += own
        largest[on, 0] = np.maximum(largest[on, 0], own[:, 2])
    return np.hstack([values @ TO_OPENSIM.T for values in (force, point, torque)])


def _point_and_twist(one: RecordedStance) -> tuple[FloatArray, FloatArray]:
    """Compute point of application and free moment, shape (n, 3) each.

    They are zero where no plate shows them.
    """
    level = np.nan_to_num(one.pressure)
    point = np.column_stack([level, np.zeros(len(level))])
    twist = np.zeros((len(level), 3))
    if len(one.series.outline) == 4:
        centre = one.series.outline.mean(axis=0)
        point[:, 2] = centre[2]
        arm = level - centre[:2]
        moment = one.series.moment[slice(*one.standing.stance), 2]
        twist[:, 2] = np.nan_to_num(
            moment - (arm[:, 0] * one.force[:, 1] - arm[:, 1] * one.force[:, 0])
        )
    return point, twist

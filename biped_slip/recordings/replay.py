# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Replay of a recording through a friction estimator, with a result per contact.

The judge says which stances there are and what spoils them, the estimator what it makes
of every sample, the slip detector where the foot slid; the verdict on a contact is what
is left of all three when none contradicts another.
"""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.kernel import kernel
from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.friction_estimation.former import class_name
from biped_slip.friction_estimation.interval_or_slip import IntervalOrSlipEstimator
from biped_slip.friction_estimation.registry import DEFAULT, make_estimator
from biped_slip.friction_estimation.settings import EstimatorSettings
from biped_slip.friction_estimation.slip_based import SlipBasedEstimator
from biped_slip.friction_estimation.types import (
    NO_CONTEXT,
    EstimatorStep,
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
    write_estimate,
)
from biped_slip.recordings.answer import Answer, Reached, Replay

# where ``summary`` was before
from biped_slip.recordings.answer import summary as summary
from biped_slip.recordings.bag_feet import (
    Survey,
    answered_pieces,
    recognised_layout,
)
from biped_slip.recordings.bag_source import robot_standings, sample_source
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.contact import Contact, known
from biped_slip.recordings.foot_settings import (
    levels_of,
    of_the_patch,
    series_settings,
)
from biped_slip.recordings.gait import Overrides, Recording
from biped_slip.recordings.judge.force_ratio import (
    StanceForces,
    only_at_least,
    rate_notes,
    stance_forces,
    too_slow,
)
from biped_slip.recordings.judge.recording import JudgedStance, judge, weigh
from biped_slip.recordings.judge.slip import Slip
from biped_slip.recordings.judge.verdict import Claim, Verdict, consistent
from biped_slip.recordings.judge.weight import BodyWeight
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.one_floor import compared
from biped_slip.recordings.plausibility import Found, doubts
from biped_slip.recordings.registry import BAG, read_recording, recording_format
from biped_slip.recordings.series import FloatArray, Progress, TimeSeries
from biped_slip.recordings.slides import find_slips

FIELDS = FrictionEstimate._fields
# samples; below, compiling the loop of a large estimator takes longer than its steps
WORTH_COMPILING = 50_000


def estimates(
    estimator: FrictionEstimator[Any],
    series: TimeSeries,
    reached: Reached | None = None,
) -> tuple[FloatArray, Reached]:
    """Compute every estimate, shape (n, fields), and the final state.

    Columns are ``FrictionEstimate._fields``.

    An estimator whose step is a kernel runs compiled where it pays; the answers are the
    same bit for bit. A series in pieces gives the same answers when each piece begins
    where the one before has ``reached``.
    """
    table = series.table()
    stamps = series.stamp_ns
    answers = np.empty((len(stamps), len(FIELDS)))
    state = estimator.initial_state() if reached is None else reached.state
    before = np.concatenate(
        [[stamps[0] if reached is None else reached.stamp_ns], stamps[:-1]]
    )
    dt = (stamps - before) * 1e-9
    long = reached is not None or len(stamps) >= WORTH_COMPILING
    if isinstance(estimator, SlipBasedEstimator) or (
        isinstance(estimator, IntervalOrSlipEstimator) and long
    ):
        state = loop_over(estimator.kernel)(
            state, table, stamps, dt, answers, estimator.settings
        )
        return answers, Reached(state, int(stamps[-1]))
    for index in range(len(stamps)):
        values = (int(stamps[index]), *map(float, table[index]))
        measurement = FootMeasurement._make(values)
        try:
            state, answer = estimator.step(state, measurement, float(dt[index]))
            answers[index] = tuple(answer)
        except BipedSlipError:
            raise
        except Exception as error:  # of a user's estimator
            name = class_name(estimator)
            what = f"{type(error).__name__}: {error} (sample {index})"
            raise InvalidParameter(
                "estimator", name, "one that answers every sample", what
            ) from error
    return answers, Reached(state, int(stamps[-1]))


#: (state, table, stamps, dt, answers, settings) -> state; fills ``answers``
Loop = Callable[[Any, FloatArray, NDArray[np.int64], FloatArray, FloatArray, Any], Any]


def loop_over(estimator_step: EstimatorStep) -> Loop:
    """Step through all samples in one call, which lets other threads run."""

    @kernel(nogil=True)
    def loop(
        state: Any,
        table: FloatArray,
        stamps: NDArray[np.int64],
        dt: FloatArray,
        answers: FloatArray,
        config: Any,
    ) -> Any:
        for i in range(len(stamps)):
            row = table[i]
            measurement = FootMeasurement(
                stamp_ns=stamps[i],
                force_x=row[0],
                force_y=row[1],
                force_normal=row[2],
                displacement_x=row[3],
                displacement_y=row[4],
                velocity_x=row[5],
                velocity_y=row[6],
                moment_normal=row[7],
                centre_of_pressure_x=row[8],
                centre_of_pressure_y=row[9],
                angular_rate=row[10],
            )
            state, answer = estimator_step(
                state, config, measurement, dt[i], NO_CONTEXT
            )
            write_estimate(answers[i], answer)
        return state

    return loop


def replay(
    series: TimeSeries,
    processing: Processing,
    estimator: str = "interval",
    settings: EstimatorSettings | None = None,
    reached: Reached | None = None,
    stances: Sequence[JudgedStance] | None = None,
    answers: FloatArray | None = None,
) -> Replay:
    """Run an estimator over a series, find its slips and summarise each contact.

    Args:
        series: a whole recording of a foot, or a piece of it.
        processing: how slips are judged.
        estimator: a key of ``ESTIMATORS``.
        settings: of the estimators; None derives them from this series.
        reached: where the piece before has ended.
        stances: as the recording was judged as a whole; None judges this series alone.
        answers: of the robot itself to every sample (n, fields); None asks the
            estimator.

    Returns:
        The series with every estimate, shape (n, 12), and one ``Contact`` a stance.

    Raises:
        UnknownName: no such estimator.
    """
    settings = series_settings(series, processing) if settings is None else settings
    if stances is None:
        alone = Recording(
            path=series.name,
            series=(series,),
            processing=processing,
            levels=(levels_of(settings),),
        )
        stances = judge(alone).stances
    if answers is None:
        answers, reached = estimates(
            make_estimator(estimator, settings), of_the_patch(series), reached
        )
    else:
        reached = Reached(None, int(series.stamp_ns[-1]))
    slips = find_slips(series, settings.slip)
    return Replay(
        series=series,
        estimator=estimator,
        answers=answers,
        contacts=tuple(_contact(one, processing, answers, slips) for one in stances),
        reached=reached,
    )


def side_by_side(tasks: Sequence[Callable[[], Replay]]) -> tuple[Replay, ...]:
    """Replay different feet in parallel threads."""
    with ThreadPoolExecutor(max_workers=max(len(tasks), 1)) as pool:
        return tuple(pool.map(lambda task: task(), tasks))


def _contact(
    stance: JudgedStance,
    processing: Processing,
    answers: FloatArray,
    slips: Sequence[Slip],
) -> Contact:
    """Summarise one stance; of a spoiled one times and peak forces are stated."""
    series = stance.series
    first, last = stance.standing.stance
    begin = float(stance.time[0])
    end = float(stance.time[-1])
    forces = stance_forces(stance.force)
    ratio = series.ratio[first:last]
    verdict = Verdict()
    usable_from = None
    if too_slow(series):
        forces = StanceForces(forces.peak_normal)
        ratio = ratio[:0]
    elif stance.refusal:
        forces = StanceForces(forces.peak_normal, forces.peak_tangential)
    else:
        answer = answers[first:last]
        usable = np.flatnonzero(answer[:, FIELDS.index("usable")] > 0.0)
        inside = [
            slip._replace(end=min(slip.end, end))
            for slip in slips
            if begin <= slip.start <= end
        ]
        verdict = consistent(stance.borne(processing), inside, _claimed(answer, usable))
        if math.isfinite(verdict.claim.mu) and len(usable):
            usable_from = float(stance.time[usable[0]])
    return Contact(
        standing=stance.standing,
        foot=stance.foot,
        sensor=stance.sensor,
        start=begin,
        end=end,
        forces=forces,
        undersampled=only_at_least(series),
        peak_ratio=known(np.nanmax(ratio) if np.isfinite(ratio).any() else math.nan),
        mu_median=known(verdict.claim.mu),
        mu_low=known(verdict.claim.low),
        mu_high=known(verdict.claim.high),
        held=known(verdict.held),
        cut_off=stance.cut_off,
        withheld=verdict.withheld,
        usable_from=usable_from,
        slips=verdict.slips,
    )


def _claimed(answer: FloatArray, usable: NDArray[np.int64]) -> Claim:
    """Return the last claim of an estimator.

    It is an interval with its median, the friction of slides, or a value.
    """
    if not len(usable):
        return Claim()
    value = dict(zip(FIELDS, answer[usable[-1]], strict=True))
    if math.isfinite(value["mu_median"]):
        return Claim(value["mu_median"], value["mu_low"], value["mu_high"])
    points = answer[usable, FIELDS.index("mu")]
    slides = bool((answer[usable, FIELDS.index("slipping")] > 0.0).any())
    points = points[np.isfinite(points)]
    return Claim(
        float(np.median(points)) if len(points) else math.nan, of_slides=slides
    )


def answer(recording: Recording, estimator: str) -> Answer:
    """Replay every foot of a recording through one estimator."""
    judgement = judge(recording)
    feet = compared(
        side_by_side(
            [
                partial(
                    replay,
                    series,
                    recording.processing,
                    estimator,
                    stances=judgement.of(series),
                )
                for series in recording.series
            ]
        )
    )
    notes = dict.fromkeys(
        note for series in recording.series for note in series.provenance[1:]
    )
    notes |= dict.fromkeys((*judgement.notes, *rate_notes(recording.series)))
    contacts = [contact for foot in feet for contact in foot.contacts]
    return from_replays(
        recording.path, estimator, feet, contacts, tuple(notes), judgement.weight
    )


def from_replays(
    path: str,
    estimator: str,
    feet: tuple[Replay, ...],
    contacts: Sequence[Contact],
    notes: tuple[str, ...],
    weight: BodyWeight,
) -> Answer:
    """Build the answer from replays, its contacts in the order of time.

    Args:
        path: of the recording.
        estimator: that was run.
        feet: to draw; of a long bag only its first piece.
        contacts: of all feet and pieces.
        notes: what was read and done.
        weight: of the subject.
    """
    found = [
        Found(one.forces.peak_normal, one.forces.required, one.held) for one in contacts
    ]
    on_plates = any(foot.series.standings is not None for foot in feet)
    notes = (*notes, *doubts(found, weight.newtons, on_plates))
    return Answer(
        path=path,
        estimator=estimator,
        feet=feet,
        contacts=tuple(sorted(contacts, key=lambda contact: contact.start)),
        weight=weight.newtons,
        weight_note=weight.source,
        notes=notes,
    )


def answer_bag(
    path: str | Path,
    config: str | Path | None,
    estimator: str,
    progress: Progress | None = None,
    robot: str = "",
) -> Answer:
    """Replay the feet of a bag in two passes, in bounded memory.

    One pass is for the load and one for the estimates.

    Without a config every WrenchStamped is a foot; of a robot, its own feet by the
    efforts of its joints.
    """
    bag = Bag(path)
    layout = recognised_layout(bag, config, robot)
    source = sample_source(bag, layout)
    survey = Survey(source, progress)
    settings = survey.settings(source, layout.processing)
    levels = [levels_of(one) for one in settings]
    first: dict[int, Replay] = {}
    drawn: list[JudgedStance] = []
    reached: dict[int, Reached] = {}
    contacts: list[Contact] = []
    judged: dict[str, None] = {}
    for foot, series, answers in answered_pieces(
        source, levels, layout.processing, progress, estimator
    ):
        standings = robot_standings(series, source, levels[foot])
        series = dataclasses.replace(series, standings=standings)
        piece = Recording(
            path=str(path),
            series=(series,),
            processing=layout.processing,
            levels=(levels[foot],),
        )
        judgement = judge(piece)
        stances = judgement.stances
        judged |= dict.fromkeys(judgement.notes)
        result = replay(
            series,
            layout.processing,
            estimator,
            settings[foot],
            reached.get(foot),
            stances,
            answers,
        )
        if foot not in first:
            first[foot] = result
            drawn += stances
        reached[foot] = result.reached
        contacts += result.contacts
    if not first:
        raise InvalidRecording(
            path, "holds fewer than two wrenches with increasing stamps"
        )
    own = () if layout.feet else layout.remarks  # a robot's source has none itself
    notes = [*own, *survey.notes(source), *judged]
    if len(drawn) < len(contacts):
        notes.append(
            f"pictures and weight show the first {len(drawn)} of {len(contacts)} "
            "contacts"
        )
    feet = tuple(first[foot] for foot in sorted(first))
    weight = weigh([foot.series for foot in feet], drawn, [])
    return from_replays(str(path), estimator, feet, contacts, tuple(notes), weight)


def replay_file(
    path: str | Path,
    config: str | Path | None = None,
    estimator: str = DEFAULT,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    kind: str = "",
    robot: str = "",
) -> Answer:
    """Replay a recording: estimate the friction of every foot and find slips.

    Each contact is summarised.

    Args:
        path: C3D, OpenSim, a table, a bag, or a format from outside.
        config: YAML that names the columns of a table or the topics of a bag.
        estimator: name, or ``FILE.py:NAME``.
        overrides: axes of plates that the user knows better.
        progress: called with the number of rows or messages read.
        kind: name of the format, where the file does not show it.
        robot: a humanoid whose bag it is, felt by joint states with efforts and one
            IMU: name of a shipped walk, or the .yaml file of a walk or a robot.

    Returns:
        One row a contact, in the order of time; of a long bag the first piece of each
        foot for pictures.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    kind = kind or recording_format(path)
    if kind == BAG:
        return answer_bag(path, config, estimator, progress, robot)
    if robot:
        raise InvalidParameter("robot", robot, "left out", f"{path} is no bag")
    return answer(read_recording(path, config, overrides, progress, kind), estimator)

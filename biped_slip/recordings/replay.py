# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Replay of a recording through a friction estimator, with a result per contact."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Columns
from biped_slip.compile.kernel import kernel
from biped_slip.config import renaming
from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording
from biped_slip.friction_estimation.registry import (
    DEFAULT,
    EstimatorSettings,
    make_estimator,
)
from biped_slip.friction_estimation.slip_based import (
    IntervalOrSlipEstimator,
    SlipBasedEstimator,
)
from biped_slip.friction_estimation.types import (
    FootMeasurement,
    FrictionEstimate,
    FrictionEstimator,
    write_estimate,
)
from biped_slip.recordings.bag_feet import (
    BagLayout,
    SampleSource,
    Survey,
    TopicSource,
    bag_layout,
    bag_pieces,
)
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.contacts import (
    Borne,
    Claim,
    Slip,
    SlipEvent,
    StanceForces,
    Verdict,
    body_weight,
    borne_by,
    consistent,
    find_slips,
    foot_settings,
    of_the_patch,
    only_at_least,
    rate_notes,
    slip_config,
    stance_forces,
    stances,
    too_slow,
    usual_load,
)
from biped_slip.recordings.gait import Overrides, Recording
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.registry import BAG, read_recording, recording_format
from biped_slip.recordings.series import FloatArray, Progress, Standing, TimeSeries

FIELDS = FrictionEstimate._fields
# samples; below, compiling the loop of a large estimator takes longer than its steps
WORTH_COMPILING = 50_000

#: (state, settings, measurement, dt) -> (state, estimate)
EstimatorStep = Callable[
    [Any, Any, FootMeasurement, float], tuple[Any, FrictionEstimate]
]


class Reached(NamedTuple):
    """State of an estimator after some samples."""

    state: Any
    stamp_ns: int  # of the last sample


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
        measurement = FootMeasurement(int(stamps[index]), *map(float, table[index]))
        try:
            state, answer = estimator.step(state, measurement, float(dt[index]))
            answers[index] = tuple(answer)
        except BipedSlipError:
            raise
        except Exception as error:  # of a user's estimator
            name = type(estimator).__name__
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
            state, answer = estimator_step(state, config, measurement, dt[i])
            write_estimate(answers[i], answer)
        return state

    return loop


# One foot, contact by contact.

RECORDED = (
    "foot sensor start end undersampled peak_ratio mu_median mu_low mu_high "
    "held cut_off withheld usable_from"
).split()


@dataclasses.dataclass(frozen=True)
class Contact:
    """Stance of one foot, times in the recording's own seconds.

    None stands where a quantity is unknown.
    """

    standing: Standing
    foot: str
    sensor: str  # the plate or force sensor
    start: float  # [s]
    end: float  # [s]
    forces: StanceForces
    # too few samples a second to show the largest ratio: required friction is at least
    # this
    undersampled: bool
    peak_ratio: float | None  # largest |tangential| / normal, edges included [-]
    mu_median: float | None  # [-]
    mu_low: float | None  # [-]
    mu_high: float | None  # [-]
    held: (
        float | None
    )  # largest ratio that lasted without slip, less noise: mu is at least that [-]
    # it begins before the recording or ends after it: its forces are not those of a
    # whole stance
    cut_off: bool
    # answers that what the foot bore in this contact contradicts, each with the reason
    withheld: tuple[str, ...]
    usable_from: (
        float | None
    )  # first time at which the estimator calls its answer usable [s]
    slips: tuple[SlipEvent, ...]

    @property
    def demand(self) -> StanceForces:
        """Return ``forces`` by its former name."""
        warnings.warn(renaming("Contact.demand", "forces"), FutureWarning, stacklevel=2)
        return self.forces


@dataclasses.dataclass(frozen=True)
class Replay:
    """Series with the estimates of every sample, and the result of each stance.

    The estimates have shape (n, fields).
    """

    series: TimeSeries
    estimator: str
    answers: FloatArray
    contacts: tuple[Contact, ...]
    reached: Reached  # for the next piece of the same recording


def replay(
    series: TimeSeries,
    processing: Processing,
    estimator: str = "interval",
    settings: EstimatorSettings | None = None,
    reached: Reached | None = None,
) -> Replay:
    """Run an estimator over a series, find its slips and summarise each contact.

    Args:
        series: a whole recording of a foot, or a piece of it.
        processing: how slips are judged.
        estimator: a key of ``ESTIMATORS``.
        settings: of the estimators; None derives them from this series.
        reached: where the piece before has ended.

    Returns:
        The series with every estimate, shape (n, 12), and one ``Contact`` a stance.

    Raises:
        UnknownName: no such estimator.
    """
    settings = series_settings(series, processing) if settings is None else settings
    answers, reached = estimates(
        make_estimator(estimator, settings), of_the_patch(series), reached
    )
    slips = find_slips(series, settings.slip)
    standings = series.standings
    if standings is None:
        standings = tuple(
            Standing(one, series.name)
            for one in stances(series.force[:, 2], settings.slip.contact_on)
        )
    if slow := too_slow(series):
        standings = tuple(
            one._replace(refusal=one.refusal or slow) for one in standings
        )
    ratio = series.ratio
    load = usual_load(series.force[:, 2])
    bearings = [
        borne_by(series, one.stance, processing, settings.slip.contact_off, load)
        for one in standings
    ]
    contacts = tuple(
        _contact(series, ratio, answers, slips, *both)
        for both in zip(standings, bearings, strict=True)
    )
    return Replay(
        series=series,
        estimator=estimator,
        answers=answers,
        contacts=contacts,
        reached=reached,
    )


def side_by_side(tasks: Sequence[Callable[[], Replay]]) -> tuple[Replay, ...]:
    """Replay different feet in parallel threads."""
    with ThreadPoolExecutor(max_workers=max(len(tasks), 1)) as pool:
        return tuple(pool.map(lambda task: task(), tasks))


def series_settings(series: TimeSeries, processing: Processing) -> EstimatorSettings:
    """Build the estimators' settings that follow from a series' load and noise."""
    slip = slip_config(series, processing)
    load = slip.contact_on / processing.contact_share
    return foot_settings(load, slip, series.motion, series.force_noise, series.planar)


def _contact(
    series: TimeSeries,
    ratios: FloatArray,
    answers: FloatArray,
    slips: list[Slip],
    standing: Standing,
    borne: Borne,
) -> Contact:
    first, last = standing.stance
    ratio = ratios[first:last]
    answer = answers[first:last]
    usable = np.flatnonzero(answer[:, FIELDS.index("usable")] > 0.0)
    inside = [slip for slip in slips if first <= slip.first < last]
    if standing.refusal:
        inside = []
        usable = usable[:0]
    events = [
        SlipEvent(
            seconds(series, one.first),
            seconds(series, min(one.last, last) - 1),
            known(one.mu),
            one.source,
        )
        for one in inside
    ]
    verdict = consistent(borne, events, _claimed(answer, usable))
    forces = stance_forces(borne.force)
    if too_slow(series):
        forces = StanceForces(forces.peak_normal)
        ratio = ratio[:0]
        verdict = Verdict()
    claim = verdict.claim
    return Contact(
        standing=standing,
        foot=standing.foot,
        sensor=series.name,
        start=seconds(series, first),
        end=seconds(series, last - 1),
        forces=forces,
        undersampled=only_at_least(series),
        peak_ratio=known(np.nanmax(ratio) if np.isfinite(ratio).any() else math.nan),
        mu_median=known(claim.mu),
        mu_low=known(claim.low),
        mu_high=known(claim.high),
        held=known(verdict.held),
        cut_off=borne.cut_off,
        withheld=verdict.withheld,
        usable_from=seconds(series, first + int(usable[0]))
        if math.isfinite(claim.mu) and len(usable)
        else None,
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


def seconds(series: TimeSeries, index: int) -> float:
    """Convert a sample's index to the recording's own time [s]."""
    return float(series.stamp_ns[index]) * 1e-9


def known(value: float) -> float | None:
    """Return a finite number, or None."""
    return float(value) if math.isfinite(value) else None


def contact_record(contact: Contact) -> dict[str, Any]:
    """Convert a contact for JSON; a slip is its start and end [s], mu and source."""
    record: dict[str, Any] = {name: getattr(contact, name) for name in RECORDED}
    record |= {name: known(value) for name, value in contact.forces._asdict().items()}
    record["refusal"] = contact.standing.refusal or None
    record["withheld"] = list(contact.withheld)
    record["slips"] = [slip._asdict() for slip in contact.slips]
    return record


def contact_row(path: str, contact: Contact) -> dict[str, Any]:
    """Convert a contact to a line of a table: the slips counted, texts joined."""
    record = contact_record(contact)
    slip_time = sum(slip.end - slip.start for slip in contact.slips)
    counted = {"file": path, "slip_count": len(contact.slips), "slip_time": slip_time}
    return (
        record
        | counted
        | {"withheld": "; ".join(contact.withheld), "refusal": record["refusal"] or ""}
    )


# The answer to a recording: every contact of every foot, the weight, and the summary
# over all steps.

CSV_COLUMNS = (
    "file foot sensor start end peak_normal peak_tangential peak_ratio undersampled "
    "required required_forward "
    "required_lateral mu_median mu_low mu_high held cut_off withheld usable_from "
    "slip_count slip_time refusal"
).split()


@dataclasses.dataclass(frozen=True, repr=False)
class Answer(Columns):
    """Result of one recording: every contact, the body weight, and the replays to draw.

    One row a contact, columns as in the CSV, NaN where nothing is known::

        answer = bs.replay_file("trial.c3d")
        answer["start"]  # array (contacts,) [s]
        answer["required"], answer["mu_median"]  # arrays (contacts,) [-]
        answer.to_pandas().query("slip_count > 0")  # with pandas installed
    """

    path: str
    estimator: str
    feet: tuple[Replay, ...]  # of a long bag only its first piece
    contacts: tuple[Contact, ...]  # in the order of time
    weight: float  # [N]; NaN when unknown
    weight_note: str
    notes: tuple[str, ...]  # what was read and done

    names = tuple(CSV_COLUMNS)

    def column(self, name: str) -> Any:
        """Return one of ``names``, shape (contacts,)."""
        values = [contact_row(self.path, contact)[name] for contact in self.contacts]
        texts = any(isinstance(value, str) for value in values)
        return np.array(
            [
                ("" if texts else math.nan) if value is None else value
                for value in values
            ]
        )


def answer(recording: Recording, estimator: str) -> Answer:
    """Replay every foot of a recording through one estimator."""
    feet = side_by_side(
        [
            partial(replay, series, recording.processing, estimator)
            for series in recording.series
        ]
    )
    notes = dict.fromkeys(note for foot in feet for note in foot.series.provenance[1:])
    contacts = [c for foot in feet for c in foot.contacts]
    notes |= dict.fromkeys(rate_notes(recording.series))
    return from_replays(
        recording.path, estimator, feet, contacts, tuple(notes), recording.mass
    )


def from_replays(
    path: str,
    estimator: str,
    feet: tuple[Replay, ...],
    contacts: Sequence[Contact],
    notes: tuple[str, ...],
    mass: float = math.nan,
) -> Answer:
    """Build the answer from replays, contacts by time.

    Body weight is from forces beside a given mass [kg].
    """
    carried = [
        (foot.series, [one.standing.stance for one in foot.contacts]) for foot in feet
    ]
    weight, note = body_weight(carried, [(mass, "the mass in the file")])
    ordered = tuple(sorted(contacts, key=lambda contact: contact.start))
    return Answer(
        path=path,
        estimator=estimator,
        feet=feet,
        contacts=ordered,
        weight=weight,
        weight_note=note,
        notes=notes,
    )


def summary(result: Answer) -> dict[str, Any]:
    """Summarise all contacts in numbers, None where unknown.

    Returns:
        By name: ``body_weight`` [N], numbers of ``contacts``, ``refused``, ``cut_off``
            and ``slip_count``,
        ``slip_time`` [s], and median, smallest and largest of required friction and mu
        [-].
    """
    judged = [contact for contact in result.contacts if not contact.standing.refusal]
    whole = [
        contact for contact in judged if not contact.cut_off
    ] or judged  # all, where the subject only stands
    required = np.array([contact.forces.required for contact in whole])
    mus = np.array(
        [contact.mu_median for contact in judged if contact.mu_median is not None]
    )
    slips = [slip for contact in result.contacts for slip in contact.slips]
    return {
        "body_weight": known(result.weight),
        "body_weight_from": result.weight_note,
        "contacts": len(result.contacts),
        "refused": len(result.contacts) - len(judged),
        "refused_because": "; ".join(
            dict.fromkeys(
                c.standing.refusal for c in result.contacts if c.standing.refusal
            )
        ),
        "cut_off": sum(contact.cut_off for contact in judged),
        "required_median": known(_middle(required)),
        "required_largest": known(
            float(np.nanmax(required)) if np.isfinite(required).any() else math.nan
        ),
        "slip_count": len(slips),
        "slip_time": sum(slip.end - slip.start for slip in slips),
        "contacts_with_mu": len(mus),
        "mu_median": known(_middle(mus)),
        "mu_smallest": known(float(mus.min()) if len(mus) else math.nan),
        "mu_largest": known(float(mus.max()) if len(mus) else math.nan),
    }


def _middle(values: Any) -> float:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else math.nan


def answer_sentence(result: Answer) -> str:
    """Summarise the friction found in a recording in plain words."""
    if not result.contacts:
        return (
            "No contact was found: is the unit of the forces right, and were the "
            "feet loaded?"
        )
    found = summary(result)
    count = found["slip_count"]
    known = found["contacts_with_mu"]
    slid = (
        f"Feet slid {count} time{'s' * (count != 1)}, {found['slip_time']:.2f} s in all"
        if count
        else "No foot slid"
    )
    words = f"{slid}. Friction was estimated in {known} of {found['contacts']} contacts"
    if known:
        words += (
            f": {found['mu_median']:.2f} ({found['mu_smallest']:.2f} to "
            f"{found['mu_largest']:.2f})"
        )
    # of contacts without an estimate: elsewhere the floor may hold more than the
    # friction that was estimated
    held = max(
        (
            one.held
            for one in result.contacts
            if one.held is not None and one.mu_median is None
        ),
        default=None,
    )
    if held is not None:
        words += (
            f"; {'another' if known else 'one'} contact held {held:.2f} without "
            "slip: friction there is no less"
        )
    if found["required_median"] is not None:
        words += (
            f". Required friction: {found['required_median']:.2f}, largest "
            f"{found['required_largest']:.2f}"
        )
    return words + "."


def answer_record(result: Answer) -> dict[str, Any]:
    """Convert an answer to plain dictionaries for JSON."""
    return {
        "file": result.path,
        "estimator": result.estimator,
        "summary": summary(result),
        "notes": list(result.notes),
        "contacts": [contact_record(contact) for contact in result.contacts],
    }


def answered_files(path: str | Path) -> set[str]:
    """Read the names of the recordings in a table of contacts."""
    if not Path(path).is_file():
        return set()
    with Path(path).open(newline="", encoding="utf-8") as file:
        return {row["file"] for row in csv.DictReader(file)}


@contextlib.contextmanager
def contact_table(
    path: str | Path, resume: bool = False
) -> Iterator[Callable[[str, Answer | str], None]]:
    """Open a CSV of contacts, one line each, written as answers come.

    Unknown values are empty.

    Yields:
        What is called with the name of a recording and its answer, or with the reason
            why there is none: a line, too.
    """
    with Path(path).open("a" if resume else "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
        if file.tell() == 0:
            writer.writeheader()

        def add(name: str, result: Answer | str) -> None:
            if isinstance(result, str):
                writer.writerow({"file": name, "refusal": result})
            else:
                writer.writerows(
                    contact_row(result.path, contact) for contact in result.contacts
                )
            file.flush()

        file.flush()
        yield add


def answer_bag(
    path: str | Path,
    config: str | Path | None,
    estimator: str,
    progress: Progress | None = None,
) -> Answer:
    """Replay the feet of a bag in two passes, in bounded memory.

    One pass is for the load and one for the estimates.

    Without a config every WrenchStamped is a foot.
    """
    bag = Bag(path)
    layout = bag_layout(bag, config)
    source = sample_source(bag, layout)
    survey = Survey(source, progress)
    settings = survey.settings(source, layout.processing)
    first: dict[int, Replay] = {}
    reached: dict[int, Reached] = {}
    contacts: list[Contact] = []
    for foot, series in bag_pieces(
        source, [one.slip.contact_off for one in settings], progress
    ):
        series = dataclasses.replace(series, force_noise=layout.processing.force_noise)
        result = replay(
            series, layout.processing, estimator, settings[foot], reached.get(foot)
        )
        reached[foot] = result.reached
        first.setdefault(foot, result)
        contacts += result.contacts
    if not first:
        raise InvalidRecording(
            path, "holds fewer than two wrenches with increasing stamps"
        )
    notes = survey.notes(source)
    drawn = sum(len(one.contacts) for one in first.values())
    if drawn < len(contacts):
        notes.append(
            f"pictures and weight show the first {drawn} of {len(contacts)} contacts"
        )
    return from_replays(
        str(path),
        estimator,
        tuple(first[foot] for foot in sorted(first)),
        contacts,
        tuple(notes),
    )


def sample_source(bag: Bag, layout: BagLayout) -> SampleSource:
    """Choose the source of a bag's feet: their own topics, or a robot's model."""
    if layout.robot is None:
        return TopicSource(bag, layout)
    from biped_slip.recordings.bag_robot import (
        RobotSource,
    )  # only robots need their model's libraries

    return RobotSource(bag, layout.robot)


def replay_file(
    path: str | Path,
    config: str | Path | None = None,
    estimator: str = DEFAULT,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    kind: str = "",
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

    Returns:
        One row a contact, in the order of time; of a long bag the first piece of each
        foot for pictures.

    Raises:
        BipedSlipError: one sentence on what can't be used and why.
    """
    kind = kind or recording_format(path)
    if kind == BAG:
        return answer_bag(path, config, estimator, progress)
    return answer(read_recording(path, config, overrides, progress, kind), estimator)

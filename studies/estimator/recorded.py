# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The estimator on recorded contacts.

They are a presliding rig, and what people held without slip.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.bounded_files import text_lines
from biped_slip.compile.arrays import AnyArray
from biped_slip.errors import BipedSlipError
from biped_slip.friction_estimation.interval.config import (
    ForceNoise,
    GateConfig,
    IntervalConfig,
    MotionNoise,
    SoleModel,
)
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.sole_calibration import (
    Pull,
    SoleCalibration,
    calibrate,
)
from biped_slip.friction_estimation.types import NAN, NO_MEASUREMENT
from biped_slip.recordings.answer import Replay
from biped_slip.recordings.contact import Contact
from biped_slip.recordings.replay import FIELDS, replay_file
from biped_slip.recordings.tables import read_columns, table_start
from biped_slip.shared_files import shared_names
from studies.frame import Row

# A real contact pushed to and fro on a rig: what the interval says in every stroke
# before it slides.
#
# Reads a table with time [s], normal force [uN], position [mm] and friction force [uN]
# (sign against the motion). The stream is used causally: a stroke starts when the
# position has come back from its extreme, the estimator starts when |u| falls below
# 0.05, so that it can't have borne the slide of the stroke before.

LOADED = 4.9  # [N] of normal force: the load is on
COME_BACK = 2e-6  # [m] from the extreme that makes a reversal
START_BELOW = 0.05  # |u| at which a stroke's estimator starts
SLIDES_AFTER = 0.13e-3  # [m] of travel after which the contact slides
SATURATED = 0.97  # of the sliding ratio, up to which answers are judged
DEMAND = 0.9  # of it, before which knowledge is worth something
CALIBRATION_TIME = 20.0  # [s]
LOAD = 5.0  # [N]
# [m], [N]: digits of the recording
POSITION_SIGMA = 0.1e-6
FORCE_SIGMA = 1e-3


class Stroke(NamedTuple):
    """One way, with the sign turned so that it runs forward."""

    direction: int
    time: AnyArray  # [s]
    ratio: AnyArray
    normal: AnyArray  # [N]
    position: AnyArray  # from the reversal [m]
    sliding: float  # mean ratio after 0.13 mm of travel


class StrokeAnswer(NamedTuple):
    """What the estimator said in one stroke before saturation."""

    stroke: Stroke
    spoke: bool  # usable at any time
    contained: bool  # sliding ratio inside the interval whenever usable
    certified: bool  # certified bound never above the sliding ratio
    early: bool  # usable before 0.9 of the sliding ratio
    share: float  # ratio over sliding ratio when first usable; NaN if never
    width: float  # high/low then
    low: AnyArray  # over the stroke's samples; NaN before the start
    high: AnyArray


def read_strokes(path: str | Path) -> list[Stroke]:
    """Strokes of a recording while the load is on.

    They go from the first reversal to the last complete one.
    """
    start, lines = table_start(path, text_lines(path))
    data = read_columns(path, start, lines, range(4))
    time = data[:, 0]
    normal = 1e-6 * data[:, 1]
    position = 1e-3 * data[:, 2]
    force = -1e-6 * data[:, 3]
    loaded = normal > LOADED
    time, normal, position, force = (
        array[loaded] for array in (time, normal, position, force)
    )
    turns = _reversals(position)
    return [
        _stroke(slice(first, second), direction, time, normal, position, force)
        for (first, direction), (second, _) in itertools.pairwise(turns)
    ]


def _reversals(position: AnyArray) -> list[tuple[int, int]]:
    """Find the samples at which a turn is certain, and the direction after it."""
    found = []
    direction = 1
    extreme = position[0]
    for k, here in enumerate(position):
        if direction * (here - extreme) > 0.0:
            extreme = here
        elif direction * (extreme - here) > COME_BACK:
            direction = -direction
            extreme = here
            found.append((k, direction))
    return found


def _stroke(
    part: slice,
    direction: int,
    time: AnyArray,
    normal: AnyArray,
    position: AnyArray,
    force: AnyArray,
) -> Stroke:
    ratio = direction * force[part] / normal[part]
    travel = direction * (position[part] - position[part][0])
    # without the dwell at the end
    moving = slice(0, int(np.argmax(travel > np.max(travel) - COME_BACK)))
    sliding = ratio[moving][travel[moving] > SLIDES_AFTER]
    return Stroke(
        direction=direction,
        time=time[part][moving],
        ratio=ratio[moving],
        normal=normal[part][moving],
        position=travel[moving],
        sliding=float(np.mean(sliding)),
    )


def calibration(strokes: list[Stroke], direction: int) -> SoleCalibration:
    """Fit the contact's sole and the rig's compliance in one direction.

    Directions differ. The fit is to the first 20 s of strokes.
    """
    pulls = []
    for k, stroke in enumerate(strokes):
        if stroke.direction == direction and stroke.time[-1] < CALIBRATION_TIME:
            use = np.arange(stroke.ratio.size) > int(
                np.argmax(stroke.ratio > START_BELOW)
            )
            force = stroke.ratio[use] * stroke.normal[use]
            normal = stroke.normal[use]
            pulls.append(
                Pull(
                    name=f"stroke {k}",
                    time=stroke.time[use],
                    force=force,
                    normal=normal,
                    displacement=stroke.position[use],
                    sliding=stroke.sliding,
                )
            )
    return calibrate(pulls)


def judge(strokes: list[Stroke], soles: dict[int, SoleModel]) -> list[StrokeAnswer]:
    """All strokes after the calibration time, each direction with its own sole."""
    estimators = {direction: estimator(sole) for direction, sole in soles.items()}
    return [
        answer(estimators[s.direction], s)
        for s in strokes
        if s.time[0] > CALIBRATION_TIME
    ]


def rows(path: str | Path) -> list[Row]:
    """How often the interval is right, and how early it speaks.

    The rows are for calibrated and for uncalibrated soles.
    """
    strokes = read_strokes(path)
    calibrated = {
        direction: calibration(strokes, direction).sole for direction in (1, -1)
    }
    unknown = {direction: SoleModel() for direction in (1, -1)}
    found = []
    for name, soles in (("calibrated", calibrated), ("unknown shape", unknown)):
        answers = judge(strokes, soles)
        spoke = [a for a in answers if a.spoke]
        found += [
            Row(
                what=f"{name}: strokes",
                required=NAN,
                at_most=False,
                study="",
                ours=len(answers),
            ),
            Row(
                what=f"{name}: usable before it slides",
                required=NAN,
                at_most=False,
                study="",
                ours=len(spoke) / len(answers),
            ),
            Row(
                what=f"{name}: sliding ratio inside whenever usable",
                required=0.9,
                at_most=False,
                study="",
                ours=float(np.mean([a.contained for a in spoke])) if spoke else NAN,
            ),
            Row(
                what=f"{name}: certificate never above the sliding ratio",
                required=0.95,
                at_most=False,
                study="",
                ours=float(np.mean([a.certified for a in answers])),
            ),
            Row(
                what=f"{name}: usable before 0.9 of it (0.5 is wished)",
                required=NAN,
                at_most=False,
                study="",
                ours=float(np.mean([a.early for a in answers])),
            ),
            Row(
                what=f"{name}: share of the limit when first usable",
                required=NAN,
                at_most=True,
                study="",
                ours=_median([a.share for a in spoke]),
            ),
            Row(
                what=f"{name}: high/low then",
                required=NAN,
                at_most=True,
                study="",
                ours=_median([a.width for a in spoke]),
            ),
        ]
    return found


def _median(values: list[float]) -> float:
    return float(np.median(values)) if values else NAN


def estimator(sole: SoleModel) -> IntervalEstimator:
    """Make an estimator for the rig: one axis, no touchdown."""
    config = IntervalConfig(
        motion=MotionNoise(sigma=POSITION_SIGMA, quantisation=0.1e-6),
        force=ForceNoise(sigma=FORCE_SIGMA, offset=FORCE_SIGMA),
        sole=sole,
        gate=GateConfig(settling_time=0.0, carry_sole=False),
        axes=1,
    )
    return IntervalEstimator(config, body_weight=LOAD)


def answer(one: IntervalEstimator, stroke: Stroke) -> StrokeAnswer:
    """Run one stroke."""
    state = one.initial_state()
    armed = False
    low = np.full(stroke.ratio.size, np.nan)
    high = np.full(stroke.ratio.size, np.nan)
    usable = np.zeros(stroke.ratio.size, dtype=np.bool_)
    for k in range(1, stroke.ratio.size):
        armed = armed or abs(stroke.ratio[k]) < START_BELOW
        if not armed:
            continue
        measurement = NO_MEASUREMENT._replace(
            stamp_ns=k,
            force_x=float(-stroke.ratio[k] * stroke.normal[k]),
            force_y=0.0,
            force_normal=float(stroke.normal[k]),
            displacement_x=float(stroke.position[k]),
            displacement_y=0.0,
        )
        state, estimate = one.step(
            state, measurement, float(stroke.time[k] - stroke.time[k - 1])
        )
        low[k] = estimate.mu_low
        high[k] = estimate.mu_high
        usable[k] = estimate.usable
    saturated = int(np.argmax(stroke.ratio >= SATURATED * stroke.sliding))
    said = np.flatnonzero(usable[:saturated])
    inside = (low[said] <= stroke.sliding) & (stroke.sliding <= high[said])
    share = stroke.ratio[said[0]] / stroke.sliding if said.size else np.nan
    width = high[said[0]] / low[said[0]] if said.size else np.nan
    certified = not np.any(low[:saturated] > stroke.sliding)
    return StrokeAnswer(
        stroke=stroke,
        spoke=said.size > 0,
        contained=bool(np.all(inside)),
        certified=bool(certified),
        early=bool(share < DEMAND),
        share=share,
        width=width,
        low=low,
        high=high,
    )


# Whether any recorded contact refutes what was said of it: held without slip, before or
# after, above ``mu_high``.

HIGH = FIELDS.index("mu_high")
USABLE = FIELDS.index("usable")


class Tally(NamedTuple):
    """Contacts of one recording; ``note`` says why it could not be read."""

    name: str
    contacts: int = 0
    at_least: int = 0  # with a ratio that was held
    bounded: int = 0  # with a finite mu_high
    refuted: int = 0  # mu_high of the summary below what was held
    refuted_live: int = (
        0  # contacts without a slip in which a usable answer ever had it below
    )
    withdrawn: int = 0
    note: str = ""


def files_below(places: Sequence[Path]) -> list[Path]:
    """Files, and all files in folders."""
    return [
        file
        for place in places
        for file in (sorted(place.rglob("*")) if place.is_dir() else [place])
        if file.is_file()
    ]


def tallies(places: Sequence[Path]) -> Iterator[Tally]:
    """One tally a file, as each is read.

    A table is read by the shipped configuration that has its folder's name.
    """
    shipped = shared_names("config/recordings")
    for file in files_below(places):
        try:
            found = replay_file(
                file, file.parent.name if file.parent.name in shipped else None
            )
        except BipedSlipError as error:
            yield Tally(file.name, note=str(error))
            continue
        contacts = found.contacts
        highs = [(one.mu_high, one.held) for one in contacts if one.mu_high is not None]
        yield Tally(
            name=file.name,
            contacts=len(contacts),
            at_least=sum(one.held is not None for one in contacts),
            bounded=len(highs),
            refuted=sum(held is not None and high < held for high, held in highs),
            refuted_live=sum(
                _ever_below(foot, one) for foot in found.feet for one in foot.contacts
            ),
            withdrawn=sum(bool(one.withheld) for one in contacts),
        )


def _ever_below(foot: Replay, contact: Contact) -> bool:
    """Whether a usable answer had less than the contact held at any time.

    The contact is one that did not slip.
    """
    if contact.held is None or contact.slips or contact.standing.refusal:
        return False
    first, last = contact.standing.stance
    answers = foot.answers[first:last]
    said = answers[:, USABLE] > 0.0
    return bool(np.any(answers[said, HIGH] < contact.held))

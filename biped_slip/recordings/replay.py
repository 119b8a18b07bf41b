# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Replay: a recorded foot through a friction estimator, summarised contact by contact."""

from __future__ import annotations

import dataclasses
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.friction_estimation.registry import EstimatorSettings, make_estimator
from biped_slip.recordings.batch import FIELDS, Reached, estimates
from biped_slip.recordings.contacts import stances
from biped_slip.recordings.estimators import foot_settings, of_the_patch
from biped_slip.recordings.held import held_ratio
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, Standing, TimeSeries
from biped_slip.recordings.slips import Slip, find_slips, slip_config
from biped_slip.recordings.stance_summary import Demand, cut_off, demand

RECORDED = "foot sensor start end peak_ratio mu_median mu_low mu_high held cut_off withdrawn usable_from".split()


class SlipEvent(NamedTuple):
    """One slip in the recording's own time."""

    start: float  # [s]
    end: float  # [s]
    mu: float | None  # [-]
    source: str  # motion | force-plateau


@dataclasses.dataclass(frozen=True)
class Contact:
    """One stance of one foot; None where a quantity isn't known. Times in the recording's own seconds."""

    standing: Standing
    foot: str
    sensor: str  # the plate or force sensor
    start: float  # [s]
    end: float  # [s]
    demand: Demand
    peak_ratio: float | None  # largest |tangential| / normal, edges included [-]
    mu_median: float | None  # [-]
    mu_low: float | None  # [-]
    mu_high: float | None  # [-]
    held: float | None  # largest ratio held for 20 ms without slip, less noise: mu is at least that [-]
    cut_off: bool  # it begins before the recording or ends after it: its demand is not that of a whole stance
    withdrawn: bool  # the estimator's answer was refuted by what the foot held in this contact
    usable_from: float | None  # first time at which the estimator calls its answer usable [s]
    slips: tuple[SlipEvent, ...]


@dataclasses.dataclass(frozen=True)
class Replay:
    """A series, every answer of the estimator (shape (n, 12)) and what each stance means."""

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

    Raises:
        UnknownName: no such estimator.
    """
    settings = series_settings(series, processing) if settings is None else settings
    answers, reached = estimates(make_estimator(estimator, settings), of_the_patch(series), reached)
    slips = find_slips(series, settings.slip)
    standings = series.standings
    if standings is None:
        found = stances(series.force[:, 2], settings.slip.contact_on)
        standings = tuple(Standing(stance, series.name) for stance in found)
    ratio = series.ratio
    contacts = tuple(_contact(series, ratio, answers, slips, one, settings.slip.contact_off) for one in standings)
    return Replay(series, estimator, answers, contacts, reached)


def side_by_side(tasks: Sequence[Callable[[], Replay]]) -> tuple[Replay, ...]:
    """Replays of different feet at the same time: the estimators' loops let each other run."""
    with ThreadPoolExecutor(max_workers=max(len(tasks), 1)) as pool:
        return tuple(pool.map(lambda task: task(), tasks))


def series_settings(series: TimeSeries, processing: Processing) -> EstimatorSettings:
    """Settings of the estimators that follow from the load and the noise of a series."""
    slip = slip_config(series, processing)
    load = slip.contact_on / processing.contact_share
    return foot_settings(load, slip, series.motion, series.force_noise, series.planar)


def _contact(
    series: TimeSeries, ratios: FloatArray, answers: FloatArray, slips: list[Slip], standing: Standing, unloaded: float
) -> Contact:
    first, last = standing.stance
    ratio, answer = ratios[first:last], answers[first:last]
    inside = [slip for slip in slips if first <= slip.first < last]
    usable = np.flatnonzero(answer[:, FIELDS.index("usable")] > 0.0)
    if standing.refusal:
        inside, usable = [], usable[:0]
    values = answer[usable[-1]] if len(usable) else np.full(len(FIELDS), np.nan)
    value = dict(zip(FIELDS, values, strict=True))
    median = value["mu_median"] if math.isfinite(value["mu_median"]) else _mu_median(answer, usable)
    held = held_ratio(series, standing.stance, inside)
    withdrawn = bool(value["mu_high"] < held or (not inside and median < held))
    if withdrawn:
        usable, median, value = usable[:0], math.nan, dict.fromkeys(FIELDS, math.nan)
    return Contact(
        standing,
        standing.foot,
        series.name,
        seconds(series, first),
        seconds(series, last - 1),
        demand(series, standing.stance),
        known(np.nanmax(ratio) if np.isfinite(ratio).any() else math.nan),
        known(median),
        known(value["mu_low"]),
        known(value["mu_high"]),
        known(held),
        cut_off(series, standing.stance, unloaded),
        withdrawn,
        seconds(series, first + int(usable[0])) if len(usable) else None,
        tuple(
            SlipEvent(seconds(series, slip.first), seconds(series, slip.last - 1), known(slip.mu), slip.source)
            for slip in inside
        ),
    )


def _mu_median(answer: FloatArray, usable: Any) -> float:
    """Median of the point values: over the slipping samples where there are some, else over the usable ones."""
    if not len(usable):
        return math.nan
    slipping = np.flatnonzero(answer[:, FIELDS.index("slipping")] > 0.0)
    chosen = answer[slipping if len(slipping) else usable, FIELDS.index("mu")]
    finite = chosen[np.isfinite(chosen)]
    return float(np.median(finite)) if len(finite) else math.nan


def seconds(series: TimeSeries, index: int) -> float:
    """The recording's own time of a sample [s]."""
    return float(series.stamp_ns[index]) * 1e-9


def known(value: float) -> float | None:
    """A finite number, or None."""
    return float(value) if math.isfinite(value) else None


def at_least(contact: Contact) -> str | None:
    """What is known of a contact that has no point value, in words."""
    if contact.mu_median is not None or contact.held is None or contact.standing.refusal:
        return None
    return f"at least {contact.held:.2f}, held without slip" + (" (an estimate was withdrawn)" * contact.withdrawn)


def contact_record(contact: Contact) -> dict[str, Any]:
    """A contact as JSON takes it; a slip is its start and end [s], its mu and what it was found by."""
    record: dict[str, Any] = {name: getattr(contact, name) for name in RECORDED}
    record |= {name: known(value) for name, value in contact.demand._asdict().items()}
    record["refusal"] = contact.standing.refusal or None
    record["slips"] = [slip._asdict() for slip in contact.slips]
    return record

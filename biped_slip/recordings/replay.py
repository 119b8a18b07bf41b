# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Replay: a recorded foot through a friction estimator, summarised contact by contact."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable

import numpy as np

from biped_slip.errors import UnknownName
from biped_slip.friction.rls import ThesisEstimator
from biped_slip.friction.slip_based import SlipBasedConfig, SlipBasedEstimator
from biped_slip.friction.types import FrictionEstimator
from biped_slip.recordings.batch import FIELDS, estimates
from biped_slip.recordings.contacts import Stance, stances
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, TimeSeries
from biped_slip.recordings.slips import Slip, find_slips, slip_config

ESTIMATORS: dict[str, Callable[[SlipBasedConfig], FrictionEstimator[Any]]] = {
    "slip": SlipBasedEstimator,
    "thesis": lambda _: ThesisEstimator(),
}


@dataclasses.dataclass(frozen=True)
class Contact:
    """One stance of one foot; None where a quantity isn't known. Times in the recording's own seconds."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    peak_ratio: float | None  # largest |tangential| / normal [-]
    mu_median: float | None  # [-]
    mu_low: float | None  # [-]
    mu_high: float | None  # [-]
    usable_from: float | None  # first time at which the estimator calls its answer usable [s]
    slips: tuple[Slip, ...]


@dataclasses.dataclass(frozen=True)
class Replay:
    """A series, every answer of the estimator (shape (n, 12)), the stances and what they mean."""

    series: TimeSeries
    estimator: str
    answers: FloatArray
    stances: tuple[Stance, ...]
    contacts: tuple[Contact, ...]


def replay(series: TimeSeries, processing: Processing, estimator: str = "slip") -> Replay:
    """Run an estimator over a series, find its slips and summarise each contact.

    Raises:
        UnknownName: no such estimator.
    """
    if estimator not in ESTIMATORS:
        raise UnknownName("estimator", estimator, list(ESTIMATORS))
    config = slip_config(series, processing)
    answers = estimates(ESTIMATORS[estimator](config), series)
    slips = find_slips(series, config)
    found = stances(series.force[:, 2], config.contact_on)
    contacts = tuple(_contact(series, answers, slips, stance) for stance in found)
    return Replay(series, estimator, answers, tuple(found), contacts)


def _contact(series: TimeSeries, answers: FloatArray, slips: list[Slip], stance: Stance) -> Contact:
    window = slice(stance.first, stance.last)
    ratio, answer = series.ratio[window], answers[window]
    inside = tuple(slip for slip in slips if stance.first <= slip.first < stance.last)
    usable = np.flatnonzero(answer[:, FIELDS.index("usable")] > 0.0)
    last = answer[usable[-1]] if len(usable) else np.full(len(FIELDS), np.nan)
    value = dict(zip(FIELDS, last, strict=True))
    median = value["mu_median"] if math.isfinite(value["mu_median"]) else _mu_median(answer, usable)
    return Contact(
        series.name,
        seconds(series, stance.first),
        seconds(series, stance.last - 1),
        known(np.nanmax(ratio) if np.isfinite(ratio).any() else math.nan),
        known(median),
        known(value["mu_low"]),
        known(value["mu_high"]),
        seconds(series, stance.first + int(usable[0])) if len(usable) else None,
        inside,
    )


def _mu_median(answer: FloatArray, usable: Any) -> float:
    """Median of the point values: over the slipping samples where there are some, else over the usable ones."""
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


def contact_record(contact: Contact, series: TimeSeries) -> dict[str, Any]:
    """A contact as JSON takes it; a slip is its start and end [s], its mu and what it was found by."""
    record = dataclasses.asdict(contact)
    record["slips"] = [
        {
            "start": seconds(series, slip.first),
            "end": seconds(series, slip.last - 1),
            "mu": known(slip.mu),
            "source": slip.source,
        }
        for slip in contact.slips
    ]
    return record

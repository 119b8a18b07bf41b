# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Chance that a step requires more friction than is available.

It is given for every floor and person.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Callable, Iterable, NamedTuple, Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, binomtest, norm

from biped_slip.bounded_files import csv_rows
from biped_slip.errors import BipedSlipError, InvalidRecording, UnknownName
from biped_slip.gait_laboratory.statistics import BOTH, tested
from biped_slip.gait_laboratory.step import Step, write_table
from biped_slip.recordings.series import FloatArray

# P(ACOF < RCOF) of a random step on a random reading. Both are samples: required
# friction of n steps, available friction of m readings. The share of all n x m pairs in
# which the reading is below the step is the estimate (Mann and Whitney's statistic).
# What differs is the interval; the table of ``chance_coverage`` shows which of them
# hold what they promise, and ``DEFAULT`` is the narrowest that does.

DEFAULT = "automatic"
# steps or readings; with fewer, only the exact interval holds the truth as often as it
# claims everywhere
FEW = 20
CONFIDENCE = 0.95
TAILS = [0.5 - 0.5 * CONFIDENCE, 0.5 + 0.5 * CONFIDENCE]
RESAMPLES = 1000
CHANCE_SEED = 20260101
NEXT = 1e-9  # beside the estimate, where the other root lies beyond


class Chance(NamedTuple):
    """Chance of a slip with its interval."""

    estimate: float
    low: float
    high: float
    steps: int
    readings: int
    method: str


def placements(values: FloatArray, others: FloatArray) -> FloatArray:
    """Compute for each value the share of the others below it, shape of ``values``.

    Ties are counted half.
    """
    ordered = np.sort(others)
    return (
        np.searchsorted(ordered, values, "left")
        + np.searchsorted(ordered, values, "right")
    ) / (2.0 * len(others))


def share_below(required: FloatArray, available: FloatArray) -> float:
    """Compute the share of all pairs in which the reading is below the step.

    Ties are counted half.
    """
    return float(np.mean(placements(required, available)))


def score(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute the score interval under exponential distributions [Newcombe2006]_.

    Its variance is that of such distributions.

    Never outside 0 … 1, and not empty where no pair or every pair is below.
    """
    return _score(share_below(required, available), len(required), len(available), 0.0)


def wide_score(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute the score interval with the variance of the samples [DeLong1988]_.

    That variance is taken where it is larger.

    Skewed and two-humped samples scatter more than the exponential model predicts.
    """
    estimate = share_below(required, available)
    if not 0.0 < estimate < 1.0:
        return score(required, available)
    by_step = placements(required, available)
    by_reading = placements(available, required)
    shown = float(np.var(by_step, ddof=1)) / len(required) + float(
        np.var(by_reading, ddof=1)
    ) / len(available)
    return _score(
        estimate, len(required), len(available), shown / (estimate * (1.0 - estimate))
    )


def _score(estimate: float, n: int, m: int, shown: float) -> tuple[float, float]:
    """Solve for chances p at which the estimate is z standard deviations away.

    ``shown`` is the variance seen, over p (1 - p).
    """
    z = norm.ppf(TAILS[1])
    middle = 0.5 * (n + m) - 1.0

    def beyond(p: float) -> float:
        model = (1.0 + middle * ((1.0 - p) / (2.0 - p) + p / (1.0 + p))) / (n * m)
        return (estimate - p) ** 2 - z**2 * p * (1.0 - p) * max(model, shown)

    low = brentq(beyond, 0.0, estimate) if estimate > 0.0 else 0.0
    high = brentq(beyond, min(estimate + NEXT, 1.0), 1.0) if estimate < 1.0 else 1.0
    return float(low), float(high)


def exact(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute Clopper and Pearson's interval.

    It takes as many trials as the smaller sample has values.

    Of k = min(n, m) pairs without a value in common, the number that slip is binomial,
    whatever the distributions. The share of all pairs is its mean over all ways to
    pair, so it scatters less, and the interval at that share holds the truth at least
    as often.
    """
    count = min(len(required), len(available))
    slipped = share_below(required, available) * count
    low = (
        float(beta.ppf(TAILS[0], slipped, count - slipped + 1.0))
        if slipped > 0.0
        else 0.0
    )
    high = (
        float(beta.ppf(TAILS[1], slipped + 1.0, count - slipped))
        if slipped < count
        else 1.0
    )
    return low, high


def bootstrap(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute percentiles over resampled steps and readings."""
    rng = np.random.default_rng(CHANCE_SEED)
    found = [
        share_below(
            rng.choice(required, len(required)), rng.choice(available, len(available))
        )
        for _ in range(RESAMPLES)
    ]
    low, high = np.quantile(found, TAILS)
    return float(low), float(high)


def normal(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute the generalised interval [Weerahandi1995]_.

    It is that under two normal distributions of any spread.
    """
    rng = np.random.default_rng(CHANCE_SEED)
    drawn = []
    for values in (required, available):
        count = len(values)
        spread = float(np.std(values, ddof=1)) * np.sqrt(
            (count - 1) / rng.chisquare(count - 1, RESAMPLES)
        )
        drawn.append(
            (
                float(np.mean(values))
                + spread * rng.standard_normal(RESAMPLES) / math.sqrt(count),
                spread,
            )
        )
    (ask, ask_spread), (have, have_spread) = drawn
    chances = norm.cdf(
        (ask - have) / np.maximum(np.hypot(ask_spread, have_spread), 1e-12)
    )
    low, high = np.quantile(chances, TAILS)
    return float(low), float(high)


def automatic(required: FloatArray, available: FloatArray) -> tuple[float, float]:
    """Compute ``wide_score``, or ``exact`` where steps or readings are few."""
    return METHODS[_narrowest(required, available)](required, available)


def _narrowest(required: FloatArray, available: FloatArray) -> str:
    return "exact" if min(len(required), len(available)) < FEW else "wide score"


METHODS: dict[str, Callable[[FloatArray, FloatArray], tuple[float, float]]] = {
    "automatic": automatic,
    "wide score": wide_score,
    "score": score,
    "exact": exact,
    "bootstrap": bootstrap,
    "normal": normal,
}


def chance_of_slip(
    required: FloatArray, available: FloatArray, method: str = DEFAULT
) -> Chance:
    """Estimate the chance that a step slips.

    Args:
        required: RCOF of the steps, shape (n,); unknown ones (NaN) are left out.
        available: readings of one instrument on one surface with one shoe, shape (m,).
            A single reading is taken as exact, and the interval is then the exact one
            of a share of steps.
        method: a key of ``METHODS``.

    Raises:
        BipedSlipError: fewer than two steps, or no reading.
        UnknownName: no such method.
    """
    required, available = (
        np.asarray(values, dtype=float) for values in (required, available)
    )
    required = required[np.isfinite(required)]
    available = available[np.isfinite(available)]
    if len(required) < 2 or not len(available):
        raise BipedSlipError(
            f"a chance of slipping needs at least 2 steps and 1 reading of the floor, "
            f"not {len(required)} and {len(available)}"
        )
    estimate = share_below(required, available)
    if len(available) == 1:
        above = int(np.sum(required > available[0]))
        interval = binomtest(above, len(required)).proportion_ci(CONFIDENCE)
        return Chance(
            estimate=estimate,
            low=float(interval.low),
            high=float(interval.high),
            steps=len(required),
            readings=1,
            method="exact",
        )
    if method not in METHODS:
        raise UnknownName("interval", method, list(METHODS))
    method = _narrowest(required, available) if method == DEFAULT else method
    low, high = METHODS[method](required, available)
    return Chance(
        estimate=estimate,
        low=low,
        high=high,
        steps=len(required),
        readings=len(available),
        method=method,
    )


# Available coefficient of friction (ACOF), from a small CSV::
#
#     instrument,floor,shoe,condition,acof
#     BOT-3000E,steel,trainer,wet,0.31
#
# Instruments do not agree on one floor, so a reading without the name of its instrument
# is refused, and readings of different instruments are never pooled. ``condition`` is
# the floor's (wet, soiled) and may be missing; where ``shoe`` is missing or empty the
# reading holds for all.

NEEDED_COLUMNS = ("instrument", "floor", "acof")
LARGEST_SHOE_MU = 5.0  # [-]; no shoe holds better


class Reading(NamedTuple):
    """Reading of available friction by an instrument."""

    instrument: str
    floor: str
    shoe: str  # empty: any
    condition: str  # of the floor
    acof: float

    @property
    def surface(self) -> str:
        """Format floor and condition as one text."""
        return " ".join(filter(None, (self.floor, self.condition)))


def read_readings(path: str | Path) -> tuple[Reading, ...]:
    """Read all readings of a CSV.

    Raises:
        InvalidRecording: a column is missing, an instrument isn't named, a reading
            isn't a positive number.
    """
    with csv_rows(path) as rows:
        missing = [
            name for name in NEEDED_COLUMNS if name not in (rows.fieldnames or ())
        ]
        if missing:
            raise InvalidRecording(
                path,
                f"no column {', '.join(missing)}",
                f"name the columns {', '.join(NEEDED_COLUMNS)}",
            )
        return tuple(
            _reading(path, number, row) for number, row in enumerate(rows, start=2)
        )


def _reading(path: str | Path, line: int, row: dict[str, str | None]) -> Reading:
    text = {
        name: (row.get(name) or "").strip()
        for name in (*NEEDED_COLUMNS, "shoe", "condition")
    }
    if not text["instrument"]:
        raise InvalidRecording(
            path,
            f"line {line} names no instrument",
            "instruments don't agree, so name it",
        )
    try:
        acof = float(text["acof"])
    except ValueError:
        acof = math.nan
    if not 0.0 < acof < LARGEST_SHOE_MU:
        words = f"line {line}: acof is {text['acof']!r}"
        raise InvalidRecording(
            path, words, f"a number above 0 and below {LARGEST_SHOE_MU:g}"
        )
    return Reading(
        instrument=text["instrument"],
        floor=text["floor"],
        shoe=text["shoe"],
        condition=text["condition"],
        acof=acof,
    )


def instruments(readings: Sequence[Reading]) -> list[str]:
    """List instruments in the order of first appearance."""
    return list(dict.fromkeys(reading.instrument for reading in readings))


def surfaces(readings: Sequence[Reading], instrument: str) -> list[str]:
    """List floors in their conditions that an instrument has read.

    They are in the order of first appearance.
    """
    return list(
        dict.fromkeys(one.surface for one in readings if one.instrument == instrument)
    )


def readings_for(
    readings: Sequence[Reading], instrument: str, surface: str, shoe: str
) -> FloatArray:
    """Select an instrument's readings on a surface that hold for a shoe, shape (m,)."""
    same = (
        one
        for one in readings
        if one.instrument == instrument and one.surface == surface
    )
    return np.array([one.acof for one in same if one.shoe in ("", shoe)])


EVERYBODY = "everybody"


class WalkedIn(NamedTuple):
    """Person, foot and footwear of steps; the floor is that of the readings."""

    shoe: str
    condition: str
    subject: str
    person: str
    foot: str


class ChanceRow(NamedTuple):
    """One cell of floors times people."""

    instrument: str
    surface: str  # floor and its condition, as read
    shoe: str
    condition: str  # of the walk
    subject: str
    person: str
    foot: str
    steps: int
    readings: int
    required_mean: float
    available_mean: float
    chance: float
    low: float  # of the 95 % interval
    high: float
    method: str
    steps_normal: str  # yes, no, or empty where too few to test
    readings_normal: str


def chance_rows(
    steps: Iterable[Step],
    readings: Sequence[Reading],
    quantity: str = "rcof",
    method: str = DEFAULT,
) -> list[ChanceRow]:
    """Compute the chances for every combination with steps and readings.

    A combination is one of instrument, surface, shoe, condition, person and foot.

    A surface's readings are set against the steps wherever those were walked: what a
    person asks for where nothing slips. Steps that slipped are left out, since a
    sliding foot shows what the floor has, not what the person asks for.

    Raises:
        BipedSlipError: no step goes with any reading.
    """
    asked: dict[WalkedIn, list[float]] = {}
    for step in steps:
        value = getattr(step, quantity)
        if step.excluded or not math.isfinite(value) or step.slips:
            continue
        for person in dict.fromkeys((step.person or EVERYBODY, EVERYBODY)):
            for foot in (step.foot, BOTH):
                asked.setdefault(
                    WalkedIn(
                        shoe=step.shoe,
                        condition=step.condition,
                        subject=step.subject,
                        person=person,
                        foot=foot,
                    ),
                    [],
                ).append(value)
    rows = []
    for instrument in instruments(readings):
        for surface in surfaces(readings, instrument):
            for walked, values in asked.items():
                have = readings_for(readings, instrument, surface, walked.shoe)
                if len(values) >= 2 and len(have):
                    rows.append(
                        _row(
                            instrument, surface, walked, np.array(values), have, method
                        )
                    )
    if not rows:
        raise BipedSlipError(
            "no step goes with any reading: compare the column shoe of both tables"
        )
    return rows


def _row(
    instrument: str,
    surface: str,
    walked: WalkedIn,
    required: FloatArray,
    available: FloatArray,
    method: str,
) -> ChanceRow:
    found = chance_of_slip(required, available, method)
    return ChanceRow(
        instrument=instrument,
        surface=surface,
        **walked._asdict(),
        steps=found.steps,
        readings=found.readings,
        required_mean=float(required.mean()),
        available_mean=float(available.mean()),
        chance=found.estimate,
        low=found.low,
        high=found.high,
        method=found.method,
        steps_normal=_normal_words(required),
        readings_normal=_normal_words(available),
    )


def _normal_words(values: FloatArray) -> str:
    _, normal = tested(values)
    return "" if math.isnan(normal.p) else "no" if normal.refused else "yes"


def write_chances(path: Path, rows: Sequence[ChanceRow]) -> None:
    """Write the chances as CSV, one line per cell."""
    write_table(path, ChanceRow._fields, rows)


class AtLeast(NamedTuple):
    """Lower bound of a floor's friction from steps without a slip.

    The friction of the floor's slides is beside it.
    """

    floor: str
    shoe: str
    condition: str
    steps: int
    # largest ratio that a step held without slip; no more than the friction of slides
    # there [-]
    held: float
    slides: int
    friction: float  # median force ratio of the slides; NaN without any


def at_least(steps: Iterable[Step]) -> list[AtLeast]:
    """Compute lower bounds per floor, shoe and condition.

    Steps of unknown motion do not count as slip-free.
    """
    held: dict[tuple[str, str, str], list[float]] = {}
    slid: dict[tuple[str, str, str], list[float]] = {}
    for step in steps:
        value = step.slip_friction if step.slips else step.held
        if not step.excluded and step.slip_class and math.isfinite(value):
            (slid if step.slips else held).setdefault(
                (step.floor, step.shoe, step.condition), []
            ).append(value)
    found = []
    for key in dict.fromkeys([*held, *slid]):
        kept = held.get(key, [])
        slides = slid.get(key, [])
        friction = float(np.median(slides)) if slides else math.nan
        least = (
            min(max(kept, default=math.nan), friction)
            if slides and kept
            else max(kept, default=math.nan)
        )
        floor, shoe, condition = key
        found.append(
            AtLeast(
                floor=floor,
                shoe=shoe,
                condition=condition,
                steps=len(kept) + len(slides),
                held=least,
                slides=len(slides),
                friction=friction,
            )
        )
    return found

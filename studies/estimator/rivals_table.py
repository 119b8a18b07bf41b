# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator side by side with what others would do on the same stances.

Profile least squares by Dahl's rule, by Masing's and by both; the thesis' recursive
least squares as printed and as tuned; identification triggered by slip, as published
for quadrupeds; and detection of the first micro-slip. Each is reduced to what it claims
that the floor surely has, and to when it says that it knows.
"""

from __future__ import annotations

import math
from typing import Any, Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import AnyArray
from biped_slip.compile.kernel import kernel
from biped_slip.friction_estimation.interval.config import SoleModel
from biped_slip.friction_estimation.settings import SlipBasedConfig
from biped_slip.friction_estimation.slip_based import (
    SlipBasedEstimator,
    SlipBasedState,
    slip_based_step,
)
from biped_slip.friction_estimation.types import FootMeasurement
from studies.estimator import rivals
from studies.estimator.certificate import (
    OTHER_SEED,
    SHIPPED,
    TOLD_ALIKE,
    answers,
    calibrated_threshold,
    ends_of_fits,
    judged,
    realise,
)
from studies.estimator.conditions import P2
from studies.estimator.rivals import USABLE_RATIO
from studies.frame import NAN, Row
from synthetic.contacts import Contact
from synthetic.stances import (
    BRAKE,
    PERIOD,
    START,
    WIDTH,
    Observed,
    Sensors,
    Stances,
    Walk,
    told,
)

OVER = 1.1
FLOORS = (
    ("Dahl", Walk()),
    ("Iwan", Walk(Contact("iwan"))),
    (
        "Iwan, braking to 0.8 first",
        Walk(Contact("iwan"), profile=BRAKE, brake=(0.7, 0.9)),
    ),
    ("Maxwell slip", Walk(Contact("maxwell_slip"))),
    ("elasto-plastic 0.3", Walk(Contact("elasto_plastic", 0.3))),
    ("Iwan, legs 2e5 N/m", Walk(Contact("iwan", stiffness=2e5))),
)
INITIAL_BLOCKS = 6  # that show the stiffness before any micro-slip
SURPRISE = (
    25.0  # squared residuals beyond their expectation, at which a straight line is left
)
# by which the load must have changed before a line is judged, in sd of the force ratio
FEWEST_SIGMAS = 30.0


class Said(NamedTuple):
    """What a method says at every sample, shape (stances, samples)."""

    claim: AnyArray  # that mu is no less; NaN: nothing
    knows: AnyArray  # whether it says that it knows, or warns


class Compared(NamedTuple):
    """One method on one floor; shares of stances."""

    floor: str
    method: str
    above: float  # a claim above mu at any time
    far: float  # by more than a tenth
    before: float  # known before 0.9 of the limit, of the stances that reach it
    lead: float  # median time from then to 0.9 of the limit, or the stance's end [ms]
    load: tuple[
        float, float, float
    ]  # load over mu when it first says so: 10, 50 and 90 %


def methods(
    stances: Stances, seen: Observed, sensors: Sensors, threshold: float
) -> Iterator[tuple[str, Said]]:
    """Yield every method over the same stances.

    ``threshold`` is that of profile least squares.
    """
    yield "interval, as shipped", _interval(seen, sensors, SHIPPED)
    yield "interval, told what the fits are told", _interval(seen, sensors, TOLD_ALIKE)
    for rules, label in (
        ("both", "either rule"),
        ("dahl", "Dahl's rule"),
        ("masing", "Masing's rule"),
    ):
        low, high = ends_of_fits(stances, seen, sensors, threshold, rules)
        yield f"profile least squares, {label}", Said(low, high < USABLE_RATIO * low)
    for label, tuning in (("as printed", rivals.PRINTED), ("tuned", rivals.TUNED)):
        mu, flag = rivals.follow_thesis(stances, seen, sensors.kind, tuning)
        yield (
            f"recursive least squares, {label}",
            Said(np.where(flag, mu, np.nan), flag),
        )
    yield "triggered by slip", slip_triggered(seen)
    yield "first micro-slip", first_micro_slip(stances, seen, sensors)


def _interval(seen: Observed, sensors: Sensors, sole: SoleModel) -> Said:
    said = answers(seen, told(sensors, False, sole))
    return Said(said.low, said.usable > 0.0)


def slip_triggered(seen: Observed) -> Said:
    """Return the force ratio of a foot that moves faster than 20 mm/s along its force.

    Before that, there is nothing.
    """
    one = SlipBasedEstimator(SlipBasedConfig())
    ratio = np.full(seen.normal.shape, np.nan)
    velocity = rivals.low_passed_velocity(seen.displacement[..., 0])
    for k in range(seen.normal.shape[0]):
        _follow_slip(
            one.initial_state(),
            one.settings,
            seen.force[k, :, 0],
            seen.normal[k],
            velocity[k],
            ratio[k],
        )
    return Said(ratio, np.isfinite(ratio))


@kernel
def _follow_slip(
    state: SlipBasedState,
    settings: Any,
    force: AnyArray,
    normal: AnyArray,
    velocity: AnyArray,
    ratio: AnyArray,
) -> None:
    nan = math.nan
    for k in range(START, normal.size):
        seen = FootMeasurement(
            stamp_ns=k,
            force_x=-force[k],
            force_y=0.0,
            force_normal=normal[k],
            displacement_x=nan,
            displacement_y=nan,
            velocity_x=velocity[k],
            velocity_y=0.0,
            moment_normal=nan,
            centre_of_pressure_x=nan,
            centre_of_pressure_y=nan,
            angular_rate=nan,
        )
        state, estimate = slip_based_step(state, settings, seen, PERIOD)
        ratio[k] = estimate.mu


def first_micro_slip(stances: Stances, seen: Observed, sensors: Sensors) -> Said:
    """Warn when displacement over load leaves the contact's initial straight line.

    It claims what the foot carries at the warning, which no floor with less could
    carry; of more it knows nothing.
    """
    shape = seen.normal.shape
    claim = np.full(shape, np.nan)
    knows = np.zeros(shape, dtype=np.bool_)
    blocks = (shape[1] - START) // WIDTH
    cut = slice(START, START + blocks * WIDTH)
    mean = [
        a[:, cut].reshape(shape[0], blocks, WIDTH).mean(axis=2)
        for a in (seen.ratio[..., 0], seen.displacement[..., 0], seen.normal)
    ]
    sigma = math.hypot(
        sensors.sigma / math.sqrt(WIDTH), sensors.quantisation / math.sqrt(12.0)
    )
    for k in range(shape[0]):
        count = (int(stances.length[k]) - START) // WIDTH
        force = math.hypot(
            sensors.force_sigma / math.sqrt(WIDTH),
            sensors.force_offset / math.sqrt(3.0),
        )
        block = leaves_the_line(
            mean[0][k, :count], mean[1][k, :count], sigma, force / mean[2][k, :count]
        )
        if block >= 0:
            first = START + WIDTH * (block + 1) - 1
            knows[k, first:], claim[k, first:] = True, abs(mean[0][k, block])
    return Said(claim, knows)


@kernel
def leaves_the_line(ratio: AnyArray, x: AnyArray, sigma: float, noise: AnyArray) -> int:
    """Find the first block that a straight line through all before it doesn't foresee.

    The answer is -1 where there is none.
    """
    count = mean_u = mean_x = uu = ux = surprise = 0.0
    largest = 0.0
    for k in range(ratio.size):
        if count >= INITIAL_BLOCKS and largest > FEWEST_SIGMAS * noise[k]:
            slope = ux / max(uu, 1e-12)
            away = ratio[k] - mean_u
            variance = (sigma**2 + (slope * noise[k]) ** 2) * (
                1.0 + 1.0 / count + away * away / max(uu, 1e-12)
            )
            left = x[k] - mean_x - slope * away
            surprise = max(surprise + left * left / variance - 2.0, 0.0)
            if surprise > SURPRISE:
                return k
        count += 1.0
        du = ratio[k] - mean_u
        dx = x[k] - mean_x
        mean_u += du / count
        mean_x += dx / count
        uu += du * (ratio[k] - mean_u)
        ux += du * (x[k] - mean_x)
        largest = max(largest, abs(ratio[k] - ratio[0]))
    return -1


def score(floor: str, method: str, stances: Stances, said: Said) -> Compared:
    """Reduce what a method said to its row."""
    inside = judged(stances)
    rows = np.arange(stances.mu.size)
    over = np.nan_to_num(np.where(inside, said.claim / stances.mu[:, None], 0.0)).max(
        axis=1
    )
    late = inside & (stances.share >= 0.9)
    demanded = late.any(axis=1)
    end = np.where(
        demanded,
        late.argmax(axis=1),
        inside.shape[1] - 1 - np.argmax(inside[:, ::-1], axis=1),
    )
    early = inside & said.knows & (np.arange(inside.shape[1]) < end[:, None])
    spoke = early.any(axis=1)
    first = early.argmax(axis=1)
    load = (
        np.quantile(stances.share[rows, first][spoke], (0.1, 0.5, 0.9))
        if spoke.any()
        else (NAN, NAN, NAN)
    )
    return Compared(
        floor=floor,
        method=method,
        above=float(np.mean(over > 1.0)),
        far=float(np.mean(over > OVER)),
        before=float(np.mean(spoke[demanded])) if demanded.any() else NAN,
        lead=float(np.median((end - first)[spoke])) if spoke.any() else NAN,
        load=(float(load[0]), float(load[1]), float(load[2])),
    )


def compare(count: int, seed: int) -> list[Compared]:
    """Score every method on every floor: P2, whole stances.

    The fits' threshold is set on Dahl and Iwan stances.
    """
    threshold = calibrated_threshold(P2, count, OTHER_SEED)
    table = []
    for floor, walk in FLOORS:
        stances, seen = realise(walk, P2, count, seed)
        table += [
            score(floor, name, stances, said)
            for name, said in methods(stances, seen, P2, threshold)
        ]
    return table


def verdict(table: list[Compared]) -> list[Row]:
    """Judge whether a method that states a mu is as safe on every floor.

    Its mu must also be known earlier somewhere.
    """
    ours = "interval, as shipped"
    mine = {one.floor: one for one in table if one.method == ours}
    rows = [
        Row(
            what=f"{ours}: largest share of claims above mu",
            required=0.05,
            at_most=True,
            study="",
            ours=max(one.above for one in mine.values()),
        )
    ]
    for method in dict.fromkeys(one.method for one in table):
        theirs = [one for one in table if one.method == method]
        if (
            method.startswith("interval")
            or method == "first micro-slip"
            or max(one.above for one in theirs) > 0.05
        ):
            continue
        ahead = sum(one.before > mine[one.floor].before for one in theirs)
        rows.append(
            Row(
                what=f"{method}, no more often wrong: floors on which it knows earlier",
                required=0.0,
                at_most=True,
                study="",
                ours=ahead,
            )
        )
    return rows


COLUMNS = {
    "contact": lambda one: one.floor,
    "method": lambda one: one.method,
    "claim > mu": lambda one: f"{one.above:.3f}",
    "> 1.1 mu": lambda one: f"{one.far:.3f}",
    "known before .9": lambda one: f"{one.before:.2f}",
    "lead [ms]": lambda one: "-" if math.isnan(one.lead) else f"{one.lead:.0f}",
    "load/mu then: 10, 50, 90 %": lambda one: (
        "-" if math.isnan(one.load[1]) else "{:.2f} {:.2f} {:.2f}".format(*one.load)
    ),
}

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The estimate in the loop: hundreds of walks with real sensors, limit by limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.motion_config import SOURCES, MotionConfig
from biped_slip.estimation.planar_feet import FloorConfig, motion_source
from biped_slip.friction_estimation.interval.estimator import IntervalEstimator
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.simulation.campaign import groups
from biped_slip.simulation.planar.job import PlanarJob, PlanarOutcome
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    chosen_scenario,
    perturbed,
)
from biped_slip.simulation.planar.summary import StanceEstimate
from biped_slip.simulation.planar.walk import Walk
from biped_slip.simulation.stances import CONTACT_FORCE, SLIP_LIMIT, stances
from biped_slip.walking.planar import FrictionObserver, planar_output
from studies.frame import NAN, Columns, Row

# Walks with the sensors of a real robot over floors that nobody announced: who passes,
# and what was known when.
#
# Each seed draws the start, the patch's edge, its mu between 0.25 and 1.0 and the
# sensor noise (scenarios ``*_sensors``).

FLAT = "thesis_sensors"
UPHILL = "traction_sensors"
CONSTANT = "constant:0.2"
LIMITS = ("none", CONSTANT, "constant:0.7", "thesis", "interval", "oracle")
ESTIMATING = ("thesis", "interval", "oracle")  # limits that an estimate stands behind
# of the patch's mu, in which passes are counted
BANDS = (
    (0.0, 0.4),
    (0.4, 0.6),
    (0.6, math.inf),
)
FLOORS = ("start", "patch")


def jobs(walks: int, first_seed: int = 0) -> list[PlanarJob]:
    """Every limit on both scenarios over the same seeds."""
    seeds = range(first_seed, first_seed + walks)
    return [
        PlanarJob(scenario, limit, seed)
        for scenario in (FLAT, UPHILL)
        for limit in LIMITS
        for seed in seeds
    ]


@dataclass(frozen=True)
class Passes:
    """How the walks of one scenario with one limit ended."""

    scenario: str
    limit: str
    runs: int
    passed: int
    fell: int
    slipped: int  # a stance foot slid by 1 cm or more
    by_patch: tuple[
        tuple[int, int], ...
    ]  # (passed, runs) where the patch's mu is in each band

    @property
    def share(self) -> float:
        """Of the walks that passed."""
        return self.passed / self.runs if self.runs else math.nan


@dataclass(frozen=True)
class Floor:
    """What was known of one floor over all its stances.

    Numbers are NaN where there is nothing to average.
    """

    scenario: str
    limit: str
    floor: str
    stances: int
    released: float  # share in which the limit came to follow an estimate
    before_weight: (
        float  # share of those that came to carry all weight, released before
    )
    limit_at_release: float  # mean of limit / mu
    limit_over_stance: float  # mean of limit / mu over the loaded stance
    demanded: int  # stances that wanted 0.9 mu
    in_time: float  # share of those with an estimate in force before
    limit_above_mu: (
        float  # share of released stances in which the limit ever was above mu
    )
    low_above_mu: (
        float  # share of released stances in which the certificate ever was above mu
    )
    largest_low: float  # largest certificate / mu of all these stances


def passes(outcomes: Sequence[PlanarOutcome]) -> list[Passes]:
    """One row per scenario and limit."""
    rows = []
    for (scenario, limit), group in groups(outcomes).items():
        bands = [
            [o.passed for o in group if low <= o.floors[-1] < high]
            for low, high in BANDS
        ]
        rows.append(
            Passes(
                scenario=scenario,
                limit=limit,
                runs=len(group),
                passed=sum(o.passed for o in group),
                fell=sum(o.summary.fell for o in group),
                slipped=sum(o.summary.max_stance_slip >= SLIP_LIMIT for o in group),
                by_patch=tuple((sum(band), len(band)) for band in bands),
            )
        )
    return rows


def floors(outcomes: Sequence[PlanarOutcome]) -> list[Floor]:
    """One row per scenario, limit and floor."""
    rows = []
    for (scenario, limit), group in groups(outcomes).items():
        for index, name in enumerate(FLOORS):
            rows.append(_floor(scenario, limit, name, list(_contacts(group, index))))
    return rows


def _contacts(
    outcomes: Iterable[PlanarOutcome], index: int
) -> Iterable[StanceEstimate]:
    """Stances on one of the floors, the nearest in mu."""
    for outcome in outcomes:
        for contact in outcome.summary.contacts:
            if (
                int(np.argmin(np.abs(np.array(outcome.floors) - contact.mu_true)))
                == index
            ):
                yield contact


def _floor(
    scenario: str, limit: str, name: str, contacts: list[StanceEstimate]
) -> Floor:
    estimating = limit in ESTIMATING
    released = [c for c in contacts if estimating and c.released_from is not None]
    alone = [c for c in contacts if c.alone_from is not None]
    demanded = [c for c in contacts if c.demand_time is not None]
    return Floor(
        scenario=scenario,
        limit=limit,
        floor=name,
        stances=len(contacts),
        released=_mean(contacts, lambda c: c.released_from is not None)
        if estimating
        else NAN,
        before_weight=_mean(alone, _released_before_weight) if estimating else NAN,
        limit_at_release=_mean(released, lambda c: _ratio(c.limit_at_release, c)),
        limit_over_stance=_mean(
            [c for c in contacts if c.mean_limit is not None],
            lambda c: _ratio(c.mean_limit, c),
        ),
        demanded=len(demanded),
        in_time=_mean(demanded, lambda c: c.mu_at_demand is not None)
        if estimating
        else NAN,
        limit_above_mu=_mean(released, lambda c: _ratio(c.largest_limit, c) > 1.0),
        low_above_mu=_mean(released, lambda c: _ratio(c.largest_low, c) > 1.0),
        largest_low=max(
            (_ratio(c.largest_low, c) for c in released if c.largest_low is not None),
            default=NAN,
        ),
    )


def _released_before_weight(contact: StanceEstimate) -> bool:
    return contact.released_from is not None and contact.released_from < (
        contact.alone_from or 0.0
    )


def _ratio(value: float | None, contact: StanceEstimate) -> float:
    return math.nan if value is None else value / contact.mu_true


def _mean(
    contacts: Sequence[StanceEstimate], value: Callable[[StanceEstimate], float]
) -> float:
    return float(np.mean([value(contact) for contact in contacts])) if contacts else NAN


def requirements(found: Sequence[Passes]) -> list[Row]:
    """List the requirements on the closed loop."""
    share = {(row.scenario, row.limit): row.share for row in found}
    best = share[UPHILL, "oracle"]
    return [
        Row(
            what="thesis scenario: interval passes",
            required=0.95,
            at_most=False,
            study="",
            ours=share[FLAT, "interval"],
        ),
        Row(
            what="traction scenario: constant 0.2 passes",
            required=0.20,
            at_most=True,
            study="",
            ours=share[UPHILL, CONSTANT],
        ),
        Row(
            what="traction scenario: interval's passes over the oracle's",
            required=0.90,
            at_most=False,
            study="",
            ours=share[UPHILL, "interval"] / best if best else 0.0,
        ),
    ]


# The same walks with one thing changed: noisier force sensors, contacts that remember
# reversals.

NOISE = (0.003, 0.01, 0.03)  # of body weight
# landing is felt above offset and noise (choice: a second at 1 kHz without false alarm)
LANDING_SIGMAS = 8.0
LANDING_FORCE = 3.0  # [N] the gait's own
CONTACTS = ("iwan", "dahl")


@dataclass(frozen=True)
class Variation:
    """Changes of the scenarios with a name, and the limits walked with them."""

    name: str
    changes: tuple[tuple[str, Any], ...]
    limits: tuple[str, ...]


def force_noise() -> list[Variation]:
    """Noise and offset of the force sensors alike.

    The estimator is told of them; the gait feels landings above them.
    """
    weight = planar_biped("thesis").mass * GRAVITY
    found = []
    for share in NOISE:
        noise = share * weight
        changes = {
            "sensors.force_noise": noise,
            "sensors.force_offset": noise,
            "interval.force.sigma": noise,
            "interval.force.offset": noise,
            "controller.gait.landing_force": max(LANDING_FORCE, LANDING_SIGMAS * noise),
        }
        found.append(
            Variation(
                f"force noise {100 * share:g} %",
                tuple(changes.items()),
                ("interval", "oracle"),
            )
        )
    return found


def contacts() -> list[Variation]:
    """Every limit on a contact with memory of every reversal, and on one with none."""
    return [
        Variation(name, (("plant.contact", f"hunt_crossley + {name}"),), LIMITS)
        for name in CONTACTS
    ]


def varied_jobs(
    variations: Sequence[Variation], walks: int, first_seed: int = 0
) -> list[PlanarJob]:
    """Every variation on both scenarios over the same seeds."""
    return [
        PlanarJob(scenario, limit, seed, variation.changes)
        for variation in variations
        for scenario in (FLAT, UPHILL)
        for limit in variation.limits
        for seed in range(first_seed, first_seed + walks)
    ]


def walked(
    variation: Variation, outcomes: Sequence[PlanarOutcome]
) -> list[PlanarOutcome]:
    """Walk one variation and return its outcomes."""
    return [outcome for outcome in outcomes if outcome.job.changes == variation.changes]


# How slippery a patch each slip prevention can cross: perturbed replicas at every mu
# that is tried.

LOWEST_MU_LIMITS = (CONSTANT, "thesis", "interval", "oracle")
START = {FLAT: 1.0, UPHILL: 0.6}  # mu of the floor before the patch, the scenarios' own
TRIED = (
    1.0,
    0.8,
    0.6,
    0.5,
    0.45,
    0.4,
    0.35,
    0.3,
    0.25,
    0.22,
    0.2,
    0.18,
    0.16,
    0.14,
    0.12,
    0.1,
)  # falling
REPLICAS = 5
ENOUGH = 4


@dataclass(frozen=True)
class LowestMu:
    """Passes of the replicas at each mu tried.

    ``lowest`` is the lowest mu at and above which enough pass; None means not even at
    the first.
    """

    scenario: str
    limit: str
    passed: tuple[tuple[float, int], ...]  # (mu, replicas that passed), falling mu
    lowest: float | None


def search(
    walk: Callable[[list[PlanarJob]], list[PlanarOutcome]], first_seed: int = 0
) -> list[LowestMu]:
    """From the highest mu down, each scenario and limit until too few replicas pass.

    Args:
        walk: gives the outcomes of jobs, in their order.
        first_seed: of the replicas, the same at every mu.
    """
    found: dict[tuple[str, str], list[tuple[float, int]]] = {
        (s, k): [] for s in (FLAT, UPHILL) for k in LOWEST_MU_LIMITS
    }
    for mu in TRIED:
        going = [
            pair
            for pair, counts in found.items()
            if lowest(counts) == (counts[-1][0] if counts else None)
        ]
        jobs = [
            job
            for scenario, limit in going
            for job in replicas(scenario, limit, mu, first_seed)
        ]
        outcomes = walk(jobs)
        for i, pair in enumerate(going):
            found[pair].append(
                (
                    mu,
                    sum(
                        outcome.passed
                        for outcome in outcomes[REPLICAS * i : REPLICAS * (i + 1)]
                    ),
                )
            )
    return [
        LowestMu(*pair, tuple(counts), lowest(counts)) for pair, counts in found.items()
    ]


def replicas(scenario: str, limit: str, mu: float, first_seed: int) -> list[PlanarJob]:
    """Perturbed walks over a patch of one mu."""
    changes = (("ground.mu", (START[scenario], mu)), ("spread.last_mu", ()))
    return [
        PlanarJob(scenario, limit, seed, changes)
        for seed in range(first_seed, first_seed + REPLICAS)
    ]


def lowest(passed: Sequence[tuple[float, int]]) -> float | None:
    """Lowest mu of a falling list at and above which enough replicas pass.

    They pass at every entry.
    """
    reached = None
    for mu, count in passed:
        if count < ENOUGH:
            break
        reached = mu
    return reached


# What each motion source is worth: interval estimators on all of them, side by side, in
# the same simulated walks.

DEMAND = 0.9  # of mu
FAR = 1.1  # times mu: by more than the grid's cell
#: A good humanoid's sensors: 19 bits per joint, the accelerometer of study 2 (I1) at 1
#: kHz, positions of 20 um.
ENCODER = 1e-5
ACCELERATION = 1e-3 / np.sqrt(2e-3)
BIAS = 0.02
SENSORS = {
    "joint_position_noise": ENCODER / 0.7,
    "joint_velocity_noise": 5e-3,
    "accelerometer_noise": float(ACCELERATION),
    "accelerometer_bias": BIAS,
}


class StanceResult(NamedTuple):
    """How one source fared in one stance."""

    demanded: bool  # the load reached 0.9 mu
    in_time: bool  # usable before that
    usable: bool  # at some time before the foot slid or lifted off
    held: bool  # mu was inside the interval whenever that was usable
    above: bool  # mu_low was above mu at some time before a slip
    far_above: bool  # above 1.1 mu


class SourceRow(NamedTuple):
    """One source over all stances."""

    source: str
    stances: int
    demanded: int
    in_time: int  # of the demanded ones
    usable: int  # of all
    held: int  # of the usable ones
    above: int  # of all
    far_above: int  # of all


def compare(scenario: str, limit: str, seeds: range = range(10)) -> list[SourceRow]:
    """Walk and estimate on every source.

    Args:
        scenario: name of one with noise in force and position.
        limit: slip prevention that the walk is made with; the estimators look on.
        seeds: one walk each.
    """
    found: dict[str, list[StanceResult]] = {source: [] for source in SOURCES}
    for seed in seeds:
        for source, results in _walk(scenario, limit, seed).items():
            found[source] += results
    return [_row(source, results) for source, results in found.items()]


def _row(source: str, results: list[StanceResult]) -> SourceRow:
    demanded = [one for one in results if one.demanded]
    usable = [one for one in results if one.usable]
    return SourceRow(
        source=source,
        stances=len(results),
        demanded=len(demanded),
        in_time=sum(one.in_time for one in demanded),
        usable=len(usable),
        held=sum(one.held for one in usable),
        above=sum(one.above for one in results),
        far_above=sum(one.far_above for one in results),
    )


def _walk(name: str, limit: str, seed: int) -> dict[str, list[StanceResult]]:
    scenario = perturbed(_equipped(name), np.random.default_rng(seed))
    walk = Walk(scenario, planar_policy(limit, scenario), seed)
    observers = {source: _observer(walk.robot, scenario, source) for source in SOURCES}
    answers: dict[str, list[Array]] = {source: [] for source in SOURCES}
    while not walk.ended:
        readings = walk.read()
        record = walk.controller.step(readings)
        walk.log.record_control(walk.log.length - 1, planar_output(record))
        for source, observer in observers.items():
            answers[source].append(
                np.array(observer.step(readings).estimates, dtype=float)
            )
        walk.advance(record.torques)
    log = walk.log.trim()
    results = {}
    for source, rows in answers.items():
        table = np.array(rows)[: log.length]
        results[source] = [
            _judged(
                table[stance, foot], log.mu_true[stance, foot], log.normal[stance, foot]
            )
            for foot in (0, 1)
            for stance in stances(log.time, log.normal[:, foot])
        ]
    return results


def _equipped(name: str) -> ScenarioConfig:
    mapping = chosen_scenario(name).to_mapping()
    mapping["sensors"].update(SENSORS)
    return ScenarioConfig.from_mapping(mapping)


def _observer(robot: Robot, scenario: ScenarioConfig, source: str) -> FrictionObserver:
    motion = MotionConfig(source=source, encoder_noise=ENCODER)
    estimator = IntervalEstimator(
        motion.assumed(scenario.interval), body_weight=robot.mass * GRAVITY
    )
    return FrictionObserver(
        robot,
        estimator,
        motion_source(robot, motion, FloorConfig(scenario.ground.slope)),
    )


def _judged(answers: Array, mu: Array, normal: Array) -> StanceResult:
    """One stance of one foot, from answers (ticks, fields of an estimate).

    After a slip, an answer is no longer foresight.
    """
    column = {name: answers[:, k] for k, name in enumerate(FrictionEstimate._fields)}
    reached = _first(
        (column["force_ratio"] >= DEMAND * mu)
        & (normal > CONTACT_FORCE)
        & _settled(column["state_code"])
    )
    slid = _first(column["slipping"] > 0.0)
    usable = (column["usable"] > 0.0) & (np.arange(mu.size) < slid)
    low = column["mu_low"]
    high = column["mu_high"]
    inside = (low <= mu) & (mu <= high)
    before = np.arange(mu.size) < min(reached, mu.size)
    return StanceResult(
        demanded=reached < mu.size,
        in_time=bool((usable & before).any()),
        usable=bool(usable.any()),
        held=bool(inside[usable].all()),
        above=bool((low > mu)[:slid].any()),
        far_above=bool((low > FAR * mu)[:slid].any()),
    )


def _settled(words: Array) -> NDArray[np.bool_]:
    return np.isin(words, [EstimateState.NOT_IDENTIFIABLE, EstimateState.USABLE])


def _first(condition: NDArray[np.bool_]) -> int:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else int(condition.size)


SOURCE_COLUMNS = {
    "source": lambda row: row.source,
    "stances": lambda row: row.stances,
    "usable before .9 mu": lambda row: f"{row.in_time}/{row.demanded}",
    "usable": lambda row: f"{row.usable}/{row.stances}",
    "mu inside while usable": lambda row: f"{row.held}/{row.usable}",
    "mu_low above mu": lambda row: f"{row.above}/{row.stances}",
    "above 1.1 mu": lambda row: f"{row.far_above}/{row.stances}",
}


def _band(k: int) -> Callable[[Passes], str]:
    return lambda row: "{}/{}".format(*row.by_patch[k])


PASSES_COLUMNS: Columns = {
    "limit": lambda row: row.limit,
    "pass": lambda row: f"{row.passed}/{row.runs}",
    "fell": lambda row: row.fell,
    "slid 1 cm": lambda row: row.slipped,
    **{f"mu {low:g}-{high:g}": _band(k) for k, (low, high) in enumerate(BANDS)},
}


def _shown(name: str) -> Callable[[Any], str]:
    """Two decimals of an attribute; a dash where there is no number."""
    return lambda row: (
        "-" if math.isnan(getattr(row, name)) else f"{getattr(row, name):.2f}"
    )


FLOORS_COLUMNS: Columns = {
    "limit, floor": lambda row: f"{row.limit.removeprefix('constant:')}, {row.floor}",
    "n": lambda row: row.stances,
    "released": _shown("released"),
    "before weight": _shown("before_weight"),
    "limit / mu": _shown("limit_at_release"),
    "over stance": _shown("limit_over_stance"),
    "wanted 0.9 mu": lambda row: row.demanded,
    "known before": _shown("in_time"),
    "limit > mu": _shown("limit_above_mu"),
    "mu_low > mu": _shown("low_above_mu"),
    "most": _shown("largest_low"),
}
LOWEST_COLUMNS = {
    "scenario": lambda row: row.scenario,
    "limit": lambda row: row.limit,
    "lowest mu": lambda row: "none" if row.lowest is None else f"{row.lowest:g}",
    f"replicas that passed, of {REPLICAS}": lambda row: " ".join(
        f"{mu:g}:{count}" for mu, count in row.passed
    ),
}

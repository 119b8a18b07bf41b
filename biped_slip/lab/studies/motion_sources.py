# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What each motion source is worth: interval estimators on all of them, side by side, in the same simulated walks."""

from __future__ import annotations

from typing import Callable, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.foot_measurement import FloorConfig
from biped_slip.estimation.motion.config import SOURCES, MotionConfig
from biped_slip.estimation.motion.sources import motion_source
from biped_slip.friction_estimation.interval import IntervalEstimator
from biped_slip.friction_estimation.types import EstimateState, FrictionEstimate
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.policy import planar_policy
from biped_slip.simulation.planar.run import named_scenario
from biped_slip.simulation.planar.scenario import ScenarioConfig, perturbed
from biped_slip.simulation.planar.walk import Walk
from biped_slip.simulation.stances import CONTACT_FORCE, stances
from biped_slip.walking.observer import FrictionObserver
from biped_slip.walking.planar import planar_output

DEMAND = 0.9  # of mu
FAR = 1.1  # times mu: by more than the grid's cell
#: A good humanoid's sensors: 19 bits per joint, the accelerometer of study 2 (I1) at 1 kHz, positions of 20 um.
ENCODER, ACCELERATION, BIAS = 1e-5, 1e-3 / np.sqrt(2e-3), 0.02
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


def compare(
    scenario: str, limit: str, seeds: range = range(10), progress: Callable[[], None] | None = None
) -> list[SourceRow]:
    """Walk and estimate on every source; ``progress`` is called after each walk.

    Args:
        scenario: name of one with noise in force and position.
        limit: slip prevention that the walk is made with; the estimators look on.
        seeds: one walk each.
        progress: called after each walk.
    """
    found: dict[str, list[StanceResult]] = {source: [] for source in SOURCES}
    for seed in seeds:
        for source, results in _walk(scenario, limit, seed).items():
            found[source] += results
        if progress is not None:
            progress()
    return [_row(source, results) for source, results in found.items()]


def _row(source: str, results: list[StanceResult]) -> SourceRow:
    demanded = [one for one in results if one.demanded]
    usable = [one for one in results if one.usable]
    return SourceRow(
        source,
        len(results),
        len(demanded),
        sum(one.in_time for one in demanded),
        len(usable),
        sum(one.held for one in usable),
        sum(one.above for one in results),
        sum(one.far_above for one in results),
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
            answers[source].append(np.array(observer.step(readings).estimates, dtype=float))
        walk.advance(record.torques)
    log = walk.log.trim()
    results = {}
    for source, rows in answers.items():
        table = np.array(rows)[: log.length]
        results[source] = [
            _judged(table[stance, foot], log.mu_true[stance, foot], log.normal[stance, foot])
            for foot in (0, 1)
            for stance in stances(log.time, log.normal[:, foot])
        ]
    return results


def _equipped(name: str) -> ScenarioConfig:
    mapping = named_scenario(name).to_mapping()
    mapping["sensors"].update(SENSORS)
    return ScenarioConfig.from_mapping(mapping)


def _observer(robot: Robot, scenario: ScenarioConfig, source: str) -> FrictionObserver:
    motion = MotionConfig(source=source, encoder_noise=ENCODER)
    estimator = IntervalEstimator(motion.told(scenario.interval), body_weight=robot.mass * GRAVITY)
    return FrictionObserver(robot, estimator, motion_source(robot, motion, FloorConfig(scenario.ground.slope)))


def _judged(answers: Array, mu: Array, normal: Array) -> StanceResult:
    """One stance of one foot; answers (ticks, fields of an estimate). A slip ends what was foresight."""
    column = {name: answers[:, k] for k, name in enumerate(FrictionEstimate._fields)}
    reached = _first((column["force_ratio"] >= DEMAND * mu) & (normal > CONTACT_FORCE) & _settled(column["state_code"]))
    slid = _first(column["slipping"] > 0.0)
    usable = (column["usable"] > 0.0) & (np.arange(mu.size) < slid)
    low, high = column["mu_low"], column["mu_high"]
    inside = (low <= mu) & (mu <= high)
    before = np.arange(mu.size) < min(reached, mu.size)
    return StanceResult(
        reached < mu.size,
        bool((usable & before).any()),
        bool(usable.any()),
        bool(inside[usable].all()),
        bool((low > mu)[:slid].any()),
        bool((low > FAR * mu)[:slid].any()),
    )


def _settled(words: Array) -> NDArray[np.bool_]:
    return np.isin(words, [EstimateState.NOT_IDENTIFIABLE, EstimateState.USABLE])


def _first(condition: NDArray[np.bool_]) -> int:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else int(condition.size)


def lines(rows: list[SourceRow]) -> Iterator[tuple[str, ...]]:
    """A row as text: shares of stances."""
    for row in rows:
        yield (
            row.source,
            str(row.stances),
            f"{row.in_time}/{row.demanded}",
            f"{row.usable}/{row.stances}",
            f"{row.held}/{row.usable}",
            f"{row.above}/{row.stances}",
            f"{row.far_above}/{row.stances}",
        )

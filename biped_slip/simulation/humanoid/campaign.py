# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks of a humanoid over a slippery patch, as one table: the same seeds for every kind of slip prevention."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Iterable, Sequence

import numpy as np

from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig
from biped_slip.simulation.pool import run_all


@dataclass(frozen=True)
class HumanoidJob:
    """One walk of a campaign."""

    config: HumanoidWalkConfig
    kind: str  # of slip prevention
    seed: int
    true_base: bool = False  # the controller is told how the base moves


@dataclass(frozen=True)
class HumanoidOutcome:
    """One walk's result."""

    job: HumanoidJob
    summary: HumanoidSummary


@dataclass(frozen=True)
class HumanoidRow:
    """One line of the table: a kind of slip prevention over all seeds."""

    kind: str
    runs: int
    passed: int
    refused: int  # the check of the sensors named a fault: not a step
    fell: int
    slipped: int  # walks with a stance slip over 1 cm
    median_slip: float  # [m] of the walks' largest slips
    largest_slip: float  # [m]
    peak_ratio: float  # median off the patch
    speed: float  # [m/s] mean off the patch, of the walks that did not fall


def run_humanoid_job(job: HumanoidJob) -> HumanoidOutcome:
    """Check the sensors as before every walk; walk once if nothing is wrong with them."""
    walk = HumanoidWalk(job.config, job.kind, job.seed, true_base=job.true_base, checked=True)
    faults = walk.check_sensors()
    if not faults:
        walk.run()
    return HumanoidOutcome(job, replace(summarise_humanoid(walk), faults="; ".join(faults)))


def humanoid_campaign(
    jobs: Sequence[HumanoidJob],
    workers: int | None = None,
    done: Callable[[HumanoidOutcome], None] | None = None,
) -> list[HumanoidOutcome]:
    """All walks, results in their order; see :func:`run_all`."""
    return run_all(run_humanoid_job, jobs, workers, done, lambda: fill_code_cache(jobs))


def fill_code_cache(jobs: Sequence[HumanoidJob]) -> None:
    """The first ticks of a walk of each kind, so that workers don't compile the same code."""
    for job in {job.kind: job for job in jobs}.values():
        walk = HumanoidWalk(job.config, job.kind, job.seed, true_base=job.true_base)
        while not walk.ticks and not walk.ended:  # the first ticks hold the joints alone
            walk.tick()


def humanoid_table(outcomes: Iterable[HumanoidOutcome]) -> list[HumanoidRow]:
    """One row per kind, in the order of first appearance."""
    groups: dict[str, list[HumanoidSummary]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.job.kind, []).append(outcome.summary)
    return [_row(kind, group) for kind, group in groups.items()]


def _row(kind: str, group: list[HumanoidSummary]) -> HumanoidRow:
    slips = [summary.largest_slip for summary in group]
    return HumanoidRow(
        kind,
        len(group),
        sum(summary.passes() for summary in group),
        sum(summary.faults != "" for summary in group),
        sum(summary.fell for summary in group),
        sum(summary.slips > 0 for summary in group),
        float(np.median(slips)),
        float(np.max(slips)),
        _mean(summary.peak_ratio for summary in group),
        _mean(summary.speed_off_patch for summary in group if not summary.fell),
    )


def _mean(values: Iterable[float]) -> float:
    """Mean of the numbers among the values; NaN without any."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks: seeds × limits × scenarios on all cores. Claims about slipping are claims about ensembles."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Sequence

import numpy as np

from biped_slip.simulation.planar.run import named_scenario, run_walk
from biped_slip.simulation.planar.scenario import ScenarioConfig, changed, perturbed
from biped_slip.simulation.planar.summary import WalkSummary
from biped_slip.simulation.pool import run_all

FAR_SLIDE = 0.05  # [m] a stance foot that slid this far has plainly slipped


@dataclass(frozen=True)
class Job:
    """One walk of a campaign; ``changes`` are parameters of the scenario that differ, as (dotted name, value)."""

    scenario: str
    limit: str
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    def nominal(self) -> ScenarioConfig:
        """The scenario before the seed perturbs it."""
        return changed(named_scenario(self.scenario), dict(self.changes))


@dataclass(frozen=True)
class Outcome:
    """One walk's result."""

    job: Job
    summary: WalkSummary
    passed: bool
    floors: tuple[float, ...]  # mu of each patch that was walked over


@dataclass(frozen=True)
class Row:
    """One line of the table: a scenario and a limit over all seeds."""

    scenario: str
    limit: str
    runs: int
    passed: int
    fell: int
    fell_or_slid_far: int
    median_slip: float  # [m]
    largest_slip: float  # [m]
    median_distance: float  # [m]


def scenario_of(job: Job) -> ScenarioConfig:
    """The scenario of a walk: its seed draws the start and the patch edges."""
    return perturbed(job.nominal(), np.random.default_rng(job.seed))


def run_job(job: Job) -> Outcome:
    """Walk one perturbed scenario; the seed also draws the sensor noise."""
    scenario = scenario_of(job)
    summary = run_walk(scenario, job.limit, job.seed).summary
    return Outcome(job, summary, summary.passes(scenario.required_distance), scenario.ground.mu)


def run_campaign(
    jobs: Sequence[Job], workers: int | Executor | None = None, done: Callable[[Outcome], None] | None = None
) -> list[Outcome]:
    """All jobs, results in their order; ``done`` is called with each as it ends (:func:`run_all`)."""
    return run_all(run_job, jobs, workers, done, lambda: fill_code_cache(jobs))


def fill_code_cache(jobs: Sequence[Job]) -> None:
    """Fill the code cache with a short walk per scenario and limit, so that workers don't compile the same code."""
    for name, limit in sorted({(job.scenario, job.limit) for job in jobs}):
        run_walk(changed(named_scenario(name), {"duration": 0.1}), limit)


def groups(outcomes: Iterable[Outcome]) -> dict[tuple[str, str], list[Outcome]]:
    """Outcomes per scenario and limit, in the order of first appearance."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.job.scenario, outcome.job.limit), []).append(outcome)
    return found


def table(outcomes: Sequence[Outcome]) -> list[Row]:
    """One row per scenario and limit, in the order of first appearance."""
    rows = []
    for (scenario, limit), group in groups(outcomes).items():
        slips = [outcome.summary.max_stance_slip for outcome in group]
        rows.append(
            Row(
                scenario,
                limit,
                len(group),
                sum(outcome.passed for outcome in group),
                sum(outcome.summary.fell for outcome in group),
                sum(o.summary.fell or o.summary.max_stance_slip > FAR_SLIDE for o in group),
                float(np.median(slips)),
                float(np.max(slips)),
                float(np.median([outcome.summary.distance for outcome in group])),
            )
        )
    return rows


@dataclass(frozen=True)
class DemandRow:
    """What was known when the load asked for the floor's friction, on one patch."""

    scenario: str
    limit: str
    mu_true: float
    contacts: int  # stances that asked for 0.9 mu
    known: int  # of them with an estimate in force then
    at_or_below: int  # of these at or below the true mu
    quantiles: tuple[float, float, float]  # 5, 50, 95 % of the estimate then; NaN when none is known


def demand_table(outcomes: Sequence[Outcome]) -> list[DemandRow]:
    """Distribution of the estimate at the time of demand, per scenario, limit and floor."""
    by_floor: dict[tuple[str, str, float], list[float | None]] = {}
    for outcome in outcomes:
        for contact in outcome.summary.contacts:
            if contact.demand_time is not None:
                key = (outcome.job.scenario, outcome.job.limit, contact.mu_true)
                by_floor.setdefault(key, []).append(contact.mu_at_demand)
    rows = []
    for (scenario, limit, mu), values in sorted(by_floor.items()):
        known = np.array([value for value in values if value is not None])
        q = np.quantile(known, [0.05, 0.5, 0.95]) if known.size else np.full(3, np.nan)
        below = int(np.count_nonzero(known <= mu))
        rows.append(
            DemandRow(scenario, limit, mu, len(values), known.size, below, (float(q[0]), float(q[1]), float(q[2])))
        )
    return rows

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Many walks of whatever robot on all cores, as one table. Claims about slipping are claims about ensembles."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Callable, Generic, Iterable, Mapping, Protocol, Sequence, TypeVar

import numpy as np

from biped_slip.simulation.pool import run_all
from biped_slip.simulation.stances import SLIP_LIMIT
from biped_slip.simulation.summary import Summary

FAR_SLIDE = 0.05  # [m] a stance foot that slid this far has plainly slipped
Found = TypeVar("Found")
FoundByJob = TypeVar("FoundByJob", covariant=True)


class Job(Protocol[FoundByJob]):
    """One walk of a campaign; ``FoundByJob`` is its kind of :class:`Outcome`."""

    @property
    def name(self) -> str:
        """Of the scenario or the robot."""
        ...

    @property
    def limit(self) -> str:
        """The slip prevention."""
        ...

    @property
    def seed(self) -> int:
        """Of all that is drawn."""
        ...

    def key(self) -> str:
        """Names the walk by all that decides it: its parameters and the code that walks it."""
        ...

    def run(self) -> FoundByJob:
        """Walk."""
        ...

    def warm_up(self) -> None:
        """Compile what the walk needs, so that it is in the code cache."""
        ...

    def found(self, entry: Mapping[str, Any]) -> FoundByJob:
        """The outcome of the walk as a file of campaigns has it."""
        ...


AnyJob = TypeVar("AnyJob", bound=Job[Any])
AnySummary = TypeVar("AnySummary", bound=Summary)


@dataclass(frozen=True)
class Outcome(Generic[AnyJob, AnySummary]):
    """One walk's result."""

    job: AnyJob
    summary: AnySummary
    passed: bool
    floors: tuple[float, ...]  # mu of each floor that lies on the way

    def to_mapping(self) -> dict[str, Any]:
        """Plain dictionaries for JSON."""
        return {
            "name": self.job.name,
            "limit": self.job.limit,
            "seed": self.job.seed,
            "passed": self.passed,
            "floors": list(self.floors),
            "summary": self.summary.to_mapping(),
        }


@dataclass(frozen=True)
class Row:
    """One line of the table: a scenario or robot and a slip prevention over all seeds."""

    name: str
    limit: str
    runs: int
    passed: int
    refused: int  # the check of the sensors named a fault: not a step
    fell: int
    slipped: int  # a stance foot slid by 1 cm or more
    fell_or_slid_far: int
    median_slip: float  # [m] of the walks' largest slips
    largest_slip: float  # [m]
    median_distance: float  # [m]
    peak_ratio: float | None  # mean off the patch; None: not known of these walks
    speed: float | None  # [m/s] mean off the patch of the walks that did not fall; likewise


def run_job(job: Job[Found]) -> Found:
    """Walk once."""
    return job.run()


def run_campaign(
    jobs: Sequence[Job[Found]], workers: int | Executor | None = None, done: Callable[[Found], None] | None = None
) -> list[Found]:
    """All jobs, results in their order; ``done`` is called with each as it ends (:func:`run_all`)."""
    return run_all(run_job, jobs, workers, done, lambda: fill_code_cache(jobs))


def fill_code_cache(jobs: Sequence[Job[Any]]) -> None:
    """The beginning of one walk per name and limit, so that workers don't compile the same code."""
    for job in {(job.name, job.limit): job for job in reversed(jobs)}.values():
        job.warm_up()


def groups(outcomes: Iterable[Outcome[AnyJob, AnySummary]]) -> dict[tuple[str, str], list[Outcome[AnyJob, AnySummary]]]:
    """Outcomes per name and limit, in the order of first appearance."""
    found: dict[tuple[str, str], list[Outcome[AnyJob, AnySummary]]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.job.name, outcome.job.limit), []).append(outcome)
    return found


def table(outcomes: Sequence[Outcome[Any, Any]]) -> list[Row]:
    """One row per name and limit, in the order of first appearance."""
    return [_row(name, limit, group) for (name, limit), group in groups(outcomes).items()]


def _row(name: str, limit: str, group: Sequence[Outcome[Any, Any]]) -> Row:
    summaries: list[Summary] = [outcome.summary for outcome in group]
    slips = [summary.max_stance_slip for summary in summaries]
    return Row(
        name,
        limit,
        len(group),
        sum(outcome.passed for outcome in group),
        sum(summary.refused for summary in summaries),
        sum(summary.fell for summary in summaries),
        sum(slip >= SLIP_LIMIT for slip in slips),
        sum(summary.fell or summary.max_stance_slip > FAR_SLIDE for summary in summaries),
        float(np.median(slips)),
        float(np.max(slips)),
        float(np.median([summary.distance for summary in summaries])),
        _mean(summary.off_patch.peak_ratio for summary in summaries),
        _mean(summary.off_patch.speed for summary in summaries if not summary.fell),
    )


def _mean(values: Iterable[float]) -> float | None:
    """Mean of the numbers among the values; None without any."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else None

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many walks of any robot on all cores.

They have a table, and a file from which they resume.
"""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import (
    Any,
    Callable,
    Generic,
    Iterable,
    Iterator,
    Mapping,
    Protocol,
    Sequence,
    TypeVar,
)

import numpy as np

from biped_slip.bounded_files import LineFile
from biped_slip.child_processes import WorkerProcesses
from biped_slip.errors import BipedSlipError, MissingExtra, WorkerLost
from biped_slip.simulation.stances import SLIP_LIMIT
from biped_slip.simulation.summary import Summary


def key_of(*content: Any) -> str:
    """Hash the parameters and the code of a walk (hex, 16 characters)."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


# The same work on many jobs, on all cores or a given executor; the results don't depend
# on which.

MOST_LOSSES = 5  # losses of a worker process in a row without a job that ended
Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


def run_all(
    work: Callable[[Asked], Answered],
    jobs: Sequence[Asked],
    workers: int | Executor | None = None,
    done: Callable[[Answered], None] | None = None,
    prepare: Callable[[], None] | None = None,
) -> list[Answered]:
    """Run jobs on all cores; return results in their order.

    Args:
        work: a function of a module, called with each job.
        jobs: what it is called with.
        workers: number of processes (all cores by default), or an executor, e.g. of a
            cluster.
        done: called in this process with each result as it ends.
        prepare: called in this process before others start.

    Raises:
        WorkerLost: worker processes died again and again.
    """
    workers = workers or os.cpu_count() or 1
    numbered = dict(enumerate(jobs))
    if isinstance(workers, Executor):
        ended = _elsewhere(work, workers, numbered)
    elif workers == 1 or len(jobs) < 2:
        ended = ((i, work(job)) for i, job in numbered.items())
    else:
        if prepare is not None:
            prepare()
        ended = _on_processes(work, workers, numbered)
    outcomes: dict[int, Answered] = {}
    for i, outcome in ended:
        outcomes[i] = outcome
        if done is not None:
            done(outcome)
    return [outcomes[i] for i in numbered]


def _elsewhere(
    work: Callable[[Asked], Answered], executor: Executor, jobs: dict[int, Asked]
) -> Iterator[tuple[int, Answered]]:
    """Yield index and result of every job, as they end.

    Pending ones never begin when the caller stops.
    """
    pending = {executor.submit(work, job): i for i, job in jobs.items()}
    try:
        yield from _as_they_end(pending)
    finally:
        for future in pending:
            future.cancel()


def _as_they_end(
    pending: dict[Future[Answered], int],
) -> Iterator[tuple[int, Answered]]:
    for future in as_completed(pending):
        yield pending[future], future.result()


def _on_processes(
    work: Callable[[Asked], Answered], workers: int, jobs: dict[int, Asked]
) -> Iterator[tuple[int, Answered]]:
    """Run jobs on processes.

    When a process dies, the jobs that have not ended start again on new ones.
    """
    losses = 0
    while jobs:
        with WorkerProcesses(workers) as pool:
            # without _elsewhere, as a pool whose processes are ended stumbles over jobs
            # that are cancelled
            try:
                for i, outcome in _as_they_end(
                    {pool.submit(work, job): i for i, job in jobs.items()}
                ):
                    losses = 0
                    jobs = {k: job for k, job in jobs.items() if k != i}
                    yield i, outcome
            except BrokenProcessPool as error:
                losses += 1
                if losses > MOST_LOSSES:
                    raise WorkerLost(losses) from error


FAR_SLIDE = 0.05  # [m] a stance foot that slid this far has plainly slipped
Found = TypeVar("Found")
FoundByJob = TypeVar("FoundByJob", covariant=True)


class Job(Protocol[FoundByJob]):
    """One walk of a campaign; ``FoundByJob`` is its kind of :class:`Outcome`."""

    @property
    def name(self) -> str:
        """Name of the scenario or the robot."""

    @property
    def limit(self) -> str:
        """Return the slip prevention."""

    @property
    def seed(self) -> int:
        """Return the seed of all draws."""

    def key(self) -> str:
        """Hash the walk's parameters and code."""

    def run(self) -> FoundByJob:
        """Run the walk."""

    def warm_up(self) -> None:
        """Compile the walk's kernels into the code cache."""

    def found(self, entry: Mapping[str, Any]) -> FoundByJob:
        """Read the outcome of the walk from a file of campaigns."""


AnyJob = TypeVar("AnyJob", bound=Job[Any])
AnySummary = TypeVar("AnySummary", bound=Summary)


@dataclass(frozen=True)
class Outcome(Generic[AnyJob, AnySummary]):
    """Result of one walk."""

    job: AnyJob
    summary: AnySummary
    passed: bool
    floors: tuple[float, ...]  # mu of each floor that lies on the way

    def to_mapping(self) -> dict[str, Any]:
        """Convert the outcome to plain dictionaries for JSON."""
        return {
            **{name: getattr(self.job, name) for name in ("name", "limit", "seed")},
            "passed": self.passed,
            "floors": list(self.floors),
            "summary": self.summary.to_mapping(),
        }


@dataclass(frozen=True)
class Row:
    """Row of the table: a scenario or robot and a slip prevention over all seeds."""

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
    # [m/s] mean off the patch of the walks that did not fall; likewise
    speed: float | None
    diverged: int = 0  # simulations that broke down: no verdict on the walk


def run_job(job: Job[Found]) -> Found:
    """Run one walk."""
    return job.run()


def run_campaign(
    jobs: Sequence[Job[Found]],
    workers: int | Executor | None = None,
    done: Callable[[Found], None] | None = None,
) -> list[Found]:
    """Run all jobs, results in their order (:func:`run_all`).

    ``done`` is called with each as it ends.
    """
    return run_all(run_job, jobs, workers, done, lambda: fill_code_cache(jobs))


def fill_code_cache(jobs: Sequence[Job[Any]]) -> None:
    """Compile the kernels of each name and limit once, before the workers need them."""
    for job in {(job.name, job.limit): job for job in reversed(jobs)}.values():
        job.warm_up()


def groups(
    outcomes: Iterable[Outcome[AnyJob, AnySummary]],
) -> dict[tuple[str, str], list[Outcome[AnyJob, AnySummary]]]:
    """Group outcomes per name and limit, in the order of first appearance."""
    found: dict[tuple[str, str], list[Outcome[AnyJob, AnySummary]]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.job.name, outcome.job.limit), []).append(outcome)
    return found


def table(outcomes: Sequence[Outcome[Any, Any]]) -> list[Row]:
    """Make one row per name and limit, in the order of first appearance."""
    return [
        _row(name, limit, group) for (name, limit), group in groups(outcomes).items()
    ]


def _row(name: str, limit: str, group: Sequence[Outcome[Any, Any]]) -> Row:
    summaries: list[Summary] = [outcome.summary for outcome in group]
    slips = [summary.max_stance_slip for summary in summaries]
    judged = [summary for summary in summaries if not summary.diverged]
    return Row(
        name,
        limit,
        runs=len(group),
        passed=sum(outcome.passed for outcome in group),
        refused=sum(summary.refused for summary in summaries),
        fell=sum(summary.fell for summary in summaries),
        slipped=sum(summary.max_stance_slip >= SLIP_LIMIT for summary in judged),
        fell_or_slid_far=sum(
            summary.fell or summary.max_stance_slip > FAR_SLIDE for summary in judged
        ),
        median_slip=float(np.median(slips)),
        largest_slip=float(np.max(slips)),
        median_distance=float(np.median([summary.distance for summary in summaries])),
        peak_ratio=_mean(summary.off_patch.peak_ratio for summary in summaries),
        speed=_mean(summary.off_patch.speed for summary in judged if not summary.fell),
        diverged=len(summaries) - len(judged),
    )


def _mean(values: Iterable[float]) -> float | None:
    """Average the numbers among the values; None without any."""
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else None


class CampaignFile(LineFile):
    """File of outcomes from which a campaign goes on."""

    def find(self, job: Job[Found]) -> Found | None:
        """Find the outcome of a walk in the file."""
        entry = self.entry(job.key())
        return None if entry is None else job.found(entry)

    def add(self, outcome: Any) -> None:
        """Append the outcome of one walk, which has its job and ``to_mapping``."""
        self.append(outcome.job.key(), outcome.to_mapping())


Kept = TypeVar("Kept")  # what is kept of a walk


class KeepsOutcomes(Protocol):
    """File of outcomes of jobs of one kind."""

    @property
    def path(self) -> Path:
        """Place of the file."""

    def find(self, job: Any) -> Any:
        """Return the outcome of a job; None: it is not there."""

    def add(self, outcome: Any) -> None:
        """Append the outcome of a job."""


def missing_jobs(jobs: Sequence[Any], file: KeepsOutcomes | None) -> list[Any]:
    """List the jobs whose outcomes a file does not have yet."""
    return [job for job in jobs if file is None or file.find(job) is None]


def complete(
    jobs: Sequence[Any],
    file: KeepsOutcomes | None,
    run: Callable[[Sequence[Any], Callable[[Kept], None]], list[Kept]],
    ended: Callable[[], None],
) -> list[Kept]:
    """Collect outcomes of all jobs, from a file where it has them.

    Args:
        jobs: walks.
        file: of outcomes, to which new ones are added; None: nothing is kept.
        run: walks the others: called with the missing jobs and with what is to be
            called for each outcome.
        ended: called after each walk.

    Returns:
        Outcomes in the order of the jobs.
    """
    found = [None if file is None else file.find(job) for job in jobs]
    missing = [job for job, outcome in zip(jobs, found, strict=True) if outcome is None]

    def done(outcome: Kept) -> None:
        if file is not None:
            file.add(outcome)
        ended()

    walked = iter(run(missing, done))
    return [next(walked) if outcome is None else outcome for outcome in found]


CLUSTER_PATIENCE = "10s"  # for a scheduler to answer


@contextmanager
def workers_on(scheduler: str | None) -> Iterator[Executor | None]:
    """Connect to the workers of a Dask cluster as an executor; None without an address.

    Raises:
        MissingExtra: without Dask.
        BipedSlipError: no scheduler answers at the address.
    """
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("a campaign on a cluster", "campaigns") from error
    try:
        client = Client(scheduler, timeout=CLUSTER_PATIENCE)
    except (OSError, ValueError) as error:
        raise BipedSlipError(f"--scheduler {scheduler}: no answer ({error})") from error
    with client:
        yield client.get_executor(pure=False)

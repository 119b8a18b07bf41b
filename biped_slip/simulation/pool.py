# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The same work on many jobs, on all cores or somebody else's executor; the results don't depend on which."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Callable, Iterator, Sequence, TypeVar

from biped_slip.child_processes import WorkerProcesses
from biped_slip.errors import WorkerLost

PATIENCE = 5  # losses of a worker process in a row without a job that ended
Job = TypeVar("Job")
Outcome = TypeVar("Outcome")
Pending = dict["Future[Outcome]", int]


def run_all(
    work: Callable[[Job], Outcome],
    jobs: Sequence[Job],
    workers: int | Executor | None = None,
    done: Callable[[Outcome], None] | None = None,
    prepare: Callable[[], None] | None = None,
) -> list[Outcome]:
    """Results in the order of the jobs.

    Args:
        work: a function of a module, called with each job.
        jobs: what it is called with.
        workers: number of processes (all cores by default), or an executor that somebody else keeps, e.g. a cluster.
        done: called in this process with each result as it ends.
        prepare: called in this process before others start.

    Raises:
        WorkerLost: worker processes died again and again.
    """
    outcomes: dict[int, Outcome] = {}
    for i, outcome in _each(work, jobs, workers or os.cpu_count() or 1, prepare):
        outcomes[i] = outcome
        if done is not None:
            done(outcome)
    return [outcomes[i] for i in range(len(jobs))]


def _each(
    work: Callable[[Job], Outcome],
    jobs: Sequence[Job],
    workers: int | Executor,
    prepare: Callable[[], None] | None,
) -> Iterator[tuple[int, Outcome]]:
    """Index and result of every job, as they end."""
    if isinstance(workers, Executor):
        yield from _elsewhere(work, workers, dict(enumerate(jobs)))
    elif workers == 1 or len(jobs) < 2:
        for i, job in enumerate(jobs):
            yield i, work(job)
    else:
        if prepare is not None:
            prepare()
        yield from _on_processes(work, workers, dict(enumerate(jobs)))


def _submitted(work: Callable[[Job], Outcome], executor: Executor, jobs: dict[int, Job]) -> Pending[Outcome]:
    return {executor.submit(work, job): i for i, job in jobs.items()}


def _as_they_end(pending: Pending[Outcome]) -> Iterator[tuple[int, Outcome]]:
    for future in as_completed(pending):
        yield pending[future], future.result()


def _elsewhere(
    work: Callable[[Job], Outcome], executor: Executor, jobs: dict[int, Job]
) -> Iterator[tuple[int, Outcome]]:
    """What has not begun when the caller stops never does."""
    pending = _submitted(work, executor, jobs)
    try:
        yield from _as_they_end(pending)
    finally:
        for future in pending:
            future.cancel()


def _on_processes(work: Callable[[Job], Outcome], workers: int, jobs: dict[int, Job]) -> Iterator[tuple[int, Outcome]]:
    """A process that dies takes the others with it: the jobs that have not ended start again on new ones."""
    losses = 0
    while jobs:
        with WorkerProcesses(workers) as pool:
            try:
                for i, outcome in _as_they_end(_submitted(work, pool, jobs)):
                    losses = 0
                    jobs = {k: job for k, job in jobs.items() if k != i}
                    yield i, outcome
            except BrokenProcessPool as error:
                losses += 1
                if losses > PATIENCE:
                    raise WorkerLost(losses) from error

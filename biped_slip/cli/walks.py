# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk what a file of walks does not have yet, with progress."""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Protocol, Sequence, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from biped_slip.cli.screen import Screen
from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.simulation.campaign import Job, Outcome, run_campaign
from biped_slip.simulation.campaign_file import CampaignFile

CLUSTER_PATIENCE = "10s"  # for a scheduler to answer
Asked = TypeVar("Asked", contravariant=True)
Kept = TypeVar("Kept")
AnyOutcome = TypeVar("AnyOutcome", bound=Outcome[Any, Any])


@contextmanager
def workers_on(scheduler: str | None) -> Iterator[Executor | None]:
    """The workers of a Dask cluster as an executor; None without an address.

    Raises:
        MissingExtra: without Dask.
        BipedSlipError: nobody answers at the address.
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
        raise BipedSlipError(f"--scheduler {scheduler}: nobody answers ({error})") from error
    with client:
        yield client.get_executor(pure=False)


class Rate(ProgressColumn):
    """Walks per second."""

    def render(self, task: Task) -> Text:
        """As text; unknown before the first walks have ended."""
        return Text("-" if task.speed is None else f"{task.speed:.2f} walks/s")


class WalkFile(Protocol[Asked, Kept]):
    """Where walks that have ended are found."""

    path: Path

    def find(self, job: Asked) -> Kept | None:
        """The outcome of a walk that is there."""
        ...

    def add(self, outcome: Kept) -> None:
        """Append one."""
        ...


def walk(jobs: Sequence[Job[AnyOutcome]], path: Path | None = None, workers: int | None = None,
         scheduler: str | None = None) -> list[AnyOutcome]:  # fmt: skip
    """Outcomes of all walks, from the file where it has them; new ones are appended to it.

    Args:
        jobs: walks.
        path: file of walks that have ended; none is read or written without one.
        workers: processes; all cores by default.
        scheduler: address of a Dask cluster that walks in their place.
    """
    with workers_on(scheduler) as cluster:
        return complete(
            jobs, CampaignFile(path) if path else None, lambda some, done: run_campaign(some, cluster or workers, done)
        )


def complete(jobs: Sequence[Asked], file: WalkFile[Asked, Kept] | None,
             run: Callable[[Sequence[Asked], Callable[[Kept], None]], list[Kept]]) -> list[Kept]:  # fmt: skip
    """Outcomes of all jobs, from a file where it has them; ``run`` walks the others and tells of each as it ends."""
    console = Screen(stderr=True)
    found = [file.find(job) if file else None for job in jobs]
    missing = [job for job, outcome in zip(jobs, found, strict=True) if outcome is None]
    if file is not None:
        console.print(f"{len(jobs) - len(missing)} of {len(jobs)} walks are in {file.path}, the others will be added")
    columns = (TextColumn("walking"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=120.0) as bar:
        task = bar.add_task("walking", total=len(missing))

        def done(outcome: Kept) -> None:
            if file is not None:
                file.add(outcome)
            bar.advance(task)

        walked = iter(run(missing, done))
    return [next(walked) if outcome is None else outcome for outcome in found]

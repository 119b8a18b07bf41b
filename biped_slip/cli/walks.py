# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walk what a file of walks does not have yet, with progress."""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.simulation.campaign import Job, Outcome, run_campaign
from biped_slip.simulation.campaign_file import CampaignFile

CLUSTER_PATIENCE = "10s"  # for a scheduler to answer


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


def walk(jobs: Sequence[Job], path: Path, workers: int | None = None, scheduler: str | None = None) -> list[Outcome]:
    """Outcomes of all jobs, from the file where it has them; new ones are appended to it.

    Args:
        jobs: walks.
        path: file of walks that have ended.
        workers: processes; all cores by default.
        scheduler: address of a Dask cluster that walks in their place.
    """
    console, file = Console(stderr=True), CampaignFile(path)
    known = {job: outcome for job in jobs if (outcome := file.find(job)) is not None}
    missing = [job for job in jobs if job not in known]
    if known:
        console.print(f"{len(known)} of {len(jobs)} walks are in {path}")
    columns = (TextColumn("walking"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=120.0) as bar:
        task = bar.add_task("walking", total=len(missing))

        def done(outcome: Outcome) -> None:
            file.add(outcome)
            bar.advance(task)

        with workers_on(scheduler) as cluster:
            known.update((outcome.job, outcome) for outcome in run_campaign(missing, cluster or workers, done))
    return [known[job] for job in jobs]

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A study: all trials of a folder, each worked out once, whatever comes between."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Callable, Iterator, Sequence

from biped_slip.child_processes import WorkerProcesses
from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.gait_laboratory.step import Step
from biped_slip.gait_laboratory.study_store import StoredTrial, StudyStore, line_of, trial_key
from biped_slip.gait_laboratory.study_table import StudyTrial
from biped_slip.gait_laboratory.trial import GaitSettings
from biped_slip.gait_laboratory.trial_source import analyse_file
from biped_slip.recordings.gait import Overrides

STORE = "trials.jsonl"
FROM_DATA = Overrides()  # axes and offsets as the data tell them
AHEAD = 4  # trials that wait per worker


class Study:
    """Trials with their settings and the folder of results."""

    def __init__(
        self, trials: Sequence[StudyTrial], out: Path, settings: GaitSettings, overrides: Overrides = FROM_DATA
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.trials, self.out, self.settings, self.overrides = tuple(trials), out, settings, overrides
        self.store = StudyStore(out / STORE)
        self.keys = [trial_key(trial, overrides, settings) for trial in self.trials]

    @property
    def missing(self) -> list[int]:
        """Numbers of the trials that aren't worked out yet."""
        return [number for number, key in enumerate(self.keys) if key not in self.store]

    def run(self, workers: int = 1, progress: Callable[[], None] = lambda: None) -> None:
        """Work out what is missing; each trial is stored as it ends."""
        if workers < 1:
            raise InvalidParameter("workers", workers, "at least 1")
        tasks = [(self.keys[n], self.trials[n], self.overrides, self.settings) for n in self.missing]
        for key, line in _lines(tasks, workers):
            self.store.append(key, line)
            progress()

    def stored(self) -> Iterator[StoredTrial]:
        """Every trial that has ended, in the order of the table, one at a time."""
        return self.store.trials(self.keys)

    def steps(self) -> Iterator[Step]:
        """Every step."""
        return (step for trial in self.stored() for step in trial.steps)


Task = tuple[str, StudyTrial, Overrides, GaitSettings]


def worked_out(task: Task) -> tuple[str, str]:
    """Key and line of one trial; a file that can't be used gives a line that says why."""
    key, trial, overrides, settings = task
    try:
        found = analyse_file(trial.path, trial.config, overrides, trial.info, settings)
    except BipedSlipError as error:
        return key, line_of(key, trial.info.trial, None, str(error))
    return key, line_of(key, trial.info.trial, found)


def _lines(tasks: Sequence[Task], workers: int) -> Iterator[tuple[str, str]]:
    if workers == 1 or len(tasks) < 2:
        yield from map(worked_out, tasks)
        return
    with WorkerProcesses(workers) as pool:
        rest, waiting = iter(tasks), deque[Future[tuple[str, str]]]()
        waiting.extend(pool.submit(worked_out, task) for task in itertools.islice(rest, AHEAD * workers))
        while waiting:
            yield waiting.popleft().result()
            waiting.extend(pool.submit(worked_out, task) for task in itertools.islice(rest, 1))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Study: all trials of a folder, each analysed once, also across interruptions."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
from collections import deque
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.bounded_files import LineFile, csv_rows
from biped_slip.child_processes import WorkerProcesses
from biped_slip.errors import BipedSlipError, InvalidParameter, InvalidRecording, reason
from biped_slip.gait_laboratory.step import (
    COLUMNS,
    FLOOR,
    PERSON,
    Step,
    TrialInfo,
    as_row,
    from_row,
)
from biped_slip.gait_laboratory.trial import GaitSettings, TrialSteps, analyse_file
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.registry import recording_endings
from biped_slip.recordings.series import FloatArray
from biped_slip.recordings.tables import SEPARATORS

# The small table of a study: one line a trial, what the recording itself can't know::
#
#     file,person,shoe,floor,condition
#     dry/p01_01.c3d,P01,trainer,steel,dry
#
# Only ``file`` is needed. More columns are ``trial`` (a name), ``subject`` (person,
# robot, insoles), ``slope_deg``, ``axes`` (floor, gravity), ``mass_kg``, and ``config``
# (a YAML that names the columns of a table). Files and configs are looked for beside
# the table.

TRIALS_TABLE = "trials.csv"  # looked for in the folder of a study
KNOWN = (
    "file trial person shoe floor condition subject slope_deg axes mass_kg config"
).split()


@dataclasses.dataclass(frozen=True)
class StudyTrial:
    """Trial of a study: one line of its table."""

    path: Path
    config: Path | None
    info: TrialInfo


def study_trials(
    folder: str | Path, table: str | Path | None = None
) -> tuple[StudyTrial, ...]:
    """List the trials of a study.

    They are the lines of its table, or every file in the folder whose ending is that of
    a format (C3D, OpenSim, bags, and what installed packages bring).

    Raises:
        BipedSlipError: no trial, an unknown column, a line that can't be used.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BipedSlipError(f"{folder}: no such folder")
    written = Path(table) if table is not None else place / TRIALS_TABLE
    if table is not None or written.exists():
        return _lines(written)
    endings = recording_endings()
    found = sorted(
        path
        for path in place.rglob("*")
        if path.suffix.lower() in endings and path.is_file()
    )
    if not found:
        raise BipedSlipError(
            f"{folder}: holds no {TRIALS_TABLE} and no file of {', '.join(endings)}"
        )
    return tuple(
        StudyTrial(path, None, TrialInfo(str(path.relative_to(place))))
        for path in found
    )


def _lines(path: Path) -> tuple[StudyTrial, ...]:
    with csv_rows(path, separators=SEPARATORS) as rows:
        names = [(name or "").strip() for name in rows.fieldnames or ()]
        unknown = [name for name in names if name not in KNOWN]
        if "file" not in names or unknown:
            problem = (
                f"unknown columns {', '.join(map(repr, unknown))}"
                if unknown
                else "no column 'file'"
            )
            raise InvalidRecording(path, problem, f"known: {', '.join(KNOWN)}")
        rows.fieldnames = names
        trials = tuple(
            _trial(path, number, row) for number, row in enumerate(rows, start=2)
        )
    if not trials:
        raise InvalidRecording(path, "has no line below its header")
    numbers: dict[str, int] = {}
    for number, trial in enumerate(trials, start=2):
        if (first := numbers.setdefault(trial.info.trial, number)) != number:
            words = f"lines {first} and {number} are both called {trial.info.trial!r}"
            raise InvalidRecording(path, words, "name them apart in a column 'trial'")
    return trials


def _trial(path: Path, line: int, row: dict[str, str | None]) -> StudyTrial:
    cells = {name: (row.get(name) or "").strip() for name in KNOWN}
    if "\0" in "".join(cells.values()):
        raise InvalidRecording(
            path, f"line {line} holds a null character", "it must be a text table"
        )
    if not cells["file"]:
        raise InvalidRecording(path, f"line {line} names no file")
    try:
        info = TrialInfo(
            trial=cells["trial"] or cells["file"],
            subject=cells["subject"] or PERSON,
            slope=math.radians(float(cells["slope_deg"] or 0.0)),
            axes=cells["axes"] or FLOOR,
            mass=float(cells["mass_kg"] or "nan"),
            **{name: cells[name] for name in ("person", "shoe", "floor", "condition")},
        )
    except (ValueError, BipedSlipError) as error:
        raise InvalidRecording(path, f"line {line}: {error}") from error
    config = path.parent / cells["config"] if cells["config"] else None
    return StudyTrial(path.parent / cells["file"], config, info)


# What has been worked out: one JSON line a trial, appended as each ends, so that a
# killed study goes on. A line belongs to a trial by its key: its line of the table, the
# file's size and time of change, and the settings. Anything that changes makes the
# trial anew. A line that was cut off by a kill is left out.

VERSION = 4  # of the lines; another makes all trials anew
CURVE_DIGITS = 5  # of stored curves, in body weights


class StoredTrial(NamedTuple):
    """Stored result of one trial."""

    trial: str
    steps: tuple[Step, ...]
    curves: tuple[FloatArray, ...]  # beside the steps, shape (4, 101) each
    events: tuple[
        tuple[str, str, float, float, float], ...
    ]  # agreement with the file's own
    failure: str  # why the whole file couldn't be read; empty: it could
    doubts: tuple[str, ...]  # of its forces, in words


def trial_key(trial: StudyTrial, overrides: Overrides, settings: GaitSettings) -> str:
    """Hash a trial with its file and settings."""
    try:
        status = trial.path.stat()
        state = (status.st_size, status.st_mtime_ns)
    except OSError:
        state = (0, 0)
    config = (
        trial.config.read_bytes().hex()
        if trial.config is not None and trial.config.is_file()
        else ""
    )
    content = [
        VERSION,
        str(trial.path),
        state,
        config,
        repr(trial.info),
        repr(overrides),
        settings.to_mapping(),
    ]
    return hashlib.sha256(
        json.dumps(content, default=str, sort_keys=True).encode()
    ).hexdigest()[:24]


def entry_of(trial: str, found: TrialSteps | None, failure: str = "") -> dict[str, Any]:
    """Build the stored result of a trial."""
    stances = () if found is None else found.stances
    return {
        "trial": trial,
        "failure": failure,
        "steps": [list(as_row(stance.step).values()) for stance in stances],
        "curves": [_numbers(stance.curves) for stance in stances],
        "events": [] if found is None else [list(one) for one in found.agreement],
        "doubts": [] if found is None else list(found.doubts),
    }


def _numbers(curves: FloatArray) -> list[list[float | None]]:
    if not np.isfinite(curves).any():
        return []
    return [
        [round(x, CURVE_DIGITS) if math.isfinite(x) else None for x in row]
        for row in curves.tolist()
    ]


def _stored(content: dict[str, Any]) -> StoredTrial:
    curves = tuple(
        np.array(rows, dtype=float) if rows else np.full((4, 101), np.nan)
        for rows in content["curves"]
    )
    steps = tuple(
        from_row(dict(zip(COLUMNS, row, strict=True))) for row in content["steps"]
    )
    return StoredTrial(
        trial=content["trial"],
        steps=steps,
        curves=curves,
        events=tuple(map(tuple, content["events"])),
        failure=content["failure"],
        doubts=tuple(content["doubts"]),
    )


STORE = "trials.jsonl"
FROM_DATA = Overrides()  # axes and offsets as the data tell them
TRIALS_AHEAD = 4  # trials that wait per worker


class Study:
    """Trials with their settings and the folder of results."""

    def __init__(
        self,
        trials: Sequence[StudyTrial],
        out: Path,
        settings: GaitSettings,
        overrides: Overrides = FROM_DATA,
    ) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.trials = tuple(trials)
        self.out = out
        self.settings = settings
        self.overrides = overrides
        self.store = LineFile(out / STORE)
        self.keys = [trial_key(trial, overrides, settings) for trial in self.trials]

    @property
    def missing(self) -> list[int]:
        """List the numbers of the trials that aren't analysed yet."""
        return [number for number, key in enumerate(self.keys) if key not in self.store]

    def run(
        self, workers: int = 1, progress: Callable[[], None] = lambda: None
    ) -> None:
        """Analyse the missing trials; each is stored as it ends."""
        if workers < 1:
            raise InvalidParameter("workers", workers, "at least 1")
        tasks = [
            (self.keys[n], self.trials[n], self.overrides, self.settings)
            for n in self.missing
        ]
        for key, entry in _entries(tasks, workers):
            self.store.append(key, entry)
            progress()

    def stored(self) -> Iterator[StoredTrial]:
        """Yield the stored trials in the order of the table, one at a time."""
        return (
            _stored(entry)
            for key in self.keys
            if (entry := self.store.entry(key)) is not None
        )

    def steps(self) -> Iterator[Step]:
        """Yield the steps of all stored trials."""
        return (step for trial in self.stored() for step in trial.steps)


Task = tuple[str, StudyTrial, Overrides, GaitSettings]
Ended = tuple[str, dict[str, Any]]  # key and entry


def worked_out(task: Task) -> Ended:
    """Analyse one trial to its key and entry.

    A file that cannot be used gives an entry with the reason.
    """
    key, trial, overrides, settings = task
    try:
        found = analyse_file(trial.path, trial.config, overrides, trial.info, settings)
    except Exception as error:  # one file never ends the study
        return key, entry_of(trial.info.trial, None, reason(trial.path, error))
    return key, entry_of(trial.info.trial, found)


def _entries(tasks: Sequence[Task], workers: int) -> Iterator[Ended]:
    if workers == 1 or len(tasks) < 2:
        yield from map(worked_out, tasks)
        return
    with WorkerProcesses(workers) as pool:
        rest = iter(tasks)
        waiting = deque[Future[Ended]]()
        waiting.extend(
            pool.submit(worked_out, task)
            for task in itertools.islice(rest, TRIALS_AHEAD * workers)
        )
        left = list(tasks)
        try:
            while waiting:
                yield waiting.popleft().result()
                left.pop(0)
                waiting.extend(
                    pool.submit(worked_out, task) for task in itertools.islice(rest, 1)
                )
        except BrokenProcessPool:
            # a file took its process with it: the rest one by one, each in a process of
            # its own
            yield from map(_alone, left)


def _alone(task: Task) -> Ended:
    """Analyse it in a process of its own, whose end is the trial's failure."""
    try:
        with WorkerProcesses(1) as pool:
            return pool.submit(worked_out, task).result()
    except BrokenProcessPool:
        words = (
            f"{task[1].path}: can't be used (the process that read it died: out "
            "of memory, or its reader crashed)"
        )
        return task[0], entry_of(task[1].info.trial, None, words)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a study has already worked out: one JSON line a trial, appended as each ends, so that a killed study goes on.

A line belongs to a trial by its key: what the table says, the file's size and time of change, and the settings.
Anything that changes makes the trial anew. A line that was cut off by a kill is left out.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import numpy as np

from biped_slip.gait_laboratory.step import COLUMNS, Step, as_row, from_row
from biped_slip.gait_laboratory.study_table import StudyTrial
from biped_slip.gait_laboratory.trial import GaitSettings, TrialSteps
from biped_slip.recordings.gait import Overrides
from biped_slip.recordings.series import FloatArray

VERSION = 1  # of the lines; another makes all trials anew
DIGITS = 5  # of stored curves, in body weights


class StoredTrial(NamedTuple):
    """One line."""

    trial: str
    steps: tuple[Step, ...]
    curves: tuple[FloatArray, ...]  # beside the steps, shape (4, 101) each
    events: tuple[tuple[str, str, float, float, float], ...]  # agreement with the file's own
    failure: str  # why the whole file couldn't be read; empty: it could


def trial_key(trial: StudyTrial, overrides: Overrides, settings: GaitSettings) -> str:
    """A name for exactly this trial under exactly these settings."""
    try:
        status = trial.path.stat()
        state = (status.st_size, status.st_mtime_ns)
    except OSError:
        state = (0, 0)
    config = trial.config.read_bytes().hex() if trial.config is not None and trial.config.is_file() else ""
    content = [VERSION, str(trial.path), state, config, repr(trial.info), repr(overrides), settings.to_mapping()]
    return hashlib.sha256(json.dumps(content, default=str, sort_keys=True).encode()).hexdigest()[:24]


def line_of(key: str, trial: str, found: TrialSteps | None, failure: str = "") -> str:
    """The line of a trial that has ended."""
    stances = () if found is None else found.stances
    content: dict[str, Any] = {
        "key": key,
        "trial": trial,
        "failure": failure,
        "steps": [list(as_row(stance.step).values()) for stance in stances],
        "curves": [_numbers(stance.curves) for stance in stances],
        "events": [] if found is None else [list(one) for one in found.agreement],
    }
    return json.dumps(content, allow_nan=False)


def _numbers(curves: FloatArray) -> list[list[float | None]]:
    if not np.isfinite(curves).any():
        return []
    return [[round(x, DIGITS) if math.isfinite(x) else None for x in row] for row in curves.tolist()]


class StudyStore:
    """The file of a study; lines are found by their keys."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        if path.exists():
            with path.open("rb") as file:
                place = 0
                for line in file:
                    key = _key(line)
                    if key:
                        self._places[key] = place
                    place += len(line)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def append(self, key: str, line: str) -> None:
        """Store a line at once."""
        with self.path.open("ab+") as file:
            file.seek(0, 2)
            end = file.tell()
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    file.write(b"\n")  # after a line that a kill cut off
                    end += 1
            file.write(line.encode() + b"\n")
        self._places[key] = end

    def trials(self, keys: list[str]) -> Iterator[StoredTrial]:
        """The stored trials of some keys, in their order, one at a time."""
        if not self._places:
            return
        with self.path.open("rb") as file:
            for key in keys:
                if key in self._places:
                    file.seek(self._places[key])
                    yield _stored(json.loads(file.readline()))


def _key(line: bytes) -> str:
    try:
        return str(json.loads(line)["key"]) if line.endswith(b"\n") else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _stored(content: dict[str, Any]) -> StoredTrial:
    curves = tuple(np.array(rows, dtype=float) if rows else np.full((4, 101), np.nan) for rows in content["curves"])
    steps = tuple(from_row(dict(zip(COLUMNS, row, strict=True))) for row in content["steps"])
    return StoredTrial(content["trial"], steps, curves, tuple(map(tuple, content["events"])), content["failure"])

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The small table of a study: one line a trial, what the recording itself can't know.

::

    file,person,shoe,floor,condition
    dry/p01_01.c3d,P01,trainer,steel,dry

Only ``file`` is needed. More columns are ``trial`` (a name), ``subject`` (person, robot, insoles), ``slope_deg``,
``axes`` (floor, gravity), ``mass_kg``, and ``config`` (a YAML that names the columns of a table). Files and configs are
looked for beside the table.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path

from biped_slip.bounded_text import read_text
from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.gait_laboratory.subject import FLOOR, PERSON, TrialInfo
from biped_slip.recordings.tables import SEPARATORS

TABLE = "trials.csv"  # looked for in the folder of a study
KNOWN = (
    *("file", "trial", "person", "shoe", "floor", "condition"),
    *("subject", "slope_deg", "axes", "mass_kg", "config"),
)
RECORDINGS = (".c3d", ".mot", ".sto", ".mcap", ".db3")  # what a folder without a table is searched for


@dataclasses.dataclass(frozen=True)
class StudyTrial:
    """One line of the table."""

    path: Path
    config: Path | None
    info: TrialInfo


def study_trials(folder: str | Path, table: str | Path | None = None) -> tuple[StudyTrial, ...]:
    """Trials of a study: the lines of its table, or without one every C3D, OpenSim file and bag in the folder.

    Raises:
        BipedSlipError: no trial, an unknown column, a line that can't be used.
    """
    place = Path(folder)
    if not place.is_dir():
        raise BipedSlipError(f"{folder}: no such folder")
    written = Path(table) if table is not None else place / TABLE
    if table is not None or written.exists():
        return _lines(written)
    found = sorted(path for path in place.rglob("*") if path.suffix.lower() in RECORDINGS and path.is_file())
    if not found:
        raise BipedSlipError(f"{folder}: holds no {TABLE} and no file of {', '.join(RECORDINGS)}")
    return tuple(StudyTrial(path, None, TrialInfo(str(path.relative_to(place)))) for path in found)


def _lines(path: Path) -> tuple[StudyTrial, ...]:
    try:
        text = read_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise BipedSlipError(f"{path}: can't be read ({error})") from error
    if "\0" in text:
        raise InvalidRecording(path, "holds a null character", "it must be a text table")
    head = text.partition("\n")[0]
    separator = max(SEPARATORS, key=head.count)
    rows = csv.DictReader(text.splitlines(), delimiter=separator)
    names = [(name or "").strip() for name in rows.fieldnames or ()]
    unknown = [name for name in names if name not in KNOWN]
    if "file" not in names or unknown:
        problem = f"unknown columns {', '.join(map(repr, unknown))}" if unknown else "no column 'file'"
        raise InvalidRecording(path, problem, f"known: {', '.join(KNOWN)}")
    rows.fieldnames = names
    try:
        trials = tuple(_trial(path, number, row) for number, row in enumerate(rows, start=2))
    except csv.Error as error:
        raise InvalidRecording(path, f"can't be read ({error})") from error
    if not trials:
        raise InvalidRecording(path, "has no line below its header")
    seen: dict[str, int] = {}
    for number, trial in enumerate(trials, start=2):
        if seen.setdefault(trial.info.trial, number) != number:
            raise InvalidRecording(
                path,
                f"lines {seen[trial.info.trial]} and {number} are both called {trial.info.trial!r}",
                "name them apart in a column 'trial'",
            )
    return trials


def _trial(path: Path, line: int, row: dict[str, str | None]) -> StudyTrial:
    cells = {name: (row.get(name) or "").strip() for name in KNOWN}
    if not cells["file"]:
        raise InvalidRecording(path, f"line {line} names no file")
    try:
        info = TrialInfo(
            cells["trial"] or cells["file"],
            cells["person"],
            cells["shoe"],
            cells["floor"],
            cells["condition"],
            cells["subject"] or PERSON,
            math.radians(float(cells["slope_deg"] or 0.0)),
            cells["axes"] or FLOOR,
            float(cells["mass_kg"] or "nan"),
        )
    except (ValueError, BipedSlipError) as error:
        raise InvalidRecording(path, f"line {line}: {error}") from error
    config = path.parent / cells["config"] if cells["config"] else None
    return StudyTrial(path.parent / cells["file"], config, info)

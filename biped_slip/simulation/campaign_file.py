# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Results of walks in a file, one line each as it ends: a campaign that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from biped_slip.code_hash import sources_hash
from biped_slip.errors import InvalidRecording
from biped_slip.simulation.campaign import Job, Outcome, run_job
from biped_slip.simulation.summary import WalkSummary


def job_key(job: Job) -> str:
    """Names a walk: limit, seed, every parameter of its scenario and the code that walks it (hex, 16 characters)."""
    content = json.dumps(
        [sources_hash(run_job.__module__), job.nominal().to_mapping(), job.limit, job.seed], sort_keys=True
    )
    return hashlib.sha256(content.encode()).hexdigest()[:16]


class CampaignFile:
    """Appends outcomes to a file of JSON lines and finds those that are there.

    Lines of other code or other scenarios stay in the file and are never found; a line cut short by a kill is skipped.

    Raises:
        InvalidRecording: the file can't be read, or is something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._found: dict[str, dict[str, object]] = {}
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRecording(path, f"can't be read ({error})") from error
        self._cut = bool(text) and not text.endswith("\n")
        for line in text.splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue
            if not isinstance(entry, dict) or "key" not in entry:
                raise InvalidRecording(path, "not a file of walks; give another name")
            self._found[entry["key"]] = entry

    def find(self, job: Job) -> Outcome | None:
        """The outcome of a walk that is in the file."""
        entry = self._found.get(job_key(job))
        if entry is None:
            return None
        summary = WalkSummary.from_mapping(entry["summary"])  # type: ignore[arg-type]
        return Outcome(job, summary, bool(entry["passed"]), tuple(entry["floors"]))  # type: ignore[arg-type]

    def add(self, outcome: Outcome) -> None:
        """Append one walk; it is on the disk when this returns."""
        entry = {"key": job_key(outcome.job), **asdict(outcome)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(("\n" if self._cut else "") + json.dumps(entry, allow_nan=False) + "\n")
        self._cut = False

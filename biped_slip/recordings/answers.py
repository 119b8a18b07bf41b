# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The answers to a recording: every contact of every foot, the weight, and the summary over all steps."""

from __future__ import annotations

import csv
import dataclasses
import math
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from biped_slip.recordings.read import Recording
from biped_slip.recordings.replay import Contact, Replay, contact_record, known, replay
from biped_slip.recordings.stance_summary import body_weight

CSV_COLUMNS = (
    "file foot sensor start end peak_normal peak_tangential peak_ratio required required_forward required_lateral "
    "mu_median mu_low mu_high usable_from slips slip_time refusal"
).split()


@dataclasses.dataclass(frozen=True)
class Answer:
    """All replays of one recording and the weight they carried."""

    path: str
    feet: tuple[Replay, ...]
    weight: float  # [N]; NaN when it can't be told
    weight_note: str

    @property
    def contacts(self) -> list[tuple[Replay, Contact]]:
        """Every contact with the replay that it belongs to, in the order of time."""
        pairs = [(foot, contact) for foot in self.feet for contact in foot.contacts]
        return sorted(pairs, key=lambda pair: pair[1].start)

    @property
    def notes(self) -> list[str]:
        """What was read and done, each said once."""
        return list(dict.fromkeys(note for foot in self.feet for note in foot.series.provenance[1:]))


def answer(recording: Recording, estimator: str) -> Answer:
    """Replay every foot of a recording through one estimator."""
    feet = tuple(replay(series, recording.processing, estimator) for series in recording.series)
    weight, note = body_weight([(foot.series, [one.standing.stance for one in foot.contacts]) for foot in feet])
    return Answer(recording.path, feet, weight, note)


def summary(result: Answer) -> dict[str, Any]:
    """Numbers over all contacts, None where unknown."""
    judged = [contact for _, contact in result.contacts if not contact.standing.refusal]
    required = np.array([contact.demand.required for contact in judged])
    mus = np.array([contact.mu_median for contact in judged if contact.mu_median is not None])
    slips = [(foot.series, slip) for foot, contact in result.contacts for slip in contact.slips]
    slip_time = sum(float(s.stamp_ns[slip.last - 1] - s.stamp_ns[slip.first]) * 1e-9 for s, slip in slips)
    return {
        "body_weight": known(result.weight),
        "body_weight_from": result.weight_note,
        "contacts": len(result.contacts),
        "refused": len(result.contacts) - len(judged),
        "required_median": known(_middle(required)),
        "required_largest": known(float(np.nanmax(required)) if np.isfinite(required).any() else math.nan),
        "slips": len(slips),
        "slip_time": slip_time,
        "contacts_with_mu": len(mus),
        "mu_median": known(_middle(mus)),
        "mu_smallest": known(float(mus.min()) if len(mus) else math.nan),
        "mu_largest": known(float(mus.max()) if len(mus) else math.nan),
    }


def _middle(values: Any) -> float:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else math.nan


def answer_record(result: Answer) -> dict[str, Any]:
    """Everything as JSON takes it."""
    return {
        "file": result.path,
        "estimator": result.feet[0].estimator if result.feet else None,
        "summary": summary(result),
        "notes": result.notes,
        "contacts": [contact_record(contact, foot.series) for foot, contact in result.contacts],
    }


def write_csv(path: str | Path, results: Sequence[Answer]) -> None:
    """One line per contact; empty cells where a value isn't known."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for result in results:
            for foot, contact in result.contacts:
                record = contact_record(contact, foot.series)
                slips = record["slips"]
                writer.writerow(
                    record
                    | {
                        "file": result.path,
                        "slips": len(slips),
                        "slip_time": sum(slip["end"] - slip["start"] for slip in slips),
                    }
                )

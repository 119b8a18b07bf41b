# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The answers to a recording: every contact of every foot, the weight, and the summary over all steps."""

from __future__ import annotations

import csv
import dataclasses
import functools
import math
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from biped_slip.recordings.formats import Recording
from biped_slip.recordings.replay import Contact, Replay, contact_record, known, replay, side_by_side
from biped_slip.recordings.stance_summary import body_weight

CSV_COLUMNS = (
    "file foot sensor start end peak_normal peak_tangential peak_ratio required required_forward required_lateral "
    "mu_median mu_low mu_high held cut_off withdrawn usable_from slip_count slip_time refusal"
).split()


@dataclasses.dataclass(frozen=True)
class Answer:
    """Every contact of one recording, the weight that was carried, and the replays to draw."""

    path: str
    estimator: str
    feet: tuple[Replay, ...]  # of a long bag only its first piece
    contacts: tuple[Contact, ...]  # in the order of time
    weight: float  # [N]; NaN when it can't be told
    weight_note: str
    notes: tuple[str, ...]  # what was read and done


def answer(recording: Recording, estimator: str) -> Answer:
    """Replay every foot of a recording through one estimator."""
    tasks = [functools.partial(replay, series, recording.processing, estimator) for series in recording.series]
    feet = side_by_side(tasks)
    notes = dict.fromkeys(note for foot in feet for note in foot.series.provenance[1:])
    return from_replays(recording.path, estimator, feet, [c for foot in feet for c in foot.contacts], tuple(notes))


def from_replays(
    path: str, estimator: str, feet: tuple[Replay, ...], contacts: Sequence[Contact], notes: tuple[str, ...]
) -> Answer:
    """Put contacts in the order of time and weigh what the replays carried."""
    weight, note = body_weight([(foot.series, [one.standing.stance for one in foot.contacts]) for foot in feet])
    ordered = tuple(sorted(contacts, key=lambda contact: contact.start))
    return Answer(path, estimator, feet, ordered, weight, note, notes)


def summary(result: Answer) -> dict[str, Any]:
    """Numbers over all contacts, None where unknown."""
    judged = [contact for contact in result.contacts if not contact.standing.refusal]
    whole = [contact for contact in judged if not contact.cut_off] or judged  # all, where somebody only stands
    required = np.array([contact.demand.required for contact in whole])
    mus = np.array([contact.mu_median for contact in judged if contact.mu_median is not None])
    slips = [slip for contact in result.contacts for slip in contact.slips]
    return {
        "body_weight": known(result.weight),
        "body_weight_from": result.weight_note,
        "contacts": len(result.contacts),
        "refused": len(result.contacts) - len(judged),
        "refused_because": "; ".join(dict.fromkeys(c.standing.refusal for c in result.contacts if c.standing.refusal)),
        "cut_off": sum(contact.cut_off for contact in judged),
        "required_median": known(_middle(required)),
        "required_largest": known(float(np.nanmax(required)) if np.isfinite(required).any() else math.nan),
        "slip_count": len(slips),
        "slip_time": sum(slip.end - slip.start for slip in slips),
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
        "estimator": result.estimator,
        "summary": summary(result),
        "notes": list(result.notes),
        "contacts": [contact_record(contact) for contact in result.contacts],
    }


def write_csv(path: str | Path, results: Sequence[Answer]) -> None:
    """One line per contact; empty cells where a value isn't known."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
        writer.writeheader()
        for result in results:
            for contact in result.contacts:
                slip_time = sum(slip.end - slip.start for slip in contact.slips)
                counted = {"file": result.path, "slip_count": len(contact.slips), "slip_time": slip_time}
                writer.writerow(contact_record(contact) | counted)

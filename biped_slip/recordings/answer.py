# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Answer to a recording: every contact of every foot, the weight, and the summary."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import math
from pathlib import Path
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Columns
from biped_slip.recordings.contact import (
    Contact,
    contact_record,
    contact_row,
    known,
)
from biped_slip.recordings.series import FloatArray, TimeSeries

CSV_COLUMNS = (
    "file foot sensor start end peak_normal peak_tangential peak_ratio undersampled "
    "required required_forward "
    "required_lateral mu_median mu_low mu_high held cut_off withheld usable_from "
    "slip_count slip_time refusal"
).split()


class Reached(NamedTuple):
    """State of an estimator after some samples."""

    state: Any
    stamp_ns: int  # of the last sample


@dataclasses.dataclass(frozen=True)
class Replay:
    """Series with the estimates of every sample, and the result of each stance.

    The estimates have shape (n, fields).

    Attributes:
        series: what was measured.
        estimator: its name.
        answers: (n, fields), columns ``FrictionEstimate._fields``.
        contacts: result of each stance, in the order of time.
        reached: for the next piece of the same recording.
    """

    series: TimeSeries
    estimator: str
    answers: FloatArray
    contacts: tuple[Contact, ...]
    reached: Reached


@dataclasses.dataclass(frozen=True, repr=False)
class Answer(Columns):
    """Result of one recording: every contact, the body weight, and the replays to draw.

    One row a contact, columns as in the CSV, NaN where nothing is known::

        answer = bs.replay_file("trial.c3d")
        answer["start"]  # array (contacts,) [s]
        answer["required"], answer["mu_median"]  # arrays (contacts,) [-]
        answer.to_pandas().query("slip_count > 0")  # with pandas installed

    Attributes:
        path: of the recording.
        estimator: its name.
        feet: replays to draw, one a foot or plate; of a long bag only its first piece.
        contacts: in the order of time.
        weight: of the body [N]; NaN: unknown.
        weight_note: where that weight comes from.
        notes: what was read and done.
    """

    path: str
    estimator: str
    feet: tuple[Replay, ...]
    contacts: tuple[Contact, ...]
    weight: float
    weight_note: str
    notes: tuple[str, ...]

    names = tuple(CSV_COLUMNS)

    def column(self, name: str) -> Any:
        """Return a column, shape (contacts,).

        Args:
            name: one of ``names``; ``[name]`` refuses any other in a sentence.
        """
        values = [contact_row(self.path, contact)[name] for contact in self.contacts]
        texts = any(isinstance(value, str) for value in values)
        return np.array(
            [
                ("" if texts else math.nan) if value is None else value
                for value in values
            ]
        )


def summary(result: Answer) -> dict[str, Any]:
    """Summarise all contacts in numbers, None where unknown.

    Args:
        result: of a recording.

    Returns:
        By name: ``body_weight`` [N], numbers of ``contacts``, ``refused``, ``cut_off``
        and ``slip_count``, ``slip_time`` [s], and median, smallest and largest of
        required friction and mu [-].
    """
    judged = [contact for contact in result.contacts if not contact.standing.refusal]
    whole = [
        contact for contact in judged if not contact.cut_off
    ] or judged  # all, where the subject only stands
    required = np.array([contact.forces.required for contact in whole])
    mus = np.array(
        [contact.mu_median for contact in judged if contact.mu_median is not None]
    )
    slips = [slip for contact in result.contacts for slip in contact.slips]
    return {
        "body_weight": known(result.weight),
        "body_weight_from": result.weight_note,
        "contacts": len(result.contacts),
        "refused": len(result.contacts) - len(judged),
        "refused_because": "; ".join(
            dict.fromkeys(
                c.standing.refusal for c in result.contacts if c.standing.refusal
            )
        ),
        "cut_off": sum(contact.cut_off for contact in judged),
        "required_median": known(_middle(required)),
        "required_largest": known(
            float(np.nanmax(required)) if np.isfinite(required).any() else math.nan
        ),
        "slip_count": len(slips),
        "slip_time": sum(slip.duration for slip in slips),
        "contacts_with_mu": len(mus),
        "mu_median": known(_middle(mus)),
        "mu_smallest": known(float(mus.min()) if len(mus) else math.nan),
        "mu_largest": known(float(mus.max()) if len(mus) else math.nan),
    }


def _middle(values: Any) -> float:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else math.nan


def answer_sentence(result: Answer) -> str:
    """Summarise the friction found in a recording in plain words."""
    if not result.contacts:
        return (
            "No contact was found: is the unit of the forces right, and were the "
            "feet loaded?"
        )
    found = summary(result)
    count = found["slip_count"]
    known = found["contacts_with_mu"]
    slid = (
        f"Feet slid {count} time{'s' * (count != 1)}, {found['slip_time']:.2f} s in all"
        if count
        else "No foot slid"
    )
    words = f"{slid}. Friction was estimated in {known} of {found['contacts']} contacts"
    if known:
        words += (
            f": {found['mu_median']:.2f} ({found['mu_smallest']:.2f} to "
            f"{found['mu_largest']:.2f})"
        )
    # of contacts without an estimate: elsewhere the floor may hold more than the
    # friction that was estimated
    held = max(
        (
            one.held
            for one in result.contacts
            if one.held is not None and one.mu_median is None
        ),
        default=None,
    )
    if held is not None:
        words += (
            f"; {'another' if known else 'one'} contact held {held:.2f} without "
            "slip: friction there is no less"
        )
    if found["required_median"] is not None:
        words += (
            f". Required friction: {found['required_median']:.2f}, largest "
            f"{found['required_largest']:.2f}"
        )
    return words + "."


def answer_record(result: Answer) -> dict[str, Any]:
    """Convert an answer to plain dictionaries for JSON."""
    return {
        "file": result.path,
        "estimator": result.estimator,
        "summary": summary(result),
        "notes": list(result.notes),
        "contacts": [contact_record(contact) for contact in result.contacts],
    }


def answered_files(path: str | Path) -> set[str]:
    """Read the names of the recordings in a table of contacts."""
    if not Path(path).is_file():
        return set()
    with Path(path).open(newline="", encoding="utf-8") as file:
        return {row["file"] for row in csv.DictReader(file)}


@contextlib.contextmanager
def contact_table(
    path: str | Path, resume: bool = False
) -> Iterator[Callable[[str, Answer | str], None]]:
    """Open a CSV of contacts, one line each, written as answers come.

    Unknown values are empty.

    Yields:
        What is called with the name of a recording and its answer, or with the reason
            why there is none: a line, too.
    """
    with Path(path).open("a" if resume else "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS, extrasaction="ignore")
        if file.tell() == 0:
            writer.writeheader()

        def add(name: str, result: Answer | str) -> None:
            if isinstance(result, str):
                writer.writerow({"file": name, "refusal": result})
            else:
                writer.writerows(
                    contact_row(result.path, contact) for contact in result.contacts
                )
            file.flush()

        file.flush()
        yield add

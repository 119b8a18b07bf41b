# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether any recorded contact refutes what was said of it: held without slip, before or after, above ``mu_high``."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError
from biped_slip.recordings.batch import FIELDS
from biped_slip.recordings.replay import Contact, Replay
from biped_slip.recordings.replay_file import replay_file
from biped_slip.shared_files import shared_names

HIGH, USABLE = FIELDS.index("mu_high"), FIELDS.index("usable")


class Tally(NamedTuple):
    """Contacts of one recording; ``note`` says why it could not be read."""

    name: str
    contacts: int = 0
    at_least: int = 0  # with a ratio that was held
    bounded: int = 0  # with a finite mu_high
    refuted: int = 0  # mu_high of the summary below what was held
    refuted_live: int = 0  # contacts without a slip in which a usable answer ever had it below
    withdrawn: int = 0
    note: str = ""


def files_below(places: Sequence[Path]) -> list[Path]:
    """Files, and all files in folders."""
    return [file for place in places for file in (sorted(place.rglob("*")) if place.is_dir() else [place])
            if file.is_file()]  # fmt: skip


def tallies(places: Sequence[Path]) -> Iterator[Tally]:
    """One a file, as each is read; a table is read by the shipped configuration that has its folder's name."""
    shipped = shared_names("config/recordings")
    for file in files_below(places):
        try:
            found = replay_file(file, file.parent.name if file.parent.name in shipped else None)
        except BipedSlipError as error:
            yield Tally(file.name, note=str(error))
            continue
        contacts = found.contacts
        highs = [(one.mu_high, one.held) for one in contacts if one.mu_high is not None]
        yield Tally(
            file.name,
            len(contacts),
            sum(one.held is not None for one in contacts),
            len(highs),
            sum(held is not None and high < held for high, held in highs),
            sum(_ever_below(foot, one) for foot in found.feet for one in foot.contacts),
            sum(one.withdrawn for one in contacts),
        )


def _ever_below(foot: Replay, contact: Contact) -> bool:
    """Whether a usable answer of a contact that did not slip had less than the contact held at any time."""
    if contact.held is None or contact.slips or contact.standing.refusal:
        return False
    first, last = contact.standing.stance
    answers = foot.answers[first:last]
    said = answers[:, USABLE] > 0.0
    return bool(np.any(answers[said, HIGH] < contact.held))

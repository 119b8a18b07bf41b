# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contact: the answer about one stance of one foot, as a record and as a row."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any

from biped_slip.config import renaming
from biped_slip.recordings.judge.force_ratio import StanceForces
from biped_slip.recordings.judge.slip import Slip
from biped_slip.recordings.series import Standing

RECORDED = (
    "foot sensor start end undersampled peak_ratio mu_median mu_low mu_high "
    "held cut_off withheld usable_from"
).split()


@dataclasses.dataclass(frozen=True)
class Contact:
    """Stance of one foot, times in the recording's own seconds.

    None stands where a quantity is unknown.
    """

    standing: Standing
    foot: str
    sensor: str  # the plate or force sensor
    start: float  # [s]
    end: float  # [s]
    forces: StanceForces
    # too few samples a second to show the largest ratio: required friction is at least
    # this
    undersampled: bool
    peak_ratio: float | None  # largest |tangential| / normal, edges included [-]
    mu_median: float | None  # [-]
    mu_low: float | None  # [-]
    mu_high: float | None  # [-]
    # largest ratio that lasted without slip, less noise: mu is at least that [-]
    held: float | None
    # it begins before the recording or ends after it: its forces are not those of a
    # whole stance
    cut_off: bool
    # answers that what the foot bore in this contact contradicts, each with the reason
    withheld: tuple[str, ...]
    # first time at which the estimator calls its answer usable [s]
    usable_from: float | None
    slips: tuple[Slip, ...]

    @property
    def demand(self) -> StanceForces:
        """Return ``forces`` by its former name."""
        warnings.warn(renaming("Contact.demand", "forces"), FutureWarning, stacklevel=2)
        return self.forces


def known(value: float) -> float | None:
    """Return a finite number, or None."""
    return float(value) if math.isfinite(value) else None


def contact_record(contact: Contact) -> dict[str, Any]:
    """Convert a contact for JSON; a slip is its start and end [s], mu and source."""
    record: dict[str, Any] = {name: getattr(contact, name) for name in RECORDED}
    record |= {name: known(value) for name, value in contact.forces._asdict().items()}
    record["refusal"] = contact.standing.refusal or None
    record["withheld"] = list(contact.withheld)
    record["slips"] = [slip.record() for slip in contact.slips]
    return record


def contact_row(path: str, contact: Contact) -> dict[str, Any]:
    """Convert a contact to a line of a table: the slips counted, texts joined."""
    record = contact_record(contact)
    slip_time = sum(slip.duration for slip in contact.slips)
    counted = {"file": path, "slip_count": len(contact.slips), "slip_time": slip_time}
    return (
        record
        | counted
        | {"withheld": "; ".join(contact.withheld), "refusal": record["refusal"] or ""}
    )

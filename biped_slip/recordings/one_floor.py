# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One floor: contacts of a recording compared with each other.

A floor may differ by place, so a contact that answers less friction than another held
is no contradiction by itself. But where the foot's places are so noisy that its
velocity had to be averaged for longer, they do not show presliding, and an upper bound
from them stands against what another contact of the same recording bore without slip.
A slide that stands out of that noise stays.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Sequence

from biped_slip.recordings.answer import Replay
from biped_slip.recordings.contact import Contact


def compared(feet: Sequence[Replay]) -> tuple[Replay, ...]:
    """Withhold upper bounds by noisy places that another contact contradicts."""
    held = max(
        (one.held for foot in feet for one in foot.contacts if one.held is not None),
        default=math.nan,
    )
    return tuple(
        dataclasses.replace(
            foot, contacts=tuple(_compared(one, held) for one in foot.contacts)
        )
        if foot.series.motion.place_noise
        else foot
        for foot in feet
    )


def _compared(contact: Contact, held: float) -> Contact:
    """Compare one contact with the largest ratio that any has held [-]."""
    if contact.slips or contact.mu_high is None or not contact.mu_high < held:
        return contact
    reason = (
        f"an interval up to {contact.mu_high:.3g} is withheld: another contact held "
        f"{held:.3g} without slip, and places as noisy as this foot's show no less"
    )
    return dataclasses.replace(
        contact,
        mu_median=None,
        mu_low=None,
        mu_high=None,
        usable_from=None,
        withheld=(*contact.withheld, reason),
    )

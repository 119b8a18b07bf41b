# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contact of one foot in the words of ``whole_body_state_msgs/ContactState``.

It is what other programs ask of a foot beside its friction: whether it touches the
floor, since when, how much it bears, and what tells the force.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from biped_slip.friction_estimation.types import (
    EstimateState,
    ForceSource,
    FrictionEstimate,
)

# [ns] a foot that was off the floor for less has not landed: one that is put down
# gently bears next to nothing for a tenth of a second, and no walk swings a leg in
# less (choice)
SHORTEST_SWING = 200_000_000
NO_TOUCHDOWN = 0  # [ns]


class ContactState(IntEnum):
    """State of a contact."""

    UNKNOWN = -1
    CLOSED = 0
    OPEN = 1
    SLIPPING = 2


_WORDS = {
    EstimateState.NO_CONTACT: ContactState.OPEN,
    EstimateState.SLIPPING: ContactState.SLIPPING,
    EstimateState.INVALID_INPUT: ContactState.UNKNOWN,
}


def contact_state(estimate: FrictionEstimate) -> ContactState:
    """Translate the state of an estimate; unknown ones are of a newer estimator."""
    if estimate.state_code not in set(EstimateState):
        return ContactState.UNKNOWN
    if estimate.slipping:
        return ContactState.SLIPPING
    return _WORDS.get(EstimateState(estimate.state_code), ContactState.CLOSED)


class FootContact(NamedTuple):
    """Contact of one foot, and what it takes to follow it."""

    state: ContactState
    touchdown_ns: int  # of the present or last stance; NO_TOUCHDOWN before the first
    force_source: int  # a ForceSource
    normal_force: float  # of the floor on the foot [N]; NaN where not known
    not_open_ns: int | None  # when it was last not known to be off the floor


NO_FOOT_CONTACT = FootContact(
    state=ContactState.UNKNOWN,
    touchdown_ns=NO_TOUCHDOWN,
    force_source=int(ForceSource.UNKNOWN),
    normal_force=math.nan,
    not_open_ns=None,
)


def contact_step(
    before: FootContact,
    stamp_ns: int,
    estimate: FrictionEstimate,
    normal_force: float,
    source: int,
) -> FootContact:
    """Update a foot's contact by one sample.

    A foot on the floor at the first sample has not landed, nor has one of which nothing
    was known meanwhile: its touchdown stays what it was.

    Args:
        before: after the sample before; ``NO_FOOT_CONTACT`` at first.
        stamp_ns: of the sample [ns].
        estimate: of the foot.
        normal_force: of the floor on it [N].
        source: of that force, a ``ForceSource``.
    """
    state = contact_state(estimate)
    opened = before.not_open_ns
    flies = state is ContactState.OPEN and opened is not None
    touches = state in (ContactState.CLOSED, ContactState.SLIPPING)
    landed = touches and opened is not None and stamp_ns - opened > SHORTEST_SWING
    known = state is not ContactState.UNKNOWN
    return FootContact(
        state=state,
        touchdown_ns=stamp_ns if landed else before.touchdown_ns,
        force_source=source if known else int(ForceSource.UNKNOWN),
        normal_force=normal_force if known else math.nan,
        not_open_ns=opened if flies else stamp_ns,
    )

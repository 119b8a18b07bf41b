# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Touchdowns and lift-offs that a recording names itself, under the names in use."""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence

TOUCHDOWN = re.compile(
    r"(foot|heel|initial)[ _-]*(strike|contact|down|on)|^[lr]?(hs|ic|fs)$", re.I
)
LIFT_OFF = re.compile(r"(foot|toe)[ _-]*off|^[lr]?to$", re.I)
SIDE = re.compile(r"^(?P<side>l(eft)?|r(ight)?)(?=[ _-]|hs$|ic$|fs$|to$|$)", re.I)


class GaitEvent(NamedTuple):
    """Event of gait in a recording."""

    kind: str  # touchdown | lift-off
    foot: str  # left | right
    time: float  # since the first frame [s]


def gait_events(
    labels: Sequence[str], contexts: Sequence[str], times: Sequence[float]
) -> tuple[GaitEvent, ...]:
    """List touchdowns and lift-offs among the events of a file, in the order of time.

    Others are left out.
    """
    found = []
    for label, context, time in zip(labels, contexts, times, strict=False):
        kind = (
            "touchdown"
            if TOUCHDOWN.search(label)
            else "lift-off"
            if LIFT_OFF.search(label)
            else ""
        )
        side = SIDE.match(str(context).strip()) or SIDE.match(str(label).strip())
        if kind and side:
            foot = "left" if side["side"].lower().startswith("l") else "right"
            found.append(GaitEvent(kind, foot, float(time)))
    return tuple(sorted(found, key=lambda event: event.time))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Touchdowns and lift-offs by force beside those that the file itself names."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from biped_slip.recordings.gait_events import GaitEvent

NEAREST = 0.15  # [s]; events further apart aren't the same


class Agreement(NamedTuple):
    """One event of a stance and the file's own."""

    kind: str  # touchdown | lift-off
    foot: str
    by_force: float  # [s]
    in_file: float  # [s]
    frames: float  # by force later than in the file, in frames of the markers


def agreements(
    stances: Sequence[tuple[str, float, float]], events: Sequence[GaitEvent], rate: float
) -> list[Agreement]:
    """Pairs of events of the same kind and foot that lie close together.

    Args:
        stances: foot, touchdown and lift-off [s]; NaN where it isn't in the recording.
        events: of the file.
        rate: of the markers [Hz].
    """
    found = []
    for foot, touchdown, lift_off in stances:
        for kind, time in (("touchdown", touchdown), ("lift-off", lift_off)):
            same = [event.time for event in events if event.kind == kind and event.foot == foot]
            nearest = min(same, key=lambda other: abs(other - time), default=float("inf"))
            if abs(nearest - time) <= NEAREST:
                found.append(Agreement(kind, foot, time, nearest, (time - nearest) * rate))
    return found

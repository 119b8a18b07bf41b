# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Events: touchdowns and lift-offs by force beside those that the file itself names."""

from __future__ import annotations

import math
from typing import Iterator, NamedTuple, Sequence

from biped_slip.recordings.gait import Recording
from biped_slip.recordings.judge.recording import JudgedStance

NEAREST = 0.15  # [s]; events further apart aren't the same


class Agreement(NamedTuple):
    """Event of a stance beside the file's own event."""

    kind: str  # touchdown | lift-off
    foot: str
    by_force: float  # [s]
    in_file: float  # [s]
    frames: float  # by force later than in the file, in frames of the markers


def agreements(
    found: Sequence[JudgedStance], recording: Recording
) -> Iterator[Agreement]:
    """Match events of the recorded stances with those in the file.

    Each goes with the nearest of the same kind and foot.
    """
    for one in found:
        for kind, inside, time in (
            ("touchdown", one.begins, float(one.time[0])),
            ("lift-off", one.ends, float(one.time[-1])),
        ):
            same = [
                event.time
                for event in recording.events
                if event.kind == kind and event.foot == one.foot
            ]
            nearest = min(same, key=lambda other: abs(other - time), default=math.inf)
            if inside and abs(nearest - time) <= NEAREST:
                yield Agreement(
                    kind=kind,
                    foot=one.foot,
                    by_force=time,
                    in_file=nearest,
                    frames=(time - nearest) * recording.markers.rate,
                )

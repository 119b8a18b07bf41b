# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a foot and how far it slid in them, of whatever robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import numpy as np

from biped_slip.compile.arrays import Array

FEET = ("left", "right")
CONTACT_FORCE = 1.0  # [N] normal force that counts as stance
BRIDGED_GAP = 0.020  # [s] shorter losses of contact do not end a stance
SHORTEST_STANCE = 0.100  # [s]
AFTER_LANDING, BEFORE_LIFT_OFF = 0.050, 0.020  # [s] left out when a slide is measured
SLIP_LIMIT = 0.01  # [m] a walk in which no stance foot slid this far has not slipped


@dataclass(frozen=True)
class Slip:
    """One slide of a stance foot."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    distance: float  # [m]


def stances(time: Array, normal: Array) -> Iterator[slice]:
    """Ticks of each stance of one foot: loaded, short gaps bridged, long enough."""
    if time.size < 2:
        return
    period = float(time[1] - time[0])
    loaded = normal > CONTACT_FORCE
    edges = np.flatnonzero(np.diff(np.concatenate(([0], loaded.view(np.int8), [0]))))
    spans = edges.reshape(-1, 2)
    merged: list[list[int]] = []
    for start, end in spans:
        if merged and (start - merged[-1][1]) * period < BRIDGED_GAP:
            merged[-1][1] = int(end)
        else:
            merged.append([int(start), int(end)])
    for start, end in merged:
        if (end - start) * period >= SHORTEST_STANCE:
            yield slice(start, end)


def steady_part(stance: slice, time: Array) -> slice:
    """The stance without landing and lift-off."""
    period = float(time[1] - time[0])
    return slice(stance.start + round(AFTER_LANDING / period), stance.stop - round(BEFORE_LIFT_OFF / period))


def extent(places: Array) -> float:
    """How far a point went [m]: the diagonal of the box around its places (ticks,) or (ticks, axes)."""
    return float(np.linalg.norm(np.ptp(places, axis=0))) if places.size else 0.0

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances of a foot in a walk's log, and how far it slid in them.

A stance is a stretch of time in which the floor's normal force is above a threshold,
shorter losses of contact bridged. Landing and lift-off are cut off where a slide is
measured: a foot is meant to slide for some milliseconds as it lands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.walking.stances import BRIDGED_GAP, steps_of

# body weights; the ratio of a foot with less says little (choice)
BEARING_LOAD = 0.2
CONTACT_FORCE = 1.0  # [N] normal force that counts as stance
AFTER_LANDING = 0.050  # [s] left out after a landing when a slide is measured
BEFORE_LIFT_OFF = 0.020  # [s] left out before a lift-off
SLIP_LIMIT = 0.01  # [m] a walk in which no stance foot slid this far has not slipped


@dataclass(frozen=True)
class StanceSlide:
    """One slide of a stance foot."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    distance: float  # [m]


def spans(condition: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Find the stretches (stretches, 2) in which a condition (ticks,) holds.

    Each is given by its first tick and the tick after its last.
    """
    edges: Any = np.flatnonzero(
        np.diff(np.concatenate(([0], condition.view(np.int8), [0])))
    )
    return edges.reshape(-1, 2)


def stances(
    time: Array, normal: Array, bridged: float = BRIDGED_GAP
) -> Iterator[slice]:
    """Find the ticks of each stance of one foot.

    In a stance the foot is loaded, for long enough; gaps shorter than ``bridged`` [s]
    are closed.

    Args:
        time: (ticks,) [s].
        normal: force (ticks,) [N].
        bridged: gaps that do not end a stance [s].
    """
    if time.size < 2:
        return
    period = float(time[1] - time[0])
    for start, end in steps_of(spans(normal > CONTACT_FORCE), period, bridged):
        yield slice(start, end)


def steady_part(stance: slice, time: Array) -> slice:
    """Cut landing and lift-off from a stance."""
    period = float(time[1] - time[0])
    return slice(
        stance.start + round(AFTER_LANDING / period),
        stance.stop - round(BEFORE_LIFT_OFF / period),
    )


def extent(places: Array) -> float:
    """Compute the extent of a point's motion [m].

    It is the diagonal of the box around the point's places (ticks[, axes]).
    """
    return float(np.linalg.norm(np.ptp(places, axis=0))) if places.size else 0.0

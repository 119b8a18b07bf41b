# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Stances: when a foot stands, from the normal force of its sensor.

A stance begins where the normal force reaches a level and ends where it falls below
half of it. The level is a share of the foot's usual load, but well above the noise::

    force  level ─────┬──────────────────┬───
           half  ─────┼──────────────────┼──┬
                      └───── stance ─────┘  └ it may dip to here between

What a sensor loses in between, and what it reads in the air, is in ``losses.py``.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.recordings.judge.losses import (
    drifted,
    lost_samples,
    without_losses,
)
from biped_slip.recordings.layout import Processing
from biped_slip.recordings.series import FloatArray, Stance, Standing, TimeSeries

OFF_SHARE = 0.5  # of the level that begins a contact; below it the contact ends
NOISE_FACTOR = 5.0  # standard deviations of force noise that a contact must exceed
# [s]; a stance that begins or ends this close to the recording's ends is cut off there
EDGE_TIME = 0.02


def usual_load(normal: FloatArray) -> float:
    """Compute the 99th percentile of the finite normal forces [N].

    It is 0 where nothing is loaded.
    """
    finite = normal[np.isfinite(normal)]
    return max(float(np.quantile(finite, 0.99)), 0.0) if len(finite) else 0.0


def contact_level(load: float, share: float, noise: float) -> float:
    """Compute the normal force that begins a contact [N].

    It is a share of the usual load, but well above the noise.
    """
    return max(share * load, NOISE_FACTOR * noise, 1e-9)


def stances(normal: FloatArray, level: float, shortest: int = 2) -> list[Stance]:
    """Find the stances in a normal force.

    A stance goes from the first to the last sample above ``level`` without falling
    below half of it between.

    NaN ends a stance.

    Args:
        normal: shape (n,) [N].
        level: [N].
        shortest: fewest samples of a stance.
    """
    above = normal >= level
    below = ~(normal >= OFF_SHARE * level)
    # -1: between the levels, as before
    known = np.where(above, 1, np.where(below, 0, -1))
    last_known = np.maximum.accumulate(np.where(known >= 0, np.arange(len(known)), 0))
    standing = np.clip(known[last_known], 0, 1) if len(known) else known
    edges = np.flatnonzero(np.diff(standing, prepend=0, append=0))
    found = []
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        last = int(first + np.flatnonzero(above[first:end])[-1]) + 1
        if last - first >= shortest:
            found.append(Stance(int(first), last))
    return found


def standing_mask(count: int, found: list[Stance]) -> NDArray[np.bool_]:
    """Return the stances as a mask of shape (count,)."""
    mask = np.zeros(count, dtype=bool)
    for stance in found:
        mask[stance.first : stance.last] = True
    return mask


class ContactLevels(NamedTuple):
    """Normal forces between which a foot is neither surely down nor surely up."""

    begins: float  # from here on the foot stands [N]
    ends: float  # below it the foot is in the air [N]


def contact_levels(series: TimeSeries, processing: Processing) -> ContactLevels:
    """Compute the levels of a series from its usual load and its noise."""
    load = usual_load(series.force[:, 2])
    level = contact_level(load, processing.contact_share, series.force_noise)
    return ContactLevels(begins=level, ends=OFF_SHARE * level)


def standings_of(series: TimeSeries, levels: ContactLevels) -> tuple[Standing, ...]:
    """List the stances of a series: those its reader knows, else by the normal force.

    Where the normal force tells, the sensor belongs to one foot, whose name it has.
    """
    if series.standings is not None:
        return series.standings
    load = usual_load(series.force[:, 2])
    normal, _ = drifted(series, load, levels.begins)
    found = without_losses(stances(normal, levels.begins), series.time, normal, load)
    return tuple(Standing(stance=one, foot=series.name) for one in found)


def stance_notes(
    series: TimeSeries, levels: ContactLevels, standings: Sequence[Standing]
) -> list[str]:
    """Describe what the sensor of a foot lost, read in the air, or never showed."""
    if not standings:
        return []
    load = usual_load(series.force[:, 2])
    normal, drift = drifted(series, load, levels.begins)
    notes = [drift] if drift and series.standings is None else []
    lost = lost_samples([one.stance for one in standings], normal, levels.ends)
    if lost and not drift:
        notes.append(
            f"{series.name}: {lost} samples without load within stances: a foot can't "
            "leave and land so quickly, its sensor lost them"
        )
    if bool((normal >= levels.ends).all()):
        notes.append(
            f"{series.name}: never unloaded: an offset of its sensor can't be found"
        )
    return notes


class RecordedEnds(NamedTuple):
    """Which ends of a stance lie in the recording."""

    touchdown: bool
    lift_off: bool


def recorded_ends(series: TimeSeries, stance: Stance, unloaded: float) -> RecordedEnds:
    """Find which ends of a stance lie in the recording.

    One does not where the stance reaches an end of the series at which its foot still
    bears load. A piece of a long recording ends with its foot in the air, just after a
    stance that is whole.

    Args:
        series: of the foot.
        stance: in it.
        unloaded: normal force below which the foot is in the air [N].
    """
    time = series.stamp_ns
    edge = round(1e9 * EDGE_TIME)
    normal = series.force[:, 2]
    at_begin = time[stance.first] - time[0] <= edge and not normal[0] < unloaded
    at_end = time[-1] - time[stance.last - 1] <= edge and not normal[-1] < unloaded
    return RecordedEnds(touchdown=not at_begin, lift_off=not at_end)

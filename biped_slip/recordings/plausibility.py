# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What can't be: forces of the wrong sign, millimetres that are called metres."""

from __future__ import annotations

import numpy as np

from biped_slip.errors import InvalidRecording
from biped_slip.recordings.judge.stances import (
    OFF_SHARE,
    contact_level,
    stances,
    usual_load,
)
from biped_slip.recordings.series import TimeSeries

SIGNED_SHARE = 0.1  # of the largest normal force, below which a sign means little
FASTEST_FOOT = 50.0  # [m/s] of a foot
FURTHEST = 10.0  # [m] of a foot that stands
# beyond which numbers are possible, but doubted
DOUBTED_WAY = 1.0  # [m] of a foot that stands
LEAST_USUAL_LOAD = 3.0  # [N] usual load; that of a person in kN is less
MOST_USUAL_LOAD = 20_000.0  # [N]


def check_plausible(path: object, series: TimeSeries) -> None:
    """Refuse forces and motions whose sign or unit must be wrong.

    Raises:
        InvalidRecording: with the remedy.
    """
    normal = series.force[:, 2]
    size = np.nan_to_num(np.abs(normal))
    loaded = normal[size > SIGNED_SHARE * float(size.max(initial=0.0))]
    if len(loaded) and float(np.median(loaded)) < 0.0:
        words = (
            f"the normal force of {series.name} is {np.median(loaded):.3g} N "
            "while loaded, but the ground pushes"
        )
        raise InvalidRecording(
            path,
            words,
            "turn the sign of all forces: they are those of the ground on the foot",
        )
    speed = np.hypot(series.velocity[:, 0], np.nan_to_num(series.velocity[:, 1]))
    fastest = float(np.nanquantile(speed, 0.999)) if np.isfinite(speed).any() else 0.0
    furthest = _furthest(series)
    if fastest > FASTEST_FOOT or furthest > FURTHEST:
        words = (
            f"{series.name} moves at {fastest:.3g} m/s and by {furthest:.3g} m "
            "while it stands"
        )
        raise InvalidRecording(
            path, words, "are its motions in mm? metres and m/s are expected"
        )


def doubts(series: TimeSeries) -> list[str]:
    """Describe magnitudes that are possible, but more likely of another unit."""
    found = []
    furthest = _furthest(series)
    if furthest > DOUBTED_WAY:
        found.append(
            f"{series.name}: moves by {furthest:.3g} m while it stands: are its "
            "motions in mm or cm? metres are expected"
        )
    load = usual_load(series.force[:, 2])
    if series.normal_unit == "N" and 0.0 < load < LEAST_USUAL_LOAD:
        found.append(
            f"{series.name}: bears {load:.3g} N at most: are its forces in kN or in "
            "body weights? newtons are expected"
        )
    if series.normal_unit == "N" and load > MOST_USUAL_LOAD:
        found.append(
            f"{series.name}: bears {load:.3g} N: are its forces in mN? newtons are "
            "expected"
        )
    return found


def _furthest(series: TimeSeries) -> float:
    """Return how far a foot moves while it stands, at most [m]."""
    normal = series.force[:, 2]
    level = contact_level(usual_load(normal), OFF_SHARE, 0.0)
    moved = [
        np.nan_to_num(np.ptp(series.displacement[a:b], axis=0)).max()
        for a, b in stances(normal, level)
    ]
    return float(max(moved, default=0.0))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Spoiled stances: those whose sensor did not measure one foot's force, all of it.

A plate measures all of a foot's force only where the foot stands on it as a whole: with
its heel beyond the edge a part of the weight goes into the floor beside it, and the
ratio of what is left is not that of the foot. So it is with a foot on two plates.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.constants import FEET
from biped_slip.recordings.markers import HEEL, TOE, Markers, foot_marker
from biped_slip.recordings.series import FloatArray

# [m] that a heel marker may stick out behind a heel that is on the plate
MARKER_MARGIN = 0.02
# [m] from the edge; a centre of pressure nearer than this is at the edge
PRESSURE_MARGIN = 0.01
EDGE_SHARE = 0.1  # of the loaded samples at the edge that spoil a stance
LOADED_PEAK_SHARE = 0.25  # of the largest load
FLAT = (0.3, 0.5)  # shares of the stance in which both ends of the foot are down
SHARED_TIME = 0.05  # [s] that one foot presses on two plates


def off_the_plate(
    time: FloatArray,
    pressure: FloatArray,
    normal: FloatArray,
    outline: FloatArray,
    markers: Markers,
    foot: str,
) -> str:
    """Explain why a stance is not wholly on its plate; empty if it is.

    Args:
        time: of the stance, shape (n,) [s].
        pressure: centre of pressure, shape (n, 2) [m].
        normal: shape (n,) [N].
        outline: corners of the plate, shape (4, 3) [m]; (0, 3) where there is no plate.
        markers: may be empty; same axes.
        foot: left, right or unknown.
    """
    if len(outline) != 4:
        return ""
    begin, end = (time[0] + share * (time[-1] - time[0]) for share in FLAT)
    frames = (markers.time >= begin) & (markers.time <= end)
    for name, names in (("heel", HEEL), ("toe", TOE)):
        place = (
            foot_marker(markers, foot, names)
            if foot != "unknown" and len(markers.names)
            else None
        )
        if place is None or not np.isfinite(place[frames]).any():
            continue
        depth = inside_by(
            outline[:, :2], np.nanmedian(place[frames, :2], axis=0)[None, :]
        )[0]
        if depth < -MARKER_MARGIN:
            return (
                f"the foot is partly off the plate: its {name} marker is "
                f"{-100 * depth:.0f} cm beyond the edge"
            )
    loaded = np.isfinite(pressure).all(axis=1) & (
        normal > LOADED_PEAK_SHARE * np.max(normal)
    )
    near = inside_by(outline[:, :2], pressure[loaded]) < PRESSURE_MARGIN
    if len(near) and near.mean() > EDGE_SHARE:
        return (
            "the foot is partly off the plate: it presses on the edge for "
            f"{100 * near.mean():.0f} % of its load"
        )
    return ""


def inside_by(corners: FloatArray, points: FloatArray) -> FloatArray:
    """Compute how far points (m, 2) lie inside a convex outline (4, 2).

    The distance has shape (m,) [m] and is negative outside.
    """
    following = np.roll(corners, -1, axis=0)
    along = following - corners
    centre = corners.mean(axis=0)
    across = (
        np.column_stack([-along[:, 1], along[:, 0]])
        / np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    )
    across *= np.sign(np.einsum("ij,ij->i", across, centre - corners))[:, None]
    return np.min(
        np.einsum("mkj,kj->mk", points[:, None, :] - corners[None], across), axis=1
    )


class Footing(NamedTuple):
    """Which foot stands where, and when."""

    foot: str  # left | right; any other name is that of no side
    sensor: str
    begin: float  # [s]
    end: float  # [s]


def on_two_plates(one: Footing, all_footings: Sequence[Footing]) -> str:
    """Explain on which two plates a foot stands at once; empty where it does not."""
    if one.foot not in FEET:
        return ""
    for other in all_footings:
        together = min(one.end, other.end) - max(one.begin, other.begin)
        if (
            other.sensor != one.sensor
            and other.foot == one.foot
            and together > SHARED_TIME
        ):
            return (
                f"the {one.foot} foot stands on {one.sensor} and {other.sensor} at once"
            )
    return ""


def clipped_channel(sensor: str, channels: Sequence[int]) -> str:
    """Explain that a channel stays at its limit; empty where none does."""
    if not channels:
        return ""
    return f"channel {channels[0]} of {sensor} clips: its force is cut off"

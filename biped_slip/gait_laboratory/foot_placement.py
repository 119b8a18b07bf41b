# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a foot stands on its plate as a whole: only then the plate measures all of its force."""

from __future__ import annotations

import numpy as np

from biped_slip.gait_laboratory.sole_motion import HEEL, TOE, foot_marker
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.series import FloatArray

MARKER_MARGIN = 0.02  # [m] that a heel marker may stick out behind a heel that is on the plate
PRESSURE_MARGIN = 0.01  # [m] from the edge; a centre of pressure nearer than this is at the edge
EDGE_SHARE = 0.1  # of the loaded samples at the edge that spoil a stance
LOADED_SHARE = 0.25  # of the largest load
FLAT = (0.3, 0.5)  # shares of the stance in which both ends of the foot are down


def off_the_plate(
    time: FloatArray, pressure: FloatArray, normal: FloatArray, outline: FloatArray, markers: Markers, foot: str
) -> str:
    """Why a stance isn't wholly on its plate, or nothing.

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
        place = foot_marker(markers, foot, names) if foot != "unknown" and len(markers.names) else None
        if place is None or not np.isfinite(place[frames]).any():
            continue
        depth = inside_by(outline[:, :2], np.nanmedian(place[frames, :2], axis=0)[None, :])[0]
        if depth < -MARKER_MARGIN:
            return f"the foot is partly off the plate: its {name} marker is {-100 * depth:.0f} cm beyond the edge"
    loaded = np.isfinite(pressure).all(axis=1) & (normal > LOADED_SHARE * np.max(normal))
    near = inside_by(outline[:, :2], pressure[loaded]) < PRESSURE_MARGIN
    if len(near) and near.mean() > EDGE_SHARE:
        return f"the foot is partly off the plate: it presses on the edge for {100 * near.mean():.0f} % of its load"
    return ""


def inside_by(corners: FloatArray, points: FloatArray) -> FloatArray:
    """How far points (m, 2) lie inside a convex outline (4, 2), negative outside, shape (m,) [m]."""
    following = np.roll(corners, -1, axis=0)
    along = following - corners
    centre = corners.mean(axis=0)
    across = np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
    across *= np.sign(np.einsum("ij,ij->i", across, centre - corners))[:, None]
    return np.min(np.einsum("mkj,kj->mk", points[:, None, :] - corners[None], across), axis=1)

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whose foot stands on the plate, and whether it is one foot alone."""

from __future__ import annotations

import numpy as np

from biped_slip.recordings.markers import Markers, foot_centre, slowest_velocity
from biped_slip.recordings.series import FloatArray, Stance

NEAR = 0.30  # [m] from the centre of pressure to the middle of a foot's markers
STANDING_SPEED = 0.25  # [m/s] of the slowest marker of a foot that stands
FLOOR_HEIGHT = 0.05  # [m] above its lowest, a standing foot's markers
TOGETHER = 0.25  # share of a stance during which a second foot on the plate spoils it
LONGEST_FOOT = 0.40  # [m]; a centre of pressure that travels further needs two feet
LOADED_SHARE = 0.25  # of the largest load of a stance
LEAST_SPREAD = 0.02  # [m] lateral distance between left and right centres of pressure


def feet_from_markers(
    stance: Stance, time: FloatArray, pressure: FloatArray, corners: FloatArray | None, markers: Markers, up: int
) -> tuple[str, str]:
    """(foot, refusal) of one stance: the foot nearest to the centre of pressure in the middle of the stance.

    Args:
        stance: samples on the plate.
        time: shape (n,) [s], of the plate.
        pressure: centre of pressure, shape (n, 3), laboratory [m].
        corners: of the plate, shape (4, 3) [m], or None.
        markers: may be empty.
        up: vertical axis.
    """
    window = slice(stance.first, stance.last)
    middle = slice(
        stance.first + int(0.3 * (stance.last - stance.first)),
        stance.first + int(0.7 * (stance.last - stance.first)) + 1,
    )
    level = [axis for axis in range(3) if axis != up]
    distance, on_plate = {}, {}
    for side in ("left", "right"):
        centre = foot_centre(markers, side, time[middle])
        gap = np.linalg.norm((centre - pressure[middle])[:, level], axis=1)
        distance[side] = float(np.nanmedian(gap)) if np.isfinite(gap).any() else np.inf
        on_plate[side] = _stands(side, time[window], corners, markers, up)
    refusal = ""
    together = float(np.mean(on_plate["left"] & on_plate["right"]))
    if together > TOGETHER:
        refusal = f"two feet on one plate for {100 * together:.0f} % of the stance: the force can't be shared out"
    nearest = min(distance, key=lambda side: distance[side])
    return (nearest if distance[nearest] < NEAR else "unknown"), refusal


def _stands(side: str, time: FloatArray, corners: FloatArray | None, markers: Markers, up: int) -> np.ndarray:
    """When a foot stands within the plate: above it, low and slow; shape (n,)."""
    centre = foot_centre(markers, side, time)
    if corners is None or not np.isfinite(centre).any():
        return np.zeros(len(time), dtype=bool)
    all_heights = foot_centre(markers, side, markers.time)[:, up]
    low = centre[:, up] < np.nanquantile(all_heights, 0.02) + FLOOR_HEIGHT
    speed = np.linalg.norm(slowest_velocity(markers, side, time, up), axis=1)
    level = [axis for axis in range(3) if axis != up]
    inside = (centre[:, level] > corners[:, level].min(axis=0)) & (centre[:, level] < corners[:, level].max(axis=0))
    return inside.all(axis=1) & low & (speed < STANDING_SPEED)


def two_feet_by_pressure(pressure: FloatArray, load: FloatArray) -> str:
    """Refusal when the centre of pressure of a stance, shape (n, 2) [m], travels further than a foot is long.

    Only samples with a quarter of the largest load (shape (n,)) count: below, the point is mostly noise.
    """
    known = pressure[np.isfinite(pressure).all(axis=1) & (load > LOADED_SHARE * np.nanmax(load))]
    if len(known) < 10:
        return ""
    reach = float(np.linalg.norm(np.quantile(known, 0.95, axis=0) - np.quantile(known, 0.05, axis=0)))
    return (
        f"the centre of pressure travels {reach:.2f} m, further than one foot is long: two feet on one plate"
        if reach > LONGEST_FOOT
        else ""
    )


def feet_from_pressure(travel: list[FloatArray], forward: FloatArray) -> list[str]:
    """Sides of consecutive stances from where they press: the left foot stands further left of the path.

    Args:
        travel: per stance in the order of time, centre of pressure in the middle of the stance, shape (2,), in a
            frame whose axes are forward and left [m].
        forward: shape (2,), direction of the walk in that frame.
    """
    if len(travel) < 2:
        return ["unknown"] * len(travel)
    lateral = np.array([point[1] * forward[0] - point[0] * forward[1] for point in travel])
    centred = lateral - 0.5 * (lateral.max() + lateral.min())
    if np.ptp(lateral) < LEAST_SPREAD or not np.isfinite(lateral).all():
        return ["unknown"] * len(travel)
    return ["left" if value > 0.0 else "right" for value in centred]

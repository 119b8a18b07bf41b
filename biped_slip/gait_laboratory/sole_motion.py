# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How the part of the sole that stands moves over the floor, from markers on heel and toe.

A marker sits above the sole: while the foot turns about the heel's point of contact, a marker at height h moves by
h sin(pitch) though nothing slips. That part is taken out of the heel marker's motion. Once the heel has risen the
forefoot stays flat, and the toe marker is the witness as it is. In dry gait of three laboratories this leaves 1 to 3 mm
of motion after the landing, where the heel marker itself moves 10 to 25 mm.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.signal import savgol_filter

from biped_slip.recordings.markers import Markers
from biped_slip.recordings.series import FloatArray

# Names of the marker sets in use: Plug-in Gait, Cleveland, Helen Hayes, OpenSim; the first that is there is taken.
HEEL = ("HEE", "HEEL", "CAL", "CALC", "FCC", "CAL1")
TOE = ("TOE", "MT2", "MTP2", "D2M", "MT1", "D1M", "1MT", "MT5", "MTP5", "D5M", "5MT")
FLAT_SHARE = 0.15  # of the stance, in which both markers are lowest: there the foot is flat
FLAT_PITCH = 0.035  # [rad] from the flat foot's pitch; within it either end may be the witness
LEAVING_HEIGHT = 0.003  # [m] above its height on the flat foot; from there on the toe rolls off and nothing stands
WINDOW = 0.05  # [s] of the local parabola that gives place and velocity
FEWEST = 5  # frames of the parabola


class SoleMotion(NamedTuple):
    """Motion over the floor of what stands, at the n frames of the markers in a stance, as local parabolas."""

    time: FloatArray  # shape (n,) [s]
    position: FloatArray  # shape (n, 2), x along the walk, y left, from an arbitrary origin [m]
    velocity: FloatArray  # shape (n, 2) [m/s]
    heel_rise: float  # from here on by the toe marker [s]
    source: str = "markers"


def foot_marker(markers: Markers, side: str, names: tuple[str, ...]) -> FloatArray | None:
    """Position of the first of some markers that exists on a foot, shape (frames, 3); None where none is."""
    by_name = {re.sub(r"^.*:", "", name).strip().upper(): k for k, name in enumerate(markers.names)}
    letter = side[0].upper()
    for name in names:
        for spelled in (f"{letter}{name}", f"{letter}.{name}", f"{letter}_{name}", f"{letter} {name}"):
            index = by_name.get(spelled)
            if index is not None and np.isfinite(markers.position[:, index]).any():
                return markers.position[:, index]
    return None


def sole_motion(markers: Markers, side: str, touchdown: float, lift_off: float, floor: float = 0.0) -> SoleMotion | str:
    """Motion of a foot over the floor during one stance.

    Args:
        markers: x along the walk, y left, z up [m].
        side: ``left`` or ``right``.
        touchdown: first and …
        lift_off: … last time of the stance [s].
        floor: height of the surface [m].

    Returns:
        The motion, or why there is none.
    """
    heel, toe = foot_marker(markers, side, HEEL), foot_marker(markers, side, TOE)
    if heel is None or toe is None:
        return f"no marker on the {side} {'heel' if heel is None else 'toe'}"
    inside = np.flatnonzero((markers.time >= touchdown) & (markers.time <= lift_off))
    window = max(2 * round(0.5 * WINDOW * markers.rate) + 1, FEWEST)
    if len(inside) < 2 * window or not _covered(markers, touchdown, lift_off):
        return "the markers don't cover the stance"
    time, heel, toe = markers.time[inside], heel[inside], toe[inside]
    if not (np.isfinite(heel).all() and np.isfinite(toe).all()):
        return f"a marker of the {side} foot isn't seen all through the stance"
    pitch, reach = _pitch(heel, toe, window)
    above = _lowest(heel[:, 2]) + _lowest(toe[:, 2])
    flat = above <= np.quantile(above, FLAT_SHARE)
    pitch = pitch - np.median(pitch[flat])
    height, toe_height = float(np.median(heel[flat, 2])) - floor, float(np.median(toe[flat, 2]))
    ground = heel[:, :2] + height * np.sin(pitch)[:, None] * reach
    by_toe = _by_toe(pitch, ground, toe[:, :2])
    steps = np.where(by_toe[1:, None], np.diff(toe[:, :2], axis=0), np.diff(ground, axis=0))
    position = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    risen = np.flatnonzero(pitch >= -FLAT_PITCH)
    change = int(risen[-1]) if len(risen) else 0
    stays = np.flatnonzero(toe[change:, 2] <= toe_height + LEAVING_HEIGHT)
    end = change + (int(stays[-1]) if len(stays) else 0)
    velocity = savgol_filter(position, window, 2, deriv=1, delta=1.0 / markers.rate, axis=0)
    smooth = savgol_filter(position, window, 2, axis=0)
    seen = slice(0, max(end + 1, window))
    return SoleMotion(time[seen], smooth[seen], velocity[seen], float(time[change]))


def _lowest(height: FloatArray) -> FloatArray:
    return height - float(height.min())


def _pitch(heel: FloatArray, toe: FloatArray, window: int) -> tuple[FloatArray, FloatArray]:
    """Angle of the line from heel to toe above the level, shape (n,) [rad], and its level direction, shape (n, 2)."""
    reach = savgol_filter(toe - heel, window, 2, axis=0)
    length = np.maximum(np.hypot(reach[:, 0], reach[:, 1]), 1e-9)
    return np.arctan2(reach[:, 2], length), reach[:, :2] / length[:, None]


def _by_toe(pitch: FloatArray, heel: FloatArray, toe: FloatArray) -> NDArray[np.bool_]:
    """Which end stands: the heel while the toe is up, the toe once the heel is; on the flat foot the stiller one."""
    by_toe: NDArray[np.bool_] = pitch < -FLAT_PITCH
    flat = np.abs(pitch) <= FLAT_PITCH
    edges = np.flatnonzero(np.diff(flat.astype(int), prepend=0, append=0))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        by_toe[first:last] = _way(toe[first:last]) < _way(heel[first:last])
    return by_toe


def _way(place: FloatArray) -> float:
    return float(np.hypot(*np.ptp(place, axis=0)))


def _covered(markers: Markers, touchdown: float, lift_off: float) -> bool:
    frame = 1.0 / markers.rate
    return bool(len(markers.time) and markers.time[0] <= touchdown + frame and markers.time[-1] >= lift_off - frame)

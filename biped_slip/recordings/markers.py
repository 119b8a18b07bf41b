# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Markers of motion capture: which sit on which foot, and how the foot moves over the floor."""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from biped_slip.recordings.motion import differenced
from biped_slip.recordings.series import FloatArray

# Names of marker sets in use (Plug-in Gait, Cleveland, Helen Hayes, OpenSim): heel, toe, ankle, calcaneus, metatarsals.
ON_FOOT = re.compile(
    r"^(?:.*:)?(?P<side>[LR])[._ ]?(?:HEE|HEEL|TOE|ANK|ANKLE|CAL|CALC|MT\d|MTP?\d|FT\d|D\dM|P\dM|5MT|1MT)$", re.I
)
VELOCITY_WINDOW = 0.05  # [s]
NOISE = 0.03  # [m/s]: a marker on a standing foot (skin, roll-over, camera noise), 0.03–0.04 in healthy gait


@dataclasses.dataclass(frozen=True)
class Markers:
    """Positions of markers; NaN where a marker wasn't seen."""

    names: tuple[str, ...]
    rate: float  # [Hz]
    position: FloatArray  # shape (frames, markers, 3) [m]

    @property
    def time(self) -> FloatArray:
        """Shape (frames,) [s]."""
        return np.arange(len(self.position)) / self.rate

    def turned(self, rotation: FloatArray) -> Markers:
        """The same in other axes; ``rotation`` has shape (3, 3), rows are the new axes."""
        return dataclasses.replace(self, position=self.position @ rotation.T)

    def of_foot(self, side: str) -> FloatArray:
        """Positions of the markers on one foot (``left`` or ``right``), shape (frames, k, 3)."""
        wanted = side[0].upper()
        chosen = [k for k, name in enumerate(self.names) if _side(name) == wanted]
        return self.position[:, chosen]


NO_MARKERS = Markers((), 1.0, np.empty((0, 0, 3)))


def _side(name: str) -> str:
    match = ON_FOOT.match(name.strip())
    return match["side"].upper() if match else ""


def foot_centre(markers: Markers, side: str, time: FloatArray) -> FloatArray:
    """Mean of a foot's markers at given times, shape (n, 3) [m]; NaN where none was seen."""
    position = markers.of_foot(side)
    if not position.size:
        return np.full((len(time), 3), np.nan)
    seen = np.isfinite(position[:, :, :1]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(seen > 0, np.nansum(position, axis=1) / seen, np.nan)
    return _on_time(markers.time, centre, time)


def slowest_velocity(markers: Markers, side: str, time: FloatArray, up: int) -> FloatArray:
    """Velocity of the foot's slowest marker over the floor, shape (n, 3), vertical part zero [m/s].

    A rolling foot stands on one of its ends: its slowest marker is the best witness that it doesn't slide.
    """
    position = markers.of_foot(side)
    if not position.size or len(position) < 3:
        return np.full((len(time), 3), np.nan)
    flat = position.copy()
    flat[:, :, up] = 0.0
    velocity = np.stack([differenced(markers.time, flat[:, k], VELOCITY_WINDOW) for k in range(flat.shape[1])], axis=1)
    speed = np.linalg.norm(velocity, axis=2)
    slowest = np.argmin(np.where(np.isfinite(speed), speed, np.inf), axis=1)
    return _on_time(markers.time, velocity[np.arange(len(velocity)), slowest], time)


def _on_time(frames: FloatArray, values: FloatArray, time: FloatArray) -> FloatArray:
    """Linear interpolation; NaN beyond half a frame outside the frames and across unseen frames."""
    reach = 0.5 * (frames[1] - frames[0]) if len(frames) > 1 else 0.0
    inside = np.where((time >= frames[0] - reach) & (time <= frames[-1] + reach), time, np.nan)
    return np.column_stack([np.interp(inside, frames, values[:, k]) for k in range(values.shape[1])])

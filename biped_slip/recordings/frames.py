# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which way is up and which way is forward in a laboratory's axes, found from the data with a stated reason."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from biped_slip.errors import BipedSlipError, InvalidParameter
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.series import FloatArray

AXES = ("+x", "-x", "+y", "-y", "+z", "-z")
DOMINANCE = 2.0  # how many times larger than the others the vertical force must be
LEAST_TRAVEL = 0.3  # [m] that markers must travel to tell the walking direction


class Frame(NamedTuple):
    """Rotation from the laboratory to x forward, y left, z up, and why."""

    rotation: FloatArray  # shape (3, 3), rows are the new axes; forces are multiplied from the left
    up: int  # index of the laboratory's vertical axis
    sign: float  # −1 where the recorded forces are those of the foot on the ground
    reasons: tuple[str, ...]


def axis_vector(name: str, text: str) -> FloatArray:
    """Unit vector of ``+x`` … ``-z``.

    Raises:
        InvalidParameter: another text.
    """
    if text not in AXES:
        raise InvalidParameter(name, text, "one of " + ", ".join(AXES))
    vector = np.zeros(3)
    vector["xyz".index(text[1])] = 1.0 if text[0] == "+" else -1.0
    return vector


def find_up(path: object, forces: Sequence[FloatArray], override: str = "") -> tuple[int, float, str]:
    """Vertical axis and sign of the recorded forces: (index, sign, reason).

    Body weight dwarfs every other force, so the axis with the largest loaded force is vertical; the ground
    pushes, so its sign tells whether force of the ground on the foot or its opposite was recorded.

    Raises:
        BipedSlipError: no axis stands out.
    """
    if override:
        vector = axis_vector("vertical", override)
        return int(np.argmax(np.abs(vector))), float(vector.sum()), f"vertical axis {override}, as told"
    stacked = np.concatenate([np.nan_to_num(force) for force in forces])
    size = np.linalg.norm(stacked, axis=1)
    loaded = stacked[size >= 0.5 * np.quantile(size, 0.99)]
    mean = np.median(loaded, axis=0) if len(loaded) else np.zeros(3)
    order = np.argsort(np.abs(mean))
    up, second = int(order[-1]), int(order[-2])
    if not np.abs(mean[up]) > DOMINANCE * np.abs(mean[second]):
        raise BipedSlipError(
            f"{path}: no axis carries the weight (median loaded force {np.round(mean, 1).tolist()} N); "
            "name the vertical axis, for example --vertical +z"
        )
    sign = 1.0 if mean[up] > 0.0 else -1.0
    whose = "the ground pushes the foot" if sign > 0.0 else "it is the foot that pushes, so all signs are turned"
    reason = f"{'xyz'[up]} is vertical: the median loaded force there is {mean[up]:.0f} N, {whose}"
    return up, sign, reason


def find_forward(up: int, forces: Sequence[FloatArray], markers: Markers, override: str = "") -> tuple[FloatArray, str]:
    """Walking direction as a unit vector in the laboratory, and the reason.

    From the way of the markers; without them from the shear: along the walk it is the larger one, braking first and
    pushing off later; where neither tells, the first horizontal axis.
    """
    if override:
        return axis_vector("forward", override), f"forward is {override}, as told"
    level = [axis for axis in range(3) if axis != up]
    if markers.position.size:
        seen = markers.position[:, :, level]
        with np.errstate(all="ignore"):
            middle = np.array([np.nanmedian(frame, axis=0) for frame in seen if np.isfinite(frame).any()])
        travel = middle[-1] - middle[0] if len(middle) > 1 else np.zeros(2)
        if np.linalg.norm(travel) > LEAST_TRAVEL:
            vector = np.zeros(3)
            vector[level[int(np.argmax(np.abs(travel)))]] = np.sign(travel[np.argmax(np.abs(travel))])
            return vector, f"forward is {_name(vector)}: the markers travel {np.linalg.norm(travel):.2f} m that way"
    shear = [np.concatenate([force[:, axis] for force in forces]) for axis in level]
    strength = [float(np.sqrt(np.nanmean(part**2))) for part in shear]
    along = level[int(np.argmax(strength))]
    push = _push_off_sign(forces, along, up)
    vector = np.zeros(3)
    if max(strength) < 1.5 * min(strength) or push == 0.0:
        vector[level[0]] = 1.0
        return vector, f"forward is presumed to be {_name(vector)}: neither markers nor shear tell"
    vector[along] = push
    return vector, f"forward is {_name(vector)}: the larger shear, braking in early and pushing in late stance"


def _push_off_sign(forces: Sequence[FloatArray], along: int, up: int) -> float:
    """Sign of the shear in the later part of the stances (weighted by load): +1, −1, or 0 if it isn't clear."""
    late = 0.0
    for force in forces:
        standing = force[:, up] > 0.1 * np.nanquantile(force[:, up], 0.99)
        edges = np.flatnonzero(np.diff(standing.astype(int), prepend=0, append=0))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            half = (first + last) // 2
            late += float(np.nansum(force[half:last, along]) - np.nansum(force[first:half, along]))
    return float(np.sign(late))


def _name(vector: FloatArray) -> str:
    axis = int(np.argmax(np.abs(vector)))
    return ("+" if vector[axis] > 0.0 else "-") + "xyz"[axis]


def sole_frame(up: int, sign: float, forward: FloatArray, reasons: tuple[str, ...]) -> Frame:
    """Rotation to x forward, y left, z up.

    The vertical axis points up in the laboratory unless the forces were recorded upside down *and* turned signs: a
    plate that records the foot's force on the ground has all its signs turned by ``sign`` (the axes stay).
    """
    z = np.zeros(3)
    z[up] = 1.0
    y = np.cross(z, forward)
    return Frame(np.vstack([forward, y, z]), up, sign, reasons)

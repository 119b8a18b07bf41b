# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Force plates: from the channels of each C3D type to force and moment in the laboratory frame.

Plate axes follow from the corners (C3D manual): x from corner 2 to corner 1, y from corner 4 to corner 1, and
z = x × y. Moments are first about the sensor's origin, then about the centre of the top surface.
"""

from __future__ import annotations

import dataclasses
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from biped_slip.errors import UnknownName
from biped_slip.recordings.series import FloatArray


@dataclasses.dataclass(frozen=True)
class Plate:
    """What one plate (or one foot of a force file) measured, in the laboratory's own axes; n samples.

    Force and moment are as recorded: sign, offset and vertical axis are found later.
    """

    name: str
    stamp_ns: NDArray[np.int64]  # shape (n,)
    force: FloatArray  # shape (n, 3) [N]
    moment: FloatArray  # shape (n, 3), about ``centre`` [N m]
    centre: FloatArray  # shape (3,), centre of the top surface, or the laboratory's origin [m]
    corners: FloatArray | None = None  # shape (4, 3) [m]
    point: FloatArray | None = None  # shape (n, 3), recorded point of application [m]
    channels: FloatArray | None = None  # shape (n, k), raw: for clipping


def plate_axes(corners: FloatArray) -> FloatArray:
    """Rotation from plate to laboratory, shape (3, 3), axes as columns; ``corners`` has shape (4, 3)."""
    x = corners[0] - corners[1]
    z = np.cross(x, corners[0] - corners[3])
    y = np.cross(z, x)
    return np.column_stack([axis / np.linalg.norm(axis) for axis in (x, y, z)])


def plate_wrench(
    kind: int, channels: FloatArray, corners: FloatArray, origin: FloatArray, calibration: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Force and moment about the centre of the surface, in the laboratory frame.

    Args:
        kind: C3D type 1 (Fx Fy Fz Px Py Tz), 2 (Fx Fy Fz Mx My Mz), 3 (Fx12 Fx34 Fy14 Fy23 Fz1 … Fz4)
            or 4 (type 2 after a 6 × 6 calibration matrix).
        channels: shape (n, 6) or (n, 8) [N, m, N m; volts for type 4].
        corners: shape (4, 3) [m].
        origin: shape (3,) [m]; for type 3 the sensor distances a, b and the depth.
        calibration: shape (6, 6) for type 4, giving N and N m.

    Returns:
        (force [N], moment [N m]), each of shape (n, 3).

    Raises:
        UnknownName: the type has no conversion here.
    """
    if kind not in CONVERSIONS:
        raise UnknownName("force plate type", str(kind), [str(known) for known in CONVERSIONS])
    if kind == 4 and calibration is not None:
        channels = channels[:, :6] @ calibration.T
    force, moment = CONVERSIONS[kind](channels, np.asarray(origin, dtype=float))
    axes = plate_axes(corners)
    return force @ axes.T, moment @ axes.T


def _from_point(channels: FloatArray, origin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 1: force, point of application on the surface, free moment."""
    force = channels[:, :3]
    zero = np.zeros(len(channels))
    point = np.column_stack([channels[:, 3], channels[:, 4], zero])
    return force, np.cross(point, force) + np.column_stack([zero, zero, channels[:, 5]])


def _from_moments(channels: FloatArray, origin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Types 2 and 4; files store the depth of the sensor with either sign, it is always below the surface."""
    force = channels[:, :3]
    arm = -origin if origin[2] > 0.0 else origin
    return force, channels[:, 3:6] + np.cross(force, arm)


def _from_four_sensors(channels: FloatArray, origin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Type 3: four triaxial sensors at (±a, ±b)."""
    x12, x34, y14, y23, z1, z2, z3, z4 = channels[:, :8].T
    a, b = abs(origin[0]), abs(origin[1])
    force = np.column_stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4])
    moment = np.column_stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)])
    return force, moment + np.cross(force, [0.0, 0.0, -abs(origin[2])])


Conversion = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
CONVERSIONS: dict[int, Conversion] = {1: _from_point, 2: _from_moments, 3: _from_four_sensors, 4: _from_moments}
CHANNEL_COUNT = {1: 6, 2: 6, 3: 8, 4: 6}


def centre_of_pressure(plate: Plate, force: FloatArray, moment: FloatArray, up: int) -> FloatArray:
    """Where the force meets the surface, shape (n, 3) [m]; NaN without load.

    Args:
        plate: gives the centre.
        force: shape (n, 3), offset removed [N].
        moment: shape (n, 3), about the centre [N m].
        up: index of the vertical axis.
    """
    first, second = (up + 1) % 3, (up + 2) % 3  # right-handed with up
    with np.errstate(divide="ignore", invalid="ignore"):
        load = np.where(np.abs(force[:, up]) > 1e-9, force[:, up], np.nan)
        point = np.tile(plate.centre, (len(force), 1))
        point[:, first] += -moment[:, second] / load
        point[:, second] += moment[:, first] / load
    return point

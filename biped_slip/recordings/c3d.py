# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""C3D files: force plates of types 1 to 4 and markers, through ``ezc3d``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.errors import BipedSlipError, InvalidRecording
from biped_slip.recordings.c3d_check import check_c3d
from biped_slip.recordings.markers import Markers
from biped_slip.recordings.plates import CHANNEL_COUNT, Plate, plate_wrench
from biped_slip.recordings.series import FloatArray
from biped_slip.recordings.stamps import regular_stamps

LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
FORCES = {"n": 1.0, "nt": 1.0, "newton": 1.0, "newtons": 1.0, "kn": 1e3, "lb": 4.4482216152605, "lbf": 4.4482216152605}
MOMENT_ENDINGS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def read_c3d(path: str | Path) -> tuple[list[Plate], Markers, tuple[str, ...]]:
    """Plates, markers (at their own rate) and notes.

    Raises:
        BipedSlipError: ``ezc3d`` isn't installed.
        InvalidRecording: damaged, truncated, without force plates, or with a plate that can't be converted.
    """
    check_c3d(path)
    content = _load(path)
    parameters = content["parameters"]
    rate = float(content["header"]["analogs"]["frame_rate"])
    analog = np.asarray(content["data"]["analogs"])[0].T  # (n, channels), scaled
    if not 0.0 < rate < 1e6 or not len(analog):
        raise InvalidRecording(path, f"has {len(analog)} analog samples at {rate:g} Hz", "it holds no forces")
    length = LENGTHS.get(_texts(parameters, "POINT", "UNITS", ["mm"])[0].strip().lower())
    if length is None:
        raise InvalidRecording(path, f"POINT:UNITS is {_texts(parameters, 'POINT', 'UNITS', [''])[0]!r}", "mm, cm or m")
    begin = float(content["header"]["points"]["first_frame"]) / max(content["header"]["points"]["frame_rate"], 1e-9)
    markers = _markers(content, length)
    plates, notes = _plates(path, parameters, analog, rate, length)
    return plates, markers, (f"{len(plates)} plates at {rate:g} Hz; time 0 is {begin:.3f} s of the trial", *notes)


def _load(path: str | Path) -> Any:
    try:
        import ezc3d
    except ImportError as error:
        raise BipedSlipError("C3D files need the package ezc3d; install biped-slip[recordings]") from error
    try:
        return ezc3d.c3d(str(path))
    except (RuntimeError, OSError, ValueError, IndexError, KeyError, MemoryError, TypeError) as error:
        raise InvalidRecording(path, f"the C3D reader gave up ({' '.join(str(error).split())[:200]})") from error


def _values(parameters: Any, group: str, name: str) -> FloatArray | None:
    """A numeric parameter, or None when it is absent or empty."""
    try:
        value = np.asarray(parameters[group][name]["value"], dtype=float)
    except (KeyError, ValueError, TypeError):
        return None
    return value if value.size else None


def _texts(parameters: Any, group: str, name: str, default: list[str]) -> list[str]:
    try:
        return [str(text) for text in parameters[group][name]["value"]] or default
    except (KeyError, TypeError):
        return default


def _markers(content: Any, length: float) -> Markers:
    points = np.asarray(content["data"]["points"], dtype=float)  # (4, markers, frames)
    names = _texts(content["parameters"], "POINT", "LABELS", [])[: points.shape[1]]
    position = np.moveaxis(points[:3, : len(names)], 0, 2).swapaxes(0, 1) * length  # (frames, markers, 3)
    missing = ~np.isfinite(position).all(axis=2) | (position == 0.0).all(axis=2)
    rate = float(content["header"]["points"]["frame_rate"])
    return Markers(tuple(names), max(rate, 1e-9), np.where(missing[:, :, None], np.nan, position))


def _plates(
    path: str | Path, parameters: Any, analog: FloatArray, rate: float, length: float
) -> tuple[list[Plate], list[str]]:
    kinds, corners = _values(parameters, "FORCE_PLATFORM", "TYPE"), _values(parameters, "FORCE_PLATFORM", "CORNERS")
    origins, places = _values(parameters, "FORCE_PLATFORM", "ORIGIN"), _values(parameters, "FORCE_PLATFORM", "CHANNEL")
    if kinds is None or corners is None or origins is None or places is None:
        raise InvalidRecording(path, "describes no force plate (FORCE_PLATFORM)", "its forces can't be placed")
    used = _values(parameters, "FORCE_PLATFORM", "USED")
    count = int(used.ravel()[0]) if used is not None else kinds.size
    if not 0 < count <= kinds.size or corners.size < 12 * count or origins.size < 3 * count:
        raise InvalidRecording(path, f"FORCE_PLATFORM promises {count} plates but describes fewer", "it is damaged")
    matrices = _values(parameters, "FORCE_PLATFORM", "CAL_MATRIX")
    units = _texts(parameters, "ANALOG", "UNITS", [])
    places = places.reshape(places.shape[0], -1)
    plates, notes = [], []
    for index in range(count):
        kind = int(kinds.ravel()[index])
        number = CHANNEL_COUNT.get(kind, 6)
        columns = places[:number, index].astype(int) - 1 if index < places.shape[1] else np.zeros(0, dtype=int)
        if len(columns) < number or columns.min() < 0 or columns.max() >= analog.shape[1]:
            raise InvalidRecording(path, f"plate {index + 1} names channels that don't exist", "it is damaged")
        raw = analog[:, columns]
        corner = corners.reshape(3, 4, -1)[:, :, index].T * length
        calibration = None
        if kind == 4:
            if matrices is None or matrices.reshape(6, 6, -1).shape[2] <= index:
                raise InvalidRecording(path, f"plate {index + 1} is of type 4 but has no CAL_MATRIX")
            calibration = matrices.reshape(6, 6, -1)[:, :, index] * np.array([1.0] * 3 + [length] * 3)[:, None]
            scales = np.ones(number)
        else:
            scales, note = _scales(kind, [units[c] if c < len(units) else "" for c in columns], length)
            notes += [f"plate {index + 1}: {note}"] if note else []
        if np.linalg.norm(np.cross(corner[0] - corner[1], corner[0] - corner[3])) < 1e-6:
            raise InvalidRecording(path, f"the corners of plate {index + 1} span no area", "it is damaged")
        origin = origins.reshape(3, -1)[:, index] * length
        force, moment = plate_wrench(kind, raw * scales, corner, origin, calibration)
        stamps = regular_stamps(len(force), rate)
        centre = corner.mean(axis=0)
        plates.append(Plate(f"plate {index + 1}", stamps, force, moment, centre, corner, channels=raw))
    return plates, notes


def _scales(kind: int, units: list[str], length: float) -> tuple[FloatArray, str]:
    """Factor of each channel to N, N m or m, and a note where a unit had to be presumed."""
    names = {1: "FFFPPM", 2: "FFFMMM", 3: "FFFFFFFF"}.get(kind, "FFFMMM")
    scales, presumed = [], []
    for name, unit in zip(names, units, strict=True):
        text = unit.strip().lower().replace(".", "").replace(" ", "").replace("*", "").replace("-", "")
        scale = LENGTHS.get(text) if name == "P" else _moment(text) if name == "M" else FORCES.get(text)
        if scale is None:
            presumed.append(unit or "none")
            scale = length if name in "PM" else 1.0
        scales.append(scale)
    note = f"unit {presumed[0]!r} isn't known, N and the length unit of the points presumed" if presumed else ""
    return np.array(scales), note


def _moment(text: str) -> float | None:
    """Factor of a unit such as nmm, ntmm, nm."""
    for ending, scale in MOMENT_ENDINGS.items():
        force = FORCES.get(text.removesuffix(ending)) if text.endswith(ending) else None
        if force is not None:
            return force * scale
    return None

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""C3D files: force plates of types 1 to 4 and markers.

They are checked before the C++ reader sees them.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from biped_slip.bounded_files import check_regular
from biped_slip.errors import InvalidRecording
from biped_slip.recordings.c3d_child import NUMBER_PARAMETERS, load_c3d
from biped_slip.recordings.gait_events import GaitEvent, gait_events
from biped_slip.recordings.markers import NO_MARKERS, Markers
from biped_slip.recordings.plates import CHANNEL_COUNT, Plate, plate_wrench
from biped_slip.recordings.series import FloatArray, regular_stamps

# Layout of a C3D file (www.c3d.org): blocks of 512 bytes; the header holds where
# parameters and data begin and how many frames of how many values there are; parameters
# form a chain of records, each with the offset of the next.

BLOCK_BYTES = 512
MAGIC = 0x50
INTEL = 84
DEC = 85
MIPS = 86
LARGEST_C3D = 1 << 31  # [byte]
# [Hz] of anything that is measured with a force plate (choice)
LOWEST_RATE = 1.0
HIGHEST_RATE = 1e6


def check_c3d(path: str | Path) -> str:
    """Check header and parameter chain before the C++ reader sees them.

    That reader may loop on damage and hides truncation.

    Returns:
        What is wrong with the parameter section, which a tolerant reader may open all
        the same; empty: nothing.

    Raises:
        InvalidRecording: not a C3D file, or one whose data end early.
    """
    try:
        check_regular(path, LARGEST_C3D)
        size = Path(path).stat().st_size
        with Path(path).open("rb") as file:
            head = file.read(BLOCK_BYTES)
            if not size:
                raise InvalidRecording(path, "is empty")
            if len(head) < BLOCK_BYTES or head[1] != MAGIC or not head[0]:
                raise InvalidRecording(path, "is not a C3D file (no C3D header)")
            file.seek((head[0] - 1) * BLOCK_BYTES)
            start = file.read(4)
            if len(start) < 4:
                raise InvalidRecording(
                    path, "ends before its parameters", "copy it again"
                )
            parameters = start + file.read(max(start[2], 1) * BLOCK_BYTES - 4)
    except OSError as error:
        raise InvalidRecording(
            path, f"can't be read ({error.strerror or error})"
        ) from error
    if start[3] not in (INTEL, DEC, MIPS):
        raise InvalidRecording(
            path,
            f"its processor type is {start[3]}, but 84, 85 and 86 are known",
            "it is damaged",
        )
    order = ">" if start[3] == MIPS else "<"
    _check_size(path, head, size, order, real_scale=_scale(head, start[3]))
    return _broken_chain(parameters, order)


def _broken_chain(parameters: bytes, order: str) -> str:
    """Follow the chain and return where it is broken, or nothing.

    Every record must lie inside the section and lead forward.
    """
    place = 4
    while place + 2 <= len(parameters):
        name_length, group = struct.unpack_from("bb", parameters, place)
        if name_length == 0 or group == 0:
            return ""
        link = place + 2 + abs(name_length)
        if link + 2 > len(parameters):
            break
        (offset,) = struct.unpack_from(order + "H", parameters, link)
        if offset == 0:
            return ""
        if offset < 3 or link + offset > len(parameters):
            break
        if group > 0 and (words := _broken_parameter(parameters, link + 2, offset)):
            return words
        place = link + offset
    else:
        return ""
    return f"its parameter section is broken at byte {place}"


def _broken_parameter(parameters: bytes, place: int, room: int) -> str:
    """Check that a parameter's values fit between it and the next."""
    kind, dimensions = struct.unpack_from("bB", parameters, place)
    if dimensions > 7 or place + 2 + dimensions > len(parameters):
        return f"a parameter at byte {place} has {dimensions} dimensions"
    if math.prod(parameters[place + 2 : place + 2 + dimensions]) * abs(kind) > room:
        return f"a parameter at byte {place} is larger than its room"
    return ""


def _scale(head: bytes, processor: int) -> float:
    """Return the header's scale; negative: the data are floats."""
    if processor == DEC:
        return -1.0 if head[13] & 0x80 else 1.0  # sign bit of a VAX float: second byte
    return float(
        struct.unpack_from((">" if processor == MIPS else "<") + "f", head, 12)[0]
    )


def _check_size(
    path: str | Path, head: bytes, size: int, order: str, real_scale: float
) -> None:
    points, analog, first, last = struct.unpack_from(order + "4H", head, 2)
    (data_block,) = struct.unpack_from(order + "H", head, 16)
    width = 4 if real_scale < 0.0 else 2
    frame = width * (4 * points + analog)
    frames = last - first + 1 if last >= first else last - first + 1 + (1 << 16)
    begin = (data_block - 1) * BLOCK_BYTES
    if data_block < 2 or begin >= size:
        raise InvalidRecording(
            path, "ends before its data", "it is truncated; copy it again"
        )
    if frame == 0:
        raise InvalidRecording(path, "holds neither points nor analog channels")
    if last != 0xFFFF and begin + frames * frame > size:
        words = f"holds {(size - begin) // frame} of the {frames} frames it promises"
        raise InvalidRecording(path, words, "it is truncated; copy it again")


LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
FORCES = {
    "n": 1.0,
    "nt": 1.0,
    "newton": 1.0,
    "newtons": 1.0,
    "kn": 1e3,
    "lb": 4.4482216152605,
    "lbf": 4.4482216152605,
}
MOMENT_ENDINGS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


class C3DTrial(NamedTuple):
    """Content of a C3D trial; time 0 is that of its first frame."""

    plates: list[Plate]
    markers: Markers  # at their own rate
    notes: tuple[str, ...]
    events: tuple[GaitEvent, ...]
    mass: float  # of the subject as typed in, NaN without [kg]


def read_c3d(path: str | Path) -> C3DTrial:
    """Read plates, markers, notes, events and the subject's mass.

    Raises:
        BipedSlipError: ``ezc3d`` isn't installed.
        InvalidRecording: damaged, truncated, without force plates, or with a plate that
            can't be converted.
    """
    doubt = check_c3d(path)
    try:
        content = load_c3d(path)
    except InvalidRecording as error:
        if not doubt:
            raise
        raise InvalidRecording(
            path, doubt, "it is damaged or truncated; copy it again"
        ) from error
    rate = float(content["analog_rate"])
    analog = content["analog"]
    if not LOWEST_RATE <= rate < HIGHEST_RATE or len(analog) < 2 or analog.ndim != 2:
        raise InvalidRecording(
            path,
            f"has {len(analog)} analog samples at {rate:g} Hz",
            "it holds no forces",
        )
    unit = str(content["point_unit"][0]) if len(content["point_unit"]) else "mm"
    length = LENGTHS.get(unit.strip().lower())
    if length is None:
        raise InvalidRecording(
            path, f"POINT:UNITS is {unit!r}", "mm, cm, m and in are known"
        )
    frame_rate = float(content["point_rate"])
    placed = LOWEST_RATE <= frame_rate < HIGHEST_RATE
    begin = float(content["first_frame"]) / frame_rate if placed else 0.0
    plates, notes = _plates(path, content, rate, length)
    summary = (
        f"{len(plates)} plates at {rate:g} Hz; time 0 is {begin:.3f} s of the trial"
    )
    if not placed and len(content["points"]):
        notes.append(f"its markers are left out: they have a rate of {frame_rate:g} Hz")
    if doubt:
        notes.append(
            f"{doubt}; its reader opened it all the same: compare plates and markers "
            "with what you know"
        )
    events = gait_events(
        content["event_labels"],
        content["event_contexts"],
        content["event_times"] - begin,
    )
    return C3DTrial(
        plates=plates,
        markers=_markers(content, length),
        notes=(summary, *notes),
        events=events,
        mass=float(content["mass"]),
    )


def _markers(content: dict[str, Any], length: float) -> Markers:
    names = tuple(str(name) for name in content["labels"])[: content["points"].shape[1]]
    position = content["points"][:, : len(names)] * length
    missing = ~np.isfinite(position).all(axis=2) | (position == 0.0).all(axis=2)
    rate = float(content["point_rate"])
    if not LOWEST_RATE <= rate < HIGHEST_RATE or not len(position):
        return NO_MARKERS
    return Markers(names, rate, np.where(missing[:, :, None], np.nan, position))


def _plates(
    path: str | Path, content: dict[str, Any], rate: float, length: float
) -> tuple[list[Plate], list[str]]:
    kinds, corners, origins, places = (
        content.get(name) for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL")
    )
    if kinds is None or corners is None or origins is None or places is None:
        raise InvalidRecording(
            path,
            "describes no force plate (FORCE_PLATFORM)",
            "its forces can't be placed",
        )
    for name in NUMBER_PARAMETERS:
        if name in content and not np.isfinite(content[name]).all():
            raise InvalidRecording(
                path, f"FORCE_PLATFORM:{name} isn't finite", "it is damaged"
            )
    count = int(content["USED"].ravel()[0]) if "USED" in content else kinds.size
    described = min(kinds.size, corners.size // 12, origins.size // 3)
    if not 0 < count <= described or corners.size % 12 or origins.size % 3:
        words = f"FORCE_PLATFORM promises {count} plates but describes {described}"
        raise InvalidRecording(path, words, "it is damaged")
    found = [_plate(path, content, index, rate, length) for index in range(count)]
    return [plate for plate, _ in found], [note for _, note in found if note]


def _plate(
    path: str | Path, content: dict[str, Any], index: int, rate: float, length: float
) -> tuple[Plate, str]:
    """Read one plate in newtons and metres, and a note where a unit was presumed."""
    name = f"plate {index + 1}"
    kind = int(content["TYPE"].ravel()[index])
    raw, columns = _channels(path, content, index, kind)
    corner = content["CORNERS"].reshape(3, 4, -1)[:, :, index].T * length
    origin = content["ORIGIN"].reshape(3, -1)[:, index] * length
    if (
        not np.linalg.norm(np.cross(corner[0] - corner[1], corner[0] - corner[3]))
        > 1e-6
    ):
        raise InvalidRecording(
            path, f"the corners of {name} span no area", "it is damaged"
        )
    calibration = None
    note = ""
    if kind == 4:
        matrices = content.get("CAL_MATRIX")
        if matrices is None or matrices.size < 36 * (index + 1) or matrices.size % 36:
            raise InvalidRecording(
                path, f"{name} is of type 4 but has no 6 x 6 CAL_MATRIX"
            )
        calibration = (
            matrices.reshape(6, 6, -1)[:, :, index]
            * np.array([1.0] * 3 + [length] * 3)[:, None]
        )
        channels = raw
    else:
        units = content["analog_units"]
        scales, note = _scales(
            kind, [str(units[c]) if c < len(units) else "" for c in columns], length
        )
        channels = raw * scales
    force, moment = plate_wrench(kind, channels, corner, origin, calibration)
    stamps = regular_stamps(len(force), rate)
    plate = Plate(
        name=name,
        stamp_ns=stamps,
        force=force,
        moment=moment,
        centre=corner.mean(axis=0),
        corners=corner,
        channels=raw,
    )
    return plate, f"{name}: {note}" if note else ""


def _channels(
    path: str | Path, content: dict[str, Any], index: int, kind: int
) -> tuple[FloatArray, list[int]]:
    """Read the plate's analog channels, shape (n, 6 or 8), and their columns."""
    number = CHANNEL_COUNT.get(kind, 6)
    analog = content["analog"]
    places = content["CHANNEL"]
    places = places.reshape(places.shape[0], -1)
    columns = (
        [int(c) - 1 for c in places[:number, index]] if index < places.shape[1] else []
    )
    if len(columns) < number or min(columns) < 0 or max(columns) >= analog.shape[1]:
        raise InvalidRecording(
            path, f"plate {index + 1} names channels that don't exist", "it is damaged"
        )
    return analog[:, columns], columns


def _scales(kind: int, units: list[str], length: float) -> tuple[FloatArray, str]:
    """Return the factor of each channel to N, N m or m.

    With it goes a note where a unit had to be presumed.
    """
    names = {1: "FFFPPM", 2: "FFFMMM", 3: "FFFFFFFF"}.get(kind, "FFFMMM")
    scales = []
    presumed = []
    for name, unit in zip(names, units, strict=True):
        text = (
            unit.strip()
            .lower()
            .replace(".", "")
            .replace(" ", "")
            .replace("*", "")
            .replace("-", "")
        )
        scale = (
            LENGTHS.get(text)
            if name == "P"
            else _moment(text)
            if name == "M"
            else FORCES.get(text)
        )
        if scale is None:
            presumed.append(unit or "none")
            scale = length if name in "PM" else 1.0
        scales.append(scale)
    note = (
        f"unit {presumed[0]!r} isn't known, N and the length unit of the points "
        "presumed"
        if presumed
        else ""
    )
    return np.array(scales), note


def _moment(text: str) -> float | None:
    """Return the factor of a unit such as nmm, ntmm, nm."""
    known = [
        (text.removesuffix(end), scale)
        for end, scale in MOMENT_ENDINGS.items()
        if text.endswith(end)
    ]
    return next(
        (FORCES[force] * scale for force, scale in known if force in FORCES), None
    )

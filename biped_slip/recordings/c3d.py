# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""C3D files: force plates of types 1 to 4 and markers.

Header and parameter chain are checked first: what is damaged is named, and what the
format allows, however rare, is read.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from biped_slip.bounded_files import check_regular
from biped_slip.errors import InvalidRecording
from biped_slip.recordings.c3d_file import (
    BLOCK_BYTES,
    DEC,
    INTEL,
    MIPS,
    NUMBER_PARAMETERS,
    layout_of,
    load_c3d,
)
from biped_slip.recordings.gait_events import GaitEvent, gait_events
from biped_slip.recordings.markers import NO_MARKERS, Markers
from biped_slip.recordings.plates import CHANNEL_COUNT, Plate, plate_wrench
from biped_slip.recordings.series import FloatArray, regular_stamps

MAGIC = 0x50
LARGEST_C3D = 1 << 31  # [byte]
# [Hz] of anything that is measured with a force plate (choice)
LOWEST_RATE = 1.0
HIGHEST_RATE = 1e6


def check_c3d(path: str | Path) -> str:
    """Check header and parameter chain.

    Returns:
        What is wrong with the parameter section, of which the rest can be read all the
        same; empty: nothing.

    Raises:
        InvalidRecording: not a C3D file, one without its data, or one in a byte order
            that isn't read.
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
    doubt = _broken_chain(parameters, order)
    if start[3] == MIPS and not doubt:
        raise InvalidRecording(
            path,
            "is in SGI (MIPS) byte order, which can't be read",
            "convert it to Intel byte order, as most C3D programs save it",
        )
    if start[3] == MIPS:
        words = f"claims SGI (MIPS) byte order, but {doubt}"
        raise InvalidRecording(path, words, "it is damaged")
    _check_size(path, head, size, start[3])
    return doubt


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


def _check_size(path: str | Path, head: bytes, size: int, processor: int) -> None:
    layout = layout_of(head, "<", processor)
    begin = (layout.data_block - 1) * BLOCK_BYTES
    if layout.data_block < 2 or begin >= size:
        raise InvalidRecording(
            path, "ends before its data", "it is truncated; copy it again"
        )
    if layout.width == 0:
        raise InvalidRecording(path, "holds neither points nor analog channels")
    if begin + layout.width > size:
        words = f"holds 0 of the {layout.frames} frames it promises"
        raise InvalidRecording(path, words, "it is truncated; copy it again")


LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}
LENGTH_WORDS = {
    "mm": ("millimeters", "millimetres"),
    "cm": ("centimeters", "centimetres"),
    "m": ("meters", "metres"),
    "in": ("inches",),
}
SHORTEST_WORD = 3  # letters of a unit's name that was cut
FORCES = {
    "n": 1.0,
    "nt": 1.0,
    "newt": 1.0,
    "newton": 1.0,
    "newtons": 1.0,
    "kn": 1e3,
    "lb": 4.4482216152605,
    "lbf": 4.4482216152605,
}
MOMENT_ENDINGS = {
    "millimeters": 1e-3,
    "millimeter": 1e-3,
    "mm": 1e-3,
    "cm": 1e-2,
    "meters": 1.0,
    "meter": 1.0,
    "m": 1.0,
}
# of the six or eight channels of each type of plate, those that measure a force or a
# moment; the point of application of type 1 is a place
SENSING = {1: (0, 1, 2, 5)}


def length_unit(text: str) -> float | None:
    """Return the factor of a unit of length to metres, its name cut or not.

    Parameters of four letters make ``mete`` of metres.
    """
    word = text.strip().lower()
    if word in LENGTHS:
        return LENGTHS[word]
    names = [
        unit
        for unit, spelled in LENGTH_WORDS.items()
        if len(word) >= SHORTEST_WORD and any(one.startswith(word) for one in spelled)
    ]
    return LENGTHS[names[0]] if len(names) == 1 else None


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
        InvalidRecording: damaged, truncated, or without a force plate that can be
            converted.
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
    if len(analog) < 2 or not analog.shape[1]:
        words = f"has {len(analog)} samples of {analog.shape[1]} analog channels"
        raise InvalidRecording(path, words, "it holds no forces")
    if not LOWEST_RATE <= rate < HIGHEST_RATE:
        words = f"its analog samples come at {rate:g} Hz"
        raise InvalidRecording(
            path, words, "ANALOG:RATE, POINT:RATE or its header must name the rate"
        )
    unit = str(content["point_unit"][0]) if len(content["point_unit"]) else "mm"
    length = length_unit(unit)
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
    notes = [*content["notes"], *notes]
    if unit.strip().lower() not in LENGTHS:
        notes.append(f"POINT:UNITS is {unit!r}: {length:g} m are presumed")
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
    if not any(name in content for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL")):
        raise InvalidRecording(
            path,
            "describes no force plate (FORCE_PLATFORM)",
            "its forces can't be placed",
        )
    if "USED" in content and content["USED"].ravel()[0] == 0.0:
        words = "says that it has no valid force plates (FORCE_PLATFORM:USED 0)"
        raise InvalidRecording(path, words, "its forces mean nothing")
    for name in ("TYPE", "CORNERS", "ORIGIN", "CHANNEL"):
        if name not in content:
            raise InvalidRecording(
                path, f"has no FORCE_PLATFORM:{name}", "its forces can't be placed"
            )
    for name in NUMBER_PARAMETERS:
        if name in content and not np.isfinite(content[name]).all():
            raise InvalidRecording(
                path, f"FORCE_PLATFORM:{name} isn't finite", "it is damaged"
            )
    sizes = (content[name].size for name in ("TYPE", "CORNERS", "ORIGIN"))
    described = min(n // k for n, k in zip(sizes, (1, 12, 3), strict=True))
    count = int(content["USED"].ravel()[0]) if "USED" in content else described
    if not 0 < count <= described:
        words = f"FORCE_PLATFORM promises {count} plates but describes {described}"
        raise InvalidRecording(path, words, "it is damaged")
    plates = []
    notes = []
    reasons = []
    for index in range(count):
        if reason := _unusable(content, index):
            reasons.append(f"plate {index + 1} {reason}")
            continue
        plate, note = _plate(content, index, rate, length)
        plates.append(plate)
        notes += [note] if note else []
    if not plates:
        raise InvalidRecording(path, "; ".join(reasons), "no plate can be read")
    return plates, [*notes, *(f"{reason}: it is left out" for reason in reasons)]


def _unusable(content: dict[str, Any], index: int) -> str:
    """Explain why a plate can't be converted; empty where it can."""
    kind = int(content["TYPE"].ravel()[index])
    if kind not in CHANNEL_COUNT:
        return f"is of type {kind}, but types 1 to 4 have a conversion here"
    corner = _corners(content, index)
    if not np.linalg.norm(np.cross(corner[0] - corner[1], corner[0] - corner[3])) > 0.0:
        return "is not set up: its corners span no area"
    columns = _columns(content, index, kind)
    if columns is None:
        return "names channels that don't exist"
    for other in range(index):
        if columns == _columns(content, other, kind):
            return f"names the channels of plate {other + 1}"
    matrices = content.get("CAL_MATRIX")
    if kind == 4 and (matrices is None or matrices.size < 36 * (index + 1)):
        return "is of type 4 but has no 6 x 6 CAL_MATRIX"
    return ""


def _corners(content: dict[str, Any], index: int) -> FloatArray:
    """Return the corners of a plate, shape (4, 3), in the file's unit."""
    every = content["CORNERS"].ravel(order="F")
    return np.asarray(every[12 * index : 12 * (index + 1)].reshape(4, 3))


def _plate(
    content: dict[str, Any], index: int, rate: float, length: float
) -> tuple[Plate, str]:
    """Read one plate in newtons and metres, and a note where a unit was presumed."""
    name = f"plate {index + 1}"
    kind = int(content["TYPE"].ravel()[index])
    columns = _columns(content, index, kind) or []
    raw = content["analog"][:, columns]
    corner = _corners(content, index) * length
    origin = content["ORIGIN"].ravel(order="F")[3 * index : 3 * (index + 1)] * length
    calibration = None
    note = ""
    if kind == 4:
        every = content["CAL_MATRIX"].ravel(order="F")
        matrix = every[36 * index : 36 * (index + 1)].reshape(6, 6, order="F")
        calibration = matrix * np.array([1.0] * 3 + [length] * 3)[:, None]
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
        converter=content["converter"][:, columns],
        sensing=SENSING.get(kind),
    )
    return plate, f"{name}: {note}" if note else ""


def _columns(content: dict[str, Any], index: int, kind: int) -> list[int] | None:
    """Find the plate's six or eight analog channels; None where there are none."""
    number = CHANNEL_COUNT[kind]
    places = content["CHANNEL"]
    places = places.reshape(places.shape[0] if places.ndim else 1, -1, order="F")
    if index >= places.shape[1]:
        return None
    columns = [int(c) - 1 for c in places[:number, index]]
    inside = all(0 <= column < content["analog"].shape[1] for column in columns)
    return columns if len(columns) == number and inside else None


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
            length_unit(text)
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

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Is this a sound C3D file? Checked before the C++ reader sees it, which may loop on damage and hides truncation.

Layout of a C3D file (www.c3d.org): blocks of 512 bytes; the header says where parameters and data begin and how
many frames of how many values there are; parameters form a chain of records, each with the offset of the next.
"""

from __future__ import annotations

import struct
from pathlib import Path

from biped_slip.errors import InvalidRecording

BLOCK = 512
MAGIC = 0x50
INTEL, DEC, MIPS = 84, 85, 86
LARGEST = 1 << 31  # [byte]


def check_c3d(path: str | Path) -> None:
    """Read header and parameter chain.

    Raises:
        InvalidRecording: not a C3D file, a damaged one, or one whose data end early.
    """
    try:
        size = Path(path).stat().st_size
        with Path(path).open("rb") as file:
            head = file.read(BLOCK)
            if size > LARGEST:
                raise InvalidRecording(path, f"is {size} bytes long, at most {LARGEST} are accepted")
            if not size:
                raise InvalidRecording(path, "is empty")
            if len(head) < BLOCK or head[1] != MAGIC or not head[0]:
                raise InvalidRecording(path, "is not a C3D file (no C3D header)")
            file.seek((head[0] - 1) * BLOCK)
            start = file.read(4)
            if len(start) < 4:
                raise InvalidRecording(path, "ends before its parameters", "copy it again")
            parameters = start + file.read(max(start[2], 1) * BLOCK - 4)
    except OSError as error:
        raise InvalidRecording(path, f"can't be read ({error.strerror or error})") from error
    if start[3] not in (INTEL, DEC, MIPS):
        raise InvalidRecording(path, f"its processor type is {start[3]}, but 84, 85 and 86 are known", "it is damaged")
    order = ">" if start[3] == MIPS else "<"
    _check_chain(path, parameters, order)
    _check_size(path, head, size, order, real_scale=_scale(head, start[3]))


def _check_chain(path: str | Path, parameters: bytes, order: str) -> None:
    """Follow the chain: every record must lie inside the section and lead forward."""
    place = 4
    while place + 2 <= len(parameters):
        name_length, group = struct.unpack_from("bb", parameters, place)
        if name_length == 0 or group == 0:
            return
        link = place + 2 + abs(name_length)
        if link + 2 > len(parameters):
            break
        (offset,) = struct.unpack_from(order + "H", parameters, link)
        if offset == 0:
            return
        if offset < 3 or link + offset > len(parameters):
            break
        if group > 0:
            _check_parameter(path, parameters, link + 2, offset)
        place = link + offset
    else:
        return
    raise InvalidRecording(path, f"its parameter section is broken at byte {place}", "it is damaged or truncated")


def _check_parameter(path: str | Path, parameters: bytes, place: int, room: int) -> None:
    """The values of a parameter must fit between it and the next."""
    kind, dimensions = struct.unpack_from("bB", parameters, place)
    if dimensions > 7 or place + 2 + dimensions > len(parameters):
        raise InvalidRecording(path, f"a parameter at byte {place} has {dimensions} dimensions", "it is damaged")
    count = 1
    for length in parameters[place + 2 : place + 2 + dimensions]:
        count *= length
    if count * abs(kind) > room:
        raise InvalidRecording(path, f"a parameter at byte {place} is larger than its room", "it is damaged")


def _scale(head: bytes, processor: int) -> float:
    """The header's scale; negative: the data are floats."""
    if processor == DEC:
        return -1.0 if head[13] & 0x80 else 1.0  # sign bit of a VAX float: second byte
    return float(struct.unpack_from((">" if processor == MIPS else "<") + "f", head, 12)[0])


def _check_size(path: str | Path, head: bytes, size: int, order: str, real_scale: float) -> None:
    points, analog, first, last = struct.unpack_from(order + "4H", head, 2)
    (data_block,) = struct.unpack_from(order + "H", head, 16)
    width = 4 if real_scale < 0.0 else 2
    frame = width * (4 * points + analog)
    frames = last - first + 1 if last >= first else last - first + 1 + (1 << 16)
    begin = (data_block - 1) * BLOCK
    if data_block < 2 or begin >= size:
        raise InvalidRecording(path, "ends before its data", "it is truncated; copy it again")
    if frame == 0:
        raise InvalidRecording(path, "holds neither points nor analog channels")
    if last != 0xFFFF and begin + frames * frame > size:
        held = (size - begin) // frame
        raise InvalidRecording(
            path, f"holds {held} of the {frames} frames it promises", "it is truncated; copy it again"
        )

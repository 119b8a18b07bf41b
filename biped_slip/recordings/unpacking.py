# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Bounds for what a compressed bag unpacks to: a file of kilobytes must not become gigabytes of memory or disk.

``rosbags`` unpacks whatever it is given. Its three doors (chunks of MCAP, single messages, whole files) are replaced by
ones that stop: past a size that every recording may have, and past a ratio that no recorded sensor reaches.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Callable

from biped_slip.errors import BipedSlipError

FREE = 64 << 20  # [byte] that anything may unpack to
RATIO = 100  # times its packed size (choice; recordings reach some tens)
MOST_AT_ONCE = 256 << 20  # [byte] of a chunk or message, which lie in memory


class TooLarge(BipedSlipError):
    """Something unpacks to more than it may."""

    def __init__(self, packed: int, most: int) -> None:
        super().__init__(f"{packed} compressed bytes unpack to more than the {most} bytes that are accepted")


def most_from(packed: int) -> int:
    """Bytes that so many packed ones may become."""
    return max(FREE, RATIO * packed)


def bounded(make: Callable[[], Any], data: bytes, declared: int | None = None) -> bytes:
    """Unpacked data.

    Args:
        make: a decompressor of one frame, with ``decompress(data, max_length)``, ``eof`` and ``unused_data``.
        data: one frame after the other.
        declared: bytes that the container promises.

    Raises:
        TooLarge: more than a recording may become.
        ValueError: it ends in the middle of a frame.
    """
    most = min(most_from(len(data)), MOST_AT_ONCE)
    if declared is not None and declared > most:
        raise TooLarge(len(data), most)
    parts, left, rest = [], most, data
    while rest:
        one = make()
        part = one.decompress(rest, max_length=left + 1)
        if len(part) > left:
            raise TooLarge(len(data), most)
        if not one.eof:
            raise ValueError("compressed data end too soon")
        parts.append(part)
        left, rest = left - len(part), one.unused_data or b""
    return b"".join(parts)


class BoundedFile:
    """Reads an unpacking file until there is too much of it."""

    def __init__(self, file: Any, packed: int) -> None:
        self._file, self._packed, self._read = file, packed, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        part = bytes(self._file.read(size))
        self._read += len(part)
        if self._read > most_from(self._packed):
            raise TooLarge(self._packed, most_from(self._packed))
        return part

    def __enter__(self) -> BoundedFile:
        self._file.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._file.__exit__(*details)


def bound_rosbags() -> None:
    """Put the bounds into ``rosbags``; doing it again changes nothing."""
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
    from rosbags.rosbag2 import reader, storage_mcap

    zstd = reader.zstd
    if isinstance(zstd, SimpleNamespace):
        return

    def unpack(data: bytes, size: int | None = None) -> bytes:
        return bounded(zstd.ZstdDecompressor, data, size)

    def opened(file: Any, mode: str = "rb") -> BoundedFile:
        packed = file.seek(0, 2)
        file.seek(0)
        return BoundedFile(zstd.open(file, mode), packed)

    reader.zstd = SimpleNamespace(decompress=unpack, open=opened)
    storage_mcap.DECOMPRESSORS.update(zstd=unpack, lz4=lambda data, size: bounded(LZ4FrameDecompressor, data, size))

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a text file or a .gz, read with bounded memory whatever the file holds."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import IO, Iterator

from biped_slip.errors import InvalidRecording

LONGEST_LINE = 1 << 20  # [byte]; 4096 columns of 25 digits fit ten times
CHUNK = 1 << 20  # [byte]
BOMB_SIZE = 1 << 27  # [byte]; below it a file may compress as well as it likes
BOMB_RATIO = 200  # decompressed over compressed size; tables of numbers reach about 20


def text_lines(path: str | Path) -> Iterator[str]:
    """Lines without their ends, the first without a byte order mark.

    Raises:
        InvalidRecording: unreadable, not text, a truncated or absurdly compressed .gz, or an endless line.
    """
    rest, number = b"", 0
    for chunk in _chunks(path):
        pieces = (rest + chunk).split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            number += 1
            yield _decode(path, piece, number)
        if len(rest) > LONGEST_LINE:
            raise InvalidRecording(path, f"line {number + 1} is longer than {LONGEST_LINE} bytes", "not a usable table")
    if rest:
        yield _decode(path, rest, number + 1)


def _decode(path: str | Path, piece: bytes, number: int) -> str:
    if len(piece) > LONGEST_LINE:
        raise InvalidRecording(path, f"line {number} is longer than {LONGEST_LINE} bytes", "not a usable table")
    if b"\x00" in piece:
        raise InvalidRecording(path, f"line {number} holds binary data", "this reader takes text tables")
    return piece.rstrip(b"\r").decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")


def _chunks(path: str | Path) -> Iterator[bytes]:
    file_path = Path(path)
    try:
        compressed = file_path.stat().st_size
        if compressed == 0:
            raise InvalidRecording(path, "is empty")
        with file_path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            stream: IO[bytes] = gzip.GzipFile(fileobj=raw) if packed else raw  # type: ignore[assignment]
            size = 0
            while chunk := stream.read(CHUNK):
                size += len(chunk)
                if packed and size > BOMB_SIZE and size > BOMB_RATIO * compressed:
                    raise InvalidRecording(
                        path,
                        f"its {compressed} bytes unpack to more than {size} bytes",
                        "no table of measurements compresses so well; unpack it yourself if it is one",
                    )
                yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidRecording(path, f"its compressed data are cut off or damaged ({error})", "copy it anew") from error
    except OSError as error:
        raise InvalidRecording(path, f"can't be read ({error.strerror or error})") from error
